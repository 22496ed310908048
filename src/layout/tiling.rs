//! Tile and repeat as broadcasts: every axis is split in two, one of them with a stride of 0.
//!
//! Tiling an axis of n elements r times writes `[r, n]`, repeating each element r times writes `[n, r]`;
//! the source has stride 0 on the r. The output's axis is split alike, so the nest merges what can be
//! merged and no kernel knows of tiling.

#![forbid(unsafe_code)]

use super::{Layout, element_count};
use crate::dims::{Dims, Shape, Strides};
use crate::error::{BroadcastError, Result};

/// What a tile or repeat call works out: the output's shape and the split source.
pub(crate) struct Tiling {
    /// Shape of the output, as the user sees it.
    pub shape: Shape,
    /// The source over the split axes, stride 0 on every count.
    pub source: Layout<'static>,
}

impl Tiling {
    /// NumPy's `tile`: the shorter of shape and counts is padded with 1 on the left.
    pub fn tile(source: &Layout<'_>, reps: &[usize]) -> Result<Self> {
        let rank = source.rank().max(reps.len());
        let padded: Dims<usize> = core::iter::repeat_n(1, rank - reps.len()).chain(reps.iter().copied()).collect();
        Self::split(&source.expand(rank, super::Side::Left), &padded, true)
    }

    /// Owl's `repeat`: one count per axis, each element that many times.
    pub fn repeat(source: &Layout<'_>, reps: &[usize]) -> Result<Self> {
        if reps.len() != source.rank() {
            return Err(BroadcastError::RepsCount { shape: source.shape().to_vec(), reps: reps.to_vec() });
        }
        Self::split(source, reps, false)
    }

    fn split(source: &Layout<'_>, reps: &[usize], counts_outside: bool) -> Result<Self> {
        let strides = source.strides();
        let mut shape = Shape::new();
        let mut sizes = Shape::new();
        let mut steps = Strides::new();
        for (axis, (&size, &count)) in source.shape().iter().zip(reps).enumerate() {
            shape.push(
                size.checked_mul(count).ok_or_else(|| BroadcastError::TileTooLarge {
                    shape: source.shape().to_vec(),
                    reps: reps.to_vec(),
                })?,
            );
            let pair =
                if counts_outside { [(count, 0), (size, strides[axis])] } else { [(size, strides[axis]), (count, 0)] };
            for (size, step) in pair {
                sizes.push(size);
                steps.push(step);
            }
        }
        element_count(&shape)?;
        if shape.contains(&0) {
            // Without elements the other sizes no longer bound anything: 0 counts of one axis may stand beside
            // huge counts of another.
            sizes.fill(0);
        }
        Ok(Self { shape, source: source.with_axes(sizes, steps) })
    }

    /// The output's layout over the split axes; `out` has the output's shape.
    pub fn split_output(&self, out: &Layout<'_>) -> Layout<'static> {
        let strides = out.strides();
        let mut steps = Strides::new();
        for (pair, &stride) in self.source.shape().chunks_exact(2).zip(&strides) {
            // An axis without elements, or of one, is never stepped along; its stride must not be multiplied.
            let outer = if pair[0] > 1 && pair[1] > 0 && !out.is_empty() { stride * pair[1] as isize } else { 0 };
            steps.push(outer);
            steps.push(stride);
        }
        out.with_axes(Shape::from(self.source.shape()), steps)
    }
}
