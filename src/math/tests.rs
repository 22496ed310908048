//! The functions against C's Annex F and Python, against long division bit by bit, against std, and against themselves
//! with other instructions and block lengths.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Eight lanes of a function, both types in the shape of `f64`.
type Eight = fn([f64; 8], [f64; 8]) -> [f64; 8];

fn single(v: [f64; 8]) -> [f32; 8] {
    v.map(|v| v as f32)
}

const ATAN2: [Eight; 2] = [|y, x| atan2_f32(&single(y), &single(x)).map(f64::from), |y, x| atan2_f64(&y, &x)];
const HYPOT: [Eight; 2] = [|x, y| hypot_f32(&single(x), &single(y)).map(f64::from), |x, y| hypot_f64(&x, &y)];
const FMOD: [Eight; 2] = [|x, y| fmod_f32(&single(x), &single(y)).map(f64::from), |x, y| fmod_f64(&x, &y)];
const REMAINDER: [Eight; 2] =
    [|x, y| remainder_f32(&single(x), &single(y)).map(f64::from), |x, y| remainder_f64(&x, &y)];

/// All NaNs are one.
fn bits(x: f64) -> u64 {
    if x.is_nan() { NAN.to_bits() } else { x.to_bits() }
}

/// Each case in each lane in turn, among lanes that have nothing special about them and must not notice.
fn table(functions: [Eight; 2], cases: &[(f64, f64, f64)]) {
    let (xs, ys) = ([1.5, -2.25, 3.0, -4.5, 5.0, 0.5, -7.0, 8.0], [0.75, 1.25, -2.5, -3.0, 6.5, 3.5, 0.25, 0.5]);
    for (function, is_single) in functions.into_iter().zip([true, false]) {
        let ordinary = function(xs, ys);
        for &(x, y, expected) in cases {
            let expected = if is_single { f64::from(expected as f32) } else { expected };
            for lane in 0..8 {
                let (mut xs, mut ys, mut all) = (xs, ys, ordinary);
                (xs[lane], ys[lane], all[lane]) = (x, y, expected);
                let found = function(xs, ys);
                assert_eq!(found.map(bits), all.map(bits), "({x:?}, {y:?}), f32: {is_single}: {found:?} not {all:?}");
            }
        }
    }
}

/// Numbers that only their sign matters of.
const SOME: [f64; 4] = [1.0, 2.5, 1e-30, 1e30];

#[test]
fn atan2_of_annex_f() {
    let mut cases = vec![
        (0.0, -0.0, PI),
        (0.0, 0.0, 0.0),
        (INF, -INF, 3.0 * FRAC_PI_4),
        (INF, INF, FRAC_PI_4),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (NAN, 0.0, NAN),
        (0.0, NAN, NAN),
        (NAN, INF, NAN),
        (INF, NAN, NAN),
        (NAN, NAN, NAN),
    ];
    for v in SOME {
        cases.extend([(0.0, -v, PI), (0.0, v, 0.0), (v, -INF, PI), (v, INF, 0.0)]);
        cases.extend([(v, 0.0, FRAC_PI_2), (v, -0.0, FRAC_PI_2), (INF, v, FRAC_PI_2), (INF, -v, FRAC_PI_2)]);
        cases.extend([(v, v, FRAC_PI_4), (v, -v, 3.0 * FRAC_PI_4)]);
    }
    let below: Vec<_> = cases.iter().map(|&(y, x, angle)| (-y, x, -angle)).collect();
    table(ATAN2, &cases);
    table(ATAN2, &below);
}

#[test]
fn hypot_of_annex_f() {
    let mut cases = vec![(INF, INF, INF), (INF, NAN, INF), (0.0, 0.0, 0.0), (NAN, 1.0, NAN), (NAN, 0.0, NAN)];
    cases.push((NAN, NAN, NAN));
    for v in SOME {
        cases.extend([(v, 0.0, v), (v, INF, INF), (3.0 * v, NAN, NAN)]);
    }
    for (x, y, length) in cases {
        for (x, y) in [(x, y), (y, x)] {
            table(HYPOT, &[(x, y, length), (-x, y, length), (x, -y, length), (-x, -y, length)]);
        }
    }
    let least = f64::from(f32::from_bits(1));
    table(HYPOT, &[(3.0 * least, 4.0 * least, 5.0 * least), (3.0 * 1024.0, 4.0 * 1024.0, 5.0 * 1024.0)]);
    assert_eq!(hypot_f32(&[f32::MAX, f32::MAX], &[f32::from_bits(1), 0.75 * f32::MAX]), [f32::MAX, f32::INFINITY]);
    let (most, least) = (f64::MAX, f64::from_bits(1));
    assert_eq!(hypot_f64(&[3.0 * least, most, 0.75 * most], &[4.0 * least, least, most]), [5.0 * least, most, INF]);
    assert_eq!(hypot_f64(&[most / 2.0], &[most / 2.0]), [most / 2.0 * core::f64::consts::SQRT_2]);
}

#[test]
fn fmod_of_annex_f() {
    let mut cases = vec![(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, 0.0, NAN), (NAN, INF, NAN), (INF, NAN, NAN)];
    cases.extend([(0.0, 0.0, NAN), (INF, INF, NAN), (0.0, INF, 0.0), (INF, 0.0, NAN)]);
    for v in SOME {
        cases.extend([(0.0, v, 0.0), (INF, v, NAN), (v, 0.0, NAN), (v, INF, v), (v, v, 0.0), (2.0 * v, v, 0.0)]);
    }
    cases.extend([(5.5, 2.0, 1.5), (0.75, 3.0, 0.75), (1099511627776.0, 3.0, 1.0)]);
    for (x, y, rest) in cases {
        table(FMOD, &[(x, y, rest), (x, -y, rest), (-x, y, -rest), (-x, -y, -rest)]);
    }
}

#[test]
fn remainder_of_python() {
    let cases = [
        (5.5, 2.0, 1.5),
        (-5.5, 2.0, 0.5),
        (5.5, -2.0, -0.5),
        (-5.5, -2.0, -1.5),
        (4.0, 2.0, 0.0),
        (-4.0, 2.0, 0.0),
        (4.0, -2.0, -0.0),
        (-0.0, 3.0, 0.0),
        (0.0, -3.0, -0.0),
        (1.0, INF, 1.0),
        (-1.0, INF, INF),
        (1.0, -INF, -INF),
        (-1.0, -INF, -1.0),
        (0.0, -INF, -0.0),
        // The rest is 1 - 1e-30, which rounds to the divisor.
        (-1e-30, 1.0, 1.0),
        (1.0, 0.0, NAN),
        (0.0, 0.0, NAN),
        (INF, 2.0, NAN),
        (-INF, INF, NAN),
        (NAN, 2.0, NAN),
        (2.0, NAN, NAN),
    ];
    table(REMAINDER, &cases);
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Any bits, then ordinary numbers, then quotients near integers.
    fn pair(&mut self, i: usize) -> (f64, f64) {
        let ordinary = |bits: u64| (bits >> 11) as f64 / (1u64 << 49) as f64 - 8.0;
        match i % 3 {
            0 => (f64::from_bits(self.bits()), f64::from_bits(self.bits())),
            1 => (ordinary(self.bits()), ordinary(self.bits())),
            _ => {
                let y = ordinary(self.bits());
                let x = y * (self.bits() >> (32 + i % 32)) as f64;
                (f64::from_bits(x.to_bits().wrapping_add_signed(self.bits() as i64 % 4)), y)
            }
        }
    }

    fn pair_f32(&mut self, i: usize) -> (f32, f32) {
        let (x, y) = self.pair(i);
        if i.is_multiple_of(3) {
            return (f32::from_bits((x.to_bits() >> 32) as u32), f32::from_bits((y.to_bits() >> 32) as u32));
        }
        let x = x as f32;
        (f32::from_bits(x.to_bits().wrapping_add_signed(self.bits() as i32 % 4)), y as f32)
    }
}

/// |x| mod |y| by long division, a bit of the quotient at a time.
fn divided(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return NAN;
    }
    let (x, y) = (x.abs(), y.abs());
    if x < y {
        return x;
    }
    let exponent = |x: f64| (x.to_bits() >> 52).max(1);
    let mantissa = |x: f64| (x.to_bits() & ((1 << 52) - 1)) + if x < f64::MIN_POSITIVE { 0 } else { 1 << 52 };
    let (mut rest, divisor) = (mantissa(x), mantissa(y));
    rest %= divisor;
    for _ in exponent(y)..exponent(x) {
        rest = 2 * rest % divisor;
    }
    // The integer times y's last place, which may be subnormal.
    let place = y - f64::from_bits(y.to_bits() - 1);
    let place = if y.to_bits() & ((1 << 52) - 1) == 0 && exponent(y) > 1 { 2.0 * place } else { place };
    rest as f64 * place
}

#[test]
fn remainders_are_exact() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for i in 0..30_000 {
        let (x, y) = random.pair(i);
        let rest = divided(x, y).copysign(x);
        assert_eq!(bits(fmod_f64(&[x], &[y])[0]), bits(rest), "{x:e} by {y:e}");
        let moved = if rest == 0.0 { rest.copysign(y) } else { rest + if (rest < 0.0) != (y < 0.0) { y } else { 0.0 } };
        assert_eq!(bits(remainder_f64(&[x], &[y])[0]), bits(moved), "{x:e} by {y:e}");

        let (x, y) = random.pair_f32(i);
        let rest = divided(x.into(), y.into()).copysign(x.into()) as f32;
        assert_eq!(bits(fmod_f32(&[x], &[y])[0].into()), bits(rest.into()), "{x:e} by {y:e}");
        let moved = if rest == 0.0 { rest.copysign(y) } else { rest + if (rest < 0.0) != (y < 0.0) { y } else { 0.0 } };
        assert_eq!(bits(remainder_f32(&[x], &[y])[0].into()), bits(moved.into()), "{x:e} by {y:e}");
    }
}

/// How far `found` is from `truth`, in units in the last place of an `f32`.
fn places(found: f32, truth: f64) -> f64 {
    if f64::from(found) == truth || truth as f32 == found || found.is_nan() && truth.is_nan() {
        return 0.5;
    }
    let place = f64::from_bits(truth.to_bits() & (0x7ff << 52)) / f64::from(1 << 23);
    (f64::from(found) - truth).abs() / place.max(f32::from_bits(1).into())
}

#[test]
fn angles_and_lengths_of_f32_are_near() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for i in 0..100_000 {
        let (x, y) = random.pair_f32(i);
        let (wide_x, wide_y) = (f64::from(x), f64::from(y));
        assert!(places(atan2_f32(&[y], &[x])[0], wide_y.atan2(wide_x)) < 0.6, "atan2 of {y:e} and {x:e}");
        assert!(places(hypot_f32(&[x], &[y])[0], wide_x.hypot(wide_y)) < 0.52, "hypot of {x:e} and {y:e}");
    }
}

/// std's own are within a unit in the last place themselves; `benches/accuracy` measures.
#[test]
fn angles_and_lengths_of_f64_are_near() {
    let mut random = Random(0x0fed_cba9_8765_4321);
    for i in 0..100_000 {
        let (x, y) = random.pair(i);
        let near = |a: f64, b: f64| bits(a).abs_diff(bits(b)) <= 1;
        assert!(near(atan2_f64(&[y], &[x])[0], y.atan2(x)), "atan2 of {y:e} and {x:e}");
        assert!(near(hypot_f64(&[x], &[y])[0], x.hypot(y)), "hypot of {x:e} and {y:e}");
    }
}

/// All results of all functions in blocks of `L`, by the instructions this is inlined into.
#[inline(always)]
fn everything<const L: usize>(singles: &[(f32, f32)], doubles: &[(f64, f64)]) -> Vec<u64> {
    let mut out = Vec::new();
    for pairs in singles.as_chunks::<L>().0 {
        let (x, y) = (&pairs.map(|p| p.0), &pairs.map(|p| p.1));
        let (angles, lengths) = (atan2_f32(x, y), hypot_f32(x, y));
        let (rests, moved) = (fmod_f32(x, y), remainder_f32(x, y));
        for i in 0..L {
            out.extend([angles[i], lengths[i], rests[i], moved[i]].map(|v| bits(v.into())));
        }
    }
    for pairs in doubles.as_chunks::<L>().0 {
        let (x, y) = (&pairs.map(|p| p.0), &pairs.map(|p| p.1));
        let (angles, lengths) = (atan2_f64(x, y), hypot_f64(x, y));
        let (rests, moved) = (fmod_f64(x, y), remainder_f64(x, y));
        for i in 0..L {
            out.extend([angles[i], lengths[i], rests[i], moved[i]].map(bits));
        }
    }
    out
}

#[test]
fn every_instruction_set_and_block_length_gives_the_same_bits() {
    let mut random = Random(0xdead_beef_cafe_f00d);
    let count = 12_800;
    let singles: Vec<_> = (0..count).map(|i| random.pair_f32(i)).collect();
    let doubles: Vec<_> = (0..count).map(|i| random.pair(i)).collect();
    let one = everything::<1>(&singles, &doubles);
    // Found so on x86-64 and on aarch64.
    let digest = one.iter().fold(0u64, |h, v| (h ^ v).wrapping_mul(0x0100_0000_01b3).rotate_left(29));
    assert_eq!((one.len(), digest), (8 * count, 0xa67b_4c8c_c0ef_1d61), "{digest:#x}");
    assert!(everything::<16>(&singles, &doubles) == one);
    assert!(everything::<64>(&singles, &doubles) == one);
    let vectors = pulp::Arch::new().dispatch(
        #[inline(always)]
        || [everything::<16>(&singles, &doubles), everything::<64>(&singles, &doubles)],
    );
    assert!(vectors[0] == one && vectors[1] == one);
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        assert!(pulp::Simd::vectorize(v3, || everything::<32>(&singles, &doubles)) == one);
    } else {
        println!("skipped: no AVX2");
    }
}
