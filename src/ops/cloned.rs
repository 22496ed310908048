//! The plain path for any `T: Clone` (strings, boxed values): element by element, on the calling thread.
//!
//! Elements that are plain bytes (`bytemuck::NoUninit`) belong on the kernels: `copy_into` and `to_tensor`.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::dims::Dims;
use crate::error::{BroadcastError, Result};
use crate::layout::View;

impl<'a, T> View<'a, T> {
    /// The elements in C order, broadcast ones every time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a T> {
        let strides = self.layout().strides();
        let mut index = Dims::filled(self.rank(), 0_usize);
        let mut at = self.layout().offset();
        let (shape, data, len) = (Dims::from(self.shape()), self.data(), self.len());
        (0..len).map(move |_| {
            let item = &data[at.unsigned_abs()];
            for axis in (0..shape.len()).rev() {
                index[axis] += 1;
                // A step leaves the layout only where it is taken back at once: on wrapping, the index returns to 0. An
                // axis of size 1 is never stepped along, so its stride does not matter.
                if index[axis] < shape[axis] {
                    at += strides[axis];
                    break;
                }
                index[axis] = 0;
                at -= if shape[axis] > 1 { (shape[axis] - 1) as isize * strides[axis] } else { 0 };
            }
            item
        })
    }

    fn check_len(&self, got: usize) -> Result<()> {
        if got == self.len() {
            return Ok(());
        }
        Err(BroadcastError::LengthMismatch { what: "output", expected: self.len(), got })
    }
}

impl<T: Clone> View<'_, T> {
    /// Clones the elements, in C order, into initialised `out` by `clone_from`.
    ///
    /// # Errors
    /// If `out` does not have exactly the view's length.
    ///
    /// ```
    /// use stridecast::View;
    ///
    /// let names = ["a".to_string(), "b".to_string()];
    /// let mut out = vec![String::new(); 4];
    /// View::new(&names, &[2, 1])?.broadcast_to(&[2, 2])?.clone_into(&mut out)?;
    /// assert_eq!(out, ["a", "a", "b", "b"]);
    /// # Ok::<(), stridecast::BroadcastError>(())
    /// ```
    pub fn clone_into(&self, out: &mut [T]) -> Result<()> {
        self.check_len(out.len())?;
        for (slot, item) in out.iter_mut().zip(self.iter()) {
            slot.clone_from(item);
        }
        Ok(())
    }

    /// Clones the elements, in C order, into `out`, all of which is initialised after `Ok`. What `out` held before is
    /// not dropped; if a `clone` panics, the elements written so far are leaked.
    ///
    /// # Errors
    /// If `out` does not have exactly the view's length.
    pub fn clone_into_uninit(&self, out: &mut [MaybeUninit<T>]) -> Result<()> {
        self.check_len(out.len())?;
        for (slot, item) in out.iter_mut().zip(self.iter()) {
            slot.write(item.clone());
        }
        Ok(())
    }

    /// Clones of the elements, in C order.
    ///
    /// # Errors
    /// If the bytes pass `isize::MAX`, or the allocator refuses.
    pub fn cloned(&self) -> Result<Vec<T>> {
        let bytes = crate::layout::checked_bytes(self.shape(), size_of::<T>())?;
        let mut out = Vec::new();
        out.try_reserve_exact(self.len()).map_err(|_| BroadcastError::OutOfMemory { bytes })?;
        out.extend(self.iter().cloned());
        Ok(out)
    }
}
