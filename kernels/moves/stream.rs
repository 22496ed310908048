// Copies past the caches.

//# once
/// Rows from this many bytes on are copied by one `rep movsb`. 128 MiB take it 6.0 ms, streamed vectors 6.5 and cached
/// ones 9.8; but in rows of 16 MiB and less, which it copies through the caches, it takes 8.7 (Zen 4, 32 MiB of L3).
#[cfg(target_arch = "x86_64")]
const MOVSB_LEAST: usize = 32 << 20;

/// Copies `bytes` bytes past the caches; the ends of the row that are no whole vectors go through them.
///
/// # Safety
/// As `copy_row`. The caller owes a fence.
#[inline(always)]
unsafe fn copy_row_stream<S: Lanes>(simd: S, out: *mut u8, src: *const u8, bytes: usize) {
    let vector = size_of::<S::Turned>();
    #[cfg(target_arch = "x86_64")]
    if bytes >= MOVSB_LEAST {
        // SAFETY: the ranges are those the caller vouches for; the direction flag is clear, as everywhere in Rust.
        unsafe {
            core::arch::asm!(
                "rep movsb",
                inout("rcx") bytes => _, inout("rdi") out => _, inout("rsi") src => _,
                options(nostack, preserves_flags),
            );
        }
        return;
    }
    let head = out.align_offset(vector);
    if bytes < head + 4 * vector {
        // SAFETY: the same contract.
        return unsafe { copy_row(simd, out, src, bytes) };
    }
    // SAFETY: head + 4 * vector <= bytes, so the head's vector and every turn end inside; `out + at` is aligned because
    // `head` makes it so and turns are whole vectors.
    unsafe {
        S::Turned::load(src).store::<false>(out);
        let mut at = head;
        while at + 4 * vector <= bytes {
            let lines: [S::Turned; 4] = core::array::from_fn(|i| S::Turned::load(src.add(at + i * vector)));
            for (i, line) in lines.into_iter().enumerate() {
                line.store::<true>(out.add(at + i * vector));
            }
            at += 4 * vector;
        }
        copy_row(simd, out.add(at), src.add(at), bytes - at);
    }
}

/// Rows of contiguous bytes on both sides, past the caches.
///
/// # Safety
/// As `contiguous_w1`.
#[inline(always)]
unsafe fn contiguous_stream_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so both rows lie inside the tile.
        unsafe {
            copy_row_stream(
                simd,
                out.offset(row * tile.row_stride[0]),
                src.offset(row * tile.row_stride[1]),
                tile.cols,
            );
        }
    }
    S::Turned::fence();
}

/// One short source row into every row of a dense output, past the caches: from a block of repeats on the stack, since
/// what was streamed is not read again. Rows of more than half a block go through the caches.
///
/// # Safety
/// As `replicate_short_w1`.
#[inline(always)]
unsafe fn replicate_short_stream_w1<S: Lanes>(simd: S, tile: &Tile<2>) {
    /// Bytes that are streamed at a time: whole vectors.
    const RUN: usize = REPLICATE_BLOCK;

    let [out, src] = tile.ptr;
    let (row, total) = (tile.cols, tile.cols * tile.rows);
    // SAFETY: the output is dense, so its rows are `total` bytes from `out`. The block holds whole rows until any run
    // that begins inside one ends, and a run begins where its bytes belong.
    unsafe {
        if row > RUN || total < 2 * RUN {
            return replicate_short_w1(simd, tile);
        }
        let mut block = [MaybeUninit::<u8>::uninit(); 3 * RUN];
        let block = block.as_mut_ptr().cast::<u8>();
        let rows = (row + RUN).div_ceil(row);
        let part = Tile { rows, ptr: [block, src], row_stride: [row as isize, 0], ..*tile };
        replicate_short_w1(simd, &part);
        let mut at = out.align_offset(BLOCK);
        copy_row(simd, out, block, at);
        while at < total {
            let n = RUN.min(total - at);
            copy_row_stream(simd, out.add(at), block.add(at % row), n);
            at += n;
        }
    }
    S::Turned::fence();
}
