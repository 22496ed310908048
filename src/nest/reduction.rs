//! Nests for reductions: the output stands still along the reduced axes, and the loops follow the input's memory.

#![forbid(unsafe_code)]

use super::{Axis, LoopNest};

impl LoopNest<3> {
    /// A nest over an output, stretched over the inputs' shape, and two inputs, of which the second may be a copy of the
    /// first. Axes are ordered by the first input's strides, which it walks forwards; strides and offsets are in elements
    /// of `sizes` bytes. That every reachable byte offset fits `isize` was checked by the caller.
    ///
    /// Axes of an output that stands still, and no others, are reduced. If elements are seen as `parts` of these bytes,
    /// two each, those are the innermost axis, which is kept.
    pub fn of_reduction(
        shape: &[usize],
        operands: [(&[isize], isize); 3],
        sizes: [usize; 3],
        parts: Option<[usize; 3]>,
    ) -> Self {
        if shape.contains(&0) {
            return Self::empty();
        }
        let mut nest = Self::empty();
        nest.unit = sizes[1];
        nest.start = core::array::from_fn(|k| operands[k].1 * sizes[k] as isize);
        for (axis, &size) in shape.iter().enumerate() {
            if size > 1 {
                let mut strides: [isize; 3] = core::array::from_fn(|k| operands[k].0[axis] * sizes[k] as isize);
                if strides[1] < 0 || (strides[1] == 0 && strides[2] < 0) {
                    for (start, stride) in nest.start.iter_mut().zip(&mut strides) {
                        *start += (size - 1) as isize * *stride;
                        *stride = -*stride;
                    }
                }
                nest.axes.push(Axis { size, strides });
            }
        }
        // Stable: axes along which both inputs stand still keep their order.
        nest.axes.sort_by_key(|axis| core::cmp::Reverse((axis.strides[1], axis.strides[2].unsigned_abs())));
        if let Some(parts) = parts {
            nest.axes.push(Axis { size: 2, strides: parts.map(|bytes| bytes as isize) });
        }
        nest.settle(sizes[1]);
        nest
    }

    /// Merges axes that are in order already, and counts the elements.
    pub fn settle(&mut self, size: usize) {
        self.axes = self.axes.iter().copied().filter(|axis| axis.size > 1).collect();
        self.merge();
        self.unit = size;
        self.units = self.axes.iter().map(|axis| axis.size).product();
    }
}
