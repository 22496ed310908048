//! Gradients in f64 against central differences of `sum(g * f(a, b))`, which is plain code over index arithmetic.

use crate::common::naive;
use crate::lab::{Function, Random, SHAPES, functions, len};
use stridecast::{View, ViewMut, grad};

/// Steps to both sides: what is cut off the series is some 1e-9 of the terms, and so are roundings.
const STEP: f64 = 1e-6;

/// `sum(g * f(a, b))`.
fn loss(f: &dyn Fn(usize, f64, f64) -> f64, g: &[f64], [a, b]: [&[f64]; 2], shapes: [&[usize]; 3]) -> f64 {
    let (a, b) = (naive::broadcast(a, shapes[0], shapes[2]), naive::broadcast(b, shapes[1], shapes[2]));
    g.iter().enumerate().map(|(i, g)| g * f(i, a[i], b[i])).sum()
}

/// The differences for every element of both operands.
fn differences(
    f: &dyn Fn(usize, f64, f64) -> f64,
    g: &[f64],
    operands: &[Vec<f64>; 2],
    shapes: [&[usize]; 3],
) -> [Vec<f64>; 2] {
    [0, 1].map(|which| {
        let of = |i: usize, step: f64| {
            let mut moved = operands.clone();
            moved[which][i] += step;
            loss(f, g, [&moved[0], &moved[1]], shapes)
        };
        (0..operands[which].len()).map(|i| (of(i, STEP) - of(i, -STEP)) / (2.0 * STEP)).collect()
    })
}

fn assert_near(got: &[f64], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{what}: element {i} is {got}, not {want}");
    }
}

#[test]
fn functions_of_operands_that_broadcast() {
    for Function { op, of, grad } in functions::<f64>() {
        for (n, &(a_shape, b_shape, shape)) in SHAPES.iter().enumerate() {
            let mut random = Random(n as u64);
            let g = random.gradients(len(shape));
            let operands = random.operands(op, [len(a_shape), len(b_shape)]);
            let views = (View::new(&operands[0], a_shape).unwrap(), View::new(&operands[1], b_shape).unwrap());
            let (a, b) = grad(&View::new(&g, shape).unwrap(), &views.0, &views.1).unwrap();
            assert_eq!((a.shape(), b.shape()), (a_shape, b_shape), "{op}");
            let want = differences(&|_, a, b| of(a, b), &g, &operands, [a_shape, b_shape, shape]);
            assert_near(a.as_slice(), &want[0], &format!("{op} of {a_shape:?} and {b_shape:?}, the first"));
            assert_near(b.as_slice(), &want[1], &format!("{op} of {a_shape:?} and {b_shape:?}, the second"));
        }
    }
}

#[test]
fn choices() {
    let masks: [&[usize]; 4] = [&[], &[1, 1], &[3], &[2, 1]];
    for (n, mask_shape) in masks.into_iter().enumerate() {
        for (a_shape, b_shape) in [(&[2, 3][..], &[3][..]), (&[2, 1], &[1, 3]), (&[], &[2, 3]), (&[2, 3], &[2, 3])] {
            let (shape, mut random) = ([2, 3], Random(n as u64));
            let g = random.gradients(6);
            let operands = random.operands(stridecast::Op::Where, [len(a_shape), len(b_shape)]);
            let mask: Vec<bool> = (0..len(mask_shape)).map(|_| random.below(2) == 1).collect();
            let wide = naive::broadcast(&mask, mask_shape, &shape);
            let f = |i: usize, a: f64, b: f64| if wide[i] { a } else { b };
            let want = differences(&f, &g, &operands, [a_shape, b_shape, &shape]);
            let (g, mask) = (View::new(&g, &shape).unwrap(), View::new(&mask, mask_shape).unwrap());
            let (a, b) = grad::where_(&g, &mask, a_shape, b_shape).unwrap();
            assert_eq!((a.shape(), b.shape()), (a_shape, b_shape));
            assert_near(a.as_slice(), &want[0], "the first");
            assert_near(b.as_slice(), &want[1], "the second");

            let mut totals = (vec![8.0; a.as_slice().len()], vec![-8.0; b.as_slice().len()]);
            let into = [ViewMut::new(&mut totals.0, a_shape).unwrap(), ViewMut::new(&mut totals.1, b_shape).unwrap()];
            grad::where_onto(&g, &mask, into.map(Some)).unwrap();
            assert_near(&totals.0, &want[0].iter().map(|x| x + 8.0).collect::<Vec<_>>(), "the first total");
            assert_near(&totals.1, &want[1].iter().map(|x| x - 8.0).collect::<Vec<_>>(), "the second total");
        }
    }
}

/// The same numbers in another order in memory: a transposed gradient, a stepped first operand, a reversed second one.
#[test]
fn strided_operands() {
    let (a_shape, b_shape, shape) = ([9, 40], [40], [9, 40]);
    for Function { op, of, grad } in functions::<f64>() {
        let mut random = Random(7);
        let g = random.gradients(360);
        let [a, b] = random.operands(op, [360, 40]);
        let g_turned: Vec<f64> = (0..360).map(|i| g[i % 9 * 40 + i / 9]).collect();
        let a_spread: Vec<f64> = a.iter().flat_map(|&a| [a, f64::NAN, f64::NAN]).collect();
        let b_reversed: Vec<f64> = b.iter().rev().copied().collect();
        let g_view = View::new(&g_turned, &[40, 9]).unwrap().transpose();
        let a_view = View::with_strides(&a_spread, 0, &a_shape, &[120, 3]).unwrap();
        let b_view = View::new(&b_reversed, &b_shape).unwrap().flip(0).unwrap();
        let (to_a, to_b) = grad(&g_view, &a_view, &b_view).unwrap();
        let want = differences(&|_, a, b| of(a, b), &g, &[a, b], [&a_shape, &b_shape, &shape]);
        assert_near(to_a.as_slice(), &want[0], &format!("{op}, the first"));
        assert_near(to_b.as_slice(), &want[1], &format!("{op}, the second"));
    }
}

/// A gradient that is itself broadcast, as that of a sum is.
#[test]
fn one_gradient_for_all() {
    for Function { op, of, grad } in functions::<f64>() {
        let operands = Random(3).operands(op, [6, 3]);
        let g = View::scalar(&1.5).broadcast_to(&[2, 3]).unwrap();
        let views = (View::new(&operands[0], &[2, 3]).unwrap(), View::new(&operands[1], &[3]).unwrap());
        let (a, b) = grad(&g, &views.0, &views.1).unwrap();
        let want = differences(&|_, a, b| of(a, b), &[1.5; 6], &operands, [&[2, 3], &[3], &[2, 3]]);
        assert_near(a.as_slice(), &want[0], &format!("{op}, the first"));
        assert_near(b.as_slice(), &want[1], &format!("{op}, the second"));
    }
}
