//! The loop nest as pure data: no element type, no pointer, no unsafe.

mod elements;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod nest;
mod pattern;
mod reduction;

pub(crate) use nest::{Axis, LoopNest};
pub use pattern::Pattern;
