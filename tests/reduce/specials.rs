//! NaN, infinities, zeros with signs, and the ends of the integers, wherever they stand.

use half::{bf16, f16};
use stridecast::{DType, Over, Reduction, Tensor, View, reduce};

use crate::common::numbers::{Kind, kind, round};
use crate::common::tensor::{self, Place};
use crate::defined::{Signature, signatures};
use crate::lab::{Call, Which};
use crate::oracle::Want;
use crate::values::{hash, nth};

/// A call on `shape` whose element `i` in C order is `element(i)`.
fn call(signature: &Signature, shape: &[usize], axes: &[usize], element: impl Fn(u64) -> u128) -> Call {
    let inputs = vec![tensor::Tensor::room(signature.dtype, shape, &Place::PLAIN).filled(element)];
    Call::of(signature, inputs, Which::Axes(axes.to_vec(), false), &Place::PLAIN, 1)
}

/// Shapes whose only reduced axis has `n` elements, inner and outer, and where element `i` of it lies in them.
fn shapes(n: usize) -> [(Vec<usize>, usize, u64); 4] {
    // 20 columns are a vector of f32 and some more.
    [(vec![n], 0, 1), (vec![2, n], 1, 1), (vec![n, 3], 0, 3), (vec![n, 20], 0, 20)]
}

/// Floats that are reduced by comparing, one type of each kind.
fn real() -> Vec<Signature> {
    let floats = |s: &Signature| kind(s.dtype) == Kind::Float && !s.product;
    signatures().into_iter().filter(floats).collect()
}

/// One NaN among numbers is the result, wherever it stands and whatever reduces it; the columns beside it are not.
#[test]
fn a_nan_anywhere() {
    for signature in real() {
        for n in [1, 2, 3, 7, 16, 17, 33, 64, 70, 131] {
            for (shape, axis, stride) in shapes(n) {
                for at in (0..n).filter(|at| n < 20 || at % 5 == 2 || at + 1 == n) {
                    let signs = [f64::NAN, -f64::NAN];
                    let nan = match signature.dtype {
                        DType::F64 => u128::from(signs[at % 2].to_bits()),
                        dtype => round(dtype, f64::NAN) | (at as u128 % 2) << (8 * dtype.size() - 1),
                    };
                    let spot = at as u64 * stride;
                    let element = |i: u64| if i == spot { nan } else { nth(&signature, signature.dtype, i) };
                    call(&signature, &shape, &[axis], element).check();
                }
            }
        }
    }
}

/// Infinities and zeros of both signs: the largest and the smallest of them, and sums that are no number.
#[test]
fn infinities_and_zeros_of_both_signs() {
    let lists: [&[f64]; 7] = [
        &[0.0, -0.0],
        &[-0.0],
        &[f64::INFINITY, 1.0, -2.0],
        &[f64::NEG_INFINITY, 1.0, -2.0],
        &[f64::NEG_INFINITY],
        &[f64::INFINITY],
        &[f64::INFINITY, 3.0, f64::NEG_INFINITY],
    ];
    for signature in real() {
        for (seed, list) in lists.iter().enumerate() {
            for n in [1, 2, 5, 16, 40, 65, 129] {
                for (shape, axis, _) in shapes(n) {
                    let pick = |i: u64| list[hash(i * 7 + seed as u64) as usize % list.len()];
                    // Some zeros in the first rows are the only ones of their sign.
                    let late = |i: u64| if i < 30 { list[0] } else { pick(i) };
                    call(&signature, &shape, &[axis], |i| round(signature.dtype, pick(i))).check();
                    call(&signature, &shape, &[axis], |i| round(signature.dtype, late(i))).check();
                }
            }
        }
    }
}

/// The largest and smallest of the ends of every type: what no element is must not come out.
#[test]
fn the_ends_of_the_integers() {
    for signature in signatures().into_iter().filter(|s| !s.product && kind(s.dtype) != Kind::Complex) {
        let Signature { dtype, .. } = signature;
        let bits = 8 * dtype.size() as u32;
        let top = 1_u128 << (bits - 1);
        let lists: &[&[u128]] = match kind(dtype) {
            // -1, 0, the lowest and the highest as signed and as unsigned numbers.
            Kind::Signed | Kind::Unsigned => &[&[top], &[top - 1], &[top, top + 1], &[2 * top - 1], &[top - 1, 0, 1]],
            _ => continue,
        };
        for list in lists {
            for n in [1, 2, 9, 64, 65, 130] {
                for (shape, axis, _) in shapes(n) {
                    call(&signature, &shape, &[axis], |i| list[hash(i) as usize % list.len()]).check();
                }
            }
        }
    }
}

/// f16 that its own type cannot hold between the operands: the accumulator does.
#[test]
fn halves_that_overflow_on_the_way() {
    let over = Over::Axes { axes: &[0], keep_dims: false };
    let big = f16::from_f32(60_000.0);
    let x: Vec<_> = (0..400).map(|i| if i < 200 { big } else { -big }).collect();
    let view = View::new(&x, &[400]).unwrap();
    assert_eq!(reduce::sum_axes(&view, &[0], false).unwrap().as_slice(), [f16::ZERO]);
    let mean: Tensor<f16> = reduce::reduce(Reduction::Mean, &view.slice(0, 0, 200, 1).unwrap(), over).unwrap();
    assert_eq!(mean.as_slice(), [big]);
    let sum: Tensor<f16> = reduce::reduce(Reduction::Sum, &view.slice(0, 0, 2, 1).unwrap(), over).unwrap();
    assert_eq!(sum.as_slice(), [f16::INFINITY]);
    // 2^-20 is 16 times the smallest f16; its square is none, but it is in f32.
    let small = f16::from_f32(2.0_f32.powi(-20));
    let factors = [small, small, f16::from_f32(32768.0)];
    let product = reduce::prod_axes(&View::new(&factors, &[3]).unwrap(), &[0], false).unwrap();
    assert_eq!(product.as_slice(), [f16::from_f32(2.0_f32.powi(-25))]);
    let wide = [bf16::MAX, bf16::MAX, bf16::MIN, bf16::MIN];
    let sum = reduce::sum_axes(&View::new(&wide[1..3], &[2]).unwrap(), &[0], false).unwrap();
    assert_eq!(sum.as_slice(), [bf16::ZERO]);
}

/// Every pair of the specials of halves, by exact comparison.
#[test]
fn the_largest_of_every_pair_of_corners() {
    let corners: [u16; 12] = [0, 0x8000, 1, 0x8001, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFD01];
    for reduction in [Reduction::Max, Reduction::Min] {
        let signature = Signature::new(reduction, DType::F16, DType::F16);
        let n = corners.len() as u64;
        // One pair a row, and one pair a column.
        let pair = |row: u64, k: u64| u128::from(corners[(if k == 0 { row / n } else { row % n }) as usize]);
        let mut rows = call(&signature, &[144, 2], &[1], |i| pair(i / 2, i % 2));
        rows.check();
        let mut columns = call(&signature, &[2, 144], &[0], |i| pair(i % 144, i / 144));
        columns.check();
        assert!(rows.wants().iter().all(|want| matches!(want, Want::Value(_))));
    }
}
