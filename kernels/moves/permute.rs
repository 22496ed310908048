// Small blocks of several axes: output that is a fixed choice of the source's bytes.

//# once
/// Most bytes of output that one choice describes: a block, or as many as make whole vectors.
const CHOICE: usize = 1024;

/// Which source bytes a group of blocks is made of.
struct Choice {
    /// The offset of each output byte's source from that of the group.
    from: [u16; CHOICE],
    /// Bytes of output.
    bytes: usize,
    /// Blocks that make them.
    blocks: usize,
    /// Source bytes of all blocks.
    source: usize,
}

impl Choice {
    const EMPTY: Self = Self { from: [0; CHOICE], bytes: 0, blocks: 0, source: 0 };

    /// Fills it for the tile's blocks of units of `unit` bytes. As many blocks as make whole vectors, if those are few
    /// enough, else one.
    #[inline(always)]
    fn make(&mut self, tile: &Tile<2>, unit: usize, vector: usize) {
        let block = tile.inner.iter().map(|axis| axis.size).product::<usize>() * unit;
        let whole = vector >> block.trailing_zeros().min(vector.trailing_zeros());
        self.blocks = if block * whole <= CHOICE { whole } else { 1 };
        self.bytes = block * self.blocks;
        self.source = unit;
        for (at, from) in self.from[..unit].iter_mut().enumerate() {
            *from = at as u16;
        }
        let mut written = unit;
        // Each axis repeats what is there, further on in the source if it does not stand still.
        let outer = (self.blocks, tile.col_stride[1]);
        for (size, stride) in tile.inner.iter().rev().map(|axis| (axis.size, axis.strides[1])).chain([outer]) {
            if stride != 0 {
                self.source *= size;
            }
            let (done, rest) = self.from[..written * size].split_at_mut(written);
            let mut offset = 0;
            for copy in rest.chunks_exact_mut(written) {
                offset += stride as u16;
                for (to, from) in copy.iter_mut().zip(&*done) {
                    *to = from + offset;
                }
            }
            written *= size;
        }
    }
}

/// How vectors make a [`Choice`]: each 16-byte lane of the output is picked from two windows of 16 source bytes.
#[repr(align(64))]
struct Windows {
    /// The place in its window that each byte comes from, or `NONE`.
    picks: [[MaybeUninit<[u8; 16]>; CHOICE / 16]; 2],
    offsets: [[MaybeUninit<u16>; CHOICE / 16]; 2],
    /// Whether any lane needs its second window.
    two: bool,
    /// Source bytes that the windows of a group reach over.
    reach: usize,
}

/// Picks no byte but zero, for vpshufb as for tbl.
const NONE: u8 = 0x80;

impl Windows {
    const EMPTY: Self = Self {
        picks: [[MaybeUninit::uninit(); CHOICE / 16]; 2],
        offsets: [[MaybeUninit::uninit(); CHOICE / 16]; 2],
        two: false,
        reach: 0,
    };

    /// `false` if a lane has bytes from more than two windows. The last vector of a group that is no whole vectors ends
    /// with it.
    #[inline(always)]
    fn make(&mut self, choice: &Choice, vector: usize) -> bool {
        let lanes = choice.bytes.div_ceil(vector) * (vector / 16);
        for lane in 0..lanes {
            let at = lane * 16;
            let at = (at / vector * vector).min(choice.bytes - vector) + at % vector;
            let mut from = [0; 16];
            from.copy_from_slice(&choice.from[at..at + 16]);
            let low = from.into_iter().min().unwrap_or(0);
            let other = |from: u16| if from - low < 16 { u16::MAX } else { from };
            let high = from.map(other).into_iter().min().unwrap_or(u16::MAX);
            let inside = |from: u16, window: u16| from >= window && from - window < 16;
            if from.iter().any(|&from| !inside(from, low) && !inside(from, high)) {
                return false;
            }
            let pick = |window: u16| from.map(|from| if inside(from, window) { (from - window) as u8 } else { NONE });
            let last = if high == u16::MAX { low } else { high };
            // What both windows hold is taken from the first.
            let second = from.map(|from| if !inside(from, low) { (from - last) as u8 } else { NONE });
            self.two |= high != u16::MAX;
            self.reach = self.reach.max(usize::from(last) + 16);
            self.picks[0][lane].write(pick(low));
            self.picks[1][lane].write(second);
            self.offsets[0][lane].write(low);
            self.offsets[1][lane].write(last);
        }
        true
    }

    /// Writes one group.
    ///
    /// # Safety
    /// The windows were made for `choice` and the level's vectors; `src` is readable for `reach` bytes and `out` writable
    /// for the group's.
    #[inline(always)]
    unsafe fn write<S: Pick, const TWO: bool>(&self, simd: S, choice: &Choice, out: *mut u8, src: *const u8) {
        let vector = size_of::<S::Vector>();
        for i in 0..choice.bytes.div_ceil(vector) {
            let lanes = i * (vector / 16);
            // SAFETY: lanes of all vectors of a group were made; their windows lie within the reach, and the vector
            // inside the group.
            unsafe {
                let picked = |k: usize| {
                    let window = |lane: usize| src.add(usize::from(self.offsets[k][lanes + lane].assume_init()));
                    let index = read_unaligned(self.picks[k].as_ptr().add(lanes).cast::<S::Vector>());
                    simd.pick(simd.windows(window), index)
                };
                let vector_at = (i * vector).min(choice.bytes - vector);
                let first = picked(0);
                let all = if TWO { simd.either(first, picked(1)) } else { first };
                write_unaligned(out.add(vector_at).cast::<S::Vector>(), all);
            }
        }
    }
}

/// Blocks of whole vectors, or one of at least a vector, by picking bytes; others byte by byte.
///
/// # Safety
/// As `permute_elem`, with units of `unit` bytes.
#[inline(always)]
unsafe fn permute<S: Pick>(simd: S, tile: &Tile<2>, unit: usize) {
    let vector = size_of::<S::Vector>();
    let mut choice = Choice::EMPTY;
    choice.make(tile, unit, vector);
    let mut windows = Windows::EMPTY;
    let picked = choice.bytes >= vector && windows.make(&choice, vector);
    for row in 0..tile.rows as isize {
        let out = tile.ptr[0].wrapping_offset(row * tile.row_stride[0]);
        let src = tile.ptr[1].wrapping_offset(row * tile.row_stride[1]);
        // SAFETY: row < rows, so the row's blocks lie inside the tile.
        unsafe {
            match (picked, windows.two) {
                (false, _) => choose_row(tile, &choice, out, src),
                (true, false) => pick_row::<S, false>(simd, tile, &choice, &windows, out, src),
                (true, true) => pick_row::<S, true>(simd, tile, &choice, &windows, out, src),
            }
        }
    }
}

/// One row of blocks, byte by byte.
///
/// # Safety
/// As `permute_elem`, for the row at `out` and `src`; the choice was made for the tile.
#[inline(always)]
unsafe fn choose_row(tile: &Tile<2>, choice: &Choice, out: *mut u8, src: *const u8) {
    let block = choice.bytes / choice.blocks;
    for col in 0..tile.cols {
        for (at, &from) in choice.from[..block].iter().enumerate() {
            // SAFETY: col < cols, and the block's bytes come from its own source.
            unsafe { *out.add(col * block + at) = *src.offset(col as isize * tile.col_stride[1]).add(usize::from(from)) };
        }
    }
}

/// One row of blocks, by picking bytes. Where windows would leave the source, it is copied to where they may.
///
/// # Safety
/// As `choose_row`; the windows were made for the choice.
#[inline(always)]
unsafe fn pick_row<S: Pick, const TWO: bool>(
    simd: S,
    tile: &Tile<2>,
    choice: &Choice,
    windows: &Windows,
    mut out: *mut u8,
    mut src: *const u8,
) {
    /// Readable beyond the bytes of any choice.
    const ROOM: usize = CHOICE + 64;
    let mut copy = [0_u8; ROOM];
    let block = choice.bytes / choice.blocks;
    // Bytes from one group's source to the next, and those that the row has left.
    let step = choice.blocks * tile.col_stride[1] as usize;
    let mut left = if step == 0 { choice.source } else { tile.cols * tile.col_stride[1] as usize };
    let mut blocks = tile.cols;
    // SAFETY: `left` counts the row's source bytes from `src` on, which are dense; the copy holds the source of a group
    // and room for windows. Whole groups are written in place, the last blocks by way of a group of their own.
    unsafe {
        if step == 0 {
            copy_row(simd, copy.as_mut_ptr(), src, left);
            src = copy.as_ptr();
            left = ROOM;
        }
        while blocks >= choice.blocks && left >= windows.reach {
            windows.write::<S, TWO>(simd, choice, out, src);
            (out, src) = (out.add(choice.bytes), src.add(step));
            blocks -= choice.blocks;
            left -= step;
        }
        while blocks > 0 {
            let here = blocks.min(choice.blocks);
            let mut group = [MaybeUninit::<u8>::uninit(); CHOICE];
            if step != 0 {
                copy_row(simd, copy.as_mut_ptr(), src, left.min(ROOM));
                src = src.add(step.min(left));
                left -= step.min(left);
            }
            windows.write::<S, TWO>(simd, choice, group.as_mut_ptr().cast(), copy.as_ptr());
            copy_row(simd, out, group.as_ptr().cast(), here * block);
            out = out.add(here * block);
            blocks -= here;
        }
    }
}

//# permute
/// Blocks of the tile's inner axes, by picking bytes.
///
/// # Safety
/// The tile contract with blocks of `Elem` units: the output is dense in blocks and columns, the source dense in what
/// does not stand still of them; a block and its source take 1024 bytes at most. Without inner axes the tile may be any.
#[inline(always)]
unsafe fn permute_elem<S: Pick>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract.
    unsafe {
        if tile.inner.is_empty() {
            strided_elem(simd, tile);
        } else {
            permute(simd, tile, size_of::<Elem>());
        }
    }
}

//# permute_plain
/// Blocks of the tile's inner axes, unit by unit.
///
/// # Safety
/// As `permute_elem`.
#[inline(always)]
unsafe fn permute_plain_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<Elem>();
    if tile.inner.is_empty() {
        // SAFETY: the same contract.
        return unsafe { strided_elem(simd, tile) };
    }
    let mut choice = Choice::EMPTY;
    choice.make(tile, WIDTH, 1);
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        let (mut out, src) = (out.wrapping_offset(row * tile.row_stride[0]), src.wrapping_offset(row * tile.row_stride[1]));
        for col in 0..tile.cols as isize {
            for from in choice.from[..choice.bytes].iter().step_by(WIDTH) {
                // SAFETY: row < rows and col < cols, so the block lies inside the tile, and so does its source.
                unsafe {
                    let x = read_unaligned(src.offset(col * tile.col_stride[1]).add(usize::from(*from)).cast::<Elem>());
                    write_unaligned(out.cast::<Elem>(), x);
                }
                out = out.wrapping_add(WIDTH);
            }
        }
    }
}
