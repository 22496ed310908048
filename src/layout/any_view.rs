//! [`AnyView`] and [`AnyViewMut`]: views whose element type is a tag. The safe door for runtimes.
//!
//! They keep the promises of `View` and `ViewMut` over bytes: in bounds, aligned for the tag's type, no
//! self-overlap. The element type is not behind them as a Rust type, so what is written through an
//! `AnyViewMut` is bytes: of a `bool` tensor in particular nothing says they are 0 or 1, which is why only
//! types that any bytes make valid convert from typed mutable views.

use core::mem::MaybeUninit;

use bytemuck::Pod;

use super::{Layout, Rule, View, ViewMut};
use crate::element::{DType, Element};
use crate::error::{BroadcastError, Result};

/// A read-only view whose element type is known at run time only.
///
/// ```
/// use stridecast::{AnyView, AnyViewMut, DType, Layout};
///
/// let data: Vec<f32> = vec![1.0, 2.0];
/// let src = AnyView::new(DType::F32, bytemuck::cast_slice(&data), Layout::new(&[2, 1])?)?;
///
/// let mut out = vec![0.0_f32; 6];
/// let mut dst = AnyViewMut::new(DType::F32, bytemuck::cast_slice_mut(&mut out), Layout::new(&[2, 3])?)?;
/// src.broadcast_to(&[2, 3])?.copy_into(&mut dst)?;
/// assert_eq!(out, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnyView<'a> {
    dtype: DType,
    bytes: &'a [u8],
    layout: Layout<'a>,
}

impl<'a> AnyView<'a> {
    /// A layout (in elements of `dtype`) over `bytes`.
    ///
    /// # Errors
    /// If `bytes` is not aligned for `dtype`, or if the layout reaches outside it.
    pub fn new(dtype: DType, bytes: &'a [u8], layout: Layout<'a>) -> Result<Self> {
        check(dtype, bytes.as_ptr().addr(), bytes.len(), &layout)?;
        Ok(Self { dtype, bytes, layout })
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The bytes that the layout refers to.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Shape, strides and offset, in elements.
    #[inline]
    pub fn layout(&self) -> &Layout<'a> {
        &self.layout
    }

    /// The sizes, outermost axis first.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Stretched under NumPy's one-directional rule. Copies nothing.
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<AnyView<'a>> {
        self.broadcast(shape, Rule::Numpy)
    }

    /// Stretched under `rule`. Copies nothing.
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast(&self, shape: &[usize], rule: Rule<'_>) -> Result<AnyView<'a>> {
        Ok(self.over(self.layout.broadcast(shape, rule)?))
    }

    /// The axes in another order; see [`Layout::permute`].
    ///
    /// # Errors
    /// If `axes` does not name every axis exactly once.
    pub fn permute(&self, axes: &[usize]) -> Result<AnyView<'a>> {
        Ok(self.over(self.layout.permute(axes)?))
    }

    fn over(&self, layout: Layout<'static>) -> AnyView<'a> {
        AnyView { dtype: self.dtype, bytes: self.bytes, layout }
    }
}

impl<'a, T: Element> From<View<'a, T>> for AnyView<'a> {
    fn from(view: View<'a, T>) -> Self {
        Self { dtype: T::DTYPE, bytes: bytemuck::cast_slice(view.data()), layout: view.into_layout() }
    }
}

/// A mutable view whose element type is known at run time only; see [`AnyView`].
#[derive(Debug)]
pub struct AnyViewMut<'a> {
    dtype: DType,
    bytes: &'a mut [MaybeUninit<u8>],
    layout: Layout<'a>,
}

impl<'a> AnyViewMut<'a> {
    /// A layout (in elements of `dtype`) over `bytes`.
    ///
    /// # Errors
    /// If `bytes` is not aligned for `dtype`, if the layout reaches outside it, or if it may touch an element
    /// twice.
    pub fn new(dtype: DType, bytes: &'a mut [u8], layout: Layout<'a>) -> Result<Self> {
        let len = bytes.len();
        let start = bytes.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the same bytes, borrowed as long. Nothing in this crate writes uninitialised bytes into them, and
        // the field is private.
        Self::uninit(dtype, unsafe { core::slice::from_raw_parts_mut(start, len) }, layout)
    }

    /// As [`AnyViewMut::new`], over bytes that need not be initialised.
    ///
    /// # Errors
    /// As [`AnyViewMut::new`].
    pub fn uninit(dtype: DType, bytes: &'a mut [MaybeUninit<u8>], layout: Layout<'a>) -> Result<Self> {
        layout.check_disjoint()?;
        check(dtype, bytes.as_ptr().addr(), bytes.len(), &layout)?;
        Ok(Self { dtype, bytes, layout })
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape, strides and offset, in elements.
    #[inline]
    pub fn layout(&self) -> &Layout<'a> {
        &self.layout
    }

    /// The sizes, outermost axis first.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The start of the bytes, for the engine.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr().cast()
    }
}

impl<'a, T: Element + Pod> From<ViewMut<'a, T>> for AnyViewMut<'a> {
    fn from(view: ViewMut<'a, T>) -> Self {
        let (data, layout) = view.into_parts();
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(data);
        Self::new(T::DTYPE, bytes, layout).expect("a typed view is aligned, in bounds and free of overlap")
    }
}

/// Alignment and bounds of a layout over `len` bytes at `addr`.
fn check(dtype: DType, addr: usize, len: usize, layout: &Layout<'_>) -> Result<()> {
    if !layout.is_empty() && !addr.is_multiple_of(dtype.align()) {
        return Err(BroadcastError::Misaligned { dtype });
    }
    layout.check_bounds(len / dtype.size())
}
