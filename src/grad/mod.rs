//! Gradients of elementwise functions: what is given back to each operand, in its own shape.
//!
//! Where `y = f(a, b)` and `g` is the gradient of some number L by `y`, the gradient of L by an element of `a` is the
//! sum of `g * df/da` over all elements of `y` that it was broadcast to. Each function below gives both operands' sums.
//!
//! ```
//! use stridecast::{View, grad};
//!
//! // y = x * scale, over a batch of 2.
//! let (x, scale) = ([1.0_f32, 2.0, 3.0, 4.0], [10.0, 100.0]);
//! let (x, scale) = (View::new(&x, &[2, 2])?, View::new(&scale, &[2])?);
//! let (to_x, to_scale) = grad::mul(&View::new(&[1.0, 1.0, 2.0, 2.0], &[2, 2])?, &x, &scale)?;
//! assert_eq!(to_x.as_slice(), [10.0, 100.0, 20.0, 200.0]);
//! assert_eq!(to_scale.as_slice(), [7.0, 10.0]);
//! # Ok::<(), stridecast::BroadcastError>(())
//! ```
//!
//! | function | terms of the gradient of `a` | of `b` |
//! |---|---|---|
//! | [`add`] | `g` | `g` |
//! | [`sub`] | `g` | `-g` |
//! | [`mul`] | `g * b` | `g * a` |
//! | [`div`] | `g / b` | `-(g * a / b / b)` |
//! | [`pow`] | `g * (b * a^(b - 1))`; 0 where `b = 0` | `g * (a^b * ln a)`; 0 where `a = 0` and `b >= 0` |
//! | [`maximum`] | `g` where `a > b`, `g / 2` where they are equal, else 0 | the same, of `b` |
//! | [`minimum`] | `g` where `a < b`, `g / 2` where they are equal, else 0 | the same, of `b` |
//! | [`fmax`], [`fmin`] | as `maximum`, `minimum` | the same, of `b` |
//! | [`atan2`] | `g * (b / h / h)` with `h = hypot(a, b)`; 0 where `h = 0` | `-g * (a / h / h)`; 0 where `h = 0` |
//! | [`hypot`] | `g * (a / h)`; 0 where `h = 0` | `g * (b / h)`; 0 where `h = 0` |
//! | [`where_`] | `g` where the mask is true, else 0 | `g` where it is false, else 0 |
//!
//! # Where there is no derivative
//! - Where the operands of a maximum or minimum are equal (-0 and +0 are), each gets half, as in PyTorch: its gradients
//!   of both together are then `g`, and do not depend on the operands' order. NumPy has no gradients.
//! - A NaN that `maximum` or `minimum` gives comes from an operand, and `g` goes to it; if both are NaN, half to each.
//!   (PyTorch gives all of it to both.) Of `fmax` and `fmin`, `g` goes to the number.
//! - Powers of 0 and to the power of 0 are as in PyTorch: a^0 is 1 whatever `a`, and 0^b is 0 for b > 0, so neither
//!   changes. Else the formulas say: the gradient of a base of 0 is infinite for 0 < b < 1; that of an exponent is
//!   NaN for a negative base, whose power is not defined beside it.
//! - `hypot` has a cone's tip at (0, 0), whose slopes in all directions together are 0: as PyTorch's `norm`, and
//!   unlike its `hypot`, whose NaN would spread to every parameter. For the same reason, `atan2` gives 0 there.
//! - What a formula gives of infinities stands: `inf / inf` is NaN.
//!
//! # How they are computed
//! - f16 and bf16: terms are computed as f32, and rounded once if they are written out; sums are kept in f32 and
//!   rounded once. Sums are those of [`reduce`](crate::reduce), with their bounds; the bits of all gradients are the
//!   same on every machine, for any number of threads.
//! - An operand of the common shape gets its terms in one elementwise pass. To be summed, those of `add`, `sub` and
//!   `mul`, and of `div`'s second operand (as `-(sum(g * a) / b / b)`), are written nowhere. Those of the others are,
//!   once, in a tensor of the common shape.

#![forbid(unsafe_code)]

mod parts;
mod real;
mod terms;

pub use real::Real;

use self::terms::{Call, Terms, check};
use crate::error::{BroadcastError, Result};
use crate::layout::{Rule, Tensor, View, ViewMut};
use crate::op::Op;
use crate::ops::{self, Mask};

/// The gradients of both operands of a sum, which have these shapes: `g`, summed to each.
///
/// # Errors
/// If the shapes have no common one, or `g` does not have it; if there is no memory for the results.
///
/// ```
/// use stridecast::{View, grad};
///
/// let g = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let (a, b) = grad::add(&View::new(&g, &[2, 3])?, &[2, 1], &[3])?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[6.0, 15.0][..], &[5.0, 7.0, 9.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn add<T: Real>(g: &View<'_, T>, a: &[usize], b: &[usize]) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Add, grad: g, a: g, b: g }, a, b)
}

/// The gradients of both operands of a difference, which have these shapes: `g` and `-g`, summed to each.
///
/// # Errors
/// As [`add`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (x, mean) = grad::sub(&View::new(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?, &[2, 2], &[2])?;
/// assert_eq!((x.as_slice(), mean.as_slice()), (&[1.0, 2.0, 3.0, 4.0][..], &[-4.0, -6.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn sub<T: Real>(g: &View<'_, T>, a: &[usize], b: &[usize]) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Sub, grad: g, a: g, b: g }, a, b)
}

/// The gradients of both operands of a product: the sums of `g * b` and of `g * a`.
///
/// # Errors
/// If the shapes have no common one, or `g` does not have it; if there is no memory for the results.
///
/// ```
/// use stridecast::{View, grad};
///
/// let (g, column, row) = ([1.0_f32; 6], [2.0, 3.0], [1.0, 10.0, 100.0]);
/// let (column, row) = (View::new(&column, &[2, 1])?, View::new(&row, &[3])?);
/// let (a, b) = grad::mul(&View::new(&g, &[2, 3])?, &column, &row)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[111.0, 111.0][..], &[5.0, 5.0, 5.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn mul<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Mul, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of a quotient: the sums of `g / b` and of `-g * a / b^2`.
///
/// A divisor that is broadcast divides the sum of `g * a`, which f16 and bf16 keep in f32: one pass over them.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (x, std) = ([1.0_f32, 2.0, 3.0, 4.0], [2.0, 0.5]);
/// let (x, std) = (View::new(&x, &[2, 2])?, View::new(&std, &[2])?);
/// let (a, b) = grad::div(&View::new(&[1.0; 4], &[2, 2])?, &x, &std)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[0.5, 2.0, 0.5, 2.0][..], &[-1.0, -24.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn div<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Div, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of base and exponent: the sums of `g * b * a^(b - 1)` and of `g * a^b * ln a`. Each is 0 where the
/// power is constant: a base's for the exponent 0, an exponent's from 0 on for the base 0.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (base, exponent) = ([1.0_f64, 2.0, 0.0], [3.0]);
/// let (base, exponent) = (View::new(&base, &[3])?, View::new(&exponent, &[1])?);
/// let (a, b) = grad::pow(&View::new(&[1.0; 3], &[3])?, &base, &exponent)?;
/// assert_eq!(a.as_slice(), [3.0, 12.0, 0.0]);
/// assert!((b.as_slice()[0] - 8.0 * 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn pow<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Pow, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::minimum`]: `g` to the smaller, to a NaN, or half to each of two equal ones.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (a, b) = ([1.0_f32, 2.0, 3.0], [2.0]);
/// let (a, b) = grad::minimum(&View::new(&[1.0; 3], &[3])?, &View::new(&a, &[3])?, &View::new(&b, &[1])?)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[1.0, 0.5, 0.0][..], &[1.5][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn minimum<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Minimum, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::maximum`]: `g` to the larger, to a NaN, or half to each of two equal ones.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// // The gradient of relu.
/// let (x, zero) = ([-1.0_f32, 5.0], [0.0]);
/// let (x, _) = grad::maximum(&View::new(&[1.0; 2], &[2])?, &View::new(&x, &[2])?, &View::new(&zero, &[1])?)?;
/// assert_eq!(x.as_slice(), [0.0, 1.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn maximum<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Maximum, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::fmin`]: as [`minimum`], but of a number and a NaN to the number.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (a, b) = ([1.0_f32, f32::NAN], [2.0]);
/// let (a, b) = grad::fmin(&View::new(&[1.0; 2], &[2])?, &View::new(&a, &[2])?, &View::new(&b, &[1])?)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[1.0, 0.0][..], &[1.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn fmin<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Fmin, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::fmax`]: as [`maximum`], but of a number and a NaN to the number.
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (a, b) = ([1.0_f32, f32::NAN], [2.0]);
/// let (a, b) = grad::fmax(&View::new(&[1.0; 2], &[2])?, &View::new(&a, &[2])?, &View::new(&b, &[1])?)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[0.0, 0.0][..], &[2.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn fmax<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Fmax, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::atan2`], y and x: the sums of `g * x / (x^2 + y^2)` and of
/// `-g * y / (x^2 + y^2)`, whose squares neither overflow nor vanish; 0 at (0, 0).
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (y, x) = ([3.0_f64, 0.0], [4.0, 0.0]);
/// let (y, x) = grad::atan2(&View::new(&[25.0; 2], &[2])?, &View::new(&y, &[2])?, &View::new(&x, &[2])?)?;
/// assert_eq!((y.as_slice(), x.as_slice()), (&[4.0, 0.0][..], &[-3.0, 0.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn atan2<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Atan2, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::hypot`]: the sums of `g * a / h` and of `g * b / h`, where `h` is what it
/// gave; 0 at (0, 0).
///
/// # Errors
/// As [`mul`].
///
/// ```
/// use stridecast::{View, grad};
///
/// let (a, b) = ([3.0_f32, 0.0], [4.0, 0.0]);
/// let (a, b) = grad::hypot(&View::new(&[5.0; 2], &[2])?, &View::new(&a, &[2])?, &View::new(&b, &[2])?)?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[3.0, 0.0][..], &[4.0, 0.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn hypot<T: Real>(g: &View<'_, T>, a: &View<'_, T>, b: &View<'_, T>) -> Result<(Tensor<T>, Tensor<T>)> {
    both(Call { op: Op::Hypot, grad: g, a, b }, a.shape(), b.shape())
}

/// The gradients of both operands of [`ops::where_`], which have these shapes: the sum of `g` where the mask is true,
/// and where it is false.
///
/// # Errors
/// If the shapes and the mask's have no common one, or `g` does not have it; if there is no memory for the results.
///
/// ```
/// use stridecast::{View, grad};
///
/// let (g, mask) = ([1.0_f32, 2.0, 3.0, 4.0], [true, false]);
/// let (a, b) = grad::where_(&View::new(&g, &[2, 2])?, &View::new(&mask, &[2, 1])?, &[2, 2], &[])?;
/// assert_eq!((a.as_slice(), b.as_slice()), (&[1.0, 2.0, 0.0, 0.0][..], &[7.0][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn where_<T: Real, M: Mask>(
    g: &View<'_, T>,
    mask: &View<'_, M>,
    a: &[usize],
    b: &[usize],
) -> Result<(Tensor<T>, Tensor<T>)> {
    check(g, &[mask.shape(), a, b])?;
    Ok((chosen(g, mask, false)?.into_tensor(a)?, chosen(g, mask, true)?.into_tensor(b)?))
}

/// The gradients of the operands of one of the functions of two above, each added to what its tensor holds: for
/// tensors that are used more than once. An operand without a tensor costs nothing.
///
/// For f16 and bf16 the sum in f32 is added to the element in f32, and rounded once; where terms or a divisor's
/// gradient are written out first, they are rounded then too. Terms are written out for both operands at once.
///
/// # Errors
/// If there is no gradient of the function; if the operands' shapes have no common one, or `g` does not have it; if a
/// tensor does not have its operand's shape; if there is no memory for what is written out. Nothing is added then.
///
/// ```
/// use stridecast::{Op, View, ViewMut, grad};
///
/// let (g, x, scale) = ([1.0_f32; 4], [1.0, 2.0, 3.0, 4.0], [10.0, 100.0]);
/// let (x, scale) = (View::new(&x, &[2, 2])?, View::new(&scale, &[2])?);
/// let mut total = [0.5; 2];
/// let to_scale = ViewMut::new(&mut total, &[2])?;
/// grad::onto(Op::Mul, &View::new(&g, &[2, 2])?, [&x, &scale], [None, Some(to_scale)])?;
/// assert_eq!(total, [4.5, 6.5]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn onto<T: Real>(
    op: Op,
    g: &View<'_, T>,
    operands: [&View<'_, T>; 2],
    totals: [Option<ViewMut<'_, T>>; 2],
) -> Result<()> {
    let [a, b] = operands;
    let call = Call { op, grad: g, a, b };
    check(g, &[a.shape(), b.shape()])?;
    check_totals(operands.map(View::shape), &totals)?;
    add_to(|second| T::terms(&call, second), totals)
}

/// The gradients of the operands of [`ops::where_`], as [`onto`]; the operands have the shapes of their tensors.
///
/// # Errors
/// If the tensors' shapes and the mask's cannot be broadcast to that of `g`; if there is no memory for what is written
/// out. Nothing is added then.
///
/// ```
/// use stridecast::{View, ViewMut, grad};
///
/// let (g, mask, mut total) = ([1.0_f32, 2.0, 3.0, 4.0], [true, false], [10.0]);
/// let (g, mask) = (View::new(&g, &[2, 2])?, View::new(&mask, &[2, 1])?);
/// grad::where_onto(&g, &mask, [None, Some(ViewMut::new(&mut total, &[1])?)])?;
/// assert_eq!(total, [17.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn where_onto<T: Real, M: Mask>(
    g: &View<'_, T>,
    mask: &View<'_, M>,
    totals: [Option<ViewMut<'_, T>>; 2],
) -> Result<()> {
    let shapes = totals.each_ref().map(|total| total.as_ref().map_or(&[][..], ViewMut::shape));
    for shape in [mask.shape(), shapes[0], shapes[1]] {
        Rule::Numpy.output_shape(shape, g.shape())?;
    }
    add_to(|second| chosen(g, mask, second), totals)
}

/// Both gradients, of operands of these shapes.
fn both<T: Real>(call: Call<'_, T>, a: &[usize], b: &[usize]) -> Result<(Tensor<T>, Tensor<T>)> {
    check(call.grad, &[a, b])?;
    // One after the other: the first one's terms are gone when the second one's are written.
    Ok((T::terms(&call, false)?.into_tensor(a)?, T::terms(&call, true)?.into_tensor(b)?))
}

/// The terms of an operand that a mask chooses.
fn chosen<'v, T: Real, M: Mask>(g: &View<'v, T>, mask: &View<'_, M>, second: bool) -> Result<Terms<'v, T>> {
    let zero = View::scalar(T::ZERO);
    let chosen = if second { ops::where_(mask, &zero, g) } else { ops::where_(mask, g, &zero) };
    chosen.map(Terms::Made)
}

/// Makes the terms of the totals that are there, then adds them: once the first is changed, nothing fails.
fn add_to<'v, T: Real>(
    terms: impl Fn(bool) -> Result<Terms<'v, T>>,
    totals: [Option<ViewMut<'_, T>>; 2],
) -> Result<()> {
    let [a, b] = totals;
    let a = a.map(|total| Ok((terms(false)?, total))).transpose()?;
    let b = b.map(|total| Ok((terms(true)?, total))).transpose()?;
    a.into_iter().chain(b).try_for_each(|(terms, total)| terms.add_to(total))
}

fn check_totals<T>(shapes: [&[usize]; 2], totals: &[Option<ViewMut<'_, T>>; 2]) -> Result<()> {
    for (shape, total) in shapes.into_iter().zip(totals) {
        if let Some(total) = total.as_ref().filter(|total| total.shape() != shape) {
            return Err(BroadcastError::ShapeMismatch { expected: shape.to_vec(), got: total.shape().to_vec() });
        }
    }
    Ok(())
}
