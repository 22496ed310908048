//! [`Area`]: the L1 that a part of a reduction works in.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Bytes of accumulators that are folded, converted or written together.
pub(super) const ACC: usize = 8 << 10;

/// Bytes of partial results that wait for their like: a row for each level of the tree.
pub(super) const STACK: usize = 32 << 10;

/// Bytes of an input that are laid out together.
pub(super) const LAID: usize = 8 << 10;

/// Memory to work in, on the stack of whoever runs a part.
#[repr(C, align(64))]
pub(super) struct Area {
    stack: Bytes<STACK>,
    acc: [Bytes<ACC>; 2],
    laid: [Bytes<LAID>; 2],
    out: Bytes<ACC>,
}

/// Where the parts of an area start; each is aligned to 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// [`STACK`] bytes.
    pub stack: *mut u8,
    /// [`ACC`] bytes each.
    pub acc: [*mut u8; 2],
    /// [`LAID`] bytes each.
    pub laid: [*mut u8; 2],
    /// [`ACC`] bytes.
    pub out: *mut u8,
    area: PhantomData<&'a mut Area>,
}

impl Area {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            stack: Bytes::new(),
            acc: [Bytes::new(), Bytes::new()],
            laid: [Bytes::new(), Bytes::new()],
            out: Bytes::new(),
        }
    }

    /// Where its parts start.
    pub fn parts(&mut self) -> Parts<'_> {
        let Self { stack, acc: [one, two], laid: [first, second], out } = self;
        Parts {
            stack: stack.start(),
            acc: [one.start(), two.start()],
            laid: [first.start(), second.start()],
            out: out.start(),
            area: PhantomData,
        }
    }
}

/// Bytes that nothing was written to yet.
#[repr(C, align(64))]
struct Bytes<const N: usize>([MaybeUninit<u8>; N]);

impl<const N: usize> Bytes<N> {
    #[inline(always)]
    const fn new() -> Self {
        Self([MaybeUninit::uninit(); N])
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}
