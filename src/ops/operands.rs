//! Several operands of one element type to their common shape.

use alloc::vec::Vec;

use crate::dims::Dims;
use crate::error::Result;
use crate::layout::{View, broadcast_shapes};

/// All views stretched to their common shape under the mutual rule. Copies nothing; `to_tensor` or `copy_into` on
/// a result materialises it. For operands of different element types see [`broadcast_all_any`].
///
/// [`broadcast_all_any`]: crate::broadcast_all_any
///
/// # Errors
/// As [`broadcast_shapes`].
pub fn broadcast_all<'a, T>(views: &[View<'a, T>]) -> Result<Vec<View<'a, T>>> {
    let shapes: Dims<&[usize]> = views.iter().map(View::shape).collect();
    let common = broadcast_shapes(&shapes)?;
    views.iter().map(|view| view.broadcast_to(&common)).collect()
}

/// As [`broadcast_all`] for a fixed number of operands, without an allocation.
///
/// # Errors
/// As [`broadcast_shapes`].
///
/// ```
/// use stridecast::{View, broadcast_arrays};
///
/// let (column, row) = ([1, 2], [10, 20, 30]);
/// let [a, b] = broadcast_arrays([View::new(&column, &[2, 1])?, View::new(&row, &[3])?])?;
/// assert_eq!((a.shape(), b.shape()), (&[2, 3][..], &[2, 3][..]));
/// assert_eq!((a.get(&[1, 2]), b.get(&[1, 2])), (Some(&2), Some(&30)));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast_arrays<'a, T, const N: usize>(views: [View<'a, T>; N]) -> Result<[View<'a, T>; N]> {
    let shapes: [&[usize]; N] = core::array::from_fn(|i| views[i].shape());
    let common = broadcast_shapes(&shapes)?;
    // The rule held for the common shape, so it holds for each operand; the error type is carried all the same.
    let mut failed = None;
    let wide = core::array::from_fn(|i| {
        views[i].broadcast_to(&common).unwrap_or_else(|error| {
            failed = Some(error);
            views[i].clone()
        })
    });
    failed.map_or(Ok(wide), Err)
}
