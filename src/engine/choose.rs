//! [`Choose`]: vectors whose bytes are any of one or two windows of memory.

use super::lanes::Lanes;

/// A level whose instructions choose the bytes of a vector from windows of the source, lane by lane.
pub(crate) trait Choose: Lanes {
    /// Bytes of a window, and of a lane that is chosen from it: a whole vector, or 16.
    const WINDOW: usize;

    /// What the two tables of places hold more than the place itself, wrapping. A place counts through both windows:
    /// from 0 to `WINDOW - 1` in the first, on to `2 * WINDOW - 1` in the second.
    const BIAS: [u8; 2];

    /// The window at `from(lane)` for each lane.
    ///
    /// # Safety
    /// `WINDOW` bytes are readable at each.
    unsafe fn windows(self, from: impl Fn(usize) -> *const u8) -> Self::Vector;

    /// Each byte from its place in its lane of `first`.
    fn one(self, first: Self::Vector, places: Self::Vector) -> Self::Vector;

    /// Each byte from its place in its lane of `first` and `second`, by the places of both tables.
    fn two(self, windows: [Self::Vector; 2], places: [Self::Vector; 2]) -> Self::Vector;
}

#[cfg(target_arch = "x86_64")]
impl Choose for super::isa::token::V3Half {
    const WINDOW: usize = 16;

    // vpshufb takes the lower four bits of a byte below 128, and makes 0 of the others.
    const BIAS: [u8; 2] = [128 - 16, 16_u8.wrapping_neg()];

    #[inline(always)]
    unsafe fn windows(self, from: impl Fn(usize) -> *const u8) -> Self::Vector {
        // SAFETY: the caller's promise.
        unsafe { super::turn::Wide::gather(from) }
    }

    #[inline(always)]
    fn one(self, first: Self::Vector, places: Self::Vector) -> Self::Vector {
        self.avx2._mm256_shuffle_epi8(first, places)
    }

    #[inline(always)]
    fn two(self, windows: [Self::Vector; 2], places: [Self::Vector; 2]) -> Self::Vector {
        self.avx2._mm256_or_si256(self.one(windows[0], places[0]), self.one(windows[1], places[1]))
    }
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Choose for super::isa::token::V4Vbmi {
    const WINDOW: usize = 64;

    // One table serves both windows: vpermi2b counts through them.
    const BIAS: [u8; 2] = [0; 2];

    #[inline(always)]
    unsafe fn windows(self, from: impl Fn(usize) -> *const u8) -> Self::Vector {
        // SAFETY: the caller's promise: a vector is one window.
        unsafe { core::ptr::read_unaligned(from(0).cast()) }
    }

    #[inline(always)]
    fn one(self, first: Self::Vector, places: Self::Vector) -> Self::Vector {
        // SAFETY: the token is of a CPU with VBMI.
        unsafe { core::arch::x86_64::_mm512_permutexvar_epi8(places, first) }
    }

    #[inline(always)]
    fn two(self, [first, second]: [Self::Vector; 2], places: [Self::Vector; 2]) -> Self::Vector {
        // SAFETY: the token is of a CPU with VBMI.
        unsafe { core::arch::x86_64::_mm512_permutex2var_epi8(first, places[0], second) }
    }
}

#[cfg(target_arch = "aarch64")]
impl Choose for pulp::aarch64::Neon {
    const WINDOW: usize = 16;

    // tbl makes 0 of places past its 16 bytes.
    const BIAS: [u8; 2] = [0, 16_u8.wrapping_neg()];

    #[inline(always)]
    unsafe fn windows(self, from: impl Fn(usize) -> *const u8) -> Self::Vector {
        // SAFETY: the caller's promise.
        unsafe { super::lanes::zip::load(from(0)) }
    }

    #[inline(always)]
    fn one(self, first: Self::Vector, places: Self::Vector) -> Self::Vector {
        self.neon.vqtbl1q_u8(first, places)
    }

    #[inline(always)]
    fn two(self, windows: [Self::Vector; 2], places: [Self::Vector; 2]) -> Self::Vector {
        self.neon.vorrq_u8(self.one(windows[0], places[0]), self.one(windows[1], places[1]))
    }
}
