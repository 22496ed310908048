// One long source row into every output row.

//# once
/// Longer rows fall out of a 32 KiB L1 while they are copied, and reading them from L2 costs as much as the stores.
/// They are read once for every four rows: 4 MiB of rows of 64 KiB take 59 us and not 88, 128 MiB 5.1 ms and not 7.3,
/// beside 42 us and 4.7 ms to fill them. Rows of 16 KiB take 51 us each for itself and 58 by fours (Zen 4). Panels of 4
/// KiB of the row, which stay in L1, are better still in cache (51 us), but twice as slow behind it.
const IN_L1: usize = 16 << 10;

// Rows that are copied to four at a time are two vectors at least.
const _: () = assert!(IN_L1 >= 2 * BLOCK);

/// One long source row into every output row.
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1 and a source row stride of 0.
#[inline(always)]
unsafe fn replicate_long_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    let fours = if tile.cols > IN_L1 { tile.rows / 4 } else { 0 };
    for four in 0..fours as isize {
        let out = out.wrapping_offset(4 * four * tile.row_stride[0]);
        // SAFETY: four rows from 4 * four on lie inside the tile.
        unsafe { copy_row_to_four(simd, out, tile.row_stride[0], src, tile.cols) };
    }
    for row in 4 * fours..tile.rows {
        // SAFETY: row < rows, so the row lies inside the tile.
        unsafe { copy_row(simd, out.offset(row as isize * tile.row_stride[0]), src, tile.cols) };
    }
}

/// Copies `bytes` bytes to four rows that lie `row` bytes apart.
///
/// # Safety
/// `src` is readable and each row writable for `bytes`, two vectors at least; they do not overlap.
#[inline(always)]
unsafe fn copy_row_to_four<S: Lanes>(_simd: S, out: *mut u8, row: isize, src: *const u8, bytes: usize) {
    let vector = size_of::<S::Vector>();
    let mut at = 0;
    while at < bytes {
        // The last turn overlaps the one before.
        let here = at.min(bytes - 2 * vector);
        // SAFETY: here + 2 * vector <= bytes.
        unsafe {
            let a = read_unaligned(src.add(here).cast::<S::Vector>());
            let b = read_unaligned(src.add(here + vector).cast::<S::Vector>());
            for i in 0..4 {
                let out = out.offset(i * row).add(here);
                write_unaligned(out.cast::<S::Vector>(), a);
                write_unaligned(out.add(vector).cast::<S::Vector>(), b);
            }
        }
        at += 2 * vector;
    }
}

/// As `replicate_long_w1`, past the caches, where the row then stays.
///
/// # Safety
/// As `replicate_long_w1`.
#[inline(always)]
unsafe fn replicate_long_stream_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract; a source row stride of 0 is a case of it.
    unsafe { contiguous_stream_w1(simd, tile) }
}
