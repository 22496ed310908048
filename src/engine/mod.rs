//! Runs nests: picks the kernel and the instruction set, walks the outer axes, splits over threads.
//!
//! `lay` makes nests, `plan` decides, `run` turns slices and views into pointers, `grid` cuts, `split` spreads the
//! pieces over threads, `walk` calls a kernel per tile.

#[allow(dead_code, reason = "elementwise kernels are not rendered yet")]
mod cast;
mod choose;
mod explain;
#[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "without threads the pieces of a run are not needed"))]
mod grid;
#[allow(dead_code, reason = "elementwise kernels are not rendered yet")]
mod halves;
mod isa;
mod kernel;
mod lanes;
mod lay;
mod plan;
mod run;
mod split;
mod tile;
mod turn;
mod walk;

pub use isa::Isa;
pub use kernel::{Family, KernelInfo, Stores, kernels};
pub use plan::{Options, Plan};
pub use run::Parts;
pub(crate) use run::{Job, copy_any, tile_any};
