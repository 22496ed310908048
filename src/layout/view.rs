//! [`View`] and [`ViewMut`]: a layout over borrowed memory, proven in bounds once.
//!
//! The invariant of both views: every index of the layout lies inside the slice. A `ViewMut` is moreover
//! free of self-overlap, so a broadcast view is never mutable. The engine relies on both and checks no
//! element again.

#![forbid(unsafe_code)]

use core::fmt;

use super::{Layout, Rule, Side};
use crate::error::{BroadcastError, Result};

/// A read-only tensor view: borrowed elements, a shape, strides of any sign or 0.
///
/// ```
/// use stridecast::View;
///
/// let bias = [1.0_f32, 2.0, 3.0];
/// let view = View::new(&bias, &[3])?;
/// let wide = view.broadcast_to(&[2, 3])?; // copies nothing
/// assert_eq!(wide.get(&[1, 2]), Some(&3.0));
///
/// let mut out = [0.0; 6];
/// wide.copy_into(&mut out)?;
/// assert_eq!(out, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub struct View<'a, T> {
    data: &'a [T],
    layout: Layout<'a>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        Self { data: self.data, layout: self.layout.clone() }
    }
}

impl<'a, T> View<'a, T> {
    /// All of `data` in C order.
    ///
    /// # Errors
    /// If `data` does not hold exactly the elements of `shape`.
    pub fn new(data: &'a [T], shape: &'a [usize]) -> Result<Self> {
        let layout = Layout::new(shape)?;
        if layout.len() != data.len() {
            return Err(BroadcastError::LengthMismatch { what: "view", expected: layout.len(), got: data.len() });
        }
        Ok(Self { data, layout })
    }

    /// Any strides, in elements; `offset` is the element of index 0. For a negative stride that is the end it
    /// starts from.
    ///
    /// # Errors
    /// If the layout overflows or reaches outside `data`.
    pub fn with_strides(data: &'a [T], offset: usize, shape: &'a [usize], strides: &'a [isize]) -> Result<Self> {
        // A slice never holds more than isize::MAX elements, so a larger offset is out of bounds anyway.
        Self::from_layout(data, Layout::strided(isize::try_from(offset).unwrap_or(isize::MAX), shape, strides)?)
    }

    /// One element as a view of rank 0.
    pub fn scalar(value: &'a T) -> Self {
        let data = core::slice::from_ref(value);
        // Rank 0 has one element, so it passes.
        Self { data, layout: Layout::new(&[]).expect("rank 0 is a valid shape") }
    }

    /// A layout over `data`.
    ///
    /// # Errors
    /// If the layout reaches outside `data`.
    pub fn from_layout(data: &'a [T], layout: Layout<'a>) -> Result<Self> {
        layout.check_bounds(data.len())?;
        Ok(Self { data, layout })
    }

    /// The slice that the layout refers to.
    #[inline]
    pub fn data(&self) -> &'a [T] {
        self.data
    }

    /// Shape, strides and offset.
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

    /// The element at `index`; `None` outside the shape or for a list of another length.
    pub fn get(&self, index: &[usize]) -> Option<&'a T> {
        self.data.get(position(&self.layout, index)?)
    }

    /// A read-only view stretched under NumPy's one-directional rule; see [`View::broadcast`].
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<View<'a, T>> {
        self.broadcast(shape, Rule::Numpy)
    }

    /// A read-only view stretched under `rule`, with a stride of 0 on every stretched or new axis. Copies nothing.
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast(&self, shape: &[usize], rule: Rule<'_>) -> Result<View<'a, T>> {
        Ok(self.over(self.layout.broadcast(shape, rule)?))
    }

    /// The axes in another order; see [`Layout::permute`].
    ///
    /// # Errors
    /// If `axes` does not name every axis exactly once.
    pub fn permute(&self, axes: &[usize]) -> Result<View<'a, T>> {
        Ok(self.over(self.layout.permute(axes)?))
    }

    /// The axes in reverse order.
    pub fn transpose(&self) -> View<'a, T> {
        self.over(self.layout.transpose())
    }

    /// One axis back to front.
    ///
    /// # Errors
    /// If the axis does not exist.
    pub fn flip(&self, axis: usize) -> Result<View<'a, T>> {
        Ok(self.over(self.layout.flip(axis)?))
    }

    /// Some indices of one axis; see [`Layout::slice`].
    ///
    /// # Errors
    /// If an index leaves the axis.
    pub fn slice(&self, axis: usize, start: usize, count: usize, step: isize) -> Result<View<'a, T>> {
        Ok(self.over(self.layout.slice(axis, start, count, step)?))
    }

    /// Axes of size 1 added on one side up to `rank`; see [`Layout::expand`].
    pub fn expand(&self, rank: usize, side: Side) -> View<'a, T> {
        self.over(self.layout.expand(rank, side))
    }

    /// New axes of size 1; see [`Layout::expand_dims`].
    ///
    /// # Errors
    /// If a place is outside the result, or the list is not strictly increasing.
    pub fn expand_dims(&self, axes: &[usize]) -> Result<View<'a, T>> {
        Ok(self.over(self.layout.expand_dims(axes)?))
    }

    /// The layout alone.
    pub(crate) fn into_layout(self) -> Layout<'a> {
        self.layout
    }

    /// A derived layout reaches no element that this one does not.
    fn over(&self, layout: Layout<'static>) -> View<'a, T> {
        debug_assert!(layout.check_bounds(self.data.len()).is_ok());
        View { data: self.data, layout }
    }
}

/// The place of `index` in the slice.
fn position(layout: &Layout<'_>, index: &[usize]) -> Option<usize> {
    let shape = layout.shape();
    if index.len() != shape.len() || index.iter().zip(shape).any(|(i, size)| i >= size) {
        return None;
    }
    let strides = layout.strides();
    // An index of 0 is left out: the stride of an axis of size 1 is arbitrary.
    let steps = index.iter().zip(&strides).filter(|&(&i, _)| i > 0).map(|(&i, &stride)| i as isize * stride);
    usize::try_from(layout.offset() + steps.sum::<isize>()).ok()
}

/// A mutable tensor view in which no two indices share an element.
///
/// Over `MaybeUninit<T>` it is an output that need not be initialised first.
pub struct ViewMut<'a, T> {
    data: &'a mut [T],
    layout: Layout<'a>,
}

impl<'a, T> ViewMut<'a, T> {
    /// All of `data` in C order.
    ///
    /// # Errors
    /// If `data` does not hold exactly the elements of `shape`.
    pub fn new(data: &'a mut [T], shape: &'a [usize]) -> Result<Self> {
        let layout = Layout::new(shape)?;
        if layout.len() != data.len() {
            return Err(BroadcastError::LengthMismatch { what: "view", expected: layout.len(), got: data.len() });
        }
        Ok(Self { data, layout })
    }

    /// Strides of any sign, in elements; `offset` is the element of index 0.
    ///
    /// # Errors
    /// If the layout overflows, reaches outside `data`, or may touch an element twice. That test is conservative;
    /// see [`BroadcastError::SelfOverlap`].
    pub fn with_strides(data: &'a mut [T], offset: usize, shape: &'a [usize], strides: &'a [isize]) -> Result<Self> {
        Self::from_layout(data, Layout::strided(isize::try_from(offset).unwrap_or(isize::MAX), shape, strides)?)
    }

    /// A layout over `data`.
    ///
    /// # Errors
    /// If the layout reaches outside `data`, or may touch an element twice.
    pub fn from_layout(data: &'a mut [T], layout: Layout<'a>) -> Result<Self> {
        layout.check_disjoint()?;
        layout.check_bounds(data.len())?;
        Ok(Self { data, layout })
    }

    /// Shape, strides and offset.
    #[inline]
    pub fn layout(&self) -> &Layout<'a> {
        &self.layout
    }

    /// The sizes, outermost axis first.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether a size is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The element at `index`; `None` outside the shape or for a list of another length.
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let at = position(&self.layout, index)?;
        self.data.get_mut(at)
    }

    /// The memory and the layout.
    pub(crate) fn into_parts(self) -> (&'a mut [T], Layout<'a>) {
        (self.data, self.layout)
    }

    /// The same elements, read-only.
    pub fn view(&self) -> View<'_, T> {
        View { data: self.data, layout: self.layout.borrow() }
    }

    /// A shorter borrow of the same view, for a call that would consume it.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { data: self.data, layout: self.layout.borrow() }
    }
}

// Shapes and not elements: a view may be of gigabytes, or of memory that is not initialised.
impl<T> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewMut").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl<'a, T> From<&'a mut ViewMut<'_, T>> for ViewMut<'a, T> {
    fn from(view: &'a mut ViewMut<'_, T>) -> Self {
        view.reborrow()
    }
}
