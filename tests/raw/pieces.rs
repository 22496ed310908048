//! A raw plan in pieces, as several workers would run it.
//!
//! Together the pieces write what one run does, and none is checked for less than the whole run is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use stridecast::{BroadcastError, Isa, Layout, Options, Plan, raw};

use crate::common::{Sample, bytes, naive, samples};

/// Every element is written by exactly one piece, whatever the output's strides and the number of pieces.
#[test]
fn pieces_of_strided_outputs() {
    fn run<T: Sample>(isa: Isa) {
        let (shape, data) = ([11, 23], samples::<T>(11 * 23));
        for (source, out_offset, out) in
            [([23_isize, 1], 0, [30_isize, 1]), ([0, 1], 0, [46, 2]), ([1, 0], 299, [-27, -1]), ([1, 11], 0, [1, 12])]
        {
            let from = Layout::strided(0, &shape, &source).unwrap();
            let to = Layout::strided(out_offset, &shape, &out).unwrap();
            let plan = Plan::copy(&from, &to, size_of::<T>(), Options::new().isa(isa)).unwrap();
            let before = vec![T::nth(0); 560];
            let mut expected = before.clone();
            for (index, value) in naive::indices(&shape).iter().zip(naive::gather(&data, 0, &shape, &source)) {
                expected[naive::position(out_offset as usize, &out, index)] = value;
            }
            for n in 0..=9 {
                let mut got = before.clone();
                let mut written = 0;
                let count = raw::parts(&plan, n);
                assert!((1..=n.max(1)).contains(&count));
                for index in 0..count {
                    let mut alone = vec![T::nth(usize::MAX); before.len()];
                    let canaries = alone.clone();
                    // SAFETY: both layouts lie inside their vectors.
                    unsafe {
                        let src = data.as_ptr().cast();
                        raw::run_part(&plan, n, index, src, alone.as_mut_ptr().cast()).unwrap();
                        raw::run_part(&plan, n, index, src, got.as_mut_ptr().cast()).unwrap();
                    }
                    written += alone.iter().zip(&canaries).filter(|(a, b)| bytes(&[**a]) != bytes(&[**b])).count();
                }
                assert!(bytes(&got) == bytes(&expected), "{n} pieces, {source:?} -> {out:?}, {isa}");
                assert!(written <= 11 * 23, "an element was written by two pieces");
            }
        }
    }
    for isa in Isa::available() {
        run::<u8>(isa);
        run::<f32>(isa);
        run::<[u8; 3]>(isa);
        run::<[u64; 3]>(isa);
    }
}

#[test]
fn a_piece_is_checked_as_a_whole_run() {
    let mut memory = [7_u8; 64];
    let four = Layout::new(&[4]).unwrap();
    let plan = Plan::copy(&four, &four, 8, Options::new()).unwrap();
    let base = memory.as_mut_ptr();
    // SAFETY: refused, or a panic for an index that does not exist.
    unsafe {
        let null = ptr::null_mut();
        assert_eq!(raw::run_part(&plan, 1, 0, null, base), Err(BroadcastError::BadPointer { what: "source" }));
        assert_eq!(raw::run_part(&plan, 1, 0, base, null), Err(BroadcastError::BadPointer { what: "output" }));
        assert_eq!(raw::run_part(&plan, 1, 0, base, base.add(31)), Err(BroadcastError::Overlap));
        for index in [raw::parts(&plan, 5), usize::MAX] {
            let missing = catch_unwind(AssertUnwindSafe(|| raw::run_part(&plan, 5, index, base, base.add(32))));
            assert!(missing.is_err(), "there is no part {index}");
        }
    }
    assert_eq!(memory, [7; 64]);
}
