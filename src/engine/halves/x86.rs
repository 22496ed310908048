//! [`Halves`] by AVX2 and F16C, on every level that has them: conversions to and from 64 bytes are slower (11.9 us for
//! 9.9).

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use half::{bf16, f16};

use super::Halves;
use crate::engine::isa::token;

/// Tokens of levels that have AVX2 and F16C (AVX-512 implies both).
pub(crate) trait F16c: Copy {}
impl F16c for token::V3Half {}
#[cfg(feature = "x86-v4")]
impl F16c for pulp::x86::V4 {}
#[cfg(feature = "x86-v4")]
impl F16c for token::V4Vbmi {}

impl<S: F16c> Halves for S {
    type Stored = __m256i;

    #[inline(always)]
    fn widen_f16<const L: usize>(self, from: &[f16; L]) -> [f32; L] {
        // SAFETY: the token's level has F16C.
        each(
            from,
            #[inline(always)]
            |x| unsafe {
                let [low, high] = split(x);
                [_mm256_cvtph_ps(low), _mm256_cvtph_ps(high)]
            },
        )
    }

    #[inline(always)]
    fn narrow_f16<const L: usize>(self, from: &[f32; L]) -> [f16; L] {
        each(
            from,
            #[inline(always)]
            |x: [__m256; 2]| {
                // SAFETY: the token's level has F16C.
                let [mut low, mut high] = unsafe {
                    [
                        _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x[0]),
                        _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x[1]),
                    ]
                };
                // Does nothing. LLVM must not see that a conversion is stored: the one with a store in it takes two
                // cycles, and this and the store two thirds of one (8.9 us with it, 7.8 so).
                // SAFETY: no instruction.
                unsafe {
                    core::arch::asm!("/* {0} {1} */", inout(xmm_reg) low, inout(xmm_reg) high,
                    options(pure, nomem, nostack, preserves_flags));
                    _mm256_set_m128i(high, low)
                }
            },
        )
    }

    #[inline(always)]
    fn widen_bf16<const L: usize>(self, from: &[bf16; L]) -> [f32; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe {
                let [low, high] = split(x);
                let low = _mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(low));
                let high = _mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(high));
                [_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)]
            },
        )
    }

    #[inline(always)]
    fn narrow_bf16<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe { narrow::<false, true>(x) },
        )
    }

    #[inline(always)]
    fn narrow_bf16_of_arithmetic<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe { narrow::<false, false>(x) },
        )
    }

    /// Of 16 elements those at even places, then the others: no byte leaves its place but by a shift.
    #[inline(always)]
    fn split_bf16<const L: usize>(self, from: &[bf16; L]) -> [f32; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe {
                let (even, odd) = (_mm256_slli_epi32::<16>(x), _mm256_and_si256(x, _mm256_set1_epi32(!0xFFFF)));
                [_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd)]
            },
        )
    }

    #[inline(always)]
    fn join_bf16<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe { narrow::<true, true>(x) },
        )
    }

    #[inline(always)]
    fn join_bf16_of_arithmetic<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        // SAFETY: the token's level has AVX2.
        each(
            from,
            #[inline(always)]
            |x| unsafe { narrow::<true, false>(x) },
        )
    }
}

/// `f` of every 16 elements of a block, vectors in and vectors out. Such a closure must say that it is inlined: to
/// LLVM it is many calls, and outside of the level's function they stay calls (1077 us for 11).
#[inline(always)]
fn each<A, B, X, Y, const L: usize>(from: &[A; L], f: impl Fn(X) -> Y) -> [B; L] {
    const { assert!(L.is_multiple_of(16) && size_of::<X>() == 16 * size_of::<A>()) };
    const { assert!(size_of::<Y>() == 16 * size_of::<B>()) };
    let mut to = MaybeUninit::<[B; L]>::uninit();
    for sixteen in 0..L / 16 {
        // SAFETY: 16 elements from `16 * sixteen` on lie in both blocks, and are an X and a Y in size. These are
        // vectors, any bits of which are one.
        unsafe {
            let x = from.as_ptr().add(16 * sixteen).cast::<X>().read_unaligned();
            to.as_mut_ptr().cast::<B>().add(16 * sixteen).cast::<Y>().write_unaligned(f(x));
        }
    }
    // SAFETY: all 16s were written.
    unsafe { to.assume_init() }
}

/// Its two lanes.
///
/// # Safety
/// On a level that has AVX2.
#[inline(always)]
unsafe fn split(x: __m256i) -> [__m128i; 2] {
    // SAFETY: the caller's promise.
    unsafe { [_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)] }
}

/// 16 f32 to bf16: in order, or `PAIRS` of an even and an odd place; with `NAN`, of any f32.
///
/// The upper and the lower 16 bits are gathered first, so that all 16 are rounded by one vector's instructions.
///
/// # Safety
/// On a level that has AVX2.
#[inline(always)]
unsafe fn narrow<const PAIRS: bool, const NAN: bool>([a, b]: [__m256; 2]) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let nan_a = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(a, a));
        let nan_b = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(b, b));
        let (a, b) = (_mm256_castps_si256(a), _mm256_castps_si256(b));
        let (upper, lower, nan) = if PAIRS {
            let upper = _mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(a), b);
            let lower = _mm256_blend_epi16::<0xAA>(a, _mm256_slli_epi32::<16>(b));
            (upper, lower, _mm256_blend_epi16::<0xAA>(nan_a, nan_b))
        } else {
            let low = _mm256_set1_epi32(0xFFFF);
            let upper = _mm256_packus_epi32(_mm256_srli_epi32::<16>(a), _mm256_srli_epi32::<16>(b));
            let lower = _mm256_packus_epi32(_mm256_and_si256(a, low), _mm256_and_si256(b, low));
            (upper, lower, _mm256_packs_epi32(nan_a, nan_b))
        };
        // Up if lower + (upper & 1) > 8000: just then this sum saturates, or is FFFF by itself.
        let odd = _mm256_or_si256(_mm256_and_si256(upper, _mm256_set1_epi16(1)), _mm256_set1_epi16(0x7FFE));
        let up = _mm256_cmpeq_epi16(_mm256_adds_epu16(lower, odd), _mm256_set1_epi16(-1));
        let mut rounded = _mm256_sub_epi16(upper, up);
        if NAN {
            rounded = _mm256_blendv_epi8(rounded, _mm256_or_si256(upper, _mm256_set1_epi16(0x40)), nan);
        }
        // Packing goes lane by lane.
        if PAIRS { rounded } else { _mm256_permute4x64_epi64::<0b11_01_10_00>(rounded) }
    }
}
