//! The elementwise functions against scalar semantics and index arithmetic, on every level that this machine has.
//!
//! What an element should be is in `scalar`, which functions take which types in `defined`; both are written from the
//! documentation. A call is laid out in bytes by `lab` and `tensor`, run on the level without vectors, compared with
//! that and with itself on the other levels. `STRIDECAST_LARGE_TESTS=1` tries all halves in place of a part of them.

#[path = "../common/mod.rs"]
mod common;

mod defined;
mod folds;
mod functions;
mod halves;
mod in_place;
mod integers;
mod lab;
mod lengths;
mod parts;
mod places;
mod plans;
mod random;
mod scalar;
mod specials;
#[cfg(feature = "rayon")]
mod threads;
mod typed;
mod values;

use common::tensor;
use defined::{Signature, signatures};
use stridecast::{DType, Op};

/// Some signatures in which every size of element, every kind of kernel and every conversion occurs. Subtraction and
/// division tell operands that are exchanged.
fn samples() -> Vec<Signature> {
    use DType::{BF16, Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16};
    let of = |op: Op, inputs: &[DType], output: DType| Signature { op, inputs: inputs.to_vec(), output };
    let all = vec![
        of(Op::Sub, &[U8, U8], U8),
        of(Op::Div, &[I16, I16], I16),
        of(Op::Sub, &[F16, F16], F16),
        of(Op::Div, &[BF16, BF16], BF16),
        of(Op::Sub, &[F32, F32], F32),
        of(Op::Div, &[F64, F64], F64),
        of(Op::Sub, &[C64, C64], C64),
        of(Op::Sub, &[C128, C128], C128),
        of(Op::Lt, &[F64, F64], Bool),
        of(Op::Gt, &[F32, F32], F32),
        of(Op::Le, &[U8, U8], U8),
        of(Op::Ge, &[BF16, BF16], Bool),
        of(Op::Eq, &[C128, C128], Bool),
        of(Op::Xor, &[Bool, Bool], Bool),
        of(Op::Pow, &[I32, F32], I32),
        of(Op::Pow, &[F16, I64], F16),
        of(Op::Pow, &[U8, U16], U8),
        of(Op::Atan2, &[F32, F32], F32),
        of(Op::Hypot, &[F16, F16], F16),
        of(Op::Remainder, &[I64, I64], I64),
        of(Op::MulAdd, &[F32, F32, F32], F32),
        of(Op::MulAdd, &[I8, I8, I8], I8),
        of(Op::Clamp, &[F16, F16, F16], F16),
        of(Op::Where, &[Bool, C128, C128], C128),
        of(Op::Where, &[U8, F16, F16], F16),
        of(Op::Where, &[Bool, I8, I8], I8),
    ];
    let defined = signatures();
    assert!(all.iter().all(|sample| defined.contains(sample)), "a sample is not defined");
    all
}

/// Whether the tests that take long may.
fn large() -> bool {
    std::env::var_os("STRIDECAST_LARGE_TESTS").is_some_and(|value| value == "1")
}

/// Functions whose elements cost hundreds of times those of the others where there is no fused multiply-add.
fn is_heavy(op: Op) -> bool {
    matches!(op, Op::Pow | Op::Atan2 | Op::Hypot | Op::Fmod | Op::Remainder)
}
