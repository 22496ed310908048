//! Layouts from the ends of the number range, and which of them may be taken.
//!
//! The model counts in `i128`, where nothing of this overflows. It uses nothing of the crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use stridecast::{BroadcastError, Layout};

use crate::{MAX, MIN, pairs};

/// A layout as three lists, which the crate may or may not take.
#[derive(Clone, Debug)]
pub struct Raw {
    pub offset: isize,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
}

impl Raw {
    pub fn layout(&self) -> Result<Layout<'_>, BroadcastError> {
        Layout::strided(self.offset, &self.shape, &self.strides)
    }

    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Lowest and highest element. Sizes up to 2^64 times strides up to 2^63 fit `i128` three times over; more axes
    /// than that with such extremes are not made here.
    pub fn span(&self) -> (i128, i128) {
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (size as i128 - 1).saturating_mul(stride as i128);
            if reach < 0 { low = low.saturating_add(reach) } else { high = high.saturating_add(reach) }
        }
        (low, high)
    }

    /// Whether some address of it, or the byte behind its last, is no address.
    pub fn leaves_memory(&self, addr: usize, elem: usize) -> bool {
        let (low, high) = self.span();
        let byte = |at: i128| at.checked_mul(elem as i128).and_then(|at| at.checked_add(addr as i128));
        let start = byte(low).is_none_or(|start| start <= 0);
        addr == 0 || start || byte(high + 1).is_none_or(|end| end > usize::MAX as i128)
    }

    /// Whether elements, indices and the width from the lowest to the highest all fit `isize`.
    pub fn may_be_accepted(&self) -> bool {
        let count: Option<usize> = self.shape.iter().filter(|&&n| n > 0).try_fold(1, |n: usize, &m| n.checked_mul(m));
        let (low, high) = self.span();
        let inside = low >= MIN as i128 && high <= MAX as i128 && high - low < MAX as i128;
        count.is_some_and(|n| n <= MAX as usize) && (self.is_empty() || inside)
    }
}

/// Every layout of two axes (and of one: the other has size 1) from the ends of the number range.
pub fn hostile_layouts() -> Vec<Raw> {
    let sizes = [0, 1, 2, 3, 1 << 62, MAX as usize, 1 << 63, usize::MAX];
    // 8-byte elements at a stride of MAX / 4 - 8, starting at -(MAX / 8), fit at both ends but not in between.
    let strides = [0, 1, -1, 3, MAX / 8, MAX / 4 - 8, -(MAX / 4), MAX, MIN, MIN + 1];
    let offsets = [0, 1, -1, MAX / 8, -(MAX / 8), MAX, MIN];
    let mut all = vec![];
    for (outer, inner) in pairs(&sizes) {
        for (s, t) in pairs(&strides) {
            for offset in offsets {
                all.push(Raw { offset, shape: vec![outer, inner], strides: vec![s, t] });
            }
        }
    }
    all
}

/// The result, or the case that panicked. The message of the panic itself is printed above it.
pub fn no_panic<R>(case: &dyn std::fmt::Debug, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| panic!("panicked on {case:?}"))
}
