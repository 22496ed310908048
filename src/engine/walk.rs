//! Walks the outer axes of a nest and calls the kernel once per tile.
//!
//! Positions count kernel units in the nest's order, which for a dense output is the order in memory. A range
//! of positions may begin and end inside a row: the cut rows become tiles of one row.

use core::ops::Range;

use super::kernel::KernelFn;
use super::tile::Tile;
use crate::dims::Dims;
use crate::nest::{Axis, LoopNest};

/// Runs `kernel` on the positions `range` of `nest`.
///
/// # Safety
/// - `ptrs[k]` plus the nest's start and any walk inside `range` is valid for operand k as [`Tile`] says;
/// - the kernel serves the nest's pattern and unit, and the CPU passed its level's check;
/// - `range` lies inside `0..nest.units`.
pub(crate) unsafe fn walk<const N: usize>(
    nest: &LoopNest<N>,
    kernel: KernelFn<N>,
    ptrs: [*mut u8; N],
    range: Range<usize>,
) {
    if range.is_empty() {
        return;
    }
    let (cols, rows, outer) = (nest.cols(), nest.rows(), nest.outer());
    // Wrapping: a run of one piece is given a base before the piece's own memory.
    let moved = |offset: [isize; N]| core::array::from_fn(|k| ptrs[k].wrapping_offset(offset[k]));
    let (row_stride, col_stride) = (rows.strides, cols.strides);
    let mut tile = Tile { rows: rows.size, cols: cols.size, ptr: moved(nest.start), row_stride, col_stride };
    if range.len() == nest.units {
        // Most small calls are a single tile, or a few: neither may cost divisions.
        // SAFETY: the tiles are the whole nest.
        unsafe { kernel(&tile) };
        let tiles = outer.iter().map(|axis| axis.size).product();
        if tiles > 1 {
            let mut at = Odometer::new(nest.start, outer, 0);
            for _ in 1..tiles {
                at.advance(outer);
                tile.ptr = moved(at.offset);
                // SAFETY: as above.
                unsafe { kernel(&tile) };
            }
        }
        return;
    }
    let mut at = Odometer::new(nest.start, outer, range.start / cols.size / rows.size);
    let mut col = range.start % cols.size;
    let mut row = range.start / cols.size % rows.size;
    let mut left = range.len();
    loop {
        let whole = col == 0 && left >= cols.size;
        let tile_rows = if whole { (rows.size - row).min(left / cols.size) } else { 1 };
        let tile_cols = if whole { cols.size } else { (cols.size - col).min(left) };
        let step = |k| at.offset[k] + row as isize * rows.strides[k] + col as isize * cols.strides[k];
        tile = Tile { rows: tile_rows, cols: tile_cols, ptr: moved(core::array::from_fn(step)), ..tile };
        // SAFETY: the tile covers positions of the range only, with the nest's strides.
        unsafe { kernel(&tile) };
        left -= tile_rows * tile_cols;
        if left == 0 {
            return;
        }
        // A tile ends at the end of its rows: either it was whole, or the rest of a cut row.
        col = 0;
        row += tile_rows;
        if row == rows.size {
            row = 0;
            at.advance(outer);
        }
    }
}

/// Runs `kernel` on the part `rows` x `cols` of the tile at the `outer`-th point of the outer axes.
///
/// # Safety
/// As [`walk`], for the positions of that part.
#[cfg(feature = "rayon")]
pub(crate) unsafe fn walk_tile<const N: usize>(
    nest: &LoopNest<N>,
    kernel: KernelFn<N>,
    ptrs: [*mut u8; N],
    outer: usize,
    rows: Range<usize>,
    cols: Range<usize>,
) {
    let at = Odometer::new(nest.start, nest.outer(), outer);
    let (row, col) = (nest.rows().strides, nest.cols().strides);
    let ptr = core::array::from_fn(|k| {
        ptrs[k].wrapping_offset(at.offset[k] + rows.start as isize * row[k] + cols.start as isize * col[k])
    });
    // SAFETY: the tile is a part of the nest's, with its strides.
    unsafe { kernel(&Tile { rows: rows.len(), cols: cols.len(), ptr, row_stride: row, col_stride: col }) }
}

/// The indices of the outer axes, and the byte offset of each operand there.
struct Odometer<const N: usize> {
    index: Dims<usize>,
    offset: [isize; N],
}

impl<const N: usize> Odometer<N> {
    /// At the `position`-th point of the outer axes.
    fn new(start: [isize; N], outer: &[Axis<N>], mut position: usize) -> Self {
        let mut at = Self { index: Dims::filled(outer.len(), 0), offset: start };
        if position == 0 {
            return at;
        }
        for (index, axis) in at.index.iter_mut().zip(outer).rev() {
            *index = position % axis.size;
            position /= axis.size;
            for (offset, stride) in at.offset.iter_mut().zip(axis.strides) {
                *offset += *index as isize * stride;
            }
        }
        at
    }

    /// One point on, innermost axis first; wraps to the start after the last.
    fn advance(&mut self, outer: &[Axis<N>]) {
        for (index, axis) in self.index.iter_mut().zip(outer).rev() {
            *index += 1;
            let wrapped = *index == axis.size;
            let turns = if wrapped { 1 - axis.size as isize } else { 1 };
            for (offset, stride) in self.offset.iter_mut().zip(axis.strides) {
                *offset += turns * stride;
            }
            if !wrapped {
                return;
            }
            *index = 0;
        }
    }
}
