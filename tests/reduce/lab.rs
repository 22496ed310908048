//! A call, what it may give, and the comparison on every level.

use stridecast::{AnyView, BroadcastError, Isa, Layout, Options, Over, ReducePlan, raw, reduce};

use crate::common::naive;
use crate::common::numbers::canonical;
use crate::common::tensor::{Place, Tensor};
use crate::defined::Signature;
use crate::oracle::{Want, want};
use crate::values::nth;

/// Which axes go, with lists of its own.
#[derive(Clone, Debug)]
pub enum Which {
    To(Vec<usize>),
    Axes(Vec<usize>, bool),
}

impl Which {
    pub fn over(&self) -> Over<'_> {
        match self {
            Self::To(shape) => Over::To(shape),
            Self::Axes(axes, keep_dims) => Over::Axes { axes, keep_dims: *keep_dims },
        }
    }

    /// The shape that is left.
    pub fn shape(&self, source: &[usize]) -> Vec<usize> {
        match self {
            Self::To(shape) => shape.clone(),
            Self::Axes(axes, keep) => {
                let size = |(axis, &size): (usize, &usize)| match axes.contains(&axis) {
                    true => keep.then_some(1),
                    false => Some(size),
                };
                source.iter().enumerate().filter_map(size).collect()
            }
        }
    }

    /// Where the element at an index of the source ends.
    pub fn index(&self, index: &[usize]) -> Vec<usize> {
        match self {
            Self::To(shape) => naive::source_index(shape, index),
            Self::Axes(axes, keep) => {
                let place = |(axis, &i): (usize, &usize)| match axes.contains(&axis) {
                    true => keep.then_some(0),
                    false => Some(i),
                };
                index.iter().enumerate().filter_map(place).collect()
            }
        }
    }
}

/// A reduction, its operands, and room for its result.
#[derive(Clone, Debug)]
pub struct Call {
    pub signature: Signature,
    pub inputs: Vec<Tensor>,
    /// The operands' common shape.
    pub source: Vec<usize>,
    pub which: Which,
    pub out: Tensor,
    /// Whether it is joined with what the room holds.
    pub onto: bool,
}

/// The levels of this machine, the one without vectors first.
pub fn levels() -> Vec<Isa> {
    let mut levels: Vec<_> = Isa::available().collect();
    levels.sort_by_key(|&isa| isa != Isa::SCALAR);
    levels
}

/// A view with a tag.
pub fn any(tensor: &Tensor) -> AnyView<'_> {
    AnyView::new(tensor.dtype, tensor.memory.bytes(), tensor.layout()).unwrap()
}

impl Call {
    /// Operands of these shapes and places, told apart by `seed`; of a sum of products both, else the first.
    pub fn new(signature: &Signature, operands: &[(&[usize], &Place)], which: Which, out: &Place, seed: u64) -> Self {
        let tensor = |(k, &(shape, place)): (usize, &(&[usize], &Place))| {
            let from = (seed * 2 + k as u64) << 32;
            Tensor::room(signature.dtype, shape, place).filled(|n| nth(signature, signature.dtype, from + n))
        };
        let inputs: Vec<_> = operands[..signature.operands()].iter().enumerate().map(tensor).collect();
        Self::of(signature, inputs, which, out, seed)
    }

    pub fn of(signature: &Signature, inputs: Vec<Tensor>, which: Which, out: &Place, seed: u64) -> Self {
        let shapes: Vec<_> = inputs.iter().map(|tensor| &*tensor.shape).collect();
        let source = crate::common::tensor::common_shape(&shapes);
        let room = Tensor::room(signature.output, &which.shape(&source), out);
        let out = room.filled(|n| nth(signature, signature.output, (seed << 32) + n + 77));
        Self { signature: *signature, inputs, source, which, out, onto: false }
    }

    /// What each element of the result may be, in C order.
    pub fn wants(&self) -> Vec<Want> {
        let operands: Vec<_> = self.inputs.iter().map(|tensor| tensor.elements(&self.source)).collect();
        let shape = &self.out.shape;
        let strides = naive::c_strides(shape);
        let mut groups = vec![vec![]; shape.iter().product()];
        let mut i = 0;
        naive::for_each_index(&self.source, |index| {
            let at = naive::position(0, &strides, &self.which.index(index));
            groups[at].push([operands[0][i], operands.get(1).map_or(0, |second| second[i])]);
            i += 1;
        });
        let before = self.out.elements(shape);
        let before = |at: usize| self.onto.then(|| before[at]);
        groups.iter().enumerate().map(|(at, group)| want(&self.signature, group, before(at))).collect()
    }

    pub fn plan(&self, options: Options) -> stridecast::Result<ReducePlan> {
        let layouts: Vec<_> = self.inputs.iter().map(Tensor::layout).collect();
        let inputs: Vec<_> = layouts.iter().map(|layout: &Layout<'_>| (self.signature.dtype, layout)).collect();
        let Signature { reduction, output, .. } = self.signature;
        ReducePlan::with_output(reduction, &inputs, self.which.over(), output, &self.out.layout(), options)
    }

    /// Runs it into its own room.
    pub fn run(&mut self, options: Options) -> Result<(), BroadcastError> {
        let plan = self.plan(options)?;
        self.run_plan(&plan)
    }

    pub fn run_plan(&mut self, plan: &ReducePlan) -> Result<(), BroadcastError> {
        let inputs: Vec<_> = self.inputs.iter().map(|tensor| tensor.memory.bytes().as_ptr()).collect();
        // SAFETY: the plan is of these layouts, which lie inside their memories; the output has its own, all of it
        // initialised.
        unsafe { raw::reduce(plan, &inputs, self.out.memory.bytes_mut().as_mut_ptr(), self.onto) }
    }

    /// The same by tags.
    pub fn run_any(&mut self, options: Options) -> Result<(), BroadcastError> {
        let views: Vec<_> = self.inputs.iter().map(any).collect();
        let views: Vec<_> = views.iter().collect();
        let (reduction, over, onto) = (self.signature.reduction, self.which.over(), self.onto);
        self.out.with_any(|out| reduce::reduce_any(reduction, &views, over, out, onto, options))
    }

    /// Compares what is in the room with what may be there; `before` is the room as it was.
    pub fn compare(&self, wants: &[Want], before: &Tensor, how: &dyn std::fmt::Debug) {
        let (size, dtype) = (self.out.dtype.size(), self.out.dtype);
        let mut rest = self.out.memory.clone();
        for (i, (at, want)) in self.out.positions(&self.out.shape).into_iter().zip(wants).enumerate() {
            let got = self.out.memory.element(size, at);
            assert!(want.accepts(dtype, got), "{got:#x} is not {want:?}: element {i} of {self:?} with {how:?}");
            rest.set(size, at, before.memory.element(size, at));
        }
        assert!(rest.bytes() == before.memory.bytes(), "{self:?} with {how:?} wrote beside its output");
    }

    /// The room's bytes, with every NaN made one pattern.
    pub fn canonical_bytes(&self) -> Vec<u8> {
        let (size, mut memory) = (self.out.dtype.size(), self.out.memory.clone());
        for at in self.out.positions(&self.out.shape) {
            memory.set(size, at, canonical(self.out.dtype, memory.element(size, at)));
        }
        memory.bytes().to_vec()
    }

    /// Runs it on every level: the first gives what is wanted, the others the same bits.
    pub fn check(&mut self) {
        let wants = self.wants();
        let options: Vec<_> = levels().into_iter().map(|isa| Options::new().isa(isa)).collect();
        self.check_options(&wants, &options);
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
