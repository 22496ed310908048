// Move kernels: materialise one tile of a broadcast. Operand 0 is the output, operand 1 the source.
//
// A tile is rows x cols; `engine::tile` states what the caller owes. Sections start at a marker line: `once`; one per
// template of the manifest that has widths (`Elem` and the `_elem` names stand for one width); and `per kernel`
// (`entry`, `body` and `ThisPattern` stand for one kernel, `level` and `ThisLevel` for its instruction set). All loads
// and stores are unaligned: an element type may be less aligned than the type that carries it.
//
// No store leaves the tile: the last vector of a row overlaps the one before it instead of running over the end, and
// `repeat`, whose stores run into rows that are written later, ends them before the tile does.

//# once
use core::mem::size_of;
use core::ptr::{read_unaligned, write_unaligned};
use pulp::Simd;

/// Bytes that one call of `fill` repeats: the widest vector, so that a fill is whole vectors on every level.
const BLOCK: usize = 64;

/// Short rows are doubled until they fill this many bytes, which are then copied on again and again: small enough to
/// stay in L1, large enough that a call per block no longer shows. A longer row would be a block of its own.
const REPLICATE_BLOCK: usize = 4096;

/// Copies `bytes` < 64 bytes with at most two overlapping moves per size class.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap.
#[inline(always)]
unsafe fn copy_short(out: *mut u8, src: *const u8, bytes: usize) {
    /// Two moves of a `T` that meet or overlap: covers one `T` to two.
    ///
    /// # Safety
    /// As `copy_short`, and `bytes` is one to two times the size of `T`.
    #[inline(always)]
    unsafe fn pair<T: Copy>(out: *mut u8, src: *const u8, bytes: usize) {
        let last = bytes - size_of::<T>();
        // SAFETY: both windows lie inside the ranges the caller vouches for.
        unsafe {
            let head = read_unaligned(src.cast::<T>());
            let tail = read_unaligned(src.add(last).cast::<T>());
            write_unaligned(out.cast::<T>(), head);
            write_unaligned(out.add(last).cast::<T>(), tail);
        }
    }
    // SAFETY: each arm's T fits `bytes` as its pattern says; the one-byte arm stays inside too.
    unsafe {
        match bytes {
            32.. => {
                pair::<zip::Vector>(out, src, 32);
                pair::<zip::Vector>(out.add(bytes - 32), src.add(bytes - 32), 32);
            }
            16.. => pair::<zip::Vector>(out, src, bytes),
            8.. => pair::<u64>(out, src, bytes),
            4.. => pair::<u32>(out, src, bytes),
            2.. => pair::<u16>(out, src, bytes),
            1 => *out = *src,
            0 => {}
        }
    }
}

/// Copies `bytes` bytes, four vectors a turn, the last vector overlapping.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap.
#[inline(always)]
unsafe fn copy_row<S: Lanes>(_simd: S, out: *mut u8, src: *const u8, bytes: usize) {
    let vector = size_of::<S::Vector>();
    // SAFETY: every access below is `vector` bytes at an offset of at most `bytes - vector`.
    unsafe {
        if bytes < vector {
            return copy_short(out, src, bytes);
        }
        let mut at = 0;
        while at + 4 * vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::Vector>());
            let b = read_unaligned(src.add(at + vector).cast::<S::Vector>());
            let c = read_unaligned(src.add(at + 2 * vector).cast::<S::Vector>());
            let d = read_unaligned(src.add(at + 3 * vector).cast::<S::Vector>());
            write_unaligned(out.add(at).cast::<S::Vector>(), a);
            write_unaligned(out.add(at + vector).cast::<S::Vector>(), b);
            write_unaligned(out.add(at + 2 * vector).cast::<S::Vector>(), c);
            write_unaligned(out.add(at + 3 * vector).cast::<S::Vector>(), d);
            at += 4 * vector;
        }
        while at + vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::Vector>());
            write_unaligned(out.add(at).cast::<S::Vector>(), a);
            at += vector;
        }
        if at < bytes {
            let a = read_unaligned(src.add(bytes - vector).cast::<S::Vector>());
            write_unaligned(out.add(bytes - vector).cast::<S::Vector>(), a);
        }
    }
}

/// Writes `bytes` >= 64 bytes of the 64-byte `block` over and over.
///
/// # Safety
/// `out` is writable for `bytes`, and the block's content has a period that divides 64 and `bytes`.
#[inline(always)]
unsafe fn fill<S: Lanes>(_simd: S, out: *mut u8, block: &[u8; BLOCK], bytes: usize) {
    let vector = size_of::<S::Vector>();
    // SAFETY: every load is inside the block, every store inside a 64-byte window that ends at or before `bytes`. The
    // last window starts at `bytes - 64`, a multiple of the period.
    unsafe {
        // Two vectors hold any period: an element is at most 16 bytes and a vector at least 8.
        let even = read_unaligned(block.as_ptr().cast::<S::Vector>());
        let odd = read_unaligned(block.as_ptr().add(vector % BLOCK).cast::<S::Vector>());
        let mut at = 0;
        while at < bytes {
            let window = out.add(at.min(bytes - BLOCK));
            let mut lane = 0;
            while lane < BLOCK {
                write_unaligned(window.add(lane).cast::<S::Vector>(), even);
                if lane + vector < BLOCK {
                    write_unaligned(window.add(lane + vector).cast::<S::Vector>(), odd);
                }
                lane += 2 * vector;
            }
            at += BLOCK;
        }
    }
}

/// Rows of contiguous bytes on both sides; rows may lie anywhere.
///
/// # Safety
/// The tile contract with one byte per column and column strides of 1.
#[inline(always)]
unsafe fn contiguous_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so both rows lie inside the tile.
        unsafe {
            copy_row(simd, out.offset(row * tile.row_stride[0]), src.offset(row * tile.row_stride[1]), tile.cols);
        }
    }
}

/// One short source row into every row of a dense output.
///
/// The first rows are doubled in place up to a block, and the block is copied on: a row of 12 bytes then costs its
/// stores and not a call. A block built apart and copied in is no faster in L2 (2.4 us per 256 KiB either way, Zen 4)
/// and costs small tiles twice their stores.
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1, a source row stride of 0 and an output row stride of
/// `cols`.
#[inline(always)]
unsafe fn replicate_short_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    let (row, total) = (tile.cols, tile.cols * tile.rows);
    // Whole rows, and whole vectors too where such a block is small enough: every copy of it is then aligned alike.
    let lines = row << (BLOCK.trailing_zeros() - row.trailing_zeros().min(BLOCK.trailing_zeros()));
    let step = if lines <= REPLICATE_BLOCK { lines } else { row };
    let block = total.min(step * (REPLICATE_BLOCK / step).max(1));
    // SAFETY: the output is dense, so its rows are `total` bytes from `out`. Every copy below reads bytes [0, n) that
    // were written before and writes [at, at + n) with n <= at, inside `total`.
    unsafe {
        copy_row(simd, out, src, row);
        let mut at = row;
        while at < total {
            let n = at.min(block).min(total - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
    }
}
