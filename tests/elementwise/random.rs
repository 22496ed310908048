//! Random functions, types, shapes and places against the oracle, and every door against every other.
//!
//! What belongs to an axis or an operand comes as lists with an entry for each that there could be, so that a case
//! shrinks without changing what its other parts do.

use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{OpPlan, Options, Stores};

use crate::common::strategies::{config, places, shapes};
use crate::defined::{Signature, signatures};
use crate::lab::{Call, levels};
use crate::tensor::{Memory, Place, Tensor};

/// How an operand differs from the common shape: leading axes that it lacks, axes of size 1, and where it lies.
#[derive(Clone, Debug)]
struct Operand {
    lacks: usize,
    ones: Vec<bool>,
    place: Place,
}

fn operands() -> impl Strategy<Value = Operand> {
    let lacks = prop_oneof![2 => Just(0_usize), 1 => 1..=3_usize];
    (lacks, vec(proptest::bool::weighted(0.3), 6), places()).prop_map(|(lacks, ones, place)| Operand {
        lacks,
        ones,
        place,
    })
}

impl Operand {
    fn shape(&self, common: &[usize]) -> Vec<usize> {
        let lacks = self.lacks.min(common.len());
        let size = |(axis, &size): (usize, &usize)| if self.ones[axis % 6] { 1 } else { size };
        common.iter().enumerate().map(size).skip(lacks).collect()
    }
}

/// A call: which of all signatures, the common shape, what lies where, and what a run is told.
#[derive(Clone, Debug)]
struct Case {
    signature: usize,
    shape: Vec<usize>,
    operands: Vec<Operand>,
    out: Place,
    level: usize,
    streams: bool,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let how = (0..10_000_usize, shapes(), vec(operands(), 3), places(), 0..8_usize, any::<bool>());
    (how, 0..1000_u64).prop_map(|((signature, shape, operands, out, level, streams), seed)| Case {
        signature,
        shape,
        operands,
        out: Place { still: vec![], ..out },
        level,
        streams,
        seed,
    })
}

impl Case {
    fn call(&self, signature: &Signature) -> Call {
        let shapes: Vec<_> = self.operands.iter().map(|operand| operand.shape(&self.shape)).collect();
        let operands = shapes.iter().zip(&self.operands).map(|(shape, operand)| (&shape[..], &operand.place));
        let operands: Vec<_> = operands.take(signature.inputs.len()).collect();
        Call::new(signature, &operands, &self.out, self.seed)
    }

    fn options(&self) -> Options {
        let levels = levels();
        let options = Options::new().isa(levels[self.level % levels.len()]);
        if self.streams { options.stores(Stores::Streaming) } else { options }
    }
}

/// A copy of a tensor in C order without gaps, behind nothing.
fn compact(tensor: &Tensor) -> Tensor {
    let elements = tensor.elements(&tensor.shape);
    Tensor::room(tensor.dtype, &tensor.shape, &Place::PLAIN).filled(|n| elements[n as usize])
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn every_call_writes_what_it_should(case in cases()) {
        let mut call = case.call(signature_of(case.signature));
        let wants = call.wants();
        call.check_options(&wants, &[case.options()]);
    }

    /// A plan into its own layout, the plan that assumes one, and the call by tags; strided operands and compact ones.
    #[test]
    fn every_door_gives_the_same(case in cases()) {
        let options = case.options();
        let mut call = case.call(signature_of(case.signature));
        let before = call.out.clone();
        call.run(options).unwrap();
        let planned = call.canonical_bytes();

        call.out = before.clone();
        call.run_any(options).unwrap();
        prop_assert!(call.canonical_bytes() == planned, "by tags: {call:?}");

        // By slices of bytes, of compact operands, into a compact output.
        let inputs: Vec<_> = call.inputs.iter().map(compact).collect();
        let layouts: Vec<_> = inputs.iter().map(Tensor::layout).collect();
        let given: Vec<_> = inputs.iter().zip(&layouts).map(|(tensor, layout)| (tensor.dtype, layout)).collect();
        let plan = OpPlan::new(call.op, &given, before.dtype, options).unwrap();
        prop_assert_eq!(plan.output_shape(), &before.shape[..]);
        let bytes: Vec<_> = inputs.iter().map(|tensor| tensor.memory.bytes()).collect();
        let mut dense = Memory::new(0, plan.output_len() * before.dtype.size());
        plan.run_any(&bytes, dense.bytes_mut()).unwrap();
        call.out = before.clone();
        let size = before.dtype.size();
        for (i, at) in before.positions(&before.shape).into_iter().enumerate() {
            call.out.memory.set(size, at, dense.element(size, i));
        }
        prop_assert!(call.canonical_bytes() == planned, "compact: {call:?}");
    }
}

/// One of all signatures.
fn signature_of(number: usize) -> &'static Signature {
    static ALL: std::sync::OnceLock<Vec<Signature>> = std::sync::OnceLock::new();
    let all = ALL.get_or_init(signatures);
    &all[number % all.len()]
}
