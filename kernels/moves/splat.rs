// One element per row, repeated along it.

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
