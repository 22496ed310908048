//! Shapes, strides, rules and the views that carry them. Nothing here runs a kernel.

mod any_view;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod layout;
mod out;
mod rule;
mod tensor;
mod tiling;
mod view;

pub use any_view::{AnyView, AnyViewMut};
pub use layout::{Layout, Side};
pub use out::{Buffer, Out};
pub(crate) use rule::common_shape;
pub use rule::{Rule, broadcast_shapes};
pub use tensor::Tensor;
pub(crate) use tiling::Tiling;
pub use view::{View, ViewMut};

use crate::dims::Dims;
use crate::error::{BroadcastError, Result};

/// The number of elements of a shape.
///
/// Like NumPy it refuses a shape whose non-zero sizes alone pass `isize::MAX`, even if another size is
/// zero: strides and partial products of an accepted shape then never overflow.
#[inline]
pub(crate) fn element_count(shape: &[usize]) -> Result<usize> {
    checked_bytes(shape, 1)
}

/// The number of bytes of a shape of `elem_size`-byte elements, under the rule of [`element_count`].
#[inline]
pub(crate) fn checked_bytes(shape: &[usize], elem_size: usize) -> Result<usize> {
    let too_large = || BroadcastError::TooLarge { shape: shape.to_vec(), elem_size };
    let mut bytes = elem_size;
    if bytes > isize::MAX as usize {
        return Err(too_large());
    }
    let mut empty = false;
    for &size in shape {
        if size == 0 {
            empty = true;
            continue;
        }
        bytes = match bytes.checked_mul(size) {
            Some(b) if b <= isize::MAX as usize => b,
            _ => return Err(too_large()),
        };
    }
    Ok(if empty { 0 } else { bytes })
}

/// C-order strides, in elements, of a shape that passed [`element_count`].
#[inline]
pub(crate) fn c_strides(shape: &[usize]) -> Dims<isize> {
    let mut strides = Dims::filled(shape.len(), 0);
    let mut next = 1_isize;
    for (stride, &size) in strides.iter_mut().zip(shape).rev() {
        *stride = next;
        next *= size.max(1) as isize;
    }
    strides
}
