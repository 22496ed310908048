//! The rendered kernels of sums, and which of them a call takes.

#![forbid(unsafe_code)]

use super::leaf::Leaf;
use crate::element::DType;
use crate::engine::isa::Isa;
use crate::engine::resolve::is_integer;
use crate::op::Op;
use crate::reduction::Reduction;

/// Which kernel of a sum.
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
    use super::Form;
    use crate::element::DType;
    use crate::engine::catalog::{AddPlain, MulPlain};
    use crate::engine::isa::Level as IsaLevel;

    include!(concat!(env!("OUT_DIR"), "/reductions.rs"));
}

use rendered::{REDUCE_KERNELS, reduce_kernel};

/// Names of the kernels of sums in this build, each with its level's, whether or not this CPU can run them.
pub fn sum_kernels() -> impl Iterator<Item = (&'static str, &'static str)> {
    REDUCE_KERNELS.iter().map(|kernel| (kernel.name, kernel.isa.name()))
}

/// What a call is computed by, and in.
pub(super) struct Chosen {
    pub leaf: Leaf,
    /// The same for partial results.
    pub joint: Leaf,
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
        use DType as D;
        let op = match reduction {
            Reduction::Mean if is_integer(dtype) => return None,
            Reduction::Sum | Reduction::Mean => Op::Add,
            Reduction::Max => Op::Maximum,
            Reduction::Min => Op::Minimum,
            Reduction::Prod => Op::Mul,
        };
        let wide = match dtype {
            D::I8 | D::I16 | D::I32 => output == D::I64,
            D::U8 | D::U16 | D::U32 => output == D::U64,
            _ => false,
        };
        let half = matches!(dtype, D::F16 | D::BF16);
        let widens = wide && op == Op::Add && inputs == 1;
        if !(dtype == output || widens || half && output == D::F32) {
            return None;
        }
        // A sum of complex numbers is that of their parts; their products are numbers of their own.
        let part = match dtype {
            D::C64 => Some(D::F32),
            D::C128 => Some(D::F64),
            _ => None,
        };
        let pairs = op == Op::Add && inputs == 1 && part.is_some();
        let (dtype, output) = match part {
            Some(part) if pairs => (part, part),
            _ => (dtype, output),
        };
        let acc = match dtype {
            _ if widens => output,
            _ if half => D::F32,
            _ => dtype,
        };
        let form = match inputs {
            2 => Form::Product,
            _ if widens => Form::Wide,
            _ => Form::Plain,
        };
        let leaf = |form: Form, dtype: DType, inputs: usize| {
            let kernel = reduce_kernel(isa.level(), form, dtype).filter(|_| op == Op::Add);
            kernel.map(Leaf::kernel).or_else(|| Leaf::functions(op, dtype, acc, inputs, isa))
        };
        let joint = leaf(Form::Plain, acc, 1)?;
        Some(Self { leaf: leaf(form, dtype, inputs)?, joint, acc, output, pairs })
    }
}
