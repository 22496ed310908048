//! The sum of a product, whose operands broadcast against each other before anything is summed.

use stridecast::{Over, Rule, View, reduce};

use crate::common::tensor::Place;
use crate::defined::signatures;
use crate::lab::{Call, Which};

/// Shapes of two operands, and what is summed of their common one.
fn cases() -> Vec<(Vec<usize>, Vec<usize>, Which)> {
    let of = |a: &[usize], b: &[usize], which: Which| (a.to_vec(), b.to_vec(), which);
    let axes = |axes: &[usize]| Which::Axes(axes.to_vec(), false);
    let to = |shape: &[usize]| Which::To(shape.to_vec());
    vec![
        of(&[5, 37], &[37], to(&[37])),
        of(&[5, 37], &[37], to(&[5, 1])),
        of(&[37], &[5, 37], to(&[])),
        of(&[5, 1], &[37], to(&[37])),
        of(&[5, 1], &[37], to(&[5, 1])),
        of(&[5, 1], &[1, 37], to(&[1, 1])),
        of(&[], &[6, 70], axes(&[0])),
        of(&[6, 70], &[], axes(&[1])),
        of(&[1], &[6, 70], axes(&[0, 1])),
        of(&[4, 1, 19], &[3, 1], axes(&[0, 2])),
        of(&[4, 1, 19], &[3, 1], axes(&[1])),
        of(&[3, 9, 1], &[9, 33], to(&[9, 33])),
        of(&[3, 9, 1], &[9, 33], to(&[3, 9, 1])),
        of(&[2, 1, 5, 1], &[3, 1, 7], to(&[3, 1, 1])),
        of(&[2, 1, 5, 1], &[3, 1, 7], axes(&[3, 0])),
        of(&[300, 3], &[3], to(&[3])),
        of(&[300, 3], &[300, 1], to(&[300, 1])),
        of(&[0, 4], &[4], to(&[4])),
        of(&[0, 4], &[4], to(&[0, 1])),
        of(&[1, 4], &[0, 1], axes(&[0])),
        of(&[1], &[0], axes(&[0])),
        of(&[], &[], axes(&[])),
    ]
}

#[test]
fn operands_that_broadcast_against_each_other() {
    let places = [
        Place::PLAIN,
        Place::turned(),
        Place::backwards(),
        Place::padded(2),
        Place::stepped(2),
        Place { still: vec![false, true], ..Place::PLAIN },
    ];
    for (seed, signature) in signatures().iter().filter(|signature| signature.product).enumerate() {
        for (i, (a, b, which)) in cases().into_iter().enumerate() {
            for turn in 0..3 {
                let n = seed + i + turn * 7;
                let (p, q) = (&places[n % 6], &places[(n / 6 + turn) % 6]);
                let out = &places[(n + turn) % 4];
                let mut call = Call::new(signature, &[(&a, p), (&b, q)], which.clone(), out, n as u64);
                call.onto = turn == 1;
                call.check();
                Call::new(signature, &[(&b, q), (&a, p)], which.clone(), out, n as u64).check();
            }
        }
    }
}

/// The product is rounded to the operands' type before it is added, and that of halves is not.
#[test]
fn products_are_rounded_as_mul_rounds_them() {
    let over = Over::Axes { axes: &[0], keep_dims: false };
    let e = f32::EPSILON;
    // (1 + e)(1 + e) = 1 + 2e + e^2, of which f32 keeps all but the last.
    let (a, b) = ([1.0 + e, -1.0], [1.0 + e, 1.0 + 2.0 * e]);
    let (a, b) = (View::new(&a, &[2]).unwrap(), View::new(&b, &[2]).unwrap());
    let sum: stridecast::Tensor<f32> = reduce::sum_of_product(&a, &b, over).unwrap();
    assert_eq!(sum.as_slice(), [0.0], "a fused multiplication kept the digits of the product");

    let x = half::f16::from_f32(1.0 + 1.0 / 1024.0);
    let (a, b) = ([x, -half::f16::ONE], [x, half::f16::from_f32(1.0 + 2.0 / 1024.0)]);
    let (a, b) = (View::new(&a, &[2]).unwrap(), View::new(&b, &[2]).unwrap());
    let sum: stridecast::Tensor<half::f16> = reduce::sum_of_product(&a, &b, over).unwrap();
    assert_eq!(sum.as_slice()[0].to_f64(), (1.0_f64 / 1024.0).powi(2), "the product of halves was rounded to one");
}

#[test]
fn typed_forms_take_shapes_rules_and_outputs() {
    let a: Vec<i32> = (0..24).map(|i| i * 7 % 11 - 5).collect();
    let b: Vec<i32> = (0..4).map(|i| i * 5 - 7).collect();
    let (x, y) = (View::new(&a, &[2, 3, 4]).unwrap(), View::new(&b, &[4]).unwrap());
    let product = |i: usize| a[i] * b[i % 4];
    let mut by_channel = [0; 3];
    (0..24).for_each(|i| by_channel[i / 4 % 3] += product(i));

    let to = reduce::sum_of_product_to(&x, &y, &[3, 1]).unwrap();
    assert_eq!((to.shape(), to.as_slice()), (&[3, 1][..], &by_channel[..]));
    let over = Over::Rule { shape: &[3], rule: Rule::AxesMapping(&[1]) };
    let mut out = vec![0; 3];
    reduce::sum_of_product_into(&x, &y, over, &mut out).unwrap();
    assert_eq!(out, by_channel);
    let room = stridecast::ViewMut::new(&mut out, &[3]).unwrap();
    reduce::sum_of_product_onto(&x, &y, over, room).unwrap();
    assert_eq!(out, by_channel.map(|sum| 2 * sum));
}
