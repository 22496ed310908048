// What the expressions of `list.rs` are made of, beyond operators. `Elem` stands for a type; all sections are repeated
// for each type of their class, one element at a time, without branches where that lets them become vector code.
//
// Integers are total: what has no result gives 0 here, and is refused before a kernel runs.

//# once
use crate::functions::{Choose, Divide, Float, Int, Shift, Tolerance, Truth};
use crate::math;

//# narrow signed
impl Divide for Elem {
    // Wider holds both exactly, and a quotient that is no integer lies further from one, by 1 in `self`, than it is
    // rounded: so the division can be one of vectors. A cast that saturates could not (75 us for 25).
    #[inline(always)]
    fn div_total(self, by: Self) -> Self {
        // What has no quotient, or too large a one, is divided by 1: the lowest stays what it is.
        let divisor = if (by == 0) | ((self == Self::MIN) & (by == -1)) { 1 } else { by };
        let quotient = Wider::from(self) / Wider::from(divisor);
        // SAFETY: it is finite, and in the range of `self` once truncated.
        let quotient = unsafe { quotient.to_int_unchecked::<Self>() };
        if by == 0 { 0 } else { quotient }
    }
}

//# narrow unsigned
impl Divide for Elem {
    #[inline(always)]
    fn div_total(self, by: Self) -> Self {
        // As for signed ones.
        let quotient = Wider::from(self) / Wider::from(if by == 0 { 1 } else { by });
        // SAFETY: it is finite, and not above `self`.
        let quotient = unsafe { quotient.to_int_unchecked::<Self>() };
        if by == 0 { 0 } else { quotient }
    }
}

//# wide
impl Divide for Elem {
    #[inline(always)]
    fn div_total(self, by: Self) -> Self {
        if by == 0 { 0 } else { self.wrapping_div(by) }
    }
}

//# integers
impl Int for Elem {
    #[inline(always)]
    fn fmod_total(self, by: Self) -> Self {
        let left = self.wrapping_sub(self.div_total(by).wrapping_mul(by));
        if by == 0 { 0 } else { left }
    }

    #[inline(always)]
    fn remainder_total(self, by: Self) -> Self {
        let left = self.fmod_total(by);
        if (left != 0) & ((left ^ by) >> (Self::BITS - 1) & 1 == 1) { left.wrapping_add(by) } else { left }
    }

    #[inline(always)]
    fn power(self, exponent: Self) -> Self {
        let (mut power, mut base, mut left) = (1 as Elem, self, exponent);
        while left > 0 {
            if left & 1 == 1 {
                power = power.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        power
    }
}

impl Truth for Elem {
    #[inline(always)]
    fn of_truth(truth: bool) -> Self {
        Self::from(truth)
    }
}

//# unsigned
impl Shift for Elem {
    #[inline(always)]
    fn shl_total(self, by: Self) -> Self {
        if by < Self::BITS as Self { self << by } else { 0 }
    }

    #[inline(always)]
    fn shr_total(self, by: Self) -> Self {
        if by < Self::BITS as Self { self >> by } else { 0 }
    }
}

impl Choose for Elem {
    #[inline(always)]
    fn choose(self, other: Self, mask: u8) -> Self {
        let mask = Self::from(mask != 0).wrapping_neg();
        self & mask | other & !mask
    }
}

//# signed
impl Shift for Elem {
    #[inline(always)]
    fn shl_total(self, by: Self) -> Self {
        if (0..Self::BITS as Self).contains(&by) { self << by } else { 0 }
    }

    #[inline(always)]
    fn shr_total(self, by: Self) -> Self {
        let by = if (0..Self::BITS as Self).contains(&by) { by } else { Self::BITS as Self - 1 };
        self >> by
    }
}

//# floats
/// The smaller of two numbers: where the comparisons disagree they are zeros, whose signs are joined. Of a NaN whatever.
#[inline(always)]
fn lower_elem(a: Elem, b: Elem) -> Elem {
    let (one, two) = (if b < a { b } else { a }, if a < b { a } else { b });
    Elem::from_bits(one.to_bits() | two.to_bits())
}

/// The larger of two numbers, as `lower_elem` the smaller.
#[inline(always)]
fn upper_elem(a: Elem, b: Elem) -> Elem {
    let (one, two) = (if b > a { b } else { a }, if a > b { a } else { b });
    Elem::from_bits(one.to_bits() & two.to_bits())
}

/// `of` two numbers, or the sum of operands that include a NaN, which is one. By bits: a branch around the sum keeps 16
/// lanes and fewer from becoming a vector (64 maxima of f32 into one take 20 ns with it, and 6 so).
#[inline(always)]
fn number_elem(of: Elem, a: Elem, b: Elem) -> Elem {
    let nan = if a.is_nan() | b.is_nan() { !0 } else { 0 };
    Elem::from_bits(of.to_bits() & !nan | (a + b).to_bits() & nan)
}

impl Float for Elem {
    #[inline(always)]
    fn minimum_of(self, other: Self) -> Self {
        number_elem(lower_elem(self, other), self, other)
    }

    #[inline(always)]
    fn maximum_of(self, other: Self) -> Self {
        number_elem(upper_elem(self, other), self, other)
    }

    #[inline(always)]
    fn fmin_of(self, other: Self) -> Self {
        let low = if other.is_nan() { self } else { lower_elem(self, other) };
        if self.is_nan() { other } else { low }
    }

    #[inline(always)]
    fn fmax_of(self, other: Self) -> Self {
        let high = if other.is_nan() { self } else { upper_elem(self, other) };
        if self.is_nan() { other } else { high }
    }

    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        math::fused_float(self, b, c)
    }

    #[inline(always)]
    fn is_close(self, other: Self, tolerance: &Tolerance) -> bool {
        let (a, b) = (f64::from(self), f64::from(other));
        let (apart, allowed) = ((a - b).abs(), tolerance.atol + tolerance.rtol * b.abs());
        // An infinite `b` allows everything, and is close to itself alone.
        (a == b) | ((apart <= allowed) & (b.abs() < f64::INFINITY))
    }
}

impl Truth for Elem {
    #[inline(always)]
    fn of_truth(truth: bool) -> Self {
        if truth { 1.0 } else { 0.0 }
    }
}

impl Truth for num_complex::Complex<Elem> {
    #[inline(always)]
    fn of_truth(truth: bool) -> Self {
        Self::new(Elem::of_truth(truth), 0.0)
    }
}
