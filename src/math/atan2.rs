//! The angle of the point (x, y): atan2.
//!
//! With b the larger of |x| and |y| and a the smaller, atan(a / b) is atan(c) + atan((a - c b) / (b + c a)). The c of
//! 0, 1/2 and 1 that suits a / b leaves a quotient of at most 1/4, whose series is short, and small beside its first
//! term. Quotient and atan(c) are kept as two numbers each, and so is the multiple of π/2 by which the octant is turned
//! to its place; then only the last addition rounds noticeably.

use super::real::Real;

/// Blocks of angles, by type.
trait Atan: Real {
    /// The bits of the smallest number above 0.
    const FIRST: Self::Bits;
    /// A fast lane's magnitudes are above this one, or 0: products of two, or of their quotients' errors, are not
    /// subnormal.
    const LEAST: Self::Bits;
    /// They are below this one, which is LEAST away from the NaNs.
    const LIMIT: Self::Bits;
    /// Added to the bits of a number, the first one multiplies it by 4, and the second by 4/3 to 3/2.
    const TIMES_FOUR: Self::Bits;
    const TIMES_SOME: Self::Bits;
    const HALF: Self;
    const TWO: Self;
    /// These angles in two parts; sums of the high ones, and twice them, are exact.
    const ATAN_HALF: (Self, Self);
    const QUARTER_PI: (Self, Self);
    const HALF_PI: (Self, Self);

    /// (atan(t) / t - 1) / z with z = t², for z up to 1/16.
    fn series(z: Self) -> Self;

    /// The lanes that the fast way does not take.
    fn far<const L: usize>(y: &[Self; L], x: &[Self; L], out: &mut [Self; L]);
}

impl Atan for f32 {
    const FIRST: u32 = 1;
    const LEAST: u32 = (127 - 60) << 23;
    const LIMIT: u32 = Self::EXPONENT - Self::LEAST + 1;
    const HALF: f32 = 0.5;
    const TWO: f32 = 2.0;
    const TIMES_FOUR: u32 = 2 << 23;
    const TIMES_SOME: u32 = 1 << 22;
    // The high parts are multiples of 2^-20.
    const ATAN_HALF: (f32, f32) = (f32::from_bits(0x3eed_6320), 7.202_679e-7);
    const QUARTER_PI: (f32, f32) = (f32::from_bits(0x3f49_0fd0), 6.337_954e-7);
    const HALF_PI: (f32, f32) = (f32::from_bits(0x3fc9_0fd8), 3.139_164_8e-7);

    /// Minimax: the error of the angle is 2^-32.4 of it.
    #[inline(always)]
    fn series(z: f32) -> f32 {
        const C: [f32; 4] = [-0.333_333_25, 0.199_987_14, -0.142_216_85, 0.098_446_436];
        C[3].fma(z, C[2]).fma(z * z, C[1].fma(z, C[0]))
    }

    /// All finite numbers are ordinary as `f64`. Only the lanes that need it take the result, which may differ from
    /// the fast one: what a lane gives does not depend on its neighbours.
    #[inline(always)]
    fn far<const L: usize>(y: &[f32; L], x: &[f32; L], out: &mut [f32; L]) {
        let wide = atan2(&y.map(f64::from), &x.map(f64::from));
        for i in 0..L {
            out[i] = if is_far::<f32>(y[i].magnitude(), x[i].magnitude()) { wide[i] as f32 } else { out[i] };
        }
    }
}

impl Atan for f64 {
    const FIRST: u64 = 1;
    const LEAST: u64 = (1023 - 480) << 52;
    const LIMIT: u64 = Self::EXPONENT - Self::LEAST + 1;
    const HALF: f64 = 0.5;
    const TWO: f64 = 2.0;
    const TIMES_FOUR: u64 = 2 << 52;
    const TIMES_SOME: u64 = 1 << 51;
    // The high parts are multiples of 2^-49.
    const ATAN_HALF: (f64, f64) = (f64::from_bits(0x3fdd_ac67_0561_bb40), 8.553_660_459_218_29e-16);
    const QUARTER_PI: (f64, f64) = (f64::from_bits(0x3fe9_21fb_5444_2d10), 9.187_945_896_788_09e-16);
    const HALF_PI: (f64, f64) = (f64::from_bits(0x3ff9_21fb_5444_2d18), 6.123_233_995_736_766e-17);

    /// Minimax: the error of the angle is 2^-63.6 of it.
    #[inline(always)]
    fn series(z: f64) -> f64 {
        const C: [f64; 9] = [
            -0.333_333_333_333_333_2,
            0.199_999_999_999_915_5,
            -0.142_857_142_838_256_68,
            0.111_111_109_044_468_79,
            -0.090_908_962_911_180_86,
            0.076_918_278_169_064_14,
            -0.066_555_289_365_385_48,
            0.057_249_376_537_996_804,
            -0.040_002_614_728_637_36,
        ];
        let pair = |i: usize| C[i + 1].fma(z, C[i]);
        let (zz, zzzz) = (z * z, (z * z) * (z * z));
        let first = pair(2).fma(zz, pair(0));
        let second = pair(6).fma(zz, pair(4));
        C[8].fma(zzzz, second).fma(zzzz, first)
    }

    #[inline(always)]
    fn far<const L: usize>(y: &[f64; L], x: &[f64; L], out: &mut [f64; L]) {
        for i in 0..L {
            if is_far::<f64>(y[i].magnitude(), x[i].magnitude()) {
                out[i] = far(y[i], x[i]);
            }
        }
    }
}

/// Whether these magnitudes are not for a fast lane: the smaller one from 1 to LEAST, or the larger one from LIMIT to
/// infinity, which are ranges of the same length. Zeros are, both at once as well, and so is NaN, which stays NaN.
#[inline(always)]
fn is_far<F: Atan>(up: F::Bits, right: F::Bits) -> bool {
    let (a, b) = (up.min(right), up.max(right));
    F::wrapping_sub(a, F::FIRST).min(F::wrapping_sub(b, F::LIMIT)) < F::LEAST
}

/// The angle, and whether that is not it.
#[inline(always)]
fn lane<F: Atan>(y: F, x: F) -> (F, bool) {
    let (up, right) = (y.magnitude(), x.magnitude());
    let steep = up > right;
    let far = is_far::<F>(up, right);
    let (a, b) = (up.min(right), up.max(right));
    let b = b.max(F::LEAST);
    let (some, more) = (a + F::TIMES_FOUR > b, a + F::TIMES_SOME > b);
    let (a, b) = (F::from_bits(a), F::from_bits(b));

    // n = a - c b is exact, as a is from b / 4 on for c = 1/2, and from b / 2 on for c = 1; what d loses is kept.
    let pick = |half: F, whole: F| if more { whole } else { F::zero_unless(some, half) };
    let c = pick(F::HALF, F::ONE);
    let n = (-c).fma(b, a);
    let d = c.fma(a, b);
    let d_rest = c.fma(a, b - d);

    // Steep angles run backwards from π/2 to the right, and flat ones from π to the left: there it is minus the angle
    // that is summed up, and the last step turns its sign.
    let left = x.to_bits() & F::SIGN;
    let back = if steep { left ^ F::SIGN } else { left };
    let quarters = if steep { F::ONE } else { F::zero_unless(left == F::SIGN, F::TWO) };
    let quarters = F::from_bits(quarters.to_bits() ^ back);
    let high = quarters.fma(F::HALF_PI.0, pick(F::ATAN_HALF.0, F::QUARTER_PI.0));
    let low = quarters.fma(F::HALF_PI.1, pick(F::ATAN_HALF.1, F::QUARTER_PI.1));

    let reciprocal = F::ONE / d;
    let t = n * reciprocal;
    let rest = (-t).fma(d, n);
    let rest = (-t).fma(d_rest, rest) * reciprocal;
    let z = t * t;
    // atan(t + rest) is t + t z series + rest / (1 + z), the last about rest (1 - z).
    let sum = high + t;
    let lost = (high - sum) + t;
    let small = (-z).fma(rest, rest) + (lost + low);
    let angle = sum + (t * z).fma(F::series(z), small);
    (F::from_bits(angle.to_bits() ^ back ^ (y.to_bits() & F::SIGN)), far)
}

#[inline(always)]
fn atan2<F: Atan, const L: usize>(y: &[F; L], x: &[F; L]) -> [F; L] {
    let mut out = [F::default(); L];
    let mut any = false;
    for i in 0..L {
        let (angle, far) = lane(y[i], x[i]);
        out[i] = angle;
        any |= far;
    }
    if any {
        F::far(y, x, &mut out);
    }
    out
}

/// Infinite, minute, huge or not numbers.
#[cold]
#[inline(never)]
fn far(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() && y.is_infinite() {
        return lane(1f64.copysign(y), 1f64.copysign(x)).0;
    }
    let (up, right) = (y.abs(), x.abs());
    // Nearer to an axis than any rounding: the axis, or to the right the quotient.
    const NEAR: f64 = f64::from_bits((1023 - 60) << 52);
    if right.is_infinite() || up / right < NEAR {
        return if x < 0.0 { lane(0f64.copysign(y), -1.0).0 } else { y / x };
    }
    if up.is_infinite() || right / up < NEAR {
        return lane(y.signum(), 0.0).0;
    }
    // Both are far on the same side.
    const DOWN: f64 = f64::from_bits((1023 - 600) << 52);
    const UP: f64 = f64::from_bits((1023 + 600) << 52);
    let scale = if up > 1.0 { DOWN } else { UP };
    lane(y * scale, x * scale).0
}

/// The angle of the point (`x`, `y`) in [-π, π], `y` first; within 0.6 ULP, special cases as in C99.
#[inline(always)]
pub(crate) fn atan2_f32<const L: usize>(y: &[f32; L], x: &[f32; L]) -> [f32; L] {
    atan2(y, x)
}

/// [`atan2_f32`] for `f64`.
#[inline(always)]
pub(crate) fn atan2_f64<const L: usize>(y: &[f64; L], x: &[f64; L]) -> [f64; L] {
    atan2(y, x)
}
