//! [`Leaf`]: what joins rows and runs, in a kernel of its own or by the kernels of elementwise functions.
//!
//! Sums have kernels of their own. What else is reduced is joined by the kernels that the elementwise functions have anyway,
//! a few KiB at a time: those store what they accumulate at every row, which is as fast as memory outside L1 is read.

use core::mem::MaybeUninit;

use super::kernel::{Along, Down, ReduceKernel};
use crate::element::DType;
use crate::engine::cast::{CastFn, cast_kernel};
use crate::engine::catalog::{Form, MapKernel, map_kernel};
use crate::engine::isa::{Isa, Level};
use crate::engine::map::{Call, OPERANDS};
use crate::engine::tile::Tile;
use crate::op::Op;

/// What is joined, and by what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    by: By,
    /// Bytes of an element of the inputs.
    pub size: usize,
    /// Bytes of an accumulator.
    pub acc: usize,
    pub inputs: usize,
}

#[derive(Clone, Copy, Debug)]
enum By {
    Kernel(&'static ReduceKernel),
    Functions(Functions),
}

#[derive(Clone, Copy, Debug)]
struct Functions {
    join: &'static MapKernel,
    /// Of two inputs.
    product: Option<&'static MapKernel>,
    /// From an input to an accumulator.
    widen: Option<CastFn>,
    level: Level,
}

/// Bytes of accumulators that functions are run on at a time: two blocks of them and a row stay in L1.
const CHUNK: usize = 4096;

/// A block of accumulators.
#[repr(C, align(64))]
struct Block([MaybeUninit<u8>; CHUNK]);

impl Block {
    fn new() -> Self {
        Self([MaybeUninit::uninit(); CHUNK])
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

impl Leaf {
    /// By a kernel.
    pub fn kernel(kernel: &'static ReduceKernel) -> Self {
        let inputs = if kernel.sizes[1] > 0 { 2 } else { 1 };
        Self { by: By::Kernel(kernel), size: kernel.sizes[0], acc: kernel.acc, inputs }
    }

    /// By functions that join accumulators of a type, of one input or of the products of two, if they exist.
    pub fn functions(op: Op, dtype: DType, acc: DType, inputs: usize, isa: Isa) -> Option<Self> {
        let kernel = |op| map_kernel(isa.level(), op, Form::Plain, acc);
        let functions = Functions {
            join: kernel(op)?,
            product: if inputs == 2 { Some(kernel(Op::Mul)?) } else { None },
            widen: if dtype == acc { None } else { Some(cast_kernel(dtype, acc)?) },
            level: isa.level(),
        };
        Some(Self { by: By::Functions(functions), size: dtype.size(), acc: acc.size(), inputs })
    }

    /// Whether short runs are as well joined as long ones.
    pub fn is_quick(&self) -> bool {
        matches!(self.by, By::Kernel(_))
    }

    /// Name of its kernel.
    pub fn name(&self) -> &'static str {
        match self.by {
            By::Kernel(kernel) => kernel.name,
            By::Functions(functions) => functions.join.name,
        }
    }

    /// The level that its kernel is for.
    pub fn isa(&self) -> Level {
        match self.by {
            By::Kernel(kernel) => kernel.isa,
            By::Functions(functions) => functions.join.isa,
        }
    }

    /// Joins the rows of each plane.
    ///
    /// # Safety
    /// As [`DownFn`](super::kernel::DownFn).
    #[inline(always)]
    pub unsafe fn down(&self, down: &Down<'_>) {
        // SAFETY: the caller's promise.
        unsafe {
            match &self.by {
                By::Kernel(kernel) => (kernel.down)(down),
                By::Functions(functions) => self.down_by(functions, down),
            }
        }
    }

    /// Joins the elements of each run.
    ///
    /// # Safety
    /// As [`AlongFn`](super::kernel::AlongFn); a run is no longer than [`max_run`](super::kernel::max_run).
    #[inline(always)]
    pub unsafe fn along(&self, along: &Along) {
        // SAFETY: the caller's promise.
        unsafe {
            match &self.by {
                By::Kernel(kernel) => (kernel.along)(along),
                By::Functions(functions) => self.along_by(functions, along),
            }
        }
    }

    /// # Safety
    /// As [`Leaf::down`].
    #[inline(never)]
    unsafe fn down_by(&self, functions: &Functions, down: &Down<'_>) {
        let (mut row, mut other) = (Block::new(), Block::new());
        let blocks = [row.start(), other.start()];
        for plane in 0..down.planes as isize {
            let at = [0, 1].map(|k| down.at[k].wrapping_offset(plane * down.step[k]));
            let to = down.to.wrapping_offset(plane * down.to_step);
            for col in (0..down.cols).step_by(CHUNK / self.acc) {
                let n = (down.cols - col).min(CHUNK / self.acc);
                let to = to.wrapping_add(col * self.acc);
                // SAFETY: the caller's promise: `n` columns from `col` on are inside all rows; a block holds as many.
                unsafe {
                    for (i, offset) in down.rows.iter().enumerate() {
                        let from = [0, 1].map(|k| at[k].wrapping_offset(offset[k]).wrapping_add(col * self.size));
                        let row = self.take(functions, from, n, blocks);
                        if i == 0 {
                            core::ptr::copy_nonoverlapping(row, to, n * self.acc);
                        } else {
                            map(functions.join, [to, to, row.cast_mut()], n, self.acc, 1, [0; 3]);
                        }
                    }
                    for under in down.under {
                        map(functions.join, [to, under.add(col * self.acc).cast_mut(), to], n, self.acc, 1, [0; 3]);
                    }
                }
            }
        }
    }

    /// As the kernels do it in another order: the upper half of a run is joined with the lower until what is kept is left,
    /// several runs side by side; pieces of a long run are first joined one after another.
    ///
    /// # Safety
    /// As [`Leaf::along`].
    #[inline(never)]
    unsafe fn along_by(&self, functions: &Functions, along: &Along) {
        let (mut row, mut other, mut sum) = (Block::new(), Block::new(), Block::new());
        let (blocks, acc) = ([row.start(), other.start()], sum.start());
        let Along { n, keep, .. } = *along;
        let piece = CHUNK / self.acc / keep * keep;
        // What is kept times the largest power of two that leaves something to join.
        let halve = |lanes: usize| if lanes > keep { keep * ((lanes / keep).next_power_of_two() / 2) } else { keep };
        // Of a run that is one piece the first half is joined where it lies.
        let half = if n > piece { piece } else { halve(n) };
        let width = half * self.acc;
        let together = CHUNK / width;
        for first in (0..along.runs).step_by(together) {
            let runs = together.min(along.runs - first);
            for run in 0..runs {
                let at = [0, 1].map(|k| along.at[k].wrapping_offset((first + run) as isize * along.step[k]));
                // SAFETY: the caller's promise: pieces are inside the run; a block holds one, and the sums of these runs.
                unsafe {
                    let acc = acc.add(run * width);
                    let row = self.take(functions, at, n.min(piece), blocks).cast_mut();
                    if n > piece {
                        core::ptr::copy_nonoverlapping(row, acc, width);
                    } else {
                        let (both, upper) = ((n - half) * self.acc, row.add(width));
                        map(functions.join, [acc, row, upper], n - half, self.acc, 1, [0; 3]);
                        core::ptr::copy_nonoverlapping(row.add(both), acc.add(both), width - both);
                    }
                    for first in (piece..n).step_by(piece) {
                        let n = piece.min(n - first);
                        let row = self.take(functions, at.map(|at| at.wrapping_add(first * self.size)), n, blocks);
                        map(functions.join, [acc, acc, row.cast_mut()], n, self.acc, 1, [0; 3]);
                    }
                }
            }
            let mut lanes = half;
            while lanes > keep {
                let half = halve(lanes);
                // SAFETY: as above; what is joined with the lower half is above it.
                unsafe {
                    map(functions.join, [acc, acc, acc.add(half * self.acc)], lanes - half, self.acc, runs, [width; 3]);
                }
                lanes = half;
            }
            for run in 0..runs {
                let to = along.to.wrapping_offset((first + run) as isize * along.to_step);
                // SAFETY: as above; the output has room for what is kept.
                unsafe { core::ptr::copy_nonoverlapping(acc.add(run * width), to, keep * self.acc) };
            }
        }
    }

    /// `n` elements as accumulators, in one of the blocks or where they lie.
    ///
    /// # Safety
    /// They are readable and initialised at each input's `from`, and aligned for their type; the blocks hold as many.
    unsafe fn take(&self, functions: &Functions, from: [*const u8; 2], n: usize, blocks: [*mut u8; 2]) -> *const u8 {
        let mut at = from;
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(widen) = functions.widen {
                for k in 0..self.inputs {
                    widen(functions.level, from[k], blocks[k], n);
                    at[k] = blocks[k];
                }
            }
            if let Some(product) = functions.product {
                map(product, [blocks[0], at[0].cast_mut(), at[1].cast_mut()], n, self.acc, 1, [0; 3]);
                at[0] = blocks[0];
            }
        }
        at[0]
    }
}

/// Runs a kernel on `rows` of `n` elements of `size` bytes of an output and two operands, one of which may be the output;
/// rows are `strides` bytes apart.
///
/// # Safety
/// They are valid for the kernel.
unsafe fn map(kernel: &MapKernel, [out, a, b]: [*mut u8; 3], n: usize, size: usize, rows: usize, strides: [usize; 3]) {
    if n == 0 {
        return;
    }
    let step = size as isize;
    let [to_next, a_next, b_next] = strides.map(|stride| stride as isize);
    let mut tile = Tile {
        planes: 1,
        rows,
        cols: n,
        ptr: [out, a, b, out],
        plane_stride: [0; OPERANDS],
        row_stride: [to_next, a_next, b_next, 0],
        col_stride: [step, step, step, 0],
        inner: &[],
    };
    // These functions have no value: any pointer is one to it.
    let call = Call { function: (&raw const *kernel).cast(), stream: false, apart: false };
    // SAFETY: the caller's promise.
    unsafe { (kernel.run)(&call, &mut tile) }
}
