// Rendered by build.rs from kernels/; see kernels/README.md.
/// The runtime tag of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `i8`: signed, 8 bits.
    I8,
    /// `i16`: signed, 16 bits.
    I16,
    /// `i32`: signed, 32 bits.
    I32,
    /// `i64`: signed, 64 bits.
    I64,
    /// `u8`: unsigned, 8 bits.
    U8,
    /// `u16`: unsigned, 16 bits.
    U16,
    /// `u32`: unsigned, 32 bits.
    U32,
    /// `u64`: unsigned, 64 bits.
    U64,
    /// `f16`: IEEE 754 binary16.
    F16,
    /// `bf16`: bfloat16: the upper half of an f32.
    BF16,
    /// `f32`: IEEE 754 binary32.
    F32,
    /// `f64`: IEEE 754 binary64.
    F64,
    /// `c64`: complex of two f32, NumPy's complex64.
    C64,
    /// `c128`: complex of two f64, NumPy's complex128.
    C128,
}

impl DType {
    /// Every tag.
    pub const ALL: &'static [Self] = &[
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
    ];

    /// Its printed name, such as `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 => 4,
            Self::I64 => 8,
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
            Self::U64 => 8,
            Self::F16 => 2,
            Self::BF16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::C64 => 8,
            Self::C128 => 16,
        }
    }

    /// Alignment of one element, in bytes.
    pub const fn align(self) -> usize {
        match self {
            Self::Bool => align_of::<bool>(),
            Self::I8 => align_of::<i8>(),
            Self::I16 => align_of::<i16>(),
            Self::I32 => align_of::<i32>(),
            Self::I64 => align_of::<i64>(),
            Self::U8 => align_of::<u8>(),
            Self::U16 => align_of::<u16>(),
            Self::U32 => align_of::<u32>(),
            Self::U64 => align_of::<u64>(),
            Self::F16 => align_of::<half::f16>(),
            Self::BF16 => align_of::<half::bf16>(),
            Self::F32 => align_of::<f32>(),
            Self::F64 => align_of::<f64>(),
            Self::C64 => align_of::<num_complex::Complex<f32>>(),
            Self::C128 => align_of::<num_complex::Complex<f64>>(),
        }
    }

}

impl sealed::Sealed for bool {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

const _: () = assert!(size_of::<bool>() == 1);

impl sealed::Sealed for i8 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for i8 {
    const DTYPE: DType = DType::I8;
}

const _: () = assert!(size_of::<i8>() == 1);

impl sealed::Sealed for i16 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for i16 {
    const DTYPE: DType = DType::I16;
}

const _: () = assert!(size_of::<i16>() == 2);

impl sealed::Sealed for i32 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for i32 {
    const DTYPE: DType = DType::I32;
}

const _: () = assert!(size_of::<i32>() == 4);

impl sealed::Sealed for i64 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for i64 {
    const DTYPE: DType = DType::I64;
}

const _: () = assert!(size_of::<i64>() == 8);

impl sealed::Sealed for u8 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for u8 {
    const DTYPE: DType = DType::U8;
}

const _: () = assert!(size_of::<u8>() == 1);

impl sealed::Sealed for u16 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for u16 {
    const DTYPE: DType = DType::U16;
}

const _: () = assert!(size_of::<u16>() == 2);

impl sealed::Sealed for u32 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for u32 {
    const DTYPE: DType = DType::U32;
}

const _: () = assert!(size_of::<u32>() == 4);

impl sealed::Sealed for u64 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for u64 {
    const DTYPE: DType = DType::U64;
}

const _: () = assert!(size_of::<u64>() == 8);

impl sealed::Sealed for half::f16 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for half::f16 {
    const DTYPE: DType = DType::F16;
}

const _: () = assert!(size_of::<half::f16>() == 2);

impl sealed::Sealed for half::bf16 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for half::bf16 {
    const DTYPE: DType = DType::BF16;
}

const _: () = assert!(size_of::<half::bf16>() == 2);

impl sealed::Sealed for f32 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for f32 {
    const DTYPE: DType = DType::F32;
}

const _: () = assert!(size_of::<f32>() == 4);

impl sealed::Sealed for f64 {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for f64 {
    const DTYPE: DType = DType::F64;
}

const _: () = assert!(size_of::<f64>() == 8);

impl sealed::Sealed for num_complex::Complex<f32> {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for num_complex::Complex<f32> {
    const DTYPE: DType = DType::C64;
}

const _: () = assert!(size_of::<num_complex::Complex<f32>>() == 8);

impl sealed::Sealed for num_complex::Complex<f64> {}

// SAFETY: the tag's alignment is this type's, and so is its size, asserted below.
unsafe impl Element for num_complex::Complex<f64> {
    const DTYPE: DType = DType::C128;
}

const _: () = assert!(size_of::<num_complex::Complex<f64>>() == 16);
