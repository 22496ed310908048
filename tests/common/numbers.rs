//! Elements as bits, and the numbers that they are.

use half::{bf16, f16};
use stridecast::DType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

pub fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::Bool => Kind::Bool,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Signed,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Kind::Unsigned,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Kind::Float,
        _ => Kind::Complex,
    }
}

/// The bits of a float of a type, or of one part of a complex number, as a number.
pub fn float(dtype: DType, bits: u128) -> f64 {
    match dtype {
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        DType::F32 | DType::C64 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

/// Rounded to the type, from `f64` to the halves by way of `f32` in which they are computed. A NaN is always one
/// pattern.
pub fn round(dtype: DType, x: f64) -> u128 {
    let x = if x.is_nan() { f64::NAN } else { x };
    match dtype {
        DType::F16 => f16::from_f32(x as f32).to_bits().into(),
        DType::BF16 => bf16::from_f32(x as f32).to_bits().into(),
        DType::F32 | DType::C64 => (x as f32).to_bits().into(),
        _ => x.to_bits().into(),
    }
}

/// An integer of a type.
pub fn integer(dtype: DType, bits: u128) -> i128 {
    let unused = 128 - 8 * dtype.size() as u32;
    if kind(dtype) == Kind::Signed { (bits << unused) as i128 >> unused } else { (bits << unused >> unused) as i128 }
}

/// The low bits of an integer.
pub fn wrap(dtype: DType, x: i128) -> u128 {
    let unused = 128 - 8 * dtype.size() as u32;
    (x as u128) << unused >> unused
}

/// The parts of a complex number.
pub fn parts(dtype: DType, bits: u128) -> (f64, f64) {
    let width = 4 * dtype.size() as u32;
    (float(dtype, bits & (u128::MAX >> (128 - width))), float(dtype, bits >> width))
}

pub fn join(dtype: DType, re: f64, im: f64) -> u128 {
    round(dtype, re) | round(dtype, im) << (4 * dtype.size())
}

/// The bits with every NaN made one pattern.
pub fn canonical(dtype: DType, bits: u128) -> u128 {
    match kind(dtype) {
        Kind::Float if float(dtype, bits).is_nan() => round(dtype, f64::NAN),
        Kind::Complex => {
            let (re, im) = parts(dtype, bits);
            if re.is_nan() | im.is_nan() { join(dtype, re, im) } else { bits }
        }
        _ => bits,
    }
}
