//! Broadcasting views whose element types are tags, several of different types included.

use alloc::vec::Vec;

use crate::dims::Dims;
use crate::engine::{Options, copy_any, tile_any};
use crate::error::{BroadcastError, Result};
use crate::layout::{AnyView, AnyViewMut, Tiling, broadcast_shapes};

impl AnyView<'_> {
    /// Writes the view's elements, in its shape, into `out`.
    ///
    /// # Errors
    /// If `out` has another element type or shape.
    pub fn copy_into(&self, out: &mut AnyViewMut<'_>) -> Result<()> {
        self.copy_into_with(out, Options::new())
    }

    /// As [`AnyView::copy_into`], on a level or without threads as `options` say.
    ///
    /// # Errors
    /// As [`AnyView::copy_into`].
    pub fn copy_into_with(&self, out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
        self.check_same(out)?;
        copy_any(self, out, options)
    }

    /// Writes the elements tiled `reps[i]` times along axis `i`; see [`tile`](crate::tile).
    ///
    /// # Errors
    /// As [`tile`](crate::tile); if `out` has another element type, or not the resulting shape.
    pub fn tile_into(&self, reps: &[usize], out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
        self.tiled_into(&Tiling::tile(self.layout(), reps)?, out, options)
    }

    /// Writes each element repeated `reps[i]` times along axis `i`; see [`repeat`](crate::repeat).
    ///
    /// # Errors
    /// As [`repeat`](crate::repeat); if `out` has another element type, or not the resulting shape.
    pub fn repeat_into(&self, reps: &[usize], out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
        self.tiled_into(&Tiling::repeat(self.layout(), reps)?, out, options)
    }

    fn tiled_into(&self, tiling: &Tiling, out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
        self.check_dtype(out)?;
        tile_any(self, tiling, out, options)
    }

    fn check_dtype(&self, out: &AnyViewMut<'_>) -> Result<()> {
        if self.dtype() == out.dtype() {
            return Ok(());
        }
        Err(BroadcastError::DTypeMismatch { expected: self.dtype(), got: out.dtype() })
    }

    fn check_same(&self, out: &AnyViewMut<'_>) -> Result<()> {
        self.check_dtype(out)?;
        if self.shape() == out.shape() {
            return Ok(());
        }
        Err(BroadcastError::ShapeMismatch { expected: self.shape().to_vec(), got: out.shape().to_vec() })
    }
}

/// All views stretched to their common shape; their element types may differ. Copies nothing.
///
/// # Errors
/// As [`broadcast_shapes`].
pub fn broadcast_all_any<'a>(views: &[AnyView<'a>]) -> Result<Vec<AnyView<'a>>> {
    let shapes: Dims<&[usize]> = views.iter().map(AnyView::shape).collect();
    let common = broadcast_shapes(&shapes)?;
    views.iter().map(|view| view.broadcast_to(&common)).collect()
}

/// SONNX's Broadcast: N inputs of possibly different element types, N outputs of their common shape, output `i` of
/// input `i`'s type. Where SONNX's text takes the largest size of an axis, this is the mutual rule of ONNX and
/// NumPy: size 1 yields to 0 as well.
///
/// # Errors
/// If there are not as many outputs as inputs, the shapes have no common one, or an output has another type or
/// shape. All of it is checked before anything is written.
///
/// ```
/// use stridecast::{AnyView, AnyViewMut, View, ViewMut, broadcast_all_any_into};
///
/// let (x, y) = ([1.0_f32, 2.0], [7_i64, 8, 9]);
/// let inputs: [AnyView; 2] = [View::new(&x, &[2, 1])?.into(), View::new(&y, &[3])?.into()];
/// let (mut a, mut b) = ([0.0_f32; 6], [0_i64; 6]);
/// let mut outputs: [AnyViewMut; 2] = [ViewMut::new(&mut a, &[2, 3])?.into(), ViewMut::new(&mut b, &[2, 3])?.into()];
/// broadcast_all_any_into(&inputs, &mut outputs)?;
/// assert_eq!(a, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
/// assert_eq!(b, [7, 8, 9, 7, 8, 9]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast_all_any_into(inputs: &[AnyView<'_>], outputs: &mut [AnyViewMut<'_>]) -> Result<()> {
    broadcast_all_any_into_with(inputs, outputs, Options::new())
}

/// As [`broadcast_all_any_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`broadcast_all_any_into`].
pub fn broadcast_all_any_into_with(
    inputs: &[AnyView<'_>],
    outputs: &mut [AnyViewMut<'_>],
    options: Options,
) -> Result<()> {
    if inputs.len() != outputs.len() {
        return Err(BroadcastError::OperandCount { expected: inputs.len(), got: outputs.len() });
    }
    let wide = broadcast_all_any(inputs)?;
    for (view, out) in wide.iter().zip(outputs.iter()) {
        view.check_same(out)?;
    }
    wide.iter().zip(outputs).try_for_each(|(view, out)| copy_any(view, out, options))
}
