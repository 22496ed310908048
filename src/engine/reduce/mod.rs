//! Reductions: a nest whose output stands still along some axes.

mod area;
mod call;
mod down;
mod explain;
mod finish;
mod fold;
mod kernel;
mod lay;
mod leaf;
mod nothing;
mod once;
mod parts;
mod plan;
mod rows;
mod run;
mod runs;
mod scheme;
mod table;
mod work;

pub(crate) use call::Reduce;
pub use plan::ReducePlan;
pub use table::sum_kernels;
