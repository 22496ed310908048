//! Reductions by what is reduced, size and element type, in bytes read per second.
//!
//! `cargo bench --bench reduce [-- FILTER]`. Each size has a plain loop beside its cases that reads and adds as many
//! bytes: that is the local limit to read a figure against. `stridecast bench --filter c_` measures a fixed list
//! quicker, `stridecast bench --cases sweep-axes` every position of the reduced axes; this is for comparing two
//! versions of the code. Every result is compared with plain arithmetic before it is timed.

#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stridecast::{DType, Rule, Tensor, View, broadcast};

#[allow(dead_code, reason = "the lists, broadcasts and functions are used elsewhere")]
#[path = "../src/bin/stridecast/bench/cases.rs"]
mod cases;
#[allow(dead_code, reason = "the broadcasts are used elsewhere")]
#[path = "../src/bin/stridecast/bench/check.rs"]
mod check;
#[path = "../src/bin/stridecast/bench/totals.rs"]
mod totals;
#[allow(dead_code, reason = "the functions are used elsewhere")]
#[path = "../src/bin/stridecast/bench/verify.rs"]
mod verify;

use cases::{Case, Class};

/// Memory that has been written to; 64-byte-aligned, and in the pages that the library's tensors get.
fn touched(bytes: usize) -> Tensor<u64> {
    broadcast(&View::scalar(&0), &[bytes.div_ceil(8)], Rule::Numpy).unwrap()
}

/// `sum_of_product` or `sum` of `count` elements, in this pattern.
fn case(pattern: &str, class: Class, dtype: DType, count: usize) -> Case {
    // Near enough to square, and what is left over.
    let rows = 1 << (count.ilog2() / 2);
    let cols = count / rows;
    let square = vec![rows, cols];
    let (op, inputs, out) = match pattern {
        "outer" => ("sum", vec![square], vec![cols]),
        "inner" => ("sum", vec![square], vec![rows, 1]),
        // The channels of a batch of images.
        "mixed" => ("sum", vec![vec![4, 8, count / 32]], vec![8, 1]),
        "narrow" => ("sum", vec![vec![count / 3, 3]], vec![3]),
        // Each operand is half of the bytes.
        _ => ("sum_of_product", vec![vec![rows / 2, cols]; 2], vec![cols]),
    };
    Case::new(format!("{pattern}/{dtype}"), class, op, dtype, (inputs, out))
}

fn table(c: &mut Criterion) {
    for (class, name, bytes) in
        [(Class::Tiny, "tiny", 1 << 10), (Class::Cache, "cache", 256 << 10), (Class::Large, "large", 64 << 20)]
    {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes as u64));
        let memory = touched(bytes);
        group.bench_function("limit: read and add", |b| {
            b.iter(|| {
                let words = black_box(memory.as_slice());
                pulp::Arch::new().dispatch(|| words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)))
            });
        });
        for pattern in ["outer", "inner", "mixed", "narrow", "product"] {
            for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::U8, DType::I32] {
                let case = case(pattern, class, dtype, bytes / dtype.size());
                group.throughput(Throughput::Bytes(case.read() as u64));
                group.bench_function(BenchmarkId::from_parameter(&case.name), |b| reduction(b, &case));
            }
        }
        group.finish();
    }
}

fn reduction(b: &mut criterion::Bencher<'_>, case: &Case) {
    let plan = case.reduce_plan().unwrap();
    let mut words = vec![0; 4093];
    check::pattern(&mut words);
    let mut memory: Vec<_> = (0..case.inputs.len()).map(|k| touched(case.operand(k))).collect();
    for (k, operand) in memory.iter_mut().enumerate() {
        let bytes = &mut bytemuck::cast_slice_mut(operand.as_mut_slice())[..case.operand(k)];
        verify::fill(case, k, &words, bytes);
    }
    let bytes = |(k, operand)| &bytemuck::cast_slice(Tensor::as_slice(operand))[..case.operand(k)];
    let operands: Vec<&[u8]> = memory.iter().enumerate().map(bytes).collect();
    let mut out = touched(case.written());
    let out: &mut [u8] = &mut bytemuck::cast_slice_mut(out.as_mut_slice())[..case.written()];
    out.fill(0x5A);
    plan.run_any(&operands, out, false).unwrap();
    let wrong = totals::first_wrong(case, &totals::expected(case, &operands), out);
    assert_eq!(wrong, None, "the first wrong element of {}", case.name);
    b.iter(|| plan.run_any(black_box(&operands), black_box(&mut *out), false).unwrap());
}

criterion_group!(benches, table);
criterion_main!(benches);
