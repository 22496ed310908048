//! Reductions over axes, and the gradients of broadcasting.
//!
//! A tensor that is broadcast is read many times; its gradient is the **sum** of the gradients of all those readings.
//! [`sum_to`] undoes NumPy's rule, [`unbroadcast`] any [`Rule`], and [`sum_axes`] and its kind reduce over axes by
//! number. [`reduce`] puts reduction, axes and types together freely; [`ReducePlan`](crate::ReducePlan) decides once for
//! many runs, and [`grad`](crate::grad) has the gradients of whole functions.
//!
//! ```
//! use stridecast::{View, reduce};
//!
//! // y = x + bias, over a batch of 2: the gradient of y, summed over the batch, is that of the bias.
//! let grad = [1.0_f32, 2.0, 3.0, 10.0, 20.0, 30.0];
//! let bias = reduce::sum_to(&View::new(&grad, &[2, 3])?, &[3])?;
//! assert_eq!(bias.as_slice(), [11.0, 22.0, 33.0]);
//! # Ok::<(), stridecast::BroadcastError>(())
//! ```
//!
//! # How exact
//! A sum of `n` numbers is a tree: it differs from the exact one by at most `(16 + ceil(log2 n)) * eps` times the sum of
//! their sizes, where `eps` is half a unit in the last place of 1 (2^-24 for f32, 2^-53 for f64). f16 and bf16 are added in
//! f32, with its `eps`, and rounded once. Every product of two numbers and every mean is rounded once more. Infinities and
//! NaNs come out as they do from any order of additions, but whether finite numbers overflow on the way depends on it;
//! integers wrap, whatever the order.
//!
//! # Which bits
//! The order of additions follows from the reduction, the element type, the shape, the reduced axes and the strides of
//! operands and output, and from nothing else: the bits are the same on every instruction set, for any number of threads,
//! wherever the memory lies, and from a plan or a one-shot call. No multiplication is fused with an addition. Two layouts
//! of the same numbers, as a matrix and its transpose, may differ in the last bits, and so may results in a tensor and in
//! a strided view.

#![forbid(unsafe_code)]

use crate::element::Element;
use crate::engine::{Operand, Options, Reduce};
use crate::error::Result;
use crate::layout::{AnyView, AnyViewMut, Out, Rule, Tensor, View, ViewMut};
use crate::ops::nary::Float;
use crate::ops::{Defined, fun};
use crate::reduction::{Over, Reduction};

/// Sums `grad` down to `shape`: the gradient of a tensor of that shape that NumPy's rule broadcast to `grad`'s. Axes that
/// the rule put in front go, stretched axes are left with a size of 1.
///
/// # Errors
/// If `shape` cannot be broadcast to `grad`'s; if there is no memory for the result.
///
/// ```
/// use stridecast::{View, reduce};
///
/// let grad = [1, 2, 3, 4, 5, 6];
/// let grad = View::new(&grad, &[2, 3])?;
/// assert_eq!(reduce::sum_to(&grad, &[2, 1])?.as_slice(), [6, 15]);
/// assert_eq!(reduce::sum_to(&grad, &[])?.as_slice(), [21]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_to<T: Defined<fun::Add>>(grad: &View<'_, T>, shape: &[usize]) -> Result<Tensor<T>> {
    reduce(Reduction::Sum, grad, Over::To(shape))
}

/// As [`sum_to`], into `out`.
///
/// # Errors
/// As [`sum_to`]; if `out` does not have `shape` (a view) or its number of elements (a buffer). Nothing is written then.
pub fn sum_to_into<'o, T: Defined<fun::Add>>(
    grad: &View<'_, T>,
    shape: &[usize],
    out: impl Into<Out<'o, T>>,
) -> Result<()> {
    reduce_into(Reduction::Sum, grad, Over::To(shape), out)
}

/// Adds what [`sum_to`] gives for the shape of `out` to what `out` holds, for gradients that add up. f16 and bf16: the sum
/// in f32 is added to the element in f32, and rounded once.
///
/// # Errors
/// If the shape of `out` cannot be broadcast to `grad`'s. Nothing is written then.
///
/// ```
/// use stridecast::{View, ViewMut, reduce};
///
/// let (grad, mut total) = ([1.0_f32, 2.0, 3.0, 4.0], [100.0, 200.0]);
/// reduce::sum_to_add(&View::new(&grad, &[2, 2])?, ViewMut::new(&mut total, &[2])?)?;
/// assert_eq!(total, [104.0, 206.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_to_add<'o, T: Defined<fun::Add>>(grad: &View<'_, T>, out: impl Into<ViewMut<'o, T>>) -> Result<()> {
    let out = out.into();
    let shape = crate::dims::Shape::from(out.shape());
    reduce_onto(Reduction::Sum, grad, Over::To(&shape), out)
}

/// Sums `grad` down to `shape`, which `rule` broadcast to `grad`'s: the inverse of [`View::broadcast`] (nGraph's
/// gradient of Broadcast, for any rule).
///
/// # Errors
/// If the rule does not take `shape` to exactly the shape of `grad`; if there is no memory for the result.
///
/// ```
/// use stridecast::{Rule, View, reduce};
///
/// let grad = View::new(&[1.0_f64; 24], &[2, 3, 4])?;
/// let channels = reduce::unbroadcast(&grad, &[3], Rule::AxesMapping(&[1]))?;
/// assert_eq!(channels.as_slice(), [8.0; 3]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn unbroadcast<T: Defined<fun::Add>>(grad: &View<'_, T>, shape: &[usize], rule: Rule<'_>) -> Result<Tensor<T>> {
    reduce(Reduction::Sum, grad, Over::Rule { shape, rule })
}

/// Sums `grad` down to the shapes of both operands of a function that broadcast them against each other: the gradients
/// of both operands of a sum.
///
/// # Errors
/// If a shape cannot be broadcast to `grad`'s; if there is no memory for the results.
///
/// ```
/// use stridecast::{View, reduce};
///
/// let grad = View::new(&[1.0_f32; 6], &[2, 3])?;
/// let (a, b) = reduce::sum_to_both(&grad, &[2, 1], &[3])?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[3.0; 2][..], &[2.0; 3][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_to_both<T: Defined<fun::Add>>(
    grad: &View<'_, T>,
    a: &[usize],
    b: &[usize],
) -> Result<(Tensor<T>, Tensor<T>)> {
    Ok((sum_to(grad, a)?, sum_to(grad, b)?))
}

/// Sums `a * b`, whose operands broadcast against each other, down to `shape`: the gradient of one operand of a broadcast
/// product. The product is rounded as the function `mul` rounds it (f16 and bf16: kept in f32), and written nowhere.
///
/// # Errors
/// If the operands have no common shape, or `shape` cannot be broadcast to it; if there is no memory for the result.
///
/// ```
/// use stridecast::{View, reduce};
///
/// // y = x * scale: the gradient of the scale is the sum of grad * x.
/// let (grad, x) = ([1.0_f32, 1.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0]);
/// let scale = reduce::sum_of_product_to(&View::new(&grad, &[2, 2])?, &View::new(&x, &[2, 2])?, &[2])?;
/// assert_eq!(scale.as_slice(), [7.0, 10.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_of_product_to<T: Defined<fun::Mul>>(a: &View<'_, T>, b: &View<'_, T>, shape: &[usize]) -> Result<Tensor<T>> {
    sum_of_product(a, b, Over::To(shape))
}

/// As [`sum_of_product_to`], over any axes.
///
/// # Errors
/// If the operands have no common shape, or it does not have the axes; if the sum is not defined on the types; if there is
/// no memory for the result.
pub fn sum_of_product<T: Element, O: Element>(a: &View<'_, T>, b: &View<'_, T>, over: Over<'_>) -> Result<Tensor<O>> {
    Reduce::new(Reduction::Sum, over).tensor(&[Operand::of(a), Operand::of(b)])
}

/// As [`sum_of_product`], into `out`.
///
/// # Errors
/// As [`sum_of_product`]; if `out` does not have the shape that is left. Nothing is written then.
pub fn sum_of_product_into<'o, T: Element, O: Element>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    over: Over<'_>,
    out: impl Into<Out<'o, O>>,
) -> Result<()> {
    Reduce::new(Reduction::Sum, over).run_into(&[Operand::of(a), Operand::of(b)], out.into())
}

/// As [`sum_of_product`], added to what `out` holds.
///
/// # Errors
/// As [`sum_of_product_into`].
pub fn sum_of_product_onto<'o, T: Element, O: Element + 'o>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    over: Over<'_>,
    out: impl Into<ViewMut<'o, O>>,
) -> Result<()> {
    Reduce::new(Reduction::Sum, over).run_onto(&[Operand::of(a), Operand::of(b)], out.into())
}

/// The sum over some axes, in any order and each once; with `keep_dims` they stay as sizes of 1. No axes: a copy.
///
/// # Errors
/// If an axis does not exist or is named twice; if there is no memory for the result.
///
/// ```
/// use stridecast::{View, reduce};
///
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// assert_eq!(reduce::sum_axes(&x, &[0], false)?.as_slice(), [5, 7, 9]);
/// assert_eq!(reduce::sum_axes(&x, &[1], true)?.shape(), [2, 1]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_axes<T: Defined<fun::Add>>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T>> {
    reduce(Reduction::Sum, x, Over::Axes { axes, keep_dims })
}

/// The sum of integers over some axes, extended to 64 bits first.
///
/// # Errors
/// As [`sum_axes`].
///
/// ```
/// use stridecast::{View, reduce};
///
/// let x = [200_u8; 1000];
/// assert_eq!(reduce::sum_axes_wide(&View::new(&x, &[1000])?, &[0], false)?.as_slice(), [200_000_u64]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sum_axes_wide<T: Extend64>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T::Wide>> {
    reduce(Reduction::Sum, x, Over::Axes { axes, keep_dims })
}

/// Integers, and the integer of 64 bits with their sign.
pub trait Extend64: Element {
    /// `i64` or `u64`.
    type Wide: Element;
}

impl Extend64 for i8 {
    type Wide = i64;
}
impl Extend64 for i16 {
    type Wide = i64;
}
impl Extend64 for i32 {
    type Wide = i64;
}
impl Extend64 for i64 {
    type Wide = Self;
}
impl Extend64 for u8 {
    type Wide = u64;
}
impl Extend64 for u16 {
    type Wide = u64;
}
impl Extend64 for u32 {
    type Wide = u64;
}
impl Extend64 for u64 {
    type Wide = Self;
}

/// The mean over some axes: the sum, divided by the number of elements; f16 and bf16 are rounded once. NaN of nothing.
///
/// # Errors
/// As [`sum_axes`].
pub fn mean_axes<T: Float>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T>> {
    reduce(Reduction::Mean, x, Over::Axes { axes, keep_dims })
}

/// The largest over some axes; NaN if one is, and +0 above -0.
///
/// # Errors
/// As [`sum_axes`]; if there is no element to choose from.
pub fn max_axes<T: Defined<fun::Maximum>>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T>> {
    reduce(Reduction::Max, x, Over::Axes { axes, keep_dims })
}

/// The smallest over some axes; NaN if one is, and -0 below +0.
///
/// # Errors
/// As [`max_axes`].
pub fn min_axes<T: Defined<fun::Minimum>>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T>> {
    reduce(Reduction::Min, x, Over::Axes { axes, keep_dims })
}

/// The product over some axes; 1 of nothing.
///
/// # Errors
/// As [`sum_axes`].
pub fn prod_axes<T: Defined<fun::Mul>>(x: &View<'_, T>, axes: &[usize], keep_dims: bool) -> Result<Tensor<T>> {
    reduce(Reduction::Prod, x, Over::Axes { axes, keep_dims })
}

/// Any reduction over any axes, to the operand's type or to a wider one: a sum of integers to 64 bits with their sign,
/// anything of f16 or bf16 to f32.
///
/// # Errors
/// If the shape does not have the axes; if the reduction is not defined on the types; if there is nothing to find the
/// largest or smallest of; if there is no memory for the result.
///
/// ```
/// use half::f16;
/// use stridecast::{Over, Reduction, Tensor, View, reduce::reduce};
///
/// let x = [f16::from_f32(1.0); 70_000];
/// let over = Over::Axes { axes: &[0], keep_dims: false };
/// let sum: Tensor<f32> = reduce(Reduction::Sum, &View::new(&x, &[70_000])?, over)?;
/// assert_eq!(sum.as_slice(), [70_000.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn reduce<T: Element, O: Element>(reduction: Reduction, x: &View<'_, T>, over: Over<'_>) -> Result<Tensor<O>> {
    Reduce::new(reduction, over).tensor(&[Operand::of(x)])
}

/// As [`reduce`], into `out`.
///
/// # Errors
/// As [`reduce`]; if `out` does not have the shape that is left (a view) or its number of elements (a buffer). Nothing is
/// written then.
pub fn reduce_into<'o, T: Element, O: Element>(
    reduction: Reduction,
    x: &View<'_, T>,
    over: Over<'_>,
    out: impl Into<Out<'o, O>>,
) -> Result<()> {
    reduce_into_with(reduction, x, over, out, Options::new())
}

/// As [`reduce_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`reduce_into`].
pub fn reduce_into_with<'o, T: Element, O: Element>(
    reduction: Reduction,
    x: &View<'_, T>,
    over: Over<'_>,
    out: impl Into<Out<'o, O>>,
    options: Options,
) -> Result<()> {
    Reduce { reduction, over, options }.run_into(&[Operand::of(x)], out.into())
}

/// As [`reduce`], joined with what `out` holds: a sum or a mean is added to it, of a maximum the larger stays, a product
/// is multiplied with it.
///
/// # Errors
/// As [`reduce_into`].
pub fn reduce_onto<'o, T: Element, O: Element + 'o>(
    reduction: Reduction,
    x: &View<'_, T>,
    over: Over<'_>,
    out: impl Into<ViewMut<'o, O>>,
) -> Result<()> {
    Reduce::new(reduction, over).run_onto(&[Operand::of(x)], out.into())
}

/// As [`reduce_into`] of one operand, or [`sum_of_product_into`] of two, whose element types are tags; if `onto`, as
/// [`reduce_onto`].
///
/// # Errors
/// As those; if the operands have different types; if `onto`, and `out` need not be initialised.
pub fn reduce_any(
    reduction: Reduction,
    operands: &[&AnyView<'_>],
    over: Over<'_>,
    out: &mut AnyViewMut<'_>,
    onto: bool,
    options: Options,
) -> Result<()> {
    let reduce = Reduce { reduction, over, options };
    match operands {
        [a] => reduce.run_any(&[Operand::any(a)], out, onto),
        [a, b] => reduce.run_any(&[Operand::any(a), Operand::any(b)], out, onto),
        _ => Err(crate::BroadcastError::OperandCount { expected: 1, got: operands.len() }),
    }
}
