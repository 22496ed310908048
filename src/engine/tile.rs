//! [`Tile`]: what a kernel is given, and the contract between the walk and every kernel.

#![forbid(unsafe_code)]

use crate::nest::Axis;

/// Planes x rows x cols of N operands; operand 0 is the output. A kernel's entry runs plane by plane, its loops see one.
///
/// A column is one unit of the kernel's bytes, or, where there are inner axes, a block of them that is itself a nest.
///
/// # Contract
/// Whoever calls a kernel with a tile promises, for every `plane < planes`, `row < rows`, `col < cols`, every walk of the
/// inner axes, and operand `k`:
/// - the `width` bytes at `ptr[k] + plane * plane_stride[k] + row * row_stride[k] + col * col_stride[k]` plus the walk are
///   valid: readable and initialised for inputs, writable for the output, and readable there once written, where `width`
///   is the kernel's bytes per unit;
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
        for (ptr, stride) in self.ptr.iter_mut().zip(self.plane_stride) {
            // Wrapping: after the last plane there is none.
            *ptr = ptr.wrapping_offset(stride);
        }
    }
}
