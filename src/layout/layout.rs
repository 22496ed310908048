//! [`Layout`]: a shape, element strides and an element offset, without the memory.
//!
//! A layout is built from borrowed shape and strides (a runtime holds those slices already; copying them
//! costs more than a tiny kernel), and owns them once it is derived from another. Its arithmetic in elements was
//! checked when it was built: no index inside it overflows. In bytes, whoever knows the element size checks.

#![forbid(unsafe_code)]

use core::hash::{Hash, Hasher};
use core::ops::RangeInclusive;

use super::rule::Rule;
use super::{c_strides, element_count};
use crate::dims::{Dims, Shape, Strides};
use crate::error::{BroadcastError, Result};

/// Borrowed from the caller, or owned because it was derived.
#[derive(Clone, Debug)]
pub(super) enum Axes<'a, T> {
    Borrowed(&'a [T]),
    Owned(Dims<T>),
}

impl<T> Axes<'_, T> {
    #[inline]
    fn as_slice(&self) -> &[T] {
        match self {
            Self::Borrowed(items) => items,
            Self::Owned(items) => items,
        }
    }
}

/// On which side [`Layout::expand`] adds axes of size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before the first axis: what broadcasting does by itself.
    Left,
    /// After the last axis.
    Right,
}

/// Shape, strides (in elements) and offset (in elements) of a tensor, without its memory.
///
/// ```
/// use stridecast::{Layout, Rule};
///
/// let column = Layout::new(&[3, 1])?;
/// let wide = column.broadcast(&[3, 4], Rule::Numpy)?;
/// assert_eq!(wide.shape(), [3, 4]);
/// assert_eq!(wide.strides(), [1, 0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    shape: Axes<'a, usize>,
    /// `None` is C order, which most calls have and which then needs no strides to be copied.
    strides: Option<Axes<'a, isize>>,
    offset: isize,
    len: usize,
}

impl PartialEq for Layout<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset && self.shape() == other.shape() && self.strides() == other.strides()
    }
}

impl Eq for Layout<'_> {}

impl Hash for Layout<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.offset, self.shape(), self.strides()).hash(state);
    }
}

impl<'a> Layout<'a> {
    /// C order (last axis fastest) without gaps.
    ///
    /// # Errors
    /// If the element count passes `isize::MAX`.
    #[inline]
    pub fn new(shape: &'a [usize]) -> Result<Self> {
        let len = element_count(shape)?;
        Ok(Self { shape: Axes::Borrowed(shape), strides: None, offset: 0, len })
    }

    /// Any strides, in elements, negative and zero ones included; `offset` is the element of index 0.
    ///
    /// # Errors
    /// If there are not as many strides as axes, or if an index of this layout overflows `isize`.
    pub fn strided(offset: isize, shape: &'a [usize], strides: &'a [isize]) -> Result<Self> {
        if shape.len() != strides.len() {
            return Err(BroadcastError::StridesCount { rank: shape.len(), strides: strides.len() });
        }
        let len = element_count(shape)?;
        let layout = Self { shape: Axes::Borrowed(shape), strides: Some(Axes::Borrowed(strides)), offset, len };
        match layout.checked_span() {
            Some(_) => Ok(layout),
            None => Err(BroadcastError::StrideOverflow { shape: shape.to_vec(), strides: strides.to_vec() }),
        }
    }

    /// Fortran order (first axis fastest) without gaps.
    ///
    /// # Errors
    /// If the element count passes `isize::MAX`.
    pub fn f_order(shape: &'a [usize]) -> Result<Self> {
        let len = element_count(shape)?;
        let mut next = 1_isize;
        let strides = shape
            .iter()
            .map(|&size| {
                let stride = next;
                next *= size.max(1) as isize;
                stride
            })
            .collect();
        Ok(Self { shape: Axes::Borrowed(shape), strides: Some(Axes::Owned(strides)), offset: 0, len })
    }

    /// The sizes, outermost axis first.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.shape.as_slice()
    }

    /// The strides in elements, worked out where the layout is C order.
    pub fn strides(&self) -> Strides {
        match &self.strides {
            Some(strides) => Dims::from(strides.as_slice()),
            None => c_strides(self.shape()),
        }
    }

    /// Size and stride of each axis, innermost first.
    #[inline]
    pub(crate) fn axes_from_right(&self) -> impl Iterator<Item = (usize, isize)> {
        let given = self.strides.as_ref().map(Axes::as_slice);
        let mut next = 1_isize;
        self.shape().iter().enumerate().rev().map(move |(axis, &size)| match given {
            Some(strides) => (size, strides[axis]),
            None => {
                let stride = next;
                next *= size.max(1) as isize;
                (size, stride)
            }
        })
    }

    /// The element of index 0, relative to the start of the memory.
    #[inline]
    pub fn offset(&self) -> isize {
        self.offset
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Number of elements, broadcast ones counted every time.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a size is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it was built in C order and never re-arranged, so that it needs no strides.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.strides.is_none() && self.offset == 0
    }

    /// Lowest and highest element that an index can reach, relative to the start of the memory; `None` if there is no
    /// element.
    pub fn span(&self) -> Option<RangeInclusive<isize>> {
        if self.is_empty() {
            return None;
        }
        if self.strides.is_none() {
            return Some(self.offset..=self.offset + (self.len - 1) as isize);
        }
        self.checked_span().expect("checked when it was built, or derived without leaving the span of one that was")
    }

    /// `None` on overflow, `Some(None)` if there is no element.
    #[expect(clippy::option_option, reason = "overflow and emptiness are different answers")]
    fn checked_span(&self) -> Option<Option<RangeInclusive<isize>>> {
        if self.is_empty() {
            return Some(None);
        }
        let strides = self.strides();
        let (mut low, mut high) = (self.offset, self.offset);
        for (&size, &stride) in self.shape().iter().zip(&strides) {
            // Sizes were checked against isize::MAX; an axis of size 1 moves nothing, whatever its stride.
            let reach = (size as isize - 1).checked_mul(if size == 1 { 0 } else { stride })?;
            if reach < 0 {
                low = low.checked_add(reach)?;
            } else {
                high = high.checked_add(reach)?;
            }
        }
        // Its width must fit as well: then no stride, difference or sum of reaches overflows later.
        high.checked_sub(low)?.checked_add(1)?;
        Some(Some(low..=high))
    }

    /// Checks that every element lies inside a buffer of `len` elements.
    ///
    /// # Errors
    /// If one does not.
    pub fn check_bounds(&self, len: usize) -> Result<()> {
        match self.span() {
            Some(span) if *span.start() < 0 || *span.end() >= isize::try_from(len).unwrap_or(isize::MAX) => {
                Err(BroadcastError::OutOfBounds {
                    shape: self.shape().to_vec(),
                    strides: self.strides().to_vec(),
                    lowest: *span.start(),
                    highest: *span.end(),
                    len,
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether no two indices can fall on one element: sorted by size, each stride is at least the span of the
    /// axes inside it. Axes of size 1 do not count, and an empty layout is always free of overlap.
    pub(crate) fn check_disjoint(&self) -> Result<()> {
        if self.strides.is_none() || self.is_empty() {
            return Ok(());
        }
        let strides = self.strides();
        let mut axes: Dims<(usize, usize)> = self
            .shape()
            .iter()
            .zip(&strides)
            .filter(|&(&size, _)| size > 1)
            .map(|(&size, &stride)| (stride.unsigned_abs(), size))
            .collect();
        axes.sort_unstable();
        let mut span = 1_usize;
        for &(stride, size) in &axes {
            if stride < span {
                return Err(BroadcastError::SelfOverlap { shape: self.shape().to_vec(), strides: strides.to_vec() });
            }
            // At most the layout's whole span, which fits.
            span += (size - 1) * stride;
        }
        Ok(())
    }

    /// Whether the elements lie in C order without gaps, wherever they start. Strides of axes of size 1 do not count.
    pub fn is_contiguous(&self) -> bool {
        let Some(strides) = self.strides.as_ref().filter(|_| !self.is_empty()) else { return true };
        let expected = c_strides(self.shape());
        let axes = self.shape().iter().zip(strides.as_slice().iter().zip(&expected));
        axes.into_iter().all(|(&size, (stride, expected))| size == 1 || stride == expected)
    }

    /// Whether the elements fill one stretch of memory without gaps, in any axis order.
    pub fn is_dense(&self) -> bool {
        match self.span() {
            None => true,
            Some(span) => self.len as isize == span.end() - span.start() + 1 && self.check_disjoint().is_ok(),
        }
    }

    /// The same layout, borrowing shape and strides from this one.
    pub(crate) fn borrow(&self) -> Layout<'_> {
        Layout {
            shape: Axes::Borrowed(self.shape.as_slice()),
            strides: self.strides.as_ref().map(|strides| Axes::Borrowed(strides.as_slice())),
            offset: self.offset,
            len: self.len,
        }
    }

    /// The same layout with everything owned.
    pub fn into_owned(self) -> Layout<'static> {
        let strides = self.strides.as_ref().map(|strides| Axes::Owned(Dims::from(strides.as_slice())));
        Layout { shape: Axes::Owned(Dims::from(self.shape())), strides, offset: self.offset, len: self.len }
    }

    /// A layout over the same elements or some of them; `shape`'s count was checked by the caller.
    fn derive(&self, shape: Shape, strides: Strides, offset: isize) -> Layout<'static> {
        let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
        Layout { shape: Axes::Owned(shape), strides: Some(Axes::Owned(strides)), offset, len }
    }

    /// Stretched under NumPy's one-directional rule; see [`Layout::broadcast`].
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast_to(&self, target: &[usize]) -> Result<Layout<'static>> {
        self.broadcast(target, Rule::Numpy)
    }

    /// Stretched under `rule`: the output's shape, with a stride of 0 on every stretched or new axis.
    ///
    /// # Errors
    /// As [`Rule::output_shape`].
    pub fn broadcast(&self, target: &[usize], rule: Rule<'_>) -> Result<Layout<'static>> {
        let aligned = rule.align(self.shape(), target)?;
        let mut strides = Strides::filled(aligned.shape.len(), 0);
        let sizes = self.shape();
        let own = self.strides();
        for (axis, &to) in aligned.axes.iter().enumerate() {
            if sizes[axis] == aligned.shape[to] {
                strides[to] = own[axis];
            }
        }
        Ok(self.derive(aligned.shape, strides, self.offset))
    }

    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this layout.
    ///
    /// # Errors
    /// If `axes` does not name every axis exactly once.
    pub fn permute(&self, axes: &[usize]) -> Result<Layout<'static>> {
        let rank = self.rank();
        let mut seen = Dims::filled(rank, false);
        let valid = axes.len() == rank && axes.iter().all(|&a| a < rank && !core::mem::replace(&mut seen[a], true));
        if !valid {
            return Err(BroadcastError::NotAPermutation { axes: axes.to_vec(), rank });
        }
        let (shape, strides) = (self.shape(), self.strides());
        let sizes = axes.iter().map(|&axis| shape[axis]).collect();
        Ok(self.derive(sizes, axes.iter().map(|&axis| strides[axis]).collect(), self.offset))
    }

    /// The axes in reverse order.
    pub fn transpose(&self) -> Layout<'static> {
        let strides = self.strides();
        let sizes = self.shape().iter().rev().copied().collect();
        self.derive(sizes, strides.iter().rev().copied().collect(), self.offset)
    }

    /// One axis back to front.
    ///
    /// # Errors
    /// If the axis does not exist.
    pub fn flip(&self, axis: usize) -> Result<Layout<'static>> {
        self.check_axis(axis)?;
        let size = self.shape()[axis];
        self.slice(axis, size.saturating_sub(1), size, -1)
    }

    /// `count` indices of one axis, from `start` on, `step` apart; a negative step goes backwards.
    ///
    /// # Errors
    /// If the axis does not exist, the step is 0 with more than one index, or an index leaves the axis.
    pub fn slice(&self, axis: usize, start: usize, count: usize, step: isize) -> Result<Layout<'static>> {
        self.check_axis(axis)?;
        let (mut shape, mut strides) = (Shape::from(self.shape()), self.strides());
        let size = shape[axis];
        let last = isize::try_from(count.saturating_sub(1))
            .ok()
            .and_then(|n| n.checked_mul(step))
            .and_then(|reach| start.checked_add_signed(reach));
        let inside = count == 0 || (start < size && last.is_some_and(|last| last < size));
        if !inside || (step == 0 && count > 1) {
            return Err(BroadcastError::SliceOutOfRange { axis, size, start, count, step });
        }
        shape[axis] = count;
        let mut offset = self.offset;
        if count == 0 || self.is_empty() {
            // No element is left to point at, so neither offset nor stride may be computed from one.
        } else {
            offset += if size > 1 { start as isize * strides[axis] } else { 0 };
            strides[axis] = if count > 1 { strides[axis] * step } else { strides[axis] };
        }
        Ok(self.derive(shape, strides, offset))
    }

    /// Axes of size 1 added on one side until the rank is `rank`; unchanged if it has that rank already
    /// (Owl's `expand`, whose default is [`Side::Left`]).
    pub fn expand(&self, rank: usize, side: Side) -> Layout<'static> {
        let (mut sizes, mut strides) = (Shape::from(self.shape()), self.strides());
        while sizes.len() < rank {
            sizes.push(1);
            strides.push(0);
        }
        if side == Side::Left {
            let added = sizes.len() - self.rank();
            sizes.rotate_right(added);
            strides.rotate_right(added);
        }
        self.derive(sizes, strides, self.offset)
    }

    /// New axes of size 1 at the given places **of the result** (NumPy's `expand_dims`), strictly increasing.
    ///
    /// # Errors
    /// If a place is outside the result, or the list is not strictly increasing.
    pub fn expand_dims(&self, axes: &[usize]) -> Result<Layout<'static>> {
        let rank = self.rank() + axes.len();
        if axes.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(BroadcastError::AxesOrder { axes: axes.to_vec() });
        }
        if let Some(&axis) = axes.last().filter(|&&axis| axis >= rank) {
            return Err(BroadcastError::AxisOutOfRange { axis, rank });
        }
        let own = self.strides();
        let mut old = self.shape().iter().zip(&own);
        let (mut sizes, mut strides) = (Shape::new(), Strides::new());
        for axis in 0..rank {
            let (&size, &stride) = if axes.contains(&axis) { (&1, &0) } else { old.next().unwrap_or((&1, &0)) };
            sizes.push(size);
            strides.push(stride);
        }
        Ok(self.derive(sizes, strides, self.offset))
    }

    /// A layout with these sizes and strides over the same elements; for tilings, whose sizes were checked.
    pub(super) fn with_axes(&self, shape: Shape, strides: Strides) -> Layout<'static> {
        self.derive(shape, strides, self.offset)
    }

    fn check_axis(&self, axis: usize) -> Result<()> {
        if axis < self.rank() {
            return Ok(());
        }
        Err(BroadcastError::AxisOutOfRange { axis, rank: self.rank() })
    }
}
