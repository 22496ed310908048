//! [`Tile`]: what a kernel is given, and the contract between the walk and every kernel.

#![forbid(unsafe_code)]

use crate::nest::{Axis, LoopNest};

/// Planes x rows x cols of N operands; operand 0 is the output. A kernel's entry runs plane by plane, its loops see
/// one.
///
/// A column is one unit of the kernel's bytes, or, where there are inner axes, a block of them that is itself a nest.
///
/// # Contract
/// Whoever calls a kernel with a tile promises, for every `plane < planes`, `row < rows`, `col < cols`, every walk of
/// the inner axes, and operand `k`:
/// - the `width` bytes at `ptr[k] + plane * plane_stride[k] + row * row_stride[k] + col * col_stride[k]` plus the walk
///   are valid: readable and initialised for inputs, writable for the output, and readable there once written, where
///   `width` is the kernel's bytes per unit;
/// - no output byte belongs to an input, and no two output elements overlap;
/// - nothing else writes an input, or touches the output's elements, during the call;
/// - the strides have the form that the kernel's pattern names;
/// - `planes`, `rows` and `cols` are at least 1; there are inner axes only for a kernel whose pattern has blocks.
///
/// A kernel writes every element of the output's tile, and no other byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile<'n, const N: usize> {
    pub planes: usize,
    pub rows: usize,
    pub cols: usize,
    pub ptr: [*mut u8; N],
    /// Bytes from one plane to the next, per operand.
    pub plane_stride: [isize; N],
    /// Bytes from one row to the next, per operand.
    pub row_stride: [isize; N],
    /// Bytes from one column to the next, per operand.
    pub col_stride: [isize; N],
    /// The axes of a block, outermost first.
    pub inner: &'n [Axis<N>],
}

impl<const N: usize> Tile<'_, N> {
    /// Moves on to the next plane.
    #[inline(always)]
    pub fn next_plane(&mut self) {
        self.planes -= 1;
        for (ptr, stride) in self.ptr.iter_mut().zip(self.plane_stride) {
            // Wrapping: after the last plane there is none.
            *ptr = ptr.wrapping_offset(stride);
        }
    }
}

/// A tile without its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<const N: usize> {
    /// Planes, rows and columns.
    axes: [Axis<N>; 3],
    /// Bytes from each operand's pointer.
    start: [isize; N],
}

impl<const N: usize> Frame<N> {
    /// Of the innermost axes.
    #[inline(always)]
    pub fn new(axes: [Axis<N>; 3], start: [isize; N]) -> Self {
        Self { axes, start }
    }

    /// Of a nest whose outer axes are all among these; [`Frame::is_all_of`] tells.
    #[inline(always)]
    pub fn of(nest: &LoopNest<N>) -> Self {
        Self::new([nest.planes(), nest.rows(), nest.cols()], nest.start)
    }

    /// Whether a nest is a single tile.
    #[inline(always)]
    pub fn is_all_of(nest: &LoopNest<N>) -> bool {
        nest.axes.len() <= 3 && nest.folded == 0 && nest.units > 0
    }

    /// The tile in its place.
    #[inline(always)]
    pub fn at(&self, ptrs: [*mut u8; N]) -> Tile<'static, N> {
        let [planes, rows, cols] = self.axes;
        Tile {
            planes: planes.size,
            rows: rows.size,
            cols: cols.size,
            // Wrapping: a run of one piece is given a base before the piece's own memory.
            ptr: core::array::from_fn(|k| ptrs[k].wrapping_offset(self.start[k])),
            plane_stride: planes.strides,
            row_stride: rows.strides,
            col_stride: cols.strides,
            inner: &[],
        }
    }
}
