//! The rendered kernels of reductions, and which of them a call takes.

#![forbid(unsafe_code)]

use super::kernel::ReduceKernel;
use crate::element::DType;
use crate::engine::isa::Isa;
use crate::engine::resolve::is_integer;
use crate::reduction::Reduction;

/// What is joined two by two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    Sum,
    Max,
    Min,
    Prod,
}

/// Which kernel of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// To the operand's type, or of halves to f32.
    Plain,
    /// Of integers to 64 bits.
    Wide,
    /// Of the products of two operands.
    Product,
}

mod rendered {
    use super::super::kernel::{
        Halves, Integers, Product, ReduceKernel, Same, along, columns, down, few_columns, lanes,
    };
    use super::{Form, Joint};
    use crate::element::DType;
    use crate::engine::catalog::{AddPlain, MaximumPlain, MinimumPlain, MulPlain};
    use crate::engine::isa::Level as IsaLevel;

    include!(concat!(env!("OUT_DIR"), "/reductions.rs"));
}

pub(crate) use rendered::{REDUCE_KERNELS, reduce_kernel};

/// The kernels of a call, and what it is computed in.
pub(super) struct Chosen {
    pub kernel: &'static ReduceKernel,
    /// The same for partial results.
    pub joint: &'static ReduceKernel,
    /// What is accumulated.
    pub acc: DType,
    /// What is written.
    pub output: DType,
    /// Whether elements are pairs of numbers that are reduced each for itself.
    pub pairs: bool,
}

impl Chosen {
    /// Of a reduction of one operand, or of the products of two, if it is defined on these types.
    pub fn of(reduction: Reduction, dtype: DType, output: DType, inputs: usize, isa: Isa) -> Option<Self> {
        let joint = match reduction {
            Reduction::Mean if is_integer(dtype) => return None,
            Reduction::Sum | Reduction::Mean => Joint::Sum,
            Reduction::Max => Joint::Max,
            Reduction::Min => Joint::Min,
            Reduction::Prod => Joint::Prod,
        };
        let wide = match dtype {
            DType::I8 | DType::I16 | DType::I32 => output == DType::I64,
            DType::U8 | DType::U16 | DType::U32 => output == DType::U64,
            _ => false,
        };
        let half = matches!(dtype, DType::F16 | DType::BF16);
        if !(dtype == output || wide || half && output == DType::F32) {
            return None;
        }
        let form = match inputs {
            2 if wide => return None,
            2 => Form::Product,
            _ if wide => Form::Wide,
            _ => Form::Plain,
        };
        // A sum of complex numbers is that of their parts; their products are numbers of their own.
        let part = match dtype {
            DType::C64 => Some(DType::F32),
            DType::C128 => Some(DType::F64),
            _ => None,
        };
        let pairs = joint == Joint::Sum && form == Form::Plain && part.is_some();
        let (dtype, output) = match part {
            Some(part) if pairs => (part, part),
            _ => (dtype, output),
        };
        let acc = match form {
            _ if half => DType::F32,
            Form::Wide => output,
            _ => dtype,
        };
        Some(Self {
            kernel: reduce_kernel(isa.level(), joint, form, dtype)?,
            joint: reduce_kernel(isa.level(), joint, Form::Plain, acc)?,
            acc,
            output,
            pairs,
        })
    }
}
