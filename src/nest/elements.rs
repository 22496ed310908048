//! Nests for computing: operands of one shape whose elements may have different sizes.
//!
//! They differ from those of moves in what an element is: it is looked at, so it is never split or folded into a wider
//! unit, and each operand steps in bytes of its own.

#![forbid(unsafe_code)]

use super::nest::WIDEST;
use super::{Axis, LoopNest};
use crate::dims::Dims;

impl<const N: usize> LoopNest<N> {
    /// A nest over operands of one shape; operand `k` has elements of `sizes[k]` bytes, at least 1 for the output.
    /// Strides and offsets are in elements; that every reachable byte offset fits `isize` was checked by the caller.
    pub fn of_elements(shape: &[usize], operands: [(&[isize], isize); N], sizes: [usize; N]) -> Self {
        if shape.contains(&0) {
            return Self::empty();
        }
        let mut nest = Self::empty();
        nest.unit = sizes[0];
        nest.start = core::array::from_fn(|k| operands[k].1 * sizes[k] as isize);
        for (axis, &size) in shape.iter().enumerate() {
            if size > 1 {
                let strides = core::array::from_fn(|k| operands[k].0[axis] * sizes[k] as isize);
                nest.push_forward(Axis { size, strides });
            }
        }
        nest.axes.sort_by_key(|axis| core::cmp::Reverse(axis.strides[0]));
        nest.merge();
        nest.units = nest.axes.iter().map(|axis| axis.size).product();
        nest
    }

    /// Fills an empty nest as [`LoopNest::of_elements`] does, for an output in C order without gaps, in one pass:
    /// `axes` are the output's sizes and the inputs' strides in elements (the first entry is worked out), **innermost
    /// first**.
    ///
    /// `false` if the output's bytes or elements, sizes of 0 left out, pass `isize::MAX`; the nest is of no use then.
    /// Whatever it returns, `axes` was taken to its end.
    #[inline]
    pub fn fill_elements(
        &mut self,
        start: [isize; N],
        axes: impl Iterator<Item = (usize, [isize; N])>,
        sizes: [usize; N],
    ) -> bool {
        // Wrapping: whether the inputs' offsets fit in bytes may be checked after the pass.
        let in_bytes = |k: usize, elements: isize| elements.wrapping_mul(sizes[k] as isize);
        self.start = core::array::from_fn(|k| in_bytes(k, start[k]));
        self.unit = sizes[0];
        let mut inner = Axis { size: 1, strides: [0; N] };
        let (mut width, mut units, mut fits, mut empty) = (sizes[0] as isize, 1, true, false);
        for (size, strides) in axes {
            if size < 2 {
                empty |= size == 0;
                continue;
            }
            let strides = core::array::from_fn(|k| if k == 0 { width } else { in_bytes(k, strides[k]) });
            let Some(wider) = isize::try_from(size).ok().and_then(|size| width.checked_mul(size)) else {
                fits = false;
                continue;
            };
            width = wider;
            units *= size;
            if inner.size == 1 {
                inner = Axis { size, strides };
            } else if (1..N).all(|k| inner.strides[k].wrapping_mul(inner.size as isize) == strides[k]) {
                inner.size *= size;
            } else {
                self.axes.push(inner);
                inner = Axis { size, strides };
            }
        }
        if empty {
            *self = Self::empty();
            return fits;
        }
        if inner.size > 1 {
            self.axes.push(inner);
        }
        self.axes.reverse();
        self.units = units;
        fits
    }

    /// The same loops as seen by operand `k`, of elements of `size` bytes, and by a copy of it in C order without gaps:
    /// what it is read into if `read`, else what it is written from.
    pub fn single(&self, k: usize, size: usize, read: bool) -> LoopNest<2> {
        let unit = (1 << size.trailing_zeros()).min(WIDEST);
        if self.units == 0 || size == 0 {
            return LoopNest::empty();
        }
        let mut nest = LoopNest { axes: Dims::new(), start: [0; 2], unit, units: 0, folded: 0 };
        nest.start[usize::from(read)] = self.start[k];
        if size > unit {
            nest.axes.push(Axis { size: size / unit, strides: [unit as isize; 2] });
        }
        let mut width = size as isize;
        for axis in self.axes.iter().rev() {
            let own = axis.strides[k];
            nest.axes.push(Axis { size: axis.size, strides: if read { [width, own] } else { [own, width] } });
            width *= axis.size as isize;
        }
        nest.axes.reverse();
        nest.merge();
        nest.widen();
        nest.units = nest.axes.iter().map(|axis| axis.size).product();
        nest
    }
}
