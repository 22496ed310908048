//! Tensor broadcasting on the CPU, at the speed of the machine's stores.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod dims;
mod element;
mod engine;
mod error;
mod layout;
mod nest;



pub use dims::{Dims, Shape, Strides};
pub use element::{DType, Element, UnknownDType};
pub use engine::{Family, Isa, KernelInfo, Options, Parts, Plan, kernels};
pub use error::{BroadcastError, Result};
pub use layout::{AnyView, AnyViewMut, Layout, Out, Rule, Side, Tensor, View, ViewMut, broadcast_shapes};
pub use nest::Pattern;
