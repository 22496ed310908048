//! The safe doors of reductions: what is behind a view is valid for its layout.

use super::once::Once;
use super::plan::ReducePlan;
use crate::element::{DType, Element};
use crate::engine::plan::Options;
use crate::engine::typed::Operand;
use crate::error::{BroadcastError, Result};
use crate::layout::{AnyViewMut, Layout, Out, Tensor, ViewMut};
use crate::reduction::{Over, Reduction};

/// A reduction, over what, and how it is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduce<'a> {
    pub reduction: Reduction,
    pub over: Over<'a>,
    pub options: Options,
}

impl<'a> Reduce<'a> {
    /// Run with the default options.
    pub fn new(reduction: Reduction, over: Over<'a>) -> Self {
        Self { reduction, over, options: Options::new() }
    }

    /// Into a new tensor.
    pub fn tensor<O: Element>(&self, operands: &[Operand<'_>]) -> Result<Tensor<O>> {
        if let ([operand], Some(once)) = (operands, self.once(operands, O::DTYPE)?) {
            let shape = self.over.output_shape(operand.layout().shape())?;
            // SAFETY: as below.
            return unsafe {
                Tensor::filled_by(shape, |out: *mut O| {
                    once.run(operand.ptr(), out.cast());
                    Ok(())
                })
            };
        }
        let plan = self.plan(operands, O::DTYPE, None)?;
        let shape = plan.shape.clone();
        // SAFETY: a run writes every element of the output, which is new memory; the operands borrow theirs.
        unsafe {
            Tensor::filled_by(shape, |out: *mut O| {
                plan.launch(ptrs(operands), out.cast(), false);
                Ok(())
            })
        }
    }

    /// Into the caller's output.
    #[inline]
    pub fn run_into<O: Element>(&self, operands: &[Operand<'_>], out: Out<'_, O>) -> Result<()> {
        let in_order = match (out.layout(), self.over) {
            (None, _) => true,
            (Some(layout), Over::To(shape)) => layout.is_plain() && layout.shape() == shape,
            (Some(_), _) => false,
        };
        if in_order
            && let ([operand], Some(once)) = (operands, self.once(operands, O::DTYPE)?)
            && once.len == out.len()
        {
            // SAFETY: an `Out` is exclusively borrowed, and holds as many elements; an operand is in bounds of its layout.
            unsafe { once.run(operand.ptr(), out.as_mut_ptr()) };
            return Ok(());
        }
        let plan = self.plan(operands, O::DTYPE, out.layout())?;
        if out.layout().is_none() && out.len() != plan.len {
            return Err(BroadcastError::LengthMismatch { what: "output", expected: plan.len, got: out.len() });
        }
        // SAFETY: an `Out` is exclusively borrowed, so it shares nothing with the operands, and its layout is in bounds.
        unsafe { plan.launch(ptrs(operands), out.as_mut_ptr(), false) };
        Ok(())
    }

    /// Joined with what the output holds.
    pub fn run_onto<O: Element>(&self, operands: &[Operand<'_>], out: ViewMut<'_, O>) -> Result<()> {
        let (data, layout) = out.into_parts();
        let plan = self.plan(operands, O::DTYPE, Some(&layout))?;
        // SAFETY: as in `run_into`; the elements are initialised.
        unsafe { plan.launch(ptrs(operands), data.as_mut_ptr().cast(), true) };
        Ok(())
    }

    /// Into an output whose element type is a tag or, if `onto`, joined with what it holds.
    pub fn run_any(&self, operands: &[Operand<'_>], out: &mut AnyViewMut<'_>, onto: bool) -> Result<()> {
        if onto {
            out.check_initialised()?;
        }
        let plan = self.plan(operands, out.dtype(), Some(out.layout()))?;
        // SAFETY: as in `run_into`; the bytes are aligned for the tag, and that they are initialised was checked.
        unsafe { plan.launch(ptrs(operands), out.as_mut_ptr(), onto) };
        Ok(())
    }

    /// A call of a kernel, if that is all there is to do.
    #[inline]
    fn once(&self, operands: &[Operand<'_>], output: DType) -> Result<Option<Once>> {
        let [operand] = operands else { return Ok(None) };
        let isa = self.options.level()?;
        Ok(Once::of(self.reduction, &self.over, operand.dtype(), operand.layout(), output, isa))
    }

    fn plan(&self, operands: &[Operand<'_>], output: DType, out: Option<&Layout<'_>>) -> Result<ReducePlan> {
        match operands {
            [a] => ReducePlan::build(self.reduction, &[(a.dtype(), a.layout())], self.over, output, out, self.options),
            [a, b] => ReducePlan::build(
                self.reduction,
                &[(a.dtype(), a.layout()), (b.dtype(), b.layout())],
                self.over,
                output,
                out,
                self.options,
            ),
            _ => Err(BroadcastError::OperandCount { expected: 1, got: operands.len() }),
        }
    }
}

/// Where the operands start; of one, twice.
fn ptrs(operands: &[Operand<'_>]) -> [*const u8; 2] {
    let first = operands.first().map_or(core::ptr::null(), Operand::ptr);
    [first, operands.get(1).map_or(first, Operand::ptr)]
}
