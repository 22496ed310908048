//! Integers: what wraps, what is shifted out, and divisors and exponents that are found before anything is written.

use stridecast::{BroadcastError, DType, Op};

use crate::common::numbers::{Kind, kind, wrap};
use crate::defined::{Signature, signatures};
use crate::lab::{Call, check_refused};
use crate::scalar::is_refused;
use crate::tensor::{Place, Tensor};

fn is_integer(dtype: DType) -> bool {
    matches!(kind(dtype), Kind::Signed | Kind::Unsigned)
}

/// Signatures that refuse some elements, with one that they refuse and the error.
fn refusing() -> Vec<(Signature, u128, BroadcastError)> {
    let mut all = vec![];
    for signature in signatures() {
        let Signature { op, inputs, .. } = &signature;
        for bits in [0, wrap(inputs[inputs.len() - 1], -1)] {
            if inputs.len() == 2 && is_refused(*op, inputs, 1, bits) {
                let division = BroadcastError::DivisionByZero { op: *op };
                let error = if *op == Op::Pow { BroadcastError::NegativeExponent } else { division };
                all.push((signature.clone(), bits, error));
            }
        }
    }
    assert_eq!(all.len(), 3 * 8 + 8 * 4, "divisions of 8 types, and powers with exponents of 4");
    all
}

/// Both operands, the second all 3 but for the elements at `places`, which are refused.
fn operands(signature: &Signature, shapes: [&[usize]; 2], place: &Place, bad: u128, places: &[usize]) -> Vec<Tensor> {
    let left = Tensor::room(signature.inputs[0], shapes[0], &Place::PLAIN).filled(|n| u128::from(n % 100));
    let mut right = Tensor::room(signature.inputs[1], shapes[1], place).filled(|_| 3);
    let size = right.dtype.size();
    for &at in places {
        right.memory.set(size, at, bad);
    }
    vec![left, right]
}

#[test]
fn refused_elements_are_found_wherever_they_are() {
    for (signature, bad, error) in refusing() {
        let Signature { op, output, .. } = signature;
        let check = |shapes: [&[usize]; 2], place: &Place, at: usize, out: &Place| {
            let mut call = Call::of(op, operands(&signature, shapes, place, bad, &[at]), output, out);
            check_refused(&mut call, &error);
        };
        for at in [0, 1, 63, 64, 69] {
            check([&[70], &[70]], &Place::PLAIN, at, &Place::padded(1));
        }
        // Read many times, by a stride of 0 or by a rule; and the last element of a view that is turned.
        check([&[4, 50], &[50]], &Place::PLAIN, 49, &Place::PLAIN);
        check([&[4, 50], &[4, 1]], &Place::PLAIN, 2, &Place::turned());
        check([&[50], &[]], &Place::PLAIN, 0, &Place::PLAIN);
        check([&[4, 50], &[4, 50]], &Place { still: vec![true], ..Place::PLAIN }, 17, &Place::PLAIN);
        check([&[1, 7], &[30, 7]], &Place::turned(), 209, &Place::PLAIN);
        check([&[30, 7], &[30, 7]], &Place::stepped(3), 1 + 3 * 209, &Place::PLAIN);
        check([&[30, 7], &[30, 7]], &Place::backwards(), 0, &Place::PLAIN);
        check([&[2, 1, 3], &[5, 1]], &Place { back: vec![true, true], ..Place::PLAIN }, 4, &Place::PLAIN);
    }
}

#[test]
fn gaps_and_empty_outputs_refuse_nothing() {
    for (signature, bad, _) in refusing() {
        let Signature { op, output, .. } = signature;
        let check = |shapes: [&[usize]; 2], place: &Place, at: &[usize]| {
            Call::of(op, operands(&signature, shapes, place, bad, at), output, &Place::PLAIN).check();
        };
        // One element in front, then every other one, then the gap behind each row.
        check([&[20], &[20]], &Place::stepped(2), &[0, 2, 4, 38]);
        check([&[4, 5], &[4, 5]], &Place { pad: vec![0, 1], ..Place::PLAIN }, &[5, 11, 17]);
        check([&[4, 5], &[4, 1]], &Place { lead: 2, ..Place::PLAIN }, &[0, 1, 6, 7]);
        check([&[0], &[1]], &Place::PLAIN, &[0]);
        check([&[0, 3], &[3]], &Place::PLAIN, &[0, 1, 2]);
        check([&[3, 1, 2], &[0, 2]], &Place::PLAIN, &[]);
    }
}

#[test]
fn what_only_looks_refused_is_not() {
    for signature in signatures() {
        let Signature { op, inputs, output } = signature.clone();
        if inputs.len() != 2 || !is_integer(inputs[0]) {
            continue;
        }
        let (zero, minus_one) = (0, wrap(inputs[1], -1));
        let values = match op {
            // Exponents that count from 0, and a negative float.
            Op::Pow if kind(inputs[1]) == Kind::Float => vec![0, crate::common::numbers::round(inputs[1], -2.0)],
            Op::Pow if kind(inputs[1]) == Kind::Unsigned => vec![zero, minus_one],
            Op::Pow => vec![zero],
            // The lowest by -1 among them.
            Op::Div | Op::Fmod | Op::Remainder => vec![minus_one],
            _ => vec![zero, minus_one],
        };
        let low = wrap(
            inputs[0],
            if kind(inputs[0]) == Kind::Signed { i128::from(i64::MIN) >> (64 - 8 * inputs[0].size()) } else { 0 },
        );
        let left = Tensor::room(inputs[0], &[67], &Place::PLAIN);
        let left = left.filled(|n| if n % 2 == 0 { low } else { wrap(inputs[0], n.into()) });
        for value in values {
            let right = Tensor::room(inputs[1], &[1], &Place::PLAIN).filled(|_| value);
            Call::of(op, vec![left.clone(), right], output, &Place::PLAIN).check();
        }
    }
}

#[test]
fn shifts_by_every_count() {
    for signature in signatures().iter().filter(|signature| matches!(signature.op, Op::Shl | Op::Shr)) {
        let dtype = signature.inputs[0];
        let left = Tensor::room(dtype, &[7, 1], &Place::PLAIN)
            .filled(|n| wrap(dtype, [0, 1, -1, 77, -77, 1 << 62, i128::from(i64::MIN)][n as usize]));
        let right = Tensor::room(dtype, &[256], &Place::PLAIN).filled(|n| wrap(dtype, i128::from(n) - 128));
        Call::of(signature.op, vec![left, right], dtype, &Place::PLAIN).check();
    }
}
