//! What users call: thin typed functions over an erased core, so that users' crates compile little of ours.
//!
//! The elementwise functions below broadcast their operands against each other (the mutual rule of NumPy and ONNX) and
//! materialise none of them. Each has up to four forms: `add` gives a new tensor, `add_into` writes into yours,
//! `add_assign` changes its first operand, and `add_assign_reversed` too, as `b + a`. A one-directional form with an axis
//! (ONNX's PRelu, Paddle's `axis`) is a rule and no other function: broadcast the second view by it, which copies
//! nothing.
//!
//! ```
//! use stridecast::{Rule, View, ops};
//!
//! let (x, slope) = (vec![-1.0_f32; 2 * 3 * 4], [0.1, 0.2, 0.3]);
//! let (x, slope) = (View::new(&x, &[2, 3, 4])?, View::new(&slope, &[3])?);
//! // Channels are axis 1.
//! let leak = ops::mul(&x, &slope.broadcast(x.shape(), Rule::Pdpd { axis: Some(1) })?)?;
//! assert_eq!(leak.as_slice()[4..8], [-0.2; 4]);
//! # Ok::<(), stridecast::BroadcastError>(())
//! ```
//!
//! # What holds for all of them
//! - f16 and bf16 are computed as f32 and rounded once, to nearest with ties to even; subnormals are kept.
//! - Integers wrap. A division by zero, and a negative power, is an error that is found before anything is written; the
//!   lowest integer divided by -1 wraps.
//! - The bits of a result depend neither on the instruction set nor on threads or layouts. Of a NaN only that it is one:
//!   its sign and payload are the machine's. [`where_`] keeps every bit.
//! - [`pow`], [`atan2`], [`hypot`] and [`mul_add`] are defined with fused multiply-add on every machine.

#![forbid(unsafe_code)]

mod any;
mod apply;
mod broadcast;
mod cloned;
mod defined;
mod fold;
mod map;
mod nibble;
mod operands;
mod tile;
mod typed;

pub use any::{broadcast_all_any, broadcast_all_any_into, broadcast_all_any_into_with};
pub use apply::{apply_any, apply_any_in_place, approx_eq_any, fold_any};
pub use broadcast::{broadcast, broadcast_into, broadcast_into_with, broadcast_with};
pub use defined::{Defined, Exponent, Mask, Verdict};
pub use map::{map, map_into, map_into_with, map_with};
pub use nibble::{broadcast_nibbles_into, nibble_bytes};
pub use operands::{broadcast_all, broadcast_arrays};
pub use tile::{repeat, repeat_axis, repeat_into, repeat_into_with, tile, tile_into, tile_into_with};
pub use typed::*;

pub mod nary {
    //! Functions of any number of operands: ONNX's Sum, Mean, Min and Max.
    pub use super::fold::{Float, maximum, maximum_into, mean, mean_into, minimum, minimum_into, sum, sum_into};
}
