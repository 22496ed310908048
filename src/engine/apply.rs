//! Runs an elementwise nest: serially or in pieces, and each by the walk that its shapes asked for.

use core::ops::Range;

use super::compute::{Compute, Walk};
#[cfg(feature = "rayon")]
use super::grid::{CHUNK, Cut, Grid, Piece};
use super::map::{Call, MapFn, OPERANDS};
#[cfg(feature = "rayon")]
use super::split::{self, GRAIN};
use super::tile::{Frame, Tile};
use super::walk::{Run, outer_place, walk};
use super::widen::{Job, chunks, panels};

/// A function that costs much more than its bytes is split from this share of the grain on, into pieces of this share of
/// a chunk: 8 Ki f32 take a power 6 us, what a worker that is awake needs to start.
#[cfg(feature = "rayon")]
const HEAVY: usize = 32;

/// A kernel with what its tiles do not say.
#[derive(Clone, Copy)]
struct Mapper<'c> {
    kernel: MapFn,
    call: &'c Call,
}

impl Run<OPERANDS> for Mapper<'_> {
    #[inline(always)]
    unsafe fn run(self, tile: &mut Tile<'_, OPERANDS>) {
        // SAFETY: the caller's promise.
        unsafe { (self.kernel)(self.call, tile) }
    }
}

/// Whether it is worth more than one thread: it touches at least the grain, or much less if it is heavy.
#[cfg(feature = "rayon")]
pub(super) fn above_grain(job: &Job<'_>) -> bool {
    let bytes = job.compute.nest.units.saturating_mul(job.compute.widest());
    bytes >= if job.heavy { GRAIN / HEAVY } else { GRAIN }
}

/// Runs the whole nest: over the rayon pool this thread belongs to if `parallel` and above the grain, else here. Which
/// thread runs a piece changes nothing in the result.
///
/// # Safety
/// Operand `k` at `ptrs[k]` is valid for the nest as [`MapFn`] says of a tile, strides apart; the kernel takes the
/// job's sizes and runs on the job's level, and so do its casts.
pub(crate) unsafe fn run(job: &Job<'_>, ptrs: [*mut u8; OPERANDS], parallel: bool) {
    let nest = &job.compute.nest;
    #[cfg(feature = "rayon")]
    if parallel && above_grain(job) && rayon::current_num_threads() > 1 {
        let chunk = if job.heavy { CHUNK / HEAVY * 4 } else { CHUNK };
        let cut = match job.compute.walk {
            Walk::Rows => Cut::Lines,
            Walk::Chunks => Cut::Steps(super::widen::STEP),
            Walk::Panels => Cut::Blocks,
        };
        let pointers = split::Pointers(ptrs);
        let job = Shared(job);
        let grid = Grid::of(nest, cut, ptrs[0].wrapping_offset(nest.start[0]).addr(), chunk);
        // SAFETY: the caller vouches for the whole nest, so for every piece; pieces are disjoint, so no two threads write
        // one element.
        return split::spread(grid, &|piece| unsafe {
            match piece {
                Piece::Range(range) => run_range(job.get(), pointers.get(), range),
                Piece::Tile { outer, rows, cols } => {
                    panels(job.get(), outer_place(&job.get().compute.nest, pointers.get(), outer), rows, cols);
                }
            }
        });
    }
    let _ = parallel;
    // SAFETY: the caller vouches for the whole nest.
    unsafe { run_range(job, ptrs, 0..nest.units) }
}

/// Runs the positions `range` on this thread: any of rows, from a multiple of [`STEP`](super::widen::STEP) on of chunks,
/// whole tiles of panels.
///
/// # Safety
/// As [`run`], for the range.
#[inline]
pub(crate) unsafe fn run_range(job: &Job<'_>, ptrs: [*mut u8; OPERANDS], range: Range<usize>) {
    let nest = &job.compute.nest;
    // SAFETY: the caller's promise.
    unsafe {
        match job.compute.walk {
            Walk::Rows => walk(nest, Mapper { kernel: job.kernel, call: &job.call }, ptrs, range),
            Walk::Chunks => chunks(job, ptrs, range),
            Walk::Panels => {
                let (rows, cols) = (nest.rows().size, nest.cols().size);
                for outer in range.start / (rows * cols)..range.end / (rows * cols) {
                    panels(job, outer_place(nest, ptrs, outer), 0..rows, 0..cols);
                }
            }
        }
    }
}

/// Runs a nest that is one tile of rows as they lie, if it is: most small calls are, and to make a job of them costs as
/// much as they do. Says whether it was.
///
/// # Safety
/// As [`run`], for a nest that no operand is converted for.
#[inline]
pub(crate) unsafe fn run_tile(compute: &Compute, kernel: MapFn, call: &Call, ptrs: [*mut u8; OPERANDS]) -> bool {
    let nest = &compute.nest;
    let small = compute.walk == Walk::Rows && nest.units < SMALL && Frame::is_all_of(nest);
    if small {
        // SAFETY: the caller's promise.
        unsafe { kernel(call, &mut Frame::of(nest).at(ptrs)) };
    }
    small
}

/// Units of what is never worth a second thread.
const SMALL: usize = 1024;

/// A job, to be handed to other threads.
#[cfg(feature = "rayon")]
struct Shared<'j>(&'j Job<'j>);

// SAFETY: what a job points at beside the operands is its function, which is `Sync`, as `Function` asks.
#[cfg(feature = "rayon")]
unsafe impl Sync for Shared<'_> {}

#[cfg(feature = "rayon")]
impl Shared<'_> {
    /// A method, so that closures capture the `Sync` wrapper and not its field.
    fn get(&self) -> &Job<'_> {
        self.0
    }
}
