//! [`AnyView`] and [`AnyViewMut`]: views whose element type is a tag. The safe door for runtimes.
//!
//! They keep the promises of `View` and `ViewMut` over bytes: in bounds, aligned for the tag's type, no
//! self-overlap. The element type is not behind them as a Rust type, so what is written through an
//! `AnyViewMut` is bytes: of a `bool` tensor in particular nothing says they are 0 or 1, which is why only
//! types that any bytes make valid convert from typed mutable views.

use core::fmt;
use core::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, Pod};

use super::{Layout, Rule, Side, View, ViewMut};
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
#[derive(Clone)]
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

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Number of elements, broadcast ones counted every time.
    #[inline]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether a size is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The view with its element type, if that is `T`. For types that any bytes make valid, so not for `bool`.
    ///
    /// # Errors
    /// If the element type is another.
    pub fn typed<T: Element + AnyBitPattern>(&self) -> Result<View<'_, T>> {
        if T::DTYPE != self.dtype {
            return Err(BroadcastError::DTypeMismatch { expected: T::DTYPE, got: self.dtype });
        }
        if self.is_empty() {
            return View::from_layout(&[], self.layout.borrow());
        }
        // What lies behind the last whole element is beyond every index.
        let whole = self.bytes.len() / size_of::<T>() * size_of::<T>();
        View::from_layout(bytemuck::cast_slice(&self.bytes[..whole]), self.layout.borrow())
    }

    /// A view over the same bytes with a layout derived from this view's.
    ///
    /// # Errors
    /// As [`AnyView::new`].
    pub fn with_layout(&self, layout: Layout<'a>) -> Result<AnyView<'a>> {
        // Aligned too: that was not asked of an empty layout.
        Self::new(self.dtype, self.bytes, layout)
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

    /// The axes in reverse order.
    pub fn transpose(&self) -> AnyView<'a> {
        self.over(self.layout.transpose())
    }

    /// One axis back to front.
    ///
    /// # Errors
    /// If the axis does not exist.
    pub fn flip(&self, axis: usize) -> Result<AnyView<'a>> {
        Ok(self.over(self.layout.flip(axis)?))
    }

    /// Some indices of one axis; see [`Layout::slice`].
    ///
    /// # Errors
    /// If an index leaves the axis.
    pub fn slice(&self, axis: usize, start: usize, count: usize, step: isize) -> Result<AnyView<'a>> {
        Ok(self.over(self.layout.slice(axis, start, count, step)?))
    }

    /// Axes of size 1 added on one side up to `rank`; see [`Layout::expand`].
    pub fn expand(&self, rank: usize, side: Side) -> AnyView<'a> {
        self.over(self.layout.expand(rank, side))
    }

    /// New axes of size 1; see [`Layout::expand_dims`].
    ///
    /// # Errors
    /// If a place is outside the result, or the list is not strictly increasing.
    pub fn expand_dims(&self, axes: &[usize]) -> Result<AnyView<'a>> {
        Ok(self.over(self.layout.expand_dims(axes)?))
    }

    /// A derived layout reaches no element that this one does not.
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
pub struct AnyViewMut<'a> {
    dtype: DType,
    bytes: &'a mut [MaybeUninit<u8>],
    layout: Layout<'a>,
    /// Whether the elements may be read.
    initialised: bool,
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
        let bytes = unsafe { core::slice::from_raw_parts_mut(start, len) };
        Ok(Self { initialised: true, ..Self::uninit(dtype, bytes, layout)? })
    }

    /// As [`AnyViewMut::new`], over bytes that need not be initialised. What changes a view in place refuses it.
    ///
    /// # Errors
    /// As [`AnyViewMut::new`].
    pub fn uninit(dtype: DType, bytes: &'a mut [MaybeUninit<u8>], layout: Layout<'a>) -> Result<Self> {
        layout.check_disjoint()?;
        check(dtype, bytes.as_ptr().addr(), bytes.len(), &layout)?;
        Ok(Self { dtype, bytes, layout, initialised: false })
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

    /// A shorter borrow of the same view.
    pub fn reborrow(&mut self) -> AnyViewMut<'_> {
        let Self { dtype, initialised, .. } = *self;
        AnyViewMut { dtype, bytes: self.bytes, layout: self.layout.borrow(), initialised }
    }

    /// That the elements may be read.
    ///
    /// # Errors
    /// If the view was made over bytes that need not be initialised.
    pub(crate) fn check_initialised(&self) -> Result<()> {
        if self.initialised { Ok(()) } else { Err(BroadcastError::Uninitialised) }
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

// Types and shapes and not bytes: a view may be of gigabytes, or of memory that is not initialised.
impl fmt::Debug for AnyView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyView").field("dtype", &self.dtype).field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl fmt::Debug for AnyViewMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyViewMut").field("dtype", &self.dtype).field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Alignment and bounds of a layout over `len` bytes at `addr`.
fn check(dtype: DType, addr: usize, len: usize, layout: &Layout<'_>) -> Result<()> {
    if !layout.is_empty() && !addr.is_multiple_of(dtype.align()) {
        return Err(BroadcastError::Misaligned { dtype });
    }
    layout.check_bounds(len / dtype.size())
}
