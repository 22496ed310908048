//! Tensors of bytes: memory that starts where the test wants it, and how a shape lies in it.

use bytemuck::{Pod, Zeroable};
use stridecast::{AnyViewMut, DType, Layout};

use super::naive;

/// Bytes from a given distance behind a line of 64 on.
#[derive(Clone)]
pub struct Memory {
    lines: Vec<Line>,
    start: usize,
    len: usize,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl Memory {
    /// Bytes that look like no element of the tests, and each unlike its neighbours.
    pub fn new(start: usize, len: usize) -> Self {
        let mut memory = Self { lines: vec![Line([0; 64]); (start + len).div_ceil(64).max(1)], start, len };
        for (i, byte) in memory.bytes_mut().iter_mut().enumerate() {
            *byte = (i * 151 + i / 251 + 77) as u8;
        }
        memory
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[self.start..][..self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[self.start..][..self.len]
    }

    pub fn element(&self, size: usize, at: usize) -> u128 {
        let mut bits = [0; 16];
        bits[..size].copy_from_slice(&self.bytes()[at * size..][..size]);
        u128::from_le_bytes(bits)
    }

    pub fn set(&mut self, size: usize, at: usize, bits: u128) {
        self.bytes_mut()[at * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}

/// How a tensor lies in memory; lists are read in turn where a shape has more axes.
#[derive(Clone, Debug)]
pub struct Place {
    /// Axes in the order of their strides, smallest first, as ranks among the axes: C order where it is empty.
    pub order: Vec<u8>,
    /// Axes that run backwards.
    pub back: Vec<bool>,
    /// Elements between the rows along each axis.
    pub pad: Vec<usize>,
    /// Axes that stand still.
    pub still: Vec<bool>,
    /// Elements between neighbours along the fastest axis.
    pub step: usize,
    /// Elements in front, and elements between a line's start and the memory's.
    pub lead: usize,
    pub off_line: usize,
}

impl Place {
    /// C order without gaps, at a line's start.
    pub const PLAIN: Self =
        Self { order: vec![], back: vec![], pad: vec![], still: vec![], step: 1, lead: 0, off_line: 0 };

    pub fn turned() -> Self {
        Self { order: (0..16).collect(), ..Self::PLAIN }
    }

    pub fn backwards() -> Self {
        Self { back: vec![true; 16], ..Self::PLAIN }
    }

    pub fn padded(gap: usize) -> Self {
        Self { pad: vec![gap; 16], lead: 2, off_line: 1, ..Self::PLAIN }
    }

    pub fn stepped(step: usize) -> Self {
        Self { step, lead: 1, ..Self::PLAIN }
    }

    pub fn off_line(elements: usize) -> Self {
        Self { off_line: elements, ..Self::PLAIN }
    }
}

/// A tensor with its memory. Its strides are its own: the layout is made from lists.
#[derive(Clone)]
pub struct Tensor {
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
    pub memory: Memory,
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} strides {:?} from {}", self.dtype, self.shape, self.strides, self.offset)
    }
}

impl Tensor {
    /// Memory laid out, with nothing in it.
    pub fn room(dtype: DType, shape: &[usize], place: &Place) -> Self {
        let mut axes: Vec<_> = (0..shape.len()).rev().collect();
        axes.sort_by_key(|&axis| place.order.get(axis).copied().unwrap_or(0));
        let (mut offset, mut step, mut last) = (place.lead, place.step, place.lead);
        let mut strides = vec![0; shape.len()];
        for axis in axes {
            let is = |list: &[bool]| list.get(axis).copied().unwrap_or(false);
            let reach = shape[axis].saturating_sub(1) * step;
            if shape[axis] == 1 {
                // A stride that is never walked along says nothing.
                strides[axis] = if is(&place.back) { isize::MIN } else { 7 };
            } else if !is(&place.still) {
                strides[axis] = if is(&place.back) { -(step as isize) } else { step as isize };
                offset += if is(&place.back) { reach } else { 0 };
                last += reach;
                step = reach + step + place.pad.get(axis).copied().unwrap_or(0);
            }
        }
        let empty = shape.contains(&0);
        let (offset, len) = if empty { (0, 0) } else { (offset, last + 1 + place.lead) };
        let size = dtype.size();
        let memory = Memory::new(place.off_line * size, len * size);
        Self { dtype, shape: shape.to_vec(), strides, offset, memory }
    }

    /// The same with elements: `nth(i)` at place `i` of the memory, in gaps too if they are `filled`.
    pub fn filled(mut self, mut nth: impl FnMut(u64) -> u128) -> Self {
        let size = self.dtype.size();
        for at in 0..self.memory.bytes().len() / size {
            self.memory.set(size, at, nth(at as u64));
        }
        self
    }

    pub fn layout(&self) -> Layout<'_> {
        // C order without gaps is said as such, as callers do.
        let plain = self.offset == 0 && self.strides == naive::c_strides(&self.shape);
        if plain {
            Layout::new(&self.shape).unwrap()
        } else {
            Layout::strided(self.offset as isize, &self.shape, &self.strides).unwrap()
        }
    }

    /// What `run` gives for a mutable view with a tag.
    pub fn with_any<R>(&mut self, run: impl FnOnce(&mut AnyViewMut<'_>) -> R) -> R {
        // Not `layout`, which borrows the memory too.
        let layout = Layout::strided(self.offset as isize, &self.shape, &self.strides).unwrap();
        run(&mut AnyViewMut::new(self.dtype, self.memory.bytes_mut(), layout).unwrap())
    }

    /// Where its elements lie, laid from the right under `shape`, in C order of that.
    pub fn positions(&self, shape: &[usize]) -> Vec<usize> {
        let lead = shape.len() - self.shape.len();
        let own = |axis: usize| if self.shape[axis] == 1 { 0 } else { self.strides[axis] };
        let strides: Vec<_> = (0..self.shape.len()).map(own).collect();
        let mut found = vec![];
        naive::for_each_index(shape, |index| found.push(naive::position(self.offset, &strides, &index[lead..])));
        found
    }

    /// Its elements, laid from the right under `shape`.
    pub fn elements(&self, shape: &[usize]) -> Vec<u128> {
        let size = self.dtype.size();
        self.positions(shape).into_iter().map(|at| self.memory.element(size, at)).collect()
    }
}

/// The common shape, right-aligned: a 1 yields to any other size.
pub fn common_shape(shapes: &[&[usize]]) -> Vec<usize> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let size = |from_right: usize| {
        let sizes = shapes.iter().filter(|shape| shape.len() > from_right).map(|s| s[s.len() - 1 - from_right]);
        sizes.fold(1, |common, size| if common == 1 { size } else { common })
    };
    (0..rank).rev().map(size).collect()
}
