//! The machine's own vector types, which kernels load and store by.
//!
//! [`Lanes`] gives each level its widest, and [`Pick`] the byte permutations of those that have them; [`zip`]
//! interleaves 16-byte vectors, which every level has.

use super::turn::Wide;

/// A token and the machine's own type for a whole vector.
///
/// pulp's vectors are structs of numbers. Loaded several at a time and stored after, they go through the stack,
/// because source and output might overlap for all LLVM knows; the machine's types stay in registers.
pub trait Lanes: Copy {
    /// As many bytes as the level moves at once.
    type Vector: Copy;

    /// What its transposes are made of.
    type Turned: Wide;

    /// The same for elements of two bytes through the caches: 32 vectors of 64 bytes are more than the registers hold.
    type TurnedPairs: Wide;

    /// Runs `inside` with the level's instructions: for a function of its own, which does not inherit them.
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R;

    /// One byte over and over. An array of it becomes a product with 0x0101.. first, at twice the cost of a short row.
    fn bytes(self, x: u8) -> Self::Vector;

    /// Of the 64 bytes that this vector is `lane` bytes into, the first `at` are `low` and the others `high`: its part.
    ///
    /// # Safety
    /// `at` is less than 64, and `lane` and a vector at most 64.
    unsafe fn join(self, low: Self::Vector, high: Self::Vector, at: usize, lane: usize) -> Self::Vector;
}

/// 64 bytes of nothing and as many of ones: any 64 in a row are a mask of those from some byte on.
static STEP: [u8; 128] = {
    let mut step = [0; 128];
    let mut at = 64;
    while at < 128 {
        step[at] = 0xFF;
        at += 1;
    }
    step
};

/// Ones in the bytes from `at` on of 64: the part of them that is a `V`, `lane` bytes in.
///
/// # Safety
/// As [`Lanes::join`]; a `V` takes any bytes.
#[inline(always)]
unsafe fn from_byte<V: Copy>(at: usize, lane: usize) -> V {
    // SAFETY: 64 - at + lane + size_of V is at most 128.
    unsafe { core::ptr::read_unaligned(STEP.as_ptr().add(64 - at + lane).cast()) }
}

impl Lanes for pulp::Scalar {
    type Vector = u64;
    type Turned = zip::Vector;
    type TurnedPairs = zip::Vector;

    #[inline(always)]
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R {
        inside()
    }

    #[inline(always)]
    fn bytes(self, x: u8) -> u64 {
        u64::from_ne_bytes([x; 8])
    }

    #[inline(always)]
    unsafe fn join(self, low: u64, high: u64, at: usize, lane: usize) -> u64 {
        // SAFETY: the caller's promise.
        let mask: u64 = unsafe { from_byte(at, lane) };
        low & !mask | high & mask
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for super::isa::token::V3Half {
    type Vector = core::arch::x86_64::__m256i;
    type Turned = core::arch::x86_64::__m256i;
    type TurnedPairs = core::arch::x86_64::__m256i;

    #[inline(always)]
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R {
        self.vectorize(inside)
    }

    #[inline(always)]
    fn bytes(self, x: u8) -> Self::Vector {
        self.avx._mm256_set1_epi8(x as i8)
    }

    #[inline(always)]
    unsafe fn join(self, low: Self::Vector, high: Self::Vector, at: usize, lane: usize) -> Self::Vector {
        // SAFETY: the caller's promise.
        self.avx2._mm256_blendv_epi8(low, high, unsafe { from_byte(at, lane) })
    }
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Lanes for pulp::x86::V4 {
    type Vector = core::arch::x86_64::__m512i;
    type Turned = core::arch::x86_64::__m512i;
    type TurnedPairs = core::arch::x86_64::__m256i;

    #[inline(always)]
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R {
        self.vectorize(inside)
    }

    #[inline(always)]
    fn bytes(self, x: u8) -> Self::Vector {
        self.avx512f._mm512_set1_epi8(x as i8)
    }

    #[inline(always)]
    unsafe fn join(self, low: Self::Vector, high: Self::Vector, at: usize, _: usize) -> Self::Vector {
        // The vector is all of the 64 bytes. A mask of numbers costs less than one from memory, which may cross a line.
        self.avx512bw._mm512_mask_blend_epi8(u64::MAX << at, low, high)
    }
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Lanes for super::isa::token::V4Vbmi {
    type Vector = core::arch::x86_64::__m512i;
    type Turned = core::arch::x86_64::__m512i;
    type TurnedPairs = core::arch::x86_64::__m256i;

    #[inline(always)]
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R {
        self.vectorize(inside)
    }

    #[inline(always)]
    fn bytes(self, x: u8) -> Self::Vector {
        self.avx512f._mm512_set1_epi8(x as i8)
    }

    #[inline(always)]
    unsafe fn join(self, low: Self::Vector, high: Self::Vector, at: usize, _: usize) -> Self::Vector {
        // As for V4.
        self.avx512bw._mm512_mask_blend_epi8(u64::MAX << at, low, high)
    }
}

#[cfg(target_arch = "aarch64")]
impl Lanes for pulp::aarch64::Neon {
    type Vector = core::arch::aarch64::uint8x16_t;
    type Turned = zip::Vector;
    type TurnedPairs = zip::Vector;

    #[inline(always)]
    fn enter<R>(self, inside: impl FnOnce() -> R) -> R {
        self.vectorize(inside)
    }

    #[inline(always)]
    fn bytes(self, x: u8) -> Self::Vector {
        self.neon.vdupq_n_u8(x)
    }

    #[inline(always)]
    unsafe fn join(self, low: Self::Vector, high: Self::Vector, at: usize, lane: usize) -> Self::Vector {
        // SAFETY: the caller's promise.
        self.neon.vbslq_u8(unsafe { from_byte(at, lane) }, high, low)
    }
}

/// Vectors of one or two 16-byte lanes whose bytes an instruction picks, in each lane for itself.
pub(crate) trait Pick: Lanes<Vector: Wide> {
    /// The 16 bytes at `from`, in every lane.
    ///
    /// # Safety
    /// 16 bytes are readable.
    unsafe fn lanes(self, from: *const u8) -> Self::Vector;

    /// Byte `index[i]`, from 0 to 15, of the lane that byte `i` is in; 0 where the index is 128.
    fn pick(self, bytes: Self::Vector, index: Self::Vector) -> Self::Vector;
}

#[cfg(target_arch = "x86_64")]
impl Pick for super::isa::token::V3Half {
    #[inline(always)]
    unsafe fn lanes(self, from: *const u8) -> Self::Vector {
        // SAFETY: the caller's promise.
        self.avx2._mm256_broadcastsi128_si256(unsafe { zip::load(from) })
    }

    #[inline(always)]
    fn pick(self, bytes: Self::Vector, index: Self::Vector) -> Self::Vector {
        self.avx2._mm256_shuffle_epi8(bytes, index)
    }
}

#[cfg(target_arch = "aarch64")]
impl Pick for pulp::aarch64::Neon {
    #[inline(always)]
    unsafe fn lanes(self, from: *const u8) -> Self::Vector {
        // SAFETY: the caller's promise.
        unsafe { zip::load(from) }
    }

    #[inline(always)]
    fn pick(self, bytes: Self::Vector, index: Self::Vector) -> Self::Vector {
        self.neon.vqtbl1q_u8(bytes, index)
    }
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
