//! Elementary functions of two arguments, a block of lanes at a time.
//!
//! Plain Rust without branches per lane: inlined into a function with target features, LLVM makes whole vectors of
//! it. The results are defined with fused multiply-add, so that they are the same bits on every instruction set; where
//! there is none, [`fma`] is a correct call, and slow. Lanes that a fast loop cannot do (infinities, subnormals) are
//! noticed there and done after it.
//!
//! Blocks are best of 64 `f32` or 32 `f64`: eight `f64` are unrolled, and `fmod` takes twice as long. Their results
//! belong in a local that is aligned to 64 bytes: vectors across two cache lines cost `hypot` half as much again.
#![forbid(unsafe_code)]

mod atan2;
mod hypot;
mod pow;
mod pow_f32;
mod pow_f64;
#[cfg(all(test, feature = "std"))]
mod pow_tests;
mod real;
mod rem;
#[cfg(all(test, feature = "std"))]
mod tests;

pub(crate) use {
    atan2::{atan2_f32, atan2_f64},
    hypot::{hypot_f32, hypot_f64},
    pow::{pow_f32, pow_f64},
    rem::{fmod_f32, fmod_f64, remainder_f32, remainder_f64},
};

/// `x * y + z`, rounded once.
#[inline(always)]
pub(crate) fn fma(x: f64, y: f64, z: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.mul_add(y, z);
    #[cfg(not(feature = "std"))]
    return libm::fma(x, y, z);
}

/// `x * y + z`, rounded once.
#[inline(always)]
pub(crate) fn fma32(x: f32, y: f32, z: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.mul_add(y, z);
    #[cfg(not(feature = "std"))]
    return libm::fmaf(x, y, z);
}

/// The square root, correctly rounded.
#[inline(always)]
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrt(x);
}

/// The square root, correctly rounded.
#[inline(always)]
pub(crate) fn sqrt32(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(x);
}
