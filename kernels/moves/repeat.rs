// Each element a few times, back to back.

//# once
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
