//! [`Halves`]: blocks of f16 and bf16 to f32 and back, the same bits on every level.
//!
//! Kernels compute in f32 and round once: to nearest, ties to even, subnormals kept, NaNs made quiet ones. `half`'s own
//! conversions are calls; 128 Ki additions took 162 us with them, and 9.9 with these (Zen 4, where a copy takes 4.6).
//!
//! Blocks of 32 elements are best on every level: from 64 on LLVM joins pairs of the AVX2 vectors below into wider
//! ones under AVX-512, and takes them apart again (10.5 us for 7.8).

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use half::{bf16, f16};

/// A token and its level's conversions of blocks of a multiple of 16 elements.
///
/// `split_bf16` and the two that join are for what is computed element by element from bf16 to bf16. Between them a
/// block's elements are in an order of the level's own, the same at every call, and nothing else knows which: 128 Ki
/// products take 8.9 us so, and 15.6 with the elements in order.
pub trait Halves: Copy {
    /// What a block of halves is best stored by: as wide as the conversions make them.
    type Stored: Copy;

    /// Exact.
    fn widen_f16<const L: usize>(self, from: &[f16; L]) -> [f32; L];

    /// Rounds.
    fn narrow_f16<const L: usize>(self, from: &[f32; L]) -> [f16; L];

    /// Exact.
    #[inline(always)]
    fn widen_bf16<const L: usize>(self, from: &[bf16; L]) -> [f32; L] {
        plain::each(from, |x| f32::from_bits(u32::from(x.to_bits()) << 16))
    }

    /// Rounds.
    #[inline(always)]
    fn narrow_bf16<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        plain::each(from, plain::bf16)
    }

    /// Rounds what one `+ - * /` made of widened bf16, and spares the test for NaN.
    ///
    /// Rounding adds to the lower 16 bits and may carry into the upper, which would make infinity or zero of a NaN. The
    /// NaNs that such an operation gives are an operand's, whose lower bits are 0 as it was widened, or the machine's
    /// own, of which only the sign and the quiet bit are set. There is nothing in the lower bits to carry.
    #[inline(always)]
    fn narrow_bf16_of_arithmetic<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        plain::each(from, plain::bf16_of_arithmetic)
    }

    /// As [`Halves::widen_bf16`], in the level's own order.
    #[inline(always)]
    fn split_bf16<const L: usize>(self, from: &[bf16; L]) -> [f32; L] {
        self.widen_bf16(from)
    }

    /// As [`Halves::narrow_bf16`], from the level's own order.
    #[inline(always)]
    fn join_bf16<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        self.narrow_bf16(from)
    }

    /// As [`Halves::narrow_bf16_of_arithmetic`], from the level's own order.
    #[inline(always)]
    fn join_bf16_of_arithmetic<const L: usize>(self, from: &[f32; L]) -> [bf16; L] {
        self.narrow_bf16_of_arithmetic(from)
    }
}

impl Halves for pulp::Scalar {
    type Stored = u64;

    #[inline(always)]
    fn widen_f16<const L: usize>(self, from: &[f16; L]) -> [f32; L] {
        plain::each(from, plain::widen)
    }

    #[inline(always)]
    fn narrow_f16<const L: usize>(self, from: &[f32; L]) -> [f16; L] {
        plain::each(from, plain::narrow)
    }
}

/// Element by element, without branches: LLVM makes vectors of it, SSE2's too.
mod plain {
    use core::hint::{assert_unchecked, black_box};
    use core::mem::{MaybeUninit, transmute_copy};

    use half::{bf16, f16};

    /// `f` of every element of a block of a multiple of 16.
    #[inline(always)]
    pub(super) fn each<A: Copy, B: Copy, const L: usize>(from: &[A; L], f: impl Fn(A) -> B) -> [B; L] {
        const { assert!(L.is_multiple_of(16)) };
        let mut to = [const { MaybeUninit::uninit() }; L];
        // A loop of a known length is unrolled before it can become vectors, and then it does not: 82 us for 25.
        let whole = black_box(L);
        // SAFETY: `black_box` gives back what it is given.
        unsafe { assert_unchecked(whole == L) };
        for i in 0..whole {
            to[i].write(f(from[i]));
        }
        // SAFETY: all L elements were written.
        unsafe { transmute_copy::<[MaybeUninit<B>; L], [B; L]>(&to) }
    }

    /// All ones where `is`.
    #[inline(always)]
    fn mask(is: bool) -> u32 {
        u32::from(is).wrapping_neg()
    }

    /// The half's exponent and fraction, read where f32 has its own, are 2^112 times too small, subnormals included.
    /// Infinities and NaNs come out from 2^16 on, which no other half does.
    #[inline(always)]
    pub(super) fn widen(half: f16) -> f32 {
        let half = u32::from(half.to_bits());
        let size = f32::from_bits((half & 0x7FFF) << 13) * f32::from_bits((127 + 112) << 23);
        let special = mask(size >= 65536.0) & (0xFF << 23);
        f32::from_bits((half & 0x8000) << 16 | size.to_bits() | special)
    }

    /// Adding 2^13 times its own power of two leaves of a number 11 bits, rounded as halves are, at the bottom of the
    /// sum; of one below the least normal half, as many as a half has there. An exponent has no bits in the lower 16.
    #[inline(always)]
    pub(super) fn narrow(x: f32) -> f16 {
        let size = (x.to_bits() & 0x7FFF_FFFF) as i32;
        // 2^16 has the bits of infinity, and so have NaNs but for one. Numbers compared as floats become an instruction
        // on AArch64 that lets signalling NaNs through.
        let capped = size.min((127 + 16) << 23);
        let power = (capped & (0xFF << 23)).max(113 << 23) as u32;
        let sum = (f32::from_bits(capped as u32) + f32::from_bits(power + (13 << 23))).to_bits();
        // The top of the 11 bits adds one to the exponent, which is counted from one lower.
        let half = sum.wrapping_add(power >> 13).wrapping_sub(113 << 10);
        f16::from_bits((half | mask(x.is_nan()) & 0x200 | x.to_bits() >> 16 & 0x8000) as u16)
    }

    #[inline(always)]
    pub(super) fn bf16_of_arithmetic(x: f32) -> bf16 {
        let bits = x.to_bits();
        bf16::from_bits((bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16) as u16)
    }

    #[inline(always)]
    pub(super) fn bf16(x: f32) -> bf16 {
        let nan = mask(x.is_nan());
        let quiet = x.to_bits() >> 16 | 0x40;
        let rounded = u32::from(bf16_of_arithmetic(x).to_bits());
        bf16::from_bits((quiet & nan | rounded & !nan) as u16)
    }
}
