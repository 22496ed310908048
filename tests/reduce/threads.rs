//! Calls that are split over threads give the bits of those that are not.

use rayon::{ThreadPool, ThreadPoolBuilder};
use stridecast::{DType, Options, Reduction};

use crate::bits::ordered;
use crate::common::tensor::{Place, Tensor};
use crate::defined::Signature;
use crate::lab::{Call, Which, levels};
use crate::values::nth;

fn pools(threads: &[usize]) -> Vec<ThreadPool> {
    threads.iter().map(|&n| ThreadPoolBuilder::new().num_threads(n).build().unwrap()).collect()
}

/// Calls of about so many elements: of rows, of columns, of both, narrow ones, with few results and with many.
fn cases(signature: &Signature, elements: usize) -> Vec<Call> {
    let side = elements.isqrt() + 3;
    let cube = (elements as f64).cbrt() as usize + 2;
    let (plain, turned) = (Place::PLAIN, Place::turned());
    // Elements come again after a prime number of them: to make up millions takes longer than to add them.
    let some: Vec<_> = (0..16_381).map(|n| nth(signature, signature.dtype, n)).collect();
    let of = |shape: &[usize], axes: &[usize], place: &Place, out: &Place| {
        let tensor = |place| Tensor::room(signature.dtype, shape, place).filled(|n| some[n as usize % some.len()]);
        let inputs = [place, &plain].map(tensor)[..signature.operands()].to_vec();
        Call::of(signature, inputs, Which::Axes(axes.to_vec(), false), out, elements as u64)
    };
    vec![
        of(&[elements + 3], &[0], &plain, &plain),
        of(&[3, elements / 3 + 1], &[1], &Place::padded(3), &plain),
        of(&[side, side], &[1], &plain, &Place::stepped(2)),
        of(&[side, side], &[0], &plain, &plain),
        of(&[elements / 3, 3], &[0], &plain, &plain),
        of(&[5, elements / 5], &[0], &plain, &Place::backwards()),
        of(&[elements / 7, 7], &[1], &plain, &plain),
        of(&[cube, cube, cube], &[0, 2], &plain, &plain),
        of(&[cube, cube, cube], &[1], &plain, &plain),
        of(&[side, side], &[0], &turned, &plain),
    ]
}

fn check(signatures: &[Signature], bytes: usize, threads: &[usize], some: impl Fn(usize) -> bool) {
    let pools = pools(threads);
    let best = Options::new().isa(*levels().last().unwrap());
    for (seed, signature) in signatures.iter().enumerate() {
        let all = cases(signature, bytes / signature.dtype.size());
        for mut call in all.into_iter().enumerate().filter(|(i, _)| some(i + seed)).map(|(_, call)| call) {
            let before = call.out.clone();
            call.run(best.serial()).unwrap();
            let serial = std::mem::replace(&mut call.out, before.clone());
            for pool in &pools {
                pool.install(|| call.run(best)).unwrap();
                let same = call.out.memory.bytes() == serial.memory.bytes();
                assert!(same, "{call:?} differs on {} threads", pool.current_num_threads());
                call.out = before.clone();
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_bits_of_one() {
    check(&ordered(), 1100 << 10, &[1, 2, 3, 5], |n| n % 2 == 0);
}

/// Beyond what the caches hold.
#[test]
fn any_number_of_threads_gives_the_bits_of_one_for_large_operands() {
    let signatures = [
        Signature::new(Reduction::Sum, DType::F32, DType::F32),
        Signature::new(Reduction::Mean, DType::F64, DType::F64),
        Signature::new(Reduction::Sum, DType::BF16, DType::F32),
        Signature::product(DType::F32, DType::F32),
    ];
    check(&signatures, 9 << 20, &[2, 5], |n| n % 4 == 1);
}

/// The level without vectors splits in the same places.
#[test]
fn split_calls_give_the_same_on_every_level() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (seed, signature) in ordered().iter().enumerate().step_by(2) {
        let mut cases = cases(signature, (1100 << 10) / signature.dtype.size());
        let mut call = cases.swap_remove(seed % cases.len());
        let (wants, options) = (call.wants(), levels().into_iter().map(|isa| Options::new().isa(isa)));
        let options: Vec<_> = options.collect();
        pool.install(|| call.check_options(&wants, &options));
    }
}

/// Onto what is there, which every thread must read once.
#[test]
fn split_calls_are_joined_once() {
    let pool = ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    for (seed, signature) in ordered().iter().enumerate().skip(1).step_by(2) {
        let mut cases = cases(signature, (1100 << 10) / signature.dtype.size());
        let mut call = cases.swap_remove((seed * 3 + 1) % cases.len());
        call.onto = true;
        let wants = call.wants();
        pool.install(|| call.check_options(&wants, &[Options::new()]));
    }
}
