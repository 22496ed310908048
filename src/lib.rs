//! Tensor broadcasting on the CPU, at the speed of the machine's stores.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod dims;
mod element;
mod error;
mod layout;
mod nest;

pub use dims::{Dims, Shape, Strides};
pub use element::{DType, Element, UnknownDType};
pub use error::{BroadcastError, Result};
pub use layout::{Layout, Rule, Side, broadcast_shapes};
pub use nest::Pattern;
