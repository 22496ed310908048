//! Elements to try: the ends and corners of every type, and a spread between them.

use stridecast::{DType, Op};

use crate::common::numbers::{Kind, kind, wrap};
use crate::scalar::is_refused;

/// Digits behind the point of a float's mantissa, and bits of its exponent.
pub fn format(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F16 => (10, 5),
        DType::BF16 => (7, 8),
        DType::F32 | DType::C64 => (23, 8),
        _ => (52, 11),
    }
}

/// A type's ends and corners.
pub fn specials(dtype: DType) -> Vec<u128> {
    match kind(dtype) {
        Kind::Bool => vec![0, 1, 2, 0xFF],
        Kind::Float => floats(dtype),
        Kind::Complex => {
            let (digits, _) = format(dtype);
            let one = ones(dtype) << digits;
            let infinity = (ones(dtype) * 2 + 1) << digits;
            let sign = sign(dtype);
            let parts = [0, sign, one, sign | one, one + (3 << (digits - 1)), infinity, infinity | 1, infinity - 1, 1];
            let width = 4 * dtype.size();
            parts.iter().flat_map(|&re| parts.iter().map(move |&im| re | im << width)).collect()
        }
        _ => {
            let bits = 8 * dtype.size() as i128;
            let (low, high) = if kind(dtype) == Kind::Signed {
                (-1 << (bits - 1), (1 << (bits - 1)) - 1)
            } else {
                (0, (1_i128 << bits) - 1)
            };
            let near = [
                0,
                1,
                -1,
                2,
                -2,
                3,
                -3,
                5,
                7,
                -7,
                10,
                100,
                bits - 1,
                bits,
                bits + 1,
                -bits,
                low,
                low + 1,
                high,
                high - 1,
            ];
            near.iter().map(|&x| wrap(dtype, x)).collect()
        }
    }
}

/// The exponent of 1.
fn ones(dtype: DType) -> u128 {
    (1 << (format(dtype).1 - 1)) - 1
}

fn sign(dtype: DType) -> u128 {
    let (digits, exponent) = format(dtype);
    1 << (digits + exponent)
}

fn floats(dtype: DType) -> Vec<u128> {
    let (digits, _) = format(dtype);
    let (unit, bias) = (1_u128 << digits, ones(dtype));
    let infinity = (2 * bias + 1) * unit;
    let one = bias * unit;
    let half = unit / 2;
    let positive = [
        0,
        1,
        3,
        half,
        unit - 1,
        unit,
        unit + 1,
        infinity - 1,
        infinity - unit,
        one,
        one + 1,
        one - 1,
        one - unit,
        one + half,
        one + unit,
        one + unit + half,
        // The smallest odd integer whose double is even, and the ends of the integers.
        one + u128::from(digits) * unit,
        one + u128::from(digits) * unit + 1,
        one + (u128::from(digits) + 1) * unit,
        // A third, and something large.
        one - 2 * unit + unit / 3,
        one + bias / 2 * unit + unit / 5,
        infinity,
        // NaNs: signalling with two payloads, and quiet.
        infinity + 1,
        infinity + half - 1,
        infinity + half,
        infinity + unit - 1,
    ];
    positive.iter().flat_map(|&bits| [bits, sign(dtype) | bits]).collect()
}

/// Bits that look random: SplitMix64.
pub fn mixed(n: u64) -> u64 {
    let z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Element `n` of a list that mixes all kinds of values: plain ones, from which results come that tell operands apart,
/// a corner now and then, and any bits.
pub fn nth(dtype: DType, n: u64) -> u128 {
    let random = mixed(n);
    let choice = random >> 60;
    let any = |bits: usize| (u128::from(random) << 64 | u128::from(mixed(!n))) & (u128::MAX >> (128 - bits));
    if kind(dtype) == Kind::Complex && choice > 1 {
        let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
        return nth(part, random) | nth(part, random ^ 1) << (8 * part.size());
    }
    match choice {
        0 => {
            let corners = specials(dtype);
            corners[random as usize % corners.len()]
        }
        1 => any(8 * dtype.size()),
        _ => match kind(dtype) {
            Kind::Bool => u128::from(random & 1),
            Kind::Float => {
                let (digits, _) = format(dtype);
                let mantissa = any(128) >> 64 & ((1 << digits) - 1);
                // From 1/16 to 16, of both signs.
                let exponent = ones(dtype) - 4 + (any(128) & 7);
                let sign = if any(128) >> 5 & 1 == 1 { sign(dtype) } else { 0 };
                mantissa | exponent << digits | sign
            }
            // Small, of both signs.
            _ => wrap(dtype, i128::from(random as u8 as i8)),
        },
    }
}

/// As [`nth`], of what the function takes there.
pub fn nth_of(op: Op, inputs: &[DType], operand: usize, n: u64) -> u128 {
    let bits = nth(inputs[operand], n);
    if is_refused(op, inputs, operand, bits) { wrap(inputs[operand], 3) } else { bits }
}

/// As [`specials`], of what the function takes there.
pub fn specials_of(op: Op, inputs: &[DType], operand: usize) -> Vec<u128> {
    specials(inputs[operand]).into_iter().filter(|&bits| !is_refused(op, inputs, operand, bits)).collect()
}
