//! One call, one set of bits: on every level, at every address, by every door.
//!
//! Random floats are added here, whose sum depends on the order of the additions.

use stridecast::{DType, Options, Reduction};

use crate::common::tensor::{Place, Tensor};
use crate::defined::Signature;
use crate::doors::every_door;
use crate::lab::{Call, Which, levels};

use DType::{BF16, C64, F16, F32, F64};
use Reduction::{Max, Mean, Prod, Sum};

/// Reductions whose bits tell in which order elements were taken. The results in f32 show what rounding to a half
/// hides.
pub fn ordered() -> Vec<Signature> {
    vec![
        Signature::new(Sum, F32, F32),
        Signature::new(Sum, F64, F64),
        Signature::new(Sum, F16, F32),
        Signature::new(Sum, F16, F16),
        Signature::new(Sum, BF16, F32),
        Signature::new(Mean, BF16, BF16),
        Signature::new(Mean, F32, F32),
        Signature::new(Prod, F32, F32),
        Signature::new(Prod, BF16, F32),
        Signature::new(Prod, F64, F64),
        Signature::new(Sum, C64, C64),
        Signature::new(Max, F32, F32),
        Signature::product(F32, F32),
        Signature::product(F64, F64),
        Signature::product(F16, F32),
        Signature::product(BF16, BF16),
    ]
}

/// Shapes of the operands, the axes that go, and how the operands lie: inner, outer and mixed axes, narrow ones, few
/// and many results.
fn cases() -> Vec<(Vec<usize>, Vec<usize>, Place)> {
    let of = |shape: &[usize], axes: &[usize], place: Place| (shape.to_vec(), axes.to_vec(), place);
    vec![
        of(&[5000], &[0], Place::PLAIN),
        of(&[3, 1333], &[1], Place::PLAIN),
        of(&[40, 61], &[1], Place::padded(2)),
        of(&[700, 3], &[0], Place::PLAIN),
        of(&[130, 37], &[0], Place::PLAIN),
        of(&[9, 300], &[0], Place::PLAIN),
        of(&[11, 17, 19], &[0, 2], Place::PLAIN),
        of(&[11, 17, 19], &[1], Place::PLAIN),
        of(&[300, 3], &[1], Place::PLAIN),
        of(&[70, 50], &[1], Place::turned()),
        of(&[70, 50], &[0], Place { back: vec![false, true], ..Place::turned() }),
        of(&[900], &[0], Place::stepped(2)),
        of(&[900], &[0], Place::backwards()),
        of(&[30, 90], &[0, 1], Place { still: vec![true, false], ..Place::PLAIN }),
    ]
}

fn call(signature: &Signature, (shape, axes, place): &(Vec<usize>, Vec<usize>, Place), seed: u64) -> Call {
    let which = Which::Axes(axes.clone(), false);
    Call::new(signature, &[(shape, place), (shape, &Place::PLAIN)], which, &Place::PLAIN, seed)
}

fn options() -> impl Iterator<Item = Options> {
    levels().into_iter().map(|isa| Options::new().isa(isa))
}

/// The same tensor as many elements behind a line of memory.
fn moved(tensor: &Tensor, elements: usize) -> Tensor {
    let size = tensor.dtype.size();
    let mut moved = tensor.clone();
    moved.memory = crate::common::tensor::Memory::new(elements * size, tensor.memory.bytes().len());
    moved.memory.bytes_mut().copy_from_slice(tensor.memory.bytes());
    moved
}

#[test]
fn every_address_and_every_level() {
    for (seed, signature) in ordered().iter().enumerate() {
        for (i, case) in cases().iter().enumerate() {
            let base = call(signature, case, seed as u64);
            let mut first = base.clone();
            first.run(Options::new().isa(levels()[0])).unwrap();
            let wanted = first.canonical_bytes();
            for at in 0..16 {
                let mut call = base.clone();
                for (k, input) in call.inputs.iter_mut().enumerate() {
                    *input = moved(input, (at + 5 * k) % 16);
                }
                call.out = moved(&call.out, (at * 3 + i) % 16);
                for options in options() {
                    call.run(options).unwrap();
                    assert!(call.canonical_bytes() == wanted, "{call:?} {at} elements off a line, {options:?}");
                    call.run(options.serial()).unwrap();
                    assert!(call.canonical_bytes() == wanted, "{call:?} {at} elements off a line, {options:?} serial");
                }
            }
        }
    }
}

/// The place of the first element in its buffer does not count, nor what lies around the operands.
#[test]
fn every_offset_in_the_buffer() {
    for (seed, signature) in ordered().iter().enumerate() {
        for case in cases() {
            let base = call(signature, &case, seed as u64);
            let mut first = base.clone();
            first.run(Options::new()).unwrap();
            for lead in 1..16 {
                let mut call = base.clone();
                for input in &mut call.inputs {
                    let mut behind = input.clone();
                    let (size, len) = (input.dtype.size(), input.memory.bytes().len());
                    behind.memory = crate::common::tensor::Memory::new(0, len + 2 * lead * size);
                    behind.memory.bytes_mut()[lead * size..][..len].copy_from_slice(input.memory.bytes());
                    behind.offset += lead;
                    *input = behind;
                }
                call.run(Options::new()).unwrap();
                assert!(call.canonical_bytes() == first.canonical_bytes(), "{call:?} behind {lead} elements");
            }
        }
    }
}

#[test]
fn every_door_gives_the_same() {
    for (seed, signature) in ordered().iter().enumerate() {
        let Signature { output, .. } = *signature;
        for case in cases() {
            let mut call = call(signature, &case, seed as u64);
            let before = call.out.clone();
            for options in options() {
                call.run(options).unwrap();
                let wanted = call.canonical_bytes();
                for (door, bytes) in every_door(&call, options) {
                    call.out.memory.bytes_mut().copy_from_slice(&bytes);
                    assert!(call.canonical_bytes() == wanted, "{call:?} by {door} to {output} with {options:?}");
                }
                call.out = before.clone();
            }
        }
    }
}

/// Two runs of one plan, and a clone of it.
#[test]
fn a_plan_gives_the_same_again() {
    for signature in ordered() {
        for case in cases() {
            let mut call = call(&signature, &case, 3);
            let plan = call.plan(Options::new()).unwrap();
            call.run_plan(&plan).unwrap();
            let first = call.canonical_bytes();
            call.run_plan(&plan.clone()).unwrap();
            assert!(call.canonical_bytes() == first, "{call:?}");
        }
    }
}
