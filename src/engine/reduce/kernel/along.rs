//! Runs of elements that lie side by side, each into one number or a few.
//!
//! A run goes by steps of as many lanes as the widest vectors want, on every level, so that the order of joins is the
//! same. Lanes are joined step after step in blocks, blocks as a binary counter does, and in the end lanes with lanes.

use core::mem::MaybeUninit;

use super::take::{Number, Take, whole};
use super::{BLOCK, Join, LANES, join};
use crate::engine::function::Function;
use crate::engine::level::Level;

/// Runs of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    /// First element of each operand in the first run.
    pub at: [*const u8; 2],
    pub runs: usize,
    /// Bytes from run to run.
    pub step: [isize; 2],
    /// Elements of a run, one beside the other: up to [`max_run`](super::max_run), a multiple of `keep`.
    pub n: usize,
    /// How many numbers come out: element `i` goes to number `i % keep`. A power of two up to 16.
    pub keep: usize,
    /// The numbers that come out, one beside the other.
    pub to: *mut u8,
    pub to_step: isize,
}

/// Joins the elements of each run.
///
/// # Safety
/// - There is a run, an element and a number to keep;
/// - the elements of every run and operand are readable, initialised and aligned for their type;
/// - `keep` numbers are writable at `to` of every run, aligned for their type, and none of their bytes is one of the
///   above;
/// - the CPU passed the check of the entry's level.
pub(crate) type AlongFn = unsafe fn(&Along);

/// Joins the elements of each run on a level, `L` lanes side by side.
///
/// # Safety
/// As [`AlongFn`].
pub(crate) unsafe fn along<S: Level, X: Take, F: Join<X>, const L: usize>(along: &Along) {
    const { assert!(L * size_of::<X::Acc>() == LANES && L >= 16) };
    // SAFETY: the caller vouches for the CPU.
    let level = unsafe { S::new() };
    level.vectorize(
        #[inline(always)]
        move || {
            let Along { mut at, runs, step, n, keep, mut to, to_step } = *along;
            for _ in 0..runs {
                // SAFETY: the caller's promise.
                unsafe {
                    if n >= L {
                        fold::<S, X, F, L>(level, &long::<S, X, F, L>(level, at, n), keep, to);
                    } else {
                        brief::<S, X, F>(level, at, n, keep, to);
                    }
                }
                // Wrapping: after the last run there is none.
                at = [0, 1].map(|k| at[k].wrapping_offset(step[k]));
                to = to.wrapping_offset(to_step);
            }
        },
    );
}

/// The lanes of a run of at least `L` elements.
///
/// # Safety
/// As [`AlongFn`].
#[inline(always)]
unsafe fn long<S: Level, X: Take, F: Join<X>, const L: usize>(level: S, at: [*const u8; 2], n: usize) -> [X::Acc; L] {
    let from = |element: usize| [0, 1].map(|k| at[k].wrapping_add(element * X::SIZES[k]));
    let (steps, tail) = (n / L, n % L);
    // Finished blocks, 2^i of them at i: a longest run has 8.
    let mut stack = [const { MaybeUninit::<[X::Acc; L]>::uninit() }; 3];
    let (mut step, mut block) = (0, 0_usize);
    // SAFETY: the caller's promise; what the count says is on the stack was put there.
    unsafe {
        let mut acc = loop {
            let end = steps.min(step + BLOCK);
            let mut parts = X::take::<S, L>(level, from(step * L));
            step += 1;
            while step < end {
                parts = join::<S, F, _, L>(level, &parts, &X::take::<S, L>(level, from(step * L)));
                step += 1;
            }
            let mut acc = X::whole(parts);
            let last = step == steps;
            let mut of = 0;
            while if last { block >> of > 0 } else { block >> of & 1 > 0 } {
                if block >> of & 1 > 0 {
                    acc = join::<S, F, _, L>(level, stack.get_unchecked(of).assume_init_ref(), &acc);
                }
                of += 1;
            }
            if last {
                break acc;
            }
            stack.get_unchecked_mut(of).write(acc);
            block += 1;
        };
        if tail > 0 {
            let more = X::whole(X::take::<S, L>(level, from(n - L)));
            acc = blend(&acc, &join::<S, F, _, L>(level, &acc, &more), L - tail);
        }
        acc
    }
}

/// Joins a run of fewer elements, number by number, and writes `keep`: steps of `keep` elements in blocks, and blocks one
/// after another, of which there are few.
///
/// Whatever the level, a few dozen additions one by one are done as soon as lanes are folded: 33 f32 take 5 ns so, 4.5 in
/// lanes under masks and 22 to 37 without.
///
/// # Safety
/// As [`AlongFn`], for fewer than `L` elements.
#[inline(always)]
unsafe fn brief<S: Level, X: Take, F: Join<X>>(level: S, at: [*const u8; 2], n: usize, keep: usize, to: *mut u8) {
    for first in 0..keep {
        let mut next = first;
        let mut total = None;
        while next < n {
            // SAFETY: the caller's promise: there is an element at `next`, and one at each step that is taken.
            let mut acc = unsafe { element::<S, X>(level, at, next) };
            if n - next > (BLOCK - 1) * keep {
                // A block of a known length is not a loop.
                for step in 1..BLOCK {
                    // SAFETY: as above.
                    acc = F::default().call((acc, unsafe { element::<S, X>(level, at, next + step * keep) }));
                }
                next += BLOCK * keep;
            } else {
                next += keep;
                while next < n {
                    // SAFETY: as above.
                    acc = F::default().call((acc, unsafe { element::<S, X>(level, at, next) }));
                    next += keep;
                }
            }
            total = Some(match total {
                Some(total) => F::default().call((total, acc)),
                None => acc,
            });
        }
        if let Some(total) = total {
            // SAFETY: the caller's promise: `keep` numbers are writable.
            unsafe { *to.cast::<X::Acc>().add(first) = total };
        }
    }
}

/// The `i`-th element of a run, as it is accumulated.
///
/// # Safety
/// As [`AlongFn`], for that element.
#[inline(always)]
unsafe fn element<S: Level, X: Take>(level: S, at: [*const u8; 2], i: usize) -> X::Acc {
    // SAFETY: the caller's promise.
    whole::<X>(unsafe { X::one(level, [0, 1].map(|k| at[k].wrapping_add(i * X::SIZES[k]))) })
}

/// Nothing and as many ones: any `LANES` bytes in a row are a mask of those from some byte on.
static STEP: [u8; 2 * LANES] = {
    let mut step = [0; 2 * LANES];
    let mut at = LANES;
    while at < 2 * LANES {
        step[at] = 0xFF;
        at += 1;
    }
    step
};

/// The first `at` lanes of `low` and the others of `high`.
#[inline(always)]
fn blend<A: Number, const L: usize>(low: &[A; L], high: &[A; L], at: usize) -> [A; L] {
    type Words = [u64; LANES / 8];
    let mut words: Words = [0; LANES / 8];
    // SAFETY: all blocks are `LANES` bytes, initialised ones, and so is a stretch of the mask.
    unsafe {
        let mask = STEP.as_ptr().add(LANES - at * size_of::<A>()).cast::<Words>().read_unaligned();
        let low = low.as_ptr().cast::<Words>().read_unaligned();
        let high = high.as_ptr().cast::<Words>().read_unaligned();
        for i in 0..words.len() {
            words[i] = low[i] & !mask[i] | high[i] & mask[i];
        }
        words.as_ptr().cast::<[A; L]>().read_unaligned()
    }
}

/// Joins the upper half of the lanes with the lower, until `keep` are left, and writes these.
///
/// # Safety
/// `keep` numbers are writable, aligned for their type.
#[inline(always)]
unsafe fn fold<S: Level, X: Take, F: Join<X>, const L: usize>(level: S, acc: &[X::Acc; L], keep: usize, to: *mut u8) {
    let few: [X::Acc; 16] = match L {
        256 => {
            let acc: [X::Acc; 128] = half::<S, F, _, L, 128>(level, acc);
            let acc: [X::Acc; 64] = half::<S, F, _, 128, 64>(level, &acc);
            let acc: [X::Acc; 32] = half::<S, F, _, 64, 32>(level, &acc);
            half::<S, F, _, 32, 16>(level, &acc)
        }
        128 => {
            let acc: [X::Acc; 64] = half::<S, F, _, L, 64>(level, acc);
            let acc: [X::Acc; 32] = half::<S, F, _, 64, 32>(level, &acc);
            half::<S, F, _, 32, 16>(level, &acc)
        }
        64 => {
            let acc: [X::Acc; 32] = half::<S, F, _, L, 32>(level, acc);
            half::<S, F, _, 32, 16>(level, &acc)
        }
        32 => half::<S, F, _, L, 16>(level, acc),
        _ => core::array::from_fn(|i| acc[i]),
    };
    // SAFETY: the caller's promise.
    unsafe {
        if keep == 16 {
            *to.cast() = few;
            return;
        }
        let few = half::<S, F, _, 16, 8>(level, &few);
        if keep == 8 {
            *to.cast() = few;
            return;
        }
        let few = half::<S, F, _, 8, 4>(level, &few);
        if keep == 4 {
            *to.cast() = few;
            return;
        }
        let few = half::<S, F, _, 4, 2>(level, &few);
        if keep == 2 {
            *to.cast() = few;
            return;
        }
        *to.cast() = half::<S, F, _, 2, 1>(level, &few);
    }
}

/// The lower half of `L` lanes, `H`, joined with the upper. Another `H` is never run.
#[inline(always)]
fn half<S, F, A, const L: usize, const H: usize>(level: S, lanes: &[A; L]) -> [A; H]
where
    S: Level,
    F: Function<(A, A), Output = A> + Default,
    A: Number,
{
    match (lanes.first_chunk::<H>(), lanes.last_chunk::<H>()) {
        (Some(low), Some(high)) => join::<S, F, A, H>(level, low, high),
        _ => [A::zeroed(); H],
    }
}
