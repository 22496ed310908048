//! Sums, means and extremes of any number of operands: from the first to the last, halves in f32.

use stridecast::{BroadcastError, DType, Fold, Op, Options, Tolerance, fold_any, ops::nary};

use crate::common::numbers::{Kind, canonical, float, join, kind, parts, round};
use crate::lab::{any, levels};
use crate::scalar::{Want, want};
use crate::tensor::{Place, Tensor, common_shape};
use crate::typed::view;
use crate::values::nth;

const FOLDS: [Fold; 4] = [Fold::Sum, Fold::Mean, Fold::Minimum, Fold::Maximum];

fn is_defined(fold: Fold, dtype: DType) -> bool {
    match fold {
        Fold::Mean => kind(dtype) == Kind::Float,
        Fold::Sum => kind(dtype) != Kind::Bool,
        _ => !matches!(kind(dtype), Kind::Bool | Kind::Complex),
    }
}

/// The fold of the elements that lie over each other.
fn folded(fold: Fold, dtype: DType, elements: &[u128]) -> u128 {
    let step = match fold {
        Fold::Minimum => Op::Minimum,
        Fold::Maximum => Op::Maximum,
        _ => Op::Add,
    };
    // What halves are accumulated in.
    let inner = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    let widened = |bits: u128| if inner == dtype { bits } else { round(inner, float(dtype, bits)) };
    if let [only] = elements {
        return *only;
    }
    let of = |op: Op, a: u128, b: u128| match want(op, &[inner, inner], &[a, b], inner, Tolerance::default()) {
        Want::Value(bits) => bits,
        want => panic!("{op} is {want:?}"),
    };
    let mut given = elements.iter().map(|&bits| widened(bits)).reduce(|a, b| of(step, a, b)).unwrap();
    if fold == Fold::Mean {
        given = of(Op::Div, given, round(inner, elements.len() as f64));
    }
    match kind(dtype) {
        Kind::Float => round(dtype, float(inner, given)),
        Kind::Complex => {
            let (re, im) = parts(dtype, given);
            join(dtype, re, im)
        }
        _ => given,
    }
}

struct Case {
    fold: Fold,
    inputs: Vec<Tensor>,
    room: Tensor,
}

impl Case {
    fn new(fold: Fold, dtype: DType, operands: &[(&[usize], Place)], out: &Place, seed: u64) -> Self {
        let tensor = |(k, (shape, place)): (usize, &(&[usize], Place))| {
            let from = seed * 8 + k as u64;
            Tensor::room(dtype, shape, place).filled(|n| nth(dtype, (from << 32) + n))
        };
        let inputs: Vec<_> = operands.iter().enumerate().map(tensor).collect();
        let shapes: Vec<_> = inputs.iter().map(|tensor| &*tensor.shape).collect();
        Self { fold, room: Tensor::room(dtype, &common_shape(&shapes), out), inputs }
    }

    fn expected(&self) -> Vec<u128> {
        let shape = &self.room.shape;
        let operands: Vec<_> = self.inputs.iter().map(|tensor| tensor.elements(shape)).collect();
        let len = shape.iter().product();
        (0..len)
            .map(|i| folded(self.fold, self.room.dtype, &operands.iter().map(|o| o[i]).collect::<Vec<_>>()))
            .collect()
    }

    fn run(&self, options: Options) -> (Tensor, stridecast::Result<()>) {
        let mut out = self.room.clone();
        let views: Vec<_> = self.inputs.iter().map(any).collect();
        let result = out.with_any(|to| fold_any(self.fold, &views.iter().collect::<Vec<_>>(), to, options));
        (out, result)
    }

    fn check(&self, options: &[Options]) {
        let (expected, dtype) = (self.expected(), self.room.dtype);
        for &options in options {
            let (out, result) = self.run(options);
            result.unwrap();
            let mut rest = out.memory.clone();
            for (i, (at, &want)) in out.positions(&out.shape).into_iter().zip(&expected).enumerate() {
                let got = out.memory.element(dtype.size(), at);
                let same = canonical(dtype, got) == canonical(dtype, want);
                let (fold, inputs) = (self.fold, &self.inputs);
                assert!(same, "{fold:?} of {inputs:?} to {out:?} is {got:#x} at {i}, not {want:#x}, with {options:?}");
                rest.set(dtype.size(), at, self.room.memory.element(dtype.size(), at));
            }
            assert!(rest.bytes() == self.room.memory.bytes(), "{:?} to {out:?} wrote beside its output", self.fold);
        }
    }
}

fn all_levels() -> Vec<Options> {
    levels().into_iter().map(|isa| Options::new().isa(isa)).collect()
}

#[test]
fn any_number_of_operands_of_every_type() {
    let operands = || -> [(&'static [usize], Place); 5] {
        [
            (&[4, 1, 33], Place::PLAIN),
            (&[3, 33], Place::padded(1)),
            (&[], Place::PLAIN),
            (&[4, 3, 1], Place::turned()),
            (&[1, 33], Place::backwards()),
        ]
    };
    let outs = [Place::PLAIN, Place::turned(), Place::stepped(2), Place::backwards(), Place::padded(3)];
    for (i, &dtype) in DType::ALL.iter().enumerate() {
        for (j, fold) in FOLDS.into_iter().enumerate().filter(|(_, fold)| is_defined(*fold, dtype)) {
            for count in 1..=5 {
                for rotated in 0..2 {
                    let mut operands = operands();
                    operands.rotate_left((i + rotated + count) % 5);
                    let out = &outs[(i + j + count + rotated) % 5];
                    Case::new(fold, dtype, &operands[..count], out, (i * 100 + count) as u64).check(&all_levels());
                }
            }
        }
    }
}

#[test]
fn outputs_of_several_pieces() {
    let plain = || Place::PLAIN;
    let best = [*all_levels().last().unwrap()];
    for dtype in [DType::U8, DType::F16, DType::BF16, DType::F32, DType::C128] {
        for fold in [Fold::Sum, Fold::Mean].into_iter().filter(|&fold| is_defined(fold, dtype)) {
            let long: [(&[usize], _); 3] = [(&[40_000], plain()), (&[1], plain()), (&[40_000], Place::stepped(2))];
            Case::new(fold, dtype, &long, &plain(), 1).check(&best);
            Case::new(fold, dtype, &long, &Place::stepped(3), 2).check(&best);
            let tall: [(&[usize], _); 3] = [(&[9001, 5], plain()), (&[5], plain()), (&[9001, 1], plain())];
            Case::new(fold, dtype, &tall, &plain(), 3).check(&best);
            Case::new(fold, dtype, &tall, &Place::padded(3), 4).check(&best);
            let square: [(&[usize], _); 3] =
                [(&[190, 191], Place::turned()), (&[191], plain()), (&[190, 191], plain())];
            Case::new(fold, dtype, &square, &plain(), 5).check(&best);
            Case::new(fold, dtype, &square, &Place::turned(), 6).check(&best);
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_bits_of_one() {
    let plain = || Place::PLAIN;
    let pools = [1, 2, 3, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for (dtype, rows) in [(DType::F32, 5000), (DType::F16, 9000), (DType::I8, 18_000)] {
        let operands: [(&[usize], _); 3] = [(&[rows, 61], plain()), (&[61], plain()), (&[rows, 1], Place::backwards())];
        for out in [plain(), Place::padded(1), Place::turned()] {
            let case = Case::new(Fold::Sum, dtype, &operands, &out, 3);
            let serial = case.run(Options::new().serial()).0;
            for pool in &pools {
                let (given, result) = pool.install(|| case.run(Options::new()));
                result.unwrap();
                assert!(given.memory.bytes() == serial.memory.bytes(), "{dtype} on {}", pool.current_num_threads());
            }
        }
    }
}

#[test]
fn typed_calls_give_the_same() {
    let case = Case::new(
        Fold::Sum,
        DType::F16,
        &[(&[7, 1], Place::PLAIN), (&[9], Place::backwards()), (&[7, 9], Place::turned())],
        &Place::PLAIN,
        9,
    );
    let views: Vec<_> = case.inputs.iter().map(view::<half::f16>).collect();
    let check = |fold: Fold, given: stridecast::Result<stridecast::Tensor<half::f16>>| {
        let case = Case { fold, inputs: case.inputs.clone(), room: case.room.clone() };
        let bits: Vec<_> =
            given.unwrap().as_slice().iter().map(|x| canonical(DType::F16, x.to_bits().into())).collect();
        let expected: Vec<_> = case.expected().into_iter().map(|bits| canonical(DType::F16, bits)).collect();
        assert_eq!(bits, expected, "{fold:?}");
    };
    check(Fold::Sum, nary::sum(&views));
    check(Fold::Mean, nary::mean(&views));
    check(Fold::Minimum, nary::minimum(&views));
    check(Fold::Maximum, nary::maximum(&views));
    let mut tensor = nary::sum(&views).unwrap();
    nary::mean_into(&views, tensor.as_mut_slice()).unwrap();
    check(Fold::Mean, Ok(tensor));
    let mut tensor = nary::sum(&views).unwrap();
    nary::maximum_into(&views, tensor.view_mut()).unwrap();
    check(Fold::Maximum, Ok(tensor));
}

#[test]
fn refusals_name_the_reason_and_write_nothing() {
    let refuse = |fold: Fold, inputs: Vec<Tensor>, room: Tensor| {
        let case = Case { fold, inputs, room };
        let (out, result) = case.run(Options::new());
        assert!(out.memory.bytes() == case.room.memory.bytes());
        result.unwrap_err()
    };
    let room = |dtype: DType, shape: &[usize]| Tensor::room(dtype, shape, &Place::PLAIN).filled(|n| u128::from(n & 1));
    let f32s = || vec![room(DType::F32, &[2, 3]), room(DType::F32, &[3])];
    let none = refuse(Fold::Sum, vec![], room(DType::F32, &[2, 3]));
    assert_eq!(none, BroadcastError::OperandCount { expected: 1, got: 0 });
    let shape = refuse(Fold::Sum, f32s(), room(DType::F32, &[3, 2]));
    assert_eq!(shape, BroadcastError::ShapeMismatch { expected: vec![2, 3], got: vec![3, 2] });
    let undefined = |error: BroadcastError| assert!(matches!(error, BroadcastError::Undefined { .. }), "{error}");
    undefined(refuse(Fold::Sum, f32s(), room(DType::F64, &[2, 3])));
    undefined(refuse(Fold::Sum, vec![room(DType::F32, &[3]), room(DType::F64, &[3])], room(DType::F32, &[3])));
    for &dtype in DType::ALL {
        for fold in FOLDS.into_iter().filter(|&fold| !is_defined(fold, dtype)) {
            for count in 1..3 {
                undefined(refuse(fold, vec![room(dtype, &[3]); count], room(dtype, &[3])));
            }
        }
    }
}
