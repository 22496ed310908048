//! `f32` and `f64` as one kind: their arithmetic, and their bits as integers.

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::{fma, fma32, sqrt, sqrt32};

/// What the functions of this module need of a floating-point type.
pub(crate) trait Real:
    Copy
    + Default
    + PartialOrd
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// The unsigned integer of the same size.
    type Bits: Copy
        + Ord
        + Add<Output = Self::Bits>
        + BitAnd<Output = Self::Bits>
        + BitOr<Output = Self::Bits>
        + BitXor<Output = Self::Bits>
        + Not<Output = Self::Bits>;

    /// The sign bit alone, which is also -0.
    const SIGN: Self::Bits;
    /// The exponent's bits, which are also infinity.
    const EXPONENT: Self::Bits;
    /// 1.
    const ONE: Self;

    fn to_bits(self) -> Self::Bits;
    fn from_bits(bits: Self::Bits) -> Self;
    fn wrapping_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// `self * y + z`, rounded once.
    fn fma(self, y: Self, z: Self) -> Self;
    fn sqrt(self) -> Self;

    /// The bits without the sign. As integers they are ordered like the magnitudes, with NaNs above infinity.
    #[inline(always)]
    fn magnitude(self) -> Self::Bits {
        self.to_bits() & !Self::SIGN
    }

    /// `x` if `take` is true, else +0.
    #[inline(always)]
    fn zero_unless(take: bool, x: Self) -> Self {
        if take { x } else { Self::default() }
    }
}

impl Real for f32 {
    type Bits = u32;

    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0x7f80_0000;
    const ONE: f32 = 1.0;

    #[inline(always)]
    fn to_bits(self) -> u32 {
        f32::to_bits(self)
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }

    #[inline(always)]
    fn wrapping_sub(a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn fma(self, y: f32, z: f32) -> f32 {
        fma32(self, y, z)
    }

    #[inline(always)]
    fn sqrt(self) -> f32 {
        sqrt32(self)
    }
}

impl Real for f64 {
    type Bits = u64;

    const SIGN: u64 = 1 << 63;
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn wrapping_sub(a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn fma(self, y: f64, z: f64) -> f64 {
        fma(self, y, z)
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        sqrt(self)
    }
}
