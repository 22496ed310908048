
/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u32` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w4<S: Lanes>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<u32>();
    let [out, src] = tile.ptr;
    let row = tile.cols * WIDTH;
    // Dense rows are one run, others a run each.
    let (runs, rows) = if tile.row_stride[0] == row as isize { (1, tile.rows) } else { (tile.rows, 1) };
    for run in 0..runs {
        // SAFETY: the run's rows lie inside the tile; a row and `lead` are whole elements.
        unsafe {
            let out = out.offset(run as isize * tile.row_stride[0]);
            let src = src.offset(run as isize * tile.row_stride[1]);
            let stride = tile.row_stride[1];
            if row < BLOCK {
                for i in 0..rows {
                    let x = read_unaligned(src.offset(i as isize * stride).cast::<u32>());
                    splat_short(out.add(i * row), x, row);
                }
                continue;
            }
            let sizes = [rows, row, out.addr() % BLOCK / WIDTH * WIDTH];
            match row / BLOCK {
                1 => splat_dense::<S, u32, 1>(simd, out, src, stride, sizes),
                2 => splat_dense::<S, u32, 2>(simd, out, src, stride, sizes),
                3 => splat_dense::<S, u32, 3>(simd, out, src, stride, sizes),
                4 => splat_dense::<S, u32, 4>(simd, out, src, stride, sizes),
                _ => splat_dense::<S, u32, 0>(simd, out, src, stride, sizes),
            }
        }
    }
}

/// Each element of a dense source row, repeated fewer than 64 bytes long, back to back.
///
/// One store per element, wider than its repeats: the next element's store writes over the excess. Only the last
/// elements, whose excess would leave the tile, are written one by one.
///
/// # Safety
/// The tile contract with `u32` columns, an output column stride of one element, rows of fewer than 64 bytes, and, if
/// there is more than one row, an output row stride of exactly one row.
#[inline(always)]
unsafe fn repeat_w4<S: Lanes>(_simd: S, tile: &Tile<2>) {
    /// Stores `N` bytes of `x` for each element that has them left; returns how many elements that were.
    ///
    /// # Safety
    /// As `repeat_w4`, and a row takes at most `N` bytes.
    #[inline(always)]
    unsafe fn wide<const N: usize>(tile: &Tile<2>, row: usize) -> usize {
        let [out, src] = tile.ptr;
        let rows = (row * tile.rows).checked_sub(N).map_or(0, |room| room / row + 1);
        for i in 0..rows {
            // SAFETY: i * row + N <= rows of the tile * row, so the store stays inside the output, which is dense;
            // what it covers of later rows is written again after it.
            unsafe {
                let x = read_unaligned(src.offset(i as isize * tile.row_stride[1]).cast::<u32>());
                let mut at = 0;
                while at < N {
                    write_unaligned(out.add(i * row + at).cast::<[u32; LANES]>(), [x; LANES]);
                    at += LANES * size_of::<u32>();
                }
            }
        }
        rows
    }
    /// Elements per store: 8 bytes, or one element that is wider.
    const LANES: usize = if size_of::<u32>() < 8 { 8 / size_of::<u32>() } else { 1 };

    let [out, src] = tile.ptr;
    let row = tile.cols * size_of::<u32>();
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
            let x = read_unaligned(src.offset(i as isize * tile.row_stride[1]).cast::<u32>());
            splat_short(out.offset(i as isize * tile.row_stride[0]), x, row);
        }
    }
}

/// As `repeat_w4`, by picking bytes: 16 bytes of source make `cols` whole lanes of output.
///
/// # Safety
/// As `repeat_w4`, and a source row stride of one element.
#[inline(always)]
unsafe fn repeat_pick_w4<S: Pick>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<u32>();
    // SAFETY: the same contract, in bytes; so many rows are a vector.
    unsafe {
        if tile.rows >= pick_least(tile.cols * WIDTH, WIDTH) {
            repeat_pick(simd, tile, WIDTH);
        } else {
            repeat_w4(simd, tile);
        }
    }
}

/// The source is dense along the rows, the output along the columns: blocks of 16 bytes by as many elements are turned
/// in registers.
///
/// Blocks are taken in squares of one cache line a side, so that every line of source and output is used whole while it
/// is near.
///
/// # Safety
/// The tile contract with `u32` columns of fewer than 16 bytes, an output column stride of one element and, if there
/// is more than one row, a source row stride of one element.
#[inline(always)]
unsafe fn transpose_w4<S: Lanes>(simd: S, tile: &Tile<2>) {
    const SIDE: usize = if size_of::<u32>() < 16 { 16 / size_of::<u32>() } else { 1 };
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
                    zip::halves::<{ size_of::<u32>() }>(lines[i / 2], lines[i / 2 + SIDE / 2])[i % 2]
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
    let width = size_of::<u32>() as isize;
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
        unsafe { strided_w4(simd, &Tile { rows, cols, ptr: [out, src], ..*tile }) };
    };
    rest(0, cols, rows, tile.cols - cols);
    rest(rows, 0, tile.rows - rows, tile.cols);
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u32` columns.
#[inline(always)]
unsafe fn strided_w4<S: Lanes>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u32>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u32>(),
                    x,
                );
            }
        }
    }
}

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn splat_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { splat_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all())]
static SPLAT_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Scalar,
    },
    run: splat_w4_scalar,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w4_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { splat_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static SPLAT_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Avx2,
    },
    run: splat_w4_avx2,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w4_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { splat_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Avx512,
    },
    run: splat_w4_avx512,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w4_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { splat_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static SPLAT_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Neon,
    },
    run: splat_w4_neon,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `repeat_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn repeat_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { repeat_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all())]
static REPEAT_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Repeat,
        width: 4,
        isa: Level::Scalar,
    },
    run: repeat_w4_scalar,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `repeat_pick_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn repeat_pick_w4_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { repeat_pick_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static REPEAT_PICK_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_pick_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Repeat,
        width: 4,
        isa: Level::Avx2,
    },
    run: repeat_pick_w4_avx2,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `repeat_pick_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn repeat_pick_w4_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { repeat_pick_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static REPEAT_PICK_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_pick_w4_neon",
        family: Family::Move,
        pattern: Pattern::Repeat,
        width: 4,
        isa: Level::Neon,
    },
    run: repeat_pick_w4_neon,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn transpose_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { transpose_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all())]
static TRANSPOSE_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Transpose,
        width: 4,
        isa: Level::Scalar,
    },
    run: transpose_w4_scalar,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn transpose_w4_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { transpose_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static TRANSPOSE_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Transpose,
        width: 4,
        isa: Level::Avx2,
    },
    run: transpose_w4_avx2,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn transpose_w4_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { transpose_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static TRANSPOSE_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Transpose,
        width: 4,
        isa: Level::Avx512,
    },
    run: transpose_w4_avx512,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn transpose_w4_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { transpose_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static TRANSPOSE_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_neon",
        family: Family::Move,
        pattern: Pattern::Transpose,
        width: 4,
        isa: Level::Neon,
    },
    run: transpose_w4_neon,
};

/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn strided_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { strided_w4(simd, tile.take()) },
    );
}

/// What is known of it.
#[cfg(all())]
static STRIDED_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 4,
        isa: Level::Scalar,
    },
    run: strided_w4_scalar,
};
