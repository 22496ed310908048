//! What the expressions of `kernels/functions/list.rs` are made of, beyond operators: the traits of their elements, whose
//! implementations are rendered from `kernels/functions/elements.rs`.

#![forbid(unsafe_code)]

pub(crate) mod complex;
#[cfg(all(test, feature = "std"))]
mod complex_tests;

/// Integers that divide, whatever by.
pub(crate) trait Divide: Copy {
    /// Truncated towards zero; by 0 it is 0, and the lowest by -1 wraps.
    fn div_total(self, by: Self) -> Self;
}

/// Integers.
pub(crate) trait Int: Divide {
    /// What is left by [`Divide::div_total`], with this one's sign; by 0 it is 0.
    fn fmod_total(self, by: Self) -> Self;

    /// What is left, with the sign of `by`; by 0 it is 0.
    fn remainder_total(self, by: Self) -> Self;

    /// To a power, wrapping; a negative one counts as 0.
    fn power(self, exponent: Self) -> Self;
}

/// Integers whose bits move.
pub(crate) trait Shift: Copy {
    /// Up; by the width or more, or by a negative count, it is 0.
    fn shl_total(self, by: Self) -> Self;

    /// Down, filled with the sign; by the width or more, or by a negative count, only that is left.
    fn shr_total(self, by: Self) -> Self;
}

/// f32 and f64, and halves computed as f32.
pub(crate) trait Float: Copy {
    /// The smaller, NaN if either is, and -0 below +0 (NumPy's minimum, IEEE 754-2019 minimum).
    fn minimum_of(self, other: Self) -> Self;

    /// The larger, NaN if either is, and +0 above -0 (NumPy's maximum, IEEE 754-2019 maximum).
    fn maximum_of(self, other: Self) -> Self;

    /// The smaller, a number if either is one (C99 fmin), and -0 below +0.
    fn fmin_of(self, other: Self) -> Self;

    /// The larger, a number if either is one (C99 fmax), and +0 above -0.
    fn fmax_of(self, other: Self) -> Self;

    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;

    /// NumPy's isclose: equal, or apart by no more than the tolerance allows at `other`.
    fn is_close(self, other: Self, tolerance: &Tolerance) -> bool;
}

/// How far apart `approx_eq` takes numbers for equal: `|a - b| <= atol + rtol * |b|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The absolute part.
    pub atol: f64,
    /// The part relative to the second operand.
    pub rtol: f64,
}

impl Default for Tolerance {
    /// NumPy's: `atol` 1e-8, `rtol` 1e-5.
    fn default() -> Self {
        Self { atol: 1e-8, rtol: 1e-5 }
    }
}

/// Types that have a 0 and a 1.
pub(crate) trait Truth {
    /// 1 for true, else 0.
    fn of_truth(truth: bool) -> Self;
}

/// Elements that are chosen and otherwise left alone, as words of their width.
pub(crate) trait Choose {
    /// This one if `mask` is not 0, else `other`. By bits: a branch, or a move that the mask decides, is not made into
    /// vector code by every level (a select of f32 takes 28.8 us with `if`, 4.5 so).
    fn choose(self, other: Self, mask: u8) -> Self;
}

impl Choose for [u32; 2] {
    /// As one word, which two f32 need not be aligned for.
    #[inline(always)]
    fn choose(self, other: Self, mask: u8) -> Self {
        bytemuck::cast(bytemuck::cast::<Self, u64>(self).choose(bytemuck::cast(other), mask))
    }
}

impl Choose for [u64; 2] {
    #[inline(always)]
    fn choose(self, other: Self, mask: u8) -> Self {
        [self[0].choose(other[0], mask), self[1].choose(other[1], mask)]
    }
}
