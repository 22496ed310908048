//! True values, or rather: how far from them a result is, in units in its last place.
//!
//! Results of `f32` are compared with `f64`'s. For `f64`, the error itself is computed, with sums and products of
//! twice the precision: of a length from its square, of an angle from the point turned back by it. Powers have
//! `logarithm.rs`.

use std::sync::LazyLock;

use astro_float::{BigFloat, Consts, RoundingMode};

use super::double::Double;

/// The distance of neighbouring floats with `digits` bits at `x`, none below `least`.
fn place(x: f64, digits: i32, least: f64) -> f64 {
    let binade = f64::from_bits(x.abs().to_bits() & (0x7ff << 52));
    (binade * f64::powi(2.0, 1 - digits)).max(least)
}

/// The distance of a result of `f32` from one of `f64`.
fn single(result: f32, truth: f64) -> f64 {
    let wrong_sign = result == 0.0 && result.is_sign_negative() != truth.is_sign_negative();
    if result.is_nan() && truth.is_nan() || f64::from(result) == truth && !wrong_sign {
        return 0.0;
    }
    if result.is_infinite() {
        return if truth as f32 == result { 0.0 } else { f64::INFINITY };
    }
    if wrong_sign { f64::INFINITY } else { (f64::from(result) - truth).abs() / place(truth, 24, f64::powi(2.0, -149)) }
}

/// 0 for the same number and sign, or both NaN; infinite otherwise.
pub fn same(result: f64, truth: f64) -> f64 {
    let both_nan = result.is_nan() && truth.is_nan();
    if both_nan || result.to_bits() == truth.to_bits() { 0.0 } else { f64::INFINITY }
}

pub fn pow_f32(x: f32, y: f32, result: f32) -> f64 {
    single(result, f64::from(x).powf(f64::from(y)))
}

pub fn atan2_f32(y: f32, x: f32, result: f32) -> f64 {
    single(result, f64::from(y).atan2(f64::from(x)))
}

pub fn hypot_f32(x: f32, y: f32, result: f32) -> f64 {
    single(result, f64::from(x).hypot(f64::from(y)))
}

pub fn fmod_f32(x: f32, y: f32, result: f32) -> f64 {
    same(f64::from(result), f64::from(x % y))
}

pub fn remainder_f32(x: f32, y: f32, result: f32) -> f64 {
    let rest = x % y;
    let truth = match rest {
        0.0 => 0f32.copysign(y),
        _ if (rest < 0.0) != (y < 0.0) => rest + y,
        _ => rest,
    };
    same(f64::from(result), f64::from(truth))
}

pub fn fmod_f64(x: f64, y: f64, result: f64) -> f64 {
    same(result, x % y)
}

pub fn remainder_f64(x: f64, y: f64, result: f64) -> f64 {
    let rest = x % y;
    let truth = match rest {
        0.0 => 0f64.copysign(y),
        _ if (rest < 0.0) != (y < 0.0) => rest + y,
        _ => rest,
    };
    same(result, truth)
}

/// `x` as m 2^e with m in [1, 2), or 0.
pub fn split(x: f64) -> (f64, i32) {
    if x == 0.0 {
        return (0.0, -2000);
    }
    let (x, more) = if x.abs() < f64::MIN_POSITIVE { (x * f64::powi(2.0, 64), -64) } else { (x, 0) };
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    (x / f64::powi(2.0, exponent), exponent + more)
}

/// `x` 2^e, for any e; exact if the result is normal.
fn scaled(x: f64, e: i32) -> f64 {
    let half = e.clamp(-2000, 2000) / 2;
    let rest = e.clamp(-2000, 2000) - half;
    x * f64::powi(2.0, half / 2)
        * f64::powi(2.0, half - half / 2)
        * f64::powi(2.0, rest / 2)
        * f64::powi(2.0, rest - rest / 2)
}

/// The place of a result near m 2^e, in units of 2^e.
fn place_of(m: f64, e: i32) -> f64 {
    let (m, more) = split(m);
    place(m, 53, 0.0).max(scaled(1.0, -1074 - e - more).min(1e300)) * f64::powi(2.0, more)
}

pub fn hypot_f64(x: f64, y: f64, result: f64) -> f64 {
    if !(x.is_finite() && y.is_finite()) || (x == 0.0 && y == 0.0) {
        return same(result, x.hypot(y));
    }
    let e = split(x).1.max(split(y).1);
    let (a, b) = (scaled(split(x).0, split(x).1 - e), scaled(split(y).0, split(y).1 - e));
    let square = Double::product(a, a).add(Double::product(b, b));
    if result.is_infinite() {
        // Right if the length rounds to 2^1024.
        return if square.0.sqrt() >= scaled(2.0, 1023 - e) { 0.0 } else { f64::INFINITY };
    }
    let (m, exponent) = split(result);
    let r = scaled(m, exponent - e);
    let error = square.add(Double::product(r, r).neg()).0 / (2.0 * r);
    (error / place_of(square.0.sqrt(), e)).abs()
}

pub fn atan2_f64(y: f64, x: f64, result: f64) -> f64 {
    if !(x.is_finite() && y.is_finite()) || y == 0.0 || x == 0.0 {
        return same(result, y.atan2(x));
    }
    let ((my, ey), (mx, ex)) = (split(y), split(x));
    if result.is_sign_negative() != y.is_sign_negative() {
        return f64::INFINITY;
    }
    if x > 0.0 && ey - ex < -40 {
        // The tangent of a minute angle is the angle, and a third of its cube.
        let (m, e) = split(result);
        let r = scaled(m, e - (ey - ex));
        let short = Double(my, 0.0).add(Double::product(r, mx).neg()).0 / mx;
        let cube = scaled(r * r * r / 3.0, 2 * (ey - ex));
        return ((short - cube) / place_of(my / mx, ey - ex)).abs();
    }
    let e = ex.max(ey);
    let (y, x) = (scaled(my, ey - e), scaled(mx, ex - e));
    let (sine, cosine) = sine_cosine(result);
    let by = |n: f64, d: Double| d.mul(Double(n, 0.0));
    // Turned back by the result, the point lies on the axis but for the error.
    let off = by(y, cosine).add(by(x, sine).neg()).0;
    let along = by(x, cosine).add(by(y, sine)).0;
    (off / along / place(result + off / along, 53, 0.0)).abs()
}

/// Sine and cosine of k π/16, and π/16 itself.
static TABLE: LazyLock<(Vec<(Double, Double)>, Double)> = LazyLock::new(|| {
    let mut constants = Consts::new().unwrap();
    let step = constants.pi(PRECISION, NEAREST).div(&BigFloat::from_f64(16.0, PRECISION), PRECISION, NEAREST);
    let angle = |k: u32| step.mul(&BigFloat::from_f64(f64::from(k), PRECISION), PRECISION, NEAREST);
    let sine = |k, c: &mut Consts| angle(k).sin(PRECISION, NEAREST, c);
    let cosine = |k, c: &mut Consts| angle(k).cos(PRECISION, NEAREST, c);
    let list = (0..=16).map(|k| (rounded(&sine(k, &mut constants)), rounded(&cosine(k, &mut constants)))).collect();
    (list, rounded(&step))
});
pub const PRECISION: usize = 256;
pub const NEAREST: RoundingMode = RoundingMode::ToEven;

/// The first 106 bits or so; the library's only way out to `f64` is by decimal digits.
pub fn rounded(x: &BigFloat) -> Double {
    let nearest = |x: &BigFloat| x.to_string().parse::<f64>().unwrap();
    let high = nearest(x);
    Double(high, nearest(&x.sub(&BigFloat::from_f64(high, PRECISION), PRECISION, NEAREST)))
}

/// Of an angle up to π in size, to twice the precision.
fn sine_cosine(angle: f64) -> (Double, Double) {
    let (table, step) = &*TABLE;
    let k = (angle.abs() / step.0).round().min(16.0);
    let rest = Double(angle.abs(), 0.0).add(step.mul(Double(k, 0.0)).neg());
    let (sine, cosine) = series(rest);
    let (table_sine, table_cosine) = table[k as usize];
    let whole_sine = table_sine.mul(cosine).add(table_cosine.mul(sine));
    let whole_cosine = table_cosine.mul(cosine).add(table_sine.mul(sine).neg());
    if angle < 0.0 { (whole_sine.neg(), whole_cosine) } else { (whole_sine, whole_cosine) }
}

/// Taylor's, for angles up to π/32.
fn series(x: Double) -> (Double, Double) {
    let one = Double(1.0, 0.0);
    let square = x.mul(x).neg();
    // 1 + q x² / (n (n - 1)), from the inside out. A quotient in twice the precision: one step of long division.
    let divided = |v: Double, n: f64| {
        let high = v.0 / n;
        let rest = Double(v.0, 0.0).add(Double::product(high, n).neg()).0 + v.1;
        Double::sum(high, rest / n)
    };
    let nested =
        |top: u32| (1..=top).rev().step_by(2).fold(one, |v, n| one.add(divided(v.mul(square), f64::from(n * (n + 1)))));
    // Sines go by 2·3, 4·5, ..., cosines by 1·2, 3·4, ...
    (x.mul(nested(20)), nested(19))
}

/// Compares [`sine_cosine`] with a library of arbitrary precision.
pub fn check() {
    let mut constants = Consts::new().unwrap();
    for i in 0..200 {
        let angle = f64::from(i) * 0.0157 * if i % 2 == 0 { 1.0 } else { -1.0 };
        let big = BigFloat::from_f64(angle, PRECISION);
        let (sine, cosine) = sine_cosine(angle);
        let apart = |a: Double, b: Double| a.add(b.neg()).0.abs();
        let true_sine = rounded(&big.sin(PRECISION, NEAREST, &mut constants));
        let true_cosine = rounded(&big.cos(PRECISION, NEAREST, &mut constants));
        let far = apart(sine, true_sine).max(apart(cosine, true_cosine));
        assert!(far < 1e-29, "sine and cosine of {angle} are {far} off");
    }
}
