//! The one error type: what was refused, with the shapes, the axis and the sizes that show why.
//!
//! Messages are lower case, fit on one line and say what to change where that is not obvious.

#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::element::DType;
use crate::op::Op;
use crate::reduction::Reduction;

/// A result whose error is a [`BroadcastError`] unless another is named.
pub type Result<T, E = BroadcastError> = core::result::Result<T, E>;

/// Why a call was refused. Nothing has been written when one of these is returned.
///
/// Shapes are in elements, outermost axis first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BroadcastError {
    /// The target has fewer axes than the source, which a one-directional rule cannot drop.
    RankTooSmall {
        /// Shape of the source.
        source: Vec<usize>,
        /// Shape asked for.
        target: Vec<usize>,
    },
    /// A source size neither equals the target's nor may be stretched to it.
    Incompatible {
        /// Shape of the source.
        source: Vec<usize>,
        /// Shape asked for.
        target: Vec<usize>,
        /// Axis of the source.
        source_axis: usize,
        /// Axis of the target that it falls on.
        target_axis: usize,
    },
    /// The shapes of several operands have no common shape.
    NotMutual {
        /// All shapes, in the order given.
        shapes: Vec<Vec<usize>>,
        /// Axis of the common shape on which two sizes disagree, counted from the left.
        axis: usize,
        /// The two sizes, neither of them 1.
        sizes: (usize, usize),
    },
    /// An axis list has the wrong length for these ranks.
    AxesCount {
        /// Shape of the source.
        source: Vec<usize>,
        /// Shape asked for.
        target: Vec<usize>,
        /// Entries that the list must have.
        expected: usize,
        /// Entries that it has.
        got: usize,
    },
    /// An axis list is not strictly increasing.
    AxesOrder {
        /// The list.
        axes: Vec<usize>,
    },
    /// An axis list names an axis twice.
    RepeatedAxis {
        /// The list.
        axes: Vec<usize>,
        /// The axis.
        axis: usize,
    },
    /// An axis does not exist.
    AxisOutOfRange {
        /// The axis.
        axis: usize,
        /// The rank it was to lie below.
        rank: usize,
    },
    /// A permutation does not name every axis exactly once.
    NotAPermutation {
        /// The list given.
        axes: Vec<usize>,
        /// The rank it was to permute.
        rank: usize,
    },
    /// A slice with a step of zero, or one that leaves the axis.
    SliceOutOfRange {
        /// The axis.
        axis: usize,
        /// Its size.
        size: usize,
        /// First index taken.
        start: usize,
        /// Number of indices taken.
        count: usize,
        /// Distance between them.
        step: isize,
    },
    /// The element count (zero-size axes left out, as NumPy counts) or the byte count passes `isize::MAX`.
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
        /// Bytes of one element; 1 where only the element count was asked for.
        elem_size: usize,
    },
    /// A tiled size passes `usize::MAX`.
    TileTooLarge {
        /// Shape of the source.
        shape: Vec<usize>,
        /// The counts, padded to its rank.
        reps: Vec<usize>,
    },
    /// The source's axes, laid from this axis on, do not fit the target's.
    AxisTooFar {
        /// Shape of the source.
        source: Vec<usize>,
        /// Shape asked for.
        target: Vec<usize>,
        /// Target axis of the source's first axis.
        axis: usize,
    },
    /// A repeat list has the wrong number of entries.
    RepsCount {
        /// Shape of the source.
        shape: Vec<usize>,
        /// The list.
        reps: Vec<usize>,
    },
    /// Two shapes that must be equal are not.
    ShapeMismatch {
        /// The shape that was needed.
        expected: Vec<usize>,
        /// The shape that was given.
        got: Vec<usize>,
    },
    /// As many strides as axes are needed.
    StridesCount {
        /// Number of axes.
        rank: usize,
        /// Number of strides given.
        strides: usize,
    },
    /// A buffer has the wrong length for its shape.
    LengthMismatch {
        /// Which buffer.
        what: &'static str,
        /// Elements that the shape needs.
        expected: usize,
        /// Elements that the buffer holds.
        got: usize,
    },
    /// A byte buffer does not hold whole elements.
    PartialElement {
        /// Which buffer.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// Bytes of an element.
        elem_size: usize,
    },
    /// A plan's layout reaches elements before the start of the buffer it is run on.
    BeforeBuffer {
        /// Which buffer.
        what: &'static str,
        /// The lowest element, relative to the start of the buffer.
        lowest: isize,
    },
    /// A strided layout reaches outside its buffer.
    OutOfBounds {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// Lowest element that it reaches, relative to the start of the buffer.
        lowest: isize,
        /// Highest element that it reaches.
        highest: isize,
        /// Elements in the buffer.
        len: usize,
    },
    /// The strides carry an index past `isize::MAX` elements or bytes.
    StrideOverflow {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
    },
    /// Two indices of an output may fall on the same element.
    ///
    /// The test is conservative: every stride, sorted by size, must be at least the span of the axes
    /// inside it. A layout that interleaves axes without touching an element twice is refused too.
    SelfOverlap {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
    },
    /// The output's range of addresses, from its lowest byte to its highest, meets an input's.
    Overlap,
    /// A view over bytes that need not be initialised would be read.
    Uninitialised,
    /// A pointer is null, or its layout runs past the end of the address space.
    BadPointer {
        /// Which operand.
        what: &'static str,
    },
    /// The element type has another size than the plan was made for.
    ElementSize {
        /// Bytes per element of the plan.
        expected: usize,
        /// Bytes per element given.
        got: usize,
    },
    /// Two operands that must have one element type do not.
    DTypeMismatch {
        /// The type needed.
        expected: DType,
        /// The type given.
        got: DType,
    },
    /// A byte buffer is not aligned for its element type.
    Misaligned {
        /// The element type.
        dtype: DType,
    },
    /// The call needs an output that fills its buffer, from the first element on, without gaps.
    NotDense {
        /// The output's shape.
        shape: Vec<usize>,
    },
    /// A function is not defined on these element types.
    Undefined {
        /// The function.
        op: Op,
        /// Types of its operands.
        operands: Vec<DType>,
        /// Type of its output.
        output: DType,
    },
    /// A reduction is not defined on these element types.
    UndefinedReduction {
        /// The reduction.
        reduction: Reduction,
        /// Type of its operands.
        operand: DType,
        /// Type of its output.
        output: DType,
    },
    /// The largest or the smallest of no elements was asked for.
    EmptyReduction {
        /// The reduction.
        reduction: Reduction,
        /// The common shape of its operands.
        shape: Vec<usize>,
    },
    /// An integer division or remainder by zero; found before anything was written.
    DivisionByZero {
        /// The function.
        op: Op,
    },
    /// An integer to a negative power; found before anything was written.
    NegativeExponent,
    /// As many operands, or outputs, as this are needed.
    OperandCount {
        /// Number needed.
        expected: usize,
        /// Number given.
        got: usize,
    },
    /// No instruction set of that name.
    UnknownIsa {
        /// The name.
        name: String,
    },
    /// The instruction set exists, but not on this CPU or not in this build.
    IsaUnavailable {
        /// Its name.
        name: &'static str,
    },
    /// The allocator refused.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
}

/// `f32`-style list: `[2, 3]`.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for BroadcastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use BroadcastError as E;
        match self {
            E::RankTooSmall { source, target } => write!(
                f,
                "shape {} has {} axes and cannot be broadcast to {} with {}; give a target of at least the same rank",
                List(source),
                source.len(),
                List(target),
                target.len()
            ),
            E::Incompatible { source, target, source_axis, target_axis } => write!(
                f,
                "shape {} cannot be broadcast to {}: size {} on axis {} of the source against {} on axis {} of the target",
                List(source),
                List(target),
                source[*source_axis],
                source_axis,
                target[*target_axis],
                target_axis
            ),
            E::NotMutual { shapes, axis, sizes } => {
                f.write_str("shapes ")?;
                for (i, shape) in shapes.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, List(shape))?;
                }
                write!(
                    f,
                    " have no common shape: sizes {} and {} on axis {axis} differ and neither is 1",
                    sizes.0, sizes.1
                )
            }
            E::AxesCount { source, target, expected, got } => write!(
                f,
                "broadcasting {} to {} needs {expected} axes in the list, {got} were given",
                List(source),
                List(target)
            ),
            E::AxesOrder { axes } => write!(
                f,
                "axes {} are not strictly increasing; broadcasting neither transposes nor repeats an axis",
                List(axes)
            ),
            E::RepeatedAxis { axes, axis } => write!(f, "axes {} name axis {axis} twice", List(axes)),
            E::AxisOutOfRange { axis, rank } => {
                write!(f, "axis {axis} does not exist in a shape of rank {rank}")
            }
            E::NotAPermutation { axes, rank } => {
                write!(f, "axes {} do not name each of {rank} axes exactly once", List(axes))
            }
            E::SliceOutOfRange { axis, size, start, count, step } => {
                write!(f, "slice of {count} from {start} by step {step} leaves axis {axis} of size {size}")
            }
            E::TooLarge { shape, elem_size } => write!(
                f,
                "shape {} of {elem_size}-byte elements passes the largest size this machine can address",
                List(shape)
            ),
            E::RepsCount { shape, reps } => write!(
                f,
                "repeat counts {} do not match the rank of shape {}; give one count per axis",
                List(reps),
                List(shape)
            ),
            E::ShapeMismatch { expected, got } => {
                write!(f, "expected shape {}, got {}", List(expected), List(got))
            }
            E::StridesCount { rank, strides } => {
                write!(f, "a shape of rank {rank} needs {rank} strides, {strides} were given")
            }
            E::LengthMismatch { what, expected, got } => {
                write!(f, "the {what} needs {expected} elements, the buffer holds {got}")
            }
            E::OutOfBounds { shape, strides, lowest, highest, len } => write!(
                f,
                "shape {} with strides {} reaches elements {lowest} to {highest} of a buffer of {len}",
                List(shape),
                List(strides)
            ),
            E::StrideOverflow { shape, strides } => {
                write!(f, "shape {} with strides {} reaches past the address space", List(shape), List(strides))
            }
            E::SelfOverlap { shape, strides } => write!(
                f,
                "an output of shape {} with strides {} may write one element twice; every stride must be at least the \
                 span of the axes inside it (the test is conservative)",
                List(shape),
                List(strides)
            ),
            E::Overlap => f.write_str(
                "the output may share memory with an input: their address ranges meet; copy the input first",
            ),
            E::Uninitialised => {
                f.write_str("the view's bytes need not be initialised, so it cannot be changed in place")
            }
            E::BadPointer { what } => {
                write!(f, "the {what} pointer is null or its layout leaves the address space")
            }
            E::ElementSize { expected, got } => {
                write!(f, "the plan was made for elements of {expected} bytes, these have {got}")
            }
            E::DTypeMismatch { expected, got } => {
                write!(f, "expected elements of type {expected}, got {got}")
            }
            E::Misaligned { dtype } => {
                write!(f, "the buffer is not aligned to {} bytes for elements of type {dtype}", dtype.align())
            }
            E::NotDense { shape } => write!(
                f,
                "the output of shape {} has gaps, or does not start at the first element of its buffer; pieces are \
                 slices only of one that fills its buffer",
                List(shape)
            ),
            E::TileTooLarge { shape, reps } => write!(
                f,
                "shape {} repeated {} times passes the largest size this machine can address",
                List(shape),
                List(reps)
            ),
            E::AxisTooFar { source, target, axis } => write!(
                f,
                "shape {} does not fit {} from axis {axis} on; trailing sizes of 1 do not count",
                List(source),
                List(target)
            ),
            E::PartialElement { what, bytes, elem_size } => {
                write!(f, "the {what} of {bytes} bytes does not hold whole elements of {elem_size}")
            }
            E::BeforeBuffer { what, lowest } => {
                write!(f, "the {what} layout reaches element {lowest}, before the start of its buffer")
            }
            E::OperandCount { expected, got } => {
                write!(f, "{expected} operands are needed, {got} were given")
            }
            E::Undefined { op, operands, output } => write!(
                f,
                "{op} is not defined on elements of types {} with a result of {output}; convert an operand first",
                List(operands)
            ),
            E::UndefinedReduction { reduction, operand, output } => write!(
                f,
                "the {reduction} of elements of type {operand} is not defined with a result of {output}; convert the \
                 operand first"
            ),
            E::EmptyReduction { reduction, shape } => write!(
                f,
                "the {reduction} over axes of shape {} without an element does not exist; reduce over axes that have one",
                List(shape)
            ),
            E::DivisionByZero { op } => write!(f, "{op} by zero in an integer operand"),
            E::NegativeExponent => f.write_str("an integer to a negative power is no integer; use a float base"),
            E::UnknownIsa { name } => {
                write!(f, "unknown instruction set '{name}'; known are scalar, avx2, avx512, avx512vbmi, neon")
            }
            E::IsaUnavailable { name } => {
                write!(f, "instruction set '{name}' is not available on this CPU or in this build")
            }
            E::OutOfMemory { bytes } => write!(f, "no memory for an output of {bytes} bytes"),
        }
    }
}

impl core::error::Error for BroadcastError {}
