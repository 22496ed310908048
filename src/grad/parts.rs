//! What one element of an operand contributes to its gradient, where that is no product that a sum can take in.
//!
//! A [`Part`] is written once for f32 and f64, as blocks, because powers and hypotenuses come in blocks. [`Of`] makes a
//! [`Function`] of it, and `AsF32` that of halves.

#![forbid(unsafe_code)]

use core::ops::{Mul, Neg, Sub};

use bytemuck::{NoUninit, Zeroable};
use pulp::Simd;

use crate::engine::Function;
use crate::math;

/// f32 and f64.
pub trait Lane:
    NoUninit
    + Zeroable
    + Send
    + Sync
    + PartialOrd
    + From<f32>
    + Neg<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + core::ops::Div<Output = Self>
{
    fn is_nan(self) -> bool;
    /// The natural logarithm. That of `libm` on every machine: a system's own has other bits.
    fn ln(self) -> Self;
    fn pow<const L: usize>(base: &[Self; L], exponent: &[Self; L]) -> [Self; L];
    fn hypot<const L: usize>(x: &[Self; L], y: &[Self; L]) -> [Self; L];
}

impl Lane for f32 {
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    #[inline(always)]
    fn ln(self) -> Self {
        libm::logf(self)
    }

    #[inline(always)]
    fn pow<const L: usize>(base: &[Self; L], exponent: &[Self; L]) -> [Self; L] {
        math::pow_f32(base, exponent)
    }

    #[inline(always)]
    fn hypot<const L: usize>(x: &[Self; L], y: &[Self; L]) -> [Self; L] {
        math::hypot_f32(x, y)
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    #[inline(always)]
    fn ln(self) -> Self {
        libm::log(self)
    }

    #[inline(always)]
    fn pow<const L: usize>(base: &[Self; L], exponent: &[Self; L]) -> [Self; L] {
        math::pow_f64(base, exponent)
    }

    #[inline(always)]
    fn hypot<const L: usize>(x: &[Self; L], y: &[Self; L]) -> [Self; L] {
        math::hypot_f64(x, y)
    }
}

/// A block of contributions, of the gradient that comes in and of two operands.
pub trait Part: Copy + Sync {
    /// As [`Function::HEAVY`].
    const HEAVY: bool;

    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L];
}

/// A part as a function.
#[derive(Clone, Copy, Debug)]
pub struct Of<P>(pub P);

impl<P: Part, R: Lane> Function<(R, R, R)> for Of<P> {
    type Output = R;
    const HEAVY: bool = P::HEAVY;

    #[inline(always)]
    fn call(&self, (g, a, b): (R, R, R)) -> R {
        self.0.part(&[g], &[a], &[b])[0]
    }

    #[inline(always)]
    fn block<S: Simd, const L: usize>(&self, _: S, (g, a, b): (&[R; L], &[R; L], &[R; L])) -> [R; L] {
        self.0.part(g, a, b)
    }
}

/// The divisor's: `-(g * a / b / b)`. Divided twice, because `b * b` overflows sooner.
#[derive(Clone, Copy, Debug)]
pub struct Divisor;

impl Part for Divisor {
    const HEAVY: bool = false;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            out[i] = -(g[i] * a[i] / b[i] / b[i]);
        }
        out
    }
}

/// The base's: `g * (b * a^(b - 1))`; 0 where `b` is 0, though `a` be so too.
#[derive(Clone, Copy, Debug)]
pub struct Base;

impl Part for Base {
    const HEAVY: bool = true;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let mut less = [R::zeroed(); L];
        for i in 0..L {
            less[i] = b[i] - R::from(1.0);
        }
        let power = R::pow(a, &less);
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            let part = g[i] * (b[i] * power[i]);
            out[i] = if b[i] == R::zeroed() { R::zeroed() } else { part };
        }
        out
    }
}

/// The exponent's: `g * (a^b * ln a)`; 0 where `a` is 0 and `b` is not negative.
#[derive(Clone, Copy, Debug)]
pub struct Exponent;

impl Part for Exponent {
    const HEAVY: bool = true;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let power = R::pow(a, b);
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            let part = g[i] * (power[i] * a[i].ln());
            out[i] = if (a[i] == R::zeroed()) & (b[i] >= R::zeroed()) { R::zeroed() } else { part };
        }
        out
    }
}

/// That of the operand that is chosen, `g`; `g / 2` where neither is. A NaN is chosen if `NAN`, else a number beside
/// it: by the type, since as a value it makes 26 us of 12 under AVX2 (64 Ki f32).
#[derive(Clone, Copy, Debug)]
pub struct Chosen<const NAN: bool> {
    /// 1 if the larger is, -1 if the smaller.
    pub sign: f32,
}

impl<const NAN: bool> Part for Chosen<NAN> {
    const HEAVY: bool = false;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let sign = R::from(self.sign);
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            let (x, y) = (sign * a[i], sign * b[i]);
            let (first, second) = if NAN { (x, y) } else { (y, x) };
            let ours = (x > y) | (first.is_nan() & !second.is_nan());
            let theirs = (x < y) | (second.is_nan() & !first.is_nan());
            // Not by a factor of 0: an infinite gradient would make NaN of what was not chosen.
            let tie = if theirs { R::zeroed() } else { g[i] * R::from(0.5) };
            out[i] = if ours { g[i] } else { tie };
        }
        out
    }
}

/// A side's of the hypotenuse h: `g * (a / h)`; 0 where h is 0.
#[derive(Clone, Copy, Debug)]
pub struct Side;

impl Part for Side {
    const HEAVY: bool = true;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let h = R::hypot(a, b);
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            let part = g[i] * (a[i] / h[i]);
            out[i] = if h[i] == R::zeroed() { R::zeroed() } else { part };
        }
        out
    }
}

/// A coordinate's of the angle of a point: `g * (b / h / h)` with the other one and their hypotenuse h, whose square
/// would overflow; 0 where h is 0.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    /// 1 of y, -1 of x.
    pub sign: f32,
}

impl Part for Angle {
    const HEAVY: bool = true;

    #[inline(always)]
    fn part<R: Lane, const L: usize>(self, g: &[R; L], a: &[R; L], b: &[R; L]) -> [R; L] {
        let h = R::hypot(a, b);
        let mut out = [R::zeroed(); L];
        for i in 0..L {
            let part = R::from(self.sign) * g[i] * (b[i] / h[i] / h[i]);
            out[i] = if h[i] == R::zeroed() { R::zeroed() } else { part };
        }
        out
    }
}
