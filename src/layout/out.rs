//! Where calls write: [`Out`] for an output that may be strided, [`Buffer`] for a plain stretch of elements.
//!
//! Both hold a pointer from an exclusive borrow, initialised or not. The engine writes whole elements of `T` through
//! it, or nothing, so a `&mut [T]` behind it stays initialised; neither type gives the memory back out.

#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::{Layout, Tensor, ViewMut};

/// A stretch of elements to write, initialised or not.
///
/// Made by `into()` from `&mut [T]`, `&mut [MaybeUninit<T>]`, `&mut Vec<T>` and arrays of both; calls that take
/// `impl Into<Buffer<T>>` take these directly. After an `Ok`, what the call says it writes is initialised.
#[derive(Debug)]
pub struct Buffer<'a, T> {
    ptr: *mut u8,
    len: usize,
    memory: PhantomData<&'a mut [MaybeUninit<T>]>,
}

impl<T> Buffer<'_, T> {
    /// Where it starts.
    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// Its length in elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl<'a, T> From<&'a mut [T]> for Buffer<'a, T> {
    fn from(buffer: &'a mut [T]) -> Self {
        Self { ptr: buffer.as_mut_ptr().cast(), len: buffer.len(), memory: PhantomData }
    }
}

impl<'a, T> From<&'a mut [MaybeUninit<T>]> for Buffer<'a, T> {
    fn from(buffer: &'a mut [MaybeUninit<T>]) -> Self {
        Self { ptr: buffer.as_mut_ptr().cast(), len: buffer.len(), memory: PhantomData }
    }
}

impl<'a, T, const N: usize> From<&'a mut [T; N]> for Buffer<'a, T> {
    fn from(buffer: &'a mut [T; N]) -> Self {
        Self::from(&mut buffer[..])
    }
}

impl<'a, T, const N: usize> From<&'a mut [MaybeUninit<T>; N]> for Buffer<'a, T> {
    fn from(buffer: &'a mut [MaybeUninit<T>; N]) -> Self {
        Self::from(&mut buffer[..])
    }
}

impl<'a, T> From<&'a mut Vec<T>> for Buffer<'a, T> {
    fn from(buffer: &'a mut Vec<T>) -> Self {
        Self::from(&mut buffer[..])
    }
}

/// Where a materialising call writes: a [`Buffer`] (C order, exactly the output's length) or a strided view (exactly
/// the output's shape).
///
/// Made by `into()` from all that a [`Buffer`] is made from, from [`ViewMut`] (over `T` or `MaybeUninit<T>`) and
/// [`Tensor`]. After an `Ok` every element of the output's layout is initialised, and no byte between its elements was
/// touched.
#[derive(Debug)]
pub struct Out<'a, T>(Place<'a, T>);

#[derive(Debug)]
enum Place<'a, T> {
    Buffer(Buffer<'a, T>),
    Strided(Buffer<'a, T>, Layout<'a>),
}

impl<T> Out<'_, T> {
    /// Where its memory starts.
    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        match &self.0 {
            Place::Buffer(buffer) | Place::Strided(buffer, _) => buffer.ptr,
        }
    }

    /// Its layout, if it is a view.
    pub(crate) fn layout(&self) -> Option<&Layout<'_>> {
        match &self.0 {
            Place::Buffer(_) => None,
            Place::Strided(_, layout) => Some(layout),
        }
    }

    /// Elements of the buffer, or of the view's layout.
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Place::Buffer(buffer) => buffer.len,
            Place::Strided(_, layout) => layout.len(),
        }
    }
}

impl<'a, T> From<&'a mut [T]> for Out<'a, T> {
    fn from(buffer: &'a mut [T]) -> Self {
        Self(Place::Buffer(buffer.into()))
    }
}

impl<'a, T> From<&'a mut [MaybeUninit<T>]> for Out<'a, T> {
    fn from(buffer: &'a mut [MaybeUninit<T>]) -> Self {
        Self(Place::Buffer(buffer.into()))
    }
}

impl<'a, T, const N: usize> From<&'a mut [T; N]> for Out<'a, T> {
    fn from(buffer: &'a mut [T; N]) -> Self {
        Self(Place::Buffer(buffer.into()))
    }
}

impl<'a, T, const N: usize> From<&'a mut [MaybeUninit<T>; N]> for Out<'a, T> {
    fn from(buffer: &'a mut [MaybeUninit<T>; N]) -> Self {
        Self(Place::Buffer(buffer.into()))
    }
}

impl<'a, T> From<&'a mut Vec<T>> for Out<'a, T> {
    fn from(buffer: &'a mut Vec<T>) -> Self {
        Self(Place::Buffer(buffer.into()))
    }
}

impl<'a, T> From<ViewMut<'a, T>> for Out<'a, T> {
    fn from(view: ViewMut<'a, T>) -> Self {
        let (data, layout) = view.into_parts();
        Self(Place::Strided(data.into(), layout))
    }
}

impl<'a, T> From<ViewMut<'a, MaybeUninit<T>>> for Out<'a, T> {
    fn from(view: ViewMut<'a, MaybeUninit<T>>) -> Self {
        let (data, layout) = view.into_parts();
        Self(Place::Strided(data.into(), layout))
    }
}

impl<'a, T: bytemuck::NoUninit> From<&'a mut Tensor<T>> for Out<'a, T> {
    fn from(tensor: &'a mut Tensor<T>) -> Self {
        Self::from(tensor.view_mut())
    }
}
