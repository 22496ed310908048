//! From a function and the types of its operands to a kernel, and what must become of the operands on their way to it.

#![forbid(unsafe_code)]

use super::cast::{CastFn, cast_kernel};
use super::catalog::{Form, MapKernel, map_kernel};
use super::isa::Isa;
use super::map::OPERANDS;
use super::scan::Need;
use crate::element::DType;
use crate::error::{BroadcastError, Result};
use crate::op::Op;

/// What computes a function on operands of certain types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub kernel: &'static MapKernel,
    /// Bytes of an element of each operand as it lies in memory.
    pub sizes: [usize; OPERANDS],
    /// Conversions between memory and kernel.
    pub casts: [Option<CastFn>; OPERANDS],
    /// Whether the kernel takes the first two operands the other way round.
    pub exchanged: bool,
    /// What a value of an operand must not be, and which operand.
    pub need: Option<(Need, usize)>,
    /// Whether an operand that stands still may be converted to f32 once, for kernels made for that.
    pub widens: bool,
}

/// What a call is: a function, its operands' types and its result's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature<'s> {
    pub op: Op,
    pub inputs: &'s [DType],
    pub output: DType,
}

impl Signature<'_> {
    /// The type of a function's result on operands of these types: bool of a comparison, else what is computed.
    pub fn output_of(op: Op, inputs: &[DType]) -> DType {
        let same = if op == Op::Where { inputs.get(1) } else { inputs.first() };
        if is_comparison(op) { DType::Bool } else { same.copied().unwrap_or(DType::Bool) }
    }

    /// Finds the kernel.
    ///
    /// # Errors
    /// If the number of operands is not the function's, or the function is not defined on their types.
    #[inline]
    pub fn resolve(&self, isa: Isa) -> Result<Resolved> {
        let Self { op, inputs, output } = *self;
        if inputs.len() != op.arity() {
            return Err(BroadcastError::OperandCount { expected: op.arity(), got: inputs.len() });
        }
        match self.plain(isa).or_else(|| self.by_casts(isa)) {
            Some(resolved) => Ok(resolved),
            None => Err(BroadcastError::Undefined { op, operands: inputs.to_vec(), output }),
        }
    }

    /// A kernel for the operands as they are.
    #[inline]
    fn plain(&self, isa: Isa) -> Option<Resolved> {
        let (op, exchanged) = match self.op {
            Op::Gt => (Op::Lt, true),
            Op::Ge => (Op::Le, true),
            op => (op, false),
        };
        let values = if op == Op::Where { &self.inputs[1..] } else { self.inputs };
        let dtype = *values.first()?;
        let mask = op != Op::Where || is_byte(self.inputs[0]);
        if !mask || values.iter().any(|other| *other != dtype) {
            return None;
        }
        let form = match self.output {
            output if is_comparison(op) && is_byte(output) => Form::Plain,
            output if output == dtype && is_comparison(op) => byte_kind(dtype),
            output if output == dtype => Form::Plain,
            _ => return None,
        };
        let kernel = map_kernel(isa.level(), op, form, dtype)?;
        let widens =
            matches!(dtype, DType::F16 | DType::BF16) && map_kernel(isa.level(), op, Form::SecondWide, dtype).is_some();
        let need = Need::of(op, dtype).map(|need| (need, 1));
        Some(Resolved { kernel, sizes: kernel.sizes, casts: [None; OPERANDS], exchanged, need, widens })
    }

    /// A kernel for other types, to and from which the operands are converted: halves are computed as f32 where they have
    /// no kernel of their own, and powers take an exponent of another type.
    fn by_casts(&self, isa: Isa) -> Option<Resolved> {
        let Self { op, inputs, output } = *self;
        let base = *inputs.first()?;
        let half = matches!(base, DType::F16 | DType::BF16);
        let same = inputs.iter().all(|other| *other == base);
        // Tests give bytes, and a mask is one: no conversion makes those of a number.
        let other = is_comparison(op) || op == Op::Where;
        if other || output != base || !(op == Op::Pow && is_real(inputs[1]) || same) {
            return None;
        }
        let inner = match base {
            _ if half => DType::F32,
            DType::F32 | DType::F64 => base,
            // A power of an integer to a fraction is computed in f64, and saturates.
            _ if is_integer(base) && is_float(inputs.get(1).copied()?) => DType::F64,
            // Whatever the sign, the low bits of a product are those of the low bits.
            _ if is_integer(base) && is_integer(inputs[1]) => DType::U64,
            _ => return None,
        };
        let kernel = map_kernel(isa.level(), op, Form::Plain, inner)?;
        let mut sizes = [output.size(), 0, 0, 0];
        let mut casts = [None; OPERANDS];
        for (k, &input) in inputs.iter().enumerate() {
            sizes[k + 1] = input.size();
            if input != inner {
                casts[k + 1] = Some(cast_kernel(input, inner)?);
            }
        }
        if output != inner {
            casts[0] = Some(cast_kernel(inner, output)?);
        }
        let need = inputs.get(1).and_then(|&exponent| Need::of_exponent(op, base, exponent)).map(|need| (need, 1));
        Some(Resolved { kernel, sizes, casts, exchanged: false, need, widens: false })
    }
}

impl Resolved {
    /// For a kernel that takes operand `k`, of halves, as f32.
    pub fn widened(mut self, op: Op, dtype: DType, k: usize, isa: Isa) -> Option<Self> {
        let form = if k == 1 { Form::FirstWide } else { Form::SecondWide };
        self.kernel = map_kernel(isa.level(), op, form, dtype)?;
        self.casts[k] = Some(cast_kernel(dtype, DType::F32)?);
        Some(self)
    }
}

/// Bytes are true or false to a comparison and to `where_`.
fn is_byte(dtype: DType) -> bool {
    matches!(dtype, DType::Bool | DType::U8)
}

/// The 0 and 1 of a byte are those of a comparison.
fn byte_kind(dtype: DType) -> Form {
    if dtype.size() == 1 { Form::Plain } else { Form::Kind }
}

/// Whether it tells true from false.
pub(crate) fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::ApproxEq)
}

pub(crate) fn is_integer(dtype: DType) -> bool {
    use DType as D;
    matches!(dtype, D::I8 | D::I16 | D::I32 | D::I64 | D::U8 | D::U16 | D::U32 | D::U64)
}

pub(crate) fn is_signed(dtype: DType) -> bool {
    matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64)
}

pub(crate) fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
}

fn is_real(dtype: DType) -> bool {
    is_integer(dtype) || is_float(dtype)
}
