//! From layouts to a nest and its kernel: what a plan and a call that runs at once share.
//!
//! A nest is filled in place and handed on by reference. It is a few hundred bytes, and moving it through returned
//! results cost a tiny call more than all its decisions.

#![forbid(unsafe_code)]

use super::isa::Isa;
use super::kernel::{Kernel, Stores, move_kernel};
use super::plan::{Options, Plan};
use crate::dims::Shape;
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Rule, Tiling, checked_bytes, common_shape};
use crate::nest::{LoopNest, Pattern};

/// What a call is to write.
#[derive(Clone, Copy)]
pub(crate) enum Task<'t> {
    /// A layout as it stands.
    Copy(&'t Layout<'t>),
    /// A layout broadcast to a shape.
    Broadcast(&'t Layout<'t>, &'t [usize], Rule<'t>),
    /// A layout tiled or its elements repeated.
    Tile(&'t Tiling),
}

impl Task<'_> {
    /// Hands `then` a source and the shape of an output in C order that [`lay`] lays it over, in the axes of the nest:
    /// those of a tiling are split.
    ///
    /// # Errors
    /// Those of `then`; if a rule does not allow the broadcast. Where a size stretches from the right, [`lay`] says so.
    #[inline]
    pub(super) fn resolve<R>(self, then: impl FnOnce(&Layout<'_>, &[usize]) -> Result<R>) -> Result<R> {
        let (mut common, wide);
        let (source, shape) = match self {
            Self::Copy(source) => (source, source.shape()),
            Self::Tile(tiling) => (&tiling.source, tiling.source.shape()),
            Self::Broadcast(source, target, Rule::Numpy) => (source, target),
            Self::Broadcast(source, target, Rule::Bidirectional) => {
                common = Shape::new();
                common_shape(&[source.shape(), target], &mut common)?;
                (source, &*common)
            }
            Self::Broadcast(source, target, rule) => {
                wide = source.broadcast(target, rule)?;
                (&wide, wide.shape())
            }
        };
        then(source, shape)
    }

    /// Whether the output certainly has this shape, if the rule allows it at all.
    pub(super) fn has_shape(self, shape: &[usize]) -> bool {
        match self {
            Self::Copy(source) => source.shape() == shape,
            // The target may be stretched as well.
            Self::Broadcast(_, _, Rule::Bidirectional) => false,
            Self::Broadcast(_, target, _) => target == shape,
            Self::Tile(tiling) => *tiling.shape == *shape,
        }
    }

    /// The plan for an output in C order without gaps.
    pub(super) fn dense(self, elem: usize, options: Options) -> Result<Plan> {
        match self {
            Self::Copy(source) => Plan::copy(source, &Layout::new(source.shape())?, elem, options),
            Self::Broadcast(source, shape, rule) => Plan::broadcast(source, shape, rule, elem, options),
            Self::Tile(tiling) => Plan::tiling(tiling, None, elem, options),
        }
    }

    /// The plan for a strided output.
    pub(super) fn strided(self, out: &Layout<'_>, elem: usize, options: Options) -> Result<Plan> {
        match self {
            Self::Copy(source) => Plan::copy(source, out, elem, options),
            Self::Broadcast(source, shape, rule) => Plan::copy(&source.broadcast(shape, rule)?, out, elem, options),
            Self::Tile(tiling) => Plan::tiling(tiling, Some(out), elem, options),
        }
    }
}

/// Makes `nest`, which is empty, that of `source` laid from the right over an output of `shape` in C order without
/// gaps: axes that it lacks, or has of size 1, stretch.
///
/// One pass from the right does rule, strides, sizes and nest. That every byte the source reaches has an offset that
/// fits `isize` is checked by the caller, before or after.
///
/// # Errors
/// If the shapes do not fit; if the output's bytes pass `isize::MAX`.
#[inline]
pub(super) fn lay(nest: &mut LoopNest<2>, source: &Layout<'_>, shape: &[usize], elem: usize) -> Result<()> {
    let mut own = source.axes_from_right();
    let mut fits = source.rank() <= shape.len();
    let axes = shape.iter().rev().map(|&to| match own.next() {
        Some((from, stride)) if from == to => (to, [0, stride]),
        Some((from, _)) => {
            fits &= from == 1;
            (to, [0, 0])
        }
        None => (to, [0, 0]),
    });
    let addressable = nest.fill_dense([0, source.offset()], axes, elem);
    if fits && addressable { Ok(()) } else { Err(why_not(fits, source.shape(), shape, elem)) }
}

/// Why [`lay`] refuses, in the words of whoever owns the check.
#[cold]
#[inline(never)]
fn why_not(fits: bool, source: &[usize], shape: &[usize], elem: usize) -> BroadcastError {
    let refused = if fits { checked_bytes(shape, elem).err() } else { Rule::Numpy.align(source, shape).err() };
    refused.expect("the pass refuses what the checks refuse")
}

/// The kernel that runs `nest`, and the level it is for; turns the nest into bytes where the kernel takes bytes.
///
/// # Errors
/// If the level that is asked for is not available.
#[inline]
pub(super) fn choose(nest: &mut LoopNest<2>, options: Options) -> Result<(&'static Kernel<2>, Isa)> {
    let isa = match options.isa {
        Some(isa) => isa,
        None => Isa::chosen()?,
    };
    let pattern = match Pattern::fold(nest) {
        Some(folded) => {
            nest.folded = folded;
            Pattern::Permute
        }
        None => Pattern::of(nest),
    };
    if pattern.is_bytes() {
        nest.make_bytes();
    }
    let stores = options.stores.unwrap_or_else(|| Stores::for_move(nest, pattern));
    let kernel = move_kernel(isa.level(), pattern, stores, nest.unit)
        .expect("the manifest has a kernel for every pattern at every width the nest produces");
    Ok((kernel, isa))
}

/// The kernel that lays out a part of an operand, through the caches.
pub(super) fn choose_move(nest: &mut LoopNest<2>, isa: Isa) -> &'static Kernel<2> {
    let chosen = choose(nest, Options::new().isa(isa).stores(Stores::Cached));
    chosen.expect("the level is given").0
}
