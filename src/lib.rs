//! Tensor broadcasting on the CPU, at the speed of the machine's stores.
//!
//! A **shape** lists the sizes of a tensor's axes, outermost first; **strides** say how many elements apart
//! neighbours along each axis lie. Broadcasting gives an axis a stride of 0: nothing is copied, one element is
//! seen many times. A [`Rule`] says which axes may be stretched that way; a [`View`] is a shape and strides over
//! borrowed elements. **Materialising** writes such a view out in full. **Computing** with such views, [`ops`], writes
//! none of them out: `a + b` reads each operand as it lies. **Reducing**, [`mod@reduce`], goes the other way: the gradient
//! of what was stretched is a sum over the axes that it was stretched along.
//!
//! ```
//! use stridecast::{Rule, View, broadcast};
//!
//! let bias = [0.5_f32, -1.0, 2.0];
//! let column = View::new(&bias, &[3, 1, 1])?;
//!
//! let wide = column.broadcast_to(&[8, 3, 4, 4])?; // a view: no copy, no allocation up to rank 8
//! assert_eq!(wide.get(&[7, 2, 3, 3]), Some(&2.0));
//!
//! let mut out = vec![0.0; 8 * 3 * 4 * 4];
//! wide.copy_into(&mut out)?; // into the caller's buffer
//! let tensor = broadcast(&column, &[8, 3, 4, 4], Rule::Numpy)?; // or into a new one
//! assert_eq!(tensor.as_slice(), out);
//! # Ok::<(), stridecast::BroadcastError>(())
//! ```
//!
//! | to | call |
//! |---|---|
//! | see a tensor in a larger shape | [`View::broadcast_to`], [`View::broadcast`] with any [`Rule`] |
//! | write it out | [`View::copy_into`], [`View::to_tensor`], [`broadcast`], [`broadcast_into`] |
//! | repeat along axes | [`tile`], [`repeat`], [`repeat_axis`], [`View::expand`] |
//! | compute with operands that broadcast | [`ops`]: `add` to `where_`; [`ops::nary`] for any number of operands |
//! | sum over axes, undo a broadcast | [`mod@reduce`]: `sum_to`, `unbroadcast`, `sum_axes` and more |
//! | compute something of your own the same way | [`map`], [`map_into`], [`Function`] |
//! | take gradients back to operands that were broadcast | [`grad`]: `add` to `where_` |
//! | bring operands to one shape | [`broadcast_shapes`], [`broadcast_all`], [`broadcast_arrays`] |
//! | decide once, run often | [`Plan`], whose [`Parts`] run in a pool of your own; [`OpPlan`], [`MapPlan`], [`ReducePlan`] |
//! | do it for a dtype known at run time | [`AnyView`], [`broadcast_all_any_into`], [`apply_any`], [`raw`] |
//! | elements that are not plain bytes | [`View::clone_into`], [`View::cloned`] |
//! | packed 4-bit elements | [`broadcast_nibbles_into`] |
//!
//! # Rules that hold everywhere
//! - A size of 1 yields to any other size, 0 included; rank 0 and zero-size axes work everywhere.
//! - An error means that nothing was written. Shapes whose element count passes `isize::MAX` are errors, even if
//!   another of their sizes is 0.
//! - Materialising keeps every bit, signalling NaNs included. What is computed has the same bits on every instruction
//!   set, for any number of threads, and from a plan or a one-shot call; only the sign and payload of a NaN are the
//!   machine's.
//! - Large outputs are split over the rayon pool that the call is made in (`ThreadPool::install`), small ones
//!   never wake it. Clones and packed 4-bit elements stay on the calling thread.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time, `STRIDECAST_ISA` |
//! | `rayon` | yes | threads |
//! | `x86-v4` | yes | AVX-512 kernels, used only where the CPU has them |
//! | `cli` | no | the `stridecast` binary |
//!
//! Without `std` the crate needs `alloc` only, and the target features of the build decide the instruction set.
//!
//! `STRIDECAST_ISA` (`scalar`, `avx2`, `avx512`, `avx512vbmi`, `neon`) forces a level for the process; if the CPU
//! lacks it, every call that runs kernels on the default level is an error that says so.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod dims;
mod element;
mod engine;
mod error;
mod functions;
pub mod grad;
mod layout;
mod math;
mod nest;
mod op;
pub mod ops;
pub mod raw;
pub mod reduce;
mod reduction;

pub use dims::{Dims, Shape, Strides};
pub use element::{DType, Element, UnknownDType};
pub use engine::{
    AsF32, ElementSlices, Family, Fold, Function, Isa, KernelInfo, MapPlan, OpParts, OpPlan, Operands, Options, Parts,
    Plan, ReducePlan, Slices, Stores, Views, Walk, function_kernels, kernels, sum_kernels,
};
pub use error::{BroadcastError, Result};
pub use functions::Tolerance;
pub use layout::{AnyView, AnyViewMut, Buffer, Layout, Out, Rule, Side, Tensor, View, ViewMut, broadcast_shapes};
pub use nest::Pattern;
pub use op::{Op, UnknownOp};
pub use ops::{
    apply_any, apply_any_in_place, broadcast, broadcast_all, broadcast_all_any, broadcast_all_any_into,
    broadcast_all_any_into_with, broadcast_arrays, broadcast_into, broadcast_into_with, broadcast_nibbles_into,
    broadcast_with, fold_any, map, map_into, map_into_with, map_with, nibble_bytes, repeat, repeat_axis, repeat_into,
    repeat_into_with, tile, tile_into, tile_into_with,
};
pub use reduction::{Over, Reduction, UnknownReduction};
