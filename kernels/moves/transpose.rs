// Dense columns of the source into dense rows of the output.

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
