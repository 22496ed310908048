//! How a nest is cut into pieces that may run anywhere.
//!
//! Most nests are cut along the output's memory, whatever its axes are, so `[2, 1_000_000]` and `[1, c, h * w]` split
//! as well as a long outer axis does. A transpose is cut into tiles: a piece of a row would be all edge.

#![forbid(unsafe_code)]

use core::ops::Range;

use crate::nest::{LoopNest, Pattern};

/// Pieces end on multiples of this many bytes, so that no two threads write one cache line of an aligned output.
pub(super) const LINE: usize = 64;

/// Bytes of output per piece of a parallel run: large enough to hide a steal (on two threads, pieces of 64 KiB gain 1.3
/// to 1.8 where these gain 1.7 to 2.0), small enough that a chunk and its sources fit the 512 KiB to 2 MiB of L2 a core
/// has, and that four pieces exist at the grain (pieces of 1 MiB gain as much from 1.5 MiB on, and nothing before).
pub(super) const CHUNK: usize = 256 << 10;

/// How positions lie on cache lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Positions in one line.
    pub per_line: usize,
    /// Positions of the first line that lie before position 0.
    pub skipped: usize,
}

impl Lines {
    /// Lines of an output that starts on one.
    pub(super) const fn aligned(per_line: usize) -> Self {
        Self { per_line, skipped: 0 }
    }

    /// Lines of the output at `addr`, in units of `nest`. Units that straddle line edges are cut a little off them.
    fn at<const N: usize>(nest: &LoopNest<N>, addr: usize) -> Self {
        Self { per_line: LINE / nest.unit, skipped: addr % LINE / nest.unit }
    }

    /// The `index`-th of `pieces` ranges that cover `0..units`, cut on lines.
    pub(super) fn piece(self, units: usize, pieces: usize, index: usize) -> Range<usize> {
        let end = units + self.skipped;
        let lines = end.div_ceil(self.per_line);
        // Spread the remainder: piece i holds lines [i * lines / pieces, (i + 1) * lines / pieces).
        let cut = |i: usize| {
            let line = (lines as u128 * i as u128 / pieces as u128) as usize;
            line.saturating_mul(self.per_line).min(end).saturating_sub(self.skipped)
        };
        cut(index)..cut(index + 1)
    }
}

/// What a nest may be cut along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Lines of the output's memory.
    Lines,
    /// Blocks of rows and columns, lines of both operands high and wide.
    Blocks,
    /// Runs of this many units, wherever they lie.
    Steps(usize),
}

impl Cut {
    /// What suits the pattern.
    pub fn of(pattern: Pattern) -> Self {
        if pattern == Pattern::Transpose { Self::Blocks } else { Self::Lines }
    }
}

/// The pieces of a parallel run, of about [`CHUNK`] bytes each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Grid {
    Lines { lines: Lines, units: usize, pieces: usize },
    Blocks { outer: usize, rows: Steps, cols: Steps },
}

/// One piece of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Positions in the nest's order.
    Range(Range<usize>),
    /// A part of the tile at one point of the outer axes.
    Tile { outer: usize, rows: Range<usize>, cols: Range<usize> },
}

/// An axis in steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    size: usize,
    step: usize,
}

impl Steps {
    fn count(self) -> usize {
        self.size.div_ceil(self.step)
    }

    fn range(self, index: usize) -> Range<usize> {
        index * self.step..((index + 1) * self.step).min(self.size)
    }
}

impl Grid {
    /// For a nest whose output starts at `addr`, in pieces of about `chunk` bytes: [`CHUNK`] for what costs its bytes.
    pub fn of<const N: usize>(nest: &LoopNest<N>, cut: Cut, addr: usize, chunk: usize) -> Self {
        let (unit, units) = (nest.unit, nest.units);
        let pieces = units.saturating_mul(unit).div_ceil(chunk);
        let (rows, cols) = (nest.rows().size, nest.cols().size);
        let tile = rows * cols;
        match cut {
            Cut::Lines => Self::Lines { lines: Lines::at(nest, addr), units, pieces },
            Cut::Steps(step) => Self::Lines { lines: Lines::aligned(step), units, pieces },
            // Small tiles stay whole.
            Cut::Blocks if tile * unit <= chunk => Self::Lines { lines: Lines::aligned(tile), units, pieces },
            Cut::Blocks => {
                let line = LINE / unit;
                let fill = |other: usize| (chunk / unit / other).max(1).next_multiple_of(line);
                // Rows of a panel, as many as make a chunk; wider where there are not so many.
                let high = fill(cols.min(PANEL / unit)).min(rows);
                let wide = fill(high).min(cols);
                let steps = |size, step| Steps { size, step };
                Self::Blocks { outer: units / tile, rows: steps(rows, high), cols: steps(cols, wide) }
            }
        }
    }

    /// Their number.
    pub fn pieces(&self) -> usize {
        match *self {
            Self::Lines { pieces, .. } => pieces,
            Self::Blocks { outer, rows, cols } => outer * rows.count() * cols.count(),
        }
    }

    /// The `index`-th.
    pub fn piece(&self, index: usize) -> Piece {
        match *self {
            Self::Lines { lines, units, pieces } => Piece::Range(lines.piece(units, pieces, index)),
            Self::Blocks { rows, cols, .. } => {
                let (tile, col) = (index / cols.count(), index % cols.count());
                let (outer, row) = (tile / rows.count(), tile % rows.count());
                Piece::Tile { outer, rows: rows.range(row), cols: cols.range(col) }
            }
        }
    }
}

/// Bytes of output rows per piece of a transpose, those that its kernel goes down at a time: the source is then read in
/// runs of up to 4 KiB.
const PANEL: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once_and_end_on_lines() {
        for units in [0, 1, 15, 16, 17, 160, 1000, 1023] {
            for pieces in 1..20 {
                for skipped in [0, 1, 15] {
                    let lines = Lines { per_line: 16, skipped };
                    let mut at = 0;
                    for index in 0..pieces {
                        let range = lines.piece(units, pieces, index);
                        assert_eq!(range.start, at, "{units} units, {pieces} pieces");
                        assert!(range.end == units || range.end == 0 || (range.end + skipped).is_multiple_of(16));
                        at = range.end;
                    }
                    assert_eq!(at, units);
                }
            }
        }
    }

    #[test]
    fn pieces_of_an_absurd_nest_do_not_overflow() {
        let units = isize::MAX as usize;
        let lines = Lines::aligned(64);
        assert_eq!(lines.piece(units, usize::MAX, usize::MAX - 1).end, units);
        assert_eq!(lines.piece(units, 3, 0).start, 0);
    }

    /// Every element of a transpose belongs to one piece, and pieces are near a chunk.
    #[test]
    fn blocks_cover_a_transpose_once() {
        for (outer, rows, cols, unit) in [
            (1, 4096, 8192, 4),
            (1, 3, 1 << 20, 4),
            (1, 1 << 20, 3, 1),
            (5, 700, 501, 2),
            (1, 1000, 1001, 16),
            (2, 257, 8193, 8),
            (900, 40, 30, 4),
        ] {
            let strides = [[(rows * cols) as isize, cols as isize, 1], [0, 1, rows as isize]];
            let nest = LoopNest::new(&[outer, rows, cols], [(&strides[0], 0), (&strides[1], 0)], unit);
            let (rows, cols) = (nest.rows().size, nest.cols().size);
            let grid = Grid::of(&nest, Cut::Blocks, 0, CHUNK);
            let mut covered = 0;
            let mut last = None;
            for index in 0..grid.pieces() {
                let piece = grid.piece(index);
                assert_ne!(Some(&piece), last.as_ref());
                let size = match &piece {
                    Piece::Range(range) => {
                        assert!(range.start % (rows * cols) == 0 && range.end % (rows * cols) == 0, "a cut tile");
                        range.len()
                    }
                    Piece::Tile { outer: at, rows, cols } => {
                        assert!(*at < outer && !rows.is_empty() && !cols.is_empty());
                        rows.len() * cols.len()
                    }
                };
                assert!(size * unit <= 3 * CHUNK, "{size} units of {unit}");
                covered += size;
                last = Some(piece);
            }
            assert_eq!(covered, nest.units, "{outer} x {rows} x {cols}");
        }
    }
}
