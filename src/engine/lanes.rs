//! The machine's own vector types, which kernels load and store by.
//!
//! [`Lanes`] gives each level its widest; [`zip`] interleaves 16-byte vectors, which every level has.

use super::turn::Wide;

/// A token and the machine's own type for a whole vector.
///
/// pulp's vectors are structs of numbers. Loaded several at a time and stored after, they go through the stack,
/// because source and output might overlap for all LLVM knows; the machine's types stay in registers.
pub(crate) trait Lanes: pulp::Simd {
    /// As many bytes as the level moves at once.
    type Vector: Copy;

    /// What its transposes are made of.
    type Turned: Wide;

    /// The same for elements of two bytes through the caches: 32 vectors of 64 bytes are more than the registers hold.
    type TurnedPairs: Wide;
}

impl Lanes for pulp::Scalar {
    type Vector = u64;
    type Turned = zip::Vector;
    type TurnedPairs = zip::Vector;
}

#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
    type Vector = core::arch::x86_64::__m256i;
    type Turned = core::arch::x86_64::__m256i;
    type TurnedPairs = core::arch::x86_64::__m256i;
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Lanes for pulp::x86::V4 {
    type Vector = core::arch::x86_64::__m512i;
    type Turned = core::arch::x86_64::__m512i;
    type TurnedPairs = core::arch::x86_64::__m256i;
}

#[cfg(target_arch = "aarch64")]
impl Lanes for pulp::aarch64::Neon {
    type Vector = core::arch::aarch64::uint8x16_t;
    type Turned = zip::Vector;
    type TurnedPairs = zip::Vector;
}

/// The two interleaved halves of a pair of 16-byte vectors, by elements of `W` bytes. Targets with vectors have the
/// instruction in their baseline, so one small network serves all levels; the others get plain Rust.
pub(crate) mod zip {
    use core::ptr::{read_unaligned, write_unaligned};

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    pub(crate) type Vector = core::arch::x86_64::__m128i;
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    pub(crate) type Vector = core::arch::aarch64::uint8x16_t;
    #[cfg(not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    pub(crate) type Vector = [u8; 16];

    /// # Safety
    /// 16 bytes are readable.
    #[inline(always)]
    pub(crate) unsafe fn load(from: *const u8) -> Vector {
        // SAFETY: the caller's promise.
        unsafe { read_unaligned(from.cast()) }
    }

    /// # Safety
    /// 16 bytes are writable.
    #[inline(always)]
    pub(crate) unsafe fn store(to: *mut u8, vector: Vector) {
        // SAFETY: the caller's promise.
        unsafe { write_unaligned(to.cast(), vector) }
    }

    /// `a0 b0 a1 b1 ..`: the first 16 bytes, and the other 16.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    pub(crate) fn halves<const W: usize>(a: Vector, b: Vector) -> [Vector; 2] {
        use core::arch::x86_64::*;
        // SAFETY: the target has SSE2, by the `cfg` above.
        unsafe {
            match W {
                1 => [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)],
                2 => [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)],
                4 => [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)],
                _ => [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)],
            }
        }
    }

    /// `a0 b0 a1 b1 ..`: the first 16 bytes, and the other 16.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    #[inline(always)]
    pub(crate) fn halves<const W: usize>(a: Vector, b: Vector) -> [Vector; 2] {
        use core::arch::aarch64::*;
        // SAFETY: the target has NEON, by the `cfg` above.
        unsafe {
            macro_rules! zip {
                ($to:ident, $back:ident, $one:ident, $two:ident) => {{
                    let (a, b) = ($to(a), $to(b));
                    [$back($one(a, b)), $back($two(a, b))]
                }};
            }
            match W {
                1 => [vzip1q_u8(a, b), vzip2q_u8(a, b)],
                2 => zip!(vreinterpretq_u16_u8, vreinterpretq_u8_u16, vzip1q_u16, vzip2q_u16),
                4 => zip!(vreinterpretq_u32_u8, vreinterpretq_u8_u32, vzip1q_u32, vzip2q_u32),
                _ => zip!(vreinterpretq_u64_u8, vreinterpretq_u8_u64, vzip1q_u64, vzip2q_u64),
            }
        }
    }

    /// `a0 b0 a1 b1 ..`: the first 16 bytes, and the other 16.
    #[cfg(not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    #[inline(always)]
    pub(crate) fn halves<const W: usize>(a: Vector, b: Vector) -> [Vector; 2] {
        core::array::from_fn(|half| {
            core::array::from_fn(|byte| {
                let element = half * 16 + byte;
                let from = if element / W % 2 == 0 { &a } else { &b };
                from[element / (2 * W) * W + element % W]
            })
        })
    }
}
