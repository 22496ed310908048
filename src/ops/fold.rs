//! Functions of any number of operands: ONNX's Sum, Mean, Min and Max.

use alloc::vec::Vec;

use super::defined::Defined;
use super::fun;
use crate::element::Element;
use crate::engine::{Fold, Operand, Options};
use crate::error::Result;
use crate::layout::{Out, Tensor, View};

/// Floats.
pub trait Float: Element {}

impl Float for half::f16 {}
impl Float for half::bf16 {}
impl Float for f32 {}
impl Float for f64 {}

/// The sum of all operands, from the first to the last; f16 and bf16 are added up in f32 and rounded once, integers
/// wrap (ONNX Sum). The sum of one operand is that operand.
///
/// # Errors
/// If there is no operand; if the shapes have no common one; if the output is too large or there is no memory for it.
///
/// ```
/// use stridecast::{View, ops::nary};
///
/// let (a, b, c) = ([1.0_f32, 2.0], [10.0], [100.0, 200.0]);
/// let views = [View::new(&a, &[2, 1])?, View::new(&b, &[1])?, View::new(&c, &[2])?];
/// assert_eq!(nary::sum(&views)?.as_slice(), [111.0, 211.0, 112.0, 212.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum<T: Defined<fun::Add>>(views: &[View<'_, T>]) -> Result<Tensor<T>> {
    to_tensor(Fold::Sum, views)
}

/// As [`sum`], into `out`.
///
/// # Errors
/// As [`sum`]; if `out` does not have the common shape (a view) or its number of elements (a buffer). Nothing is
/// written then.
pub fn sum_into<'o, T: Defined<fun::Add>>(views: &[View<'_, T>], out: impl Into<Out<'o, T>>) -> Result<()> {
    run_into(Fold::Sum, views, out.into())
}

/// The mean of all operands: their [`sum`] divided by their number, rounded once for f16 and bf16 (ONNX Mean).
///
/// # Errors
/// As [`sum`].
pub fn mean<T: Float>(views: &[View<'_, T>]) -> Result<Tensor<T>> {
    to_tensor(Fold::Mean, views)
}

/// As [`mean`], into `out`.
///
/// # Errors
/// As [`sum_into`].
pub fn mean_into<'o, T: Float>(views: &[View<'_, T>], out: impl Into<Out<'o, T>>) -> Result<()> {
    run_into(Fold::Mean, views, out.into())
}

/// The smallest of all operands; a NaN in any of them is the result, and -0 < +0 (ONNX Min).
///
/// # Errors
/// As [`sum`].
pub fn minimum<T: Defined<fun::Minimum>>(views: &[View<'_, T>]) -> Result<Tensor<T>> {
    to_tensor(Fold::Minimum, views)
}

/// As [`minimum`], into `out`.
///
/// # Errors
/// As [`sum_into`].
pub fn minimum_into<'o, T: Defined<fun::Minimum>>(views: &[View<'_, T>], out: impl Into<Out<'o, T>>) -> Result<()> {
    run_into(Fold::Minimum, views, out.into())
}

/// The largest of all operands; a NaN in any of them is the result, and +0 > -0 (ONNX Max).
///
/// # Errors
/// As [`sum`].
pub fn maximum<T: Defined<fun::Maximum>>(views: &[View<'_, T>]) -> Result<Tensor<T>> {
    to_tensor(Fold::Maximum, views)
}

/// As [`maximum`], into `out`.
///
/// # Errors
/// As [`sum_into`].
pub fn maximum_into<'o, T: Defined<fun::Maximum>>(views: &[View<'_, T>], out: impl Into<Out<'o, T>>) -> Result<()> {
    run_into(Fold::Maximum, views, out.into())
}

fn to_tensor<T: Element>(fold: Fold, views: &[View<'_, T>]) -> Result<Tensor<T>> {
    let operands: Vec<_> = views.iter().map(Operand::of).collect();
    fold.to_tensor(&operands, Options::new())
}

fn run_into<T: Element>(fold: Fold, views: &[View<'_, T>], out: Out<'_, T>) -> Result<()> {
    let operands: Vec<_> = views.iter().map(Operand::of).collect();
    fold.run_into(&operands, out, Options::new())
}
