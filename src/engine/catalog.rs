//! The rendered elementwise functions and their kernels; see `kernels/README.md` for how they are made.

use super::map::MapFn;
use super::map::OPERANDS;

/// Which kernel of a function a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the tables are indexed by it")]
pub(crate) enum Form {
    /// All operands of one type; comparisons give bool.
    Plain,
    /// Comparisons whose result is 0 or 1 of the operands' type.
    Kind,
    /// The second operand is f32 already, the first a half.
    SecondWide,
    /// The first operand is f32 already, the second a half.
    FirstWide,
}

/// A kernel of an elementwise function on operands of certain types.
#[derive(Debug)]
pub(crate) struct MapKernel {
    pub name: &'static str,
    pub isa: super::isa::Level,
    pub run: MapFn,
    /// Bytes of an element of the output and of each input, 0 for those that are not there.
    pub sizes: [usize; OPERANDS],
    /// Whether an element costs much more than reading it.
    pub heavy: bool,
}

#[allow(dead_code, reason = "a function of a form that a target has no kernel for")]
#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "one text for many types")]
mod rendered {
    use super::super::function::Function;
    use super::super::isa::Level as IsaLevel;
    use super::super::level::Level;
    use super::super::map::{enter, lanes};
    use super::{Form, MapKernel};
    use crate::element::DType;
    use crate::functions::complex;
    use crate::op::Op;

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

use rendered::MAP_KERNELS;
pub(crate) use rendered::{AddPlain, ApproxEqPlain, MulPlain, map_kernel};

/// Names of the kernels of elementwise functions in this build, each with its level's, whether or not this CPU can run
/// them.
pub fn function_kernels() -> impl Iterator<Item = (&'static str, &'static str)> {
    MAP_KERNELS.iter().map(|kernel| (kernel.name, kernel.isa.name()))
}
