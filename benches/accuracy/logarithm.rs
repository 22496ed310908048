//! Powers of `f64`, by logarithms in twice its precision.
//!
//! With D the logarithm of the true power less that of the result, the error is e^D - 1 times the result. Both
//! logarithms are known to some 2^-100 of themselves, and the larger one is at most 745: D to some 2^-90.

use std::sync::LazyLock;

use astro_float::{BigFloat, Consts};

use super::double::Double;
use super::truth::{NEAREST, PRECISION, rounded, same, split};

pub fn pow_f64(x: f64, y: f64, result: f64) -> f64 {
    let size = x.abs();
    let undefined = x < 0.0 && y % 1.0 != 0.0;
    if !(x.is_finite() && y.is_finite()) || x == 0.0 || y == 0.0 || undefined {
        return same(result, x.powf(y));
    }
    let odd = y.abs() < f64::powi(2.0, 53) && y % 2.0 != 0.0;
    if result.is_nan() || result.is_sign_negative() != (x < 0.0 && odd) {
        return f64::INFINITY;
    }
    // Bounds that the infinite and minute powers pass by far; the product of what is left does not overflow.
    let rough = y * ln(size).0;
    if rough.abs() > 1000.0 {
        return same(result.abs(), if rough > 0.0 { f64::INFINITY } else { 0.0 });
    }
    let power = ln(size).mul(Double(y, 0.0));
    let limit = ln(f64::MAX).add(Double(f64::EPSILON / 4.0, 0.0));
    if result.is_infinite() {
        // Right if the power rounds to 2^1024.
        return if power.add(limit.neg()).0 >= 0.0 { 0.0 } else { f64::INFINITY };
    }
    if result == 0.0 {
        return power.add(ln(f64::from_bits(1)).neg()).0.exp();
    }
    let apart = power.add(ln(result.abs()).neg()).0.exp_m1();
    let places =
        if result.is_subnormal() { (result.to_bits() << 1 >> 1) as f64 } else { split(result).0 * f64::powi(2.0, 52) };
    (apart * places).abs()
}

/// Of a positive finite number: 2^k c (1 + s) / (1 - s) with c the nearest 64th, whose logarithm is looked up.
fn ln(x: f64) -> Double {
    let (table, ln_2) = &*TABLE;
    let (m, k) = split(x);
    // Next to 1 on either side k is 0 and c is 1, so that nothing cancels.
    let (m, k) = if m > 1.41 { (m / 2.0, k + 1) } else { (m, k) };
    let nearest = (m * 64.0).round();
    let c = nearest / 64.0;
    // m - c is exact.
    let (above, below) = (m - c, Double::sum(m, c));
    let high = above / below.0;
    let s = Double(high, Double(above, 0.0).add(below.mul(Double(high, 0.0)).neg()).0 / below.0);
    let square = s.mul(s);
    // 2 s (1 + s²/3 + s⁴/5 + ...), for s up to 1/180: the last term is 2^-105 of the first.
    let series = INVERSE.iter().rev().fold(Double(0.0, 0.0), |sum, &term| sum.mul(square).add(term));
    let near = s.mul(Double(2.0, 0.0)).mul(series);
    ln_2.mul(Double(f64::from(k), 0.0)).add(table[nearest as usize - FIRST]).add(near)
}

/// 1 / n for odd n.
static INVERSE: LazyLock<[Double; 8]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let n = (2 * i + 1) as f64;
        let high = 1.0 / n;
        Double(high, (-high).mul_add(n, 1.0) / n)
    })
});

/// 64ths below √½.
const FIRST: usize = 45;

/// Logarithms of 64ths from there to above √2, and that of 2.
static TABLE: LazyLock<(Vec<Double>, Double)> = LazyLock::new(|| {
    let mut constants = Consts::new().unwrap();
    let mut ln = |x: f64| rounded(&BigFloat::from_f64(x, PRECISION).ln(PRECISION, NEAREST, &mut constants));
    ((FIRST..92).map(|n| if n == 64 { Double(0.0, 0.0) } else { ln(n as f64 / 64.0) }).collect(), ln(2.0))
});

/// Compares [`ln`] with a library of arbitrary precision.
pub fn check() {
    let mut constants = Consts::new().unwrap();
    let mut random = super::points::Random::new();
    for i in 0..200 {
        let any = f64::from_bits(random.bits() >> 1);
        let near = 1.0 + (random.bits() as i64) as f64 * f64::powi(2.0, -64 - i % 52);
        // The library (0.9.6) takes subnormals for half of what they are; `split` makes them normal first.
        let x = if i % 2 == 0 && any.is_normal() { any } else { near };
        if x == 1.0 {
            continue;
        }
        let truth = rounded(&BigFloat::from_f64(x, PRECISION).ln(PRECISION, NEAREST, &mut constants));
        let apart = ln(x).add(truth.neg()).0 / truth.0;
        assert!(apart.abs() < 1e-29, "the logarithm of {x:e} is {apart:e} of itself off");
    }
}
