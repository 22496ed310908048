// Rendered by build.rs from kernels/; see kernels/README.md.
/// An instruction-set level of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// plain Rust on 8-byte words, every machine.
    #[cfg(all())]
    Scalar,
    /// x86-64-v3 with F16C: 32-byte vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64-v4 (F, BW, CD, DQ, VL): 64-byte vectors.
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    Avx512,
    /// x86-64-v4 with VBMI: byte permutations over 64 bytes.
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    Avx512Vbmi,
    /// AArch64 Advanced SIMD: 16-byte vectors.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Level {
    /// Every level of this build, weakest first.
    pub(crate) const ALL: &'static [Self] = &[
        #[cfg(all())]
        Self::Scalar,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Self::Avx512,
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Self::Avx512Vbmi,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
    ];

    /// Its name in the API, the environment and on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            #[cfg(all())]
            Self::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Self::Avx512 => "avx512",
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Self::Avx512Vbmi => "avx512vbmi",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
        }
    }

    /// What it is, in a few words.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            #[cfg(all())]
            Self::Scalar => "plain Rust on 8-byte words, every machine",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "x86-64-v3 with F16C: 32-byte vectors",
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Self::Avx512 => "x86-64-v4 (F, BW, CD, DQ, VL): 64-byte vectors",
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Self::Avx512Vbmi => "x86-64-v4 with VBMI: byte permutations over 64 bytes",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "AArch64 Advanced SIMD: 16-byte vectors",
        }
    }
}

/// Names of all levels there are, in this build or not.
pub(crate) const LEVEL_NAMES: &[&str] = &["scalar", "avx2", "avx512", "avx512vbmi", "neon"];
