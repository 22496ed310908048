//! The loop that every elementwise function runs in, and its entry.
//!
//! There is one loop for all inner patterns. It takes a block of elements at a time; an operand that stands still along
//! the row is a block on the stack that is read again each time, so "vector with vector", "vector with scalar" and
//! "scalar with vector" differ in a step of 0 only. Two loads of a block beside each store cost nothing: a machine that
//! stores 32 bytes a cycle loads 64.
//!
//! Every element goes through the same block code, those of a row's end too, so its bits do not depend on its place. And
//! the loop is all that is compiled for each function: what leads to it, [`rows`](super::rows), is compiled once per
//! level.

use core::mem::size_of;

use super::function::{Function, Operands};
use super::level::Level;
use super::rows::{self, Blocks, Stretch};
use super::tile::Tile;
use super::turn::Wide;

/// The output and up to three inputs: what every elementwise tile has; those that are not there are never looked at.
pub(crate) const OPERANDS: usize = 4;

/// What a tile does not say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The function's value, behind its type.
    pub function: *const (),
    /// Whether stores pass the caches where they can.
    pub stream: bool,
    /// Whether no byte of the output belongs to an input, so that an element may be computed and written twice.
    pub apart: bool,
}

/// Computes a tile.
///
/// # Safety
/// - The contract of [`Tile`], with elements of the function's types in place of units, each aligned for its type, and
///   column strides of an element for the output and of an element or 0 for each input;
/// - an input may be the output: then its pointer and its strides are the output's, its elements have the output's
///   size, and `apart` is false;
/// - `function` points at a value of the type that the entry was made for;
/// - the CPU passed the check of the entry's level.
pub(crate) type MapFn = unsafe fn(&Call, &mut Tile<OPERANDS>);

/// Elements in a block, by the bytes of the widest operand. Blocks of 128 to 256 bytes all reach the machine's store
/// rate (256 KiB of u8 take 4.6 us in blocks of 128 and 6.0 of 64); fewer than 32 elements are unrolled before they are
/// vectorised, and then often are not (a maximum of f32 takes 73 us in blocks of 16 and 9 in blocks of 32).
pub(crate) const fn lanes(widest: usize) -> usize {
    match widest {
        0..=1 => 128,
        2 => 64,
        3..=8 => 32,
        _ => 16,
    }
}

/// Computes the blocks of a stretch.
///
/// # Safety
/// - `function` points at an `F`, and the CPU passed the check of the level of `S`;
/// - every block of an input is readable and initialised, and every block of the output writable, all aligned for their
///   types; an output's block that belongs to an input is the block that is read with it;
/// - if the stretch streams, the output's blocks are aligned to a vector;
/// - where an input turns, its block is writable, and its rows' elements are readable and initialised.
unsafe fn blocks<S: Level, I: Operands, F: Function<I>, const L: usize>(function: *const (), stretch: &Stretch) {
    // SAFETY: the caller vouches for the CPU.
    let level = unsafe { S::new() };
    level.vectorize(
        #[inline(always)]
        move || {
            // SAFETY: the caller's promise.
            let function = unsafe { &*function.cast::<F>() };
            let Stretch { mut at, step, more, inner, mut outer, mut stream, mut rows, turn } = *stretch;
            while outer > 0 {
                for _ in 0..inner {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let from = [at[1], at[2], at[3]].map(<*mut u8>::cast_const);
                        let block = function.block_on(level, I::blocks::<L>(from));
                        store::<S, F::Output, L>(at[0], &block, stream & 1 > 0, F::HALVES);
                    }
                    stream = stream.rotate_left(1);
                    for k in 0..=I::COUNT {
                        // Wrapping: after the last block there is none.
                        at[k] = at[k].wrapping_offset(step[k]);
                    }
                }
                outer -= 1;
                for k in 0..=I::COUNT {
                    at[k] = at[k].wrapping_offset(more[k]);
                }
                for k in 0..I::COUNT {
                    if turn[k + 1] != 0 && outer > 0 {
                        rows[k + 1] = rows[k + 1].wrapping_offset(turn[k + 1]);
                        // SAFETY: the caller's promise: there is another row.
                        unsafe { I::splat::<L>(k, rows[k + 1], at[k + 1]) };
                    }
                }
            }
        },
    );
}

/// Stores a block, by vectors where it is made of them.
///
/// # Safety
/// The block is writable at `out`; a stream wants it aligned to a vector.
#[inline(always)]
unsafe fn store<S: Level, O: Copy, const L: usize>(out: *mut u8, block: &[O; L], stream: bool, halves: bool) {
    let (vector, bytes) = (16 * S::Turned::LANES, size_of::<[O; L]>());
    let from = block.as_ptr().cast::<u8>();
    let mut at = 0;
    // SAFETY: every vector below is one of `bytes / vector`.
    unsafe {
        if bytes % vector != 0 {
            core::ptr::copy_nonoverlapping(from, out, bytes);
        } else if stream {
            while at < bytes {
                S::Turned::load(from.add(at)).store::<true>(out.add(at));
                at += vector;
            }
        } else if halves && bytes % size_of::<S::Stored>() == 0 {
            while at < bytes {
                let part = core::ptr::read_unaligned(from.add(at).cast::<S::Stored>());
                core::ptr::write_unaligned(out.add(at).cast(), part);
                at += size_of::<S::Stored>();
            }
        } else {
            while at < bytes {
                S::Turned::load(from.add(at)).store::<false>(out.add(at));
                at += vector;
            }
        }
    }
}

/// Computes a tile on a level, in blocks of `L` elements; if `ZEROS`, the function takes operands of zeros too.
///
/// # Safety
/// As [`MapFn`], for a function of type `F` and the level of `S`; if `ZEROS`, zeros are a value of each operand's type.
pub(crate) unsafe fn enter<S: Level, I: Operands, F: Function<I>, const L: usize, const ZEROS: bool>(
    call: &Call,
    tile: &mut Tile<OPERANDS>,
) {
    let blocks = const {
        let [a, b, c] = I::SIZES;
        &Blocks::new(blocks::<S, I, F, L>, [size_of::<F::Output>(), a, b, c], L, ZEROS)
    };
    // SAFETY: the caller's promise.
    unsafe { rows::run::<S>(call, tile, blocks) };
}
