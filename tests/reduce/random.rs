//! Random reductions, types, shapes, axes and places against the oracle, and by tags.

use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{BroadcastError, Options, Reduction};

use crate::common::strategies::{config, places, shapes};
use crate::common::tensor::Place;
use crate::defined::{Signature, signatures};
use crate::lab::{Call, Which, levels};
use crate::values::hash;

/// How an operand differs from the common shape: leading axes that it lacks, axes of size 1, and where it lies.
#[derive(Clone, Debug)]
struct Operand {
    lacks: usize,
    ones: Vec<bool>,
    place: Place,
}

fn operands() -> impl Strategy<Value = Operand> {
    let lacks = prop_oneof![2 => Just(0_usize), 1 => 1..=3_usize];
    (lacks, vec(proptest::bool::weighted(0.25), 6), places()).prop_map(|(lacks, ones, place)| Operand {
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

/// A call: which of all signatures, the shape, what is reduced, what lies where, and how it is run.
#[derive(Clone, Debug)]
struct Case {
    signature: usize,
    shape: Vec<usize>,
    /// Axes that go; what says so is a shape, a list, or a list that keeps them.
    gone: Vec<bool>,
    says: usize,
    places: [Place; 2],
    /// The second operand of a product.
    second: Operand,
    onto: bool,
    level: usize,
    serial: bool,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let what = (0..10_000_usize, shapes(), vec(any::<bool>(), 6), 0..3_usize);
    let how = (any::<bool>(), 0..8_usize, any::<bool>(), 0..1000_u64);
    (what, places(), places(), operands(), how).prop_map(|(what, input, out, second, how)| {
        let (signature, shape, gone, says) = what;
        let (onto, level, serial, seed) = how;
        let places = [input, Place { still: vec![], ..out }];
        Case { signature, shape, gone, says, places, second, onto, level, serial, seed }
    })
}

impl Case {
    fn axes(&self) -> Vec<usize> {
        (0..self.shape.len()).filter(|axis| self.gone[axis % 6]).collect()
    }

    fn which(&self) -> Which {
        let mut axes = self.axes();
        if self.says == 0 {
            let size = |(axis, &size): (usize, &usize)| if axes.contains(&axis) { 1 } else { size };
            return Which::To(self.shape.iter().enumerate().map(size).collect());
        }
        axes.sort_by_key(|&axis| hash(self.seed + axis as u64));
        Which::Axes(axes, self.says == 1)
    }

    fn signature(&self) -> Signature {
        let all = signatures();
        all[self.signature % all.len()]
    }

    fn call(&self) -> Call {
        let second = self.second.shape(&self.shape);
        let operands = [(&self.shape[..], &self.places[0]), (&second, &self.second.place)];
        let mut call = Call::new(&self.signature(), &operands, self.which(), &self.places[1], self.seed);
        call.onto = self.onto;
        call
    }

    fn options(&self) -> Options {
        let levels = levels();
        let options = Options::new().isa(levels[self.level % levels.len()]);
        if self.serial { options.serial() } else { options }
    }

    /// Whether there is an element of the result to which none belongs.
    fn is_refused(&self, call: &Call) -> bool {
        let chooses = matches!(self.signature().reduction, Reduction::Max | Reduction::Min);
        chooses && call.source.contains(&0) && !call.out.shape.contains(&0)
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn every_call_writes_what_it_may(case in cases()) {
        let mut call = case.call();
        if case.is_refused(&call) {
            let error = call.run(case.options()).unwrap_err();
            prop_assert!(matches!(error, BroadcastError::EmptyReduction { .. }), "{error}");
            return Ok(());
        }
        let wants = call.wants();
        call.check_options(&wants, &[case.options()]);
        let before = call.out.clone();
        call.run(case.options()).unwrap();
        let planned = call.canonical_bytes();
        call.out = before;
        call.run_any(case.options()).unwrap();
        prop_assert!(call.canonical_bytes() == planned, "by tags: {call:?}");
    }
}
