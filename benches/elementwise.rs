//! Elementwise functions, case by case of `benches/cases.json`, in bytes read and written per second, and a function of
//! one's own in one pass against the same in three.
//!
//! `cargo bench --bench elementwise [-- FILTER]`. `stridecast bench --filter b_` measures the same cases quicker and
//! against this machine's limits; this is for comparing two versions of the code. Every result is compared with plain
//! arithmetic before it is timed.

#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stridecast::{Rule, Tensor, View, broadcast, map_into};

#[allow(dead_code, reason = "the sweep and the broadcasts are used elsewhere")]
#[path = "../src/bin/stridecast/bench/cases.rs"]
mod cases;
#[allow(dead_code, reason = "the broadcasts are used elsewhere")]
#[path = "../src/bin/stridecast/bench/check.rs"]
mod check;
#[path = "../examples/fused.rs"]
mod fused;
#[path = "../src/bin/stridecast/bench/verify.rs"]
mod verify;

use cases::{Case, Class};

/// Memory that has been written to; 64-byte-aligned, and in the pages that the library's tensors get.
fn touched(bytes: usize) -> Tensor<u64> {
    broadcast(&View::scalar(&0), &[bytes.div_ceil(8)], Rule::Numpy).unwrap()
}

fn table(c: &mut Criterion) {
    let list = cases::built_in().unwrap();
    for (class, name) in [(Class::Tiny, "tiny"), (Class::Cache, "cache"), (Class::Large, "large")] {
        let mut group = c.benchmark_group(name);
        for case in list.iter().filter(|case| case.function().is_some() && case.class == class) {
            group.throughput(Throughput::Bytes((case.read() + case.written()) as u64));
            group.bench_function(BenchmarkId::from_parameter(&case.name), |b| function(b, case));
        }
        group.finish();
    }
}

fn function(b: &mut criterion::Bencher<'_>, case: &Case) {
    let plan = case.op_plan().unwrap();
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
    plan.run_any(&operands, out).unwrap();
    assert_eq!(verify::first_wrong(case, &operands, out), None, "the first wrong element of {}", case.name);
    b.iter(|| plan.run_any(black_box(&operands), black_box(&mut *out)).unwrap());
}

/// `gelu(x * scale + bias)`: see `examples/fused.rs`.
fn fused(c: &mut Criterion) {
    let mut group = c.benchmark_group("fused");
    for shape in [[128, 1024], [4096, 1024]] {
        let [rows, cols] = shape;
        let (x, scale, bias) = (fused::numbers(&shape), fused::numbers(&[cols]), fused::numbers(&[2, cols]));
        let row = [1, cols];
        let (x, scale) = (View::new(&x, &shape).unwrap(), View::new(&scale, &row).unwrap());
        let bias = View::new(&bias[cols..], &row).unwrap();
        let mut out = vec![0.0_f32; rows * cols];
        let mut between = [out.clone(), out.clone()];
        group.throughput(Throughput::Elements(out.len() as u64));
        let of = format!("{rows}x{cols}");
        group.bench_function(BenchmarkId::new("one pass, a type", &of), |b| {
            b.iter(|| map_into(&fused::ScaledGelu, (&x, &scale, &bias), black_box(&mut out)).unwrap());
        });
        group.bench_function(BenchmarkId::new("one pass, a closure", &of), |b| {
            let call = |x: f32, scale: f32, bias: f32| fused::gelu(x * scale + bias);
            b.iter(|| map_into(&call, (&x, &scale, &bias), black_box(&mut out)).unwrap());
        });
        let once = out.clone();
        group.bench_function(BenchmarkId::new("three calls", &of), |b| {
            b.iter(|| fused::unfused(&x, &scale, &bias, &mut between, black_box(&mut out)).unwrap());
        });
        assert!(once == out, "both ways give the same bits");
    }
    group.finish();
}

criterion_group!(benches, fused, table);
criterion_main!(benches);
