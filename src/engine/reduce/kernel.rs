//! The two inner loops of reductions, [`down`] rows and [`along`] runs, compiled for each function and element type.

mod along;
mod down;
mod take;
#[cfg(test)]
mod tests;

pub(crate) use along::{Along, AlongFn, along};
pub(crate) use down::{Down, DownFn, down};
pub(crate) use take::{Halves, Integers, Product, Same, Take};

use crate::engine::function::Function;
use crate::engine::isa::Level as IsaLevel;
use crate::engine::level::Level;

/// Rows, or steps of a run, that are joined one after another before a tree goes on.
pub(crate) const BLOCK: usize = 8;

/// Bytes of what is accumulated side by side along a run, on every level: four vectors of AVX-512.
const LANES: usize = 256;

/// Accumulators side by side along a run.
pub(crate) const fn lanes(acc: usize) -> usize {
    LANES / acc
}

/// Columns in a block of [`down`], of elements of `size` bytes that are accumulated in `acc`: 256 bytes of accumulators
/// where vectors are `wide`, from AVX2 on, and half of that in 16 small registers. Fewer where elements are widened,
/// which takes registers too: 128 Ki bf16 take 5.0 us in blocks of 32 and 6.7 of 64.
pub(crate) const fn columns(size: usize, acc: usize, wide: bool) -> usize {
    let columns = if wide && (size == acc || size == 1) { LANES / acc } else { LANES / 2 / acc };
    if columns < 16 { 16 } else { columns }
}

/// Columns in a block at the end of rows, and of short ones. Of one or two bytes as many as fill a vector of AVX-512:
/// it is the level that masks those that are not there.
pub(crate) const fn few_columns(acc: usize) -> usize {
    match acc {
        1 => 64,
        2 => 32,
        _ => 16,
    }
}

/// Longest run, in elements: as many blocks as fill the counter's stack.
pub(crate) const fn max_run(acc: usize) -> usize {
    64 * lanes(acc)
}

/// What joins two numbers, and sums of small integers, which are other numbers.
pub(crate) trait Join<X: Take>:
    Function<(X::Part, X::Part), Output = X::Part> + Function<(X::Acc, X::Acc), Output = X::Acc> + Default
{
}

impl<X: Take, F> Join<X> for F where
    F: Function<(X::Part, X::Part), Output = X::Part> + Function<(X::Acc, X::Acc), Output = X::Acc> + Default
{
}

/// A block joined with another that comes after it.
#[inline(always)]
fn join<S, F, A, const L: usize>(level: S, a: &[A; L], b: &[A; L]) -> [A; L]
where
    S: Level,
    F: Function<(A, A), Output = A> + Default,
    A: take::Number,
{
    F::default().block_on(level, (a, b))
}

/// A reduction's kernels for certain operands.
#[derive(Debug)]
pub(crate) struct ReduceKernel {
    pub name: &'static str,
    pub isa: IsaLevel,
    pub down: DownFn,
    pub along: AlongFn,
    /// Bytes of an element of each operand, 0 for one that is not there.
    pub sizes: [usize; 2],
    /// Bytes of what is accumulated.
    pub acc: usize,
}
