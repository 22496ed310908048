//! The doors for runtimes, `raw` and `AnyView`, given everything that a confused caller could send.
//!
//! What can be checked must come back as an error, without a panic, an overflow or a write: sizes and strides up to
//! the ends of `isize`, null pointers, pointers at the end of the address space, operands that overlap. Calls that
//! the checks could not refuse are never made with such pointers; an exact model in `i128` says which those are.
//! The other half uses the doors as they are meant: pointers into the middle of an allocation, interleaved outputs
//! that several threads fill, every dtype.

#[path = "../common/mod.rs"]
mod common;

mod any_refusals;
mod any_view;
mod hostile;
mod model;
mod pieces;
mod reduce;
mod refusals;
mod runs;

const MAX: isize = isize::MAX;
const MIN: isize = isize::MIN;

/// Element sizes: none, ordinary ones, and ones that no product survives.
const ELEMS: [usize; 7] = [0, 1, 3, 8, 16, MAX as usize, usize::MAX];

fn pairs<T: Copy>(items: &[T]) -> impl Iterator<Item = (T, T)> {
    items.iter().flat_map(|&a| items.iter().map(move |&b| (a, b)))
}

/// A buffer aligned for every dtype.
#[repr(align(64))]
struct Aligned([u8; 256]);

fn counting() -> Aligned {
    Aligned(std::array::from_fn(|i| (i * 151 % 251) as u8))
}
