//! Every pair of a type's ends and corners, for every function.

use stridecast::{Op, Tolerance};

use crate::common::numbers::{Kind, kind};
use crate::defined::{Signature, signatures};
use crate::is_heavy;
use crate::lab::Call;
use crate::tensor::{Place, Tensor};
use crate::values::specials_of;

/// The lists laid along an axis each, so that all combinations meet, and the same written out, so that all move.
fn calls(signature: &Signature, lists: &[Vec<u128>]) -> [Call; 2] {
    let Signature { op, inputs, output } = signature;
    let along = |k: usize| {
        let shape: Vec<_> = (0..lists.len()).map(|axis| if axis == k { lists[k].len() } else { 1 }).collect();
        Tensor::room(inputs[k], &shape, &Place::PLAIN).filled(|n| lists[k][n as usize])
    };
    let tensors: Vec<_> = (0..lists.len()).map(along).collect();
    let outer = Call::of(*op, tensors, *output, &Place::PLAIN);
    let written_out = |tensor: &Tensor| {
        let elements = tensor.elements(&outer.out.shape);
        Tensor::room(tensor.dtype, &[elements.len()], &Place::PLAIN).filled(|n| elements[n as usize])
    };
    let flat = outer.inputs.iter().map(written_out).collect();
    let flat = Call::of(*op, flat, *output, &Place::PLAIN);
    [outer, flat]
}

/// As many of a list as make the product of all lists bearable.
fn thinned(signature: &Signature, k: usize) -> Vec<u128> {
    let all = specials_of(signature.op, &signature.inputs, k);
    let is_mixed_power = signature.op == Op::Pow && signature.inputs[0] != signature.inputs[1];
    let step = match signature.inputs.len() {
        3 if k > 0 && all.len() > 30 => 3,
        2 if is_mixed_power && all.len() > 30 => 2,
        _ => 1,
    };
    all.into_iter().skip(k % step).step_by(step).collect()
}

#[test]
fn all_pairs_for_every_function() {
    for signature in signatures() {
        let lists: Vec<_> = (0..signature.inputs.len()).map(|k| thinned(&signature, k)).collect();
        let [mut outer, mut flat] = calls(&signature, &lists);
        let wants = outer.wants();
        outer.check_against(&wants);
        if !is_heavy(signature.op) || signature.inputs[0] == signature.inputs[1] {
            flat.check_against(&wants);
        }
    }
}

#[test]
fn tolerances_are_taken_from_the_call() {
    let tolerances = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.25), (1e-3, 2.0), (1e300, 0.0), (3.0, 0.5)];
    for signature in signatures().iter().filter(|signature| signature.op == Op::ApproxEq) {
        let lists: Vec<_> = (0..2).map(|k| specials_of(signature.op, &signature.inputs, k)).collect();
        let [outer, _] = calls(signature, &lists);
        let truths = tolerances.map(|(atol, rtol)| {
            let mut call = Call { tolerance: Tolerance { atol, rtol }, ..outer.clone() };
            call.check();
            call.wants()
        });
        assert!((1..6).all(|i| (0..i).all(|j| truths[i] != truths[j])), "the tolerances tell nothing apart");
    }
}

#[test]
fn chosen_elements_keep_every_bit() {
    // That every NaN comes out as it went in, the signalling ones too, is what `Want::Bits` asks; that there are some,
    // this test.
    let choices = signatures().into_iter().filter(|signature| signature.op == Op::Where);
    for signature in choices.filter(|signature| kind(signature.output) == Kind::Float) {
        let all = specials_of(signature.op, &signature.inputs, 1);
        let nans = all.iter().filter(|&&bits| crate::common::numbers::float(signature.output, bits).is_nan()).count();
        assert_eq!(nans, 8);
        let mask = Tensor::room(signature.inputs[0], &[all.len()], &Place::PLAIN).filled(|n| u128::from(n % 3));
        let of = |from: usize| {
            Tensor::room(signature.output, &[all.len()], &Place::PLAIN).filled(|n| all[(from + n as usize) % all.len()])
        };
        let mut call = Call::of(signature.op, vec![mask, of(0), of(5)], signature.output, &Place::PLAIN);
        call.check();
    }
}
