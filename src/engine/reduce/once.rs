//! [`Once`]: small reductions that are one call of a kernel, found without a plan.
//!
//! Most of a small call is deciding what to do. Of a tensor in C order into another, one pass over the axes tells; whatever is
//! not as simple as that is left to a plan, and so is every error. What is found here is what the plan's
//! [`Scheme`](super::scheme::Scheme) would find: a test compares them.

use super::kernel::{Along, Down};
use super::leaf::Leaf;
use super::scheme::{BLOCK, FEW, NARROW, SHORT, WIDTH};
use super::table::Chosen;
use crate::element::DType;
use crate::engine::isa::Isa;
use crate::engine::split::GRAIN;
use crate::layout::Layout;
use crate::reduction::{Over, Reduction};

/// A call of a kernel.
pub(super) struct Once {
    leaf: Leaf,
    way: Way,
    /// Elements of the output.
    pub len: usize,
}

enum Way {
    /// Runs, and the elements of one.
    Along(usize, usize),
    /// Rows, and the elements of one.
    Down(usize, usize),
}

/// Neighbouring axes that are reduced, or kept, together.
#[derive(Clone, Copy)]
struct Group {
    size: usize,
    kept: bool,
}

impl Once {
    /// Of a reduction of one operand in C order.
    #[inline]
    pub fn of(
        reduction: Reduction,
        over: &Over<'_>,
        dtype: DType,
        layout: &Layout<'_>,
        output: DType,
        isa: Isa,
    ) -> Option<Self> {
        if !layout.is_plain() || reduction == Reduction::Mean || dtype != output {
            return None;
        }
        let (inner, outer) = groups(over, layout.shape())?;
        let chosen = Chosen::of(reduction, dtype, output, 1, isa)?;
        let leaf = chosen.leaf;
        let small = layout.len() * leaf.size < GRAIN;
        if !small || chosen.pairs || chosen.acc != output || !leaf.is_quick() {
            return None;
        }
        let lanes = WIDTH / leaf.acc;
        let way = match (inner.kept, inner.size, outer.size) {
            (false, n, runs) if n <= 64 * lanes && (n >= SHORT || runs < FEW) => Way::Along(runs, n),
            (true, cols, rows) if cols * leaf.acc >= NARROW && rows <= BLOCK => Way::Down(rows, cols),
            _ => return None,
        };
        let len = if inner.kept { inner.size } else { outer.size };
        Some(Self { leaf, way, len })
    }

    /// Runs it.
    ///
    /// # Safety
    /// The operand's elements are readable, initialised and aligned, the output's are writable, aligned and apart from
    /// them; the CPU has the level that this was made for.
    #[inline]
    pub unsafe fn run(&self, from: *const u8, to: *mut u8) {
        let (size, at) = (self.leaf.size as isize, [from; 2]);
        // SAFETY: the caller's promise.
        unsafe {
            match self.way {
                Way::Along(runs, n) => {
                    let to_step = self.leaf.acc as isize;
                    self.leaf.along(&Along { at, runs, step: [n as isize * size; 2], n, keep: 1, to, to_step });
                }
                Way::Down(count, cols) => {
                    let mut rows = [[0; 2]; BLOCK];
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = [i as isize * cols as isize * size; 2];
                    }
                    let rows = &rows[..count];
                    self.leaf.down(&Down { at, rows, cols, under: &[], to, planes: 1, step: [0; 2], to_step: 0 });
                }
            }
        }
    }
}

/// The innermost axes that are all reduced or all kept, and those outside them, if that is all there is.
#[inline]
fn groups(over: &Over<'_>, shape: &[usize]) -> Option<(Group, Group)> {
    let (mut inner, mut outer): (Option<Group>, Option<Group>) = (None, None);
    let mut named = 0;
    for (axis, &size) in shape.iter().enumerate().rev() {
        let kept = match *over {
            Over::To(left) => {
                let lead = shape.len().checked_sub(left.len())?;
                let to = if axis < lead { 1 } else { left[axis - lead] };
                if to != size && to != 1 {
                    return None;
                }
                axis >= lead && to == size
            }
            Over::Axes { axes, .. } => {
                let reduced = axes.contains(&axis);
                named += usize::from(reduced);
                !reduced
            }
            Over::Rule { .. } => return None,
        };
        match (size, &mut inner, &mut outer) {
            (0, ..) => return None,
            (1, ..) => {}
            (_, inner @ None, _) => *inner = Some(Group { size, kept }),
            (_, Some(group), None) if group.kept == kept => group.size *= size,
            (_, _, outer @ None) => *outer = Some(Group { size, kept }),
            (_, _, Some(group)) if group.kept == kept => group.size *= size,
            _ => return None,
        }
    }
    if let Over::Axes { axes, .. } = over
        && named != axes.len()
    {
        return None;
    }
    let inner = inner?;
    Some((inner, outer.unwrap_or(Group { size: 1, kept: !inner.kept })))
}
