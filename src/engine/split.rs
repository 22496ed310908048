//! Cuts the positions of a nest into pieces, and runs them serially or over the caller's rayon pool.
//!
//! Pieces are cut along the output's memory, whatever its axes are, so `[2, 1_000_000]` and `[1, c, h * w]`
//! split as well as a long outer axis does.

use core::ops::Range;

use super::kernel::KernelFn;
use super::walk::walk;
use crate::nest::LoopNest;

/// Pieces end on multiples of this many bytes, so that no two threads write one cache line of an aligned output.
pub(super) const LINE: usize = 64;

/// A run that writes less than this stays on the calling thread. Waking a sleeping rayon worker costs 10 to
/// 90 us, in which one core of the machines this was measured on writes 1 to 9 MiB from cache; half of a
/// mebibyte on each of two threads is the least that can pay.
pub(super) const GRAIN: usize = 1 << 20;

/// Bytes of output per piece of a parallel run: large enough to hide a steal (under a microsecond), small enough
/// that a chunk and its sources fit the 512 KiB to 2 MiB of L2 a core has, and that four pieces exist at the grain.
pub(super) const CHUNK: usize = 256 << 10;

/// How positions lie on cache lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Positions in one line.
    pub per_line: usize,
    /// Positions of the first line that lie before position 0.
    pub skipped: usize,
}

impl Lines {
    /// Lines of an output that starts on one.
    pub(super) const fn aligned(per_line: usize) -> Self {
        Self { per_line, skipped: 0 }
    }

    /// Lines of the output at `addr`, in units of `nest`. Units that straddle line edges are cut a little off them.
    #[cfg(feature = "rayon")]
    fn at<const N: usize>(nest: &LoopNest<N>, addr: usize) -> Self {
        Self { per_line: LINE / nest.unit, skipped: addr % LINE / nest.unit }
    }

    /// The `index`-th of `pieces` ranges that cover `0..units`, cut on lines.
    pub(super) fn piece(self, units: usize, pieces: usize, index: usize) -> Range<usize> {
        let end = units + self.skipped;
        let lines = end.div_ceil(self.per_line);
        // Spread the remainder: piece i holds lines [i * lines / pieces, (i + 1) * lines / pieces).
        let cut = |i: usize| {
            let line = (lines as u128 * i as u128 / pieces as u128) as usize;
            line.saturating_mul(self.per_line).min(end).saturating_sub(self.skipped)
        };
        cut(index)..cut(index + 1)
    }
}

/// Whether a run of this nest is worth more than one thread.
pub(super) fn above_grain<const N: usize>(nest: &LoopNest<N>) -> bool {
    nest.units.saturating_mul(nest.unit) >= GRAIN
}

/// Pieces of a parallel run.
pub(super) fn chunks<const N: usize>(nest: &LoopNest<N>) -> usize {
    nest.units.saturating_mul(nest.unit).div_ceil(CHUNK)
}

/// Runs the whole nest: over the rayon pool this thread belongs to if `parallel` and above the grain, else here.
/// Which thread runs a piece changes nothing in the result.
///
/// # Safety
/// As [`walk`], for all of `0..nest.units`.
pub(super) unsafe fn run<const N: usize>(nest: &LoopNest<N>, kernel: KernelFn<N>, ptrs: [*mut u8; N], parallel: bool) {
    #[cfg(feature = "rayon")]
    if parallel && above_grain(nest) && rayon::current_num_threads() > 1 {
        let pointers = Pointers(ptrs);
        let pieces = chunks(nest);
        let lines = Lines::at(nest, ptrs[0].wrapping_offset(nest.start[0]).addr());
        // SAFETY: the caller vouches for the whole nest, so for every piece; pieces are disjoint ranges of
        // positions, so no two threads write one element.
        return join_pieces(0..pieces, &|index| unsafe {
            walk(nest, kernel, pointers.get(), lines.piece(nest.units, pieces, index));
        });
    }
    let _ = parallel;
    // SAFETY: the caller vouches for the whole nest.
    unsafe { walk(nest, kernel, ptrs, 0..nest.units) }
}

/// Halves the range until single pieces are left; idle threads steal the larger halves first.
#[cfg(feature = "rayon")]
fn join_pieces(pieces: Range<usize>, run: &(impl Fn(usize) + Sync)) {
    if pieces.len() <= 1 {
        return pieces.for_each(run);
    }
    let middle = pieces.start + pieces.len() / 2;
    rayon::join(|| join_pieces(pieces.start..middle, run), || join_pieces(middle..pieces.end, run));
}

/// The operands' memory, to be handed to other threads.
#[cfg(feature = "rayon")]
struct Pointers<const N: usize>([*mut u8; N]);

// SAFETY: the pointers stay valid on any thread for as long as `run`'s caller vouches, and `run` returns only after
// every piece has; the pieces write disjoint elements and nothing writes the inputs.
#[cfg(feature = "rayon")]
unsafe impl<const N: usize> Sync for Pointers<N> {}

#[cfg(feature = "rayon")]
impl<const N: usize> Pointers<N> {
    /// A method, so that closures capture the `Sync` wrapper and not its field.
    fn get(&self) -> [*mut u8; N] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once_and_end_on_lines() {
        for units in [0, 1, 15, 16, 17, 160, 1000, 1023] {
            for pieces in 1..20 {
                for skipped in [0, 1, 15] {
                    let lines = Lines { per_line: 16, skipped };
                    let mut at = 0;
                    for index in 0..pieces {
                        let range = lines.piece(units, pieces, index);
                        assert_eq!(range.start, at, "{units} units, {pieces} pieces");
                        assert!(range.end == units || range.end == 0 || (range.end + skipped).is_multiple_of(16));
                        at = range.end;
                    }
                    assert_eq!(at, units);
                }
            }
        }
    }

    #[test]
    fn pieces_of_an_absurd_nest_do_not_overflow() {
        let units = isize::MAX as usize;
        let lines = Lines::aligned(64);
        assert_eq!(lines.piece(units, usize::MAX, usize::MAX - 1).end, units);
        assert_eq!(lines.piece(units, 3, 0).start, 0);
    }

    /// The threads that ran a tile of this test's runs. A pointer cannot say more, so the kernel writes here.
    #[cfg(feature = "rayon")]
    static SEEN: std::sync::Mutex<alloc::vec::Vec<std::thread::ThreadId>> =
        std::sync::Mutex::new(alloc::vec::Vec::new());

    /// A kernel that notes its thread, and takes long enough for idle threads to steal.
    ///
    /// # Safety
    /// None is needed: it touches no operand.
    #[cfg(feature = "rayon")]
    unsafe fn note_thread(_: &crate::engine::tile::Tile<1>) {
        SEEN.lock().unwrap().push(std::thread::current().id());
        std::thread::sleep(std::time::Duration::from_millis(2));
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_large_run_uses_the_pool_it_is_made_in_and_a_small_or_serial_one_its_own_thread() {
        let run_in = |pool: &rayon::ThreadPool, bytes: usize, parallel: bool| {
            let nest = LoopNest::<1>::new(&[bytes], [(&[1], 0)], 1);
            SEEN.lock().unwrap().clear();
            // SAFETY: the kernel touches no memory.
            let caller = pool.install(|| unsafe {
                run(&nest, note_thread, [core::ptr::null_mut()], parallel);
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
