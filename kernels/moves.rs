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

/// One long source row into every output row: it stays in L1 or L2 while it is written out.
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1 and a source row stride of 0.
#[inline(always)]
unsafe fn replicate_long_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract; the source row stride of 0 is a case of it.
    unsafe { contiguous_w1(simd, tile) }
}

/// One short source row into every row of a dense output.
///
/// The first rows are doubled in place up to a block, and the block is copied on: a row of 12 bytes then costs its
/// stores and not a call. A block built apart and copied in is no faster in L2 (2.4 us per 256 KiB either way, Zen 4)
/// and costs small tiles twice their stores.
///
/// # Safety
/// As `replicate_long_w1`, and the output's row stride is `cols`.
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

/// Outputs from which permutations pay, in bytes, by the bytes of one element's repeats. Making them costs 10 to 80 ns,
/// more for longer repeats, and the wide stores of `repeat_elem` are as fast for those while the output is in L1: 16
/// KiB of 12-byte repeats take 234 ns against 580, of 32-byte repeats 237 against 252, of 60-byte repeats 254 against
/// 194; 256 KiB of 12, 32 and 48 bytes 3.3, 3.0 and 3.0 us against 7.6, 3.9 and 3.7 (Zen 4).
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
const fn vbmi_least(row: usize) -> usize {
    match row {
        0..=16 => 512,
        17..=32 => 16 << 10,
        _ => 64 << 10,
    }
}

/// Each `width`-byte element of a dense source row, `cols` times back to back, in fewer than 64 bytes.
///
/// Output byte `b` of a group of 64 source bytes comes from element `b / (cols * width)`. The group fills exactly
/// `cols` vectors, so `cols` constant permutations of one register make them.
///
/// # Safety
/// Source and output are dense: `rows * width` bytes are readable, `rows * cols * width` writable, and they do not
/// overlap.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
#[inline(always)]
unsafe fn repeat_vbmi(simd: token::V4Vbmi, tile: &Tile<2>, width: usize) {
    use core::arch::x86_64::{__m512i, _mm512_permutexvar_epi8};
    use core::mem::MaybeUninit;

    let (times, row) = (tile.cols, tile.cols * width);
    // b / row as a product: exact for b < 64 * 64 and row < 64, since b * (row - 1) < 1 << 20.
    let reciprocal = (1_u32 << 20).div_ceil(row as u32);
    let mut indices = [const { MaybeUninit::<[u8; 64]>::uninit() }; 64];
    for (vector, slot) in indices[..times].iter_mut().enumerate() {
        // A loop over an array and not `from_fn`, which is not vectorised.
        let mut index = [0_u8; 64];
        for (lane, from) in index.iter_mut().enumerate() {
            let b = (vector * 64 + lane) as u32;
            let element = (b * reciprocal) >> 20;
            *from = (element * width as u32 + (b & (width as u32 - 1))) as u8;
        }
        slot.write(index);
    }
    let [mut out, mut src] = tile.ptr;
    let mut left = tile.rows * width;
    // SAFETY: the first `times` indices were written. A whole group reads 64 of the `left` source bytes and writes
    // 64 * times of the left * times output bytes; the rest is loaded and its last vector stored under masks that end
    // with the operands. The token proves that the CPU has VBMI and BW.
    unsafe {
        while left >= 64 {
            let group = read_unaligned(src.cast::<__m512i>());
            for index in &indices[..times] {
                let index = read_unaligned(index.as_ptr().cast::<__m512i>());
                write_unaligned(out.cast::<__m512i>(), _mm512_permutexvar_epi8(index, group));
                out = out.add(64);
            }
            src = src.add(64);
            left -= 64;
        }
        if left > 0 {
            let group = simd.avx512bw._mm512_maskz_loadu_epi8((1 << left) - 1, src.cast());
            let mut bytes = left * times;
            for index in &indices[..times] {
                let index = read_unaligned(index.as_ptr().cast::<__m512i>());
                let vector = _mm512_permutexvar_epi8(index, group);
                if bytes >= 64 {
                    write_unaligned(out.cast::<__m512i>(), vector);
                    bytes -= 64;
                    out = out.add(64);
                } else {
                    simd.avx512bw._mm512_mask_storeu_epi8(out.cast(), (1 << bytes) - 1, vector);
                    break;
                }
            }
        }
    }
}

//# splat
/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `Elem` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
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

//# repeat
/// Each element of a dense source row, repeated fewer than 64 bytes long, back to back.
///
/// One store per element, wider than its repeats: the next element's store writes over the excess. Only the last
/// elements, whose excess would leave the tile, are written one by one.
///
/// # Safety
/// The tile contract with `Elem` columns, an output column stride of one element, rows of fewer than 64 bytes, and, if
/// there is more than one row, an output row stride of exactly one row.
#[inline(always)]
unsafe fn repeat_elem<S: Lanes>(_simd: S, tile: &Tile<2>) {
    /// Stores `N` bytes of `x` for each element that has them left; returns how many elements that were.
    ///
    /// # Safety
    /// As `repeat_elem`, and a row takes at most `N` bytes.
    #[inline(always)]
    unsafe fn wide<const N: usize>(tile: &Tile<2>, row: usize) -> usize {
        let [out, src] = tile.ptr;
        let rows = (row * tile.rows).checked_sub(N).map_or(0, |room| room / row + 1);
        for i in 0..rows {
            // SAFETY: i * row + N <= rows of the tile * row, so the store stays inside the output, which is dense;
            // what it covers of later rows is written again after it.
            unsafe {
                let x = read_unaligned(src.offset(i as isize * tile.row_stride[1]).cast::<Elem>());
                let mut at = 0;
                while at < N {
                    write_unaligned(out.add(i * row + at).cast::<[Elem; LANES]>(), [x; LANES]);
                    at += LANES * size_of::<Elem>();
                }
            }
        }
        rows
    }
    /// Elements per store: 8 bytes, or one element that is wider.
    const LANES: usize = if size_of::<Elem>() < 8 { 8 / size_of::<Elem>() } else { 1 };

    let [out, src] = tile.ptr;
    let row = tile.cols * size_of::<Elem>();
    let done = if tile.rows == 1 {
        0
    } else {
        // SAFETY: each arm's N is at least the row.
        unsafe {
            match row {
                0..=8 => wide::<8>(tile, row),
                9..=16 => wide::<16>(tile, row),
                17..=32 => wide::<32>(tile, row),
                _ => wide::<64>(tile, row),
            }
        }
    };
    for i in done..tile.rows {
        for col in 0..tile.cols {
            // SAFETY: i < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(src.offset(i as isize * tile.row_stride[1]).cast::<Elem>());
                write_unaligned(out.offset(i as isize * tile.row_stride[0]).cast::<Elem>().add(col), x);
            }
        }
    }
}

//# repeat_vbmi
/// As `repeat_elem`, by byte permutations: 64 bytes of source make `cols` whole vectors of output.
///
/// # Safety
/// As `repeat_elem`, and a source row stride of one element.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
#[inline(always)]
unsafe fn repeat_vbmi_elem(simd: token::V4Vbmi, tile: &Tile<2>) {
    // SAFETY: the same contract, in bytes; a V4Vbmi proves every feature of V4.
    unsafe {
        let row = tile.cols * size_of::<Elem>();
        if tile.rows * row >= vbmi_least(row) {
            repeat_vbmi(simd, tile, size_of::<Elem>());
        } else {
            repeat_elem(token::avx512(), tile);
        }
    }
}

//# transpose
/// The source is dense along the rows, the output along the columns: blocks of 16 bytes by as many elements are turned
/// in registers.
///
/// Blocks are taken in squares of one cache line a side, so that every line of source and output is used whole while it
/// is near.
///
/// # Safety
/// The tile contract with `Elem` columns of fewer than 16 bytes, an output column stride of one element and, if there
/// is more than one row, a source row stride of one element.
#[inline(always)]
unsafe fn transpose_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    const SIDE: usize = if size_of::<Elem>() < 16 { 16 / size_of::<Elem>() } else { 1 };
    const LINE: usize = 4 * SIDE;

    /// One block: source columns into output rows.
    ///
    /// # Safety
    /// All `SIDE` x `SIDE` elements from both pointers on lie inside the tile.
    #[inline(always)]
    unsafe fn block(out: *mut u8, row: isize, src: *const u8, col: isize) {
        // SAFETY: each load and store is one line of the block.
        unsafe {
            let mut lines: [zip::Vector; SIDE] = core::array::from_fn(|i| zip::load(src.offset(i as isize * col)));
            // Interleaving line i with line i + SIDE / 2 moves every element half way; log2(SIDE) times is the
            // transpose.
            let mut step = 1;
            while step < SIDE {
                lines = core::array::from_fn(|i| {
                    zip::halves::<{ size_of::<Elem>() }>(lines[i / 2], lines[i / 2 + SIDE / 2])[i % 2]
                });
                step *= 2;
            }
            for (i, line) in lines.into_iter().enumerate() {
                zip::store(out.offset(i as isize * row), line);
            }
        }
    }

    let [out, src] = tile.ptr;
    let (row, col) = (tile.row_stride[0], tile.col_stride[1]);
    let width = size_of::<Elem>() as isize;
    let at = |r: usize, c: usize| {
        let (r, c) = (r as isize, c as isize);
        (out.wrapping_offset(r * row + c * width), src.wrapping_offset(r * width + c * col))
    };
    let (rows, cols) = (tile.rows / SIDE * SIDE, tile.cols / SIDE * SIDE);
    for r0 in (0..rows).step_by(LINE) {
        for c0 in (0..cols).step_by(LINE) {
            for c in (c0..cols.min(c0 + LINE)).step_by(SIDE) {
                for r in (r0..rows.min(r0 + LINE)).step_by(SIDE) {
                    let (out, src) = at(r, c);
                    // SAFETY: r + SIDE <= rows and c + SIDE <= cols of the tile.
                    unsafe { block(out, row, src, col) };
                }
            }
        }
    }
    // What no block covers: the last columns of all rows, and the last rows of the other columns.
    let rest = |r: usize, c: usize, rows: usize, cols: usize| {
        if rows == 0 || cols == 0 {
            return;
        }
        let (out, src) = at(r, c);
        // SAFETY: the rest is a part of the tile, with its strides.
        unsafe { strided_elem(simd, &Tile { rows, cols, ptr: [out, src], ..*tile }) };
    };
    rest(0, cols, rows, tile.cols - cols);
    rest(rows, 0, tile.rows - rows, tile.cols);
}

//# strided
/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `Elem` columns.
#[inline(always)]
unsafe fn strided_elem<S: Lanes>(_simd: S, tile: &Tile<2>) {
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
/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `body`, on a CPU that has the instruction set.
#[cfg(level_cfg)]
unsafe fn entry(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::level() };
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { body(simd, tile) },
    );
}

/// What is known of it.
#[cfg(level_cfg)]
static ENTRY: Kernel<2> = Kernel {
    info: KernelInfo {
        name: entry_name,
        family: Family::Move,
        pattern: Pattern::ThisPattern,
        width: entry_width,
        isa: Level::ThisLevel,
    },
    run: entry,
};
