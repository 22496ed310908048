//! The backward helpers: against finite differences in f64, the other types against f64, and what is defined where
//! there is no derivative.

#[path = "../common/mod.rs"]
mod common;

mod differences;
mod edges;
mod lab;
mod onto;
mod types;
