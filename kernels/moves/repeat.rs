// Each element a few times, back to back.

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
        // SAFETY: i < rows, so the row and its element lie inside the tile.
        unsafe {
            let x = read_unaligned(src.offset(i as isize * tile.row_stride[1]).cast::<Elem>());
            splat_short(out.offset(i as isize * tile.row_stride[0]), x, row);
        }
    }
}
