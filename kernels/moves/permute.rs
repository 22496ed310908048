// Small blocks of several axes: output that is a fixed choice of the source's bytes.

//# once
/// Most bytes of output that one choice describes: a block, or as many as make whole vectors.
const CHOICE: usize = Pattern::BLOCK;

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

    /// Fills it for the tile's blocks of units of `unit` bytes: as many as make whole vectors, if those are few enough,
    /// else as many as come closest to that in eight vectors: five of 99 bytes take 10.3 us where one takes 11.7.
    #[inline(always)]
    fn make(&mut self, tile: &Tile<2>, unit: usize, vector: usize) {
        let block = tile.inner.iter().map(|axis| axis.size).product::<usize>() * unit;
        let whole = vector >> block.trailing_zeros().min(vector.trailing_zeros());
        self.blocks = whole;
        if block * whole > CHOICE {
            self.blocks = 1;
            let mut best = (block, block.div_ceil(vector));
            for blocks in 2..=8 * vector / block {
                let (bytes, vectors) = (block * blocks, (block * blocks).div_ceil(vector));
                if bytes * best.1 > best.0 * vectors {
                    (self.blocks, best) = (blocks, (bytes, vectors));
                }
            }
        }
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

/// Runs the tile's blocks by their choice, which is of bytes: a function of its own, which the entries of all widths
/// call. Of five copies each took a second to compile.
///
/// # Safety
/// As `permute_elem`; the choice was made for the tile and the level's vectors.
#[inline(always)]
unsafe fn permute<S: Choose>(simd: S, tile: &mut Tile<2>, choice: &Choice) {
    let mut windows = Windows::EMPTY;
    let picks = choice.bytes >= size_of::<S::Vector>() && windows.make::<S>(choice);
    let given = Once((tile, choice, &windows));
    simd.enter(
        #[inline(always)]
        move || {
            let (tile, choice, windows) = given.take();
            // SAFETY: the same contract.
            unsafe { permute_bytes(simd, tile, choice, windows, picks) }
        },
    );
}

/// Runs blocks of whole vectors, or one of at least a vector, by picking bytes; others byte by byte, which no fold
/// makes.
///
/// # Safety
/// As `permute`.
#[inline(always)]
unsafe fn permute_bytes<S: Choose>(simd: S, tile: &mut Tile<2>, choice: &Choice, windows: &Windows, picks: bool) {
    loop {
        for row in 0..tile.rows as isize {
            let out = tile.ptr[0].wrapping_offset(row * tile.row_stride[0]);
            let src = tile.ptr[1].wrapping_offset(row * tile.row_stride[1]);
            // SAFETY: row < rows, so the row's blocks lie inside the tile.
            unsafe {
                if picks {
                    pick_row(simd, tile, choice, windows, out, src);
                } else {
                    plain_row::<u8>(tile, choice, out, src);
                }
            }
        }
        // One choice serves all planes; the entry ends with the last.
        if tile.planes == 1 {
            return;
        }
        tile.next_plane();
    }
}

/// One row of blocks, `T` by `T`.
///
/// # Safety
/// As `permute_elem`, for the row at `out` and `src`; the choice was made for the tile, and a `T` is a unit or a part.
#[inline(always)]
unsafe fn plain_row<T: Copy>(tile: &Tile<2>, choice: &Choice, mut out: *mut u8, src: *const u8) {
    for col in 0..tile.cols as isize {
        let src = src.wrapping_offset(col * tile.col_stride[1]);
        for from in choice.from[..choice.bytes / choice.blocks].iter().step_by(size_of::<T>()) {
            // SAFETY: col < cols, so the block lies inside the tile, and so does its source.
            unsafe {
                let x = read_unaligned(src.add(usize::from(*from)).cast::<T>());
                write_unaligned(out.cast::<T>(), x);
            }
            out = out.wrapping_add(size_of::<T>());
        }
    }
}

/// One row of blocks, by picking bytes. Where windows would leave the source, it is copied to where they may.
///
/// # Safety
/// As `permute_elem`, for the row at `out` and `src`; the choice was made for the tile and the windows for it.
#[inline(always)]
unsafe fn pick_row<S: Choose>(
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
        let mut groups = blocks / choice.blocks;
        if let Some(within) = (left + step).saturating_sub(windows.reach).checked_div(step) {
            groups = groups.min(within);
        }
        windows.write(simd, choice, out, src, groups, step);
        (out, src) = (out.add(groups * choice.bytes), src.add(groups * step));
        blocks -= groups * choice.blocks;
        left -= groups * step;
        while blocks > 0 {
            let here = blocks.min(choice.blocks);
            let mut group = [MaybeUninit::<u8>::uninit(); CHOICE];
            if step != 0 {
                copy_row(simd, copy.as_mut_ptr(), src, left.min(ROOM));
                src = src.add(step.min(left));
                left -= step.min(left);
            }
            windows.write_groups::<S, 2, 0>(simd, choice, group.as_mut_ptr().cast(), copy.as_ptr(), 1, 0);
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
/// does not stand still of them; a block and its source take 1024 bytes at most. Without inner axes the tile may be
/// any.
#[inline(always)]
unsafe fn permute_elem<S: Choose>(simd: S, tile: &mut Tile<2>) {
    if tile.inner.is_empty() {
        // SAFETY: the same contract.
        return unsafe { strided_elem(simd, tile) };
    }
    let mut choice = Choice::EMPTY;
    choice.make(tile, size_of::<Elem>(), size_of::<S::Vector>());
    // SAFETY: the same contract.
    unsafe { permute(simd, tile, &choice) };
}

//# permute_plain
/// Blocks of the tile's inner axes, unit by unit.
///
/// # Safety
/// As `permute_elem`.
#[inline(always)]
unsafe fn permute_plain_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    if tile.inner.is_empty() {
        // SAFETY: the same contract.
        return unsafe { strided_elem(simd, tile) };
    }
    let mut choice = Choice::EMPTY;
    choice.make(tile, size_of::<Elem>(), 1);
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        let (out, src) = (out.wrapping_offset(row * tile.row_stride[0]), src.wrapping_offset(row * tile.row_stride[1]));
        // SAFETY: row < rows, so the row's blocks lie inside the tile.
        unsafe { plain_row::<Elem>(tile, &choice, out, src) };
    }
}
