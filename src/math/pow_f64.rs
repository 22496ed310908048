//! The stages of the `f64` power.
//!
//! y·log2 x reaches 1075 and is wanted to 2^-57 or so, that is log2 x to 2^-67: it is the sum of two floats, as are the
//! first two coefficients and the powers of s that they meet. Such a pair is written `a`, `a_lo`.
#![forbid(unsafe_code)]
#![expect(clippy::needless_range_loop, reason = "several arrays of lanes, all at the same index")]

use super::fma;
use super::pow::Power;

/// log2 m = s·p(s²), s = (m - 1) / (m + 1): minimax for m between √½ and √2, relative error 2^-73.2.
const LOG2: [f64; 10] = [
    2.8853900817779268,
    0.9617966939259756,
    0.5770780163555842,
    0.41219858311163465,
    0.32059889786527307,
    0.2623082030892823,
    0.22195202508978037,
    0.19240931057861066,
    0.1683100077801164,
    0.17386938386063394,
];
/// What the first two miss.
const LOG2_LO: [f64; 2] = [4.0710326451033593e-17, 5.1647987518464396e-17];
const LN_2: f64 = core::f64::consts::LN_2;
const LN_2_LO: f64 = 2.3190468138462996e-17;
/// (2^r - 1 - r·ln 2) / r²: minimax for |r| <= 1/2, the error 2^-57.9 of 2^r.
const EXP2: [f64; 10] = [
    0.24022650695910122,
    0.05550410866482073,
    0.009618129107596941,
    0.0013333558146686466,
    0.00015403530454128668,
    1.5252733546608812e-05,
    1.3215436574465895e-06,
    1.0178184721733807e-07,
    7.073585826500909e-09,
    4.436300105065721e-10,
];
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = (1 << 52) - 1;
const MAGNITUDE: u64 = !0 >> 1;
/// 2^52 and its bits: an integer below 2^52 or-ed into them is added.
const UNITS: f64 = 4503599627370496.0;
const UNITS_BITS: u64 = 0x4330_0000_0000_0000;
/// Adding it rounds to an integer n, and the low bits are n + 2046: the sum of the biased exponents of two factors.
const ROUND: f64 = 6755399441055744.0 + 2046.0; // 1.5 * 2^52 + 2046

#[derive(Clone, Copy)]
pub(super) struct Split<const W: usize> {
    s: [f64; W],
    s_lo: [f64; W],
    k: [f64; W],
}

#[derive(Clone, Copy)]
pub(super) struct Scaled<const W: usize> {
    rest: [f64; W],
    rest_lo: [f64; W],
    /// The integer + 2046.
    exponents: [u64; W],
}

impl Power for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const INFINITY: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    // |log2 x| is 0 or at least 2^-53, so |y·log2 x| is 0 or at least 2048.
    const VAST: f64 = 18446744073709551616.0; // 2^64
    type Split<const W: usize> = Split<W>;
    type Scaled<const W: usize> = Scaled<W>;

    #[inline(always)]
    fn split<const W: usize>(x: &[f64; W], lift: i32) -> Split<W> {
        let mut out = Split { s: [0.0; W], s_lo: [0.0; W], k: [0.0; W] };
        for i in 0..W {
            let t = (x[i].to_bits() & MAGNITUDE).wrapping_sub(SQRT_HALF).wrapping_add(ONE);
            let f = f64::from_bits((t & MANTISSA).wrapping_add(SQRT_HALF)) - 1.0;
            let inverse = 1.0 / (2.0 + f);
            let s = f * inverse;
            // f - s·(2 + f), where 2s is so close to f that their difference is exact.
            out.s[i] = s;
            out.s_lo[i] = fma(-s, f, f - (s + s)) * inverse;
            out.k[i] = f64::from_bits((t >> 52) | UNITS_BITS) - (UNITS + 1023.0 + lift as f64);
        }
        out
    }

    #[inline(always)]
    fn scale<const W: usize>(x: &Split<W>, y: &[f64; W]) -> Scaled<W> {
        let mut out = Scaled { rest: [0.0; W], rest_lo: [0.0; W], exponents: [0; W] };
        for i in 0..W {
            let (s, s_lo, k, y) = (x.s[i], x.s_lo[i], x.k[i], y[i]);
            let t = s * s;
            let t_lo = fma(s + s, s_lo, fma(s, s, -t));
            let t2 = t * t;
            let high = fma(LOG2[9], t2, fma(LOG2[8], t, LOG2[7]));
            let q = fma(fma(high, t2, fma(LOG2[6], t, LOG2[5])), t2, fma(LOG2[4], t, LOG2[3]));
            let q = fma(q, t, LOG2[2]);
            // Horner's last two steps, and the last product with its sum, in pairs: what the larger part added to a
            // constant, or to k, is exact, and the lower part is what is missing from it.
            let v = fma(t, q, LOG2[1]);
            let v_lo = fma(t, q, LOG2[1] - v) + fma(t_lo, q, LOG2_LO[1]);
            let p = fma(t, v, LOG2[0]);
            let p_lo = fma(t, v, LOG2[0] - p) + fma(t_lo, v, fma(t, v_lo, LOG2_LO[0]));
            let log2 = fma(s, p, k);
            let log2_lo = fma(s, p, k - log2) + fma(s_lo, p, s * p_lo);
            let z = y * log2;
            let z_lo = fma(y, log2_lo, fma(y, log2, -z));
            // Beyond 1100 every f64 has overflown, or is zero; z_lo no longer matters and may be huge.
            let bounded = if z < 1100.0 { z } else { 1100.0 };
            let bounded = if bounded > -1100.0 { bounded } else { -1100.0 };
            let z_lo = if bounded == z { z_lo } else { 0.0 };
            let n = bounded + ROUND;
            let r = bounded - (n - ROUND);
            out.rest[i] = r + z_lo;
            out.rest_lo[i] = (r - (r + z_lo)) + z_lo;
            out.exponents[i] = n.to_bits() & 0xfff;
        }
        out
    }

    #[inline(always)]
    fn exp2<const W: usize>(z: &Scaled<W>) -> [f64; W] {
        let mut out = [0.0; W];
        for i in 0..W {
            let (r, r_lo) = (z.rest[i], z.rest_lo[i]);
            let mut q = EXP2[9];
            for c in [EXP2[8], EXP2[7], EXP2[6], EXP2[5], EXP2[4], EXP2[3], EXP2[2], EXP2[1], EXP2[0]] {
                q = fma(q, r, c);
            }
            // 1 + r·ln 2 as a pair, r_lo times the derivative, and r²q, which is less than 1/14.
            let line = fma(r, LN_2, 1.0);
            let line_lo = fma(r_lo * LN_2, line, fma(r, LN_2_LO, fma(r, LN_2, 1.0 - line)));
            let p = line + fma(r * r, q, line_lo);
            // Two factors, because 2^1024 and 2^-1075 are not normal numbers.
            let half = z.exponents[i] >> 1;
            let (first, second) = (half << 52, (z.exponents[i] - half) << 52);
            out[i] = p * f64::from_bits(first) * f64::from_bits(second);
        }
        out
    }

    #[inline(always)]
    fn is_special(x: f64, y: f64) -> bool {
        let (x, y) = (x.to_bits(), y.to_bits());
        // As in f32, but y may only be below 2^64.
        let vast = (1 << 63) - Self::VAST.to_bits();
        let outside = x.wrapping_sub(1 << 52) | x.wrapping_add(1 << 52) | (y & MAGNITUDE).wrapping_add(vast);
        (outside as i64) < 0
    }

    #[inline(always)]
    fn magnitude(self) -> f64 {
        f64::from_bits(self.to_bits() & MAGNITUDE)
    }

    #[inline(always)]
    fn has_sign(self) -> bool {
        (self.to_bits() as i64) < 0
    }

    #[inline(always)]
    fn is_subnormal(self) -> bool {
        let size = self.to_bits() & MAGNITUDE;
        ((size.wrapping_sub(1 << 52) & !size.wrapping_sub(1)) as i64) < 0
    }

    #[inline(always)]
    fn parity(self) -> (bool, bool) {
        // From UNITS to twice that the last bit is worth 1, then more.
        let size = self.magnitude();
        let rounded = if size < UNITS { size + UNITS } else { size };
        let whole = (size >= UNITS) | (rounded - UNITS == size);
        (whole, whole & (size < 2.0 * UNITS) & (rounded.to_bits() & 1 == 1))
    }

    #[inline(always)]
    fn lifted(self) -> (f64, i32) {
        (self * 18014398509481984.0, 54) // 2^54
    }
}
