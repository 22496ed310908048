//! f32, f16 and bf16 against f64, whose gradients `differences` checks: roundings are counted.

use half::{bf16, f16};
use stridecast::{Op, View, reduce};

use crate::common::naive;
use crate::lab::{Function, Number, Random, SHAPES, functions, get, len, of};

/// Whether a sum takes the terms in, so that a half is rounded once.
fn is_fused(op: Op, second: bool) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Mul) || (op == Op::Div && second)
}

/// That each element is as near to `want` as the roundings allow; `sizes` are the sums of the terms' magnitudes.
fn check<T: Number>(got: &[T], want: &[f64], sizes: &[f64], fused: bool, what: &str) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        // Of a term less than 8 roundings as it is computed and summed, one as it is written; and one of the sum.
        let of_terms = 8.0 * T::INNER + if fused { 0.0 } else { T::ROUNDING };
        let allowed = sizes[i] * of_terms + want.abs() * T::ROUNDING * 1.001;
        assert!((got.get() - want).abs() <= allowed, "{what}: element {i} is {got:?}, not {want} ({allowed:e})");
    }
}

fn against_f64<T: Number>() {
    for (Function { op, grad, .. }, exact) in functions::<T>().into_iter().zip(functions::<f64>()) {
        for (n, &(a_shape, b_shape, shape)) in SHAPES.iter().enumerate() {
            let mut random = Random(n as u64 + 100);
            let g = of::<T>(&random.gradients(len(shape)));
            let [a, b] = random.operands(op, [len(a_shape), len(b_shape)]).map(|x| of::<T>(&x));
            let view = |x, shape| View::new(x, shape).unwrap();
            let got = grad(
                &View::new(&g, shape).unwrap(),
                &View::new(&a, a_shape).unwrap(),
                &View::new(&b, b_shape).unwrap(),
            );
            let (to_a, to_b) = got.unwrap();

            let (g, a, b) = (get(&g), get(&a), get(&b));
            let (g, a_wide, b_wide) =
                (view(&g, shape), naive::broadcast(&a, a_shape, shape), naive::broadcast(&b, b_shape, shape));
            let (want_a, want_b) = (exact.grad)(&g, &view(&a, a_shape), &view(&b, b_shape)).unwrap();
            // Operands of the common shape are given their terms.
            let (mut terms_a, mut terms_b) = (exact.grad)(&g, &view(&a_wide, shape), &view(&b_wide, shape)).unwrap();
            for x in terms_a.as_mut_slice().iter_mut().chain(terms_b.as_mut_slice()) {
                *x = x.abs();
            }
            let sizes_a = reduce::sum_to(&terms_a.view(), a_shape).unwrap();
            let sizes_b = reduce::sum_to(&terms_b.view(), b_shape).unwrap();
            let what = format!("{op} of {a_shape:?} and {b_shape:?} {}", T::DTYPE);
            check(to_a.as_slice(), want_a.as_slice(), sizes_a.as_slice(), is_fused(op, false), &what);
            check(to_b.as_slice(), want_b.as_slice(), sizes_b.as_slice(), is_fused(op, true), &what);
        }
    }
}

#[test]
fn f32_against_f64() {
    against_f64::<f32>();
}

#[test]
fn f16_against_f64() {
    against_f64::<f16>();
}

#[test]
fn bf16_against_f64() {
    against_f64::<bf16>();
}
