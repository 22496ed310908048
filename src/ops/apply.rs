//! Functions of views whose element types are tags.

use alloc::vec::Vec;

use crate::engine::{Apply, Fold, Operand, Options};
use crate::error::{BroadcastError, Result};
use crate::functions::Tolerance;
use crate::layout::{AnyView, AnyViewMut};
use crate::op::Op;

/// `op` of views that broadcast against each other, into `out`, which has their common shape and a type that the
/// function gives for theirs. [`OpPlan::output_of`](crate::OpPlan::output_of) has the usual one; a comparison gives bool,
/// u8, or 0 and 1 of the operands' type.
///
/// # Errors
/// If there are not as many views as the function has operands; if it is not defined on these types; if the shapes have
/// no common one, or it is not that of `out`; if an integer is divided by zero or raised to a negative integer. Nothing
/// is written then.
///
/// ```
/// use stridecast::{AnyView, AnyViewMut, Op, Options, View, ViewMut, apply_any};
///
/// let (a, b) = ([1.0_f64, 2.0], [10.0_f64, 20.0]);
/// let (a, b): (AnyView, AnyView) = (View::new(&a, &[2, 1])?.into(), View::new(&b, &[2])?.into());
/// let mut out = [0.0_f64; 4];
/// let mut view: AnyViewMut = ViewMut::new(&mut out, &[2, 2])?.into();
/// apply_any(Op::Sub, &[&a, &b], &mut view, Options::new())?;
/// assert_eq!(out, [-9.0, -19.0, -8.0, -18.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn apply_any(op: Op, views: &[&AnyView<'_>], out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
    let call = Apply { options, ..Apply::new(op) };
    call.run_any(&operands(op.arity(), views)?, out)
}

/// [`Op::ApproxEq`] with other tolerances than NumPy's.
///
/// # Errors
/// As [`apply_any`].
pub fn approx_eq_any(
    views: &[&AnyView<'_>; 2],
    tolerance: Tolerance,
    out: &mut AnyViewMut<'_>,
    options: Options,
) -> Result<()> {
    let call = Apply { op: Op::ApproxEq, tolerance, options };
    call.run_any(&operands(2, views)?, out)
}

/// `op` with `out` as operand `operand`, counted from 0, and as the output; `others` are the other operands in order.
///
/// # Errors
/// As [`apply_any`]; if the function has no operand of that number; if the common shape is not that of `out`; if `out`
/// was made by [`AnyViewMut::uninit`].
pub fn apply_any_in_place(
    op: Op,
    operand: usize,
    out: &mut AnyViewMut<'_>,
    others: &[&AnyView<'_>],
    options: Options,
) -> Result<()> {
    if operand >= op.arity() {
        return Err(BroadcastError::OperandCount { expected: op.arity(), got: operand + 1 });
    }
    let call = Apply { options, ..Apply::new(op) };
    call.assign_any(out, operand, &operands(op.arity() - 1, others)?)
}

/// A function of any number of views of one type; see [`ops::nary`](crate::ops::nary).
///
/// # Errors
/// As there; if the types differ, or the mean is asked of what is no float.
pub fn fold_any(fold: Fold, views: &[&AnyView<'_>], out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
    fold.run_any(&operands(views.len(), views)?, out, options)
}

/// As many views as are needed.
fn operands<'v>(expected: usize, views: &[&'v AnyView<'_>]) -> Result<Vec<Operand<'v>>> {
    if views.len() != expected {
        return Err(BroadcastError::OperandCount { expected, got: views.len() });
    }
    Ok(views.iter().map(|view| Operand::any(view)).collect())
}
