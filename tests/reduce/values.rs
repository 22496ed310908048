//! Elements to reduce: spread over the type, and such that one that is missing or taken twice shows in the result.

use stridecast::{DType, Reduction};

use crate::common::numbers::{Kind, join, kind, round};
use crate::defined::Signature;

/// Bits without a pattern.
pub fn hash(n: u64) -> u64 {
    let mut x = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A number from 0 to 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Element `n` for a reduction to a type: any integer, floats from -1 to 1. Those of products are near 1 or -1, so that
/// neither many of them nor a few leave the type.
pub fn nth(signature: &Signature, dtype: DType, n: u64) -> u128 {
    let bits = hash(n);
    let factor = signature.reduction == Reduction::Prod;
    match kind(dtype) {
        Kind::Complex if factor => {
            let (size, angle) = (0.92 + unit(bits) / 6.0, unit(hash(bits)) * core::f64::consts::TAU);
            join(dtype, size * angle.cos(), size * angle.sin())
        }
        Kind::Complex => join(dtype, unit(bits) * 2.0 - 1.0, unit(hash(bits)) * 2.0 - 1.0),
        Kind::Float if factor => {
            let size = 0.92 + unit(bits) / 6.0;
            round(dtype, if bits.is_multiple_of(2) { size } else { -size })
        }
        Kind::Float => round(dtype, unit(bits) * 2.0 - 1.0),
        // An even factor in 16 would leave nothing but zeros of long products.
        _ => u128::from(if factor { bits | 1 } else { bits }) & (u128::MAX >> (128 - 8 * dtype.size())),
    }
}
