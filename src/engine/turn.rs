//! [`Wide`]: vectors of 16-byte lanes, which transposes are made of.
//!
//! A transpose of 16-byte squares is a network of interleaves inside lanes, and all lanes of a wide vector turn one
//! square each at no extra cost. Whole cache lines are turned by one more network, which exchanges lanes.

use super::lanes::zip;

/// A vector of one, two or four 16-byte lanes.
pub trait Wide: Copy {
    /// Number of 16-byte lanes.
    const LANES: usize;

    /// # Safety
    /// `16 * LANES` bytes are readable.
    unsafe fn load(from: *const u8) -> Self;

    /// Lane `i` from `from(i)`.
    ///
    /// # Safety
    /// 16 bytes are readable at each `from(i)`.
    unsafe fn gather(from: impl Fn(usize) -> *const u8) -> Self;

    /// Past the caches if `STREAM` and the machine can; [`Wide::fence`] is owed then.
    ///
    /// # Safety
    /// `16 * LANES` bytes are writable; if `STREAM`, `to` is aligned to as many.
    unsafe fn store<const STREAM: bool>(self, to: *mut u8);

    /// In each lane the interleaved halves of a pair, by elements of `W` bytes: `a0 b0 a1 b1 ..`, the first 16 bytes
    /// and the other 16.
    fn halves<const W: usize>(a: Self, b: Self) -> [Self; 2];

    /// Exchanges lanes: lane `j` of line `i` becomes lane `i` of line `j`, for `i`, `j` below [`Wide::LANES`].
    fn exchange(square: [Self; MOST]) -> [Self; MOST];

    /// Orders streamed stores before everything that follows.
    #[inline(always)]
    fn fence() {}
}

/// Most lanes of any level.
pub const MOST: usize = 4;

impl Wide for zip::Vector {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { zip::load(from) }
    }

    #[inline(always)]
    unsafe fn gather(from: impl Fn(usize) -> *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { zip::load(from(0)) }
    }

    #[inline(always)]
    unsafe fn store<const STREAM: bool>(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { zip::store(to, self) }
    }

    #[inline(always)]
    fn halves<const W: usize>(a: Self, b: Self) -> [Self; 2] {
        zip::halves::<W>(a, b)
    }

    #[inline(always)]
    fn exchange(square: [Self; MOST]) -> [Self; MOST] {
        square
    }
}

/// The interleaves by element width, which have the same names for every register.
#[cfg(target_arch = "x86_64")]
macro_rules! halves {
    ($a:ident, $b:ident, $($width:literal => $low:ident $high:ident,)*) => {
        match W {
            $($width => [$low($a, $b), $high($a, $b)],)*
            _ => unreachable!(),
        }
    };
}

// SAFETY of both implementations below: kernels are handed these types through `Lanes`, so they run on the type's
// level.

#[cfg(target_arch = "x86_64")]
impl Wide for core::arch::x86_64::__m256i {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { core::ptr::read_unaligned(from.cast()) }
    }

    #[inline(always)]
    unsafe fn gather(from: impl Fn(usize) -> *const u8) -> Self {
        use core::arch::x86_64::*;
        // SAFETY: the caller's promise.
        unsafe { _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(zip::load(from(0))), zip::load(from(1))) }
    }

    #[inline(always)]
    unsafe fn store<const STREAM: bool>(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match STREAM {
                true => core::arch::x86_64::_mm256_stream_si256(to.cast(), self),
                false => core::ptr::write_unaligned(to.cast(), self),
            }
        }
    }

    #[inline(always)]
    fn halves<const W: usize>(a: Self, b: Self) -> [Self; 2] {
        use core::arch::x86_64::*;
        // SAFETY: see above.
        unsafe {
            halves! { a, b,
                1 => _mm256_unpacklo_epi8 _mm256_unpackhi_epi8,
                2 => _mm256_unpacklo_epi16 _mm256_unpackhi_epi16,
                4 => _mm256_unpacklo_epi32 _mm256_unpackhi_epi32,
                8 => _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
            }
        }
    }

    #[inline(always)]
    fn exchange([a, b, c, d]: [Self; MOST]) -> [Self; MOST] {
        use core::arch::x86_64::*;
        // SAFETY: see above.
        unsafe { [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b), c, d] }
    }

    #[inline(always)]
    fn fence() {
        // SAFETY: every x86-64 has SSE.
        unsafe { core::arch::x86_64::_mm_sfence() }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Wide for core::arch::x86_64::__m512i {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { core::ptr::read_unaligned(from.cast()) }
    }

    #[inline(always)]
    unsafe fn gather(from: impl Fn(usize) -> *const u8) -> Self {
        use core::arch::x86_64::*;
        // SAFETY: the caller's promise.
        unsafe {
            let lanes = _mm512_castsi128_si512(zip::load(from(0)));
            let lanes = _mm512_inserti32x4::<1>(lanes, zip::load(from(1)));
            let lanes = _mm512_inserti32x4::<2>(lanes, zip::load(from(2)));
            _mm512_inserti32x4::<3>(lanes, zip::load(from(3)))
        }
    }

    #[inline(always)]
    unsafe fn store<const STREAM: bool>(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match STREAM {
                true => core::arch::x86_64::_mm512_stream_si512(to.cast(), self),
                false => core::ptr::write_unaligned(to.cast(), self),
            }
        }
    }

    #[inline(always)]
    fn halves<const W: usize>(a: Self, b: Self) -> [Self; 2] {
        use core::arch::x86_64::*;
        // SAFETY: see above.
        unsafe {
            halves! { a, b,
                1 => _mm512_unpacklo_epi8 _mm512_unpackhi_epi8,
                2 => _mm512_unpacklo_epi16 _mm512_unpackhi_epi16,
                4 => _mm512_unpacklo_epi32 _mm512_unpackhi_epi32,
                8 => _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
            }
        }
    }

    #[inline(always)]
    fn exchange([a, b, c, d]: [Self; MOST]) -> [Self; MOST] {
        use core::arch::x86_64::*;
        // Even and odd lanes of each pair, then of the pairs of pairs.
        const EVEN: i32 = 0b10_00_10_00;
        const ODD: i32 = 0b11_01_11_01;
        // SAFETY: see above.
        unsafe {
            let (ab, cd) = (_mm512_shuffle_i32x4::<EVEN>(a, b), _mm512_shuffle_i32x4::<EVEN>(c, d));
            let (ab_odd, cd_odd) = (_mm512_shuffle_i32x4::<ODD>(a, b), _mm512_shuffle_i32x4::<ODD>(c, d));
            [
                _mm512_shuffle_i32x4::<EVEN>(ab, cd),
                _mm512_shuffle_i32x4::<EVEN>(ab_odd, cd_odd),
                _mm512_shuffle_i32x4::<ODD>(ab, cd),
                _mm512_shuffle_i32x4::<ODD>(ab_odd, cd_odd),
            ]
        }
    }

    #[inline(always)]
    fn fence() {
        // SAFETY: every x86-64 has SSE.
        unsafe { core::arch::x86_64::_mm_sfence() }
    }
}
