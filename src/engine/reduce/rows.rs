//! [`Rows`]: the turns of the reduced loops, in blocks.

#![forbid(unsafe_code)]

use super::scheme::BLOCK;
use crate::dims::Dims;
use crate::nest::Axis;

/// Where rows lie: loops around an innermost one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'s> {
    pub outer: &'s [Axis<3>],
    pub inner: Axis<3>,
    /// Whether blocks end with the innermost loop, whose rows are laid out together.
    pub laid: bool,
}

impl Rows<'_> {
    /// Blocks of an innermost loop.
    pub fn per_turn(&self) -> usize {
        self.inner.size.div_ceil(BLOCK)
    }

    /// Blocks in all.
    pub fn blocks(&self) -> usize {
        let turns: usize = self.outer.iter().map(|axis| axis.size).product();
        if self.laid { turns * self.per_turn() } else { (turns * self.inner.size).div_ceil(BLOCK) }
    }

    /// From a block on.
    pub fn from(&self, block: usize) -> Cursor<'_> {
        let (turn, inner) = if self.laid {
            (block / self.per_turn(), block % self.per_turn() * BLOCK)
        } else {
            (block * BLOCK / self.inner.size, block * BLOCK % self.inner.size)
        };
        let mut cursor =
            Cursor { rows: self, index: Dims::filled(self.outer.len(), 0), offset: [0; 2], inner, ended: false };
        let mut left = turn;
        for (index, axis) in cursor.index.iter_mut().zip(self.outer).rev() {
            *index = left % axis.size;
            left /= axis.size;
            for (offset, stride) in cursor.offset.iter_mut().zip(&axis.strides[1..]) {
                *offset += *index as isize * stride;
            }
        }
        cursor
    }
}

/// A place among rows.
pub(super) struct Cursor<'s> {
    rows: &'s Rows<'s>,
    index: Dims<usize>,
    /// Of the inputs, without the innermost loop.
    pub offset: [isize; 2],
    /// Turn of the innermost loop.
    pub inner: usize,
    ended: bool,
}

impl Cursor<'_> {
    /// The byte offsets of the rows of the next block; their number.
    #[inline]
    pub fn block(&mut self, offsets: &mut [[isize; 2]; BLOCK]) -> usize {
        let Axis { size, strides } = self.rows.inner;
        let mut count = 0;
        while count < BLOCK && !self.ended {
            let here = (BLOCK - count).min(size - self.inner);
            let start: [isize; 2] = core::array::from_fn(|k| self.offset[k] + self.inner as isize * strides[k + 1]);
            for (i, offset) in offsets[count..count + here].iter_mut().enumerate() {
                *offset = core::array::from_fn(|k| start[k] + i as isize * strides[k + 1]);
            }
            count += here;
            self.inner += here;
            if self.inner == size {
                self.inner = 0;
                self.next_turn();
                if self.rows.laid {
                    break;
                }
            }
        }
        count
    }

    fn next_turn(&mut self) {
        for (index, axis) in self.index.iter_mut().zip(self.rows.outer).rev() {
            *index += 1;
            let turns = if *index == axis.size { 1 - axis.size as isize } else { 1 };
            for (offset, stride) in self.offset.iter_mut().zip(&axis.strides[1..]) {
                *offset += turns * stride;
            }
            if *index < axis.size {
                return;
            }
            *index = 0;
        }
        self.ended = true;
    }
}
