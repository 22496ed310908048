//! Runs nests: picks the kernel and the instruction set, walks the outer axes, splits over threads.
//!
//! `lay` makes nests, `plan` decides, `run` turns slices and views into pointers, `grid` cuts, `split` spreads the
//! pieces over threads, `walk` calls a kernel per tile.

mod align;
mod apply;
mod as_f32;
mod cast;
mod catalog;
mod choose;
mod compute;
mod elementwise;
mod explain;
mod fold;
mod function;
#[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "without threads the pieces of a run are not needed"))]
mod grid;
mod halves;
mod isa;
mod kernel;
mod lanes;
mod lay;
mod level;
mod map;
mod mapped;
mod op_parts;
mod op_run;
mod plan;
mod reduce;
mod resolve;
mod rows;
mod run;
mod scan;
mod split;
mod tile;
mod turn;
mod typed;
mod walk;
mod widen;

pub use as_f32::AsF32;
pub use catalog::function_kernels;
pub use compute::Walk;
pub use elementwise::OpPlan;
pub use fold::Fold;
pub use function::{Function, Operands};
pub use isa::Isa;
pub use kernel::{Family, KernelInfo, Stores, kernels};
pub(crate) use level::Level;
pub(crate) use mapped::Mapped;
pub use mapped::{MapPlan, Slices, Views};
pub use op_parts::OpParts;
pub use op_run::ElementSlices;
pub(crate) use op_run::check_aligned;
pub use plan::{Options, Plan};
pub(crate) use reduce::Reduce;
pub use reduce::{ReducePlan, sum_kernels};
pub use run::Parts;
pub(crate) use run::{Job, copy_any, tile_any};
pub(crate) use typed::{Apply, Operand};
