//! Shapes that broadcast, and operands and outputs that lie in memory in all ways.

use crate::lab::Call;
use crate::samples;
use crate::tensor::Place;

/// Three operands, of which a function takes as many as it has, and the output's place. The first two have all sizes.
struct Case {
    operands: [(Vec<usize>, Place); 3],
    out: Place,
}

fn case(shapes: [&[usize]; 3], places: [Place; 3], out: Place) -> Case {
    let [a, b, c] = shapes.map(<[usize]>::to_vec);
    let [p, q, r] = places;
    Case { operands: [(a, p), (b, q), (c, r)], out }
}

fn plain(shapes: [&[usize]; 3]) -> Case {
    case(shapes, [Place::PLAIN, Place::PLAIN, Place::PLAIN], Place::PLAIN)
}

/// Runs every case for every sample, and each also with its first two operands exchanged.
fn check(cases: &[Case]) {
    for (seed, signature) in samples().iter().enumerate() {
        for (i, case) in cases.iter().enumerate() {
            for swap in [false, true] {
                let mut operands: Vec<_> = case.operands.iter().map(|(shape, place)| (&shape[..], place)).collect();
                if swap {
                    operands.swap(0, 1);
                }
                operands.truncate(signature.inputs.len());
                Call::new(signature, &operands, &case.out, (seed * 1000 + i) as u64).check();
            }
        }
    }
}

#[test]
fn short_rows_on_either_side() {
    let mut cases = vec![];
    for n in 1..=40 {
        // Few rows are run as they are, many are laid out first.
        let rows = if n % 3 == 0 { 7 } else { 14 + n % 5 };
        cases.push(plain([&[rows, n], &[n], &[rows, 1]]));
        cases.push(plain([&[rows, n], &[rows, 1], &[1]]));
        cases.push(plain([&[rows, 1], &[n], &[rows, n]]));
        let gaps = case(
            [&[rows, n], &[rows, n], &[1, n]],
            [Place::padded(1 + n % 3), Place::off_line(n % 7), Place::PLAIN],
            Place::padded(2),
        );
        cases.push(gaps);
    }
    check(&cases);
}

#[test]
fn operands_and_outputs_turned_reversed_padded_and_stepped() {
    let places = [
        Place::PLAIN,
        Place::turned(),
        Place::backwards(),
        Place::padded(3),
        Place::stepped(2),
        Place { back: vec![false, true], ..Place::turned() },
        Place { still: vec![true, false], ..Place::PLAIN },
        Place { still: vec![false, true, false], ..Place::stepped(3) },
    ];
    let outs = [Place::PLAIN, Place::turned(), Place::backwards(), Place::padded(2), Place::stepped(3)];
    let shapes: [[&[usize]; 3]; 3] =
        [[&[9, 21], &[9, 21], &[21]], [&[3, 1, 70], &[5, 70], &[3, 5, 1]], [&[67, 35], &[67, 35], &[67, 1]]];
    let mut cases = vec![];
    for (i, left) in places.iter().enumerate() {
        for (j, out) in outs.iter().enumerate() {
            let right = &places[(i * 3 + j * 5 + 1) % places.len()];
            let third = &places[(i + j) % places.len()];
            let shapes = shapes[(i + 2 * j) % shapes.len()];
            cases.push(case(shapes, [left.clone(), right.clone(), third.clone()], out.clone()));
        }
    }
    check(&cases);
}

#[test]
fn long_rows_that_are_read_again_and_blocks_that_are_turned() {
    let turned = Place::turned;
    check(&[
        plain([&[5, 2300], &[2300], &[5, 1]]),
        plain([&[3, 2300], &[3, 1], &[1]]),
        plain([&[5, 1], &[2300], &[5, 1]]),
        case([&[130, 70], &[130, 70], &[70]], [turned(), Place::PLAIN, turned()], Place::PLAIN),
        case([&[70, 130], &[130], &[70, 1]], [turned(), Place::stepped(2), Place::PLAIN], turned()),
        case([&[70, 130], &[70, 130], &[1]], [Place::backwards(), turned(), Place::PLAIN], Place::padded(1)),
        case([&[2, 65, 66], &[65, 66], &[2, 1, 1]], [turned(), Place::backwards(), Place::PLAIN], Place::stepped(2)),
    ]);
}

#[test]
fn every_rank_up_to_sixteen() {
    let mut cases = vec![];
    for rank in 0..=16 {
        let size = |axis: usize| match axis {
            _ if (axis * 7 + rank) % 16 < 6 => 1,
            _ if axis % 4 == 3 => 3,
            _ => 2,
        };
        let full: Vec<usize> = (0..rank).map(size).collect();
        let keep = |test: &dyn Fn(usize) -> bool| {
            (0..rank).map(|axis| if test(axis) { full[axis] } else { 1 }).collect::<Vec<_>>()
        };
        let (even, odd, low) =
            (keep(&|axis| axis % 2 == 0), keep(&|axis| axis % 2 == 1), keep(&|axis| axis < rank / 2));
        cases.push(plain([&even, &odd, &low]));
        cases.push(plain([&full, &full[rank / 2..], &low]));
        let pairs = keep(&|axis| axis % 4 < 2);
        cases.push(case(
            [&full, &pairs, &odd],
            [Place::turned(), Place::PLAIN, Place::backwards()],
            Place { order: vec![3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], ..Place::backwards() },
        ));
    }
    check(&cases);
}

#[test]
fn axes_without_elements() {
    let mut cases = vec![
        plain([&[0], &[0], &[1]]),
        plain([&[0], &[1], &[]]),
        plain([&[], &[0], &[0]]),
        plain([&[3, 0], &[3, 1], &[0]]),
        plain([&[0, 3], &[3], &[1, 3]]),
        plain([&[2, 1, 4], &[0, 4], &[2, 1, 1]]),
    ];
    cases.push(case([&[0, 3], &[1, 3], &[3]], [Place::turned(), Place::backwards(), Place::PLAIN], Place::padded(2)));
    cases.push(case([&[1, 0], &[5, 0], &[5, 1]], [Place::PLAIN, Place::stepped(2), Place::PLAIN], Place::turned()));
    check(&cases);
}
