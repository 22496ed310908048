//! Runs nests whose rows a kernel cannot run as they are: parts of the operands are first laid out in L1.
//!
//! Laying out is materialising, by the same kernels, a few KiB at a time; an operand that repeats with a short period is
//! laid out once. No operand is ever materialised in full. An output whose rows are not dense is computed in L1 and
//! copied out by those kernels too.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::cast::CastFn;
use super::compute::Compute;
use super::isa::Isa;
use super::kernel::Kernel;
use super::lay::choose_move;
use super::map::{Call, MapFn, OPERANDS};
use super::tile::Tile;
use super::walk::walk;
use crate::nest::{Axis, LoopNest};

/// Bytes of a chunk, of the widest operand: four of them, and as many for a period, are less than an L1 of 32 KiB.
const CHUNK: usize = 4096;

/// Most bytes of a period that is laid out once.
const PERIOD: usize = 4096;

/// Positions between which chunks begin: their bytes are then whole units of every move kernel.
pub(super) const STEP: usize = 64;

/// What a run of a nest needs beside the nest.
#[derive(Clone, Copy)]
pub(crate) struct Job<'c> {
    pub compute: &'c Compute,
    pub kernel: MapFn,
    pub call: Call,
    /// Bytes of an element of each operand as the kernel takes it.
    pub sizes: [usize; OPERANDS],
    /// How an operand becomes that, or the output becomes what lies in memory.
    pub casts: [Option<CastFn>; OPERANDS],
    pub isa: Isa,
    /// Whether an element costs much more than its bytes.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "it decides about threads"))]
    pub heavy: bool,
}

/// A block of L1 for each operand, and one for what is converted.
#[repr(C, align(64))]
struct Scratch([[MaybeUninit<u8>; CHUNK + PERIOD]; OPERANDS + 1]);

impl Scratch {
    #[inline(always)]
    fn new() -> Self {
        Self([[MaybeUninit::uninit(); CHUNK + PERIOD]; OPERANDS + 1])
    }

    fn block(&mut self, k: usize) -> *mut u8 {
        self.0[k].as_mut_ptr().cast()
    }
}

/// An operand of a chunked run.
struct Feed {
    way: Way,
    nest: LoopNest<2>,
    kernel: &'static Kernel<2>,
    /// Bytes of an element in memory.
    size: usize,
}

/// How an operand comes to a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It lies there already.
    Dense,
    /// One element.
    Still,
    /// Laid out once, with this many elements to a period.
    Period(usize),
    /// Laid out for each chunk.
    Moved,
}

impl Feed {
    fn new(job: &Job<'_>, k: usize, chunk: usize) -> Self {
        let size = job.compute.sizes[k];
        let mut nest = job.compute.nest.single(k, size, k > 0);
        let own = usize::from(k > 0);
        let first = nest.axes.first().map_or(0, |axis| axis.strides[own]);
        let dense = nest.axes.is_empty() || nest.axes.len() == 1 && first == nest.unit as isize;
        // By the loops of elements: an axis that was folded into the unit is no axis of this nest any more.
        let still = k > 0 && job.compute.nest.axes.iter().all(|axis| axis.strides[k] == 0);
        let period = nest.axes.first().map_or(1, |axis| job.compute.nest.units / axis.size);
        let widest = size.max(job.sizes[k]);
        let way = if dense {
            Way::Dense
        } else if still && size > 0 {
            Way::Still
        } else if k > 0 && first == 0 && period <= PERIOD / widest && period + chunk <= job.compute.nest.units {
            Way::Period(period)
        } else {
            Way::Moved
        };
        let kernel = choose_move(&mut nest, job.isa);
        Self { way, nest, kernel, size }
    }

    /// Lays out the elements `range` of the operand at `src` from `to` on, or the other way round for an output.
    ///
    /// # Safety
    /// As [`walk`]; `range` begins on a multiple of [`STEP`], and ends on one or with the nest.
    unsafe fn copy(&self, range: Range<usize>, memory: *mut u8, scratch: *mut u8, read: bool) {
        let unit = self.nest.unit;
        let base = scratch.wrapping_sub(range.start * self.size);
        let units = range.start * self.size / unit..range.end * self.size / unit;
        let ptrs = if read { [base, memory] } else { [memory, base] };
        // SAFETY: the caller's promise; a kernel never writes its operand 1.
        unsafe { walk(&self.nest, self.kernel.run, ptrs, units) }
    }
}

/// Runs the positions `range` chunk by chunk.
///
/// # Safety
/// As [`MapFn`] for every tile of the nest, except for its strides; `range.start` is a multiple of [`STEP`], and so is
/// `range.end` if it is not the nest's.
pub(super) unsafe fn chunks(job: &Job<'_>, ptrs: [*mut u8; OPERANDS], range: Range<usize>) {
    let compute = job.compute;
    let widest = job.sizes.into_iter().fold(compute.widest(), usize::max);
    let mut chunk = (CHUNK / widest).max(STEP) / STEP * STEP;
    // Whole rows if that many fit: a cut row is a call of its own.
    let cols = compute.nest.cols().size;
    let rows = STEP * (cols >> cols.trailing_zeros().min(STEP.trailing_zeros()));
    if rows <= chunk {
        chunk -= chunk % rows;
    }
    let mut scratch = Scratch::new();
    let mut feeds: [Option<Feed>; OPERANDS] = [const { None }; OPERANDS];
    for (k, feed) in feeds.iter_mut().enumerate().filter(|&(k, _)| job.sizes[k] > 0) {
        *feed = Some(Feed::new(job, k, chunk));
    }
    let mut tile = Tile {
        planes: 1,
        rows: 1,
        cols: 0,
        ptr: ptrs,
        plane_stride: [0; OPERANDS],
        row_stride: [0; OPERANDS],
        col_stride: job.sizes.map(|size| size as isize),
        inner: &[],
    };
    let place = |k: usize| ptrs[k].wrapping_offset(compute.nest.start[k]);
    let spare = scratch.block(OPERANDS);
    // SAFETY: chunks and periods fit their blocks; each is written before a kernel reads it; the nests are the operands'
    // own, and the ranges lie inside them.
    unsafe {
        for (k, feed) in feeds.iter().enumerate().skip(1) {
            let Some(feed) = feed else { continue };
            let (block, cast) = (scratch.block(k), job.casts[k]);
            match feed.way {
                Way::Still => {
                    tile.ptr[k] = place(k);
                    tile.col_stride[k] = 0;
                    if let Some(cast) = cast {
                        cast(job.isa.level(), tile.ptr[k], block, 1);
                        tile.ptr[k] = block;
                    }
                }
                Way::Period(period) => {
                    let len = period + chunk;
                    let to = if cast.is_some() { spare } else { block };
                    feed.copy(0..len, ptrs[k], to, true);
                    if let Some(cast) = cast {
                        cast(job.isa.level(), spare, block, len);
                    }
                }
                Way::Dense | Way::Moved => {}
            }
        }
        let mut at = range.start;
        while at < range.end {
            let len = chunk.min(range.end - at);
            for (k, feed) in feeds.iter().enumerate().skip(1) {
                let Some(feed) = feed else { continue };
                let (block, cast) = (scratch.block(k), job.casts[k]);
                match feed.way {
                    Way::Still => {}
                    Way::Period(period) => tile.ptr[k] = block.add(at % period * job.sizes[k]),
                    Way::Dense | Way::Moved => {
                        let mut from = place(k).wrapping_add(at * feed.size);
                        if feed.way == Way::Moved {
                            from = if cast.is_some() { spare } else { block };
                            feed.copy(at..at + len, ptrs[k], from, true);
                        }
                        if let Some(cast) = cast {
                            cast(job.isa.level(), from, block, len);
                            from = block;
                        }
                        tile.ptr[k] = from;
                    }
                }
            }
            (tile.planes, tile.rows, tile.cols) = (1, 1, len);
            let out = feeds[0].as_ref().map_or(Way::Dense, |feed| feed.way);
            let there = place(0).wrapping_add(at * compute.sizes[0]);
            let direct = out == Way::Dense && job.casts[0].is_none();
            let block = if direct { there } else { scratch.block(0) };
            tile.ptr[0] = block;
            (job.kernel)(&job.call, &mut tile);
            if !direct {
                let mut from = block;
                if let Some(cast) = job.casts[0] {
                    let to = if out == Way::Dense { there } else { spare };
                    cast(job.isa.level(), from, to, len);
                    from = to;
                }
                if let Some(feed) = feeds[0].as_ref().filter(|feed| feed.way != Way::Dense) {
                    feed.copy(at..at + len, ptrs[0], from, false);
                }
            }
            at += len;
        }
    }
}

/// Rows and columns of a panel: of what is gathered or turned a line of the source at least, by rows; of what stands
/// still along an axis as many as there are.
fn panel(job: &Job<'_>) -> (usize, usize) {
    let compute = job.compute;
    let widest = job.sizes.into_iter().fold(compute.widest(), usize::max);
    let chunk = (CHUNK / widest).max(STEP);
    let (rows, cols) = (compute.nest.rows(), compute.nest.cols());
    let laid_out = |k: usize| job.sizes[k] > 0 && !compute.is_row(k);
    let any = |test: &dyn Fn(usize) -> bool| (0..OPERANDS).any(|k| laid_out(k) && test(k));
    if any(&|k| k == 0 || rows.strides[k] != 0 && cols.strides[k] != 0) {
        // Two lines high, in all that a block holds: 256 x 256 f32 and a transpose take 12.1 us in panels of 32 x 64, 12.8
        // of 16 x 128, 12.9 of 64 x 32, and 13.2 of 16 x 64.
        let high = (128 / widest).max(16).min(rows.size);
        (high, (CHUNK + PERIOD) / widest / high)
    } else {
        // An operand that stands still along the columns is as well laid out for all of them, which can then pass the
        // caches: 64 x 256 x 4096 f16 times one each take 7 ms so, and 25 by blocks.
        let high = if any(&|k| rows.strides[k] != 0) { chunk } else { usize::MAX };
        (high, if any(&|k| cols.strides[k] != 0) { chunk } else { usize::MAX })
    }
}

/// Runs a part `rows` x `cols` of the tile at one point of the outer axes, where the operands are at `ptrs`.
///
/// # Safety
/// As [`chunks`], for that part.
pub(super) unsafe fn panels(job: &Job<'_>, ptrs: [*mut u8; OPERANDS], rows: Range<usize>, cols: Range<usize>) {
    let compute = job.compute;
    let (row_axis, col_axis) = (compute.nest.rows(), compute.nest.cols());
    let (high, wide) = panel(job);
    let mut scratch = Scratch::new();
    let spare = scratch.block(OPERANDS);
    let at = |k: usize, row: usize, col: usize| {
        let offset = row as isize * row_axis.strides[k] + col as isize * col_axis.strides[k];
        ptrs[k].wrapping_offset(offset)
    };
    let mut turns: [Option<Turn>; OPERANDS] = [const { None }; OPERANDS];
    let mut col = cols.start;
    while col < cols.end {
        let n = wide.min(cols.end - col);
        let mut row = rows.start;
        while row < rows.end {
            let m = high.min(rows.end - row);
            let mut tile = Tile {
                planes: 1,
                rows: m,
                cols: n,
                ptr: core::array::from_fn(|k| at(k, row, col)),
                plane_stride: [0; OPERANDS],
                row_stride: row_axis.strides,
                col_stride: col_axis.strides,
                inner: &[],
            };
            // SAFETY: a panel fits its block, m x n elements or, of an operand that stands still along an axis, fewer; it
            // is written before a kernel reads it; its strides are the operand's own.
            unsafe {
                for (k, kept) in turns.iter_mut().enumerate().skip(1) {
                    if job.sizes[k] == 0 || compute.is_row(k) {
                        continue;
                    }
                    let block = scratch.block(k);
                    let (own_rows, own_cols) = own(row_axis, col_axis, k, m, n);
                    // What stands still along the rows was laid out for the first of them.
                    if row_axis.strides[k] != 0 || row == rows.start {
                        let to = if job.casts[k].is_some() { spare } else { block };
                        let turn = Turn::of(kept, job, k, own_rows, own_cols);
                        turn.run([to, tile.ptr[k]]);
                        if let Some(cast) = job.casts[k] {
                            cast(job.isa.level(), spare, block, own_rows * own_cols);
                        }
                    }
                    let size = job.sizes[k] as isize;
                    tile.ptr[k] = block;
                    tile.row_stride[k] = if own_rows > 1 { own_cols as isize * size } else { 0 };
                    tile.col_stride[k] = if own_cols > 1 { size } else { 0 };
                }
                if compute.is_row(0) {
                    (job.kernel)(&job.call, &mut tile);
                } else {
                    let (block, there, size) = (scratch.block(0), tile.ptr[0], job.sizes[0] as isize);
                    tile.ptr[0] = block;
                    (tile.row_stride[0], tile.col_stride[0]) = (n as isize * size, size);
                    (job.kernel)(&job.call, &mut tile);
                    let mut from = block;
                    if let Some(cast) = job.casts[0] {
                        cast(job.isa.level(), block, spare, m * n);
                        from = spare;
                    }
                    Turn::of(&mut turns[0], job, 0, m, n).run([there, from]);
                }
            }
            row += m;
        }
        col += n;
    }
}

/// Rows and columns that an operand has of its own in a panel: one where it stands still.
fn own(row: Axis<OPERANDS>, col: Axis<OPERANDS>, k: usize, m: usize, n: usize) -> (usize, usize) {
    (if row.strides[k] == 0 { 1 } else { m }, if col.strides[k] == 0 { 1 } else { n })
}

/// A panel of one operand and how it is laid out; kept while panels have one size.
struct Turn {
    size: (usize, usize),
    nest: LoopNest<2>,
    kernel: &'static Kernel<2>,
}

impl Turn {
    fn of<'t>(kept: &'t mut Option<Self>, job: &Job<'_>, k: usize, m: usize, n: usize) -> &'t Self {
        if kept.as_ref().is_none_or(|turn| turn.size != (m, n)) {
            let (compute, size) = (job.compute, job.compute.sizes[k]);
            let (row, col) = (compute.nest.rows().strides[k], compute.nest.cols().strides[k]);
            let own = [row / size as isize, col / size as isize];
            let dense = [n as isize, 1];
            let operands = if k > 0 { [(&dense[..], 0), (&own[..], 0)] } else { [(&own[..], 0), (&dense[..], 0)] };
            let mut nest = LoopNest::new(&[m, n], operands, size);
            let kernel = choose_move(&mut nest, job.isa);
            *kept = Some(Self { size: (m, n), nest, kernel });
        }
        kept.as_ref().expect("just made")
    }

    /// # Safety
    /// As [`walk`], of its whole nest.
    unsafe fn run(&self, ptrs: [*mut u8; 2]) {
        // SAFETY: the caller's promise.
        unsafe { walk(&self.nest, self.kernel.run, ptrs, 0..self.nest.units) }
    }
}
