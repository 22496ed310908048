//! The length of (x, y), without overflow or underflow on the way.
//!
//! Both are scaled by the power of two that makes the larger one lie in [1, 2). The sum of squares is then kept as two
//! numbers, and one step of Newton's method corrects the square root of the first: what is left is its last rounding.

use super::{real::Real, sqrt};

/// Blocks of lengths, by type.
trait Hypot: Real {
    /// 2^(twice the exponent of 1.0): less a power of two's bits, it leaves those of the reciprocal.
    const RECIPROCAL: Self::Bits;
    /// The smallest bits of a larger magnitude that scaling works for: those of the smallest normal number.
    const LEAST: Self::Bits;
    /// 1 / 2h for h in [1, 2√2], to 0.8 %: coefficients of h, the constant first.
    const HALF: [Self; 4];

    /// One lane that scaling does not work for.
    fn far(x: Self, y: Self) -> Self;
}

impl Hypot for f32 {
    const RECIPROCAL: u32 = 254 << 23;
    const LEAST: u32 = 1 << 23;
    const HALF: [f32; 4] = [1.189_165, -1.011_812_7, 0.366_311_2, -0.047_840_92];

    #[inline(always)]
    fn far(x: f32, y: f32) -> f32 {
        far_f32(x, y)
    }
}

impl Hypot for f64 {
    const RECIPROCAL: u64 = 2046 << 52;
    const LEAST: u64 = 1 << 52;
    const HALF: [f64; 4] = [1.189_165_043, -1.011_812_72, 0.366_311_232, -0.047_840_923];

    #[inline(always)]
    fn far(x: f64, y: f64) -> f64 {
        far_f64(x, y)
    }
}

/// The length, and whether that is not it.
#[inline(always)]
fn lane<F: Hypot>(x: F, y: F) -> (F, bool) {
    let (x, y) = (x.magnitude(), y.magnitude());
    let (x, y) = (x.max(y), x.min(y));
    let exponent = x & F::EXPONENT;
    // The largest exponent has no reciprocal; subnormals have no exponent, and would be multiplied by 0. NaN stays
    // NaN, unless the other is infinite.
    let huge = (x >= F::RECIPROCAL) & (x <= F::EXPONENT);
    let minute = (x < F::LEAST) & (F::from_bits(x) != F::default());
    let far = huge | minute | (y == F::EXPONENT);

    let scale = F::from_bits(F::wrapping_sub(F::RECIPROCAL, exponent));
    let (a, b) = (F::from_bits(x) * scale, F::from_bits(y) * scale);
    let (aa, bb) = (a * a, b * b);
    let sum = aa + bb;
    let rest = (aa - sum) + bb + (a.fma(a, -aa) + b.fma(b, -bb));
    let h = sum.sqrt();
    let rest = (-h).fma(h, sum) + rest;
    let [c0, c1, c2, c3] = F::HALF;
    let half = c3.fma(h, c2).fma(h, c1).fma(h, c0);
    (half.fma(rest, h) * F::from_bits(exponent), far)
}

#[inline(always)]
fn hypot<F: Hypot, const L: usize>(x: &[F; L], y: &[F; L]) -> [F; L] {
    let mut out = [F::default(); L];
    let mut any = false;
    for i in 0..L {
        let (h, far) = lane(x[i], y[i]);
        out[i] = h;
        any |= far;
    }
    if any {
        for i in 0..L {
            if lane(x[i], y[i]).1 {
                out[i] = F::far(x[i], y[i]);
            }
        }
    }
    out
}

/// In `f64` the squares of any two `f32` are exact, and neither overflow nor vanish.
#[cold]
#[inline(never)]
fn far_f32(x: f32, y: f32) -> f32 {
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    sqrt(x * x + y * y) as f32
}

/// Infinity wins over NaN; the largest numbers are made smaller first; subnormals are integers.
#[cold]
#[inline(never)]
fn far_f64(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x.abs() >= 1.0 || y.abs() >= 1.0 {
        lane(0.25 * x, 0.25 * y).0 * 4.0
    } else {
        let (x, y) = (u128::from(x.magnitude()), u128::from(y.magnitude()));
        let square = x * x + y * y;
        // The bits of a subnormal are its count of the smallest one, and so are those of the first normal numbers.
        let mut root = sqrt(square as f64) as u128;
        while root * (root + 1) < square {
            root += 1;
        }
        while root * (root - 1) >= square {
            root -= 1;
        }
        f64::from_bits(root as u64)
    }
}

/// The square root of `x² + y²` without spurious overflow or underflow; special cases as in C99.
#[inline(always)]
pub(crate) fn hypot_f32<const L: usize>(x: &[f32; L], y: &[f32; L]) -> [f32; L] {
    hypot(x, y)
}

/// [`hypot_f32`] for `f64`.
#[inline(always)]
pub(crate) fn hypot_f64<const L: usize>(x: &[f64; L], y: &[f64; L]) -> [f64; L] {
    hypot(x, y)
}
