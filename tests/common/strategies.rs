//! Random shapes, and where tensors of them lie.

use proptest::collection::vec;
use proptest::prelude::*;

use super::tensor::Place;

/// Elements of a tensor: enough for every walk, few enough for hundreds of cases.
const MOST: usize = 6000;

/// Ranks 0 to 5 of small sizes, zero among them, some with an axis of some length.
pub fn shapes() -> impl Strategy<Value = Vec<usize>> {
    let size = prop_oneof![1 => Just(0_usize), 2 => Just(1), 20 => 2..=7_usize];
    let small = vec(size, 0..=5);
    let long = (vec(1..=4_usize, 0..=3), 8..=400_usize, vec(1..=4_usize, 0..=1));
    let long = long.prop_map(|(outer, middle, inner)| [outer, vec![middle], inner].concat());
    prop_oneof![3 => small, 2 => long].prop_map(capped)
}

/// Sizes from where the product gets too large on become 1, from the right.
fn capped(mut shape: Vec<usize>) -> Vec<usize> {
    let mut product = 1;
    for size in shape.iter_mut().rev() {
        *size = if product * *size > MOST { 1 } else { *size };
        product *= (*size).max(1);
    }
    shape
}

/// Tensors that start anywhere, and such that are turned, reversed, padded, stepped or stand still.
pub fn places() -> impl Strategy<Value = Place> {
    let bools = |weight: f64| vec(proptest::bool::weighted(weight), 6);
    let pad = vec(prop_oneof![3 => Just(0_usize), 1 => 1..=3_usize], 6);
    let step = prop_oneof![3 => Just(1_usize), 1 => 2..=3_usize];
    let any = (vec(0..3_u8, 6), bools(0.2), pad, bools(0.15), step, 0..4_usize, 0..9_usize);
    let any = any.prop_map(|(order, back, pad, still, step, lead, off_line)| Place {
        order,
        back,
        pad,
        still,
        step,
        lead,
        off_line,
    });
    prop_oneof![1 => (0..9_usize).prop_map(Place::off_line), 2 => any]
}

/// As many cases as the test asks for, or the environment.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases, ..default } }
}
