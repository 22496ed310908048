//! [`ReducePlan`]: everything about a reduction that its shapes decide.

#![forbid(unsafe_code)]

use super::work::Work;
use crate::dims::Shape;
use crate::element::DType;
use crate::engine::align::common_shape;
use crate::engine::isa::Isa;
use crate::engine::plan::{Options, Reach};
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, checked_bytes};
use crate::reduction::{Over, Reduction};

/// The output and up to two inputs.
pub(crate) const OPERANDS: usize = 3;

/// A prepared reduction: what is reduced over which axes, types, shapes, strides and split, without the memory.
///
/// ```
/// use stridecast::{DType, Layout, Options, Over, ReducePlan, Reduction};
///
/// let grad = Layout::new(&[2, 3])?;
/// let plan = ReducePlan::new(Reduction::Sum, (DType::F32, &grad), Over::To(&[3]), DType::F32, Options::new())?;
/// let mut bias = [0.0_f32; 3];
/// plan.run((&[1.0_f32, 2.0, 3.0, 10.0, 20.0, 30.0][..],), &mut bias)?;
/// assert_eq!(bias, [11.0, 22.0, 33.0]);
/// plan.run_onto((&[1.0_f32; 6][..],), &mut bias)?; // adds to what is there
/// assert_eq!(bias, [13.0, 24.0, 35.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReducePlan {
    pub(super) reduction: Reduction,
    /// Of the inputs.
    pub(super) dtypes: [DType; OPERANDS - 1],
    /// Their number: two for the sum of a product.
    pub(super) inputs: usize,
    pub(super) output: DType,
    /// Of the output.
    pub(super) shape: Shape,
    /// Elements of the output.
    pub(super) len: usize,
    pub(super) work: Work,
    /// Of output and inputs.
    pub(super) reach: [Reach; OPERANDS],
    pub(super) isa: Isa,
    pub(super) forced: bool,
    pub(super) serial: bool,
    /// Whether the output's buffer must have exactly its length.
    pub(super) exact: bool,
}

impl ReducePlan {
    /// `reduction` of an operand of this type and layout over some axes, into a C-order output of type `output` without
    /// gaps.
    ///
    /// # Errors
    /// If the axes are not those of the operand; if the reduction is not defined on these types; if there is nothing to
    /// find the largest or smallest of; if the output's bytes pass `isize::MAX`; if the level asked for is not
    /// available.
    pub fn new(
        reduction: Reduction,
        input: (DType, &Layout<'_>),
        over: Over<'_>,
        output: DType,
        options: Options,
    ) -> Result<Self> {
        Self::build(reduction, &[input], over, output, None, options)
    }

    /// The sum of the product of two operands of one type, which broadcast against each other: the product is rounded
    /// (f16 and bf16: as f32, where it is exact or nearly so), then added, and written nowhere.
    ///
    /// # Errors
    /// As [`ReducePlan::new`]; if the operands have different types, or no common shape.
    pub fn sum_of_product(
        inputs: [(DType, &Layout<'_>); 2],
        over: Over<'_>,
        output: DType,
        options: Options,
    ) -> Result<Self> {
        Self::build(Reduction::Sum, &inputs, over, output, None, options)
    }

    /// As [`ReducePlan::new`] of one operand or [`ReducePlan::sum_of_product`] of two, into an output of this layout.
    ///
    /// # Errors
    /// As those; if there are more operands, or two and something else than a sum; if `out` has another shape, or may
    /// touch an element twice.
    pub fn with_output(
        reduction: Reduction,
        inputs: &[(DType, &Layout<'_>)],
        over: Over<'_>,
        output: DType,
        out: &Layout<'_>,
        options: Options,
    ) -> Result<Self> {
        Self::build(reduction, inputs, over, output, Some(out), options)
    }

    pub(crate) fn build(
        reduction: Reduction,
        inputs: &[(DType, &Layout<'_>)],
        over: Over<'_>,
        output: DType,
        out: Option<&Layout<'_>>,
        options: Options,
    ) -> Result<Self> {
        let isa = options.level()?;
        let most = if reduction == Reduction::Sum { 2 } else { 1 };
        let Some(&first) = inputs.first().filter(|_| inputs.len() <= most) else {
            return Err(BroadcastError::OperandCount { expected: most, got: inputs.len() });
        };
        let dtypes = [first.0, inputs.get(1).map_or(first.0, |input| input.0)];
        if dtypes[0] != dtypes[1] {
            return Err(BroadcastError::DTypeMismatch { expected: dtypes[0], got: dtypes[1] });
        }
        let common;
        let (second, source) = match inputs.get(1) {
            Some(&(_, second)) => {
                common = common_shape(&[first.1, second])?;
                (Some(second), &*common)
            }
            None => (None, first.1.shape()),
        };
        let shape = over.output_shape(source)?;
        let plain = Layout::new(&shape)?;
        let target = out.unwrap_or(&plain);
        target.check_disjoint()?;
        let sizes = [output.size(), first.0.size(), if second.is_some() { first.0.size() } else { 0 }];
        checked_bytes(&shape, sizes[0])?;
        checked_bytes(source, 1)?;
        let len = plain.len();
        let wide = over.stretch(target, source)?;
        let mut reach = [Reach::of(target), Reach::of(first.1), second.map_or(Reach::plain(0), Reach::of)];
        reach[0].check_bytes(target, sizes[0])?;
        reach[1].check_bytes(first.1, sizes[1])?;
        if let Some(second) = second {
            reach[2].check_bytes(second, sizes[2])?;
        }
        if wide.is_empty() {
            // Nothing is read.
            reach[1] = Reach::plain(0);
            reach[2] = Reach::plain(0);
        }
        let a = first.1.broadcast_to(source)?;
        let b = second.map(|second| second.broadcast_to(source)).transpose()?;
        let work =
            Work::new(reduction, dtypes[0], output, [&wide, &a, b.as_ref().unwrap_or(&a)], inputs.len(), target, isa)?;
        Ok(Self {
            reduction,
            dtypes,
            inputs: inputs.len(),
            output,
            len,
            work,
            reach,
            isa,
            forced: options.isa.is_some(),
            serial: options.serial,
            exact: out.is_none(),
            shape,
        })
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.len
    }

    /// The output's element type.
    pub fn output_dtype(&self) -> DType {
        self.output
    }

    /// Number of operands: two for the sum of a product.
    pub fn operands(&self) -> usize {
        self.inputs
    }

    /// Type of the operands.
    pub fn operand_dtype(&self) -> DType {
        self.dtypes[0]
    }
}
