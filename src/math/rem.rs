//! `fmod` (the dividend's sign, as in C) and `remainder` (the divisor's, as in Python and in ONNX's Mod), exact.
//!
//! The quotient n, rounded to any nearby integer, is exact as a float; x - n y is a multiple of y's last place (or of
//! x's, then n is 0 or 1) and no larger than y, so it is a float too, and a fused multiply-add gets it without
//! rounding. Where n came out one too large the result is negative, and adding y once, also exact, mends it.

use super::real::Real;

/// Blocks of remainders, by type.
trait Rem: Real {
    /// Half the count of all mantissas, 2^23 or 2^52: added to anything smaller, it leaves an integer.
    const INTEGERS: Self;

    /// The lanes whose quotient is not below [`INTEGERS`](Self::INTEGERS), or whose y is infinite.
    fn far<const L: usize>(x: &[Self; L], y: &[Self; L], finish: impl Finish<Self>, out: &mut [Self; L]);
}

/// Makes the result of |x| mod |y|, x and y.
trait Finish<F>: Copy + Fn(F, F, F) -> F {}

impl<F, T: Copy + Fn(F, F, F) -> F> Finish<F> for T {}

impl Rem for f32 {
    const INTEGERS: f32 = 8_388_608.0;

    /// Nearly all of them are near as `f64`, so the block is done again.
    #[inline(always)]
    fn far<const L: usize>(x: &[f32; L], y: &[f32; L], finish: impl Finish<f32>, out: &mut [f32; L]) {
        let rests = block(&x.map(f64::from), &y.map(f64::from), |rest, _, _| rest);
        for i in 0..L {
            out[i] = finish(rests[i] as f32, x[i], y[i]);
        }
    }
}

impl Rem for f64 {
    const INTEGERS: f64 = 4_503_599_627_370_496.0;

    #[inline(always)]
    fn far<const L: usize>(x: &[f64; L], y: &[f64; L], finish: impl Finish<f64>, out: &mut [f64; L]) {
        for i in 0..L {
            if lane(x[i], y[i]).1 {
                out[i] = finish(far(x[i].abs(), y[i].abs()), x[i], y[i]);
            }
        }
    }
}

/// |x| mod |y|, and whether that is not it.
#[inline(always)]
fn lane<F: Rem>(x: F, y: F) -> (F, bool) {
    let (x, y) = (F::from_bits(x.magnitude()), F::from_bits(y.magnitude()));
    let quotient = x / y;
    let n = (quotient + F::INTEGERS) - F::INTEGERS;
    let rest = (-n).fma(y, x);
    let rest = if rest < F::default() { rest + y } else { rest };
    // An infinite y leaves 0 * infinity. Where the quotient is NaN, so is the remainder.
    (rest, (quotient >= F::INTEGERS) | (y.to_bits() == F::EXPONENT))
}

#[inline(always)]
fn block<F: Rem, const L: usize>(x: &[F; L], y: &[F; L], finish: impl Finish<F>) -> [F; L] {
    let mut out = [F::default(); L];
    let mut any = false;
    for i in 0..L {
        let (rest, far) = lane(x[i], y[i]);
        out[i] = finish(rest, x[i], y[i]);
        any |= far;
    }
    if any {
        F::far(x, y, finish, &mut out);
    }
    out
}

/// The same by long division in integers, 62 bits of the quotient at a time; also the special cases.
#[cold]
#[inline(never)]
fn far(x: f64, y: f64) -> f64 {
    if !(x < f64::INFINITY && y > 0.0) {
        return f64::NAN;
    }
    if x < y {
        return x;
    }
    let ((x, high), (y, low)) = (parts(x), parts(y));
    // Subnormal mantissas are moved up too, and back at the end.
    let extra = y.leading_zeros() - 11;
    let mut rest = (x % y) << extra;
    let y = y << extra;
    // 2^52 <= y and rest < y, so rest * reciprocal / 2^116 is less than 1/2 below rest / y * 2^62: digits are too small
    // by 1 at most.
    let reciprocal = (((1 << 116) - 1) / u128::from(y)) as u64;
    let digit = |rest: u64, bits: u32| {
        let digit = ((u128::from(rest) * u128::from(reciprocal)) >> (116 - bits)) as u64;
        let rest = (rest << bits).wrapping_sub(digit.wrapping_mul(y));
        if rest >= y { rest - y } else { rest }
    };
    let places = high - low;
    for _ in 0..places / 62 {
        rest = digit(rest, 62);
    }
    rest = digit(rest, places % 62) >> extra;
    if rest == 0 {
        return 0.0;
    }
    // Up to its place as a mantissa, or as far as the exponent goes; the leading bit then adds one to the exponent.
    let up = (rest.leading_zeros() - 11).min(low - 1);
    f64::from_bits((u64::from(low - up - 1) << 52) + (rest << up))
}

/// A finite positive number as mantissa and exponent, the latter from 1 on.
fn parts(x: f64) -> (u64, u32) {
    let (mantissa, exponent) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52) as u32);
    if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << 52, exponent) }
}

/// |x| mod |y| with the sign of x.
#[inline(always)]
fn fmod<F: Rem, const L: usize>(x: &[F; L], y: &[F; L]) -> [F; L] {
    block(
        x,
        y,
        #[inline(always)]
        |rest, x, _| F::from_bits(rest.to_bits() | (x.to_bits() & F::SIGN)),
    )
}

/// The same, moved by y where that gives it the sign of y.
#[inline(always)]
fn remainder<F: Rem, const L: usize>(x: &[F; L], y: &[F; L]) -> [F; L] {
    block(
        x,
        y,
        #[inline(always)]
        |rest, x, y| {
            let differ = (x.to_bits() ^ y.to_bits()) & F::SIGN == F::SIGN;
            let moved = F::from_bits(y.magnitude()) - rest;
            let rest = if differ & (rest != F::default()) { moved } else { rest };
            F::from_bits(rest.to_bits() | (y.to_bits() & F::SIGN))
        },
    )
}

/// The rest of `x / y` with the sign of `x`, exact; NaN if `x` is infinite or `y` is 0.
#[inline(always)]
pub(crate) fn fmod_f32<const L: usize>(x: &[f32; L], y: &[f32; L]) -> [f32; L] {
    fmod(x, y)
}

/// [`fmod_f32`] for `f64`.
#[inline(always)]
pub(crate) fn fmod_f64<const L: usize>(x: &[f64; L], y: &[f64; L]) -> [f64; L] {
    fmod(x, y)
}

/// [`fmod_f32`], plus `y` if the result is not 0 and its sign not that of `y`; a 0 takes the sign of `y`.
#[inline(always)]
pub(crate) fn remainder_f32<const L: usize>(x: &[f32; L], y: &[f32; L]) -> [f32; L] {
    remainder(x, y)
}

/// [`remainder_f32`] for `f64`.
#[inline(always)]
pub(crate) fn remainder_f64<const L: usize>(x: &[f64; L], y: &[f64; L]) -> [f64; L] {
    remainder(x, y)
}
