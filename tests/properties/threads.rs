//! Outputs that are cut over the threads of a pool: any number of threads gives the bytes of a serial run.
//!
//! Only built with the `rayon` feature. A few elements of each serial run are compared with index arithmetic.

use stridecast::{Layout, Options, Plan};

use crate::common::naive::position;
use crate::common::{Sample, bytes};
use crate::numbered;

/// Outputs a little above the grain, their sizes prime or a prime times three: every pool gives the serial bytes.
#[test]
fn any_pool_gives_the_serial_bytes() {
    let pools: Vec<_> =
        [1, 2, 3, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()).into_iter().collect();
    let check = |shape: &[usize], source: &[isize], out: &[isize], element: usize| {
        with_type!(element, check_threads(shape, source, out, &pools));
    };
    // u8: 1 MiB is 1_048_576 elements.
    check(&[1_048_583], &[0], &[1], 0);
    check(&[1_048_583], &[1], &[1], 0);
    check(&[1_048_583], &[-1], &[-1], 0);
    check(&[3, 349_529], &[0, 1], &[349_529, 1], 0);
    check(&[3, 349_529], &[1, 0], &[349_529, 1], 0);
    check(&[3, 349_529], &[1, 3], &[349_529, 1], 0);
    check(&[349_529, 3], &[1, 0], &[3, 1], 0);
    check(&[349_529, 3], &[0, -1], &[3, 1], 0);
    // Rows with gaps, and an output that is its own transpose.
    check(&[1021, 1031], &[0, 1], &[1033, 1], 0);
    check(&[1021, 1031], &[1, 0], &[-1031, 1], 0);
    check(&[1021, 1031], &[1031, 1], &[1, 1021], 0);
    // [u8; 3], f32, f16, Complex<f64>, [f32; 3].
    for (element, size) in [(1, 349_529), (5, 262_147), (3, 524_309), (10, 65_537), (11, 87_383)] {
        check(&[size], &[0], &[1], element);
        check(&[2, size], &[0, 1], &[size as isize, 1], element);
        check(&[size, 2], &[1, 0], &[2, 1], element);
    }
}

fn check_threads<T: Sample>(shape: &[usize], source: &[isize], out: &[isize], pools: &[rayon::ThreadPool]) {
    let reach = |strides: &[isize], sign: isize| -> usize {
        let reaches = shape.iter().zip(strides).map(|(&size, &stride)| (size as isize - 1) * stride * sign);
        reaches.map(|reach| reach.max(0) as usize).sum()
    };
    let (source_offset, out_offset) = (reach(source, -1), reach(out, -1));
    let data = numbered::<T>(source_offset + reach(source, 1) + 1, 11);
    let room = numbered::<T>(out_offset + reach(out, 1) + 1, 13);
    let from = Layout::strided(source_offset as isize, shape, source).unwrap();
    let to = Layout::strided(out_offset as isize, shape, out).unwrap();
    let plan = |options| Plan::copy(&from, &to, size_of::<T>(), options).unwrap();
    let mut serial = room.clone();
    plan(Options::new().serial()).run(&data, &mut serial).unwrap();
    // Some elements by index arithmetic: the serial run itself has its own tests.
    for at in (0..shape.iter().product::<usize>()).step_by(997) {
        let inner = |axis: usize| shape[axis + 1..].iter().product::<usize>();
        let index: Vec<_> = (0..shape.len()).map(|axis| at / inner(axis) % shape[axis]).collect();
        let (to, from) = (position(out_offset, out, &index), position(source_offset, source, &index));
        assert_eq!(bytes(&serial[to..=to]), bytes(&data[from..=from]));
    }
    let parallel = plan(Options::new());
    for pool in pools {
        let mut got = room.clone();
        pool.install(|| parallel.run(&data, &mut got)).unwrap();
        assert!(bytes(&got) == bytes(&serial), "{} threads\n{parallel}", pool.current_num_threads());
    }
}
