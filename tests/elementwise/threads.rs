//! Calls that are split over threads, and calls that store past the caches, give the bits of those that are not.

use rayon::{ThreadPool, ThreadPoolBuilder};
use stridecast::{DType, Isa, Op, Options, Stores, Walk};

use crate::defined::Signature;
use crate::is_heavy;
use crate::lab::{Call, levels};
use crate::tensor::Place;

fn pools() -> Vec<ThreadPool> {
    [1, 2, 3, 5].iter().map(|&n| ThreadPoolBuilder::new().num_threads(n).build().unwrap()).collect()
}

/// Shapes of about so many elements: rows as they are, short ones, ones that are gathered or turned, and outputs of
/// every kind.
fn cases(signature: &Signature, elements: usize) -> Vec<Call> {
    let side = elements.isqrt() + 3;
    let (wide, high) = (elements / 5 + 9, elements / 7 + 11);
    let (plain, turned, gaps) = (&Place::PLAIN, &Place::turned(), &Place::padded(3));
    let (all, row, column): ([usize; 2], [usize; 2], [usize; 2]) = ([side, side], [1, side], [side, 1]);
    let of = |operands: [(&[usize], &Place); 3], out: &Place| {
        Call::new(signature, &operands[..signature.inputs.len()], out, elements as u64)
    };
    let odd = Place { off_line: 1, ..Place::PLAIN };
    vec![
        of([(&[elements], plain), (&[elements], &odd), (&[], plain)], &odd),
        of([(&[5, wide], plain), (&[wide], plain), (&[5, 1], plain)], plain),
        of([(&[high, 7], plain), (&[7], plain), (&[high, 1], plain)], plain),
        of([(&[high, 1], plain), (&[7], plain), (&[high, 7], plain)], gaps),
        of([(&all, turned), (&all, plain), (&row, plain)], plain),
        of([(&row, plain), (&all, turned), (&column, plain)], turned),
        of([(&[3, elements / 3], &Place::stepped(2)), (&[3, 1], plain), (&[1], plain)], gaps),
    ]
}

fn signatures() -> Vec<Signature> {
    use DType::{Bool, F16, F32, F64, I64, U8};
    let of = |op: Op, inputs: &[DType], output: DType| Signature { op, inputs: inputs.to_vec(), output };
    vec![
        of(Op::Sub, &[U8, U8], U8),
        of(Op::Div, &[F16, F16], F16),
        of(Op::Sub, &[F32, F32], F32),
        of(Op::Gt, &[F64, F64], Bool),
        of(Op::MulAdd, &[F64, F64, F64], F64),
        of(Op::Where, &[Bool, I64, I64], I64),
        of(Op::Pow, &[F32, F32], F32),
        of(Op::Pow, &[F16, I64], F16),
        of(Op::Atan2, &[F64, F64], F64),
        of(Op::Hypot, &[F32, F32], F32),
    ]
}

/// The best level of this machine; the others differ in kernels, not in how they are split.
fn best() -> Isa {
    *levels().last().expect("there is a level")
}

/// Elements just above those from which on a call is split.
fn split_from(signature: &Signature) -> usize {
    let widest = signature.inputs.iter().chain([&signature.output]).map(|dtype| dtype.size()).max().unwrap();
    let bytes = if is_heavy(signature.op) { 33 << 10 } else { 1040 << 10 };
    bytes / widest
}

#[test]
fn any_number_of_threads_gives_the_bits_of_one() {
    let (pools, mut walks) = (pools(), vec![]);
    for signature in signatures() {
        for mut call in cases(&signature, split_from(&signature)) {
            let options = Options::new().isa(best());
            walks.push(call.plan(options).unwrap().walk());
            let before = call.out.clone();
            call.run(options.serial()).unwrap();
            let serial = std::mem::replace(&mut call.out, before.clone());
            for pool in &pools {
                pool.install(|| call.run(options)).unwrap();
                let same = call.out.memory.bytes() == serial.memory.bytes();
                assert!(same, "{call:?} differs on {} threads", pool.current_num_threads());
                call.out = before.clone();
            }
        }
    }
    for walk in [Walk::Rows, Walk::Chunks, Walk::Panels] {
        assert!(walks.contains(&walk), "no call was split by {walk:?}");
    }
}

#[test]
fn split_calls_write_what_they_should() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (i, signature) in signatures().iter().enumerate() {
        let mut cases = cases(signature, split_from(signature));
        let call = cases.swap_remove(i % cases.len());
        let (wants, mut call) = (call.wants(), call);
        pool.install(|| call.check_options(&wants, &[Options::new().isa(best())]));
    }
}

#[test]
fn stores_past_the_caches_write_the_same() {
    for signature in signatures() {
        for mut call in cases(&signature, if is_heavy(signature.op) { 3000 } else { 20_000 }) {
            for isa in levels().into_iter().filter(|&isa| isa != Isa::SCALAR || !is_heavy(signature.op)) {
                let options = Options::new().isa(isa);
                let before = call.out.clone();
                call.run(options.stores(Stores::Cached)).unwrap();
                let cached = std::mem::replace(&mut call.out, before.clone());
                call.run(options.stores(Stores::Streaming)).unwrap();
                let same = call.out.memory.bytes() == cached.memory.bytes();
                assert!(same, "{call:?} on {isa} differs past the caches");
                call.out = before;
            }
        }
    }
}
