//! Which threads exist: a call below the grain wakes nobody, and one above it uses the pool it is made in.
//!
//! One test in a file of its own: it counts the threads of the process.

#![cfg(target_os = "linux")]

use std::fs;

use stridecast::{Options, Rule, View, broadcast, broadcast_with};

/// Names of the process's threads.
fn threads() -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap().trim().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn small_calls_start_no_pool_and_large_ones_none_of_their_own() {
    let start = threads();
    let view = View::scalar(&1_u8);
    for len in [0, 1, 1000, (1 << 20) - 1] {
        broadcast(&view, &[len], Rule::Numpy).unwrap();
    }
    broadcast_with(&view, &[8 << 20], Rule::Numpy, Options::new().serial()).unwrap();
    assert_eq!(threads(), start, "a call below the grain, or a serial one, started threads");

    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).thread_name(|i| format!("mine-{i}")).build().unwrap();
    let large = pool.install(|| broadcast(&view, &[8 << 20], Rule::Numpy)).unwrap();
    assert!(large.as_slice().iter().all(|&byte| byte == 1));
    let mut expected = start;
    expected.extend((0..3).map(|i| format!("mine-{i}")));
    expected.sort();
    assert_eq!(threads(), expected, "a call inside a pool started threads of its own");
}
