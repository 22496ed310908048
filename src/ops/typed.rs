//! The typed calls, rendered from `kernels/functions/list.rs`: thin functions over the erased core.

use super::defined::{Defined, Exponent, Mask, Verdict};
use crate::element::Element;
use crate::engine::{Apply, Operand};
use crate::error::Result;
use crate::functions::Tolerance;
use crate::layout::{Out, Tensor, View, ViewMut};
use crate::op::Op;

include!(concat!(env!("OUT_DIR"), "/typed.rs"));
