//! The stages of the `f32` power, in `f64`: polynomials of 2^-34 relative error leave at most 0.54 ULP in the result.
#![forbid(unsafe_code)]
#![expect(clippy::needless_range_loop, reason = "several arrays of lanes, all at the same index")]

use super::fma;
use super::pow::Power;

/// log2 m = s·p(s²), s = (m - 1) / (m + 1): minimax for m between √½ and √2, relative error 2^-37.8.
const LOG2: [f64; 5] =
    [2.8853900817900864, 0.9617966733416871, 0.5770835849752501, 0.4116727187644105, 0.3407301067116796];
/// 2^r: minimax for |r| <= 1/2, relative error 2^-28.9, and exact at 0, so that powers of two are.
const EXP2: [f64; 7] = [
    1.0,
    0.6931472028572901,
    0.24022647914421888,
    0.055503324664277626,
    0.009618437218292544,
    0.0013398876290262216,
    0.00015353412548661606,
];
const SQRT_HALF: u32 = 0x3f35_04f3;
const MAGNITUDE: u32 = 0x7fff_ffff;
/// Adding it rounds to an integer, which is then in the low bits.
const ROUND: f64 = 6755399441055744.0; // 1.5 * 2^52

#[derive(Clone, Copy)]
pub(super) struct Split<const W: usize> {
    s: [f64; W],
    k: [f64; W],
}

#[derive(Clone, Copy)]
pub(super) struct Scaled<const W: usize> {
    rest: [f64; W],
    /// The integer, already where a float's exponent is.
    exponent: [u64; W],
}

impl Power for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const INFINITY: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;
    // y·log2 x of finite numbers cannot overflow in f64.
    const VAST: f32 = f32::INFINITY;
    type Split<const W: usize> = Split<W>;
    type Scaled<const W: usize> = Scaled<W>;

    #[inline(always)]
    fn split<const W: usize>(x: &[f32; W], lift: i32) -> Split<W> {
        let mut out = Split { s: [0.0; W], k: [0.0; W] };
        for i in 0..W {
            let bits = x[i].to_bits() & MAGNITUDE;
            let k = bits.wrapping_sub(SQRT_HALF) as i32 >> 23;
            // m - 1 has no more bits than m, m + 1 has one more.
            let f = (f32::from_bits(bits.wrapping_sub((k << 23) as u32)) - 1.0) as f64;
            out.s[i] = f / (f + 2.0);
            out.k[i] = (k - lift) as f64;
        }
        out
    }

    #[inline(always)]
    fn scale<const W: usize>(x: &Split<W>, y: &[f32; W]) -> Scaled<W> {
        let mut out = Scaled { rest: [0.0; W], exponent: [0; W] };
        for i in 0..W {
            let s = x.s[i];
            let t = s * s;
            let p = fma(fma(fma(fma(LOG2[4], t, LOG2[3]), t, LOG2[2]), t, LOG2[1]), t, LOG2[0]);
            let z = fma(s, p, x.k[i]) * y[i] as f64;
            // Beyond 160 every f32 has overflown, or is zero.
            let z = if z < 160.0 { z } else { 160.0 };
            let z = if z > -160.0 { z } else { -160.0 };
            let n = z + ROUND;
            out.rest[i] = z - (n - ROUND);
            out.exponent[i] = n.to_bits() << 52;
        }
        out
    }

    #[inline(always)]
    fn exp2<const W: usize>(z: &Scaled<W>) -> [f32; W] {
        let mut out = [0.0; W];
        for i in 0..W {
            let r = z.rest[i];
            let mut p = EXP2[6];
            for c in [EXP2[5], EXP2[4], EXP2[3], EXP2[2], EXP2[1], EXP2[0]] {
                p = fma(p, r, c);
            }
            // This is the one rounding to f32, of subnormal results too.
            out[i] = f64::from_bits(p.to_bits().wrapping_add(z.exponent[i])) as f32;
        }
        out
    }

    #[inline(always)]
    fn is_special(x: f32, y: f32) -> bool {
        let (x, y) = (x.to_bits(), y.to_bits());
        // Each term has its top bit set where x < 2^-126, x > MAX and |y| > MAX; a negative x passes MAX, or wraps
        // and then has it set in the first.
        let outside = x.wrapping_sub(1 << 23) | x.wrapping_add(1 << 23) | (y & MAGNITUDE).wrapping_add(1 << 23);
        (outside as i32) < 0
    }

    #[inline(always)]
    fn magnitude(self) -> f32 {
        f32::from_bits(self.to_bits() & MAGNITUDE)
    }

    #[inline(always)]
    fn has_sign(self) -> bool {
        (self.to_bits() as i32) < 0
    }

    #[inline(always)]
    fn is_subnormal(self) -> bool {
        let size = self.to_bits() & MAGNITUDE;
        // Both bounds by their top bits, as above.
        ((size.wrapping_sub(1 << 23) & !size.wrapping_sub(1)) as i32) < 0
    }

    #[inline(always)]
    fn parity(self) -> (bool, bool) {
        const UNITS: f32 = 8388608.0; // 2^23: from here to 2^24 the last bit is worth 1, then more
        let size = self.magnitude();
        let rounded = if size < UNITS { size + UNITS } else { size };
        let whole = (size >= UNITS) | (rounded - UNITS == size);
        (whole, whole & (size < 2.0 * UNITS) & (rounded.to_bits() & 1 == 1))
    }

    #[inline(always)]
    fn lifted(self) -> (f32, i32) {
        (self * 16777216.0, 24)
    }
}
