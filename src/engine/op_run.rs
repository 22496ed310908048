//! Running elementwise plans, and saying what they decided.

use core::fmt;
use core::ops::Range;

use super::compute::Walk;
use super::elementwise::OpPlan;
use super::map::OPERANDS;
use super::mapped::Slices;
use super::plan::Reach;
use crate::element::{DType, Element};
use crate::error::{BroadcastError, Result};
use crate::layout::Buffer;

/// Slices of elements with tags.
pub trait ElementSlices: Slices {
    /// Their types, in order.
    #[doc(hidden)]
    const DTYPES: &'static [DType];
}

impl<A: Element> ElementSlices for (&[A],) {
    const DTYPES: &'static [DType] = &[A::DTYPE];
}

impl<A: Element, B: Element> ElementSlices for (&[A], &[B]) {
    const DTYPES: &'static [DType] = &[A::DTYPE, B::DTYPE];
}

impl<A: Element, B: Element, C: Element> ElementSlices for (&[A], &[B], &[C]) {
    const DTYPES: &'static [DType] = &[A::DTYPE, B::DTYPE, C::DTYPE];
}

impl OpPlan {
    /// Runs the plan on slices, a tuple of as many as the function has operands.
    ///
    /// # Errors
    /// If an element type is not the plan's; if a slice is too short, or `out` longer than the output of a plan that was
    /// made without a layout for it; if an integer is divided by zero or raised to a negative integer. Nothing is
    /// written then.
    ///
    /// ```
    /// use stridecast::{DType, Layout, Op, OpPlan, Options};
    ///
    /// let (a, b) = (Layout::new(&[2, 1])?, Layout::new(&[3])?);
    /// let plan = OpPlan::new(Op::Mul, &[(DType::I32, &a), (DType::I32, &b)], DType::I32, Options::new())?;
    /// let mut out = [0_i32; 6];
    /// plan.run((&[1, 2][..], &[1, 10, 100][..]), &mut out)?;
    /// assert_eq!(out, [1, 10, 100, 2, 20, 200]);
    /// # Ok::<(), stridecast::BroadcastError>(())
    /// ```
    #[inline]
    pub fn run<'o, S: ElementSlices, O: Element>(&self, operands: S, out: impl Into<Buffer<'o, O>>) -> Result<()> {
        let out = out.into();
        let parts = operands.parts();
        self.check_operands::<S, O>(&operands)?;
        self.check_output(out.len())?;
        // SAFETY: checked above; typed slices are aligned and initialised, and the output is exclusively borrowed.
        unsafe { self.launch(parts.map(|(ptr, _)| ptr), out.as_mut_ptr(), true) }
    }

    /// As [`OpPlan::run`], on bytes that are aligned for the plan's element types.
    ///
    /// # Errors
    /// As [`OpPlan::run`]; if there are not as many slices as operands, one is not aligned, or does not hold whole
    /// elements.
    pub fn run_any(&self, operands: &[&[u8]], out: &mut [u8]) -> Result<()> {
        if operands.len() != self.inputs {
            return Err(BroadcastError::OperandCount { expected: self.inputs, got: operands.len() });
        }
        let mut ptrs = [core::ptr::null(); OPERANDS - 1];
        for (k, bytes) in operands.iter().enumerate() {
            let dtype = self.dtypes[k];
            self.check_len(k, elements("operand", bytes.len(), dtype)?)?;
            check_aligned(bytes.as_ptr(), dtype, bytes.is_empty())?;
            ptrs[k] = bytes.as_ptr();
        }
        self.check_output(elements("output", out.len(), self.output)?)?;
        check_aligned(out.as_ptr(), self.output, out.is_empty())?;
        // SAFETY: checked above.
        unsafe { self.launch(ptrs, out.as_mut_ptr(), true) }
    }

    /// Runs it on pointers that were found to be good.
    ///
    /// # Safety
    /// Operands and output are valid for the plan's layouts, initialised on the operands' side; the output shares no byte
    /// with an operand, or, if not `apart`, all of them with one of its type and layout.
    ///
    /// # Errors
    /// As [`OpPlan::run`], where a value is refused.
    pub(crate) unsafe fn run_raw(&self, operands: &[*const u8], out: *mut u8, apart: bool) -> Result<()> {
        let mut ptrs = [core::ptr::null(); OPERANDS - 1];
        for (ptr, operand) in ptrs.iter_mut().zip(operands) {
            *ptr = *operand;
        }
        // SAFETY: the caller's promise.
        unsafe { self.launch(ptrs, out, apart) }
    }

    /// The types, and what the operands hold.
    #[inline]
    pub(super) fn check_operands<S: ElementSlices, O: Element>(&self, operands: &S) -> Result<()> {
        self.check_types(S::DTYPES, O::DTYPE)?;
        let parts = operands.parts();
        (0..self.inputs).try_for_each(|k| self.check_len(k, parts[k].1))
    }

    fn check_types(&self, inputs: &[DType], output: DType) -> Result<()> {
        if inputs.len() != self.inputs {
            return Err(BroadcastError::OperandCount { expected: self.inputs, got: inputs.len() });
        }
        for (&got, &expected) in inputs.iter().zip(&self.dtypes).chain([(&output, &self.output)]) {
            if got != expected {
                return Err(BroadcastError::DTypeMismatch { expected, got });
            }
        }
        Ok(())
    }

    /// What operand `k`, in the caller's order, reaches.
    fn reach_of(&self, k: usize) -> &Reach {
        let exchanged = self.resolved.exchanged && k < 2;
        &self.reach[if exchanged { 2 - k } else { k + 1 }]
    }

    fn check_len(&self, k: usize, len: usize) -> Result<()> {
        let reach = self.reach_of(k);
        if reach.holds(len) { Ok(()) } else { Err(reach.lack("operand", len)) }
    }

    fn check_output(&self, len: usize) -> Result<()> {
        let held = if self.exact { len == self.len } else { self.reach[0].holds(len) };
        if held { Ok(()) } else { Err(self.reach[0].lack("output", len)) }
    }

    /// Number of operands.
    pub fn operands(&self) -> usize {
        self.inputs
    }

    /// Type of operand `k`.
    pub(crate) fn dtype_of(&self, k: usize) -> DType {
        self.dtypes[k]
    }

    /// The output's element type.
    pub fn output_dtype(&self) -> DType {
        self.output
    }

    /// The walk that its shapes asked for.
    pub fn walk(&self) -> Walk {
        self.compute.walk
    }

    /// Name of its kernel.
    pub fn kernel_name(&self) -> &'static str {
        self.resolved.kernel.name
    }

    /// Bytes that operand `k` reaches, from its pointer on.
    pub(crate) fn operand_bytes(&self, k: usize) -> Range<isize> {
        bytes(self.reach_of(k), self.dtypes[k])
    }

    /// Bytes that the output reaches.
    pub(crate) fn output_bytes_range(&self) -> Range<isize> {
        bytes(&self.reach[0], self.output)
    }

    /// Whether operand `k` has the output's type and layout, so that it may be the output.
    pub(crate) fn may_be_output(&self, k: usize) -> bool {
        let exchanged = self.resolved.exchanged && k < 2;
        let at = if exchanged { 2 - k } else { k + 1 };
        let nest = &self.compute.nest;
        let same = nest.axes.iter().all(|axis| axis.strides[at] == axis.strides[0]) && nest.start[at] == nest.start[0];
        same && self.dtypes[k] == self.output
    }
}

/// Byte offsets that a layout reaches.
pub(super) fn bytes(reach: &Reach, dtype: DType) -> Range<isize> {
    let size = dtype.size() as isize;
    // The constructor checked that both products fit.
    reach.span.map_or(0..0, |(low, high)| low * size..(high + 1) * size)
}

/// Whole elements in some bytes.
pub(super) fn elements(what: &'static str, bytes: usize, dtype: DType) -> Result<usize> {
    if bytes.is_multiple_of(dtype.size()) {
        return Ok(bytes / dtype.size());
    }
    Err(BroadcastError::PartialElement { what, bytes, elem_size: dtype.size() })
}

/// That a pointer is aligned for a type, unless there is nothing behind it.
pub(crate) fn check_aligned(ptr: *const u8, dtype: DType, empty: bool) -> Result<()> {
    if empty || ptr.addr().is_multiple_of(dtype.align()) { Ok(()) } else { Err(BroadcastError::Misaligned { dtype }) }
}

impl fmt::Display for OpPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nest = &self.compute.nest;
        write!(f, "function {} of", self.op)?;
        for dtype in &self.dtypes[..self.inputs] {
            write!(f, " {dtype}")?;
        }
        writeln!(f, " to {}", self.output)?;
        writeln!(f, "output   {:?}, {} elements of {} bytes", &*self.shape, self.len, self.output.size())?;
        write!(f, "nest     ")?;
        if nest.units == 0 {
            writeln!(f, "empty: nothing to write")?;
        } else {
            for (i, axis) in nest.axes.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { " x " } else { "" }, axis.size)?;
            }
            write!(f, "{}; byte strides:", if nest.axes.is_empty() { "one element" } else { " elements" })?;
            for k in 0..=self.inputs {
                write!(f, " {}", ["output", "a", "b", "c"][k])?;
                for axis in &nest.axes {
                    write!(f, " {}", axis.strides[k])?;
                }
                f.write_str(if k < self.inputs { "," } else { "\n" })?;
            }
        }
        writeln!(f, "walk     {}", self.compute.walk.describe())?;
        let kernel = self.resolved.kernel;
        let casts = self.resolved.casts.iter().filter(|cast| cast.is_some()).count();
        write!(f, "kernel   {}", kernel.name)?;
        writeln!(f, "{}", if casts > 0 { ", with operands converted in L1" } else { "" })?;
        let why = if self.forced { "forced by the plan" } else { "chosen for this process" };
        writeln!(f, "isa      {} ({why}), kernel for {}: {}", self.isa, kernel.isa.name(), self.isa.describe())?;
        writeln!(
            f,
            "split    {}",
            if self.serial { "serial, as asked" } else { "over the caller's rayon pool if large" }
        )?;
        writeln!(f, "stores   {}", if self.stream { "streaming" } else { "cached" })?;
        write!(f, "bytes    reads {}, writes {}", self.compute.bytes_read(), self.len * self.output.size())
    }
}
