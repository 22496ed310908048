//! Walks the outer axes of a nest and calls the kernel once per tile.
//!
//! Positions count kernel units in the nest's order, which for a dense output is the order in memory. A range
//! of positions may begin and end inside a row: the cut rows become tiles of one row. Tiles of many planes save calls.

use core::ops::Range;

use super::kernel::KernelFn;
use super::tile::{Frame, Tile};
use crate::dims::Dims;
use crate::nest::{Axis, LoopNest};

/// What runs a tile: a move kernel, or a kernel of a function with what its tiles do not say.
pub(crate) trait Run<const N: usize>: Copy {
    /// Runs one tile.
    ///
    /// # Safety
    /// The kernel's contract.
    unsafe fn run(self, tile: &mut Tile<'_, N>);
}

impl<const N: usize> Run<N> for KernelFn<N> {
    #[inline(always)]
    unsafe fn run(self, tile: &mut Tile<'_, N>) {
        // SAFETY: the caller's promise.
        unsafe { self(tile) }
    }
}

/// Runs `kernel` on the positions `range` of `nest`.
///
/// # Safety
/// - `ptrs[k]` plus the nest's start and any walk inside `range` is valid for operand k as [`Tile`] says;
/// - the kernel serves the nest's pattern and unit, and the CPU passed its level's check;
/// - `range` lies inside `0..nest.units`.
#[inline]
pub(crate) unsafe fn walk<const N: usize>(
    nest: &LoopNest<N>,
    kernel: impl Run<N>,
    ptrs: [*mut u8; N],
    range: Range<usize>,
) {
    // Most small calls are a single tile; finding that out must not cost more than running it.
    if range.len() == nest.units && Frame::is_all_of(nest) {
        // SAFETY: the tile is the whole nest.
        return unsafe { kernel.run(&mut Frame::of(nest).at(ptrs)) };
    }
    let (axes, inner) = nest.axes.split_at(nest.axes.len() - nest.folded);
    if inner.is_empty() {
        // SAFETY: the caller's promise.
        return unsafe { walk_axes(nest, axes, inner, kernel, ptrs, range) };
    }
    // Whole blocks, and unit by unit what the range has of the first and the last.
    let block: usize = inner.iter().map(|axis| axis.size).product();
    let first = range.start.next_multiple_of(block).min(range.end);
    let last = first.max(range.end / block * block);
    // SAFETY: the three are the range; a kernel for blocks takes single units as well.
    unsafe {
        walk_axes(nest, &nest.axes, &[], kernel, ptrs, range.start..first);
        walk_axes(nest, axes, inner, kernel, ptrs, first / block..last / block);
        walk_axes(nest, &nest.axes, &[], kernel, ptrs, last..range.end);
    }
}

/// As [`walk`], with the axes inside a column set apart; positions are columns.
///
/// # Safety
/// As [`walk`].
unsafe fn walk_axes<const N: usize>(
    nest: &LoopNest<N>,
    axes: &[Axis<N>],
    inner: &[Axis<N>],
    kernel: impl Run<N>,
    ptrs: [*mut u8; N],
    range: Range<usize>,
) {
    if range.is_empty() {
        return;
    }
    let one = Axis { size: 1, strides: [0; N] };
    let (rest, cols) = axes.split_last().map_or((axes, one), |(last, rest)| (rest, *last));
    let (outer, rows) = rest.split_last().map_or((rest, one), |(last, rest)| (rest, *last));
    let planes = outer.last().map_or(one, |planes| *planes);
    let mut tile = Tile { inner, ..Frame::new([planes, rows, cols], nest.start).at(ptrs) };
    let plane = rows.size * cols.size;
    // The whole of a nest must not cost divisions either.
    let mut at = Odometer::new(nest.start, outer, if range.start == 0 { 0 } else { range.start / plane });
    let (mut row, mut col) =
        if range.start == 0 { (0, 0) } else { (range.start % plane / cols.size, range.start % cols.size) };
    let mut left = range.len();
    loop {
        // Planes as far as their axis goes, else rows of one plane, else a part of one row.
        (tile.planes, tile.rows, tile.cols) = (1, 1, (cols.size - col).min(left));
        if col == 0 && left >= cols.size {
            tile.rows = if left >= plane { rows.size - row } else { (rows.size - row).min(left / cols.size) };
            if row == 0 && left >= plane {
                let room = at.room(outer);
                tile.planes = if left >= room * plane { room } else { left / plane };
            }
        }
        let step = |k| at.offset[k] + row as isize * rows.strides[k] + col as isize * cols.strides[k];
        tile.ptr = core::array::from_fn(|k| ptrs[k].wrapping_offset(step(k)));
        let (planes, rows_here) = (tile.planes, tile.rows);
        left -= planes * rows_here * tile.cols;
        // SAFETY: the tile covers positions of the range only, with the nest's strides.
        unsafe { kernel.run(&mut tile) };
        if left == 0 {
            return;
        }
        // A tile ends at the end of its rows: either it was whole, or the rest of a cut row.
        col = 0;
        row += rows_here;
        if row == rows.size {
            row = 0;
            at.advance(outer, planes);
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
    kernel: impl Run<N>,
    ptrs: [*mut u8; N],
    outer: usize,
    rows: Range<usize>,
    cols: Range<usize>,
) {
    let at = Odometer::new(nest.start, nest.outer(), outer);
    let (row_stride, col_stride) = (nest.rows().strides, nest.cols().strides);
    let step = |k| at.offset[k] + rows.start as isize * row_stride[k] + cols.start as isize * col_stride[k];
    let ptr = core::array::from_fn(|k| ptrs[k].wrapping_offset(step(k)));
    let plane_stride = [0; N];
    let (rows, cols) = (rows.len(), cols.len());
    // SAFETY: the tile is a part of the nest's, with its strides.
    unsafe { kernel.run(&mut Tile { planes: 1, rows, cols, ptr, plane_stride, row_stride, col_stride, inner: &[] }) }
}

/// Where the operands are at the `position`-th point of the axes outside rows and columns.
pub(super) fn outer_place<const N: usize>(nest: &LoopNest<N>, ptrs: [*mut u8; N], position: usize) -> [*mut u8; N] {
    let at = Odometer::new(nest.start, nest.outer(), position);
    core::array::from_fn(|k| ptrs[k].wrapping_offset(at.offset[k]))
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

    /// Points from here to the end of the innermost axis.
    fn room(&self, outer: &[Axis<N>]) -> usize {
        outer.last().zip(self.index.last()).map_or(1, |(axis, index)| axis.size - index)
    }

    /// `steps` points on, at most [`Odometer::room`]; wraps to the start after the last.
    fn advance(&mut self, outer: &[Axis<N>], mut steps: usize) {
        for (index, axis) in self.index.iter_mut().zip(outer).rev() {
            *index += steps;
            let wrapped = *index == axis.size;
            let turns = if wrapped { steps as isize - axis.size as isize } else { steps as isize };
            for (offset, stride) in self.offset.iter_mut().zip(axis.strides) {
                *offset += turns * stride;
            }
            if !wrapped {
                return;
            }
            *index = 0;
            steps = 1;
        }
    }
}
