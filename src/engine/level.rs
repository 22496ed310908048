//! [`Level`]: what elementwise functions are computed on.

use super::halves::Halves;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::isa::token;
use super::lanes::{Lanes, zip};

/// A level that functions are computed on: the token of its kernels, and pulp's lanes.
#[doc(hidden)]
pub trait Level: Lanes + Halves {
    /// pulp's token for the level.
    type Simd: pulp::Simd;

    /// # Safety
    /// The CPU passed the level's check.
    unsafe fn new() -> Self;

    /// pulp's token.
    fn simd(self) -> Self::Simd;

    /// Runs `op` compiled for the level.
    fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output;

    /// Copies `n` bytes, less than a block of elements has.
    ///
    /// # Safety
    /// They are readable and writable, and do not overlap.
    #[inline(always)]
    unsafe fn copy_part(self, from: *const u8, to: *mut u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy_short(from, to, n) }
    }

    /// The same, and zeros from there on, `width` bytes in all: a whole block.
    ///
    /// # Safety
    /// As [`Level::copy_part`]; `width` bytes are writable, a multiple of 16.
    #[inline(always)]
    unsafe fn fill_part(self, from: *const u8, n: usize, to: *mut u8, width: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut at = n / 16 * 16;
            while at < width {
                zip::store(to.add(at), core::mem::zeroed());
                at += 16;
            }
            copy_short(from, to, n);
        }
    }
}

/// Copies `n` bytes by two moves that overlap, or several: a call to copy a few bytes costs more than they do.
///
/// # Safety
/// They are readable and writable, and do not overlap.
#[inline(always)]
unsafe fn copy_short(from: *const u8, to: *mut u8, n: usize) {
    /// # Safety
    /// As for the outer one, of `n` bytes, at least those of a `T`.
    #[inline(always)]
    unsafe fn by<T: Copy>(from: *const u8, to: *mut u8, n: usize) {
        let last = n - size_of::<T>();
        let mut at = 0;
        // SAFETY: the caller's promise.
        unsafe {
            while at < last {
                to.add(at).cast::<T>().write_unaligned(from.add(at).cast::<T>().read_unaligned());
                at += size_of::<T>();
            }
            to.add(last).cast::<T>().write_unaligned(from.add(last).cast::<T>().read_unaligned());
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        match n {
            16.. => by::<zip::Vector>(from, to, n),
            8.. => by::<u64>(from, to, n),
            4.. => by::<u32>(from, to, n),
            2.. => by::<u16>(from, to, n),
            1 => *to = *from,
            0 => {}
        }
    }
}

impl Level for pulp::Scalar {
    type Simd = Self;

    #[inline(always)]
    unsafe fn new() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output {
        op.call()
    }
}

#[cfg(target_arch = "x86_64")]
impl Level for token::V3Half {
    type Simd = pulp::x86::V3;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { token::avx2() }
    }

    #[inline(always)]
    fn simd(self) -> pulp::x86::V3 {
        // SAFETY: a value of this type exists only where the CPU has all of V3's features.
        unsafe { pulp::x86::V3::new_unchecked() }
    }

    #[inline(always)]
    fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output {
        self.vectorize(op)
    }
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
impl Level for pulp::x86::V4 {
    type Simd = Self;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { token::avx512() }
    }

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output {
        self.vectorize(op)
    }

    #[inline(always)]
    unsafe fn copy_part(self, from: *const u8, to: *mut u8, n: usize) {
        use core::arch::x86_64::{_mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8};
        let mut at = 0;
        while at < n {
            let mask = u64::MAX >> (64 - (n - at).min(64));
            // SAFETY: the caller's promise; V4 has AVX512BW.
            unsafe {
                let part = _mm512_maskz_loadu_epi8(mask, from.add(at).cast());
                _mm512_mask_storeu_epi8(to.add(at).cast(), mask, part);
            }
            at += 64;
        }
    }

    #[inline(always)]
    unsafe fn fill_part(self, from: *const u8, n: usize, to: *mut u8, width: usize) {
        use core::arch::x86_64::{_mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_storeu_si512};
        let ones = |n: usize| if n == 0 { 0 } else { u64::MAX >> (64 - n.min(64)) };
        let mut at = 0;
        while at < width {
            let (mask, from) = (ones(n.saturating_sub(at)), from.wrapping_add(at).cast());
            // SAFETY: the caller's promise; V4 has AVX512BW. What a mask leaves out is not touched.
            unsafe {
                let part = _mm512_maskz_loadu_epi8(mask, from);
                // A vector stored under a mask cannot be read back before it is written.
                match width - at {
                    64.. => _mm512_storeu_si512(to.add(at).cast(), part),
                    left => _mm512_mask_storeu_epi8(to.add(at).cast(), ones(left), part),
                }
            }
            at += 64;
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl Level for pulp::aarch64::Neon {
    type Simd = Self;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { token::neon() }
    }

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output {
        self.vectorize(op)
    }
}
