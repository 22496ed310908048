//! Functions on blocks of floats that the standard library does not vectorise.
//!
//! Everything here is plain Rust, inlined into the kernel that calls it and vectorised there by the compiler, so the
//! same operations run on every instruction set and the results are the same bits. For that a function may use
//! `+ - * /`, comparisons, conversions that are exact or round once, and [`fma`]; never a reciprocal estimate.
#![forbid(unsafe_code)]

mod pow;
mod pow_f32;
mod pow_f64;
#[cfg(all(test, feature = "std"))]
mod pow_tests;

/// `x * y + z` rounded once, on every target.
#[inline(always)]
pub(crate) fn fma(x: f64, y: f64, z: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.mul_add(y, z);
    #[cfg(not(feature = "std"))]
    return libm::fma(x, y, z);
}
