//! Gradients added to what is there.

use half::{bf16, f16};
use stridecast::{BroadcastError, DType, Op, View, ViewMut, grad};

use crate::lab::{Function, Number, Random, SHAPES, functions, len, of};

fn added<T: Number>() {
    for Function { op, grad, .. } in functions::<T>() {
        for (n, &(a_shape, b_shape, shape)) in SHAPES.iter().enumerate() {
            let mut random = Random(n as u64 + 200);
            let g = of::<T>(&random.gradients(len(shape)));
            let [a, b] = random.operands(op, [len(a_shape), len(b_shape)]).map(|x| of::<T>(&x));
            let [start_a, start_b] = [a_shape, b_shape].map(|shape| of::<T>(&random.gradients(len(shape))));
            let g = View::new(&g, shape).unwrap();
            let (a, b) = (View::new(&a, a_shape).unwrap(), View::new(&b, b_shape).unwrap());
            let (to_a, to_b) = grad(&g, &a, &b).unwrap();

            let (mut total_a, mut total_b) = (start_a.clone(), start_b.clone());
            grad::onto(op, &g, [&a, &b], [Some(ViewMut::new(&mut total_a, a_shape).unwrap()), None]).unwrap();
            grad::onto(op, &g, [&a, &b], [None, Some(ViewMut::new(&mut total_b, b_shape).unwrap())]).unwrap();
            let (one_a, one_b) = (total_a.clone(), total_b.clone());
            (total_a, total_b) = (start_a.clone(), start_b.clone());
            let both = [ViewMut::new(&mut total_a, a_shape).unwrap(), ViewMut::new(&mut total_b, b_shape).unwrap()];
            grad::onto(op, &g, [&a, &b], both.map(Some)).unwrap();
            assert!(total_a == one_a && total_b == one_b, "{op}: others are got one by one");

            for (total, start, grad) in [(total_a, start_a, to_a), (total_b, start_b, to_b)] {
                for ((total, start), grad) in total.iter().zip(&start).zip(grad.as_slice()) {
                    let (total, start, grad) = (total.get(), start.get(), grad.get());
                    let allowed = T::ROUNDING * 1.001 * (total.abs() + grad.abs());
                    assert!((total - start - grad).abs() <= allowed, "{op}: {total} of {start} and {grad}");
                }
            }
        }
    }
}

#[test]
fn what_is_there_stays_a_part() {
    added::<f64>();
    added::<f32>();
    added::<f16>();
    added::<bf16>();
}

/// 2048 + (1 + 2^-12): the sum is 1 in f16, and a tie that goes down; of the sum in f32 there is more than a half.
#[test]
fn halves_are_rounded_once() {
    let g = [1.0, 1.0 / 4096.0].map(f16::from_f32);
    let one = f16::from_f32(1.0);
    let (g, ones, one) = (View::new(&g, &[2]).unwrap(), [one; 2], View::scalar(&one));
    let ones = View::new(&ones, &[2]).unwrap();
    for (op, sign) in [(Op::Add, 1.0), (Op::Sub, -1.0), (Op::Mul, 1.0)] {
        let mut total = [f16::from_f32(2048.0 * sign)];
        grad::onto(op, &g, [&ones, &one], [None, Some(ViewMut::new(&mut total, &[]).unwrap())]).unwrap();
        assert_eq!(total[0].to_f32(), 2050.0 * sign, "{op}");
    }
}

#[test]
fn strided_totals() {
    let (g, a, b) = ([1.0_f64, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [2.0, 4.0]);
    let (g, a, b) = (View::new(&g, &[2, 2]).unwrap(), View::new(&a, &[2, 2]).unwrap(), View::new(&b, &[2]).unwrap());
    let mut total = [10.0, -1.0, 20.0, -1.0];
    let into = ViewMut::with_strides(&mut total, 2, &[2], &[-2]).unwrap();
    grad::onto(Op::Div, &g, [&a, &b], [None, Some(into)]).unwrap();
    assert_eq!(total, [10.0 - 20.0 / 16.0, -1.0, 20.0 - 10.0 / 4.0, -1.0]);
}

#[test]
fn refused_calls_change_nothing() {
    let (g, a, b) = ([1.0_f32; 6], [1.0; 6], [1.0; 3]);
    let (g, a, b) = (View::new(&g, &[2, 3]).unwrap(), View::new(&a, &[2, 3]).unwrap(), View::new(&b, &[3]).unwrap());
    let (mut to_a, mut to_b) = ([7.0; 6], [7.0; 3]);
    let mut call = |op, a_shape, b_shape, g: &View<'_, f32>| {
        let into = [ViewMut::new(&mut to_a, a_shape).unwrap(), ViewMut::new(&mut to_b, b_shape).unwrap()];
        grad::onto(op, g, [&a, &b], into.map(Some)).unwrap_err()
    };
    let undefined = BroadcastError::Undefined { op: Op::Fmod, operands: vec![DType::F32; 2], output: DType::F32 };
    assert_eq!(call(Op::Fmod, &[2, 3], &[3], &g), undefined);
    let mismatch = |expected: &[usize], got: &[usize]| BroadcastError::ShapeMismatch {
        expected: expected.to_vec(),
        got: got.to_vec(),
    };
    assert_eq!(call(Op::Mul, &[2, 3], &[1, 3], &g), mismatch(&[3], &[1, 3]));
    assert_eq!(call(Op::Mul, &[6], &[3], &g), mismatch(&[2, 3], &[6]));
    assert_eq!(call(Op::Mul, &[2, 3], &[3], &g.transpose()), mismatch(&[2, 3], &[3, 2]));
    let into = [ViewMut::new(&mut to_a, &[2, 3]).unwrap(), ViewMut::new(&mut to_b, &[3, 1]).unwrap()];
    assert!(grad::where_onto(&g, &View::scalar(&true), into.map(Some)).is_err());
    assert!(to_a == [7.0; 6] && to_b == [7.0; 3]);
}
