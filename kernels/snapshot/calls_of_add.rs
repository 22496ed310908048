/// `a + b`. Integers wrap (two's complement), as in NumPy and ONNX.
///
/// # Errors
/// If the shapes have no common one; if the output is too large or there is no memory for it.
///
/// ```
/// use stridecast::{View, ops};
///
/// let a = [1, 2, 3];
/// let b = [10];
/// let result = ops::add(&View::new(&a, &[3])?, &View::new(&b, &[1])?)?;
/// assert_eq!(result.as_slice(), [11, 12, 13]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn add<T: Defined<fun::Add>>(a: &View<'_, T>, b: &View<'_, T>) -> Result<Tensor<T>> {
    Apply::new(Op::Add).to_tensor([Operand::of(a), Operand::of(b)])
}

/// As [`add`], into `out`.
///
/// # Errors
/// As [`add`]; if `out` does not have the common shape (a view) or its number of elements (a buffer). Nothing is
/// written then.
pub fn add_into<'o, T: Defined<fun::Add>>(a: &View<'_, T>, b: &View<'_, T>, out: impl Into<Out<'o, T>>) -> Result<()> {
    Apply::new(Op::Add).run_into([Operand::of(a), Operand::of(b)], out.into())
}

/// `a` becomes [`add`] of `a` and `b`; `b` broadcasts to the shape of `a`.
///
/// # Errors
/// As [`add`]; if the common shape is not that of `a`. `a` is unchanged then.
pub fn add_assign<'a, T: Defined<fun::Add>>(a: impl Into<ViewMut<'a, T>>, b: &View<'_, T>) -> Result<()> {
    Apply::new(Op::Add).assign(a.into(), 0, &[Operand::of(b)])
}

/// `a` becomes [`add`] of `b` and `a`: the operands the other way round.
///
/// # Errors
/// As [`add_assign`].
pub fn add_assign_reversed<'a, T: Defined<fun::Add>>(a: impl Into<ViewMut<'a, T>>, b: &View<'_, T>) -> Result<()> {
    Apply::new(Op::Add).assign(a.into(), 1, &[Operand::of(b)])
}
