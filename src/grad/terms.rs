//! [`Terms`]: what is summed down to an operand's shape, function by function, and where the sum goes.

#![forbid(unsafe_code)]

use super::parts::{Angle, Base, Chosen, Divisor, Exponent, Part, Side};
use super::real::{Compute, Divided};
use crate::element::Element;
use crate::engine::Function;
use crate::error::{BroadcastError, Result};
use crate::layout::{Tensor, View, ViewMut, broadcast_shapes};
use crate::op::Op;
use crate::ops::{self, map};
use crate::reduce;
use crate::reduction::Over;

/// A function, the gradient of what it gave, and its operands.
#[derive(Debug)]
pub struct Call<'v, T> {
    pub op: Op,
    pub grad: &'v View<'v, T>,
    pub a: &'v View<'v, T>,
    pub b: &'v View<'v, T>,
}

/// What an operand's gradient is the sum of.
#[derive(Debug)]
pub enum Terms<'v, T> {
    /// The gradient itself.
    Gradient(&'v View<'v, T>),
    /// Its product with something, which the sum takes in.
    Product(&'v View<'v, T>, View<'v, T>),
    /// Contributions of the common shape, or already of the operand's.
    Made(Tensor<T>),
}

impl<T: Compute> Terms<'_, T> {
    /// The gradient, in a new tensor.
    pub fn into_tensor(self, shape: &[usize]) -> Result<Tensor<T>> {
        match self {
            Self::Gradient(grad) if grad.shape() == shape => grad.to_tensor(),
            Self::Gradient(grad) => reduce::sum_to(grad, shape),
            Self::Product(grad, by) if grad.shape() == shape => ops::mul(grad, &by),
            Self::Product(grad, by) => reduce::sum_of_product_to(grad, &by, shape),
            Self::Made(parts) if parts.shape() == shape => Ok(parts),
            Self::Made(parts) => reduce::sum_to(&parts.view(), shape),
        }
    }

    /// The gradient, added to what `out` holds.
    pub fn add_to(self, out: ViewMut<'_, T>) -> Result<()> {
        match self {
            Self::Gradient(grad) => reduce::sum_to_add(grad, out),
            Self::Product(grad, by) => {
                let shape = crate::dims::Shape::from(out.shape());
                reduce::sum_of_product_onto(grad, &by, Over::To(&shape), out)
            }
            Self::Made(parts) => reduce::sum_to_add(&parts.view(), out),
        }
    }
}

/// The terms of the second operand's gradient, or of the first one's.
pub fn of<'v, T: Compute>(call: &Call<'v, T>, second: bool) -> Result<Terms<'v, T>>
where
    Divided: Function<(T::Sum, T), Output = T>,
    T::Sum: Element,
{
    let Call { op, grad, a, b } = *call;
    let (own, other) = if second { (b, a) } else { (a, b) };
    match (op, second) {
        (Op::Add, _) | (Op::Sub, false) => Ok(Terms::Gradient(grad)),
        (Op::Sub, true) => Ok(Terms::Product(grad, View::scalar(T::MINUS_ONE))),
        (Op::Mul, _) => Ok(Terms::Product(grad, other.clone())),
        (Op::Div, false) => ops::div(grad, b).map(Terms::Made),
        // A divisor stands still along the axes that are summed, so the sum may be divided in place of its terms.
        // Not a sum of nothing: it would be divided by a 0 too.
        (Op::Div, true) if b.shape() != grad.shape() && !grad.is_empty() => {
            let sum = reduce::sum_of_product::<T, T::Sum>(grad, a, Over::To(b.shape()))?;
            map(&Divided, (&sum.view(), b)).map(Terms::Made)
        }
        (Op::Div, true) => made(Divisor, [grad, a, b]),
        (Op::Pow, false) => made(Base, [grad, a, b]),
        (Op::Pow, true) => made(Exponent, [grad, a, b]),
        (Op::Maximum, _) => made(Chosen::<true> { sign: 1.0 }, [grad, own, other]),
        (Op::Minimum, _) => made(Chosen::<true> { sign: -1.0 }, [grad, own, other]),
        (Op::Fmax, _) => made(Chosen::<false> { sign: 1.0 }, [grad, own, other]),
        (Op::Fmin, _) => made(Chosen::<false> { sign: -1.0 }, [grad, own, other]),
        (Op::Atan2, false) => made(Angle { sign: 1.0 }, [grad, a, b]),
        (Op::Atan2, true) => made(Angle { sign: -1.0 }, [grad, b, a]),
        (Op::Hypot, _) => made(Side, [grad, own, other]),
        _ => Err(BroadcastError::Undefined { op, operands: [T::DTYPE; 2].to_vec(), output: T::DTYPE }),
    }
}

fn made<'v, T: Compute, P: Part>(part: P, [grad, a, b]: [&View<'_, T>; 3]) -> Result<Terms<'v, T>> {
    map(&T::computed(part), (grad, a, b)).map(Terms::Made)
}

/// That `shapes` broadcast against each other to exactly the shape of `grad`.
pub fn check<T>(grad: &View<'_, T>, shapes: &[&[usize]]) -> Result<()> {
    let common = broadcast_shapes(shapes)?;
    if *common != *grad.shape() {
        return Err(BroadcastError::ShapeMismatch { expected: common.to_vec(), got: grad.shape().to_vec() });
    }
    Ok(())
}
