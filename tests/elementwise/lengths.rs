//! Rows of every length up to beyond two blocks, with every operand along the row or standing still.

use crate::defined::{Signature, signatures};
use crate::is_heavy;
use crate::lab::Call;
use crate::samples;
use crate::scalar::Want;
use crate::tensor::Place;

/// Two blocks and an element more; blocks are of 64 elements at most.
const LONGEST: usize = 2 * 64 + 1;

/// A row of `len` in which operand `k` stands still if bit `k` of `still` is set: as a view that repeats an element,
/// or, where another operand has the length, as a scalar.
fn row(signature: &Signature, len: usize, still: usize, seed: u64) -> Call {
    let arity = signature.inputs.len();
    let repeats = Place { still: vec![true], off_line: 1 + len % 3, ..Place::PLAIN };
    let moves: Vec<_> = (0..arity).map(|k| Place::off_line((len + 5 * k) % 16)).collect();
    let (shape, all) = ([len], (1 << arity) - 1);
    let scalars = still != all && len % 2 == 1;
    let operand = |k: usize| match still >> k & 1 {
        1 if scalars => (&[][..], &repeats),
        1 => (&shape[..], &repeats),
        _ => (&shape[..], &moves[k]),
    };
    let operands: Vec<_> = (0..arity).map(operand).collect();
    // Room behind and in front of the row, to see what is written there.
    let out = Place { lead: 3, off_line: (len + 7) % 16, ..Place::PLAIN };
    Call::new(signature, &operands, &out, seed)
}

/// Calls of all these lengths. An element does not depend on how many there are, so it is worked out once.
fn check(signature: &Signature, lengths: &[usize], still: usize, seed: u64) {
    let wants: Vec<Want> = row(signature, LONGEST, still, seed).wants();
    for &len in lengths {
        row(signature, len, still, seed).check_against(&wants[..len]);
    }
}

#[test]
fn rows_of_every_length_with_operands_that_stand_still() {
    let all: Vec<_> = (0..=LONGEST).collect();
    for (seed, signature) in samples().iter().enumerate() {
        for still in 0..1 << signature.inputs.len() {
            let some: Vec<_> = all.iter().copied().filter(|len| !is_heavy(signature.op) || len % 8 < 2).collect();
            check(signature, &some, still, seed as u64);
        }
    }
}

#[test]
fn every_function_on_all_its_types() {
    let ends = [0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 95, 127, 128, 129];
    for (seed, signature) in signatures().iter().enumerate() {
        for still in 0..1 << signature.inputs.len() {
            let step = if is_heavy(signature.op) { 6 } else { 1 };
            let some: Vec<_> = ends.iter().copied().skip(still % step).step_by(step).collect();
            check(signature, &some, still, 100 + seed as u64);
        }
    }
}
