//! Random rules, shapes, strides, element types and levels against index arithmetic.
//!
//! Every rule is stated a second time in `oracle`, as plainly as it can be said: which pairs of shapes it takes, and
//! which source index an output index reads. The oracles use nothing of the crate. `PROPTEST_CASES` sets the number
//! of cases; without it each property takes as many as keep the whole file within seconds without optimisation.

/// Calls a generic function for the element type of that number.
macro_rules! with_type {
    ($number:expr, $function:ident($($argument:expr),*)) => {
        match $number % 14 {
            0 => $function::<u8>($($argument),*),
            1 => $function::<[u8; 3]>($($argument),*),
            2 => $function::<u16>($($argument),*),
            3 => $function::<half::f16>($($argument),*),
            4 => $function::<half::bf16>($($argument),*),
            5 => $function::<f32>($($argument),*),
            6 => $function::<f64>($($argument),*),
            7 => $function::<i64>($($argument),*),
            8 => $function::<bool>($($argument),*),
            9 => $function::<num_complex::Complex<f32>>($($argument),*),
            10 => $function::<num_complex::Complex<f64>>($($argument),*),
            11 => $function::<[f32; 3]>($($argument),*),
            12 => $function::<[u64; 3]>($($argument),*),
            _ => $function::<[u8; 7]>($($argument),*),
        }
    };
}

#[path = "../common/mod.rs"]
mod common;

mod bits;
mod operands;
mod oracle;
mod rules;
mod strategies;
#[cfg(feature = "rayon")]
mod threads;
mod tilings;
mod views;

use common::{Sample, bytes};
use proptest::prelude::ProptestConfig;
use stridecast::ViewMut;

use oracle::Logical;
use strategies::Memory;

/// Cases of a property, unless the environment says otherwise. Failures are printed, not filed.
fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases, ..default } }
}

/// Distinct elements, a different list for each seed.
fn numbered<T: Sample>(len: usize, seed: usize) -> Vec<T> {
    (0..len).map(|n| T::nth(n.wrapping_mul(seed | 1).wrapping_add(seed))).collect()
}

/// Writes into a strided output: its elements are `values`, and everything between them is as before.
fn check_strided_output<T: Sample>(
    expected: &Logical,
    values: &[T],
    memory: &Memory,
    write: impl FnOnce(ViewMut<'_, T>) -> stridecast::Result<()>,
) {
    let to = memory.place(&expected.shape, false);
    let mut room = numbered::<T>(to.len, 7);
    let mut wanted = room.clone();
    for (&id, &value) in Logical::strided(&expected.shape, to.offset, &to.strides).ids.iter().zip(values) {
        wanted[id] = value;
    }
    write(ViewMut::with_strides(&mut room, to.offset, &expected.shape, &to.strides).unwrap()).unwrap();
    assert!(bytes(&room) == bytes(&wanted), "strides {:?} from {}", to.strides, to.offset);
}
