//! Rows to one row: blocks of them, joined as a tree.
//!
//! The tree splits `n` blocks after the largest power of two below `n`. One thread walks it as a binary counter does, with a
//! finished row for each bit; several threads split it where it splits. So the order of additions is the same.

use core::ops::Range;

#[cfg(feature = "rayon")]
use super::area::Area;
use super::area::{LAID, Parts, Room};
use super::kernel::Down;
use super::lay::Lay;
use super::leaf::Leaf;
use super::rows::Rows;
use super::scheme::BLOCK;
use crate::engine::isa::Isa;
use crate::nest::Axis;

/// Levels that a stack may have: one for each bit of a number of blocks.
const LEVELS: usize = usize::BITS as usize;

/// What rows are made of.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'s> {
    pub kernel: Leaf,
    /// The same for partial results.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "it joins the halves of two threads"))]
    pub joint: Leaf,
    /// Bytes of an element of the inputs.
    pub size: usize,
    pub inputs: usize,
    pub isa: Isa,
    pub rows: Rows<'s>,
    /// Lanes: groups, of runs, of columns.
    pub axes: [Axis<3>; 3],
    pub laid: [bool; 2],
}

/// Levels of a stack of partial results of so many blocks.
pub(super) fn levels(blocks: usize) -> usize {
    (usize::BITS - (blocks - 1).leading_zeros()).max(1) as usize
}

impl Sheet<'_> {
    /// Lanes.
    pub fn lanes(&self) -> usize {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// Most lanes that a pass has room for.
    pub fn most_lanes(&self, room: Room) -> usize {
        let mut bytes = room.panel.min(room.stack / levels(self.rows.blocks()) / 64 * 64);
        if self.laid.contains(&true) {
            let together = self.rows.inner.size.clamp(BLOCK, 64);
            bytes = bytes.min(LAID / together / self.size * self.kernel.acc);
        }
        (bytes / self.kernel.acc).max(1)
    }

    /// Adds the rows of `blocks` at `at` to the row `to`.
    ///
    /// # Safety
    /// - every element of the rows is readable, initialised and aligned for its type; `to` is writable for as many lanes of
    ///   accumulators, aligned for them, and belongs neither to an input nor to `area`'s stack or laid blocks;
    /// - there are no more lanes than [`Sheet::most_lanes`] of the area's room;
    /// - the kernels take these types, and the CPU passed the check of their levels.
    pub unsafe fn run(&self, at: [*const u8; 2], blocks: Range<usize>, to: *mut u8, area: Parts<'_>) {
        let lanes = self.lanes();
        let width = lanes * self.kernel.acc;
        let level = |level: usize| -> *mut u8 {
            assert!((level + 1) * width <= area.room.stack, "a level for each bit of the number of blocks");
            // SAFETY: inside the stack, as was just checked.
            unsafe { area.stack.add(level * width) }
        };
        let Rows { inner: axis, outer, laid } = self.rows;
        let strides = [axis.strides[1], axis.strides[2]];
        // Rows that are all alike differ from block to block in where the first of them is.
        let alike = outer.is_empty() && !laid;
        // Wrapping: of rows that are not there.
        let mut offsets: [[isize; 2]; BLOCK] =
            core::array::from_fn(|i| strides.map(|stride| (i as isize).wrapping_mul(stride)));
        let mut cursor = if alike { None } else { Some(self.rows.from(blocks.start)) };
        let mut feed = if laid { Some(Feed::new()) } else { None };
        let mut under = [core::ptr::null(); LEVELS];
        let last = blocks.len() - 1;
        for block in 0..=last {
            let mut from = at;
            let count = match &mut cursor {
                None => {
                    let first = (blocks.start + block) * BLOCK;
                    from = [0, 1].map(|k| at[k].wrapping_offset(first as isize * strides[k]));
                    BLOCK.min(axis.size - first)
                }
                Some(cursor) => {
                    let (inner, turn) = (cursor.inner, cursor.offset);
                    let count = cursor.block(&mut offsets);
                    if let Some(feed) = &mut feed {
                        // SAFETY: the caller's promise; a piece of rows fits its block.
                        unsafe { self.lay(feed, at, turn, inner, count, &mut from, &mut offsets, area) };
                    }
                    count
                }
            };
            // The partial results that this one completes: those of the trailing ones of its number or, at the end, of all.
            let mut joined = 0;
            for bit in 0..LEVELS {
                if block >> bit & 1 == 1 {
                    under[joined] = level(bit).cast_const();
                    joined += 1;
                } else if block != last || block >> bit == 0 {
                    break;
                }
            }
            let to = if block == last { to } else { level(block.trailing_ones() as usize) };
            let down = Down {
                at: from,
                rows: &offsets[..count],
                cols: lanes,
                under: &under[..joined],
                to,
                planes: 1,
                step: [0; 2],
                to_step: 0,
            };
            // SAFETY: the caller's promise; a level that is read was written, and none that is read is written.
            unsafe { self.kernel.down(&down) };
        }
    }

    /// Lays out a piece of rows, if the block is not in the one that was laid out last, and points the block there.
    ///
    /// # Safety
    /// As [`Sheet::run`].
    #[expect(clippy::too_many_arguments, reason = "what a block of rows is")]
    unsafe fn lay(
        &self,
        feed: &mut Feed,
        at: [*const u8; 2],
        turn: [isize; 2],
        inner: usize,
        count: usize,
        from: &mut [*const u8; 2],
        offsets: &mut [[isize; 2]; BLOCK],
        area: Parts<'_>,
    ) {
        let lanes = self.lanes();
        let row = lanes * self.size;
        let most = (LAID / row / BLOCK * BLOCK).max(BLOCK);
        if inner == 0 || inner >= feed.next {
            feed.piece = inner;
            feed.next = inner + most.min(self.rows.inner.size - inner);
            for k in (0..self.inputs).filter(|&k| self.laid[k]) {
                let rows = self.rows.inner;
                let still = rows.strides[k + 1] == 0;
                let [groups, runs, cols] = self.axes;
                let together = if still { 1 } else { feed.next - inner };
                let sizes = [together, groups.size, runs.size, cols.size];
                let strides = [rows, groups, runs, cols].map(|axis| axis.strides[k + 1]);
                let block = area.laid[k];
                assert!(together * row <= LAID, "a piece of rows fits its block");
                let there = at[k].wrapping_offset(turn[k] + inner as isize * rows.strides[k + 1]);
                // SAFETY: the caller's promise; the block has room.
                unsafe {
                    feed.lays[k].copy(sizes, strides, self.size, self.isa, [block, there.cast_mut()], false);
                }
                feed.base[k] = block;
            }
        }
        for k in (0..self.inputs).filter(|&k| self.laid[k]) {
            from[k] = feed.base[k];
            let step = if self.rows.inner.strides[k + 1] == 0 { 0 } else { row as isize };
            for (i, offset) in offsets[..count].iter_mut().enumerate() {
                offset[k] = (inner - feed.piece + i) as isize * step;
            }
        }
    }

    /// As [`Sheet::run`], with an area of its own, which is not on the stack while anything waits.
    ///
    /// # Safety
    /// As [`Sheet::run`].
    #[cfg(feature = "rayon")]
    #[inline(never)]
    unsafe fn run_apart(&self, at: [*const u8; 2], blocks: Range<usize>, to: *mut u8) {
        let (mut area, mut heap) = (Area::new(), alloc::vec::Vec::new());
        let stack = (self.lanes() * self.kernel.acc * levels(blocks.len())).next_multiple_of(64);
        let parts = if stack <= Room::SMALL.stack {
            area.parts()
        } else {
            area.large(Room { stack, ..Room::SMALL }, &mut heap)
        };
        // SAFETY: the caller's promise.
        unsafe { self.run(at, blocks, to, parts) }
    }

    /// As [`Sheet::run`], over the rayon pool this thread belongs to where that is worth it.
    ///
    /// # Safety
    /// As [`Sheet::run`].
    #[cfg(feature = "rayon")]
    pub unsafe fn run_split(&self, at: [*const u8; 2], blocks: Range<usize>, to: *mut u8) {
        use crate::engine::grid::CHUNK;
        let lanes = self.lanes();
        let bytes = blocks.len().saturating_mul(BLOCK * lanes * self.size * self.inputs);
        if bytes <= 2 * CHUNK || blocks.len() < 2 {
            // SAFETY: the caller's promise.
            return unsafe { self.run_apart(at, blocks, to) };
        }
        // The largest power of two below their number.
        let half = 1 << (blocks.len() - 1).ilog2();
        let middle = blocks.start + half;
        // On the heap: a thread that waits for its other half may run many of these on top of one another.
        let words = (lanes * self.kernel.acc).div_ceil(16);
        let mut halves: alloc::vec::Vec<core::mem::MaybeUninit<u128>> = alloc::vec::Vec::new();
        halves.resize(2 * words, core::mem::MaybeUninit::uninit());
        let first: *mut u8 = halves.as_mut_ptr().cast();
        let shared = Shared { sheet: self, at, ends: [first, first.wrapping_add(words * 16)] };
        rayon::join(
            // SAFETY: the caller's promise; each half writes a row of its own.
            || unsafe { shared.run(0, blocks.start..middle) },
            // SAFETY: as above.
            || unsafe { shared.run(1, middle..blocks.end) },
        );
        let down = Down {
            at: [first.cast_const(); 2],
            rows: &[[0; 2], [words as isize * 16; 2]],
            cols: lanes,
            under: &[],
            to,
            planes: 1,
            step: [0; 2],
            to_step: 0,
        };
        // SAFETY: both rows have as many lanes and were written.
        unsafe { self.joint.down(&down) }
    }
}

/// What was laid out last.
struct Feed {
    lays: [Lay; 2],
    base: [*const u8; 2],
    /// The first row of it, and the one after the last.
    piece: usize,
    next: usize,
}

impl Feed {
    fn new() -> Self {
        Self { lays: [Lay::new(), Lay::new()], base: [core::ptr::null(); 2], piece: 0, next: 0 }
    }
}

/// A sheet and its memory, to be handed to other threads.
#[cfg(feature = "rayon")]
struct Shared<'s> {
    sheet: &'s Sheet<'s>,
    at: [*const u8; 2],
    ends: [*mut u8; 2],
}

// SAFETY: inputs are only read; each half writes a row of its own, which outlives both.
#[cfg(feature = "rayon")]
unsafe impl Sync for Shared<'_> {}

#[cfg(feature = "rayon")]
impl Shared<'_> {
    /// # Safety
    /// As [`Sheet::run`]; nobody else runs this half.
    unsafe fn run(&self, half: usize, blocks: Range<usize>) {
        // SAFETY: the caller's promise.
        unsafe { self.sheet.run_split(self.at, blocks, self.ends[half]) }
    }
}
