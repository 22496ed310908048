//! Running plans of reductions.

use core::fmt;
use core::ops::Range;

use super::plan::ReducePlan;
use crate::element::Element;
use crate::engine::op_run::{ElementSlices, bytes, check_aligned, elements};
use crate::error::{BroadcastError, Result};
use crate::layout::Buffer;

impl ReducePlan {
    /// Runs the plan on slices, a tuple of as many as it has operands.
    ///
    /// # Errors
    /// If an element type is not the plan's; if a slice is too short, or `out` longer than the output of a plan that was
    /// made without a layout for it. Nothing is written then.
    #[inline]
    pub fn run<'o, S: ElementSlices, O: Element>(&self, operands: S, out: impl Into<Buffer<'o, O>>) -> Result<()> {
        let out = out.into();
        self.check_operands::<S, O>(&operands)?;
        self.check_output(out.len())?;
        let parts = operands.parts();
        // SAFETY: checked above; typed slices are aligned and initialised, and the output is exclusively borrowed.
        unsafe { self.launch([parts[0].0, parts[1].0], out.as_mut_ptr(), false) };
        Ok(())
    }

    /// As [`ReducePlan::run`], joining the result with what `out` holds: a sum or a mean is added to it, rounded once more;
    /// of a maximum the larger stays; a product is multiplied with it. For gradients that add up.
    ///
    /// # Errors
    /// As [`ReducePlan::run`].
    #[inline]
    pub fn run_onto<S: ElementSlices, O: Element>(&self, operands: S, out: &mut [O]) -> Result<()> {
        self.check_operands::<S, O>(&operands)?;
        self.check_output(out.len())?;
        let parts = operands.parts();
        // SAFETY: checked above; the slices are initialised.
        unsafe { self.launch([parts[0].0, parts[1].0], out.as_mut_ptr().cast(), true) };
        Ok(())
    }

    /// As [`ReducePlan::run`] or, if `onto`, [`ReducePlan::run_onto`], on bytes that are aligned for the plan's element
    /// types.
    ///
    /// # Errors
    /// As [`ReducePlan::run`]; if there are not as many slices as operands, one is not aligned, or does not hold whole
    /// elements.
    pub fn run_any(&self, operands: &[&[u8]], out: &mut [u8], onto: bool) -> Result<()> {
        self.check_count(operands.len())?;
        let mut ptrs = [core::ptr::null(); 2];
        for (k, bytes) in operands.iter().enumerate() {
            self.check_len(k, elements("operand", bytes.len(), self.dtypes[k])?)?;
            check_aligned(bytes.as_ptr(), self.dtypes[k], bytes.is_empty())?;
            ptrs[k] = bytes.as_ptr();
        }
        self.check_output(elements("output", out.len(), self.output)?)?;
        check_aligned(out.as_ptr(), self.output, out.is_empty())?;
        // SAFETY: checked above.
        unsafe { self.launch(ptrs, out.as_mut_ptr(), onto) };
        Ok(())
    }

    /// Runs it on pointers that were found to be good.
    ///
    /// # Safety
    /// Operands and output are valid for the plan's layouts and aligned for its types, initialised on the operands' side
    /// and, if `onto`, on the output's; the output shares no byte with an operand, and nobody else touches it.
    #[inline]
    pub(crate) unsafe fn launch(&self, inputs: [*const u8; 2], out: *mut u8, onto: bool) {
        if self.len > 0 {
            // SAFETY: the caller's promise.
            unsafe { self.work.run([out, inputs[0].cast_mut(), inputs[1].cast_mut()], onto, !self.serial) }
        }
    }

    fn check_count(&self, got: usize) -> Result<()> {
        if got == self.inputs { Ok(()) } else { Err(BroadcastError::OperandCount { expected: self.inputs, got }) }
    }

    #[inline]
    fn check_operands<S: ElementSlices, O: Element>(&self, operands: &S) -> Result<()> {
        self.check_count(S::DTYPES.len())?;
        for (&got, &expected) in S::DTYPES.iter().zip(&self.dtypes).chain([(&O::DTYPE, &self.output)]) {
            if got != expected {
                return Err(BroadcastError::DTypeMismatch { expected, got });
            }
        }
        let parts = operands.parts();
        (0..self.inputs).try_for_each(|k| self.check_len(k, parts[k].1))
    }

    fn check_len(&self, k: usize, len: usize) -> Result<()> {
        let reach = &self.reach[k + 1];
        if reach.holds(len) { Ok(()) } else { Err(reach.lack("operand", len)) }
    }

    fn check_output(&self, len: usize) -> Result<()> {
        let held = if self.exact { len == self.len } else { self.reach[0].holds(len) };
        if held { Ok(()) } else { Err(self.reach[0].lack("output", len)) }
    }

    /// Bytes that operand `k` reaches, from its pointer on.
    pub(crate) fn operand_bytes(&self, k: usize) -> Range<isize> {
        bytes(&self.reach[k + 1], self.dtypes[k])
    }

    /// Bytes that the output reaches.
    pub(crate) fn output_bytes_range(&self) -> Range<isize> {
        bytes(&self.reach[0], self.output)
    }
}

impl fmt::Display for ReducePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.inputs == 2 { " of products" } else { "" };
        writeln!(f, "{}{what} of {} to {}", self.reduction, self.dtypes[0], self.output)?;
        writeln!(f, "output   {:?}, {} elements of {} bytes", &*self.shape, self.len, self.output.size())?;
        self.work.describe(f)?;
        let why = if self.forced { "forced by the plan" } else { "chosen for this process" };
        writeln!(f, "isa      {} ({why}): {}", self.isa, self.isa.describe())?;
        let split = if self.serial { "serial, as asked" } else { "over the caller's rayon pool if large" };
        writeln!(f, "split    {split}")?;
        write!(f, "bytes    reads {}, writes {}", self.work.bytes_read(), self.len * self.output.size())
    }
}
