//! What the test files share: the oracle, the element types it is run on, and elements and tensors of any type as
//! bytes.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod naive;
pub mod numbers;
pub mod strategies;
pub mod tensor;

use half::{bf16, f16};
use num_complex::Complex;

/// An element type of the tests: distinct values by index, compared bit by bit.
pub trait Sample: bytemuck::NoUninit + Send + Sync {
    fn nth(n: usize) -> Self;
}

macro_rules! samples {
    ($($ty:ty => |$n:ident| $value:expr;)*) => {
        $(impl Sample for $ty {
            fn nth($n: usize) -> Self {
                $value
            }
        })*
    };
}

// Odd multipliers spread the index over all bytes, so that a byte in the wrong place shows.
samples! {
    u8 => |n| n.wrapping_mul(151) as u8;
    i8 => |n| n.wrapping_mul(151) as i8;
    bool => |n| n.count_ones().is_multiple_of(2);
    u16 => |n| n.wrapping_mul(0x9E37) as u16;
    i16 => |n| n.wrapping_mul(0x9E37) as i16;
    f16 => |n| f16::from_bits(n.wrapping_mul(0x9E37) as u16);
    bf16 => |n| bf16::from_bits(n.wrapping_mul(0x9E37) as u16);
    u32 => |n| n.wrapping_mul(0x9E37_79B1) as u32;
    i32 => |n| n.wrapping_mul(0x9E37_79B1) as i32;
    f32 => |n| f32::from_bits(n.wrapping_mul(0x9E37_79B1) as u32);
    u64 => |n| (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    i64 => |n| (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64;
    f64 => |n| f64::from_bits((n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    u128 => |n| (n as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    Complex<f32> => |n| Complex::new(f32::nth(n), f32::nth(!n));
    Complex<f64> => |n| Complex::new(f64::nth(n), f64::nth(!n));
    [u8; 3] => |n| [u8::nth(n), u8::nth(n ^ 0x55), u8::nth(!n)];
    [u8; 7] => |n| core::array::from_fn(|i| u8::nth(n.wrapping_mul(7) + i));
    [u16; 3] => |n| [u16::nth(n), u16::nth(n ^ 0x55), u16::nth(!n)];
    [f32; 3] => |n| [f32::nth(n), f32::nth(n ^ 0x55), f32::nth(!n)];
    [u64; 3] => |n| [u64::nth(n), u64::nth(n ^ 0x55), u64::nth(!n)];
    [u64; 5] => |n| core::array::from_fn(|i| u64::nth(n.wrapping_mul(5) + i));
}

/// `len` distinct samples.
pub fn samples<T: Sample>(len: usize) -> Vec<T> {
    (0..len).map(|n| T::nth(n + 1)).collect()
}

/// The bytes of elements: what "equal" means for a copy, NaNs included.
pub fn bytes<T: bytemuck::NoUninit>(items: &[T]) -> &[u8] {
    bytemuck::cast_slice(items)
}

/// Calls a generic function for every element type of the tests.
#[macro_export]
macro_rules! for_every_type {
    ($function:ident($($argument:expr),*)) => {{
        use half::{bf16, f16};
        use num_complex::Complex;
        $crate::for_every_type!(
            @ $function ($($argument),*)
            u8 i8 bool u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 u128
            (Complex<f32>) (Complex<f64>) ([u8; 3]) ([u8; 7]) ([u16; 3]) ([f32; 3]) ([u64; 3]) ([u64; 5])
        );
    }};
    (@ $function:ident $arguments:tt $($ty:tt)*) => {
        $($crate::for_every_type!(@@ $function $arguments $ty);)*
    };
    (@@ $function:ident ($($argument:expr),*) ($ty:ty)) => { $function::<$ty>($($argument),*) };
    (@@ $function:ident ($($argument:expr),*) $ty:ty) => { $function::<$ty>($($argument),*) };
}
