//! The rendered kernels and their look-up; see `kernels/README.md` for how they are made.

use core::fmt;

use super::isa::{Level, token};
use super::tile::Tile;
use crate::nest::Pattern;

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

/// One kernel of this build; [`kernels`] lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) pattern: Pattern,
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

    /// Bytes of one column of its tiles.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Name of the level that it is compiled for. Levels without a kernel of their own use a weaker one's.
    pub const fn isa_name(&self) -> &'static str {
        self.isa.name()
    }
}

/// A kernel's entry: enters its level and runs one tile.
///
/// # Safety
/// The contract of [`Tile`] with the strides that the kernel's pattern names, on a CPU that passed the check of
/// the kernel's level.
pub(crate) type KernelFn<const N: usize> = unsafe fn(&Tile<N>);

/// A kernel and what is known of it.
#[derive(Debug)]
pub(crate) struct Kernel<const N: usize> {
    pub info: KernelInfo,
    pub run: KernelFn<N>,
}

mod generated {
    use super::super::lanes::{Lanes, Pick, zip};
    use super::{Family, Kernel, KernelInfo, Level, Pattern, Tile, token};

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

    const PATTERNS: [Pattern; 7] = [
        Pattern::Contiguous,
        Pattern::ReplicateShort,
        Pattern::ReplicateLong,
        Pattern::Splat,
        Pattern::Repeat,
        Pattern::Transpose,
        Pattern::Strided,
    ];

    #[test]
    fn every_level_serves_every_pattern_at_the_widths_it_is_asked_for() {
        for &level in Level::ALL {
            for pattern in PATTERNS {
                for width in [1, 2, 4, 8, 16] {
                    let wanted = match pattern {
                        Pattern::Transpose => width < 16,
                        _ => width == 1 || !pattern.is_bytes(),
                    };
                    let kernel = move_kernel(level, pattern, width);
                    assert_eq!(kernel.is_some(), wanted, "{level:?} {pattern} {width}");
                    if let Some(kernel) = kernel {
                        assert_eq!((kernel.info.pattern, kernel.info.width), (pattern, width));
                        assert!(kernel.info.isa <= level, "a level never uses a stronger one's kernel");
                    }
                }
            }
        }
    }
}
