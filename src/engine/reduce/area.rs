//! [`Area`]: the L1 that a part of a reduction works in.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

#[cfg(feature = "rayon")]
use alloc::boxed::Box;
use alloc::vec::Vec;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes of accumulators that rows are joined to in one pass.
    pub panel: usize,
    /// Bytes of accumulators that are folded, converted or written together.
    pub acc: usize,
    /// Bytes of partial results that wait for their like: a row for each level of the tree.
    pub stack: usize,
}

impl Room {
    /// On the stack of whoever runs a part: all in L1.
    pub const SMALL: Self = Self { panel: 4 << 10, acc: 8 << 10, stack: 32 << 10 };

    /// For what lies in memory, on the heap: long stretches of rows are what it wants. 4096 x 4096 f32 take 3.3 to 3.6 ms in
    /// panels of 4 KiB, 3.0 of 8 and 2.4 of 16 (Zen 4, data 16 bytes off a line), f64 5.4 ms of 16 and 4.8 of 32.
    pub fn large(levels: usize) -> Self {
        let panel = 32 << 10;
        Self { panel, acc: panel, stack: (panel * levels).max(Self::SMALL.stack) }
    }
}

/// Bytes of an input that are laid out together.
pub(super) const LAID: usize = 8 << 10;

/// Memory to work in, on the stack of whoever runs a part.
#[repr(C, align(64))]
pub(super) struct Area {
    stack: Bytes<{ Room::SMALL.stack }>,
    acc: [Bytes<{ Room::SMALL.acc }>; 2],
    laid: [Bytes<LAID>; 2],
    out: Bytes<{ Room::SMALL.acc }>,
}

/// Where the parts of an area start; each is aligned to 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// As many bytes as there is room for, and so of the others.
    pub stack: *mut u8,
    pub acc: [*mut u8; 2],
    pub out: *mut u8,
    /// [`LAID`] bytes each.
    pub laid: [*mut u8; 2],
    pub room: Room,
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

    /// The same on the heap.
    #[cfg(feature = "rayon")]
    pub fn boxed() -> Box<Self> {
        // SAFETY: it consists of bytes that need not be initialised.
        unsafe { Box::new_uninit().assume_init() }
    }

    /// Where its parts start.
    pub fn parts(&mut self) -> Parts<'_> {
        let Self { stack, acc: [one, two], laid: [first, second], out } = self;
        Parts {
            stack: stack.start(),
            acc: [one.start(), two.start()],
            laid: [first.start(), second.start()],
            out: out.start(),
            room: Room::SMALL,
            area: PhantomData,
        }
    }

    /// The same with more room, which `heap` is for.
    pub fn large<'a>(&'a mut self, room: Room, heap: &'a mut Vec<Line>) -> Parts<'a> {
        heap.clear();
        heap.reserve_exact((room.stack + 3 * room.acc) / size_of::<Line>());
        let start: *mut u8 = heap.as_mut_ptr().cast();
        let at = |k: usize| start.wrapping_add(room.stack + k * room.acc);
        Parts { stack: start, acc: [at(0), at(1)], out: at(2), room, ..self.parts() }
    }
}

/// A cache line of a heap.
#[repr(C, align(64))]
pub(super) struct Line([MaybeUninit<u8>; 64]);

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
