// Dense columns of the source into dense rows of the output.
//
// Blocks are as high and as wide as a vector, so that with 64-byte vectors every line of source and output is touched
// once, and whole: how source and output lie to each other then matters little, powers of two included.

//# once
/// Bytes of the output's rows that are written while the walk goes down the source's columns: with panels of 256 bytes,
/// transposes of 32-bit elements took as long as or less than with 128, 512, 1024 or 4096, from 250 x 251 (1.4 to 1.6
/// times a copy) to 8192 x 4096 past the caches (1.7 to 3.7).
const PANEL: usize = 256;

/// Turns squares of `SIDE` lines of as many elements of `W` bytes, one in each 16-byte lane.
#[inline(always)]
fn turned<V: Wide, const W: usize, const SIDE: usize>(mut lines: [V; SIDE]) -> [V; SIDE] {
    // Interleaving line i with line i + SIDE / 2 moves every element half way; log2(SIDE) times is the transpose.
    let mut step = 1;
    while step < SIDE {
        lines = core::array::from_fn(|i| V::halves::<W>(lines[i / 2], lines[i / 2 + SIDE / 2])[i % 2]);
        step *= 2;
    }
    lines
}

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
        if !turn_blocks_elem::<S::Turned, STREAM>(tile)
            && !turn_blocks_elem::<zip::Vector, false>(tile)
            && !turn_thin_elem(simd, tile)
        {
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
                for (i, line) in turned::<V, { size_of::<Elem>() }, SIDE>(chunk).into_iter().enumerate() {
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
/// tile is neither. Blocks are 16 bytes square as in `turn_blocks_elem`, with more lines than there are.
///
/// # Safety
/// As `transpose_elem`.
#[inline(always)]
unsafe fn turn_thin_elem<S: Lanes>(simd: S, tile: &Tile<2>) -> bool {
    const WIDTH: usize = size_of::<Elem>();
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
    unsafe { strided_elem(simd, &rest) };
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
