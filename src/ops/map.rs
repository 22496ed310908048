//! Calls of your own functions.

use crate::engine::{Function, Mapped, Options, Views};
use crate::error::Result;
use crate::layout::{Out, Tensor};

/// `function` of the elements of one, two or three views, which broadcast against each other, in a new tensor.
///
/// Operands may have different types, of at most 16 bytes each; they get what the crate's own functions get: every
/// layout, vector instructions, threads. See [`Function`].
///
/// # Errors
/// If the shapes have no common one; if the output is too large or there is no memory for it.
///
/// ```
/// use stridecast::{View, map};
///
/// let (x, scale, bias) = ([1.0_f32, 2.0, 3.0, 4.0], [2.0_f32, 0.5], [1.0_f32]);
/// let views = (&View::new(&x, &[2, 2])?, &View::new(&scale, &[2])?, &View::new(&bias, &[1])?);
/// let y = map(&|x: f32, scale: f32, bias: f32| (x * scale + bias).max(0.0), views)?;
/// assert_eq!(y.as_slice(), [3.0, 2.0, 7.0, 3.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn map<F, V>(function: &F, views: V) -> Result<Tensor<F::Output>>
where
    F: Function<V::Elements>,
    V: Views,
{
    map_with(function, views, Options::new())
}

/// As [`map`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`map`].
pub fn map_with<F, V>(function: &F, views: V, options: Options) -> Result<Tensor<F::Output>>
where
    F: Function<V::Elements>,
    V: Views,
{
    Mapped { function, views, options }.to_tensor()
}

/// As [`map`], into `out`.
///
/// # Errors
/// As [`map`]; if `out` does not have the common shape (a view) or its number of elements (a buffer). Nothing is
/// written then.
pub fn map_into<'o, F, V>(function: &F, views: V, out: impl Into<Out<'o, F::Output>>) -> Result<()>
where
    F: Function<V::Elements>,
    V: Views,
    F::Output: 'o,
{
    map_into_with(function, views, out, Options::new())
}

/// As [`map_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`map_into`].
pub fn map_into_with<'o, F, V>(
    function: &F,
    views: V,
    out: impl Into<Out<'o, F::Output>>,
    options: Options,
) -> Result<()>
where
    F: Function<V::Elements>,
    V: Views,
    F::Output: 'o,
{
    Mapped { function, views, options }.run_into(out.into())
}
