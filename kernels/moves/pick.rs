// Repeats by picking bytes: constant permutations of the source's vectors.

//# once
/// Rows from which picking pays, by the bytes of a row: what it needs first grows with the row, and so does what the
/// wide stores of `repeat_elem` do at a time. 768 bytes of 12-byte rows take 25 ns and 38, 2 KiB 42 and 88; 2 KiB of
/// 32-byte rows 54 and 40, 8 KiB 112 and 126 (Zen 4). And the elements make a vector at least.
const fn pick_least(row: usize, width: usize) -> usize {
    let (pays, vector) = (16 + 3 * row, 32 / width);
    if pays > vector { pays } else { vector }
}

/// Most times that are streamed; of more the source is too small beside the output for it to pay.
const STREAMED: usize = 4;

// The tables below and the widest store of `repeat_elem` are as long as the longest row.
const _: () = assert!(Pattern::SHORT_SPLAT <= BLOCK);

/// What `repeat_pick` picks: for each byte of the repeats of 16 source bytes the byte it comes from, twice over, since
/// a vector of two lanes may begin in either.
#[repr(align(64))]
struct Picks([MaybeUninit<[u8; 16]>; 2 * BLOCK]);

impl Picks {
    /// Writes the first `2 * times` lanes, in place: returned by value they would be copied.
    #[inline(always)]
    fn make(&mut self, times: usize, width: usize) {
        let (once, again) = self.0.split_at_mut(times);
        let row = times * width;
        // b / row as a product: exact, since b * (row - 1) < 16 * 64 * 64 = 1 << 16.
        let reciprocal = (1_u32 << 16).div_ceil(row as u32);
        for (lane, (once, again)) in once.iter_mut().zip(again).enumerate() {
            let mut pick = [0; 16];
            for (i, from) in pick.iter_mut().enumerate() {
                let b = (lane * 16 + i) as u32;
                let element = (b * reciprocal) >> 16;
                *from = (element * width as u32 + (b & (width as u32 - 1))) as u8;
            }
            once.write(pick);
            again.write(pick);
        }
    }
}

/// Each `width`-byte element of a dense source row, `cols` times back to back, in fewer than 64 bytes.
///
/// 16 source bytes make `cols` whole lanes of output, so each lane is picked from 16 bytes. A vector of two lanes takes
/// both from one 16 bytes, which it holds twice; if `cols` is odd, the one in the middle takes one from each of two.
/// The last group ends with the tile and may overlap the one before. `STREAM` is for `STREAMED` times at most.
///
/// # Safety
/// Source and output are dense: `rows * width` bytes, a vector at least, are readable, `rows * cols * width` writable,
/// and they do not overlap.
#[inline(always)]
unsafe fn repeat_pick<S: Pick, const STREAM: bool>(simd: S, tile: &Tile<2>, width: usize) {
    let mut picks = Picks([const { MaybeUninit::uninit() }; 2 * BLOCK]);
    picks.make(tile.cols, width);
    // What is left is of bytes, and a function of its own, which the entries of all widths call.
    let given = Once((tile, &picks));
    simd.enter(
        #[inline(always)]
        move || {
            let (tile, picks) = given.take();
            // SAFETY: the same contract, and so many picks were made.
            unsafe { pick_times::<S, STREAM>(simd, tile, width, picks) }
        },
    );
}

/// Takes the loop for the tile's columns.
///
/// # Safety
/// As `repeat_pick`, with its picks made.
#[inline(always)]
unsafe fn pick_times<S: Pick, const STREAM: bool>(simd: S, tile: &Tile<2>, width: usize, picks: &Picks) {
    // SAFETY: the same contract.
    unsafe {
        match tile.cols {
            2 => pick_groups::<S, 2, STREAM>(simd, tile, width, picks),
            3 => pick_groups::<S, 3, STREAM>(simd, tile, width, picks),
            4 => pick_groups::<S, 4, STREAM>(simd, tile, width, picks),
            _ if STREAM => pick_groups::<S, 0, STREAM>(simd, tile, width, picks),
            5 => pick_groups::<S, 5, STREAM>(simd, tile, width, picks),
            6 => pick_groups::<S, 6, STREAM>(simd, tile, width, picks),
            7 => pick_groups::<S, 7, STREAM>(simd, tile, width, picks),
            8 => pick_groups::<S, 8, STREAM>(simd, tile, width, picks),
            9 => pick_groups::<S, 9, STREAM>(simd, tile, width, picks),
            10 => pick_groups::<S, 10, STREAM>(simd, tile, width, picks),
            11 => pick_groups::<S, 11, STREAM>(simd, tile, width, picks),
            12 => pick_groups::<S, 12, STREAM>(simd, tile, width, picks),
            13 => pick_groups::<S, 13, STREAM>(simd, tile, width, picks),
            14 => pick_groups::<S, 14, STREAM>(simd, tile, width, picks),
            15 => pick_groups::<S, 15, STREAM>(simd, tile, width, picks),
            // A loop keeps up from 16 on: 256 KiB of 16 to 63 times take 2.4 to 2.5 us, as those above.
            _ => pick_groups::<S, 0, STREAM>(simd, tile, width, picks),
        }
    }
}

/// The groups of `repeat_pick`. `TIMES` is the tile's columns, or 0 for any: as a constant it unrolls the loops and,
/// while there are registers, keeps the picks in them; nine to 15 times took 2.9 to 3.4 us without and 2.5 with (Zen
/// 4).
///
/// # Safety
/// As `repeat_pick`.
#[inline(always)]
unsafe fn pick_groups<S: Pick, const TIMES: usize, const STREAM: bool>(
    simd: S,
    tile: &Tile<2>,
    width: usize,
    picks: &Picks,
) {
    let times = if TIMES == 0 { tile.cols } else { TIMES };
    let vector = size_of::<S::Vector>();
    // Vectors of a group that come from its first 16 bytes alone.
    let first = times / (vector / 16);
    let bytes = tile.rows * width;
    // The second group begins where the output lies on vectors, if it ever does after whole rows of the first.
    let mut step = vector;
    while step > 0 && !(tile.ptr[0].addr() + step * times).is_multiple_of(vector) {
        step -= width;
    }
    if step == 0 {
        step = vector;
    }
    let picks = picks.0.as_ptr().cast::<S::Vector>();
    let mut at = 0;
    // SAFETY: a group reads `vector` bytes at `at`, which with them is at most `bytes`, and writes as many times
    // `times` at the place they are repeated to. So many picks were made.
    unsafe {
        loop {
            at = at.min(bytes - vector);
            let (out, src) = (tile.ptr[0].add(at * times), tile.ptr[1].add(at));
            let streams = STREAM && out.addr().is_multiple_of(vector);
            let store = |j: usize, picked: S::Vector| {
                let to = out.add(j * vector);
                if streams { picked.store::<true>(to) } else { picked.store::<false>(to) }
            };
            let mut j = 0;
            let low = simd.lanes(src);
            // Two a turn: one alone took 1.0 to 1.25 of the time, as the loop came to lie in the code.
            while j + 2 <= first {
                store(j, simd.pick(low, read_unaligned(picks.add(j))));
                store(j + 1, simd.pick(low, read_unaligned(picks.add(j + 1))));
                j += 2;
            }
            if j < first {
                store(j, simd.pick(low, read_unaligned(picks.add(j))));
                j += 1;
            }
            if vector > 16 {
                if times % 2 == 1 {
                    let both = read_unaligned(src.cast::<S::Vector>());
                    store(j, simd.pick(both, read_unaligned(picks.add(j))));
                    j += 1;
                }
                let high = simd.lanes(src.add(vector - 16));
                while j + 2 <= times {
                    store(j, simd.pick(high, read_unaligned(picks.add(j))));
                    store(j + 1, simd.pick(high, read_unaligned(picks.add(j + 1))));
                    j += 2;
                }
                if j < times {
                    store(j, simd.pick(high, read_unaligned(picks.add(j))));
                }
            }
            if at + vector == bytes {
                break;
            }
            at += step;
            step = vector;
        }
    }
}

//# repeat_pick
/// As `repeat_elem`, by picking bytes: 16 bytes of source make `cols` whole lanes of output.
///
/// # Safety
/// As `repeat_elem`, and a source row stride of one element.
#[inline(always)]
unsafe fn repeat_pick_elem<S: Pick>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<Elem>();
    // SAFETY: the same contract, in bytes; so many rows are a vector.
    unsafe {
        if tile.rows >= pick_least(tile.cols * WIDTH, WIDTH) {
            repeat_pick::<S, false>(simd, tile, WIDTH);
        } else {
            repeat_elem(simd, tile);
        }
    }
}

//# repeat_pick_stream
/// As `repeat_pick_elem`, past the caches.
///
/// # Safety
/// As `repeat_pick_elem`.
#[inline(always)]
unsafe fn repeat_pick_stream_elem<S: Pick>(simd: S, tile: &Tile<2>) {
    const WIDTH: usize = size_of::<Elem>();
    // SAFETY: as in `repeat_pick_elem`.
    unsafe {
        if tile.cols <= STREAMED && tile.rows >= pick_least(tile.cols * WIDTH, WIDTH) {
            repeat_pick::<S, true>(simd, tile, WIDTH);
            S::Vector::fence();
        } else {
            repeat_pick_elem(simd, tile);
        }
    }
}
