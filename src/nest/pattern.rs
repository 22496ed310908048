//! [`Pattern`]: what the innermost loops of a nest look like, which decides the kernel.

#![forbid(unsafe_code)]

use core::fmt;

use super::LoopNest;

/// The inner pattern of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pattern {
    /// Dense rows on both sides: a vector copy per row.
    Contiguous,
    /// A source row of fewer than [`Pattern::SHORT_ROW`] bytes, repeated back to back: the output's first rows are
    /// copied on from there.
    ReplicateShort,
    /// A longer source row, repeated: it is copied from cache each time, or for four rows at a time.
    ReplicateLong,
    /// One source element per row, repeated along it.
    Splat,
    /// Each element of a dense source row, repeated fewer than [`Pattern::SHORT_SPLAT`] bytes long, back to back.
    Repeat,
    /// Small blocks of several axes, back to back on both sides: each block is one fixed choice of its source's bytes.
    Permute,
    /// Dense columns of the source become dense rows of the output: blocks are turned in registers.
    Transpose,
    /// Anything else: element by element.
    Strided,
}

impl Pattern {
    /// A row of fewer bytes is short. Copied on from the output, 256 KiB of rows of 4000 to 12000 bytes take 2.3 to 2.7
    /// us wherever source and output lie; copied from the source each time 2.3 if everything lies on lines and 2.5 to
    /// 4.7 if not. 16 KiB back, half of L1, the copy no longer gains: rows of 16383 bytes take 3.5 us either way (Zen
    /// 4).
    pub const SHORT_ROW: usize = 12 << 10;

    /// Splats of fewer bytes than one 64-byte vector are written several at a time.
    pub const SHORT_SPLAT: usize = 64;

    /// Side of the blocks that a transpose turns, in bytes: the vectors that every level has.
    const TURNED: isize = 16;

    /// Decides the pattern of a nest of output and source.
    #[inline]
    pub(crate) fn of(nest: &LoopNest<2>) -> Self {
        let (rows, cols) = (nest.rows(), nest.cols());
        let unit = nest.unit as isize;
        let row_bytes = cols.size * nest.unit;
        let side = (Self::TURNED as usize >> nest.unit.trailing_zeros()).max(2);
        match cols.strides {
            [out, _] if out != unit => Self::Strided,
            [_, src] if src == unit => {
                if rows.size == 1 || rows.strides != [row_bytes as isize, 0] {
                    Self::Contiguous
                } else if row_bytes < Self::SHORT_ROW {
                    Self::ReplicateShort
                } else {
                    Self::ReplicateLong
                }
            }
            [_, 0] if row_bytes < Self::SHORT_SPLAT && rows.size > 1 && rows.strides == [row_bytes as isize, unit] => {
                Self::Repeat
            }
            [_, 0] => Self::Splat,
            _ if rows.size.max(cols.size) >= side && cols.size > 1 && rows.strides[1] == unit => Self::Transpose,
            _ => Self::Strided,
        }
    }

    /// The number of innermost axes that make a small block, if the nest is better run block by block than tile by
    /// tile.
    #[inline]
    pub(crate) fn fold(nest: &LoopNest<2>) -> Option<usize> {
        let tile = nest.rows().size.saturating_mul(nest.cols().size).saturating_mul(nest.unit);
        let small = nest.axes.len() > 2 && tile < Self::SMALL_TILE && nest.units >= Self::BLOCKS_LEAST / nest.unit;
        if small { Self::fold_small(nest, tile) } else { None }
    }

    /// As [`Pattern::fold`], for a nest whose tiles take `tile` bytes.
    #[cold]
    fn fold_small(nest: &LoopNest<2>, tile: usize) -> Option<usize> {
        let (mut block, mut source) = (nest.unit, nest.unit);
        for (folded, axis) in nest.axes.iter().rev().enumerate() {
            // Blocks are dense on both sides, and so is what they are made of.
            let stands = axis.strides[1] == 0;
            let dense = axis.strides[0] == block as isize && (stands || axis.strides[1] == source as isize);
            if !dense {
                return None;
            }
            if block.saturating_mul(axis.size) > Self::BLOCK {
                // What one choice serves: the blocks of three axes.
                let served =
                    nest.axes.iter().rev().skip(folded).take(3).fold(1, |n: usize, a| n.saturating_mul(a.size));
                let calls = served.saturating_mul(block) / tile;
                let pays = calls.saturating_mul(Self::CALL) > Self::CHOICE + block / 4;
                return (folded >= 2 && pays).then_some(folded);
            }
            block *= axis.size;
            source *= if stands { 1 } else { axis.size };
        }
        None
    }

    /// Most bytes of a block.
    pub(crate) const BLOCK: usize = 1024;

    /// Tiles of fewer bytes are small: what a call costs beside its bytes, about 6 ns, shows.
    const SMALL_TILE: usize = 512;
    const CALL: usize = 6;

    /// What it takes to work out the choice that blocks are made by, in ns, beside a quarter of one per byte of a block
    /// (Zen 4).
    const CHOICE: usize = 200;

    /// Least bytes of output that may pay for it.
    const BLOCKS_LEAST: usize = 2 << 10;

    /// Whether its kernels take rows of bytes, whatever the element type.
    pub(crate) const fn is_bytes(self) -> bool {
        matches!(self, Self::Contiguous | Self::ReplicateShort | Self::ReplicateLong)
    }

    /// What happens, in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Contiguous => "dense rows on both sides, copied by vectors",
            Self::ReplicateShort => "one short source row repeated back to back, copied on from the output itself",
            Self::ReplicateLong => "one long source row repeated, copied from cache for each row or four",
            Self::Splat => "one source element per row, repeated along it",
            Self::Repeat => "each element of a dense source row repeated a few times, back to back",
            Self::Permute => "small blocks of several axes, each a fixed choice of its source's bytes",
            Self::Transpose => "dense source columns become dense rows, by blocks turned in registers",
            Self::Strided => "element by element",
        }
    }

    /// Its name, as [`fmt::Display`] prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::ReplicateShort => "replicate (short rows)",
            Self::ReplicateLong => "replicate (long rows)",
            Self::Splat => "splat",
            Self::Repeat => "repeat (short splats)",
            Self::Permute => "permute (small blocks)",
            Self::Transpose => "transpose",
            Self::Strided => "strided",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::LoopNest;

    fn pattern(shape: &[usize], out: &[isize], src: &[isize], elem: usize) -> Pattern {
        Pattern::of(&LoopNest::new(shape, [(out, 0), (src, 0)], elem))
    }

    #[test]
    fn each_pattern_from_its_strides() {
        assert_eq!(pattern(&[100], &[1], &[1], 4), Pattern::Contiguous);
        assert_eq!(pattern(&[], &[], &[], 4), Pattern::Contiguous);
        assert_eq!(pattern(&[9, 3], &[3, 1], &[0, 1], 4), Pattern::ReplicateShort);
        assert_eq!(pattern(&[9, 3100], &[3100, 1], &[0, 1], 4), Pattern::ReplicateLong);
        assert_eq!(pattern(&[9, 3], &[3, 1], &[1, 0], 4), Pattern::Repeat);
        assert_eq!(pattern(&[9, 3], &[3, 1], &[2, 0], 4), Pattern::Splat);
        assert_eq!(pattern(&[9, 3], &[4, 1], &[1, 0], 4), Pattern::Splat);
        assert_eq!(pattern(&[9, 15], &[15, 1], &[1, 0], 4), Pattern::Repeat);
        assert_eq!(pattern(&[9, 16], &[16, 1], &[1, 0], 4), Pattern::Splat);
        assert_eq!(pattern(&[9, 3], &[3, 1], &[1, 9], 4), Pattern::Transpose);
        assert_eq!(pattern(&[3, 3], &[3, 1], &[1, 3], 4), Pattern::Strided);
        assert_eq!(pattern(&[9, 4], &[4, 1], &[1, 9], 4), Pattern::Transpose);
        assert_eq!(pattern(&[9, 4], &[4, 1], &[1, -9], 4), Pattern::Transpose);
        assert_eq!(pattern(&[9, 4], &[4, 1], &[2, 9], 4), Pattern::Strided);
        assert_eq!(pattern(&[3, 9], &[9, 1], &[1, 3], 4), Pattern::Transpose);
        assert_eq!(pattern(&[9, 4], &[4, 1], &[1, 9], 16), Pattern::Transpose);
        assert_eq!(pattern(&[9], &[1], &[-1], 4), Pattern::Strided);
        assert_eq!(pattern(&[9], &[2], &[1], 4), Pattern::Strided);
    }

    #[test]
    fn a_gap_between_output_rows_is_never_replicated_over() {
        assert_eq!(pattern(&[9, 3], &[5, 1], &[0, 1], 4), Pattern::Contiguous);
    }

    #[test]
    fn the_edge_between_short_and_long_rows() {
        let row = Pattern::SHORT_ROW as isize;
        assert_eq!(pattern(&[9, row as usize - 1], &[row - 1, 1], &[0, 1], 1), Pattern::ReplicateShort);
        assert_eq!(pattern(&[9, row as usize], &[row, 1], &[0, 1], 1), Pattern::ReplicateLong);
    }

    /// The axes of a block, of a dense output of `sizes` whose source has these strides.
    fn folded(sizes: &[usize], strides: &[isize], elem: usize) -> Option<usize> {
        let mut nest = LoopNest::empty();
        let axes = sizes.iter().zip(strides).rev().map(|(&size, &stride)| (size, [0, stride]));
        assert!(nest.fill_dense([0, 0], axes, elem));
        Pattern::fold(&nest)
    }

    #[test]
    fn small_blocks_of_dense_sources_are_folded_where_that_saves_enough_calls() {
        assert_eq!(folded(&[10_000, 2, 3], &[3, 0, 1], 4), Some(2));
        assert_eq!(folded(&[2000, 3, 4, 3], &[4, 0, 1, 0], 4), Some(3));
        assert_eq!(folded(&[9, 2000, 3, 4, 3], &[0, 4, 0, 1, 0], 4), Some(3));
        // Short outputs, two loops, large tiles.
        assert_eq!(folded(&[80, 2, 3], &[3, 0, 1], 4), None);
        assert_eq!(folded(&[10_000, 3], &[1, 0], 4), None);
        assert_eq!(folded(&[10_000, 2, 100], &[100, 0, 1], 4), None);
        // Sources with gaps, or from the back.
        assert_eq!(folded(&[10_000, 2, 3], &[4, 0, 1], 4), None);
        assert_eq!(folded(&[10_000, 2, 3], &[-3, 0, 1], 4), None);
        // One choice serves planes, rows and columns of blocks; too few of them do not pay for it.
        assert_eq!(folded(&[1000, 2, 3, 2, 200], &[600, 0, 200, 0, 1], 1), Some(2));
        assert_eq!(folded(&[6, 2, 3, 2, 200], &[600, 0, 200, 0, 1], 1), None);
        assert_eq!(folded(&[8, 4, 2, 8], &[2, 0, 1, 0], 16), None);
    }
}
