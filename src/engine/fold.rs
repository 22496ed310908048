//! Functions of any number of operands, two at a time over a piece of the output that stays in the caches.
//!
//! Halves are accumulated in f32 and rounded once. The order is the operands' own, whatever the pieces are, so neither
//! threads nor layouts change a bit.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::align::{common_shape, lay_dense};
use super::apply;
use super::cast::cast_kernel;
use super::compute::{Compute, Walk};
use super::isa::Isa;
use super::map::{Call, OPERANDS};
use super::plan::{Options, Plan};
use super::resolve::{Resolved, Signature};
use super::typed::Operand;
use super::widen::{Job, STEP};
use crate::dims::Dims;
use crate::element::{DType, Element};
use crate::error::{BroadcastError, Result};
use crate::layout::{AnyViewMut, Layout, Out, Tensor};
use crate::op::Op;

/// A function of any number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fold {
    /// ONNX Sum.
    Sum,
    /// ONNX Mean, of floats.
    Mean,
    /// ONNX Min.
    Minimum,
    /// ONNX Max.
    Maximum,
}

/// Elements of a piece: it and a part of each operand stay in L2.
const PIECE: usize = 16 << 10;

impl Fold {
    /// Its name in the library.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
        }
    }

    /// What joins two operands.
    const fn op(self) -> Op {
        match self {
            Self::Sum | Self::Mean => Op::Add,
            Self::Minimum => Op::Minimum,
            Self::Maximum => Op::Maximum,
        }
    }

    /// Into a new tensor of the operands' common shape.
    pub(crate) fn to_tensor<T: Element>(self, operands: &[Operand<'_>], options: Options) -> Result<Tensor<T>> {
        let shape = common_shape(&layouts(operands)?)?;
        let layout = Layout::new(&shape)?;
        // SAFETY: a run that is `Ok` writes every element of its layout, here all of new memory.
        unsafe {
            Tensor::filled_by(shape.clone(), |ptr: *mut T| self.run(operands, T::DTYPE, ptr.cast(), &layout, options))
        }
    }

    /// Into the caller's output.
    pub(crate) fn run_into<T: Element>(
        self,
        operands: &[Operand<'_>],
        out: Out<'_, T>,
        options: Options,
    ) -> Result<()> {
        let shape = common_shape(&layouts(operands)?)?;
        let plain = Layout::new(&shape)?;
        let layout = match out.layout() {
            Some(layout) => layout,
            None if out.len() == plain.len() => &plain,
            None => {
                let (expected, got) = (plain.len(), out.len());
                return Err(BroadcastError::LengthMismatch { what: "output", expected, got });
            }
        };
        // SAFETY: an `Out` is exclusively borrowed and its layout is in bounds.
        unsafe { self.run(operands, T::DTYPE, out.as_mut_ptr(), layout, options) }
    }

    /// Into an output whose element type is a tag.
    pub(crate) fn run_any(self, operands: &[Operand<'_>], out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
        // SAFETY: as in `run_into`; the bytes are aligned for the tag.
        unsafe { self.run(operands, out.dtype(), out.as_mut_ptr(), out.layout(), options) }
    }

    /// # Safety
    /// The elements of `layout` at `out` are writable, aligned for the type, and nobody else has them.
    unsafe fn run(
        self,
        operands: &[Operand<'_>],
        dtype: DType,
        out: *mut u8,
        layout: &Layout<'_>,
        options: Options,
    ) -> Result<()> {
        let inputs = layouts(operands)?;
        let shape = common_shape(&inputs)?;
        if *shape != *layout.shape() {
            return Err(BroadcastError::ShapeMismatch { expected: shape.to_vec(), got: layout.shape().to_vec() });
        }
        let mixed = operands.iter().any(|operand| operand.dtype() != dtype);
        let half = matches!(dtype, DType::F16 | DType::BF16);
        let float = half || matches!(dtype, DType::F32 | DType::F64);
        let isa = options.level()?;
        let inner = if half { DType::F32 } else { dtype };
        let signature = Signature { op: self.op(), inputs: &[inner, inner], output: inner };
        let Some(kernel) = signature.resolve(isa).ok().filter(|_| !mixed && (float || self != Self::Mean)) else {
            let operands = operands.iter().map(Operand::dtype).collect();
            return Err(BroadcastError::Undefined { op: self.op(), operands, output: dtype });
        };
        // Laid out so that the output's memory is in C order: then a piece is a stretch of it, or of a copy of it.
        let (aligned, target) = in_order_of(&inputs, layout)?;
        let dense = target.is_contiguous();
        let copy = Plan::copy(&Layout::new(target.shape())?, &target, dtype.size(), options)?;
        if layout.is_empty() {
            return Ok(());
        }
        if let [operand] = operands {
            let plan = Plan::copy(&aligned[0], &target, dtype.size(), options)?;
            // SAFETY: both are in bounds, and apart.
            unsafe { plan.launch(operand.ptr(), out) };
            return Ok(());
        }
        let steps = Steps::new(self, operands, &aligned, kernel, inner, isa)?;
        let run = Run {
            steps: &steps,
            operands,
            out: out.wrapping_offset(target.offset() * dtype.size() as isize),
            direct: dense && !half,
            dense,
            dtype,
            inner,
            copy: &copy,
            whole: out,
        };
        // SAFETY: pieces are disjoint stretches of the output.
        unsafe { run.pieces(layout.len(), !options.serial) };
        Ok(())
    }
}

/// The layouts of some operands; one at least.
fn layouts<'o>(operands: &[Operand<'o>]) -> Result<Vec<&'o Layout<'o>>> {
    if operands.is_empty() {
        return Err(BroadcastError::OperandCount { expected: 1, got: 0 });
    }
    Ok(operands.iter().map(Operand::layout).collect())
}

/// All layouts in the axes of an output that is walked forwards, from its largest stride to its smallest.
fn in_order_of(inputs: &[&Layout<'_>], out: &Layout<'_>) -> Result<(Vec<Layout<'static>>, Layout<'static>)> {
    let mut axes: Dims<usize> = (0..out.rank()).collect();
    let strides = out.strides();
    axes.sort_by_key(|&axis| core::cmp::Reverse(strides[axis].unsigned_abs()));
    let turn = |layout: Layout<'_>| -> Result<Layout<'static>> {
        let mut turned = layout.permute(&axes)?;
        for (to, &axis) in axes.iter().enumerate() {
            if strides[axis] < 0 && out.shape()[axis] > 1 {
                turned = turned.flip(to)?;
            }
        }
        Ok(turned)
    };
    let wide = inputs.iter().map(|input| turn(input.broadcast_to(out.shape())?)).collect::<Result<_>>()?;
    Ok((wide, turn(out.borrow())?))
}

/// One step: a function of two operands, into the accumulator.
struct Step {
    compute: Compute,
    resolved: Resolved,
}

/// The steps of a fold.
struct Steps {
    steps: Vec<Step>,
    isa: Isa,
    /// The number of operands, where the sum is divided by it.
    count: Option<Step>,
}

impl Steps {
    fn new(
        fold: Fold,
        operands: &[Operand<'_>],
        layouts: &[Layout<'static>],
        kernel: Resolved,
        inner: DType,
        isa: Isa,
    ) -> Result<Self> {
        let shape = layouts[0].shape();
        let dense = Layout::new(shape)?;
        let step = |kernel: Resolved, a: &Layout<'_>, b: &Layout<'_>, from: [DType; 2]| -> Result<Step> {
            let mut resolved = kernel;
            for (k, from) in from.into_iter().enumerate().filter(|(_, from)| *from != inner) {
                resolved.sizes[k + 1] = from.size();
                resolved.casts[k + 1] = cast_kernel(from, inner);
            }
            // Nothing is converted once: a step's operands are met a piece at a time.
            resolved.widens = false;
            let mut compute = Compute::empty(resolved.sizes);
            lay_dense(&mut compute.nest, &[a, b], Some(shape), resolved.sizes)?;
            compute.decide(resolved.casts.map(|cast| cast.is_some()));
            if compute.walk == Walk::Panels {
                // Pieces end anywhere, panels do not.
                compute.walk = Walk::Chunks;
            }
            Ok(Step { compute, resolved })
        };
        let dtype = operands[0].dtype();
        let mut steps = alloc::vec![step(kernel, &layouts[0], &layouts[1], [dtype, dtype])?];
        for layout in &layouts[2..] {
            steps.push(step(kernel, &dense, layout, [inner, dtype])?);
        }
        let count = match fold {
            Fold::Mean => {
                let division = Signature { op: Op::Div, inputs: &[inner, inner], output: inner }.resolve(isa)?;
                Some(step(division, &dense, &Layout::new(&[])?, [inner, inner])?)
            }
            _ => None,
        };
        Ok(Self { steps, isa, count })
    }
}

/// A fold and its memory.
struct Run<'r> {
    steps: &'r Steps,
    operands: &'r [Operand<'r>],
    /// The output's first element.
    out: *mut u8,
    /// Whether the output is its own accumulator.
    direct: bool,
    /// Whether the output's elements lie in C order without gaps.
    dense: bool,
    dtype: DType,
    inner: DType,
    /// From elements in C order to the output's.
    copy: &'r Plan,
    /// What its layout's offset counts from.
    whole: *mut u8,
}

// SAFETY: the output is exclusively the caller's, pieces of it are disjoint, and operands are only read.
unsafe impl Sync for Run<'_> {}

impl Run<'_> {
    /// # Safety
    /// As [`Fold::run`], for an output of `len` elements.
    unsafe fn pieces(&self, len: usize, parallel: bool) {
        #[cfg(feature = "rayon")]
        if parallel && len * self.dtype.size() >= super::split::GRAIN && rayon::current_num_threads() > 1 {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            // SAFETY: the pieces are disjoint.
            return (0..len.div_ceil(PIECE)).into_par_iter().for_each(|i| unsafe { self.piece(piece(i, len)) });
        }
        let _ = parallel;
        for i in 0..len.div_ceil(PIECE) {
            // SAFETY: the caller's promise.
            unsafe { self.piece(piece(i, len)) };
        }
    }

    /// # Safety
    /// As [`Run::pieces`]; nobody else writes this range meanwhile.
    unsafe fn piece(&self, range: Range<usize>) {
        let (size, inner) = (self.dtype.size(), self.inner.size());
        // In words of 16 bytes, aligned for every type.
        let mut own: Vec<MaybeUninit<u128>> = Vec::new();
        let words = |bytes: usize| bytes.div_ceil(16);
        let accumulator = if self.direct { 0 } else { words(range.len() * inner) };
        let rounded = if self.inner == self.dtype || self.dense { 0 } else { words(range.len() * size) };
        own.resize(accumulator + rounded, MaybeUninit::uninit());
        let scratch: *mut u8 = own.as_mut_ptr().cast();
        // Where element 0 of the output would be.
        let base = if self.direct { self.out } else { scratch.wrapping_sub(range.start * inner) };
        let number = self.operands.len();
        let count = if self.inner == DType::F64 { Count::Double(number as f64) } else { Count::Single(number as f32) };
        // SAFETY: every step reads operands in bounds of their layouts and the accumulator, which the first one wrote,
        // and writes the range of it; the copies read what was written.
        unsafe {
            let mut operands = self.operands.iter().map(Operand::ptr);
            let mut first = operands.next().unwrap_or(core::ptr::null());
            for (step, operand) in self.steps.steps.iter().zip(operands) {
                self.step(step, [base, first.cast_mut(), operand.cast_mut(), base], range.clone());
                first = base;
            }
            if let Some(step) = &self.steps.count {
                self.step(step, [base, base, count.ptr().cast_mut(), base], range.clone());
            }
            if self.direct {
                return;
            }
            let mut from = scratch;
            if let Some(cast) = cast_kernel(self.inner, self.dtype) {
                let to =
                    if self.dense { self.out.wrapping_add(range.start * size) } else { scratch.add(accumulator * 16) };
                cast(self.steps.isa.level(), scratch, to, range.len());
                from = to;
            }
            if !self.dense {
                self.copy.launch_piece(range.clone(), from.wrapping_sub(range.start * size), self.whole);
            } else if self.inner == self.dtype {
                let to = self.out.wrapping_add(range.start * size);
                core::ptr::copy_nonoverlapping(from, to, range.len() * size);
            }
        }
    }

    /// # Safety
    /// As [`apply::run_range`].
    unsafe fn step(&self, step: &Step, ptrs: [*mut u8; OPERANDS], range: Range<usize>) {
        let Step { compute, resolved } = step;
        let call = Call { function: (&raw const self.dtype).cast(), stream: false, apart: false };
        let kernel = resolved.kernel;
        let job = Job {
            compute,
            kernel: kernel.run,
            call,
            sizes: kernel.sizes,
            casts: resolved.casts,
            isa: self.steps.isa,
            heavy: false,
        };
        // SAFETY: the caller's promise; pieces begin on multiples of `STEP`. The kernel's function has no value.
        unsafe { apply::run_range(&job, ptrs, range) }
    }
}

// Pieces begin where chunks may.
const _: () = assert!(PIECE.is_multiple_of(STEP));

fn piece(index: usize, len: usize) -> Range<usize> {
    index * PIECE..((index + 1) * PIECE).min(len)
}

/// The number of operands as an element.
enum Count {
    Single(f32),
    Double(f64),
}

impl Count {
    fn ptr(&self) -> *const u8 {
        match self {
            Self::Single(count) => (&raw const *count).cast(),
            Self::Double(count) => (&raw const *count).cast(),
        }
    }
}
