//! The list: every element type, instruction set and kernel that exists.
//!
//! Read by `build.rs` (which renders the kernels from it), by `tests/codegen.rs` (which compares the
//! result with `snapshot/`), and by people. Data only: std, no I/O, no logic beyond table look-ups.

/// An element type with a runtime tag.
pub struct DType {
    /// Variant of the `DType` enum.
    pub variant: &'static str,
    /// Its printed and parsed name.
    pub name: &'static str,
    /// The Rust type, as a path that resolves inside the crate.
    pub ty: &'static str,
    /// Bytes of one element. Its alignment is the target's business and is asked of the compiler.
    pub bytes: usize,
    /// One line for the docs.
    pub doc: &'static str,
}

const fn dtype(variant: &'static str, name: &'static str, ty: &'static str, bytes: usize, doc: &'static str) -> DType {
    DType { variant, name, ty, bytes, doc }
}

/// Every element type with a tag, in the order of the enum.
pub const DTYPES: &[DType] = &[
    dtype("Bool", "bool", "bool", 1, "one byte, 0 or 1"),
    dtype("I8", "i8", "i8", 1, "signed, 8 bits"),
    dtype("I16", "i16", "i16", 2, "signed, 16 bits"),
    dtype("I32", "i32", "i32", 4, "signed, 32 bits"),
    dtype("I64", "i64", "i64", 8, "signed, 64 bits"),
    dtype("U8", "u8", "u8", 1, "unsigned, 8 bits"),
    dtype("U16", "u16", "u16", 2, "unsigned, 16 bits"),
    dtype("U32", "u32", "u32", 4, "unsigned, 32 bits"),
    dtype("U64", "u64", "u64", 8, "unsigned, 64 bits"),
    dtype("F16", "f16", "half::f16", 2, "IEEE 754 binary16"),
    dtype("BF16", "bf16", "half::bf16", 2, "bfloat16: the upper half of an f32"),
    dtype("F32", "f32", "f32", 4, "IEEE 754 binary32"),
    dtype("F64", "f64", "f64", 8, "IEEE 754 binary64"),
    dtype("C64", "c64", "num_complex::Complex<f32>", 8, "complex of two f32, NumPy's complex64"),
    dtype("C128", "c128", "num_complex::Complex<f64>", 16, "complex of two f64, NumPy's complex128"),
];

/// An instruction-set level.
pub struct Isa {
    /// Variant of the `Level` enum, and the suffix of kernel names in lower case.
    pub variant: &'static str,
    /// Name in the API, the environment and on the command line.
    pub name: &'static str,
    /// Function of `engine::isa::token` that makes the level's pulp token.
    pub token: &'static str,
    /// Condition under which the level is compiled at all.
    pub cfg: &'static str,
    /// Level whose kernels are used where this one has none of its own.
    pub falls_back_to: &'static str,
    /// One line for the docs.
    pub doc: &'static str,
}

/// Every level, weakest first within an architecture.
pub const ISAS: &[Isa] = &[
    Isa {
        variant: "Scalar",
        name: "scalar",
        token: "scalar",
        cfg: "all()",
        falls_back_to: "Scalar",
        doc: "plain Rust on 8-byte words, every machine",
    },
    Isa {
        variant: "Avx2",
        name: "avx2",
        token: "avx2",
        cfg: "target_arch = \"x86_64\"",
        falls_back_to: "Scalar",
        doc: "x86-64-v3 with F16C: 32-byte vectors",
    },
    Isa {
        variant: "Avx512",
        name: "avx512",
        token: "avx512",
        cfg: "all(target_arch = \"x86_64\", feature = \"x86-v4\")",
        falls_back_to: "Avx2",
        doc: "x86-64-v4 (F, BW, CD, DQ, VL): 64-byte vectors",
    },
    Isa {
        variant: "Avx512Vbmi",
        name: "avx512vbmi",
        token: "avx512vbmi",
        cfg: "all(target_arch = \"x86_64\", feature = \"x86-v4\")",
        falls_back_to: "Avx512",
        doc: "x86-64-v4 with VBMI: byte permutations over 64 bytes",
    },
    Isa {
        variant: "Neon",
        name: "neon",
        token: "neon",
        cfg: "target_arch = \"aarch64\"",
        falls_back_to: "Scalar",
        doc: "AArch64 Advanced SIMD: 16-byte vectors",
    },
];

/// A kernel element: what one column of a tile is, or, where columns are blocks, one unit of those.
pub struct Width {
    /// Suffix of kernel names.
    pub name: &'static str,
    /// The type that carries it; loads and stores are unaligned.
    pub ty: &'static str,
    /// Its bytes.
    pub bytes: usize,
}

/// The widths of the move kernels. Other element sizes are split into these by one more axis.
pub const WIDTHS: &[Width] = &[
    Width { name: "w1", ty: "u8", bytes: 1 },
    Width { name: "w2", ty: "u16", bytes: 2 },
    Width { name: "w4", ty: "u32", bytes: 4 },
    Width { name: "w8", ty: "u64", bytes: 8 },
    // A vector type: a u128 is kept in two halves, which are stored one by one.
    Width { name: "w16", ty: "zip::Vector", bytes: 16 },
];

/// A move kernel: how one inner pattern is written out.
pub struct Move {
    /// Variant of the `Pattern` enum.
    pub pattern: &'static str,
    /// The template function in `moves/`, and the prefix of the kernel's name.
    pub template: &'static str,
    /// Bytes per column that it is rendered for.
    pub widths: &'static [usize],
    /// Variant of the `Stores` enum: whether it writes through the caches or past them. A level without a kernel that
    /// streams uses the cached one.
    pub stores: &'static str,
    /// Levels that get their own copy; the others fall back (see [`Isa::falls_back_to`]).
    pub isas: &'static [&'static str],
}

const VECTOR: &[&str] = &["Scalar", "Avx2", "Avx512", "Neon"];

/// The levels of `VECTOR`, less 64-byte vectors, for what is no faster by them (Zen 4 stores 32 bytes a cycle either
/// way) and whose loads are not aligned: then each of theirs touches two lines, and of 32 bytes every other.
const HALF: &[&str] = &["Scalar", "Avx2", "Neon"];

/// Levels with stores that pass the caches. AArch64 cores stop allocating by themselves on long runs of stores.
const STREAM: &[&str] = &["Avx2", "Avx512"];

const CACHED: &str = "Cached";
const STREAMING: &str = "Streaming";

/// Every move kernel. Lines of one pattern stand together; each level takes the one that lists it.
///
/// Contiguous and replicated rows are bytes whatever their elements are, so those exist once, at
/// width 1; the engine turns the row into bytes when it picks them. A splat repeats an element and a
/// strided row gathers elements, so those exist per width. The gather has nothing to gain from wider
/// registers and exists once per width for all levels.
pub const MOVES: &[Move] = &[
    Move { pattern: "Contiguous", template: "contiguous", stores: CACHED, widths: &[1], isas: VECTOR },
    Move { pattern: "Contiguous", template: "contiguous_stream", stores: STREAMING, widths: &[1], isas: STREAM },
    Move { pattern: "ReplicateShort", template: "replicate_short", stores: CACHED, widths: &[1], isas: HALF },
    Move {
        pattern: "ReplicateShort",
        template: "replicate_short_stream",
        stores: STREAMING,
        widths: &[1],
        isas: STREAM,
    },
    Move { pattern: "ReplicateLong", template: "replicate_long", stores: CACHED, widths: &[1], isas: VECTOR },
    Move { pattern: "ReplicateLong", template: "replicate_long_stream", stores: STREAMING, widths: &[1], isas: STREAM },
    Move { pattern: "Splat", template: "splat", stores: CACHED, widths: &[1, 2, 4, 8, 16], isas: VECTOR },
    Move { pattern: "Repeat", template: "repeat", stores: CACHED, widths: &[1, 2, 4, 8, 16], isas: &["Scalar"] },
    Move {
        pattern: "Repeat",
        template: "repeat_pick",
        stores: CACHED,
        widths: &[1, 2, 4, 8, 16],
        isas: &["Avx2", "Neon"],
    },
    Move {
        pattern: "Repeat",
        template: "repeat_pick_stream",
        stores: STREAMING,
        widths: &[1, 2, 4, 8, 16],
        isas: &["Avx2"],
    },
    Move {
        pattern: "Permute",
        template: "permute_plain",
        stores: CACHED,
        widths: &[1, 2, 4, 8, 16],
        isas: &["Scalar"],
    },
    Move {
        pattern: "Permute",
        template: "permute",
        stores: CACHED,
        widths: &[1, 2, 4, 8, 16],
        isas: &["Avx2", "Avx512Vbmi", "Neon"],
    },
    Move { pattern: "Transpose", template: "transpose", stores: CACHED, widths: &[1, 2, 4, 8, 16], isas: VECTOR },
    // Half lines of rows of one and two bytes would be written in turns, which is what streaming is worst at.
    Move {
        pattern: "Transpose",
        template: "transpose_stream",
        stores: STREAMING,
        widths: &[4, 8, 16],
        isas: &["Avx2"],
    },
    Move {
        pattern: "Transpose",
        template: "transpose_stream",
        stores: STREAMING,
        widths: &[1, 2, 4, 8, 16],
        isas: &["Avx512"],
    },
    Move { pattern: "Strided", template: "strided", stores: CACHED, widths: &[1, 2, 4, 8, 16], isas: &["Scalar"] },
];
