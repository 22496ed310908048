//! Runs a nest serially or, by the pieces of a [`grid`](super::grid), over the caller's rayon pool.

#[cfg(feature = "rayon")]
use core::ops::Range;

use super::grid::Cut;
#[cfg(feature = "rayon")]
use super::grid::{CHUNK, Grid, Piece};
use super::kernel::KernelFn;
use super::walk::walk;
#[cfg(feature = "rayon")]
use super::walk::walk_tile;
use crate::nest::LoopNest;

/// A run that writes less than this stays on the calling thread. On two threads that are awake, half a mebibyte gains
/// 1.4 to 1.9 and one or more 1.7 to 2.0 (Zen 4, fills, copies and repeats, two dies). But waking a sleeping worker
/// takes 10 to 90 us, in which one core writes 1 to 9 MiB from cache.
pub(super) const GRAIN: usize = 1 << 20;

/// Whether a run of this nest is worth more than one thread.
pub(super) fn above_grain<const N: usize>(nest: &LoopNest<N>) -> bool {
    nest.units.saturating_mul(nest.unit) >= GRAIN
}

/// Runs the whole nest: over the rayon pool this thread belongs to if `parallel` and above the grain, else here.
/// Which thread runs a piece changes nothing in the result.
///
/// # Safety
/// As [`walk`], for all of `0..nest.units`.
pub(super) unsafe fn run<const N: usize>(
    nest: &LoopNest<N>,
    kernel: KernelFn<N>,
    ptrs: [*mut u8; N],
    cut: Cut,
    parallel: bool,
) {
    #[cfg(feature = "rayon")]
    if parallel && above_grain(nest) && rayon::current_num_threads() > 1 {
        let pointers = Pointers(ptrs);
        let grid = Grid::of(nest, cut, ptrs[0].wrapping_offset(nest.start[0]).addr(), CHUNK);
        // SAFETY: the caller vouches for the whole nest, so for every piece; pieces are disjoint, so no two threads
        // write one element.
        return spread(grid, &|piece| unsafe {
            match piece {
                Piece::Range(range) => walk(nest, kernel, pointers.get(), range),
                Piece::Tile { outer, rows, cols } => walk_tile(nest, kernel, pointers.get(), outer, rows, cols),
            }
        });
    }
    let _ = (cut, parallel);
    // SAFETY: the caller vouches for the whole nest.
    unsafe { walk(nest, kernel, ptrs, 0..nest.units) }
}

/// Runs every piece of a grid, over the rayon pool this thread belongs to.
#[cfg(feature = "rayon")]
pub(super) fn spread(grid: Grid, run: &(impl Fn(Piece) + Sync)) {
    join_pieces(0..grid.pieces(), &|index| run(grid.piece(index)));
}

/// Halves the range until single pieces are left; idle threads steal the larger halves first.
#[cfg(feature = "rayon")]
pub(super) fn join_pieces(pieces: Range<usize>, run: &(impl Fn(usize) + Sync)) {
    if pieces.len() <= 1 {
        return pieces.for_each(run);
    }
    let middle = pieces.start + pieces.len() / 2;
    rayon::join(|| join_pieces(pieces.start..middle, run), || join_pieces(middle..pieces.end, run));
}

/// The operands' memory, to be handed to other threads.
#[cfg(feature = "rayon")]
pub(super) struct Pointers<const N: usize>(pub [*mut u8; N]);

// SAFETY: the pointers stay valid on any thread for as long as `run`'s caller vouches, and `run` returns only after
// every piece has; the pieces write disjoint elements and nothing writes the inputs.
#[cfg(feature = "rayon")]
unsafe impl<const N: usize> Sync for Pointers<N> {}

#[cfg(feature = "rayon")]
impl<const N: usize> Pointers<N> {
    /// A method, so that closures capture the `Sync` wrapper and not its field.
    pub(super) fn get(&self) -> [*mut u8; N] {
        self.0
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::*;

    /// The threads that ran a tile of this test's runs. A pointer cannot say more, so the kernel writes here.
    static SEEN: std::sync::Mutex<alloc::vec::Vec<std::thread::ThreadId>> =
        std::sync::Mutex::new(alloc::vec::Vec::new());

    /// A kernel that notes its thread, and takes long enough for idle threads to steal.
    ///
    /// # Safety
    /// None is needed: it touches no operand.
    unsafe fn note_thread(_: &mut crate::engine::tile::Tile<1>) {
        SEEN.lock().unwrap().push(std::thread::current().id());
        std::thread::sleep(std::time::Duration::from_millis(2));
    }

    #[test]
    fn a_large_run_uses_the_pool_it_is_made_in_and_a_small_or_serial_one_its_own_thread() {
        let run_in = |pool: &rayon::ThreadPool, bytes: usize, parallel: bool| {
            let nest = LoopNest::<1>::new(&[bytes], [(&[1], 0)], 1);
            SEEN.lock().unwrap().clear();
            // SAFETY: the kernel touches no memory.
            let caller = pool.install(|| unsafe {
                run(&nest, note_thread, [core::ptr::null_mut()], Cut::Lines, parallel);
                std::thread::current().id()
            });
            let mut seen = core::mem::take(&mut *SEEN.lock().unwrap());
            let tiles = seen.len();
            seen.sort_by_key(|id| *id != caller);
            seen.dedup();
            (tiles, seen, caller)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (tiles, seen, _) = run_in(&pool, 64 * CHUNK, true);
        assert_eq!(tiles, 64, "one tile a piece");
        assert!(seen.len() > 1, "nobody stole in 64 pieces of 2 ms");
        for (bytes, parallel) in [(GRAIN - 1, true), (64 * CHUNK, false)] {
            let (tiles, seen, caller) = run_in(&pool, bytes, parallel);
            assert_eq!((tiles, seen), (1, alloc::vec![caller]));
        }
    }
}
