//! Powers: the special cases, exact results, accuracy, and that a result depends on its own x and y only.
#![forbid(unsafe_code)]

use super::pow::{Power, pow_f32, pow_f64};

/// Bases and exponents of which every pair is tried: all classes that Annex F tells apart, and their borders.
const EDGES: [f64; 26] = [
    0.0,
    5e-324,
    1e-310,
    1e-45,
    1e-40,
    0.25,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    8388607.5, // the last half, and from there on integers odd and even, then even ones only, in f32
    8388609.0,
    16777215.0,
    16777216.0,
    4503599627370495.5, // the same in f64
    4503599627370497.0,
    9007199254740991.0,
    9007199254740992.0,
    1e30,
    1e300,
    f64::INFINITY,
    f64::NAN,
];

/// What C99 Annex F says of pow, without any arithmetic on x; `None` where it leaves the power to arithmetic.
fn annex_f(x: f64, y: f64) -> Option<f64> {
    let odd = y.abs() < 9007199254740992.0 && y % 2.0 != 0.0 && y % 1.0 == 0.0;
    let whole = y.is_infinite() || y % 1.0 == 0.0;
    let sign = if x.is_sign_negative() && odd { -1.0 } else { 1.0 };
    let up = |grows: bool| if grows { f64::INFINITY } else { 0.0 };
    Some(match (x, y) {
        (_, 0.0) | (1.0, _) => 1.0,
        (x, y) if x.is_nan() || y.is_nan() => f64::NAN,
        (-1.0, y) if y.is_infinite() => 1.0,
        (x, y) if x == 0.0 || x.is_infinite() => sign * up((x != 0.0) == (y > 0.0)),
        (x, y) if y.is_infinite() => up((x.abs() > 1.0) == (y > 0.0)),
        (x, _) if x < 0.0 && !whole => f64::NAN,
        _ => return None,
    })
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn both_signs(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().flat_map(|&v| [v, -v])
}

#[test]
fn special_cases() {
    let (mut laid_down, mut arithmetic) = (0, 0);
    for x in both_signs(&EDGES) {
        for y in both_signs(&EDGES) {
            let [wide] = pow_f64(&[x], &[y]);
            if let Some(want) = annex_f(x, y) {
                laid_down += 1;
                assert!(same(wide, want), "{x:e} ^ {y:e}: {wide:e}, not {want:e}");
            } else {
                arithmetic += 1;
                let want = x.powf(y);
                assert!((wide - want).abs() <= want.abs() * 4e-16 || wide == want, "{x:e} ^ {y:e}: {wide:e}");
                assert_eq!(wide.is_sign_negative(), want.is_sign_negative(), "{x:e} ^ {y:e}");
            }
            // Rounded to f32 the pair is another one, and its own case.
            let (x, y) = (x as f32, y as f32);
            let [narrow] = pow_f32(&[x], &[y]);
            if let Some(want) = annex_f(x.into(), y.into()) {
                assert!(same(narrow.into(), want), "{x:e} ^ {y:e}: {narrow:e}, not {want:e}");
            } else {
                let want = f64::from(x).powf(y.into()) as f32;
                assert!(narrow.to_bits().abs_diff(want.to_bits()) <= 1, "{x:e} ^ {y:e}: {narrow:e}, not {want:e}");
            }
        }
    }
    assert!(laid_down > 500 && arithmetic > 500, "{laid_down} and {arithmetic}");
}

#[test]
fn overflow_underflow_and_huge_exponents() {
    let next = 1.0 + f64::EPSILON;
    let before = 1.0 - f64::EPSILON / 2.0;
    for y in [1e19, 2e19, 1e25, 1e100, f64::MAX] {
        assert_eq!(pow_f64(&[next, before, next, before], &[y, y, -y, -y]), [f64::INFINITY, 0.0, 0.0, f64::INFINITY]);
    }
    // Between 2^-1075 and half of that, zero is nearest; from 2^1024 on there is infinity.
    assert_eq!(
        pow_f64(&[2.0; 4], &[-1074.0, -1075.1, 1023.0, 1024.0]),
        [5e-324, 0.0, f64::from_bits(0x7fe0 << 48), f64::INFINITY]
    );
    assert_eq!(
        pow_f32(&[2.0; 4], &[-149.0, -150.1, 127.0, 128.0]),
        [1e-45, 0.0, f32::from_bits(0x7f00_0000), f32::INFINITY]
    );
    assert_eq!(
        pow_f32(&[f32::MIN_POSITIVE, f32::MAX, -f32::MAX], &[-2.0, 2.0, 3.0]),
        [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY]
    );
}

/// Powers that are floats, from integer arithmetic or known by their bits.
#[test]
fn exact_powers_are_exact() {
    for base in 2..200_u64 {
        let mut power = base as u128;
        for n in 2..60 {
            power *= base as u128;
            // Below 2^53 it is a float; above, where its odd part is.
            let odd_part = power >> power.trailing_zeros();
            if power >> 100 != 0 {
                break;
            }
            if odd_part >> 53 == 0 {
                let (x, y) = (base as f64, n as f64);
                assert_eq!(pow_f64(&[x, -x], &[y, y]), [power as f64, (power as f64) * (-1_f64).powi(n)], "{x} ^ {y}");
                // Of the reciprocals, only those of powers of two are floats.
                if [2, 4, 8, 16].contains(&n) {
                    assert_eq!(pow_f64(&[power as f64], &[1.0 / y]), [x], "root {y} of {power}");
                }
            }
            if odd_part >> 24 == 0 {
                let (x, y) = (base as f32, n as f32);
                assert_eq!(pow_f32(&[x, -x], &[y, y]), [power as f32, (power as f32) * (-1_f32).powi(n)], "{x} ^ {y}");
            }
        }
    }
    for n in -1074..1024 {
        let want = if n < -1022 { f64::from_bits(1 << (n + 1074)) } else { f64::from_bits(((n + 1023) as u64) << 52) };
        assert_eq!(pow_f64(&[2.0, 0.5], &[n as f64, -n as f64]), [want; 2], "2 ^ {n}");
        assert_eq!(pow_f32(&[2.0, 0.5], &[n as f32, -n as f32]), [want as f32; 2], "2 ^ {n}");
    }
    let mut seed = 1;
    for _ in 0..2_000 {
        let (a, b) = (random(&mut seed), random(&mut seed));
        let x = f64::from_bits(a >> 1);
        if x < f64::INFINITY {
            assert_eq!(pow_f64(&[x, -x], &[1.0; 2]), [x, -x], "{x:e}");
        }
        let x = f32::from_bits((b >> 33) as u32);
        if x < f32::INFINITY {
            assert_eq!(pow_f32(&[x, -x], &[1.0; 2]), [x, -x], "{x:e}");
        }
        let x = (a >> 38) as f64;
        assert_eq!(pow_f64(&[x, x * x], &[2.0, 0.5]), [x * x, x], "{x}");
    }
}

/// A multiplicative generator: the same numbers everywhere.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    (*seed ^ *seed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

fn unit(seed: &mut u64) -> f64 {
    (random(seed) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Pairs whose power is mostly finite: any bits, moderate numbers, bases next to 1, and results in every binade,
/// subnormal ones too, from any base. Only operations that IEEE 754 fixes, so the same everywhere.
fn pair(n: usize, seed: &mut u64) -> (f64, f64) {
    let (u, v) = (unit(seed), unit(seed));
    let any = f32::from_bits(random(seed) as u32);
    match n % 4 {
        0 => (any.into(), f32::from_bits(random(seed) as u32).into()),
        1 => (u * 20.0, v * 20.0 - 10.0),
        2 => (1.0 + (u - 0.5) / (1_u64 << (n / 4 % 23)) as f64, (v - 0.5) * 256.0 * (1_u64 << (n / 4 % 23)) as f64),
        _ => (any.abs().into(), (v * 280.0 - 150.0) / (f64::from(any.abs().to_bits() >> 23) - 126.5)),
    }
}

#[test]
fn f32_error() {
    let mut seed = 7;
    let (mut worst, mut finite) = (0.0_f64, 0);
    for n in 0..200_000 {
        let (x, y) = pair(n, &mut seed);
        let (x, y) = (x as f32, y as f32);
        let [got] = pow_f32(&[x], &[y]);
        let want = f64::from(x).powf(y.into());
        if !(want as f32).is_finite() || want.abs() < 1e-60 {
            assert!(same(got.into(), (want as f32).into()), "{x:e} ^ {y:e}: {got:e}, not {want:e}");
            continue;
        }
        finite += 1;
        let exponent = ((want.abs().to_bits() >> 52) as i32 - 1023).max(-126);
        let ulp = f64::from_bits(((exponent - 23 + 1023) as u64) << 52);
        let error = (f64::from(got) - want).abs() / ulp;
        assert!(error < 0.54, "{x:e} ^ {y:e}: {got:e}, not {want:e}, {error} ULP");
        worst = worst.max(error);
    }
    assert!(worst > 0.5 && finite > 100_000, "{worst} in {finite}");
}

#[test]
fn f64_error() {
    for &(x, y, want, excess) in &POWERS {
        let [got] = pow_f64(&[f64::from_bits(x)], &[f64::from_bits(y)]);
        // Neighbouring floats of one sign are neighbouring integers.
        let error = (got.to_bits().wrapping_sub(want) as i64) as f64 - excess;
        let bound = if f64::from_bits(want).is_subnormal() { 0.85 } else { 0.7 };
        assert!(error.abs() < bound, "{x:#x} ^ {y:#x}: {:#x}, {error} ULP", got.to_bits());
    }
}

/// A lane's result for any block length, in any place, next to any neighbours.
#[test]
fn lanes_are_independent() {
    fn check<T: Power + PartialEq, const L: usize>(
        pow: impl Fn(&[T; L], &[T; L]) -> [T; L],
        pairs: &[(T, T)],
        alone: &[u64],
        bits: impl Fn(T) -> u64,
    ) {
        for turn in 0..L {
            for (n, block) in pairs.chunks_exact(L).enumerate() {
                let x = core::array::from_fn(|i| block[(i + turn) % L].0);
                let y = core::array::from_fn(|i| block[(i + turn) % L].1);
                let got = pow(&x, &y);
                for i in 0..L {
                    assert_eq!(bits(got[i]), alone[n * L + (i + turn) % L], "lane {i} of {L}, turned by {turn}");
                }
            }
        }
    }
    let mut seed = 3;
    // Half ordinary, so that both ways through a block meet; then whole blocks of ordinary ones.
    let edge = |n: u64| EDGES[n as usize % EDGES.len()] * if n.is_multiple_of(3) { -1.0 } else { 1.0 };
    let mut pairs: Vec<(f64, f64)> = (0..256)
        .map(|n| {
            let ordinary = pair(n, &mut seed);
            if n % 2 == 0 || n >= 128 { ordinary } else { (edge(random(&mut seed)), edge(random(&mut seed))) }
        })
        .collect();
    for pair in &mut pairs[192..] {
        *pair = (pair.0.abs().clamp(1e-30, 1e30), pair.1.clamp(-1e9, 1e9));
    }
    let bits = |x: f64| if x.is_nan() { 1 } else { x.to_bits() };
    let alone: Vec<u64> = pairs.iter().map(|&(x, y)| bits(pow_f64(&[x], &[y])[0])).collect();
    check::<f64, 8>(pow_f64, &pairs, &alone, bits);
    check::<f64, 32>(pow_f64, &pairs, &alone, bits);
    check::<f64, 64>(pow_f64, &pairs, &alone, bits);
    let pairs: Vec<(f32, f32)> = pairs.iter().map(|&(x, y)| (x as f32, y as f32)).collect();
    let bits = |x: f32| if x.is_nan() { 1 } else { x.to_bits().into() };
    let alone: Vec<u64> = pairs.iter().map(|&(x, y)| bits(pow_f32(&[x], &[y])[0])).collect();
    check::<f32, 16>(pow_f32, &pairs, &alone, bits);
    check::<f32, 64>(pow_f32, &pairs, &alone, bits);
    check::<f32, 128>(pow_f32, &pairs, &alone, bits);
}

/// The bits of many results, folded, as they are on every target.
#[test]
fn same_bits_everywhere() {
    let mut seed = 11;
    let (mut narrow, mut wide) = (0_u64, 0_u64);
    let fold = |sum: u64, bits: u64| (sum ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    for n in 0..20_000 {
        let (x, y) = pair(n, &mut seed);
        let [power] = pow_f64(&[x], &[y]);
        wide = fold(wide, if power.is_nan() { 1 } else { power.to_bits() });
        let [power] = pow_f32(&[x as f32], &[y as f32]);
        narrow = fold(narrow, if power.is_nan() { 1 } else { power.to_bits().into() });
    }
    assert_eq!((narrow, wide), (NARROW_DIGEST, WIDE_DIGEST), "{narrow:#x}, {wide:#x}");
}
const NARROW_DIGEST: u64 = 0x708f_4247_8f84_86a1;
const WIDE_DIGEST: u64 = 0x71c4_2ca0_97d0_da7a;

/// x, y, the float nearest to x^y, and by how many ULP |x^y| is more than the float's size. Computed with MPFR 4.2
/// at 200 bits; the last 12 rows are the worst of a million points, by region.
#[rustfmt::skip]
const POWERS: [(u64, u64, u64, f64); 68] = [
    (0x40321ce0094e9789, 0x400dccf863bbcc3c, 0x40e7b3820845147d, 0.2933),
    (0x402ea90e06665a7d, 0x40202f4530c18af2, 0x41ed3e4170b5a47d, 0.3513),
    (0x4014c94420bd770e, 0x4005b754e4fc9f18, 0x4055ea7da1a38f40, -0.0561),
    (0x403219526bc0f877, 0x401dc53ae5463658, 0x41e113a3111d74f7, 0.4215),
    (0x4026eae99686f34f, 0xc01a732303baee5c, 0x3e7aa0dbf4caf3e8, 0.3661),
    (0x402075ff0408a0a5, 0x4023c0e6b86002ac, 0x41d0647aedc71b0d, 0.1151),
    (0x3fefffff34dce548, 0x41962eda1651ec59, 0x3cc283353be521d4, 0.4131),
    (0x3ff00000005299fc, 0xc253edc617e7750e, 0x1ad363b7a9c0438a, -0.0113),
    (0x3fefffffd1209e94, 0x41e49b7acc6094eb, 0x2a288f55d6720e69, 0.4159),
    (0x3feffffffff97bcc, 0xc2a0a44a45c2e3a1, 0x670c0ea3e9e717a0, -0.2431),
    (0x3feffdfb27ecf536, 0x4139ade7c95084f2, 0x1a8793ea2c7f682f, -0.1297),
    (0x3fefff7c3b9f423f, 0x416165ffd4a0db63, 0x0c415263611823ea, -0.4553),
    (0x3feffffd85cfb041, 0x41abc0c2ac9e3a82, 0x2722f4eac6fadfc1, -0.1161),
    (0x3feffffffffff06f, 0x43115b1faa963d96, 0x0f35edb931e26ab5, 0.1730),
    (0x3feffffffffffffd, 0x43ab580fe2b547c4, 0x22587208283026df, 0.4629),
    (0x3feffffffffffffe, 0xc3bfd943ab973dfc, 0x6de1f71212e531d2, 0.4538),
    (0x3feffffffffffffe, 0xc39a6ef22049980c, 0x4977489442dc5cca, 0.2833),
    (0x3feffffffffffffd, 0x43bcb1605450584a, 0x01d6eaa2fd9d0385, 0.4539),
    (0x4f1fe623a5157170, 0x4010945c644fe7f9, 0x7ee2398ca53661de, -0.2590),
    (0x58fe8dc0230a102c, 0x4004430de2deb6ca, 0x7f66034e26593e19, 0.3722),
    (0x5c63566b99882356, 0x4001c27efc986554, 0x7f19dbddca5cd19b, -0.3043),
    (0x762231a1272be0ea, 0x3ff2bb6cbfec7fa6, 0x7f6337456403c9bc, 0.0833),
    (0x6aa95bcf8e41a78f, 0x3ff7a53b242ba326, 0x7f14575a3aace254, 0.1634),
    (0x340071532a27ead5, 0xc0156966da1758b7, 0x7fd25e41f20d74ac, -0.0054),
    (0x0f8e1064dcf8bef6, 0x3ff4cf7bf9d2c128, 0x0102125d663553a9, 0.3321),
    (0x63df92f7fefa0243, 0xbffc157bf78cc219, 0x00db3ee15ddc0767, -0.2203),
    (0x1cbcccce584355b8, 0x3ffcf6be51816862, 0x00379535c4274777, 0.3857),
    (0x06b276e29b914a48, 0x3ff1a7e7f8955aaa, 0x00c589754480f64c, -0.2659),
    (0x161ec3946fba579b, 0x3ff7eb0afd4df7d7, 0x016c99b80ca429a0, -0.0843),
    (0x0a6e0145d6e8541a, 0x3ff30db33c03e070, 0x00370b26da947001, -0.3606),
    (0x25a0b7c8e25bd3ab, 0x400468de7bc22865, 0x0000000000000001, 0.0747),
    (0x66408baea6c67d82, 0xbffb9a3b55512d8b, 0x0000000000015117, 0.0224),
    (0x3387dfbebad32fc0, 0x4014a6f96d494041, 0x0002e4412bf11f30, 0.1472),
    (0x60e52cc687c4ebf1, 0xbfff60f162d5ade8, 0x000000cbe7a494bc, 0.3320),
    (0x6b0c41170dea8095, 0xbff81b1ee26f71dd, 0x0000000681b8c0b5, 0.1803),
    (0x7822f8f01e177c0b, 0xbff2b02b8a7077f4, 0x0000000000cbe33b, 0.2688),
    (0x01af437e556205aa, 0x3ff130fd6cf4b544, 0x000000000000000e, -0.0584),
    (0x0df6a5a9bf4b099c, 0x3ff5657b57142cb8, 0x000000000000001d, -0.1669),
    (0x000a487c41df2a82, 0x3febdadf3793f217, 0x084c6119ad327d3e, 0.3165),
    (0x000c7f99a98b1a94, 0x3fdb8b215e8b1c1f, 0x2470217552d757de, 0.1956),
    (0x000c9a200b589fd7, 0x3fefb69e70d0c25c, 0x009c1e100010503a, -0.0462),
    (0x000835c8383a102e, 0x3f83393b5f8d377d, 0x3f55150dd858ae8c, 0.2755),
    (0x00028148031c7c22, 0x3fefdc5d436ded6f, 0x002b8428d37ea041, 0.3160),
    (0x000bea74aaa47957, 0xbfa0d7fecadd5ff5, 0x4208dbb8f7399aee, 0.2601),
    (0xc1007edd321d15b4, 0xbff0000000000000, 0xbedf09e4fae60b45, -0.4718),
    (0xc12ab30347692c80, 0x402a000000000000, 0xcff84f51649bc558, -0.1571),
    (0xc110c985f9b669c0, 0x4022000000000000, 0xca18a6cd8885ea90, 0.3767),
    (0xc0f814d506a0dd75, 0xc024000000000000, 0x35912aad056d4517, 0.1687),
    (0x3cad9fd19a29b888, 0x3fe0000000000000, 0x3e4eca0bae3a91eb, 0.1450),
    (0x3b600de835f550db, 0xbfe0000000000000, 0x423696cf57fcba3d, 0.2939),
    (0x457cec8c6303bbeb, 0x3fd5555555555555, 0x41c88e9ad04216e0, -0.4835),
    (0x3ac6ea091d1305d4, 0x3ff8000000000000, 0x383363e39ba23690, -0.0873),
    (0x39d705b121b3ba55, 0x4000000000000000, 0x33c0902fa3a160fc, 0.1504),
    (0x448facfa6ea93070, 0x4008000000000000, 0x4dcf09734bd129af, 0.1862),
    (0x3f10b8a2421eae80, 0xbff0000000000000, 0x40ce9ea8e4c20c29, -0.2466),
    (0x3b26cbffb3acbf20, 0x3fb999999999999a, 0x3f74687f31739084, -0.4938),
    (0x3ff8223342fd5a34, 0xc0035d727713cbf8, 0x3fd7aa0cbd43d11d, -0.4044),
    (0x3feffff3ef9b8cfc, 0x419d6013268df5df, 0x000b0047d204c82b, -0.2707),
    (0x1b2faa6a36dd8a71, 0xbffb866333e5df74, 0x7f27b847caccfc27, -0.3994),
    (0x4df288b307a6d79a, 0xc012226c4aba8609, 0x0066c25e2ea70037, 0.4152),
    (0x22cb9ab247efe306, 0x40018a7af68a3fdd, 0x000dab686b58d57d, -0.2432),
    (0x00094b2b21d33f0b, 0x3ff000a843fff04d, 0x00084b5546329309, 0.2684),
    (0xc0233903d2106e0a, 0xc031000000000000, 0xbc769e47455a7205, -0.4063),
    (0x7fd2c8a2a1ee4772, 0xbff0000000000000, 0x000da0fa02b5544f, -0.2476),
    (0x4076500000000000, 0xc008000000000000, 0x3e57995dd6756bfd, -0.4212),
    (0x3ff00000000007bd, 0xc316e3734d97c05a, 0x000eddb7c3c486d5, 0.2697),
    (0x0fe6a09e667f3bb7, 0x3ff54a74c70c8a9d, 0x000a5e53d98bac7d, -0.2800),
    (0x3ff69bb8df89581c, 0xc09feefbd08dbfe5, 0x00389946bdad5c09, -0.3762),
];
