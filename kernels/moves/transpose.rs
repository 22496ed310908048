// Dense columns of the source into dense rows of the output.
//
// Blocks are as high and as wide as a vector, so that with 64-byte vectors every line of source and output is touched
// once, and whole: how source and output lie to each other then matters little, powers of two included.

//# once
/// Bytes of the output's rows that are written while the walk goes down the source's columns: with panels of 256 bytes,
/// transposes of 32-bit elements took as long as or less than with 128, 512, 1024 or 4096, from 250 x 251 (1.4 to 1.6 times
/// a copy) to 8192 x 4096 past the caches (1.7 to 3.7).
const PANEL: usize = 256;

//# transpose
/// The source is dense along the rows, the output along the columns.
///
/// # Safety
/// The tile contract with `Elem` columns, an output column stride of one element and, if there is more than one row, a
/// source row stride of one element.
#[inline(always)]
unsafe fn transpose_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe { turn_elem::<S, false>(simd, tile) }
}

/// As `transpose_elem`; tiles of several rows go in the widest blocks that fit in.
///
/// # Safety
/// As `transpose_elem`.
#[inline(always)]
unsafe fn turn_elem<S: Lanes, const STREAM: bool>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe {
        if size_of::<Elem>() == 2 && !STREAM && turn_blocks_elem::<S::TurnedPairs, false>(tile) {
            return;
        }
        if !turn_blocks_elem::<S::Turned, STREAM>(tile) && !turn_blocks_elem::<zip::Vector, false>(tile) {
            strided_elem(simd, tile);
        }
    }
}

/// Turns the tile by blocks; `false` if it is smaller than one. Where the sides are no multiple of a block's, the last
/// blocks overlap those before them.
///
/// # Safety
/// As `transpose_elem`.
#[inline(always)]
unsafe fn turn_blocks_elem<V: Wide, const STREAM: bool>(tile: &Tile<2>) -> bool {
    const SIDE: usize = 16 / size_of::<Elem>();
    /// Whether blocks are as high as wide. A byte's would take 64 registers; they are 16 bytes high.
    const SQUARE: bool = size_of::<Elem>() > 1;

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
                let mut lines = chunk;
                // Interleaving line i with line i + SIDE / 2 moves every element half way; log2(SIDE) times is the
                // transpose.
                let mut step = 1;
                while step < SIDE {
                    lines = core::array::from_fn(|i| {
                        V::halves::<{ size_of::<Elem>() }>(lines[i / 2], lines[i / 2 + SIDE / 2])[i % 2]
                    });
                    step *= 2;
                }
                for (i, line) in lines.into_iter().enumerate() {
                    line.store::<STREAM>(out.wrapping_offset((k * SIDE + i) as isize * row));
                }
            }
        }
    }

    let [out, src] = tile.ptr;
    let (row, col) = (tile.row_stride[0], tile.col_stride[1]);
    let width = size_of::<Elem>();
    let (vector, wide) = (16 * V::LANES, SIDE * V::LANES);
    let high = if SQUARE { wide } else { SIDE };
    if tile.rows < high || tile.cols < wide {
        return false;
    }
    let aligned = out.addr().is_multiple_of(vector) && row.unsigned_abs().is_multiple_of(vector);
    let panel = PANEL / width;
    for start in (0..tile.cols).step_by(panel) {
        for r in (0..tile.rows).step_by(high) {
            let r = r.min(tile.rows - high);
            for c in (start..tile.cols.min(start + panel)).step_by(wide) {
                let whole = c + wide <= tile.cols;
                let c = c.min(tile.cols - wide);
                let to = out.wrapping_offset(r as isize * row + (c * width) as isize);
                let from = src.wrapping_offset((r * width) as isize + c as isize * col);
                // SAFETY: r + high <= rows and c + wide <= cols of the tile. Rows and panels are multiples of a vector
                // if the output is aligned, and so is the place of every whole block.
                unsafe {
                    if STREAM && aligned && whole {
                        block::<V, true>(to, row, from, col);
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

//# transpose_stream
/// As `transpose_elem`, past the caches where whole vectors can be.
///
/// # Safety
/// As `transpose_elem`.
#[inline(always)]
unsafe fn transpose_stream_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe { turn_elem::<S, true>(simd, tile) }
}
