//! Functions of complex numbers.

use num_complex::Complex;

/// Smith's quotient: the smaller part of the divisor is divided by the larger first, so that no square overflows or
/// vanishes (R. L. Smith, Algorithm 116, CACM 1962). Sums of two parts still overflow from half of the largest float
/// on, and nothing is special: by 0 it is NaN.
#[inline(always)]
pub(crate) fn div<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    // The same formula for both halves of the plane: where the imaginary part is larger, both are turned by a quarter.
    let steep = b.re.abs() < b.im.abs();
    let (large, small) = if steep { (b.im, -b.re) } else { (b.re, b.im) };
    let (re, im) = if steep { (a.im, -a.re) } else { (a.re, a.im) };
    let ratio = small / large;
    let divisor = large + small * ratio;
    Complex::new((re + im * ratio) / divisor, (im - re * ratio) / divisor)
}

/// `exp(b * ln(a))`. To the power of 0 everything is 1, and 0 to any other is 0, or NaN where that has no limit.
#[inline(always)]
pub(crate) fn pow<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let (x, y) = (a.re.wide(), a.im.wide());
    let (re, im) = power(x, y, b.re.wide(), b.im.wide());
    Complex::new(T::narrow(re), T::narrow(im))
}

/// By libm's functions and not the system's, which differ from one to the next.
#[inline(never)]
fn power(x: f64, y: f64, re: f64, im: f64) -> (f64, f64) {
    if re == 0.0 && im == 0.0 {
        return (1.0, 0.0);
    }
    if x == 0.0 && y == 0.0 {
        return if re > 0.0 && !im.is_nan() { (0.0, 0.0) } else { (f64::NAN, f64::NAN) };
    }
    let (length, angle) = (log_length(x, y), libm::atan2(y, x));
    let (size, turn) = (re * length - im * angle, im * length + re * angle);
    // The root of the size, twice: the size may overflow where its parts do not.
    let root = libm::exp(size / 2.0);
    // An infinite size without an imaginary part has none still (cexp in C99 Annex G).
    let up = if turn == 0.0 { turn } else { root * libm::sin(turn) * root };
    (root * libm::cos(turn) * root, up)
}

/// The logarithm of the length of a point, which itself may overflow.
fn log_length(x: f64, y: f64) -> f64 {
    let length = libm::hypot(x, y);
    if length == f64::INFINITY {
        return libm::log(libm::hypot(x / 2.0, y / 2.0)) + core::f64::consts::LN_2;
    }
    libm::log(length)
}

/// The parts of a complex number.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + core::ops::Neg<Output = Self>
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
{
    fn abs(self) -> Self;
    fn wide(self) -> f64;
    fn narrow(wide: f64) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn narrow(wide: f64) -> Self {
        wide as Self
    }
}

impl Real for f64 {
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn narrow(wide: f64) -> Self {
        wide
    }
}
