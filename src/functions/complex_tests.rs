//! Quotients and powers of complex numbers: against wider arithmetic, and at the ends of the range.
#![forbid(unsafe_code)]

use num_complex::Complex;

use super::complex::{Real, div, pow};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const MAX: f64 = f64::MAX;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// An integer of up to 50 bits, small ones as often as large ones.
    fn integer(&mut self) -> i64 {
        let places = 14 + self.bits() % 50;
        self.bits() as i64 >> places
    }
}

fn complex(re: f64, im: f64) -> Complex<f64> {
    Complex::new(re, im)
}

fn narrow(z: Complex<f64>) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

fn wide<T: Real>(z: Complex<T>) -> Complex<f64> {
    complex(z.re.wide(), z.im.wide())
}

/// How far apart they are, in proportion to the length of the second.
fn apart(found: Complex<f64>, truth: Complex<f64>) -> f64 {
    let scale = truth.re.abs().max(truth.im.abs());
    ((found.re - truth.re) / scale).hypot((found.im - truth.im) / scale)
}

/// Zeros by their sign too, and NaN for NaN.
fn assert_same(found: Complex<f64>, expected: Complex<f64>, what: &str) {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    assert!(same(found.re, expected.re) && same(found.im, expected.im), "{what}: {found:?}, not {expected:?}");
}

/// Of Gaussian integers the textbook's quotient is exact but for the last step, in 128 bits.
#[test]
fn quotients_of_integers() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut worst = [0.0_f64; 2];
    for _ in 0..20_000 {
        let [a, b, c, d] = std::array::from_fn(|_| i128::from(random.integer()));
        if c == 0 && d == 0 {
            continue;
        }
        let truth = |re: i128, im: i128, by: i128| complex(re as f64 / by as f64, im as f64 / by as f64);
        let quotient = div(complex(a as f64, b as f64), complex(c as f64, d as f64));
        if (a, b) == (0, 0) {
            assert!(quotient.re == 0.0 && quotient.im == 0.0, "0 by ({c}, {d})");
            continue;
        }
        worst[0] = worst[0].max(apart(quotient, truth(a * c + b * d, b * c - a * d, c * c + d * d)));

        // As f32 they are other numbers, of 24 bits and up to 26 zeros.
        let singles = [a, b, c, d].map(|n| n as f32);
        let [a, b, c, d] = singles.map(|x| x as i128);
        let quotient = div(Complex::new(singles[0], singles[1]), Complex::new(singles[2], singles[3]));
        worst[1] = worst[1].max(apart(wide(quotient), truth(a * c + b * d, b * c - a * d, c * c + d * d)));
    }
    let (bound, single_bound) = (3.0 * f64::EPSILON, 3.0 * f64::from(f32::EPSILON));
    assert!(worst[0] < bound && worst[1] < single_bound, "{worst:?}");
    assert!(worst[0] > bound / 20.0 && worst[1] > single_bound / 20.0, "too good to be measured: {worst:?}");
}

/// Squares of these parts overflow, or vanish.
#[test]
fn quotients_of_huge_and_minute_parts() {
    let cases = [
        ((2.0, 2.0), (1.0, 1.0), (2.0, 0.0)),
        ((2.0, 2.0), (1.0, -1.0), (0.0, 2.0)),
        ((-3.0, 4.0), (1.0, 0.0), (-3.0, 4.0)),
        ((-3.0, 4.0), (0.0, 1.0), (4.0, 3.0)),
        ((0.0, 5.0), (1.0, 2.0), (2.0, 1.0)),
        ((0.0, 5.0), (2.0, -1.0), (-1.0, 2.0)),
    ];
    for scale in [1e300, 1e-300, MAX / 8.0, f64::MIN_POSITIVE] {
        for (a, b, quotient) in cases {
            let (a, b) = (complex(a.0 * scale, a.1 * scale), complex(b.0 * scale, b.1 * scale));
            assert!(apart(div(a, b), complex(quotient.0, quotient.1)) < 1e-15, "{a:?} by {b:?}");
        }
    }
    for scale in [1e37, 1e-37] {
        for (a, b, quotient) in cases {
            let (a, b) = (narrow(complex(a.0 * scale, a.1 * scale)), narrow(complex(b.0 * scale, b.1 * scale)));
            assert!(apart(wide(div(a, b)), complex(quotient.0, quotient.1)) < 1e-6, "{a:?} by {b:?}");
        }
    }
    // Up to half of the largest.
    let half = complex(MAX / 2.0, MAX / 2.0);
    assert_same(div(half, half), complex(1.0, 0.0), "half by itself");
}

#[test]
fn special_quotients() {
    let cases = [
        ("by 0", (1.0, 2.0), (0.0, 0.0), (NAN, NAN)),
        ("by -0", (1.0, 2.0), (-0.0, -0.0), (NAN, NAN)),
        ("0 by 0", (0.0, 0.0), (0.0, 0.0), (NAN, NAN)),
        ("by an infinite real part", (1.0, 2.0), (INF, 1.0), (0.0, 0.0)),
        ("by an infinite imaginary part", (1.0, 2.0), (1.0, INF), (0.0, -0.0)),
        ("by infinite parts", (1.0, 2.0), (INF, INF), (NAN, NAN)),
        ("of an infinity", (INF, 1.0), (2.0, 1.0), (INF, -INF)),
        ("of an infinity, steep", (INF, 1.0), (1.0, 2.0), (INF, -INF)),
        ("of an infinity by a real number", (INF, 1.0), (2.0, 0.0), (INF, NAN)),
        ("of NaN", (NAN, 1.0), (2.0, 1.0), (NAN, NAN)),
        ("by NaN", (1.0, 1.0), (NAN, 1.0), (NAN, NAN)),
        ("by NaN, other part", (1.0, 1.0), (1.0, NAN), (NAN, NAN)),
        // As the formula has it: -re, and not 0 - re, which is +0 for +0.
        ("zeros by i", (0.0, -0.0), (0.0, 1.0), (0.0, -0.0)),
    ];
    for (what, a, b, quotient) in cases {
        let (a, b, quotient) = (complex(a.0, a.1), complex(b.0, b.1), complex(quotient.0, quotient.1));
        assert_same(div(a, b), quotient, what);
        assert_same(wide(div(narrow(a), narrow(b))), quotient, what);
    }
}

/// Small integer powers, against products.
#[test]
fn powers_are_products() {
    let mut random = Random(0xfeed_beef_0bad_cafe);
    for i in 0..5_000 {
        let mut part = || (random.bits() >> 11) as f64 / (1_u64 << 51) as f64 - 2.0;
        let a = complex(part(), part());
        let n = i % 13;
        let product = (0..n).fold(complex(1.0, 0.0), |product, _| product * a);
        assert!(apart(pow(a, complex(n.into(), 0.0)), product) < 1e-14, "{a:?} to {n}");
        let inverse = complex(1.0, 0.0) / product;
        assert!(apart(pow(a, complex((-n).into(), 0.0)), inverse) < 1e-14, "{a:?} to -{n}");
        // In f64, rounded once.
        let a = narrow(a);
        let product = (0..n).fold(complex(1.0, 0.0), |product, _| product * wide(a));
        assert!(apart(wide(pow(a, Complex::new(n as f32, 0.0))), product) < 1e-7, "{a:?} to {n}");
    }
    // i to the power of i is exp(-π / 2).
    let power = pow(complex(0.0, 1.0), complex(0.0, 1.0));
    assert!(apart(power, complex((-std::f64::consts::FRAC_PI_2).exp(), 0.0)) < 1e-15, "{power:?}");
}

#[test]
fn special_powers() {
    let cases = [
        ("to 0", (0.0, 0.0), (0.0, 0.0), (1.0, 0.0)),
        ("infinite to -0", (INF, NAN), (-0.0, 0.0), (1.0, 0.0)),
        ("0 to a positive real part", (0.0, -0.0), (0.5, -3.0), (0.0, 0.0)),
        ("0 to a negative one", (0.0, 0.0), (-1.0, 0.0), (NAN, NAN)),
        ("0 to i", (0.0, 0.0), (0.0, 1.0), (NAN, NAN)),
        ("0 to NaN", (0.0, 0.0), (1.0, NAN), (NAN, NAN)),
        ("NaN", (NAN, 0.0), (1.0, 0.0), (NAN, NAN)),
        ("to NaN", (1.0, 1.0), (NAN, 0.0), (NAN, NAN)),
        ("overflow of a real number", (1e200, 0.0), (2.0, 0.0), (INF, 0.0)),
        ("underflow", (1e-200, 0.0), (2.0, 0.0), (0.0, 0.0)),
        ("overflow upwards", (1e200, 1e200), (3.0, 0.0), (-INF, INF)),
    ];
    for (what, a, b, power) in cases {
        assert_same(pow(complex(a.0, a.1), complex(b.0, b.1)), complex(power.0, power.1), what);
    }
    assert_same(wide(pow(Complex::new(1e30_f32, 0.0), Complex::new(2.0, 0.0))), complex(INF, 0.0), "overflow of f32");
}

/// A base longer than any float, and a power that is.
#[test]
fn powers_of_huge_parts() {
    let a = complex(MAX, MAX);
    let root = pow(a, complex(0.5, 0.0));
    // The root of MAX (1 + i) has the length MAX^½ 2^¼ and an angle of π / 8.
    let (length, angle) = (MAX.sqrt() * 2f64.powf(0.25), std::f64::consts::FRAC_PI_8);
    assert!(apart(root, complex(length * angle.cos(), length * angle.sin())) < 1e-13, "{root:?}");
    let most = complex(0.99 * MAX, 0.99 * MAX);
    assert!(apart(pow(most, complex(1.0, 0.0)) / 2.0, most / 2.0) < 1e-12, "{:?}", pow(most, complex(1.0, 0.0)));
}
