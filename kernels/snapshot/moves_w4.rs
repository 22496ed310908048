
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
            repeat_pick::<S, false>(simd, tile, WIDTH);
        } else {
            repeat_w4(simd, tile);
        }
    }
}


/// As `repeat_pick_w4`, past the caches.
///
/// # Safety
/// As `repeat_pick_w4`.
#[inline(always)]
unsafe fn repeat_pick_stream_w4<S: Pick>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<u32>();
    // SAFETY: as in `repeat_pick_w4`.
    unsafe {
        if tile.cols <= STREAMED && tile.rows >= pick_least(tile.cols * WIDTH, WIDTH) {
            repeat_pick::<S, true>(simd, tile, WIDTH);
            S::Vector::fence();
        } else {
            repeat_pick_w4(simd, tile);
        }
    }
}

/// Blocks of the tile's inner axes, unit by unit.
///
/// # Safety
/// As `permute_w4`.
#[inline(always)]
unsafe fn permute_plain_w4<S: Lanes>(simd: S, tile: &Tile<2>) {
    if tile.inner.is_empty() {
        // SAFETY: the same contract.
        return unsafe { strided_w4(simd, tile) };
    }
    let mut choice = Choice::EMPTY;
    choice.make(tile, size_of::<u32>(), 1);
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        let (out, src) = (out.wrapping_offset(row * tile.row_stride[0]), src.wrapping_offset(row * tile.row_stride[1]));
        // SAFETY: row < rows, so the row's blocks lie inside the tile.
        unsafe { plain_row::<u32>(tile, &choice, out, src) };
    }
}

/// Blocks of the tile's inner axes, by picking bytes.
///
/// # Safety
/// The tile contract with blocks of `u32` units: the output is dense in blocks and columns, the source dense in what
/// does not stand still of them; a block and its source take 1024 bytes at most. Without inner axes the tile may be
/// any.
#[inline(always)]
unsafe fn permute_w4<S: Choose>(simd: S, tile: &mut Tile<2>) {
    if tile.inner.is_empty() {
        // SAFETY: the same contract.
        return unsafe { strided_w4(simd, tile) };
    }
    let mut choice = Choice::EMPTY;
    choice.make(tile, size_of::<u32>(), size_of::<S::Vector>());
    // SAFETY: the same contract.
    unsafe { permute(simd, tile, &choice) };
}


/// The source is dense along the rows, the output along the columns.
///
/// # Safety
/// The tile contract with `u32` columns, an output column stride of one element and, if there is more than one row, a
/// source row stride of one element.
#[inline(always)]
unsafe fn transpose_w4<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe { turn_w4::<S, false>(simd, tile) }
}

/// As `transpose_w4`; tiles of several rows go in the widest blocks that fit in.
///
/// # Safety
/// As `transpose_w4`.
#[inline(always)]
unsafe fn turn_w4<S: Lanes, const STREAM: bool>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe {
        if size_of::<u32>() == 2 && !STREAM && turn_blocks_w4::<S::TurnedPairs, false>(tile) {
            return;
        }
        if !turn_blocks_w4::<S::Turned, STREAM>(tile)
            && !turn_blocks_w4::<zip::Vector, false>(tile)
            && !turn_thin_w4(simd, tile)
        {
            strided_w4(simd, tile);
        }
    }
}

/// Turns the tile by blocks; `false` if it is smaller than one. Where the sides are no multiple of a block's, the last
/// blocks overlap those before them.
///
/// # Safety
/// As `transpose_w4`.
#[inline(always)]
unsafe fn turn_blocks_w4<V: Wide, const STREAM: bool>(tile: &Tile<2>) -> bool {
    const SIDE: usize = 16 / size_of::<u32>();
    /// Whether blocks are as high as wide. A byte's would take 64 registers; they are 16 bytes high.
    const SQUARE: bool = size_of::<u32>() > 1;

    /// One block: source columns into lines of the output's rows.
    ///
    /// # Safety
    /// The elements of a block from both pointers on lie inside the tile; if `STREAM`, its output rows are aligned to
    /// vectors.
    #[inline(always)]
    unsafe fn block<V: Wide, const STREAM: bool>(out: *mut u8, row: isize, src: *const u8, col: isize) {
        let column = |c: usize| src.wrapping_offset(c as isize * col);
        // SAFETY: each load and store is a line, or 16 bytes of one, of the block.
        unsafe {
            // Line i of chunk k: the k-th 16 bytes of the columns i, SIDE + i, 2 * SIDE + i ..
            let mut chunks = [[V::gather(|_| src); SIDE]; turn::MOST];
            for i in 0..SIDE {
                if SQUARE {
                    let own = |lane| if lane < V::LANES { lane * SIDE + i } else { i };
                    let lines = core::array::from_fn(|lane| V::load(column(own(lane))));
                    for (chunk, line) in chunks.iter_mut().zip(V::exchange(lines)) {
                        chunk[i] = line;
                    }
                } else {
                    chunks[0][i] = V::gather(|lane| column(lane * SIDE + i));
                }
            }
            for (k, &chunk) in chunks[..if SQUARE { V::LANES } else { 1 }].iter().enumerate() {
                for (i, line) in turned::<V, { size_of::<u32>() }, SIDE>(chunk).into_iter().enumerate() {
                    line.store::<STREAM>(out.wrapping_offset((k * SIDE + i) as isize * row));
                }
            }
        }
    }

    let [out, src] = tile.ptr;
    let (row, col) = (tile.row_stride[0], tile.col_stride[1]);
    let width = size_of::<u32>();
    let (vector, wide) = (16 * V::LANES, SIDE * V::LANES);
    let high = if SQUARE { wide } else { SIDE };
    if tile.rows < high || tile.cols < wide {
        return false;
    }
    // Whole vectors can be streamed from the first column on that lies on one, if every row has it in the same place.
    let aligned = STREAM && out.addr().is_multiple_of(width) && row.unsigned_abs().is_multiple_of(vector);
    let lead = if aligned { (vector - out.addr() % vector) % vector / width } else { 0 };
    let panel = PANEL / width;
    let panels = (lead..tile.cols).step_by(panel).map(|start| (start, tile.cols.min(start + panel)));
    for (start, end) in (lead > 0).then_some((0, 1)).into_iter().chain(panels) {
        for r in (0..tile.rows).step_by(high) {
            let r = r.min(tile.rows - high);
            for c in (start..end).step_by(wide) {
                let streams = aligned && c >= lead && c + wide <= tile.cols;
                let c = c.min(tile.cols - wide);
                let to = out.wrapping_offset(r as isize * row + (c * width) as isize);
                let from = src.wrapping_offset((r * width) as isize + c as isize * col);
                // SAFETY: r + high <= rows and c + wide <= cols of the tile. From `lead` on, whole blocks are whole
                // vectors apart, and rows are too.
                unsafe {
                    if streams {
                        block::<V, STREAM>(to, row, from, col);
                    } else {
                        block::<V, false>(to, row, from, col);
                    }
                }
            }
        }
    }
    if STREAM {
        V::fence();
    }
    true
}

/// Interleaves a few long source columns, or takes a few output rows apart, where they lie back to back; `false` if the
/// tile is neither. Blocks are 16 bytes square as in `turn_blocks_w4`, with more lines than there are.
///
/// # Safety
/// As `transpose_w4`.
#[inline(always)]
unsafe fn turn_thin_w4<S: Lanes>(simd: S, tile: &Tile<2>) -> bool {
    const WIDTH: usize = size_of::<u32>();
    const SIDE: usize = 16 / WIDTH;

    let [out, src] = tile.ptr;
    let (row, col) = (tile.row_stride[0], tile.col_stride[1]);
    // Taking rows of single bytes apart costs more steps in registers than byte by byte.
    let (thin, long) = (tile.rows.min(tile.cols), tile.rows.max(tile.cols));
    let (joins, parts) = (row == (tile.cols * WIDTH) as isize, col == (tile.rows * WIDTH) as isize && WIDTH > 1);
    let dense = if tile.rows > tile.cols { joins } else { parts };
    if thin >= SIDE || !dense || long * thin * WIDTH < 16 + SIDE * thin * WIDTH {
        return false;
    }
    // The 16 bytes of a block's last line end with those of later elements, which there must be.
    let blocks = ((long - SIDE) * thin * WIDTH - 16 + thin * WIDTH) / (SIDE * thin * WIDTH) + 1;
    for at in (0..blocks * SIDE).step_by(SIDE) {
        // SAFETY: `at + SIDE` elements are there of the long side. On the thin side, a store covers what is written
        // after it, and a load what the next ones read, up to 16 bytes from the last line on, which `blocks` leaves
        // room for.
        unsafe {
            if tile.rows > tile.cols {
                let from = src.add(at * WIDTH);
                let lines = turned::<zip::Vector, WIDTH, SIDE>(core::array::from_fn(|i| {
                    zip::load(from.wrapping_offset(i.min(tile.cols - 1) as isize * col))
                }));
                for (i, line) in lines.into_iter().enumerate() {
                    zip::store(out.add((at + i) * tile.cols * WIDTH), line);
                }
            } else {
                let from = src.add(at * tile.rows * WIDTH);
                let lines = turned::<zip::Vector, WIDTH, SIDE>(core::array::from_fn(|i| {
                    zip::load(from.offset(i as isize * col))
                }));
                for (i, line) in lines.into_iter().enumerate().take(tile.rows) {
                    zip::store(out.wrapping_offset(i as isize * row).add(at * WIDTH), line);
                }
            }
        }
    }
    let done = blocks * SIDE;
    let rest = if tile.rows > tile.cols {
        let ptr = [out.wrapping_offset(done as isize * row), src.wrapping_add(done * WIDTH)];
        Tile { rows: tile.rows - done, ptr, ..*tile }
    } else {
        let ptr = [out.wrapping_add(done * WIDTH), src.wrapping_offset(done as isize * col)];
        Tile { cols: tile.cols - done, ptr, ..*tile }
    };
    // SAFETY: the rest is a part of the tile, with its strides.
    unsafe { strided_w4(simd, &rest) };
    true
}


/// As `transpose_w4`, past the caches where whole vectors can be.
///
/// # Safety
/// As `transpose_w4`.
#[inline(always)]
unsafe fn transpose_stream_w4<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe { turn_w4::<S, true>(simd, tile) }
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
                let x = read_unaligned(src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u32>());
                write_unaligned(out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u32>(), x);
            }
        }
    }
}

/// Enters its instruction set once and runs the tile plane by plane; a splat_w4 may run several.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn splat_w4_scalar(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { splat_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all())]
static SPLAT_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Scalar,
    },
    run: splat_w4_scalar,
};

/// Enters its instruction set once and runs the tile plane by plane; a splat_w4 may run several.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { splat_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static SPLAT_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx2,
    },
    run: splat_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a splat_w4 may run several.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w4_avx512(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { splat_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx512,
    },
    run: splat_w4_avx512,
};

/// Enters its instruction set once and runs the tile plane by plane; a splat_w4 may run several.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w4_neon(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { splat_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static SPLAT_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Neon,
    },
    run: splat_w4_neon,
};

/// Enters its instruction set once and runs the tile plane by plane; a repeat_w4 may run several.
///
/// # Safety
/// The tile contract of `repeat_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn repeat_w4_scalar(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { repeat_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all())]
static REPEAT_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Repeat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Scalar,
    },
    run: repeat_w4_scalar,
};

/// Enters its instruction set once and runs the tile plane by plane; a repeat_pick_w4 may run several.
///
/// # Safety
/// The tile contract of `repeat_pick_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn repeat_pick_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { repeat_pick_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static REPEAT_PICK_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_pick_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Repeat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx2,
    },
    run: repeat_pick_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a repeat_pick_w4 may run several.
///
/// # Safety
/// The tile contract of `repeat_pick_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn repeat_pick_w4_neon(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { repeat_pick_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static REPEAT_PICK_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_pick_w4_neon",
        family: Family::Move,
        pattern: Pattern::Repeat,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Neon,
    },
    run: repeat_pick_w4_neon,
};

/// Enters its instruction set once and runs the tile plane by plane; a repeat_pick_stream_w4 may run several.
///
/// # Safety
/// The tile contract of `repeat_pick_stream_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn repeat_pick_stream_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { repeat_pick_stream_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static REPEAT_PICK_STREAM_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "repeat_pick_stream_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Repeat,
        stores: Stores::Streaming,
        width: 4,
        isa: Level::Avx2,
    },
    run: repeat_pick_stream_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a permute_plain_w4 may run several.
///
/// # Safety
/// The tile contract of `permute_plain_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn permute_plain_w4_scalar(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { permute_plain_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all())]
static PERMUTE_PLAIN_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "permute_plain_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Permute,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Scalar,
    },
    run: permute_plain_w4_scalar,
};

/// Enters its instruction set once and runs the tile plane by plane; a permute_w4 may run several.
///
/// # Safety
/// The tile contract of `permute_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn permute_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { permute_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static PERMUTE_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "permute_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Permute,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx2,
    },
    run: permute_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a permute_w4 may run several.
///
/// # Safety
/// The tile contract of `permute_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn permute_w4_avx512vbmi(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512vbmi() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { permute_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static PERMUTE_W4_AVX512VBMI: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "permute_w4_avx512vbmi",
        family: Family::Move,
        pattern: Pattern::Permute,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx512Vbmi,
    },
    run: permute_w4_avx512vbmi,
};

/// Enters its instruction set once and runs the tile plane by plane; a permute_w4 may run several.
///
/// # Safety
/// The tile contract of `permute_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn permute_w4_neon(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { permute_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static PERMUTE_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "permute_w4_neon",
        family: Family::Move,
        pattern: Pattern::Permute,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Neon,
    },
    run: permute_w4_neon,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn transpose_w4_scalar(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all())]
static TRANSPOSE_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Scalar,
    },
    run: transpose_w4_scalar,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn transpose_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static TRANSPOSE_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx2,
    },
    run: transpose_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn transpose_w4_avx512(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static TRANSPOSE_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Avx512,
    },
    run: transpose_w4_avx512,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "aarch64")]
unsafe fn transpose_w4_neon(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "aarch64")]
static TRANSPOSE_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_w4_neon",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Neon,
    },
    run: transpose_w4_neon,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_stream_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_stream_w4`, on a CPU that has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn transpose_stream_w4_avx2(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_stream_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(target_arch = "x86_64")]
static TRANSPOSE_STREAM_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_stream_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Streaming,
        width: 4,
        isa: Level::Avx2,
    },
    run: transpose_stream_w4_avx2,
};

/// Enters its instruction set once and runs the tile plane by plane; a transpose_stream_w4 may run several.
///
/// # Safety
/// The tile contract of `transpose_stream_w4`, on a CPU that has the instruction set.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn transpose_stream_w4_avx512(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { transpose_stream_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static TRANSPOSE_STREAM_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "transpose_stream_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Transpose,
        stores: Stores::Streaming,
        width: 4,
        isa: Level::Avx512,
    },
    run: transpose_stream_w4_avx512,
};

/// Enters its instruction set once and runs the tile plane by plane; a strided_w4 may run several.
///
/// # Safety
/// The tile contract of `strided_w4`, on a CPU that has the instruction set.
#[cfg(all())]
unsafe fn strided_w4_scalar(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { strided_w4(simd, tile) };
                tile.next_plane();
            }
        },
    );
}

/// What is known of it.
#[cfg(all())]
static STRIDED_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        stores: Stores::Cached,
        width: 4,
        isa: Level::Scalar,
    },
    run: strided_w4_scalar,
};
