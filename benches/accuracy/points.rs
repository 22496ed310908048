//! Where the functions are measured: random points of the plane, and of its edges.

use std::fmt::{Debug, LowerExp};

use stridecast::Element;

/// xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new() -> Random {
        Random(0x1234_5678_9abc_def1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From `low` to `high`, both included.
    fn within(&mut self, low: i32, high: i32) -> i32 {
        low + (((self.bits() >> 32) * (high - low + 1) as u64) >> 32) as i32
    }

    /// From `low` up to `high`, evenly.
    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 * f64::powi(2.0, -53)
    }
}

/// A coordinate: `f32` or `f64`.
pub trait Point: Element + Copy + Default + Debug + LowerExp + std::ops::Mul<Output = Self> + 'static {
    /// Bits of the mantissa with the leading one.
    const DIGITS: i32;
    /// Exponents of the smallest and largest normal numbers.
    const EXPONENTS: (i32, i32);

    /// Any bits at all.
    fn any(random: &mut Random) -> Self;
    /// A random mantissa and sign with an exponent; one below the smallest makes it subnormal.
    fn with_exponent(random: &mut Random, exponent: i32) -> Self;
    /// The number `places` floats further from 0, or nearer to it.
    fn beside(self, places: i32) -> Self;
    fn integer(n: u32) -> Self;
    fn wide(self) -> f64;
    /// The nearest one.
    fn near(wide: f64) -> Self;

    /// The bits, those of all NaNs alike.
    fn key(self) -> u64 {
        let wide = self.wide();
        if wide.is_nan() { u64::MAX } else { wide.to_bits() }
    }
}

impl Point for f32 {
    const DIGITS: i32 = 24;
    const EXPONENTS: (i32, i32) = (-126, 127);

    fn any(random: &mut Random) -> f32 {
        f32::from_bits((random.bits() >> 32) as u32)
    }

    fn with_exponent(random: &mut Random, exponent: i32) -> f32 {
        let bits = (random.bits() >> 32) as u32;
        f32::from_bits(bits & 0x807f_ffff | ((exponent + 127).clamp(0, 254) as u32) << 23)
    }

    fn beside(self, places: i32) -> f32 {
        f32::from_bits(self.to_bits().wrapping_add_signed(places))
    }

    fn integer(n: u32) -> f32 {
        n as f32
    }

    fn wide(self) -> f64 {
        self.into()
    }

    fn near(wide: f64) -> f32 {
        wide as f32
    }
}

impl Point for f64 {
    const DIGITS: i32 = 53;
    const EXPONENTS: (i32, i32) = (-1022, 1023);

    fn any(random: &mut Random) -> f64 {
        f64::from_bits(random.bits())
    }

    fn with_exponent(random: &mut Random, exponent: i32) -> f64 {
        let bits = random.bits();
        f64::from_bits(bits & 0x800f_ffff_ffff_ffff | ((exponent + 1023).clamp(0, 2046) as u64) << 52)
    }

    fn beside(self, places: i32) -> f64 {
        f64::from_bits(self.to_bits().wrapping_add_signed(places.into()))
    }

    fn integer(n: u32) -> f64 {
        n.into()
    }

    fn wide(self) -> f64 {
        self
    }

    fn near(wide: f64) -> f64 {
        wide
    }
}

/// A named kind of points.
pub struct Region<T> {
    pub name: &'static str,
    pub point: fn(&mut Random) -> (T, T),
}

/// The regions of `f32`.
pub mod single {
    use super::{Region, angles, lengths, powers, quotients};

    pub const ANGLES: &[Region<f32>] = &angles();
    pub const LENGTHS: &[Region<f32>] = &lengths();
    pub const POWERS: &[Region<f32>] = &powers();
    pub const QUOTIENTS: &[Region<f32>] = &quotients();
}

/// The regions of `f64`.
pub mod double {
    use super::{Region, angles, lengths, powers, quotients};

    pub const ANGLES: &[Region<f64>] = &angles();
    pub const LENGTHS: &[Region<f64>] = &lengths();
    pub const POWERS: &[Region<f64>] = &powers();
    pub const QUOTIENTS: &[Region<f64>] = &quotients();
}

const fn region<T>(name: &'static str, point: fn(&mut Random) -> (T, T)) -> Region<T> {
    Region { name, point }
}

/// A base of any size and the exponent that brings its power near to 2^`target`; half of the bases within 2^8 of 1.
fn aimed<T: Point>(random: &mut Random, target: f64) -> (T, T) {
    let wide = if random.bits() >> 63 == 0 { 8 } else { T::EXPONENTS.1 };
    let exponent = random.within(-wide, wide - 1);
    let x = positive(T::with_exponent(random, exponent));
    (x, T::near(target / x.wide().log2()))
}

fn positive<T: Point>(x: T) -> T {
    T::near(x.wide().abs())
}

/// The logarithm of a number next to a power of two, from the smallest normal ones to infinity.
fn boundary<T: Point>(random: &mut Random) -> f64 {
    let exponent = random.within(T::EXPONENTS.0 + 1, T::EXPONENTS.1 + 1);
    let wide = random.within(1, T::DIGITS);
    f64::from(exponent) + random.real(-1.0, 1.0) * f64::powi(2.0, -wide)
}

/// Both exponents within `low` and `high`.
fn between<T: Point>(random: &mut Random, low: i32, high: i32) -> (T, T) {
    let (x, y) = (random.within(low, high), random.within(low, high));
    (T::with_exponent(random, x), T::with_exponent(random, y))
}

/// The second one 2^`low` to 2^`high` of the first, or the other way round.
fn apart<T: Point>(random: &mut Random, low: i32, high: i32) -> (T, T) {
    let first = random.within(T::EXPONENTS.0 / 2, T::EXPONENTS.1 / 2);
    let second = first - random.within(low, high);
    let (x, y) = (T::with_exponent(random, first), T::with_exponent(random, second));
    if random.bits() >> 63 == 0 { (x, y) } else { (y, x) }
}

/// The second one `part` of the first but for some places, or the other way round.
fn beside<T: Point>(random: &mut Random, part: T) -> (T, T) {
    let exponent = random.within(-20, 20);
    let x = T::with_exponent(random, exponent);
    let wide = random.within(0, T::DIGITS.min(30) - 2);
    let y = (x * part).beside(random.within(-(1 << wide), 1 << wide));
    if random.bits() >> 63 == 0 { (x, y) } else { (y, x) }
}

const fn angles<T: Point>() -> [Region<T>; 8] {
    [
        region("any bits", |r| (T::any(r), T::any(r))),
        region("1/8 to 8", |r| between(r, -3, 2)),
        region("2^-20 to 2^20", |r| between(r, -20, 19)),
        region("near an axis", |r| apart(r, 2, T::DIGITS + 4)),
        region("very near an axis", |r| apart(r, T::DIGITS, T::EXPONENTS.1)),
        region("near a diagonal", |r| beside(r, T::integer(1))),
        region("near a slope of 4", |r| beside(r, T::integer(4))),
        region("minute", |r| between(r, T::EXPONENTS.0 - 1, T::EXPONENTS.0 + 30)),
    ]
}

const fn lengths<T: Point>() -> [Region<T>; 7] {
    [
        region("any bits", |r| (T::any(r), T::any(r))),
        region("1/8 to 8", |r| between(r, -3, 2)),
        region("alike", |r| between(r, 0, 0)),
        region("unlike", |r| apart(r, 1, T::DIGITS / 2 + 2)),
        region("near overflow", |r| between(r, T::EXPONENTS.1 - 2, T::EXPONENTS.1)),
        region("subnormal", |r| between(r, T::EXPONENTS.0 - 1, T::EXPONENTS.0 - 1)),
        region("minute", |r| between(r, T::EXPONENTS.0 - 1, T::EXPONENTS.0 + 30)),
    ]
}

const fn quotients<T: Point>() -> [Region<T>; 6] {
    [
        region("any bits", |r| (T::any(r), T::any(r))),
        region("1/8 to 8", |r| between(r, -3, 2)),
        region("2^-20 to 2^20", |r| between(r, -20, 19)),
        region("near integers", |r| {
            let exponent = r.within(-20, 20);
            let y = T::with_exponent(r, exponent);
            let n = (r.bits() >> 32) as u32 >> r.within(0, 31);
            ((y * T::integer(n)).beside(r.within(-3, 3)), y)
        }),
        region("2^22 to 2^54", |r| {
            let (x, y) = (r.within(22, 54), T::with_exponent(r, 0));
            (T::with_exponent(r, x), y)
        }),
        region("minute", |r| between(r, T::EXPONENTS.0 - 1, T::EXPONENTS.0 + 30)),
    ]
}

/// Powers are subnormal by design in one region, and by chance in the first.
const fn powers<T: Point>() -> [Region<T>; 11] {
    [
        region("any bits", |r| (T::any(r), T::any(r))),
        region("0 to 20, to -10 to 10", |r| (T::near(r.real(0.0, 20.0)), T::near(r.real(-10.0, 10.0)))),
        region("near 1, huge exponents", |r| {
            let wide = r.within(0, T::DIGITS.min(30) - 2);
            let x = T::integer(1).beside(r.within(-(1 << wide), 1 << wide));
            let most = f64::from(T::EXPONENTS.1 - 1);
            let y = r.real(-most, most) / x.wide().log2().abs().max(f64::powi(2.0, -T::DIGITS));
            (x, T::near(y))
        }),
        region("near overflow", |r| {
            let target = f64::from(T::EXPONENTS.1) + r.real(-1.0, 1.5);
            aimed(r, target)
        }),
        region("near underflow", |r| {
            let target = f64::from(T::EXPONENTS.0) + r.real(0.01, 2.0);
            aimed(r, target)
        }),
        region("subnormal powers", |r| {
            let target = f64::from(T::EXPONENTS.0) - r.real(0.0, f64::from(T::DIGITS) + 1.0);
            aimed(r, target)
        }),
        region("subnormal bases", |r| {
            let x = T::with_exponent(r, T::EXPONENTS.0 - 1);
            let most = if r.bits() >> 63 == 0 { 0.93 } else { 0.01 };
            (positive(x), T::near(r.real(-most, most)))
        }),
        region("negative, to integers", |r| {
            let y = f64::from(r.within(-300, 300));
            let most = f64::from(T::EXPONENTS.1 - 1) / y.abs().max(1.0);
            (T::near(-r.real(-most, most).exp2()), T::near(y))
        }),
        region("integers to integers", |r| (T::integer(r.within(0, 200) as u32), T::near(r.within(-40, 40).into()))),
        region("to 1/2, 2, 3, -1", |r| {
            let y = [0.5, 2.0, 3.0, -1.0][r.within(0, 3) as usize];
            let most = (f64::from(T::EXPONENTS.1 - 1) / f64::max(y, 1.0)) as i32;
            let exponent = r.within(-most, most - 1);
            (T::with_exponent(r, exponent), T::near(y))
        }),
        region("near powers of two", |r| {
            let target = boundary::<T>(r);
            aimed(r, target)
        }),
    ]
}
