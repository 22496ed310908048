//! [`Tile`]: what a kernel is given, and the contract between the walk and every kernel.

#![forbid(unsafe_code)]

/// Rows x cols of N operands; operand 0 is the output.
///
/// # Contract
/// Whoever calls a kernel with a tile promises, for every `row < rows`, `col < cols` and operand `k`:
/// - the `width` bytes at `ptr[k] + row * row_stride[k] + col * col_stride[k]` are valid: readable and
///   initialised for inputs, writable for the output, and readable there once written, where `width` is the kernel's
///   bytes per column;
/// - no output byte belongs to an input, and no two output elements overlap;
/// - nothing else writes an input, or touches the output's elements, during the call;
/// - the strides have the form that the kernel's pattern names;
/// - `rows` and `cols` are at least 1.
///
/// A kernel writes every element of the output's tile, and no other byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile<const N: usize> {
    pub rows: usize,
    pub cols: usize,
    pub ptr: [*mut u8; N],
    /// Bytes from one row to the next, per operand.
    pub row_stride: [isize; N],
    /// Bytes from one column to the next, per operand.
    pub col_stride: [isize; N],
}
