//! The rendered kernels and their look-up; see `kernels/README.md` for how they are made.

use core::fmt;

use super::isa::{Level, token};
use super::tile::Tile;
use crate::nest::{LoopNest, Pattern};

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Materialises: moves elements without looking at them.
    Move,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Move => "move",
        })
    }
}

/// How a kernel's stores treat the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stores {
    /// Plain stores: the output is in the caches afterwards, as far as it fits.
    Cached,
    /// Stores past the caches: lines are not read before they are written, and the caches keep what they hold.
    Streaming,
}

impl Stores {
    /// Bytes read and written from which a copy streams: 12 MiB to 12 MiB take 440 us cached and 480 streamed, 16 to 16
    /// MiB 2.1 and 1.5 ms, 128 to 128 MiB 10.4 and 6.5 ms (Zen 4 with 32 MiB of last-level cache).
    pub(super) const COPY: usize = 28 << 20;

    /// The same for a transpose, whose cached stores keep less of the source: 5.6 to 5.6 MiB take 186 us cached and 225
    /// streamed, 8.3 to 8.3 MiB 920 and 380 us, 128 to 128 MiB 20 and 10 ms.
    const TRANSPOSE: usize = 14 << 20;

    /// Bytes written from which filling past the caches is no slower, so that what is read stays in them: 16 rows of 64
    /// MiB in all take 2.4 ms either way, 128 MiB 5.2 to 8.6 cached, as source and output lie, and 4.9 streamed; each
    /// element twice 9.9 and 9.4, with 10.2 to 12 on other runs. At 32 MiB cached stores still win, 0.9 ms to 1.2.
    const FILL: usize = 64 << 20;

    /// What a materialising nest should use.
    ///
    /// Fills do not stream: 16 MiB take 0.17 ms cached and 0.56 streamed, 128 MiB 4.2 and 4.7. The source decides, not
    /// the size alone, because streaming saves reading the output's lines, which only competes with other reads.
    #[inline]
    pub(crate) fn for_move(nest: &LoopNest<2>, pattern: Pattern) -> Self {
        // Small calls are told apart by one comparison.
        if nest.units.saturating_mul(nest.unit) < Self::TRANSPOSE / 2 {
            Self::Cached
        } else {
            Self::for_large(nest, pattern)
        }
    }

    #[cold]
    fn for_large(nest: &LoopNest<2>, pattern: Pattern) -> Self {
        let (read, written) = (nest.bytes_read(), nest.units.saturating_mul(nest.unit));
        let both = if read >= written / 4 { read.saturating_add(written) } else { 0 };
        let large = match pattern {
            Pattern::Transpose => both >= Self::TRANSPOSE,
            Pattern::ReplicateShort | Pattern::ReplicateLong => written >= Self::FILL,
            Pattern::Repeat => both > 0 && written >= Self::FILL,
            _ => both >= Self::COPY,
        };
        if large { Self::Streaming } else { Self::Cached }
    }
}

impl fmt::Display for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cached => "cached",
            Self::Streaming => "streaming",
        })
    }
}

/// One kernel of this build; [`kernels`] lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) pattern: Pattern,
    pub(crate) stores: Stores,
    pub(crate) width: usize,
    pub(crate) isa: Level,
}

impl KernelInfo {
    /// Its name, as in the inventory.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it does.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The inner pattern that it serves.
    pub const fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// How its stores treat the caches.
    pub const fn stores(&self) -> Stores {
        self.stores
    }

    /// Bytes of one unit of its tiles: a column, or what a block is made of.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Name of the level that it is compiled for. Levels without a kernel of their own use a weaker one's.
    pub const fn isa_name(&self) -> &'static str {
        self.isa.name()
    }
}

/// A kernel's entry: enters its level and runs one tile, whose pointers it moves on.
///
/// # Safety
/// The contract of [`Tile`] with the strides that the kernel's pattern names, on a CPU that passed the check of
/// the kernel's level.
pub(crate) type KernelFn<const N: usize> = unsafe fn(&mut Tile<N>);

/// A kernel and what is known of it.
#[derive(Debug)]
pub(crate) struct Kernel<const N: usize> {
    pub info: KernelInfo,
    pub run: KernelFn<N>,
}

#[allow(dead_code, reason = "a target without a level has no use for the templates that only this level renders")]
mod generated {
    use super::super::choose::Choose;
    use super::super::lanes::{Lanes, Pick, zip};
    use super::super::turn::{self, Wide};
    use super::{Family, Kernel, KernelInfo, Level, Pattern, Stores, Tile, token};

    include!(concat!(env!("OUT_DIR"), "/moves.rs"));
}

pub(crate) use generated::move_kernel;

/// Every kernel of this build, whether or not this CPU can run it.
pub fn kernels() -> impl Iterator<Item = &'static KernelInfo> {
    generated::MOVE_KERNELS.iter().map(|kernel| &kernel.info)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERNS: [Pattern; 8] = [
        Pattern::Contiguous,
        Pattern::ReplicateShort,
        Pattern::ReplicateLong,
        Pattern::Splat,
        Pattern::Repeat,
        Pattern::Permute,
        Pattern::Transpose,
        Pattern::Strided,
    ];

    #[test]
    fn every_level_serves_every_pattern_at_the_widths_it_is_asked_for() {
        for &level in Level::ALL {
            for pattern in PATTERNS {
                for width in [1, 2, 4, 8, 16] {
                    let wanted = width == 1 || !pattern.is_bytes();
                    for stores in [Stores::Cached, Stores::Streaming] {
                        let kernel = move_kernel(level, pattern, stores, width);
                        assert_eq!(kernel.is_some(), wanted, "{level:?} {pattern} {stores} {width}");
                        if let Some(kernel) = kernel {
                            assert_eq!((kernel.info.pattern, kernel.info.width), (pattern, width));
                            assert!(kernel.info.isa <= level, "a level never uses a stronger one's kernel");
                            assert!(kernel.info.stores == stores || stores == Stores::Streaming);
                        }
                    }
                }
            }
        }
    }

    /// What a nest of `axes` (sizes, and the source's strides) of single bytes uses.
    fn stores(axes: &[(usize, isize)]) -> Stores {
        let mut nest = LoopNest::empty();
        assert!(nest.fill_dense([0, 0], axes.iter().rev().map(|&(size, stride)| (size, [0, stride])), 1));
        Stores::for_move(&nest, Pattern::of(&nest))
    }

    #[test]
    fn large_copies_stream_and_fills_do_not() {
        const MIB: usize = 1 << 20;
        assert_eq!(stores(&[(13 * MIB, 1)]), Stores::Cached);
        assert_eq!(stores(&[(15 * MIB, 1)]), Stores::Streaming);
        assert_eq!(stores(&[(1 << 40, 0)]), Stores::Cached);
        // A transpose sooner, rows and repeats later.
        let side = 4096_isize;
        assert_eq!(stores(&[(2048, 1), (2048, 2048)]), Stores::Cached);
        assert_eq!(stores(&[(4096, 1), (4096, side)]), Stores::Streaming);
        assert_eq!(stores(&[(32, 0), (MIB, 1)]), Stores::Cached);
        assert_eq!(stores(&[(64, 0), (MIB, 1)]), Stores::Streaming);
        assert_eq!(stores(&[(24 * MIB, 1), (2, 0)]), Stores::Cached);
        assert_eq!(stores(&[(32 * MIB, 1), (2, 0)]), Stores::Streaming);
        assert_eq!(stores(&[(32 * MIB, 1), (8, 0)]), Stores::Cached);
        assert_eq!(stores(&[(MIB / 2, 0), (100, 1)]), Stores::Cached);
        assert_eq!(stores(&[(MIB, 0), (100, 1)]), Stores::Streaming);
    }
}
