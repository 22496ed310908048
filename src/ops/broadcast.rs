//! Materialising one broadcast view.

use bytemuck::NoUninit;

use crate::engine::{Job, Options};
use crate::error::Result;
use crate::layout::{Out, Rule, Tensor, View};

impl<T: NoUninit> View<'_, T> {
    /// Writes the view's elements, in its shape, into `out`: a buffer, a strided view or a tensor.
    ///
    /// # Errors
    /// If `out` does not have exactly the view's length (a buffer) or shape (a view or tensor).
    pub fn copy_into<'o>(&self, out: impl Into<Out<'o, T>>) -> Result<()> {
        self.copy_into_with(out, Options::new())
    }

    /// As [`View::copy_into`], on a level or without threads as `options` say.
    ///
    /// # Errors
    /// As [`View::copy_into`].
    pub fn copy_into_with<'o>(&self, out: impl Into<Out<'o, T>>, options: Options) -> Result<()> {
        Job::copy(self).run_into(out.into(), options)
    }

    /// The view's elements in a new tensor.
    ///
    /// # Errors
    /// If the bytes pass `isize::MAX`, or the allocator refuses.
    pub fn to_tensor(&self) -> Result<Tensor<T>> {
        self.to_tensor_with(Options::new())
    }

    /// As [`View::to_tensor`], on a level or without threads as `options` say.
    ///
    /// # Errors
    /// As [`View::to_tensor`].
    pub fn to_tensor_with(&self, options: Options) -> Result<Tensor<T>> {
        Job::copy(self).to_tensor(options)
    }
}

/// `source` broadcast to `shape` under `rule`, in a new tensor.
///
/// # Errors
/// As [`Rule::output_shape`]; if the output's bytes pass `isize::MAX`; if the allocator refuses.
///
/// ```
/// use stridecast::{Rule, View, broadcast};
///
/// // OpenVINO's explicit mode: the source's two axes become axes 1 and 2.
/// let image = [1_u8, 2, 3, 4];
/// let nhwc = broadcast(&View::new(&image, &[2, 2])?, &[1, 2, 2, 3], Rule::AxesMapping(&[1, 2]))?;
/// assert_eq!(nhwc.as_slice(), [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast<T: NoUninit>(source: &View<'_, T>, shape: &[usize], rule: Rule<'_>) -> Result<Tensor<T>> {
    broadcast_with(source, shape, rule, Options::new())
}

/// As [`broadcast`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`broadcast`].
pub fn broadcast_with<T: NoUninit>(
    source: &View<'_, T>,
    shape: &[usize],
    rule: Rule<'_>,
    options: Options,
) -> Result<Tensor<T>> {
    Job::broadcast(source, shape, rule).to_tensor(options)
}

/// `source` broadcast to `shape` under `rule`, written into `out`.
///
/// # Errors
/// As [`Rule::output_shape`]; if `out` does not have the resulting length (a buffer) or shape. Nothing is written
/// then.
///
/// ```
/// use stridecast::{Rule, View, broadcast_into};
///
/// let mut out = [0.0_f32; 6];
/// broadcast_into(&View::new(&[1.0, 2.0], &[2, 1])?, &[2, 3], Rule::Numpy, &mut out)?;
/// assert_eq!(out, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast_into<'o, T: NoUninit>(
    source: &View<'_, T>,
    shape: &[usize],
    rule: Rule<'_>,
    out: impl Into<Out<'o, T>>,
) -> Result<()> {
    broadcast_into_with(source, shape, rule, out, Options::new())
}

/// As [`broadcast_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`broadcast_into`].
pub fn broadcast_into_with<'o, T: NoUninit>(
    source: &View<'_, T>,
    shape: &[usize],
    rule: Rule<'_>,
    out: impl Into<Out<'o, T>>,
    options: Options,
) -> Result<()> {
    Job::broadcast(source, shape, rule).run_into(out.into(), options)
}
