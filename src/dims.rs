//! A short list of sizes, strides or axes: inline up to rank 8, on the heap beyond.
//!
//! Every shape and stride list of the crate is a [`Dims`], so that building a plan for the ranks that
//! occur in practice allocates nothing. Tile and repeat double the rank inside the engine, which is
//! why a rank of 4 must still fit inline there.

#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// Items held inline. Tensors of ML models rarely pass rank 6, and 8 sizes fill one cache line.
const INLINE: usize = 8;

/// A list of `Copy` items (sizes, strides, axes), inline up to eight of them.
///
/// It dereferences to a slice, so everything a slice offers works on it.
///
/// ```
/// use stridecast::Shape;
///
/// let shape = Shape::from(&[2, 3][..]);
/// assert_eq!(shape.iter().product::<usize>(), 6);
/// assert_eq!(shape, [2, 3]);
/// ```
#[derive(Clone)]
pub struct Dims<T>(Repr<T>);

/// The sizes of the axes, outermost first.
pub type Shape = Dims<usize>;
/// The distances, in elements, between neighbours along each axis; 0 on a broadcast axis.
pub type Strides = Dims<isize>;

#[derive(Clone)]
enum Repr<T> {
    Inline { len: usize, items: [T; INLINE] },
    Heap(Vec<T>),
}

impl<T: Copy + Default> Dims<T> {
    /// An empty list: the shape of rank 0.
    #[inline]
    pub fn new() -> Self {
        Self(Repr::Inline { len: 0, items: [T::default(); INLINE] })
    }

    /// A list of `len` copies of `item`.
    #[inline]
    pub fn filled(len: usize, item: T) -> Self {
        if len <= INLINE {
            Self(Repr::Inline { len, items: [item; INLINE] })
        } else {
            Self(Repr::Heap(alloc::vec![item; len]))
        }
    }

    /// Appends an item at the innermost end.
    #[inline]
    pub fn push(&mut self, item: T) {
        match &mut self.0 {
            Repr::Inline { len, items } if *len < INLINE => {
                items[*len] = item;
                *len += 1;
            }
            Repr::Inline { items, .. } => {
                let mut heap = Vec::with_capacity(2 * INLINE);
                heap.extend_from_slice(items);
                heap.push(item);
                self.0 = Repr::Heap(heap);
            }
            Repr::Heap(heap) => heap.push(item),
        }
    }

    /// Removes and returns the innermost item.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        match &mut self.0 {
            Repr::Inline { len: 0, .. } => None,
            Repr::Inline { len, items } => {
                *len -= 1;
                Some(items[*len])
            }
            Repr::Heap(heap) => heap.pop(),
        }
    }
}

impl<T> Deref for Dims<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Inline { len, items } => &items[..*len],
            Repr::Heap(heap) => heap,
        }
    }
}

impl<T> DerefMut for Dims<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::Inline { len, items } => &mut items[..*len],
            Repr::Heap(heap) => heap,
        }
    }
}

impl<T: Copy + Default> Default for Dims<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> FromIterator<T> for Dims<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut dims = Self::new();
        for item in iter {
            dims.push(item);
        }
        dims
    }
}

impl<T: Copy + Default> From<&[T]> for Dims<T> {
    #[inline]
    fn from(items: &[T]) -> Self {
        let mut dims = Self::filled(items.len(), T::default());
        dims.copy_from_slice(items);
        dims
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for Dims<T> {
    fn from(items: [T; N]) -> Self {
        Self::from(&items[..])
    }
}

impl<'a, T> IntoIterator for &'a Dims<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Dims<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: PartialEq> PartialEq for Dims<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Dims<T> {}

impl<T: Hash> Hash for Dims<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T> Borrow<[T]> for Dims<T> {
    fn borrow(&self) -> &[T] {
        self
    }
}

impl<T: PartialEq> PartialEq<[T]> for Dims<T> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<&[T]> for Dims<T> {
    fn eq(&self, other: &&[T]) -> bool {
        **self == **other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Dims<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == other[..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_and_pop_cross_the_inline_edge() {
        let mut dims = Dims::new();
        for i in 0..20_usize {
            assert_eq!(dims.len(), i);
            dims.push(i);
        }
        assert_eq!(dims, (0..20).collect::<Vec<_>>()[..]);
        for i in (0..20_usize).rev() {
            assert_eq!(dims.pop(), Some(i));
        }
        assert_eq!(dims.pop(), None);
    }

    #[test]
    fn pop_on_an_inline_list_stops_at_empty() {
        let mut dims = Dims::from([7_isize]);
        assert_eq!(dims.pop(), Some(7));
        assert_eq!(dims.pop(), None);
        assert!(dims.is_empty());
    }
}
