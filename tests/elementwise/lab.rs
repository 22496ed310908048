//! A call, what it should write, and the comparison on every level.

use stridecast::{AnyView, BroadcastError, DType, Isa, Layout, Op, OpPlan, Options, Tolerance};
use stridecast::{apply_any, apply_any_in_place};

use crate::common::numbers::canonical;
use crate::defined::Signature;
use crate::scalar::{Want, want};
use crate::tensor::{Place, Tensor, common_shape};
use crate::values::nth_of;

/// A function, its operands, and room for its result.
#[derive(Clone, Debug)]
pub struct Call {
    pub op: Op,
    pub inputs: Vec<Tensor>,
    pub out: Tensor,
    pub tolerance: Tolerance,
}

/// A view with a tag.
pub fn any(tensor: &Tensor) -> AnyView<'_> {
    AnyView::new(tensor.dtype, tensor.memory.bytes(), tensor.layout()).unwrap()
}

/// The levels of this machine, the one without vectors first.
pub fn levels() -> Vec<Isa> {
    let mut levels: Vec<_> = Isa::available().collect();
    levels.sort_by_key(|&isa| isa != Isa::SCALAR);
    levels
}

pub fn dtypes(tensors: &[Tensor]) -> Vec<DType> {
    tensors.iter().map(|tensor| tensor.dtype).collect()
}

impl Call {
    /// Operands of these shapes and places, with elements that the function takes, told apart by `seed`.
    pub fn new(signature: &Signature, operands: &[(&[usize], &Place)], out: &Place, seed: u64) -> Self {
        let Signature { op, inputs, output } = signature;
        let tensor = |(k, &(shape, place)): (usize, &(&[usize], &Place))| {
            let from = seed * 3 + k as u64;
            Tensor::room(inputs[k], shape, place).filled(|n| nth_of(*op, inputs, k, (from << 32) + n))
        };
        let inputs: Vec<_> = operands.iter().enumerate().map(tensor).collect();
        Self::of(*op, inputs, *output, out)
    }

    pub fn of(op: Op, inputs: Vec<Tensor>, output: DType, out: &Place) -> Self {
        let shapes: Vec<_> = inputs.iter().map(|tensor| &*tensor.shape).collect();
        let out = Tensor::room(output, &common_shape(&shapes), out);
        Self { op, inputs, out, tolerance: Tolerance::default() }
    }

    /// What each element of the result should be, in C order.
    pub fn wants(&self) -> Vec<Want> {
        let shape = &self.out.shape;
        let (types, len) = (dtypes(&self.inputs), shape.iter().product());
        let operands: Vec<_> = self.inputs.iter().map(|tensor| tensor.elements(shape)).collect();
        let of = |i: usize| {
            let bits: Vec<_> = operands.iter().map(|elements| elements[i]).collect();
            want(self.op, &types, &bits, self.out.dtype, self.tolerance)
        };
        (0..len).map(of).collect()
    }

    pub fn plan(&self, options: Options) -> stridecast::Result<OpPlan> {
        let layouts: Vec<_> = self.inputs.iter().map(Tensor::layout).collect();
        let inputs: Vec<(DType, &Layout<'_>)> = self.inputs.iter().map(|t| t.dtype).zip(&layouts).collect();
        let plan = OpPlan::with_output(self.op, &inputs, self.out.dtype, &self.out.layout(), options)?;
        Ok(plan.tolerance(self.tolerance))
    }

    /// Runs it on the given options, into its own room.
    pub fn run(&mut self, options: Options) -> Result<(), BroadcastError> {
        let plan = self.plan(options)?;
        self.run_plan(&plan)
    }

    pub fn run_plan(&mut self, plan: &OpPlan) -> Result<(), BroadcastError> {
        let inputs: Vec<_> = self.inputs.iter().map(|tensor| tensor.memory.bytes().as_ptr()).collect();
        // SAFETY: the plan is of these layouts, which lie inside their memories; the output has its own.
        unsafe { stridecast::raw::apply(plan, &inputs, self.out.memory.bytes_mut().as_mut_ptr()) }
    }

    /// The same by tags.
    pub fn run_any(&mut self, options: Options) -> Result<(), BroadcastError> {
        let views: Vec<_> = self.inputs.iter().map(any).collect();
        let views: Vec<_> = views.iter().collect();
        self.out.with_any(|out| apply_any(self.op, &views, out, options))
    }

    /// The same by tags, with what is in the room as operand `k`.
    pub fn run_in_place(&mut self, k: usize, options: Options) -> Result<(), BroadcastError> {
        let others: Vec<_> = self.inputs.iter().enumerate().filter(|(at, _)| *at != k).map(|(_, t)| any(t)).collect();
        let others: Vec<_> = others.iter().collect();
        self.out.with_any(|out| apply_any_in_place(self.op, k, out, &others, options))
    }

    /// Compares what is in the room with what should be there; `before` is the room as it was.
    pub fn compare(&self, wants: &[Want], before: &Tensor, how: &dyn std::fmt::Debug) {
        let (size, dtype) = (self.out.dtype.size(), self.out.dtype);
        let mut rest = self.out.memory.clone();
        for (i, (at, want)) in self.out.positions(&self.out.shape).into_iter().zip(wants).enumerate() {
            let got = self.out.memory.element(size, at);
            if !want.accepts(dtype, got) {
                let shape = &self.out.shape;
                let operands: Vec<_> = self.inputs.iter().map(|t| format!("{:#x}", t.elements(shape)[i])).collect();
                let op = self.op;
                panic!("{op} of {operands:?} is {got:#x}, not {want:x?}: element {i} of {self:?} with {how:?}");
            }
            rest.set(size, at, before.memory.element(size, at));
        }
        assert!(rest.bytes() == before.memory.bytes(), "{self:?} with {how:?} wrote beside its output");
    }

    /// The room's bytes, with every NaN of arithmetic made one pattern.
    pub fn canonical_bytes(&self) -> Vec<u8> {
        if self.op == Op::Where || !matches!(self.out.dtype.name(), "f16" | "bf16" | "f32" | "f64" | "c64" | "c128") {
            return self.out.memory.bytes().to_vec();
        }
        let (size, mut memory) = (self.out.dtype.size(), self.out.memory.clone());
        for at in self.out.positions(&self.out.shape) {
            memory.set(size, at, canonical(self.out.dtype, memory.element(size, at)));
        }
        memory.bytes().to_vec()
    }

    /// Runs it on every level: the first gives what is wanted, the others the same bits.
    pub fn check(&mut self) {
        let wants = self.wants();
        self.check_against(&wants);
    }

    pub fn check_against(&mut self, wants: &[Want]) {
        let options: Vec<_> = levels().into_iter().map(|isa| Options::new().isa(isa)).collect();
        self.check_options(wants, &options);
    }

    pub fn check_options(&mut self, wants: &[Want], options: &[Options]) {
        let before = self.out.clone();
        let mut first: Option<Vec<u8>> = None;
        for &options in options {
            self.out = before.clone();
            self.run(options).unwrap_or_else(|error| panic!("{self:?}: {error}"));
            let bytes = self.canonical_bytes();
            if first.as_ref().is_none_or(|first| *first != bytes) {
                self.compare(wants, &before, &options);
                assert!(first.is_none(), "{self:?}: other bits with {options:?}");
            }
            first = first.or(Some(bytes));
        }
        self.out = before;
    }
}

/// That a call is refused, with nothing written, on every level: by a plan, by tags, and in place of its first operand.
pub fn check_refused(call: &mut Call, error: &BroadcastError) {
    for isa in levels() {
        let options = Options::new().isa(isa);
        let before = call.out.memory.bytes().to_vec();
        let mut check = |door: &str, run: &dyn Fn(&mut Call) -> Result<(), BroadcastError>| {
            let got = run(call);
            assert_eq!(got.as_ref().err(), Some(error), "{call:?} {door} on {isa}");
            assert!(call.out.memory.bytes() == before, "{call:?} {door} on {isa} wrote before it was refused");
        };
        check("by a plan", &|call| call.run(options));
        check("by tags", &|call| call.run_any(options));
        let whole = call.inputs[0].shape == call.out.shape && call.inputs[0].dtype == call.out.dtype;
        if whole {
            let mut own = Call { out: call.inputs[0].clone(), ..call.clone() };
            let got = own.run_in_place(0, options);
            assert_eq!(got.as_ref().err(), Some(error), "{call:?} in place on {isa}");
            assert!(own.out.memory.bytes() == call.inputs[0].memory.bytes(), "{call:?} in place on {isa} wrote");
        }
    }
}
