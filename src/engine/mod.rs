//! Runs nests: picks the kernel and the instruction set, walks the outer axes, splits over threads.
//!
//! `lay` makes nests, `plan` decides, `run` turns slices and views into pointers, `split` cuts, `walk` calls a kernel
//! per tile.

mod explain;
mod isa;
mod kernel;
mod lanes;
mod lay;
mod plan;
mod run;
mod split;
mod tile;
mod walk;

pub use isa::Isa;
pub use kernel::{Family, KernelInfo, kernels};
pub use plan::{Options, Plan};
pub use run::Parts;
pub(crate) use run::{Job, copy_any, tile_any};
