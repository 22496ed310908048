// Move kernels: materialise one tile of a broadcast. Operand 0 is the output, operand 1 the source.
//
// A tile is rows x cols; `engine::tile` states what the caller owes. Sections start at a marker line:
// `once`, `per width` (Elem and the `_elem` names stand for one width) and `per kernel` (`entry` and
// `body` for one kernel, `level` for its instruction set). All loads and stores are unaligned: an
// element type may be less aligned than the integer that carries it.
//
// No two stores of these kernels depend on their order, and no store leaves the tile's columns: the
// last vector of a row overlaps the one before it instead of running over the end.

//# once
use core::mem::size_of;
use core::ptr::{read_unaligned, write_unaligned};
use pulp::Simd;

/// Bytes that one call of `fill` repeats: the widest vector, so that a fill is whole vectors on every level.
const BLOCK: usize = 64;

/// A short row is doubled inside the output until it fills this many bytes, which are then copied on:
/// small enough for L1, large enough that the call per block no longer shows.
const REPLICATE_BLOCK: usize = 4096;

/// Copies `bytes` < 64 bytes with at most two overlapping moves per size class.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap.
#[inline(always)]
unsafe fn copy_short(out: *mut u8, src: *const u8, bytes: usize) {
    /// Two moves of `N` bytes that meet or overlap: covers N..=2N bytes.
    ///
    /// # Safety
    /// As `copy_short`, and `N <= bytes <= 2 * N`.
    #[inline(always)]
    unsafe fn pair<const N: usize>(out: *mut u8, src: *const u8, bytes: usize) {
        // SAFETY: N <= bytes, so both N-byte windows lie inside the ranges the caller vouches for.
        unsafe {
            let head = read_unaligned(src.cast::<[u8; N]>());
            let tail = read_unaligned(src.add(bytes - N).cast::<[u8; N]>());
            write_unaligned(out.cast::<[u8; N]>(), head);
            write_unaligned(out.add(bytes - N).cast::<[u8; N]>(), tail);
        }
    }
    // SAFETY: each arm's N fits `bytes` as its pattern says; the one-byte arm stays inside too.
    unsafe {
        match bytes {
            32.. => pair::<32>(out, src, bytes),
            16.. => pair::<16>(out, src, bytes),
            8.. => pair::<8>(out, src, bytes),
            4.. => pair::<4>(out, src, bytes),
            2.. => pair::<2>(out, src, bytes),
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
unsafe fn copy_row<S: Simd>(_simd: S, out: *mut u8, src: *const u8, bytes: usize) {
    let vector = size_of::<S::u64s>();
    // SAFETY: every access below is `vector` bytes at an offset of at most `bytes - vector`.
    unsafe {
        if bytes < vector {
            return copy_short(out, src, bytes);
        }
        let mut at = 0;
        while at + 4 * vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::u64s>());
            let b = read_unaligned(src.add(at + vector).cast::<S::u64s>());
            let c = read_unaligned(src.add(at + 2 * vector).cast::<S::u64s>());
            let d = read_unaligned(src.add(at + 3 * vector).cast::<S::u64s>());
            write_unaligned(out.add(at).cast::<S::u64s>(), a);
            write_unaligned(out.add(at + vector).cast::<S::u64s>(), b);
            write_unaligned(out.add(at + 2 * vector).cast::<S::u64s>(), c);
            write_unaligned(out.add(at + 3 * vector).cast::<S::u64s>(), d);
            at += 4 * vector;
        }
        while at + vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::u64s>());
            write_unaligned(out.add(at).cast::<S::u64s>(), a);
            at += vector;
        }
        if at < bytes {
            let a = read_unaligned(src.add(bytes - vector).cast::<S::u64s>());
            write_unaligned(out.add(bytes - vector).cast::<S::u64s>(), a);
        }
    }
}

/// Writes `bytes` >= 64 bytes of the 64-byte `block` over and over.
///
/// # Safety
/// `out` is writable for `bytes`, and the block's content has a period that divides 64 and `bytes`.
#[inline(always)]
unsafe fn fill<S: Simd>(_simd: S, out: *mut u8, block: &[u8; BLOCK], bytes: usize) {
    let vector = size_of::<S::u64s>();
    let from = block.as_ptr();
    // SAFETY: every store is `vector` bytes inside a 64-byte window that ends at or before `bytes`; every
    // load is inside the block. The last window starts at `bytes - 64`, a multiple of the period.
    unsafe {
        let mut at = 0;
        while at + BLOCK <= bytes {
            let mut lane = 0;
            while lane < BLOCK {
                let v = read_unaligned(from.add(lane).cast::<S::u64s>());
                write_unaligned(out.add(at + lane).cast::<S::u64s>(), v);
                lane += vector;
            }
            at += BLOCK;
        }
        if at < bytes {
            let mut lane = 0;
            while lane < BLOCK {
                let v = read_unaligned(from.add(lane).cast::<S::u64s>());
                write_unaligned(out.add(bytes - BLOCK + lane).cast::<S::u64s>(), v);
                lane += vector;
            }
        }
    }
}

/// Rows of contiguous bytes on both sides; rows may lie anywhere.
///
/// # Safety
/// The tile contract with one byte per column and column strides of 1.
#[inline(always)]
unsafe fn contiguous_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so both rows lie inside the tile.
        unsafe {
            copy_row(simd, out.offset(row * tile.row_stride[0]), src.offset(row * tile.row_stride[1]), tile.cols);
        }
    }
}

/// One long source row into every output row: it stays in L1 or L2 while it is written out.
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1 and a source row stride of 0.
#[inline(always)]
unsafe fn replicate_long_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract; the source row stride of 0 is a case of it.
    unsafe { contiguous_w1(simd, tile) }
}

/// One short source row into every row of a dense output.
///
/// The first rows are doubled in place up to a block, and the block is copied on: a row of 12 bytes then
/// costs its stores and not a call.
///
/// # Safety
/// As `replicate_long_w1`, and the output's row stride is `cols`.
#[inline(always)]
unsafe fn replicate_short_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    let (row, total) = (tile.cols, tile.cols * tile.rows);
    let block = total.min(row * (REPLICATE_BLOCK / row).max(1));
    // SAFETY: the output is dense, so its rows are `total` bytes from `out`. Every copy below reads bytes
    // [0, n) that were written before and writes [at, at + n) with n <= at, inside `total`.
    unsafe {
        copy_row(simd, out, src, row);
        let mut at = row;
        while at < block {
            let n = at.min(block - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
        while at < total {
            let n = block.min(total - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
    }
}

//# per width
/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `Elem` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_elem<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<Elem>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<Elem>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<Elem>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<Elem>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[Elem; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `Elem` columns.
#[inline(always)]
unsafe fn strided_elem<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<Elem>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<Elem>(),
                    x,
                );
            }
        }
    }
}

//# per kernel
/// Enters the level once and runs the tile.
///
/// # Safety
/// The tile contract of `body`, on a CPU that passed the level's check.
#[cfg(level_cfg)]
unsafe fn entry(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::level() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { body(simd, tile) });
}
