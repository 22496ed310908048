//! [`LoopNest`]: the smallest loop nest that visits the same elements of all operands.
//!
//! Operand 0 is the output. A broadcast axis is a stride of 0 of an input. Building a nest drops axes of
//! size 1, walks the output forwards, orders the axes by the output's strides, merges neighbours that every
//! operand can walk as one, and folds what is left of a dense element into a wider kernel unit. Shapes that
//! differ only in how they were written down end in the same nest, and the patterns are decided on it alone.

#![forbid(unsafe_code)]

use crate::dims::Dims;

/// One loop: its trip count, and how many bytes each operand moves per turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis<const N: usize> {
    pub size: usize,
    pub strides: [isize; N],
}

impl<const N: usize> Default for Axis<N> {
    fn default() -> Self {
        Self { size: 0, strides: [0; N] }
    }
}

/// Loops over N operands, outermost first; see the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopNest<const N: usize> {
    /// The loops; none for a single unit.
    pub axes: Dims<Axis<N>>,
    /// Byte offset of the first unit of each operand.
    pub start: [isize; N],
    /// Bytes of a kernel unit: 1, 2, 4, 8 or 16.
    pub unit: usize,
    /// Number of units; 0 for a nest that does nothing.
    pub units: usize,
    /// Number of innermost axes that a kernel takes as one block; none but for [`Pattern::Permute`](super::Pattern).
    pub folded: usize,
}

/// Widest kernel unit, in bytes: the widest element type, a complex of two f64.
pub(super) const WIDEST: usize = 16;

impl<const N: usize> LoopNest<N> {
    /// A nest over operands of one shape. Strides and offsets are in elements of `elem` bytes; that every
    /// reachable byte offset fits `isize` was checked by the caller.
    ///
    /// An element that is no power of two bytes, or more than 16, becomes units and one more dense axis.
    pub fn new(shape: &[usize], operands: [(&[isize], isize); N], elem: usize) -> Self {
        if elem == 0 || shape.contains(&0) {
            return Self::empty();
        }
        let unit = (1 << elem.trailing_zeros()).min(WIDEST);
        let bytes = elem as isize;
        let mut nest =
            Self { axes: Dims::new(), start: operands.map(|(_, offset)| offset * bytes), unit, units: 0, folded: 0 };
        for (axis, &size) in shape.iter().enumerate() {
            if size > 1 {
                nest.push_forward(Axis { size, strides: operands.map(|(strides, _)| strides[axis] * bytes) });
            }
        }
        // Stable: axes of equal output stride (there are none in a valid output) keep their order.
        nest.axes.sort_by_key(|axis| core::cmp::Reverse(axis.strides[0]));
        if elem > unit {
            nest.axes.push(Axis { size: elem / unit, strides: [unit as isize; N] });
        }
        nest.merge();
        nest.widen();
        nest.units = nest.axes.iter().map(|axis| axis.size).product();
        nest
    }

    /// A nest that does nothing.
    #[inline]
    pub fn empty() -> Self {
        Self { axes: Dims::new(), start: [0; N], unit: 1, units: 0, folded: 0 }
    }

    /// Fills an empty nest as [`LoopNest::new`] does, for an output in C order without gaps, in one pass: `axes` are
    /// the output's sizes and the inputs' strides (the first entry, the output's, is worked out), **innermost first**.
    /// The axes are in order already.
    ///
    /// `false` if the output's bytes, sizes of 0 left out, pass `isize::MAX`; the nest is of no use then. Whatever it
    /// returns, `axes` was taken to its end.
    #[inline]
    pub fn fill_dense(
        &mut self,
        start: [isize; N],
        axes: impl Iterator<Item = (usize, [isize; N])>,
        elem: usize,
    ) -> bool {
        if elem == 0 || elem > isize::MAX as usize {
            axes.for_each(drop);
            return elem == 0;
        }
        let bytes = elem as isize;
        // Wrapping: whether the inputs' offsets fit in bytes may be checked after the pass.
        let in_bytes = |elements: isize| elements.wrapping_mul(bytes);
        self.start = start.map(in_bytes);
        self.unit = (1 << elem.trailing_zeros()).min(WIDEST);
        let mut inner = Axis { size: elem >> self.unit.trailing_zeros(), strides: [self.unit as isize; N] };
        let (mut width, mut fits, mut empty) = (bytes, true, false);
        for (size, strides) in axes {
            if size < 2 {
                empty |= size == 0;
                continue;
            }
            let strides = core::array::from_fn(|k| if k == 0 { width } else { in_bytes(strides[k]) });
            let Some(wider) = isize::try_from(size).ok().and_then(|size| width.checked_mul(size)) else {
                fits = false;
                continue;
            };
            width = wider;
            if inner.size == 1 {
                inner = Axis { size, strides };
            } else if (1..N).all(|k| inner.strides[k].checked_mul(inner.size as isize) == Some(strides[k])) {
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
        self.widen();
        self.units = width as usize >> self.unit.trailing_zeros();
        fits
    }

    /// Appends an axis, turned round if the output walks it backwards.
    pub(super) fn push_forward(&mut self, mut axis: Axis<N>) {
        if axis.strides[0] < 0 {
            for (start, stride) in self.start.iter_mut().zip(&mut axis.strides) {
                *start += (axis.size - 1) as isize * *stride;
                *stride = -*stride;
            }
        }
        self.axes.push(axis);
    }

    /// Merges neighbours where the outer step equals the whole inner walk for every operand at once.
    pub(super) fn merge(&mut self) {
        let mut merged: Dims<Axis<N>> = Dims::new();
        for &axis in &self.axes {
            match merged.last_mut() {
                Some(outer)
                    if (0..N).all(|k| axis.strides[k].checked_mul(axis.size as isize) == Some(outer.strides[k])) =>
                {
                    outer.size *= axis.size;
                    outer.strides = axis.strides;
                }
                _ => merged.push(axis),
            }
        }
        self.axes = merged;
    }

    /// Folds a dense innermost axis into the unit while that gives a kernel unit: rows of 2 f32 that repeat are
    /// a splat of 8 bytes, and a row of three bytes and one of padding is no different from a u32.
    #[inline]
    pub(super) fn widen(&mut self) {
        while let Some(&inner) = self.axes.last() {
            let wide = self.unit.saturating_mul(inner.size);
            if wide > WIDEST || !wide.is_power_of_two() || inner.strides != [self.unit as isize; N] {
                break;
            }
            self.unit = wide;
            self.axes.pop();
        }
    }

    /// Turns it into the same walk in units of one byte; only for a nest whose innermost axis is dense in every
    /// operand, and for a single unit, which becomes a row.
    #[inline]
    pub fn make_bytes(&mut self) {
        match self.axes.last_mut() {
            Some(inner) if inner.strides == [self.unit as isize; N] => {
                inner.size *= self.unit;
                inner.strides = [1; N];
            }
            _ => self.axes.push(Axis { size: self.unit, strides: [1; N] }),
        }
        self.units *= self.unit;
        self.unit = 1;
    }

    /// Bytes that the inputs hold, at most: a loop along which an input stands still reads nothing new of it.
    pub fn bytes_read(&self) -> usize {
        let of =
            |k: usize| self.axes.iter().filter(|axis| axis.strides[k] != 0).map(|axis| axis.size).product::<usize>();
        if self.units == 0 { 0 } else { (1..N).map(|k| of(k) * self.unit).sum() }
    }

    /// The innermost axis: the columns of a tile. A single unit is one column.
    #[inline]
    pub fn cols(&self) -> Axis<N> {
        self.axes.last().copied().unwrap_or(Axis { size: 1, strides: [self.unit as isize; N] })
    }

    /// The axis outside it: the rows of a tile; one row where there is none.
    #[inline]
    pub fn rows(&self) -> Axis<N> {
        let rank = self.axes.len();
        if rank < 2 { Axis { size: 1, strides: [0; N] } } else { self.axes[rank - 2] }
    }

    /// The axis outside that: the planes of a tile.
    #[inline]
    pub fn planes(&self) -> Axis<N> {
        let rank = self.axes.len();
        if rank < 3 { Axis { size: 1, strides: [0; N] } } else { self.axes[rank - 3] }
    }

    /// The axes outside rows and columns.
    #[inline]
    pub fn outer(&self) -> &[Axis<N>] {
        &self.axes[..self.axes.len().saturating_sub(2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Layout, Rule};

    /// The nest of broadcasting `src` (C order) to `out` (C order), with all axes of both permuted by `perm`.
    fn nest(src: &[usize], out: &[usize], perm: &[usize], elem: usize) -> LoopNest<2> {
        let from = Layout::new(src).unwrap().broadcast(out, Rule::Numpy).unwrap().permute(perm).unwrap();
        let to = Layout::new(out).unwrap().permute(perm).unwrap();
        LoopNest::new(from.shape(), [(&to.strides(), 0), (&from.strides(), from.offset())], elem)
    }

    fn axis(size: usize, out: isize, src: isize) -> Axis<2> {
        Axis { size, strides: [out, src] }
    }

    /// Channels broadcast over batch rows and pixels: the rows x cols of a tile are C x (Y*Z) however the axes
    /// were written down, and only N and X remain outside it.
    #[test]
    fn channel_broadcast_and_its_permutations_end_in_one_nest() {
        let (n, x, c, y, z) = (2, 3, 4, 5, 6);
        let (src, out) = ([n, 1, c, 1, 1], [n, x, c, y, z]);
        let plain = nest(&src, &out, &[0, 1, 2, 3, 4], 4);
        let (yz, b) = ((y * z) as isize, 4);
        assert_eq!(
            plain.axes,
            [
                axis(n, x as isize * c as isize * yz * b, c as isize * b),
                axis(x, c as isize * yz * b, 0),
                axis(c, yz * b, b),
                axis(y * z, b, 0),
            ]
        );
        assert_eq!((plain.rows().size, plain.cols().size, plain.outer().len()), (c, y * z, 2));
        let mut perm = [0, 1, 2, 3, 4];
        permutations(&mut perm, 0, &mut |perm| assert_eq!(nest(&src, &out, perm, 4), plain, "{perm:?}"));
    }

    fn permutations(items: &mut [usize; 5], from: usize, check: &mut impl FnMut(&[usize])) {
        if from == items.len() {
            check(items);
        }
        for i in from..items.len() {
            items.swap(from, i);
            permutations(items, from + 1, check);
            items.swap(from, i);
        }
    }

    /// The common forms of one batch end in exactly two loops: the tile and nothing outside it.
    #[test]
    fn two_loops_are_enough_without_a_batch() {
        for (src, out) in [
            (&[1, 1, 4, 1, 1][..], &[1, 1, 4, 5, 6][..]),
            (&[4, 1, 1], &[4, 5, 6]),
            (&[1, 4, 1, 1], &[1, 4, 5, 6]),
            (&[2, 2, 1, 1], &[2, 2, 5, 6]),
        ] {
            let perm: Vec<_> = (0..out.len()).collect();
            assert_eq!(nest(src, out, &perm, 4).axes, [axis(4, 120, 4), axis(30, 4, 0)], "{src:?}");
        }
    }

    #[test]
    fn a_copy_is_one_loop_and_a_scalar_none() {
        assert_eq!(nest(&[2, 3, 5], &[2, 3, 5], &[0, 1, 2], 4).axes, [axis(30, 4, 4)]);
        let one = nest(&[], &[1, 1], &[0, 1], 4);
        assert_eq!((one.axes.len(), one.units, one.unit), (0, 1, 4));
        assert_eq!(nest(&[1], &[0], &[0], 4).units, 0);
    }

    #[test]
    fn odd_elements_become_one_more_axis_and_dense_pairs_a_wider_unit() {
        let rgb = nest(&[5, 1], &[5, 4], &[0, 1], 3);
        assert_eq!((rgb.unit, &*rgb.axes), (1, &[axis(5, 12, 3), axis(4, 3, 0), axis(3, 1, 1)][..]));
        let xyz = nest(&[5, 1], &[5, 4], &[0, 1], 12);
        assert_eq!((xyz.unit, xyz.cols()), (4, axis(3, 4, 4)));
        let pairs = nest(&[7, 1, 2], &[7, 5, 2], &[0, 1, 2], 4);
        assert_eq!((pairs.unit, &*pairs.axes), (8, &[axis(7, 40, 8), axis(5, 8, 0)][..]));
        let wide = nest(&[3, 1], &[3, 2], &[0, 1], 32);
        assert_eq!((wide.unit, wide.cols()), (16, axis(2, 16, 16)));
    }

    /// The one pass and the general way end in the same nest.
    #[test]
    fn a_dense_output_needs_one_pass_only() {
        let outs: [&[usize]; 8] = [&[], &[1], &[7], &[2, 3, 4], &[4, 1, 6, 5], &[2, 0, 3], &[2, 2, 2, 2, 2], &[3, 16]];
        for out in outs {
            for mask in 0..1 << out.len() {
                let source: Vec<_> =
                    out.iter().enumerate().map(|(i, &size)| if mask >> i & 1 == 1 { 1 } else { size }).collect();
                let layout = Layout::new(&source).unwrap().broadcast_to(out).unwrap();
                for elem in [0, 1, 2, 3, 4, 12, 16, 32, 40] {
                    let (to, from) = (Layout::new(out).unwrap().strides(), layout.strides());
                    let general = LoopNest::new(out, [(&to, 0), (&from, 5)], elem);
                    let axes = out.iter().zip(&from).rev().map(|(&size, &stride)| (size, [0, stride]));
                    let mut dense = LoopNest::empty();
                    assert!(dense.fill_dense([0, 5], axes, elem));
                    assert_eq!(dense, general, "{source:?} {out:?} {elem}");
                }
            }
        }
    }

    #[test]
    fn a_backward_output_is_walked_forwards() {
        let nest = LoopNest::<2>::new(&[4], [(&[-1], 3), (&[1], 0)], 4);
        assert_eq!(nest.start, [0, 12]);
        assert_eq!(nest.axes, [axis(4, 4, -4)]);
    }

    #[test]
    fn bytes_of_a_dense_row_and_of_a_single_unit() {
        let mut row = nest(&[6], &[6], &[0], 8);
        row.make_bytes();
        assert_eq!((row.unit, row.units, &*row.axes), (1, 48, &[axis(48, 1, 1)][..]));
        let mut one = nest(&[], &[], &[], 8);
        one.make_bytes();
        assert_eq!((one.unit, one.units, &*one.axes), (1, 8, &[axis(8, 1, 1)][..]));
    }
}
