//! From accumulators to the output: divided, joined with what is there, rounded and laid where they belong.

use super::area::Parts;
use super::lay::Lay;
use crate::element::DType;
use crate::engine::cast::{CastFn, cast_kernel};
use crate::engine::catalog::{Form, MapKernel, map_kernel};
use crate::engine::isa::Isa;
use crate::engine::map::{Call, OPERANDS};
use crate::engine::tile::Tile;
use crate::op::Op;
use crate::reduction::Reduction;

/// What happens to accumulators of type `acc` on their way to an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish {
    pub isa: Isa,
    /// Bytes of an accumulator, and of an element of the output.
    pub acc: usize,
    pub size: usize,
    join: &'static MapKernel,
    divide: Option<(&'static MapKernel, Count)>,
    round: Option<CastFn>,
    widen: Option<CastFn>,
}

/// Of how many elements a mean is.
#[derive(Clone, Copy, Debug)]
enum Count {
    Single(f32),
    Double(f64),
}

/// What becomes of an element: groups of columns of turns, dense as accumulators, and their byte strides in the output.
pub(super) struct Place {
    pub sizes: [usize; 3],
    pub strides: [isize; 3],
}

impl Place {
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Whether they lie densely, elements being of `size` bytes.
    pub fn is_dense(&self, size: usize) -> bool {
        let mut width = size as isize;
        for (&n, &stride) in self.sizes.iter().zip(&self.strides).rev() {
            if n > 1 && stride != width {
                return false;
            }
            width *= n as isize;
        }
        true
    }
}

impl Finish {
    /// Of a reduction of `count` elements, if it is defined on these types.
    pub fn new(reduction: Reduction, acc: DType, output: DType, count: usize, isa: Isa) -> Option<Self> {
        let op = match reduction {
            Reduction::Sum | Reduction::Mean => Op::Add,
            Reduction::Max => Op::Maximum,
            Reduction::Min => Op::Minimum,
            Reduction::Prod => Op::Mul,
        };
        let kernel = |op| map_kernel(isa.level(), op, Form::Plain, acc);
        let count = if acc == DType::F64 { Count::Double(count as f64) } else { Count::Single(count as f32) };
        let divide = match reduction {
            Reduction::Mean => Some((kernel(Op::Div)?, count)),
            _ => None,
        };
        let (round, widen) = (cast_kernel(acc, output), cast_kernel(output, acc));
        let cast = acc != output;
        Some(Self {
            isa,
            acc: acc.size(),
            size: output.size(),
            join: kernel(op)?,
            divide,
            round: round.filter(|_| cast),
            widen: widen.filter(|_| cast),
        })
    }

    /// Whether accumulators are elements of the output as they are.
    pub fn is_plain(&self, onto: bool) -> bool {
        !onto && self.divide.is_none() && self.round.is_none()
    }

    /// Finishes the accumulators in the area's block `here`.
    ///
    /// # Safety
    /// As many as `place` has were written there; its elements at `out` are writable, aligned, initialised if `onto`, and
    /// nobody else touches them.
    pub unsafe fn run(&self, here: usize, area: Parts<'_>, place: &Place, out: *mut u8, onto: bool, lay: &mut Lays) {
        let n = place.len();
        let level = self.isa.level();
        let acc = area.acc[here];
        let spare = area.acc[1 - here];
        let elements = area.out;
        let dense = place.is_dense(self.size);
        let [planes, groups, cols] = place.sizes;
        let sizes = [1, planes, groups, cols];
        let strides = [0, place.strides[0], place.strides[1], place.strides[2]];
        // SAFETY: the caller's promise; the blocks of the area have room for what one of them holds, and are apart.
        unsafe {
            if let Some((kernel, count)) = &self.divide {
                let count: *const u8 = match count {
                    Count::Single(count) => (&raw const *count).cast(),
                    Count::Double(count) => (&raw const *count).cast(),
                };
                self.map(kernel, [acc, acc, count.cast_mut()], n, false);
            }
            if onto {
                let mut old = out;
                if !dense {
                    lay.read.copy(sizes, strides, self.size, self.isa, [elements, out], false);
                    old = elements;
                }
                if let Some(widen) = self.widen {
                    widen(level, old, spare, n);
                    old = spare;
                }
                if old == out {
                    return self.map(self.join, [out, out, acc], n, true);
                }
                self.map(self.join, [acc, old, acc], n, true);
            }
            let mut from = acc;
            if let Some(round) = self.round {
                let to = if dense { out } else { elements };
                round(level, acc, to, n);
                from = to;
            }
            if !dense {
                lay.write.copy(sizes, strides, self.size, self.isa, [out, from], true);
            } else if from != out {
                core::ptr::copy_nonoverlapping(from, out, n * self.size);
            }
        }
    }

    /// Runs a kernel on `n` elements of an output and two operands, of which the second is one element or `moves`.
    ///
    /// # Safety
    /// They are valid, and the output may be an operand.
    unsafe fn map(&self, kernel: &MapKernel, [out, a, b]: [*mut u8; 3], n: usize, moves: bool) {
        let step = self.acc as isize;
        let mut tile = Tile {
            planes: 1,
            rows: 1,
            cols: n,
            ptr: [out, a, b, out],
            plane_stride: [0; OPERANDS],
            row_stride: [0; OPERANDS],
            col_stride: [step, step, if moves { step } else { 0 }, 0],
            inner: &[],
        };
        // These functions have no value: any pointer is one to it.
        let call = Call { function: (&raw const *self).cast(), stream: false, apart: false };
        // SAFETY: the caller's promise.
        unsafe { (kernel.run)(&call, &mut tile) }
    }
}

/// How an output that is not dense is read and written.
pub(super) struct Lays {
    read: Lay,
    write: Lay,
}

impl Lays {
    pub fn new() -> Self {
        Self { read: Lay::new(), write: Lay::new() }
    }
}
