//! Operands and outputs that lie in memory in all ways.

use crate::common::tensor::Place;
use crate::defined::samples;
use crate::lab::{Call, Which};

/// Places of an operand.
fn inputs() -> Vec<Place> {
    vec![
        Place::PLAIN,
        Place::turned(),
        Place::backwards(),
        Place::padded(3),
        Place::stepped(2),
        Place { back: vec![false, true], ..Place::turned() },
        Place { back: vec![true, false, true], pad: vec![0, 2, 1], ..Place::PLAIN },
        Place { order: vec![1, 0, 2], lead: 3, ..Place::PLAIN },
        Place { still: vec![true, false, false], ..Place::PLAIN },
        Place { still: vec![false, true, false], ..Place::off_line(3) },
        Place { still: vec![false, false, true], ..Place::padded(1) },
        Place { still: vec![true, true, true], ..Place::PLAIN },
        Place { still: vec![false, true, true], ..Place::backwards() },
        Place { step: 3, ..Place::turned() },
    ]
}

/// Places of an output, with gaps in which nothing may be written.
fn outputs() -> Vec<Place> {
    vec![
        Place::PLAIN,
        Place::turned(),
        Place::backwards(),
        Place::padded(2),
        Place::stepped(3),
        Place { back: vec![true, false], ..Place::turned() },
        Place { step: 2, lead: 5, off_line: 1, ..Place::backwards() },
    ]
}

const AXES: [&[usize]; 8] = [&[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

#[test]
fn every_place_of_operand_and_output() {
    let shapes: [[usize; 3]; 3] = [[4, 5, 19], [9, 3, 8], [3, 33, 5]];
    for (seed, signature) in samples().iter().enumerate() {
        for (i, input) in inputs().iter().enumerate() {
            for (j, axes) in AXES.iter().enumerate() {
                let n = seed + i * 3 + j;
                let (all, shape) = (outputs(), &shapes[n % 3]);
                let (other, out) = (&inputs()[(n * 5 + 1) % inputs().len()], &all[(n + i) % all.len()]);
                let which = Which::Axes(axes.to_vec(), n % 2 == 0);
                let mut call = Call::new(signature, &[(shape, input), (shape, other)], which, out, n as u64);
                call.onto = n % 5 < 2;
                call.check();
            }
        }
    }
}

/// Rows and columns of more elements than a block, in every order.
#[test]
fn long_axes_in_every_order() {
    for (seed, signature) in samples().iter().enumerate() {
        let shapes: [[usize; 2]; 3] = [[70, 130], [300, 9], [5, 700]];
        for (i, input) in inputs().iter().enumerate() {
            let shape = &shapes[(seed + i) % 3];
            let axes: &[usize] = [&[0][..], &[1], &[0, 1]][(seed + i / 3) % 3];
            let all = outputs();
            let (other, out) = (&inputs()[(i * 3 + 2) % inputs().len()], &all[i % all.len()]);
            let which = Which::Axes(axes.to_vec(), false);
            Call::new(signature, &[(shape, input), (shape, other)], which, out, i as u64).check();
        }
    }
}

#[test]
fn axes_without_elements_and_of_one() {
    let shapes: [&[usize]; 9] =
        [&[0], &[1], &[3, 0], &[0, 3], &[2, 0, 4], &[1, 0, 1], &[0, 0], &[1, 1, 1], &[4, 1, 0, 5]];
    for (seed, signature) in samples().iter().enumerate() {
        for (i, shape) in shapes.iter().enumerate() {
            for set in 0..1_usize << shape.len() {
                let axes: Vec<_> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
                let which = Which::Axes(axes, set % 2 == 0);
                let left: usize = which.shape(shape).iter().product();
                let nothing = shape.contains(&0) && left > 0;
                if nothing && matches!(signature.reduction.name(), "max" | "min") {
                    continue; // refused: see `refusals`
                }
                let out = &outputs()[(i + set) % 7];
                let input = &inputs()[(seed + set) % 8];
                for onto in [false, true] {
                    let operands = [(*shape, input), (*shape, &Place::PLAIN)];
                    let mut call = Call::new(signature, &operands, which.clone(), out, set as u64);
                    call.onto = onto;
                    call.check();
                }
            }
        }
    }
}
