//! [`Runs`]: long runs, first of all, to a few partial results each.
//!
//! A run is read in its own order, in chunks that stay inside a kernel, whatever the other axes are; the partial results, a
//! value for a few KiB, become a small dense tensor that is reduced over what is left.

use core::mem::MaybeUninit;
use core::ops::Range;

use alloc::vec::Vec;

use super::kernel::{Along, lanes, max_run};
use super::leaf::Leaf;
use crate::dims::Dims;
#[cfg(feature = "rayon")]
use crate::engine::grid::CHUNK;
#[cfg(feature = "rayon")]
use crate::engine::split::{GRAIN, join_pieces};
use crate::nest::{Axis, LoopNest};

/// Vectors of accumulators that a run fills at least, to be worth a pass of its own: its partial result is then less than a
/// hundredth of it.
const LEAST: usize = 2;

/// Bytes of partial results at most; a view that sees its elements again and again may have any number.
const MOST: usize = 64 << 20;

/// Runs of a nest, and the partial results of their chunks.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// All loops but those of the runs, kept or not.
    outer: Dims<Axis<3>>,
    /// Byte strides of a chunk.
    step: [isize; 2],
    /// Whole chunks of a run, their elements, and those of what is left.
    chunks: usize,
    chunk: usize,
    rest: usize,
    /// Numbers that are kept of each chunk.
    keep: usize,
    kernel: Leaf,
    /// Bytes that are read.
    bytes: usize,
}

impl Runs {
    /// Of a nest, if there is more to reduce than runs of one chunk; and the nest of what is left, from the partial results
    /// of `acc` bytes to the output.
    pub fn of(nest: &LoopNest<3>, kernel: Leaf, inputs: usize) -> Option<(Self, LoopNest<3>)> {
        let (size, acc) = (kernel.size, kernel.acc);
        let is_kept = |axis: &Axis<3>| axis.strides[0] != 0;
        let is_dense = |axis: &Axis<3>, step: usize| (1..=inputs).all(|k| axis.strides[k] == step as isize);
        let mut outer = nest.axes.clone();
        let mut run = outer.pop()?;
        let mut cols = None;
        if is_kept(&run) {
            cols = Some(run).filter(|cols| is_dense(cols, size) && cols.size.is_power_of_two() && cols.size <= 16);
            cols?;
            run = outer.pop()?;
        }
        let keep = cols.map_or(1, |cols| cols.size);
        let most = max_run(acc) / keep * keep;
        let elements = run.size * keep;
        let alone = outer.iter().all(is_kept);
        let long = elements > most || !alone && elements >= LEAST * lanes(acc);
        if is_kept(&run) || !is_dense(&run, size * keep) || keep > lanes(acc) || !long {
            return None;
        }
        let (chunks, rest) = (elements / most, elements % most);
        let count = chunks + usize::from(rest > 0);
        // Partial results lie densely, in the order of the loops.
        let mut left = LoopNest { start: [nest.start[0], 0, 0], ..LoopNest::empty() };
        let mut width = acc as isize;
        let mut push = |size: usize, out: isize| {
            left.axes.push(Axis { size, strides: [out, width, width] });
            // Wrapping: of too many, all is thrown away below.
            width = width.wrapping_mul(size as isize);
        };
        push(keep, cols.map_or(0, |cols| cols.strides[0]));
        push(count, 0);
        for axis in outer.iter().rev() {
            push(axis.size, axis.strides[0]);
        }
        left.axes.reverse();
        if left.axes.iter().try_fold(acc, |bytes, axis| bytes.checked_mul(axis.size)).is_none_or(|bytes| bytes > MOST) {
            return None;
        }
        left.settle(acc);
        let step = [1, 2].map(|k| most as isize / keep as isize * run.strides[k]);
        let bytes = nest.units.saturating_mul(size * inputs);
        Some((Self { outer, step, chunks, chunk: most, rest, keep, kernel, bytes }, left))
    }

    /// Chunks of a run.
    fn count(&self) -> usize {
        self.chunks + usize::from(self.rest > 0)
    }

    /// Elements of a chunk.
    pub fn chunk(&self) -> usize {
        if self.chunks > 0 { self.chunk } else { self.rest }
    }

    /// Numbers that are kept of each.
    pub fn keep(&self) -> usize {
        self.keep
    }

    /// What joins them.
    pub fn leaf(&self) -> &Leaf {
        &self.kernel
    }

    /// Bytes that are read.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Chunks of all runs.
    pub fn len(&self) -> usize {
        self.outer.iter().map(|axis| axis.size).product::<usize>() * self.count()
    }

    /// Hands `then` the partial results of inputs at `at`, where their first elements are.
    ///
    /// # Safety
    /// Every element of the runs is readable, initialised and aligned for its type; the CPU passed the check of the
    /// kernel's level.
    pub unsafe fn run<R>(&self, at: [*const u8; 2], parallel: bool, then: impl FnOnce(*const u8) -> R) -> R {
        let words = (self.len() * self.keep * self.kernel.acc).div_ceil(16);
        // In words of 16 bytes, aligned for every type.
        let mut partial: Vec<MaybeUninit<u128>> = Vec::with_capacity(words);
        let to: *mut u8 = partial.as_mut_ptr().cast();
        let _ = parallel;
        #[cfg(feature = "rayon")]
        if parallel && self.bytes >= GRAIN && rayon::current_num_threads() > 1 {
            let len = self.len();
            let pieces = len.min(self.bytes / CHUNK);
            let shared = Shared { runs: self, at, to };
            join_pieces(0..pieces, &|piece| {
                let cut = |piece: usize| (len as u128 * piece as u128 / pieces as u128) as usize;
                // SAFETY: the caller's promise; pieces write partial results of their own.
                unsafe { shared.run(cut(piece)..cut(piece + 1)) };
            });
            return then(to);
        }
        // SAFETY: the caller's promise; there is room for the partial results of all chunks.
        unsafe { self.chunks(at, to, 0..self.len()) };
        then(to)
    }

    /// # Safety
    /// As [`Runs::run`], for these chunks; their partial results are writable from `to` on, that of the first chunk of all.
    unsafe fn chunks(&self, at: [*const u8; 2], to: *mut u8, range: Range<usize>) {
        let (count, width) = (self.count(), self.keep * self.kernel.acc);
        let mut next = range.start;
        while next < range.end {
            let (mut left, chunk) = (next / count, next % count);
            let mut offset = [0; 2];
            for axis in self.outer.iter().rev() {
                let turn = (left % axis.size) as isize;
                left /= axis.size;
                for (offset, stride) in offset.iter_mut().zip(&axis.strides[1..]) {
                    *offset += turn * stride;
                }
            }
            let to = to.wrapping_add(next * width);
            let place = |chunk: usize| [0, 1].map(|k| at[k].wrapping_offset(offset[k] + chunk as isize * self.step[k]));
            let along = |chunk: usize, n: usize, runs: usize, step: [isize; 2], to: *mut u8| {
                let along = Along { at: place(chunk), runs, step, n, keep: self.keep, to, to_step: width as isize };
                // SAFETY: the caller's promise.
                unsafe { self.kernel.along(&along) }
            };
            let wanted = range.end - next;
            if count == 1 {
                // As many runs as there are side by side.
                let last = self.outer.last().copied().unwrap_or(Axis { size: 1, strides: [0; 3] });
                let here = wanted.min(last.size - next % last.size);
                let n = if self.rest > 0 { self.rest } else { self.chunk };
                along(0, n, here, [last.strides[1], last.strides[2]], to);
                next += here;
                continue;
            }
            let whole = self.chunks.saturating_sub(chunk).min(wanted);
            if whole > 0 {
                along(chunk, self.chunk, whole, self.step, to);
                next += whole;
            } else {
                along(self.chunks, self.rest, 1, [0; 2], to);
                next += 1;
            }
        }
    }
}

/// Runs and their memory, to be handed to other threads.
#[cfg(feature = "rayon")]
struct Shared<'r> {
    runs: &'r Runs,
    at: [*const u8; 2],
    to: *mut u8,
}

// SAFETY: inputs are only read; pieces write partial results of their own, which outlive all of them.
#[cfg(feature = "rayon")]
unsafe impl Sync for Shared<'_> {}

#[cfg(feature = "rayon")]
impl Shared<'_> {
    /// # Safety
    /// As [`Runs::chunks`].
    unsafe fn run(&self, range: Range<usize>) {
        // SAFETY: the caller's promise.
        unsafe { self.runs.chunks(self.at, self.to, range) }
    }
}
