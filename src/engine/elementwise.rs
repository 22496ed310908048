//! Elementwise calls: what is decided from layouts and types, for one run or, as a plan, for many.

use super::align::{common_shape, lay_dense, lay_strided};
use super::apply;
use super::catalog::ApproxEqPlain;
use super::compute::{Compute, Walk};
use super::isa::Isa;
use super::kernel::Stores;
use super::map::{Call, OPERANDS};
use super::plan::{Options, Reach};
use super::resolve::{Resolved, Signature};
use super::widen::Job;
use crate::dims::Shape;
use crate::element::DType;
use crate::error::{BroadcastError, Result};
use crate::functions::Tolerance;
use crate::layout::{Layout, checked_bytes};
use crate::op::Op;

/// An input of a call: its type, its memory and where its elements lie in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'v> {
    pub dtype: DType,
    pub ptr: *const u8,
    pub layout: &'v Layout<'v>,
}

/// Where a call writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'v> {
    pub dtype: DType,
    pub ptr: *mut u8,
    /// Of an output in C order without gaps, how many elements; its shape, if it has one; else its layout.
    pub place: Place<'v>,
    /// Whether it may be one of the inputs.
    pub in_place: bool,
}

/// The elements of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'v> {
    /// As many, in C order.
    Buffer(usize),
    /// In this layout.
    Layout(&'v Layout<'v>),
}

/// Most operands of a kernel.
const INPUTS: usize = OPERANDS - 1;

/// The layouts of up to three inputs, and what comes with them, in the order of a kernel.
fn in_order<T: Copy>(items: [T; INPUTS], exchanged: bool) -> [T; INPUTS] {
    let [a, b, c] = items;
    if exchanged { [b, a, c] } else { items }
}

/// Whether large outputs should pass the caches: as for copies, where there is about as much to read.
pub(super) fn stores(compute: &Compute, options: Options) -> Stores {
    let written = compute.nest.units.saturating_mul(compute.sizes[0]);
    options.stores.unwrap_or_else(|| {
        // Small calls are told apart by one comparison.
        if written < Stores::COPY / 8 {
            return Stores::Cached;
        }
        let read = compute.bytes_read();
        let streams = read >= written / 4 && read.saturating_add(written) >= Stores::COPY;
        if streams { Stores::Streaming } else { Stores::Cached }
    })
}

/// Computes `op` of `inputs` into `target`, at once.
///
/// # Safety
/// Each source's elements are initialised and aligned for their type, and nobody writes them meanwhile; the target's are
/// writable, aligned, and nobody else touches them; a target that is not `in_place` shares no byte with a source, and
/// one that is shares all of them, in the same places, with a source of its type, or none.
pub(crate) unsafe fn run_once(
    op: Op,
    inputs: &[Source<'_>],
    target: &Target<'_>,
    tolerance: Tolerance,
    options: Options,
) -> Result<()> {
    let isa = options.level()?;
    let mut dtypes = [DType::Bool; INPUTS];
    for (dtype, input) in dtypes.iter_mut().zip(inputs) {
        *dtype = input.dtype;
    }
    let dtypes = &dtypes[..inputs.len().min(INPUTS)];
    // Looked at where it is: moved out of the result it is copied twice.
    let mut found = Signature { op, inputs: dtypes, output: target.dtype }.resolve(isa);
    let resolved = match &mut found {
        Ok(resolved) => resolved,
        Err(error) => return Err(error.clone()),
    };
    let first = inputs[0];
    let ordered = in_order(core::array::from_fn(|k| inputs.get(k).copied().unwrap_or(first)), resolved.exchanged);
    let layouts: [&Layout<'_>; INPUTS] = ordered.map(|input| input.layout);
    let layouts = &layouts[..inputs.len()];
    let mut compute = Compute::empty(resolved.sizes);
    let laid = match target.place {
        Place::Buffer(len) => {
            lay_dense(&mut compute.nest, layouts, None, resolved.sizes).and_then(|()| check_len(&compute, layouts, len))
        }
        Place::Layout(layout) if layout.is_plain() => {
            lay_dense(&mut compute.nest, layouts, Some(layout.shape()), resolved.sizes)
        }
        Place::Layout(layout) => lay_strided(&mut compute.nest, layouts, layout, resolved.sizes),
    };
    if let Err(error) = laid {
        return Err(if resolved.exchanged { exchange(error) } else { error });
    }
    if compute.nest.units == 0 {
        return Ok(());
    }
    if let Some((need, k)) = resolved.need {
        let input = ordered[k];
        // SAFETY: the caller's promise.
        if !unsafe { need.holds(input.ptr, input.layout, input.dtype.size()) } {
            return Err(need.error(op));
        }
    }
    settle(&mut compute, resolved, op, first.dtype, isa);
    let approx = ApproxEqPlain(tolerance);
    let call = Call {
        function: (&raw const approx).cast(),
        stream: stores(&compute, options) == Stores::Streaming,
        apart: !target.in_place,
    };
    let mut ptrs = [target.ptr; OPERANDS];
    for (ptr, input) in ptrs[1..].iter_mut().zip(ordered) {
        *ptr = input.ptr.cast_mut();
    }
    // SAFETY: the nest was made from the layouts, whose elements the caller vouches for; the kernel was found for their
    // types, on a level that an `Isa` vouches for; the tolerance is the only value that a function of the list has.
    unsafe {
        if !apply::run_tile(&compute, resolved.kernel.run, &call, ptrs) {
            apply::run(&job(&compute, resolved, call, isa), ptrs, !options.serial);
        }
    }
    Ok(())
}

/// Shapes that were found to have no common one in the order of a kernel, in the caller's.
#[cold]
fn exchange(mut error: BroadcastError) -> BroadcastError {
    if let BroadcastError::NotMutual { shapes, sizes: (one, two), .. } = &mut error {
        shapes.swap(0, 1);
        core::mem::swap(one, two);
    }
    error
}

/// That an output of `len` elements is what the nest writes.
fn check_len(compute: &Compute, layouts: &[&Layout<'_>], len: usize) -> Result<()> {
    if compute.nest.units == len {
        return Ok(());
    }
    let expected = checked_bytes(&common_shape(layouts)?, 1)?;
    Err(BroadcastError::LengthMismatch { what: "output", expected, got: len })
}

/// Decides how the nest is walked, and whether an operand of halves is converted once rather than block by block.
#[inline]
fn settle(compute: &mut Compute, resolved: &mut Resolved, op: Op, dtype: DType, isa: Isa) {
    if resolved.widens
        && let Some(k) = stands_still(compute)
        && let Some(widened) = resolved.widened(op, dtype, k, isa)
    {
        *resolved = widened;
    }
    compute.decide(resolved.casts.map(|cast| cast.is_some()));
}

/// An operand of two that is read again along the rows, or along the columns, and so is worth converting once.
fn stands_still(compute: &Compute) -> Option<usize> {
    let (rows, cols) = (compute.nest.rows(), compute.nest.cols());
    let again = |k: usize| (rows.size > 1 && rows.strides[k] == 0) || cols.strides[k] == 0;
    if compute.nest.units < WORTH_ONCE { None } else { [2, 1].into_iter().find(|&k| again(k)) }
}

/// Fewer elements are converted where they are met: laying out a part of an operand costs more.
const WORTH_ONCE: usize = 2048;

fn job<'c>(compute: &'c Compute, resolved: &Resolved, call: Call, isa: Isa) -> Job<'c> {
    let kernel = resolved.kernel;
    Job { compute, kernel: kernel.run, call, sizes: kernel.sizes, casts: resolved.casts, isa, heavy: kernel.heavy }
}

/// A prepared elementwise call: function, types, shapes, strides, kernel and split, without the memory.
#[derive(Clone, Debug)]
pub struct OpPlan {
    pub(super) op: Op,
    /// Of the inputs, in the caller's order.
    pub(super) dtypes: [DType; INPUTS],
    pub(super) output: DType,
    /// Their number.
    pub(super) inputs: usize,
    pub(super) shape: Shape,
    pub(super) len: usize,
    pub(super) compute: Compute,
    pub(super) resolved: Resolved,
    /// Of output and inputs, in the kernel's order.
    pub(super) reach: [Reach; OPERANDS],
    /// The layout of an operand whose values are looked at first.
    pub(super) scanned: Option<Layout<'static>>,
    pub(super) tolerance: Tolerance,
    pub(super) stream: bool,
    pub(super) isa: Isa,
    pub(super) forced: bool,
    pub(super) serial: bool,
    /// Whether the output's buffer must have exactly its length.
    pub(super) exact: bool,
}

impl OpPlan {
    /// `op` on operands of these types and layouts, which broadcast against each other, into a C-order output without
    /// gaps of type `output`; [`OpPlan::output_of`] has the usual one.
    ///
    /// # Errors
    /// If the number of operands is not the function's; if it is not defined on these types; if the shapes have no
    /// common one; if the output's bytes pass `isize::MAX`; if the level asked for is not available.
    pub fn new(op: Op, inputs: &[(DType, &Layout<'_>)], output: DType, options: Options) -> Result<Self> {
        Self::build(op, inputs, output, None, options)
    }

    /// As [`OpPlan::new`], into an output of this layout, which must have the common shape.
    ///
    /// # Errors
    /// As [`OpPlan::new`]; if `out` has another shape, or may touch an element twice.
    pub fn with_output(
        op: Op,
        inputs: &[(DType, &Layout<'_>)],
        output: DType,
        out: &Layout<'_>,
        options: Options,
    ) -> Result<Self> {
        Self::build(op, inputs, output, Some(out), options)
    }

    /// The element type that a function gives for operands of these types: bool for comparisons, else that of what it
    /// computes with.
    pub fn output_of(op: Op, inputs: &[DType]) -> DType {
        Signature::output_of(op, inputs)
    }

    /// How far apart [`Op::ApproxEq`] takes numbers for equal; NumPy's if this is not called.
    pub fn tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self
    }

    fn build(
        op: Op,
        inputs: &[(DType, &Layout<'_>)],
        output: DType,
        out: Option<&Layout<'_>>,
        options: Options,
    ) -> Result<Self> {
        let isa = options.level()?;
        let Some(&first) = inputs.first().filter(|_| inputs.len() == op.arity()) else {
            return Err(BroadcastError::OperandCount { expected: op.arity(), got: inputs.len() });
        };
        let given: [(DType, &Layout<'_>); INPUTS] = core::array::from_fn(|k| inputs.get(k).copied().unwrap_or(first));
        let dtypes = given.map(|(dtype, _)| dtype);
        let mut resolved = Signature { op, inputs: &dtypes[..inputs.len()], output }.resolve(isa)?;
        let layouts = in_order(given.map(|(_, layout)| layout), resolved.exchanged);
        let layouts = &layouts[..inputs.len()];
        let shape = common_shape(layouts).map_err(|error| if resolved.exchanged { exchange(error) } else { error })?;
        let mut compute = Compute::empty(resolved.sizes);
        let mut reach = [Reach::plain(0); OPERANDS];
        let sizes = resolved.sizes;
        match out.filter(|out| !out.is_plain()) {
            Some(out) => lay_strided(&mut compute.nest, layouts, out, sizes)?,
            None => lay_dense(&mut compute.nest, layouts, out.map(Layout::shape), sizes)?,
        }
        let len = checked_bytes(&shape, 1)?;
        for (k, layout) in layouts.iter().enumerate() {
            if len > 0 {
                reach[k + 1] = Reach::of(layout);
            }
            reach[k + 1].check_bytes(layout, sizes[k + 1])?;
        }
        reach[0] = out.map_or(Reach::plain(len), Reach::of);
        settle(&mut compute, &mut resolved, op, first.0, isa);
        let stream = stores(&compute, options) == Stores::Streaming;
        let scanned = resolved.need.map(|(_, k)| layouts[k].clone().into_owned());
        Ok(Self {
            op,
            dtypes,
            output,
            inputs: inputs.len(),
            shape,
            len,
            compute,
            resolved,
            reach,
            scanned,
            tolerance: Tolerance::default(),
            stream,
            isa,
            forced: options.isa.is_some(),
            serial: options.serial,
            exact: out.is_none(),
        })
    }

    /// Runs it on memory.
    ///
    /// # Safety
    /// As [`run_once`], for the layouts and types that the plan was made for.
    ///
    /// # Errors
    /// If an integer is divided by zero, or raised to a negative power; nothing is written then.
    #[inline]
    pub(crate) unsafe fn launch(&self, inputs: [*const u8; INPUTS], out: *mut u8, apart: bool) -> Result<()> {
        let inputs = in_order(inputs, self.resolved.exchanged);
        if self.len == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.check_values(inputs)? };
        let approx = ApproxEqPlain(self.tolerance);
        let call = Call { function: (&raw const approx).cast(), stream: self.stream, apart };
        let [a, b, c] = inputs.map(<*const u8>::cast_mut);
        // SAFETY: as in `run_once`.
        unsafe {
            if !apply::run_tile(&self.compute, self.resolved.kernel.run, &call, [out, a, b, c]) {
                apply::run(&job(&self.compute, &self.resolved, call, self.isa), [out, a, b, c], !self.serial);
            }
        }
        Ok(())
    }

    /// That no operand, in the kernel's order, has a value that the function refuses.
    ///
    /// # Safety
    /// As [`OpPlan::launch`], for the operands.
    #[inline]
    unsafe fn check_values(&self, inputs: [*const u8; INPUTS]) -> Result<()> {
        if let (Some((need, k)), Some(layout)) = (self.resolved.need, &self.scanned) {
            // SAFETY: the caller's promise.
            if !unsafe { need.holds(inputs[k], layout, self.compute.sizes[k + 1]) } {
                return Err(need.error(self.op));
            }
        }
        Ok(())
    }

    /// Runs the positions `range` on this thread; `out` is where the whole output starts.
    ///
    /// # Safety
    /// As [`OpPlan::launch`] for the operands and for the output's elements in the range; the output is in C order, and
    /// the range begins on a multiple of [`STEP`](super::widen::STEP) and ends on one or with the output.
    pub(crate) unsafe fn launch_range(
        &self,
        inputs: [*const u8; INPUTS],
        out: *mut u8,
        range: core::ops::Range<usize>,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let inputs = in_order(inputs, self.resolved.exchanged);
        // SAFETY: the caller's promise.
        unsafe { self.check_values(inputs)? };
        let approx = ApproxEqPlain(self.tolerance);
        let call = Call { function: (&raw const approx).cast(), stream: self.stream, apart: true };
        let [a, b, c] = inputs.map(<*const u8>::cast_mut);
        let mut job = job(&self.compute, &self.resolved, call, self.isa);
        let chunked;
        if self.compute.walk == Walk::Panels {
            // Pieces end anywhere, panels do not.
            chunked = Compute { walk: Walk::Chunks, ..self.compute.clone() };
            job.compute = &chunked;
        }
        // SAFETY: as in `run_once`.
        unsafe { apply::run_range(&job, [out, a, b, c], range) };
        Ok(())
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.len
    }
}
