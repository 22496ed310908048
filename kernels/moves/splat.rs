// One element per row, repeated along it.

//# once
/// Bytes of a row that are written as one: a line, and whole vectors on every level.
const BLOCK: usize = 64;

/// A block of one element over and over, as vectors: two of them hold any period, for an element is at most 16 bytes
/// and a vector at least 8.
struct Block<S: Lanes>([S::Vector; 2]);

impl<S: Lanes> Clone for Block<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Lanes> Copy for Block<S> {}

impl<S: Lanes> Block<S> {
    const VECTOR: usize = size_of::<S::Vector>();

    /// Of the element at `from`, which has a power of two of at most 16 bytes.
    ///
    /// # Safety
    /// The element is readable.
    #[inline(always)]
    unsafe fn load<T: bytemuck::Pod>(simd: S, from: *const u8) -> Self {
        // SAFETY: the element is the caller's promise. Of two bytes or more, 32 fill a block at least, and two vectors
        // lie inside it, or the one that it is.
        unsafe {
            if size_of::<T>() == 1 {
                return Self([simd.bytes(*from); 2]);
            }
            let elements = [read_unaligned(from.cast::<T>()); 32];
            let from = elements.as_ptr().cast::<u8>();
            Self([read_unaligned(from.cast()), read_unaligned(from.add(Self::VECTOR % BLOCK).cast())])
        }
    }

    /// # Safety
    /// A block is writable at `out`.
    #[inline(always)]
    unsafe fn store(self, out: *mut u8) {
        let mut lane = 0;
        while lane < BLOCK {
            // SAFETY: the vectors fill a block.
            unsafe { write_unaligned(out.add(lane).cast::<S::Vector>(), self.0[lane / Self::VECTOR % 2]) };
            lane += Self::VECTOR;
        }
    }

    /// Stores `before` in the first `at` bytes and this block in the rest.
    ///
    /// # Safety
    /// A block is writable at `out`, and `at` is less than one.
    #[inline(always)]
    unsafe fn store_after(self, simd: S, before: Self, at: usize, out: *mut u8) {
        let mut lane = 0;
        while lane < BLOCK {
            let which = lane / Self::VECTOR % 2;
            // SAFETY: the vectors fill a block.
            unsafe {
                let vector = simd.join(before.0[which], self.0[which], at, lane);
                write_unaligned(out.add(lane).cast::<S::Vector>(), vector);
            }
            lane += Self::VECTOR;
        }
    }
}

/// Dense rows of `row` >= 64 bytes, one `T` each, `stride` bytes apart. `WHOLE` is `row / 64`, or 0 for any.
///
/// All blocks but the first and the last are stored at multiples of 64 from `lead` bytes before `out`, which is as near
/// to lines as elements allow. A row then begins inside a block that ends the row before, and the two are joined.
/// Stores that lie as the rows do each cross a line and overlap: 256 KiB of 100-byte rows take 4.2 us so, 2.3 joined
/// and 2.25 to fill. Always as many stores a row, the excess written over, takes 2.8; masked stores at each end 4.2
/// (Zen 4).
///
/// # Safety
/// `out` is writable for `rows * row` bytes, and the elements are readable. `rows` is at least 1, `lead` less than 64,
/// and `row` and `lead` are whole elements.
#[inline(always)]
unsafe fn splat_dense<S: Lanes, T: bytemuck::Pod, const WHOLE: usize>(
    simd: S,
    out: *mut u8,
    src: *const u8,
    stride: isize,
    [rows, row, lead]: [usize; 3],
) {
    // SAFETY: `left` is how many bytes of the row there are from `to` on. A block is stored where 64 are left, or where
    // fewer are and the next row, of 64 or more, follows; the first one begins and the last one ends with the rows.
    unsafe {
        if lead == 0 && row.is_multiple_of(BLOCK) {
            // Nothing to join: 2.3 us for 256 KiB of 64-byte rows, 2.8 through the loop below.
            let mut to = out;
            for i in 0..rows {
                let block = Block::load::<T>(simd, src.offset(i as isize * stride));
                let blocks = if WHOLE == 0 { row / BLOCK } else { WHOLE };
                for _ in 0..blocks {
                    block.store(to);
                    to = to.add(BLOCK);
                }
            }
            return;
        }
        let mut last = Block::load::<T>(simd, src);
        last.store(out);
        // The next multiple of 64, and the bytes of the row from there on.
        let mut to = out.add(BLOCK - lead);
        let mut left = lead + row - BLOCK;
        let mut i = 0;
        loop {
            if WHOLE == 0 {
                while left >= BLOCK {
                    last.store(to);
                    to = to.add(BLOCK);
                    left -= BLOCK;
                }
            } else {
                // The count differs by one at most, as the rows' alignments do: the branch has a period of 64 rows or
                // fewer, which is predicted.
                for lane in 0..WHOLE - 1 {
                    last.store(to.add(lane * BLOCK));
                }
                to = to.add((WHOLE - 1) * BLOCK);
                left -= (WHOLE - 1) * BLOCK;
                if left >= BLOCK {
                    last.store(to);
                    to = to.add(BLOCK);
                    left -= BLOCK;
                }
            }
            i += 1;
            if i == rows {
                break;
            }
            let next = Block::load::<T>(simd, src.offset(i as isize * stride));
            next.store_after(simd, last, left, to);
            to = to.add(BLOCK);
            left = left + row - BLOCK;
            last = next;
        }
        last.store(out.add(rows * row - BLOCK));
    }
}

/// Writes `x` over and over in fewer than 64 bytes, by at most two overlapping stores per size class.
///
/// # Safety
/// `out` is writable for `bytes`, which are whole elements, of a power of two of at most 16 bytes each.
#[inline(always)]
unsafe fn splat_short<T: bytemuck::Pod>(out: *mut u8, x: T, bytes: usize) {
    let elements = [x; 16];
    /// Stores the first `V` of `elements` at both ends.
    ///
    /// # Safety
    /// As `splat_short`; `bytes` and `elements` are a `V` at least.
    #[inline(always)]
    unsafe fn ends<V: Copy, T>(out: *mut u8, elements: &[T; 16], bytes: usize) {
        // SAFETY: both stores lie inside `bytes`. Either begins on an element, since a `V` is whole elements.
        unsafe {
            let v = read_unaligned(elements.as_ptr().cast::<V>());
            write_unaligned(out.cast::<V>(), v);
            write_unaligned(out.add(bytes - size_of::<V>()).cast::<V>(), v);
        }
    }
    // SAFETY: each arm's V fits `bytes` as its pattern says, and is an element at least because `bytes` are.
    unsafe {
        match bytes {
            32.. => {
                ends::<zip::Vector, T>(out, &elements, 32);
                ends::<zip::Vector, T>(out.add(bytes - 32), &elements, 32);
            }
            16.. => ends::<zip::Vector, T>(out, &elements, bytes),
            8.. => ends::<u64, T>(out, &elements, bytes),
            4.. => ends::<u32, T>(out, &elements, bytes),
            2.. => ends::<u16, T>(out, &elements, bytes),
            1 => ends::<u8, T>(out, &elements, 1),
            0 => {}
        }
    }
}

//# splat
/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `Elem` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_elem<S: Lanes>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<Elem>();
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
                    let x = read_unaligned(src.offset(i as isize * stride).cast::<Elem>());
                    splat_short(out.add(i * row), x, row);
                }
                continue;
            }
            let sizes = [rows, row, out.addr() % BLOCK / WIDTH * WIDTH];
            match row / BLOCK {
                1 => splat_dense::<S, Elem, 1>(simd, out, src, stride, sizes),
                2 => splat_dense::<S, Elem, 2>(simd, out, src, stride, sizes),
                3 => splat_dense::<S, Elem, 3>(simd, out, src, stride, sizes),
                4 => splat_dense::<S, Elem, 4>(simd, out, src, stride, sizes),
                _ => splat_dense::<S, Elem, 0>(simd, out, src, stride, sizes),
            }
        }
    }
}
