// Elements at any stride.

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
                let x = read_unaligned(src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<Elem>());
                write_unaligned(out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<Elem>(), x);
            }
        }
    }
}
