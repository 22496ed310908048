//! Bugs that other broadcasting libraries had, one test for each, named after what went wrong.
//!
//! The comment over a test says where it happened and what went wrong there; the body asserts what this crate does.
//! Only what concerns copying, shape rules and reductions is here. A target size of -1 has no test of its own: sizes
//! are `usize`, and a cast -1 is refused in `product_overflow`.

// Sizes that only 64 bits can hold are among the cases.
#![cfg(target_pointer_width = "64")]

#[path = "../common/mod.rs"]
mod common;

mod elements;
mod layouts;
mod paths;
mod reductions;
mod rules;
mod sizes;

/// Every shape of a rank up to `rank` with these sizes.
fn all_shapes(rank: usize, sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..rank {
        longest = longest.iter().flat_map(|shape| sizes.iter().map(|&size| [&shape[..], &[size]].concat())).collect();
        all.extend(longest.iter().cloned());
    }
    all
}

/// 0, 1, 2, ... as bytes that differ between neighbours for any element size.
fn distinct_bytes(elements: usize, size: usize) -> Vec<u8> {
    (0..elements * size).map(|at| (at.wrapping_mul(167) >> 3) as u8 ^ at as u8).collect()
}
