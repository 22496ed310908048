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
use core::mem::{MaybeUninit, size_of};
use core::ptr::{read_unaligned, write_unaligned};
use pulp::Simd;

/// Short rows are doubled until they fill this many bytes, or one row, and copied on from there: small enough to stay
/// in L1, large enough that the bytes a copy reads have left the store buffer, which hands on only whole stores.
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

/// Rows of fewer bytes are copied as they lie; of more, the stores are first aligned. A store that crosses lines costs
/// 1.3 of one that does not (Zen 4), and a row of this many has enough of them to pay for one vector written twice.
const ALIGNED: usize = 512;

/// Copies `bytes` bytes, four vectors a turn, the last vector overlapping. Bytes are read in the order of their
/// addresses, and each before any byte four vectors further is written.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap, or `src` is four vectors or more before `out`
/// and what lies between them was written.
#[inline(always)]
unsafe fn copy_row<S: Lanes>(_simd: S, out: *mut u8, src: *const u8, bytes: usize) {
    let vector = size_of::<S::Vector>();
    // SAFETY: every access below is `vector` bytes at an offset of at most `bytes - vector`.
    unsafe {
        if bytes < vector {
            return copy_short(out, src, bytes);
        }
        let mut at = 0;
        if bytes >= ALIGNED {
            write_unaligned(out.cast::<S::Vector>(), read_unaligned(src.cast::<S::Vector>()));
            at = vector - out.addr() % vector;
        }
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
/// The first rows are doubled in place up to a block; from there on the output is copied from itself, a block back,
/// by aligned stores wherever the rows begin. A row of 12 bytes then costs its stores and not a call. Only a long row
/// that lies on lines like its copies is read from the source each time, where no load meets a recent store: eight rows
/// of 4800 bytes take 349 ns so, and 386 from each other (Zen 4).
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1, a source row stride of 0 and an output row stride
/// of `cols`.
#[inline(always)]
unsafe fn replicate_short_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    let (row, total) = (tile.cols, tile.cols * tile.rows);
    if row >= REPLICATE_BLOCK && (out.addr().wrapping_sub(src.addr()) | row).is_multiple_of(BLOCK) {
        // SAFETY: the same contract.
        return unsafe { contiguous_w1(simd, tile) };
    }
    // SAFETY: the output is dense, so its rows are `total` bytes from `out`. Every copy below reads bytes that lie
    // `at` before those it writes, inside `total`: whole rows that were written before, or by the copy itself, which
    // may then overlap since a block is more than four vectors.
    unsafe {
        copy_row(simd, out, src, row);
        let mut at = row;
        while at < REPLICATE_BLOCK && at < total {
            let n = at.min(total - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
        if at < total {
            copy_row(simd, out.add(at), out, total - at);
        }
    }
}
