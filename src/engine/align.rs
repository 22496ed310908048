//! From the layouts of several operands to their joint nest, in one pass from the right where the output is in C order.

#![forbid(unsafe_code)]

use super::map::OPERANDS;
use super::plan::Reach;
use crate::dims::{Dims, Shape, Strides};
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, broadcast_shapes, checked_bytes};
use crate::nest::LoopNest;

/// Makes `nest`, which is empty, that of `inputs` laid from the right over each other and over an output in C order
/// without gaps: of `shape` if one is given, else of their common shape. Sizes are bytes of an element.
///
/// That every byte the inputs reach has an offset that fits `isize` is checked by the caller, before or after.
///
/// # Errors
/// If the shapes have no common one, or it is not `shape`; if the output's bytes pass `isize::MAX`.
#[inline]
pub(super) fn lay_dense(
    nest: &mut LoopNest<OPERANDS>,
    inputs: &[&Layout<'_>],
    shape: Option<&[usize]>,
    sizes: [usize; OPERANDS],
) -> Result<()> {
    let rank = inputs.iter().map(|input| input.rank()).max().unwrap_or(0);
    let mut fits = shape.is_none_or(|shape| shape.len() == rank);
    // Written out: closures over arrays stay calls, at a tenth of a small call's time.
    let input = |k: usize| inputs.get(k).map(|input| input.axes_from_right()).into_iter().flatten();
    let (mut a, mut b, mut c) = (input(0), input(1), input(2));
    let offset = |k: usize| inputs.get(k).map_or(0, |input| input.offset());
    let start = [0, offset(0), offset(1), offset(2)];
    let joint = (0..rank).rev().map(|axis| {
        let own = [a.next().unwrap_or((1, 0)), b.next().unwrap_or((1, 0)), c.next().unwrap_or((1, 0))];
        let size = own.iter().fold(1, |size, &(own, _)| if size == 1 { own } else { size });
        fits &= own.iter().all(|&(own, _)| own == size || own == 1);
        let stride = |k: usize| if own[k].0 == size { own[k].1 } else { 0 };
        let strides = [0, stride(0), stride(1), stride(2)];
        fits &= shape.is_none_or(|shape| shape.get(axis) == Some(&size));
        (size, strides)
    });
    let addressable = nest.fill_elements(start, joint, sizes);
    if fits && addressable { Ok(()) } else { Err(why_not(inputs, shape, sizes[0])) }
}

/// Why [`lay_dense`] refuses, in the words of whoever owns the check.
#[cold]
#[inline(never)]
fn why_not(inputs: &[&Layout<'_>], shape: Option<&[usize]>, size: usize) -> BroadcastError {
    let common = match common_shape(inputs) {
        Ok(common) => common,
        Err(error) => return error,
    };
    match shape {
        Some(shape) if *shape != *common => {
            BroadcastError::ShapeMismatch { expected: common.to_vec(), got: shape.to_vec() }
        }
        _ => checked_bytes(&common, size).expect_err("the pass refuses what the checks refuse"),
    }
}

/// The common shape of several layouts.
pub(super) fn common_shape(inputs: &[&Layout<'_>]) -> Result<Shape> {
    let shapes: Dims<&[usize]> = inputs.iter().map(|input| input.shape()).collect();
    broadcast_shapes(&shapes)
}

/// The same for an output of any strides.
///
/// # Errors
/// If the shapes have no common one, or it is not the output's; if the output may touch an element twice; if a byte
/// that some layout reaches has an offset that passes `isize::MAX`.
pub(super) fn lay_strided(
    nest: &mut LoopNest<OPERANDS>,
    inputs: &[&Layout<'_>],
    out: &Layout<'_>,
    sizes: [usize; OPERANDS],
) -> Result<()> {
    let common = common_shape(inputs)?;
    if *common != *out.shape() {
        return Err(BroadcastError::ShapeMismatch { expected: common.to_vec(), got: out.shape().to_vec() });
    }
    out.check_disjoint()?;
    checked_bytes(&common, sizes[0])?;
    Reach::of(out).check_bytes(out, sizes[0])?;
    let mut strides: [Strides; OPERANDS] = core::array::from_fn(|_| Strides::filled(common.len(), 0));
    strides[0] = out.strides();
    let mut start = [0; OPERANDS];
    start[0] = out.offset();
    for (k, input) in inputs.iter().enumerate() {
        Reach::of(input).check_bytes(input, sizes[k + 1])?;
        start[k + 1] = input.offset();
        let lead = common.len() - input.rank();
        for (axis, (&size, &stride)) in input.shape().iter().zip(&input.strides()).enumerate() {
            strides[k + 1][lead + axis] = if size == common[lead + axis] { stride } else { 0 };
        }
    }
    *nest = LoopNest::of_elements(&common, core::array::from_fn(|k| (&*strides[k], start[k])), sizes);
    Ok(())
}
