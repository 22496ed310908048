//! Reductions: a nest whose output stands still along some axes.

mod call;
mod plan;
mod run;
mod work;

pub(crate) use call::Reduce;
pub use plan::ReducePlan;
