//! Outputs cut into pieces, over threads and by hand: every byte as in one run, against the oracle.

mod common;

use std::mem::size_of;

use common::{Sample, bytes, naive, samples};
use stridecast::{Layout, Options, Plan, Rule, Stores, View};

/// Above the grain the output is cut into pieces; the bytes are those of the serial run for any pool.
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    // Sizes off every chunk edge, outer axes of 1 and 2, all patterns.
    let cases: [(&[usize], &[usize]); 7] = [
        (&[1], &[1_234_577]),
        (&[1, 3], &[411_527, 3]),
        (&[2, 1], &[2, 617_283]),
        (&[1, 617_283], &[2, 617_283]),
        (&[1, 7, 1], &[1, 7, 176_363]),
        (&[1_234_577], &[1_234_577]),
        (&[5, 1, 211, 1], &[5, 9, 211, 131]),
    ];
    fn run<T: Sample>(source: &[usize], out: &[usize]) {
        let data = samples::<T>(source.iter().product());
        let view = View::new(&data, source).unwrap().broadcast_to(out).unwrap();
        let plan = |options| Plan::copy(view.layout(), &Layout::new(out).unwrap(), size_of::<T>(), options).unwrap();
        let mut serial = vec![T::nth(0); view.len()];
        plan(Options::new().serial()).run(&data, &mut serial).unwrap();
        for threads in [1, 2, 3, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // An odd start, so that the first line is cut short.
            let mut parallel = vec![T::nth(0); view.len() + 1];
            pool.install(|| plan(Options::new()).run(&data, &mut parallel[1..])).unwrap();
            assert!(bytes(&parallel[1..]) == bytes(&serial), "{source:?} -> {out:?} on {threads} threads");
        }
    }
    for (source, out) in cases {
        run::<f32>(source, out);
        run::<[u8; 3]>(source, out);
    }
}

/// A transpose is cut into blocks of rows and columns: one large matrix, a few rows or columns only, a batch of small
/// ones.
#[test]
fn any_number_of_threads_transposes_alike() {
    fn run<T: Sample>(shape: [usize; 3]) {
        let [n, rows, cols] = shape;
        let (data, strides) = (samples::<T>(n * rows * cols), [(rows * cols) as isize, 1, rows as isize]);
        let (from, to) = (Layout::strided(0, &shape, &strides).unwrap(), Layout::new(&shape).unwrap());
        let expected = naive::gather(&data, 0, &shape, &strides);
        for (options, threads) in [Options::new(), Options::new().stores(Stores::Streaming)].into_iter().zip([2, 3]) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let plan = Plan::copy(&from, &to, size_of::<T>(), options).unwrap();
            let mut got = vec![T::nth(0); expected.len()];
            pool.install(|| plan.run(&data, &mut got)).unwrap();
            assert!(bytes(&got) == bytes(&expected), "{shape:?} on {threads} threads\n{plan}");
        }
    }
    for shape in [[1, 1031, 517], [1, 17, 33_331], [1, 33_331, 17], [3, 5, 90_001], [700, 40, 41]] {
        run::<f32>(shape);
        run::<u16>(shape);
    }
}

#[test]
fn parts_cover_the_output_whatever_their_number() {
    fn run<T: Sample>() {
        for (source, out) in
            [(&[13, 1][..], &[13, 29][..]), (&[1, 29], &[13, 29]), (&[13, 29], &[13, 29]), (&[1], &[0])]
        {
            let data = samples::<T>(source.iter().product());
            let layout = Layout::new(source).unwrap();
            let plan = Plan::broadcast(&layout, out, Rule::Numpy, size_of::<T>(), Options::new()).unwrap();
            let expected = naive::broadcast(&data, source, out);
            for n in [0, 1, 2, 3, 7, 1000] {
                let parts = plan.parts(n).unwrap();
                assert!((1..=n.max(1)).contains(&parts.len()));
                let mut got = vec![T::nth(0); expected.len()];
                for i in (0..parts.len()).rev() {
                    let range = parts.range(i);
                    assert!(range.end == got.len() || (range.end * size_of::<T>()).is_multiple_of(64));
                    parts.run_part(i, &data, &mut got[range]).unwrap();
                }
                assert!(bytes(&got) == bytes(&expected), "{n} parts of {out:?}");
            }
        }
    }
    run::<u8>();
    run::<f32>();
    run::<[u8; 3]>();
    run::<[f32; 3]>();
    run::<[u64; 5]>();
}

/// A dense output in another axis order: its pieces are ranges of its memory.
#[test]
fn parts_of_a_fortran_order_output_are_ranges_of_its_memory() {
    let (shape, data) = ([37, 41], samples::<u32>(41));
    let from = Layout::new(&[41]).unwrap().broadcast_to(&shape).unwrap();
    let to = Layout::f_order(&shape).unwrap();
    let plan = Plan::copy(&from, &to, 4, Options::new()).unwrap();
    let mut expected = vec![0; 37 * 41];
    for index in naive::indices(&shape) {
        expected[index[0] + 37 * index[1]] = data[index[1]];
    }
    let mut got = vec![0; 37 * 41];
    let parts = plan.parts(5).unwrap();
    assert_eq!(parts.len(), 5);
    for i in 0..parts.len() {
        parts.run_part(i, &data, &mut got[parts.range(i)]).unwrap();
    }
    assert_eq!(got, expected);
    let gaps = Layout::strided(0, &[2, 2], &[3, 1]).unwrap();
    assert!(Plan::copy(&Layout::new(&[2, 2]).unwrap(), &gaps, 4, Options::new()).unwrap().parts(2).is_err());
}
