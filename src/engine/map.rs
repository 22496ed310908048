//! Computing one tile: the loop that every elementwise function runs in.
//!
//! There is one loop for all inner patterns. It takes a block of elements at a time; an operand that stands still along
//! the row is a block on the stack that is read again each time, so "vector with vector", "vector with scalar" and
//! "scalar with vector" differ in a step of 0 only. Two loads of a block beside each store cost nothing: a machine that
//! stores 32 bytes a cycle loads 64.
//!
//! Every element goes through the same block code, those of a row's end too, so its bits do not depend on its place.

use core::mem::{MaybeUninit, size_of};

use super::function::{Function, Operands};
use super::lanes::Level;
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

/// Bytes of a block, at most: 64 elements of one or two bytes, 32 of four or eight.
const BLOCK: usize = 256;

/// Elements in a block, by the bytes of the widest operand. Blocks of 64 to 256 bytes all reach the machine's store
/// rate; fewer than 32 elements are unrolled before they are vectorised, and then often are not (a maximum of f32 takes
/// 73 us in blocks of 16 and 9 in blocks of 32), and of u8 32 are half a vector.
pub(crate) const fn lanes(widest: usize) -> usize {
    match widest {
        0..=2 => 64,
        3..=8 => 32,
        _ => 16,
    }
}

/// A block on the stack, of whatever elements.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Pad([MaybeUninit<u8>; BLOCK]);

/// Computes a tile on one level.
///
/// # Safety
/// As [`MapFn`], inside the level.
#[inline(always)]
pub(crate) unsafe fn run_tile<S: Level, I: Operands, F: Function<I>, const L: usize>(
    level: S,
    call: &Call,
    tile: &mut Tile<OPERANDS>,
) {
    // A constant, but not one that must hold to compile: a function is instantiated for widths that it does not run with.
    assert!(L * size_of::<F::Output>() <= BLOCK);
    // SAFETY: the caller's promise.
    let function = unsafe { &*call.function.cast::<F>() };
    let mut pads = [Pad([MaybeUninit::uninit(); BLOCK]); 4];
    let pads = pads.each_mut().map(|pad| pad.0.as_mut_ptr().cast::<u8>());
    let still: [bool; 3] = core::array::from_fn(|k| k < I::COUNT && tile.col_stride[k + 1] == 0);
    // What each pad holds a block of.
    let mut held = [core::ptr::null::<u8>(); 3];
    while tile.planes > 0 {
        let mut ptr = tile.ptr;
        for _ in 0..tile.rows {
            let mut from = [ptr[1].cast_const(), ptr[2].cast_const(), ptr[3].cast_const()];
            for k in 0..I::COUNT {
                if still[k] {
                    if held[k] != from[k] {
                        held[k] = from[k];
                        // SAFETY: the operand's element of this row; the pad holds a block and is aligned to 64 bytes.
                        unsafe { I::splat::<L>(k, from[k], pads[k]) };
                    }
                    from[k] = pads[k];
                }
            }
            // SAFETY: a row of the tile, or blocks on the stack that are read again for each.
            unsafe { run_row::<S, I, F, L>(level, function, call, ptr[0], from, still, tile.cols, pads) };
            for (ptr, stride) in ptr.iter_mut().zip(tile.row_stride) {
                *ptr = ptr.wrapping_offset(stride);
            }
        }
        tile.next_plane();
    }
    if call.stream {
        S::Turned::fence();
    }
}

/// Computes a row of `cols` elements, in up to three stretches of whole blocks: where stores are to pass the caches one
/// block to the first line, then what is whole, then one block to the end. A block of which only a part is wanted is
/// written to the stack. All three are one loop, so that the function is compiled once: it is most of the code.
///
/// # Safety
/// As [`run_tile`]; `still` operands have a block at `from`, and the pads of the others may be overwritten, as may the
/// last.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "it is a loop body, inlined into its one caller")]
unsafe fn run_row<S: Level, I: Operands, F: Function<I>, const L: usize>(
    level: S,
    function: &F,
    call: &Call,
    out: *mut u8,
    mut from: [*const u8; 3],
    still: [bool; 3],
    cols: usize,
    pads: [*mut u8; 4],
) {
    let size = size_of::<F::Output>();
    let vector = 16 * S::Turned::LANES;
    let step = |k: usize, elements: usize| if still[k] { 0 } else { elements * I::SIZES[k] };
    let stride: [usize; 3] = core::array::from_fn(|k| step(k, L));
    // SAFETY: `from[k]` and `out` stay inside the row, a block before its end at least, or, with fewer elements than a
    // block, inside the pads. An output that is an input is read before it is written, and never twice.
    unsafe {
        if cols < L {
            for k in 0..I::COUNT {
                if !still[k] {
                    I::splat::<L>(k, from[k], pads[k]);
                    core::ptr::copy_nonoverlapping(from[k], pads[k], cols * I::SIZES[k]);
                    from[k] = pads[k];
                }
            }
        }
        // Elements up to the first line, where that matters.
        let mut head = 0;
        if call.stream && L * size % vector == 0 && cols >= 4 * L {
            let bytes = out.align_offset(vector);
            head = if bytes % size == 0 { bytes / size % L } else { 0 };
        }
        let mut done = 0;
        while done < cols {
            let left = cols - done;
            let (mut blocks, mut skip, mut part) = (left / L, 0, 0);
            let mut to = out.add(done * size);
            if head > 0 || blocks == 0 {
                (blocks, part) = (1, if head > 0 { head } else { left });
                if head == 0 && cols >= L {
                    skip = L - left;
                    for k in 0..I::COUNT {
                        from[k] = from[k].sub(step(k, skip));
                    }
                }
                to = if skip > 0 && call.apart { to.sub(skip * size) } else { pads[3] };
            }
            let stream = call.stream && to.addr() % vector == 0;
            let (mut to_block, mut from_block) = (to, from);
            for _ in 0..blocks {
                let block = function.block_on(level, I::blocks::<L>(from_block));
                store::<S, F::Output, L>(to_block, &block, stream, F::HALVES);
                to_block = to_block.add(L * size);
                for k in 0..I::COUNT {
                    from_block[k] = from_block[k].wrapping_add(stride[k]);
                }
            }
            if to == pads[3] {
                core::ptr::copy_nonoverlapping(to.add(skip * size), out.add(done * size), part * size);
            }
            let computed = if part > 0 { part } else { blocks * L };
            for k in 0..I::COUNT {
                from[k] = from[k].wrapping_add(step(k, computed));
            }
            done += computed;
            head = 0;
        }
    }
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
        } else if halves {
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

/// Enters a level and computes a tile there, in blocks of `L` elements.
///
/// # Safety
/// As [`MapFn`], for a function of type `F` and the level of `S`.
pub(crate) unsafe fn enter<S: Level, I: Operands, F: Function<I>, const L: usize>(
    call: &Call,
    tile: &mut Tile<OPERANDS>,
) {
    // SAFETY: the caller vouches for the CPU.
    let level = unsafe { S::new() };
    level.vectorize(
        #[inline(always)]
        move || {
            // SAFETY: the caller's promise.
            unsafe { run_tile::<S, I, F, L>(level, call, tile) }
        },
    );
}
