//! [`Tensor`]: owned elements in C order, aligned to a cache line; what allocating calls return.

use alloc::vec::Vec;
use core::alloc::Layout as Allocation;
use core::fmt;

use aligned_vec::{AVec, ConstAlign};
use bytemuck::NoUninit;

use super::{View, ViewMut, checked_bytes};
use crate::dims::Shape;
use crate::error::{BroadcastError, Result};

/// A cache line, so that the chunks of a parallel run meet on line edges.
const ALIGN: usize = 64;

/// Allocations from this many bytes on ask for large pages. The first touch of fresh memory costs more than any kernel:
/// 2 GB/s in pages of 4 KiB, 11 in those of 2 MiB, of which this is two (Zen 4, 128 MiB; Linux leaves the choice to the
/// program by default).
#[cfg(target_os = "linux")]
const LARGE_PAGES_LEAST: usize = 4 << 20;

/// An owned tensor in C order, its memory aligned to 64 bytes, and in large pages where Linux has them to give and the
/// tensor is of 4 MiB or more.
///
/// ```
/// use stridecast::{Rule, View, broadcast};
///
/// let tensor = broadcast(&View::new(&[1_u8, 2, 3], &[3, 1])?, &[3, 2], Rule::Numpy)?;
/// assert_eq!(tensor.shape(), [3, 2]);
/// assert_eq!(tensor.as_slice(), [1, 1, 2, 2, 3, 3]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Tensor<T> {
    data: AVec<T, ConstAlign<ALIGN>>,
    shape: Shape,
}

impl<T: NoUninit> Tensor<T> {
    /// Allocates, lets `fill` write every element, and returns the tensor.
    ///
    /// # Safety
    /// If `fill` returns `Ok`, it initialised all elements of `shape` from the pointer on.
    ///
    /// # Errors
    /// `fill`'s own; if the byte count passes `isize::MAX`; if the allocator refuses.
    pub(crate) unsafe fn filled_by(shape: Shape, fill: impl FnOnce(*mut T) -> Result<()>) -> Result<Self> {
        let bytes = checked_bytes(&shape, size_of::<T>())?;
        let len = super::element_count(&shape)?;
        // aligned-vec does not check that the size, rounded up to the alignment, is one that an allocator takes.
        if Allocation::from_size_align(bytes, ALIGN.max(align_of::<T>())).is_err() {
            return Err(BroadcastError::TooLarge { shape: shape.to_vec(), elem_size: size_of::<T>() });
        }
        let mut data: AVec<T, ConstAlign<ALIGN>> = AVec::new(ALIGN);
        data.try_reserve_exact(len).map_err(|_| BroadcastError::OutOfMemory { bytes })?;
        advise_large_pages(data.as_mut_ptr().cast(), bytes);
        fill(data.as_mut_ptr())?;
        // SAFETY: `len` elements are allocated, and `fill` initialised them.
        unsafe { data.set_len(len) };
        Ok(Self { data, shape })
    }

    /// A copy of `data` as a tensor.
    ///
    /// # Errors
    /// If `data` does not hold exactly the elements of `shape`, or if the allocator refuses.
    pub fn from_slice(data: &[T], shape: &[usize]) -> Result<Self> {
        View::new(data, shape)?;
        // SAFETY: the view's check says that `data` holds all elements, and all are copied.
        unsafe {
            Self::filled_by(Shape::from(shape), |out| {
                core::ptr::copy_nonoverlapping(data.as_ptr(), out, data.len());
                Ok(())
            })
        }
    }

    /// The sizes, outermost axis first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements in C order.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The elements in C order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// A read-only view.
    pub fn view(&self) -> View<'_, T> {
        View::new(&self.data, &self.shape).expect("a tensor holds the elements of its shape")
    }

    /// A mutable view.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::new(&mut self.data, &self.shape).expect("a tensor holds the elements of its shape")
    }

    /// The elements as a plain vector; copies them, since a vector has its own alignment.
    pub fn to_vec(&self) -> Vec<T> {
        self.data.to_vec()
    }
}

impl<'a, T: NoUninit> From<&'a mut Tensor<T>> for ViewMut<'a, T> {
    fn from(tensor: &'a mut Tensor<T>) -> Self {
        tensor.view_mut()
    }
}

/// Asks for large pages under memory that was just allocated and not touched. Only ever advice.
#[cfg(target_os = "linux")]
fn advise_large_pages(start: *mut u8, bytes: usize) {
    if bytes < LARGE_PAGES_LEAST {
        return;
    }
    // SAFETY: no precondition.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Some(page) = usize::try_from(page).ok().filter(|page| page.is_power_of_two()) else { return };
    // Whole pages inside the allocation.
    let skipped = start.addr().wrapping_neg() % page;
    let len = bytes.saturating_sub(skipped) / page * page;
    // SAFETY: the pages are part of an allocation that the caller owns; the advice changes neither their content nor
    // their protection. A kernel without large pages refuses it, and nothing depends on the answer.
    let _ = unsafe { libc::madvise(start.add(skipped).cast(), len, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages(_: *mut u8, _: usize) {}

impl<T: fmt::Debug> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("shape", &self.shape).field("data", &self.data).finish()
    }
}
