//! Lengths around the ends of vectors, blocks and runs of blocks.

use stridecast::{DType, Reduction};

use crate::common::tensor::Place;
use crate::defined::{Signature, samples, signatures};
use crate::lab::{Call, Which};

fn check(signature: &Signature, shape: &[usize], axes: &[usize], place: &Place, seed: usize) {
    let which = Which::Axes(axes.to_vec(), false);
    let mut call = Call::new(signature, &[(shape, place), (shape, place)], which, &Place::PLAIN, seed as u64);
    call.onto = seed % 4 == 1;
    call.check();
}

fn has_an_empty_result(signature: &Signature) -> bool {
    !matches!(signature.reduction, Reduction::Max | Reduction::Min)
}

/// Every signature over rows of every length, one and a few at a time.
#[test]
fn rows_of_up_to_130() {
    for (seed, signature) in signatures().iter().enumerate() {
        for n in usize::from(!has_an_empty_result(signature))..=130 {
            check(signature, &[n], &[0], &Place::off_line(n % 5), n);
            if (n + seed) % 4 == 0 {
                check(signature, &[3 + n % 2, n], &[1], &Place::PLAIN, n);
                check(signature, &[2, n], &[1], &Place::padded(1 + n % 3), n + 1);
            }
        }
    }
}

/// Every signature over as many rows, whose columns are kept: a few, and all numbers of them.
#[test]
fn columns_of_up_to_130() {
    for (seed, signature) in signatures().iter().enumerate() {
        for n in usize::from(!has_an_empty_result(signature))..=130 {
            check(signature, &[n, 1 + (n + seed) % 9], &[0], &Place::PLAIN, n);
            if (n + seed) % 3 == 0 {
                check(signature, &[5 + n % 3, n.max(1)], &[0], &Place::off_line(n % 5), n + 1);
                check(signature, &[2, 7, n.max(1)], &[1], &Place::PLAIN, n);
                check(signature, &[4, n.max(1)], &[0], &Place::padded(1 + n % 3), n);
            }
        }
    }
}

/// Every number of columns that do not fill a vector, or a few, under more rows than a block has.
#[test]
fn columns_under_many_rows() {
    for (seed, signature) in signatures().iter().enumerate() {
        for n in 1..=70 {
            check(signature, &[8, n], &[0], &Place::PLAIN, n);
            match (n + seed) % 3 {
                0 => check(signature, &[9 + n % 30, n], &[0], &Place::off_line(n % 5), n),
                1 => check(signature, &[2, 16, n], &[1], &Place::PLAIN, n),
                _ => check(signature, &[3, 2, 11, n], &[0, 2], &Place::padded(n % 2), n),
            }
        }
    }
}

/// Ends of blocks and of groups of them.
const LONG: [usize; 11] = [255, 256, 257, 511, 512, 513, 1025, 2047, 4095, 4096, 4097];

#[test]
fn ends_of_blocks() {
    for (seed, signature) in samples().iter().enumerate() {
        for (i, n) in LONG.into_iter().enumerate() {
            check(signature, &[n], &[0], &Place::off_line(n % 3), n);
            check(signature, &[2, n], &[1], &Place::PLAIN, n);
            match (i + seed) % 4 {
                0 => check(signature, &[n, 3], &[0], &Place::PLAIN, n),
                1 => check(signature, &[n, 2, 4], &[0, 2], &Place::PLAIN, n),
                2 => check(signature, &[2, n, 3], &[0, 1], &Place::padded(1), n),
                _ => check(signature, &[3, 2, n], &[0, 2], &Place::PLAIN, n),
            }
            if (i + seed) % 3 == 0 {
                check(signature, &[3, n], &[0], &Place::PLAIN, n);
            }
        }
        check(signature, &[16_385], &[0], &Place::PLAIN, seed);
        check(signature, &[16_385], &[0], &Place::stepped(2), seed);
    }
}

#[test]
fn narrow_rows_by_the_thousand() {
    for (seed, signature) in samples().iter().enumerate() {
        for (i, columns) in [3, 5, 7].into_iter().enumerate() {
            let rows = [1000, 3001, 2048][(seed + i) % 3];
            check(signature, &[rows, columns], &[0], &Place::PLAIN, seed);
            if (seed + i) % 3 == 0 {
                check(signature, &[rows, columns], &[1], &Place::PLAIN, seed);
                check(signature, &[rows, columns], &[0, 1], &Place::padded(1), seed);
                check(signature, &[rows, columns], &[0], &Place { back: vec![false, true], ..Place::PLAIN }, seed);
            }
        }
    }
}

/// A shape with a million elements: in one row, and in both directions.
#[test]
fn a_million_and_three() {
    let n = (1 << 20) + 3;
    for (seed, signature) in [
        Signature::new(Reduction::Sum, DType::F32, DType::F32),
        Signature::new(Reduction::Mean, DType::BF16, DType::BF16),
        Signature::new(Reduction::Sum, DType::I8, DType::I64),
        Signature::new(Reduction::Max, DType::F16, DType::F16),
        Signature::product(DType::F64, DType::F64),
    ]
    .iter()
    .enumerate()
    {
        let (shape, axes): (&[usize], &[usize]) = match seed {
            0 | 2 => (&[n], &[0]),
            1 => (&[1025, 1023], &[0]),
            3 => (&[1025, 1023], &[1]),
            _ => (&[n / 5, 5], &[0]),
        };
        check(signature, shape, axes, &Place::PLAIN, seed * 4);
    }
}
