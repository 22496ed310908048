//! [`Isa`]: which instruction-set level runs, detected once and overridable.
//!
//! The invariant that every kernel call relies on: an `Isa` value exists only if this CPU passed the level's
//! whole check. `STRIDECAST_ISA` is read once; plans may force a level of their own.

use alloc::string::ToString;
use core::fmt;

use crate::error::{BroadcastError, Result};

include!(concat!(env!("OUT_DIR"), "/levels.rs"));

/// An instruction-set level that this CPU has.
///
/// ```
/// use stridecast::Isa;
///
/// let best = Isa::best();
/// assert!(Isa::available().any(|isa| isa == best));
/// assert_eq!(Isa::from_name("scalar")?, Isa::SCALAR);
/// assert!(Isa::from_name("mmx").is_err());
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Isa(Level);

impl Isa {
    /// Plain Rust; every CPU has it.
    pub const SCALAR: Self = Self(Level::Scalar);

    /// The levels of this build that the CPU has, weakest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Level::ALL.iter().copied().filter(|&level| supported(level)).map(Self)
    }

    /// The strongest level that the CPU has, whatever the environment says.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::SCALAR)
    }

    /// The level of that name: `scalar`, `avx2`, `avx512`, `avx512vbmi`, `neon`.
    ///
    /// # Errors
    /// If there is no such level, or if this CPU or this build lacks it.
    pub fn from_name(name: &str) -> Result<Self> {
        if let Some(isa) = Self::available().find(|isa| isa.name() == name) {
            return Ok(isa);
        }
        match LEVEL_NAMES.iter().find(|known| **known == name) {
            Some(name) => Err(BroadcastError::IsaUnavailable { name }),
            None => Err(BroadcastError::UnknownIsa { name: name.to_string() }),
        }
    }

    /// The level that a plan uses unless it is given one: `STRIDECAST_ISA` if set, else [`Isa::best`]. Detected,
    /// and the environment read, once per process.
    ///
    /// # Errors
    /// If `STRIDECAST_ISA` names no level, or one that is not available. An empty value counts as unset.
    #[cfg(feature = "std")]
    pub fn chosen() -> Result<Self> {
        static CHOSEN: std::sync::OnceLock<Result<Isa>> = std::sync::OnceLock::new();
        match CHOSEN.get_or_init(Self::from_environment) {
            Ok(isa) => Ok(*isa),
            Err(error) => Err(error.clone()),
        }
    }

    #[cfg(feature = "std")]
    fn from_environment() -> Result<Self> {
        match std::env::var_os("STRIDECAST_ISA") {
            Some(name) if !name.is_empty() => Self::from_name(&name.to_string_lossy()),
            _ => Ok(Self::best()),
        }
    }

    /// The strongest level that the compile-time target features allow: without `std` there is neither an
    /// environment nor run-time detection.
    ///
    /// # Errors
    /// Never; the signature is that of a build with `std`.
    #[cfg(not(feature = "std"))]
    pub fn chosen() -> Result<Self> {
        Ok(Self::best())
    }

    /// Its name, as [`Isa::from_name`] takes it.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    /// What the level is, in a few words.
    pub const fn describe(self) -> &'static str {
        self.0.describe()
    }

    pub(crate) const fn level(self) -> Level {
        self.0
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Isa({})", self.name())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether the CPU has everything that the level's kernels may use.
///
/// Feature by feature rather than by pulp's own check: pulp 0.22 maps `avx512vl` to the bit of `avx512f`, and
/// knows neither F16C nor VBMI as part of a level.
#[allow(unused_macros, reason = "architectures with plain Rust alone ask for nothing")]
fn supported(level: Level) -> bool {
    macro_rules! has {
        ($($feature:tt)*) => { true $(&& feature!($feature))* };
    }
    #[cfg(feature = "std")]
    macro_rules! feature {
        ("neon") => {
            std::arch::is_aarch64_feature_detected!("neon")
        };
        ($feature:tt) => {
            std::arch::is_x86_feature_detected!($feature)
        };
    }
    #[cfg(not(feature = "std"))]
    macro_rules! feature {
        ($feature:tt) => {
            cfg!(target_feature = $feature)
        };
    }
    match level {
        Level::Scalar => true,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => has!(
            "sse" "sse2" "fxsr" "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "fma" "lzcnt" "f16c"
        ),
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Level::Avx512 => supported(Level::Avx2) && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"),
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Level::Avx512Vbmi => supported(Level::Avx512) && has!("avx512vbmi"),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => has!("neon"),
    }
}

/// The pulp token of each level; rendered kernels enter their level through these.
pub(crate) mod token {
    /// # Safety
    /// None is needed; the signature is that of the others.
    #[inline(always)]
    pub(crate) unsafe fn scalar() -> pulp::Scalar {
        pulp::Scalar::new()
    }

    #[cfg(target_arch = "x86_64")]
    pulp::simd_type! {
        /// Every feature of V3, and F16C, which pulp leaves out: a function entered by V3 calls each conversion.
        pub(crate) struct V3Half {
            pub sse: "sse",
            pub sse2: "sse2",
            pub fxsr: "fxsr",
            pub sse3: "sse3",
            pub ssse3: "ssse3",
            pub sse4_1: "sse4.1",
            pub sse4_2: "sse4.2",
            pub popcnt: "popcnt",
            pub avx: "avx",
            pub avx2: "avx2",
            pub bmi1: "bmi1",
            pub bmi2: "bmi2",
            pub fma: "fma",
            pub lzcnt: "lzcnt",
            pub f16c: "f16c",
        }
    }

    /// # Safety
    /// The CPU passed the check of `Level::Avx2`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) unsafe fn avx2() -> V3Half {
        // SAFETY: the level's check covers every feature of the type.
        unsafe { V3Half::new_unchecked() }
    }

    /// # Safety
    /// The CPU passed the check of `Level::Avx512`.
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    #[inline(always)]
    pub(crate) unsafe fn avx512() -> pulp::x86::V4 {
        // SAFETY: the level's check covers every feature of V4.
        unsafe { pulp::x86::V4::new_unchecked() }
    }

    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    pulp::simd_type! {
        /// Every feature of V4, and VBMI, which pulp has no level for.
        pub(crate) struct V4Vbmi {
            pub sse: "sse",
            pub sse2: "sse2",
            pub fxsr: "fxsr",
            pub sse3: "sse3",
            pub ssse3: "ssse3",
            pub sse4_1: "sse4.1",
            pub sse4_2: "sse4.2",
            pub popcnt: "popcnt",
            pub avx: "avx",
            pub avx2: "avx2",
            pub bmi1: "bmi1",
            pub bmi2: "bmi2",
            pub fma: "fma",
            pub lzcnt: "lzcnt",
            pub avx512f: "avx512f",
            pub avx512bw: "avx512bw",
            pub avx512cd: "avx512cd",
            pub avx512dq: "avx512dq",
            pub avx512vl: "avx512vl",
            pub avx512vbmi: "avx512vbmi",
        }
    }

    /// # Safety
    /// The CPU passed the check of `Level::Avx512Vbmi`.
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    #[inline(always)]
    pub(crate) unsafe fn avx512vbmi() -> V4Vbmi {
        // SAFETY: the level's check covers every feature of the type.
        unsafe { V4Vbmi::new_unchecked() }
    }

    /// # Safety
    /// The CPU passed the check of `Level::Neon`.
    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    pub(crate) unsafe fn neon() -> pulp::aarch64::Neon {
        // SAFETY: the level's check covers Neon's one feature.
        unsafe { pulp::aarch64::Neon::new_unchecked() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_scalar_is_always_there() {
        let all: alloc::vec::Vec<_> = Isa::available().collect();
        assert_eq!(all.first(), Some(&Isa::SCALAR));
        assert_eq!(all.last(), Some(&Isa::best()));
        assert!(all.is_sorted());
    }

    #[test]
    fn a_level_of_another_architecture_is_unavailable_and_a_typo_unknown() {
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert_eq!(Isa::from_name(foreign), Err(BroadcastError::IsaUnavailable { name: foreign }));
        assert_eq!(Isa::from_name("AVX2"), Err(BroadcastError::UnknownIsa { name: "AVX2".into() }));
    }

    #[test]
    fn every_available_level_is_found_by_its_name() {
        for isa in Isa::available() {
            assert_eq!(Isa::from_name(isa.name()), Ok(isa));
        }
    }
}
