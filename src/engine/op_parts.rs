//! [`OpParts`]: an elementwise plan in pieces that the caller runs where it likes.

use core::ops::Range;

use super::elementwise::OpPlan;
use super::grid::Lines;
use super::op_run::ElementSlices;
use super::widen::STEP;
use crate::element::Element;
use crate::error::{BroadcastError, Result};
use crate::layout::Buffer;

impl OpPlan {
    /// Cuts the output into at most `n` pieces (at least one) that the caller may run where it likes. Pieces meet on
    /// multiples of 64 elements from the output's first, so there are fewer where the output is short.
    ///
    /// # Errors
    /// If the output has gaps, or is not in C order, so that its pieces are no slices.
    ///
    /// ```
    /// use stridecast::{DType, Layout, Op, OpPlan, Options};
    ///
    /// let (x, bias) = (Layout::new(&[100, 7])?, Layout::new(&[7])?);
    /// let plan = OpPlan::new(Op::Add, &[(DType::F32, &x), (DType::F32, &bias)], DType::F32, Options::new())?;
    /// let (x, bias, mut out) = (vec![1.0_f32; 700], vec![0.5_f32; 7], vec![0.0_f32; 700]);
    /// let parts = plan.parts(4)?;
    /// for i in 0..parts.len() {
    ///     parts.run_part(i, (&x[..], &bias[..]), &mut out[parts.range(i)])?; // in any order, on any thread
    /// }
    /// assert_eq!(out, vec![1.5; 700]);
    /// # Ok::<(), stridecast::BroadcastError>(())
    /// ```
    pub fn parts(&self, n: usize) -> Result<OpParts<'_>> {
        if !self.exact {
            return Err(BroadcastError::NotDense { shape: self.output_shape().to_vec() });
        }
        Ok(OpParts { plan: self, count: n.clamp(1, self.output_len().div_ceil(STEP).max(1)) })
    }
}

/// The pieces of an elementwise plan; see [`OpPlan::parts`].
#[derive(Clone, Copy, Debug)]
pub struct OpParts<'p> {
    plan: &'p OpPlan,
    count: usize,
}

#[expect(clippy::len_without_is_empty, reason = "there is always at least one part")]
impl OpParts<'_> {
    /// Number of pieces, at least 1.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The elements of the output that piece `index` writes.
    ///
    /// # Panics
    /// If `index` is not below [`OpParts::len`].
    pub fn range(&self, index: usize) -> Range<usize> {
        assert!(index < self.count, "part {index} of {}", self.count);
        Lines::aligned(STEP).piece(self.plan.output_len(), self.count, index)
    }

    /// Writes piece `index` on the calling thread; `out` is the piece's own slice, `&mut output[parts.range(index)]`.
    /// What [`OpPlan::run`] refuses of the operands' values is refused here too, by each piece for all of them.
    ///
    /// # Errors
    /// As [`OpPlan::run`]; if `out` has another length than the piece's range.
    ///
    /// # Panics
    /// If `index` is not below [`OpParts::len`].
    pub fn run_part<'o, S: ElementSlices, O: Element>(
        &self,
        index: usize,
        operands: S,
        out: impl Into<Buffer<'o, O>>,
    ) -> Result<()> {
        let (range, out) = (self.range(index), out.into());
        self.plan.check_operands::<S, O>(&operands)?;
        if out.len() != range.len() {
            let (expected, got) = (range.len(), out.len());
            return Err(BroadcastError::LengthMismatch { what: "part's output", expected, got });
        }
        // Where the whole output would start. Wrapping, because that may lie before the piece's own memory.
        let base = out.as_mut_ptr().wrapping_sub(range.start * size_of::<O>());
        // SAFETY: checked above; the output is in C order, so the range of its positions is the slice.
        unsafe { self.plan.launch_range(operands.parts().map(|(ptr, _)| ptr), base, range) }
    }
}
