//! [`Compute`]: what the shapes of an elementwise call decide.

#![forbid(unsafe_code)]

use super::map::{OPERANDS, lanes};
use crate::nest::LoopNest;

/// How the operands of an elementwise call come to a kernel that takes dense rows and single elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Walk {
    /// The operands' own rows, which are dense or stand still.
    Rows,
    /// Stretches of the output in memory order: an operand with other or short rows is first repeated or gathered into
    /// a block that stays in L1, by the kernels that materialise.
    Chunks,
    /// Blocks of rows and columns, for long rows of which some operand is neither dense nor still: it is gathered or
    /// turned into a block that stays in L1. Also for long rows that are read again and again.
    Panels,
}

impl Walk {
    /// What happens, in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Rows => "rows: each operand is dense or stands still along them",
            Self::Chunks => "chunks: short or strided rows are first laid out in a block in L1",
            Self::Panels => "panels: blocks of rows and columns, strided operands first laid out in a block in L1",
        }
    }
}

/// A nest for computing, and how it is walked. Operands are the output and up to three inputs; one that is not there
/// stands still everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Compute {
    pub nest: LoopNest<OPERANDS>,
    /// Bytes of an element of each operand as it lies in memory, 0 for those that are not there.
    pub sizes: [usize; OPERANDS],
    /// Whether an operand is converted on the way between memory and kernel.
    pub cast: [bool; OPERANDS],
    pub walk: Walk,
}

/// Fewer short rows are run as they are: to lay them out costs more than that many calls of a row.
const FEW_ROWS: usize = 12;

/// A row that is read again for each output row falls out of a 32 KiB L1, beside the others, from here on.
const LONG_ROW: usize = 8 << 10;

/// Nests that touch fewer bytes stay in L2, where panels gain: 16 rows of 4096 f32 with a bias take 4.7 us by panels of
/// 1024 columns and 6.7 row by row. Behind L2 they cost.
const IN_L2: usize = 768 << 10;

impl Compute {
    /// Of operands with elements of these sizes, with an empty nest: it is filled in place, since moving it costs a tiny
    /// call more than its decisions.
    #[inline]
    pub fn empty(sizes: [usize; OPERANDS]) -> Self {
        Self { nest: LoopNest::empty(), sizes, cast: [false; OPERANDS], walk: Walk::Rows }
    }

    /// Decides how the nest is walked, if operands are converted on the way where `cast` says so.
    #[inline]
    pub fn decide(&mut self, cast: [bool; OPERANDS]) {
        self.cast = cast;
        self.walk = walk(&self.nest, self.sizes, cast);
    }

    /// Bytes of an element of the widest operand, at least 1.
    pub fn widest(&self) -> usize {
        self.sizes.into_iter().fold(1, usize::max)
    }

    /// Bytes that the inputs hold, at most: a loop along which an input stands still reads nothing new of it.
    pub fn bytes_read(&self) -> usize {
        let of = |k: usize| {
            let moving = self.nest.axes.iter().filter(|axis| axis.strides[k] != 0);
            moving.map(|axis| axis.size).fold(self.sizes[k], usize::saturating_mul)
        };
        (1..OPERANDS).map(of).fold(0, usize::saturating_add)
    }

    /// Whether operand `k` lies along the columns as its kernel takes it: dense, or standing still if it is an input.
    pub fn is_row(&self, k: usize) -> bool {
        is_row(&self.nest, self.sizes, self.cast, k)
    }
}

fn is_row(nest: &LoopNest<OPERANDS>, sizes: [usize; OPERANDS], cast: [bool; OPERANDS], k: usize) -> bool {
    let cols = nest.cols();
    let stride = cols.strides[k];
    !cast[k] && (cols.size == 1 || stride == sizes[k] as isize || (k > 0 && stride == 0))
}

#[inline]
fn walk(nest: &LoopNest<OPERANDS>, sizes: [usize; OPERANDS], cast: [bool; OPERANDS]) -> Walk {
    let cols = nest.cols().size;
    let widest = sizes.into_iter().fold(1, usize::max);
    let by_rows = (0..OPERANDS).all(|k| is_row(nest, sizes, cast, k));
    let short = is_short(nest, widest);
    match (by_rows, short && nest.units > cols * FEW_ROWS) {
        (_, true) => Walk::Chunks,
        (false, false) if short => Walk::Chunks,
        (false, false) => Walk::Panels,
        (true, false) if cols.saturating_mul(widest) > LONG_ROW && is_read_again(nest, sizes) => Walk::Panels,
        (true, false) => Walk::Rows,
    }
}

/// Whether rows are less than two blocks and not one: up to half of what their blocks compute is thrown away then, and of
/// less than one block more. A thousand f64 take 0.32 us in rows of 33, 0.21 of 63, 0.7 of 24 and 0.17 of 32 or 64; in
/// chunks 0.24 (Zen 4). Where an input is one element for each row, to lay it out costs as much: rows of a block are
/// long enough then (f16, rows of 100: 0.12 us, in chunks 0.18).
fn is_short(nest: &LoopNest<OPERANDS>, widest: usize) -> bool {
    let (rows, cols, lanes) = (nest.rows(), nest.cols(), lanes(widest));
    let stands = || (1..OPERANDS).any(|k| cols.strides[k] == 0 && rows.strides[k] != 0);
    cols.size < 2 * lanes && cols.size % lanes != 0 && (cols.size < lanes || !stands())
}

/// Whether an input's long row is read for one output row after another, and everything stays in L2.
#[cold]
fn is_read_again(nest: &LoopNest<OPERANDS>, sizes: [usize; OPERANDS]) -> bool {
    let (rows, cols) = (nest.rows(), nest.cols());
    let again = (1..OPERANDS).any(|k| sizes[k] > 0 && rows.strides[k] == 0 && cols.strides[k] != 0);
    again && rows.size > 1 && nest.units.saturating_mul(sizes.iter().sum()) < IN_L2
}
