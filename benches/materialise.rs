//! Materialising, case by case of `benches/cases.json`, in bytes written per second.
//!
//! `cargo bench --bench materialise [-- FILTER]`. Each class has the machine's own fill and copy of as many bytes
//! beside its cases: that is the local limit to read a figure against. `stridecast bench` measures the same cases
//! quicker, against limits of each case's own working set; this is for comparing two versions of the code. Every
//! result is compared with index arithmetic before it is timed.

#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stridecast::{Layout, Options, Plan, Rule, Tensor, View, broadcast};

#[allow(dead_code, reason = "the sweep is the command line's, functions are another bench's")]
#[path = "../src/bin/stridecast/bench/cases.rs"]
mod cases;
#[path = "../src/bin/stridecast/bench/check.rs"]
mod check;

use cases::{Case, Class};

/// Memory that has been written to; 64-byte-aligned, and in the pages that the library's tensors get.
fn touched(bytes: usize) -> Tensor<u64> {
    broadcast(&View::scalar(&0), &[bytes.div_ceil(8)], Rule::Numpy).unwrap()
}

fn table(c: &mut Criterion) {
    let list = cases::built_in().unwrap();
    for (class, name, bytes) in
        [(Class::Tiny, "tiny", 1 << 10), (Class::Cache, "cache", 256 << 10), (Class::Large, "large", 128 << 20)]
    {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes as u64));
        let (source, mut out) = (touched(bytes), touched(bytes));
        let out: &mut [u8] = bytemuck::cast_slice_mut(out.as_mut_slice());
        group.bench_function("limit: fill", |b| b.iter(|| black_box(&mut *out).fill(black_box(7))));
        let source = bytemuck::cast_slice(source.as_slice());
        group.bench_function("limit: copy", |b| b.iter(|| black_box(&mut *out).copy_from_slice(black_box(source))));
        for case in list.iter().filter(|case| case.is_broadcast() && case.class == class) {
            group.throughput(Throughput::Bytes(case.written() as u64));
            group.bench_function(BenchmarkId::from_parameter(&case.name), |b| broadcasts(b, case));
        }
        group.finish();
    }
}

fn broadcasts(b: &mut criterion::Bencher<'_>, case: &Case) {
    let plan =
        Plan::broadcast(&case.layout().unwrap(), &case.out, case.rule(), case.dtype.size(), Options::new().serial())
            .unwrap();
    let (mut source, mut out) = (touched(case.read()), touched(case.written()));
    check::pattern(source.as_mut_slice());
    let source: &[u8] = &bytemuck::cast_slice(source.as_slice())[..case.read()];
    let out: &mut [u8] = &mut bytemuck::cast_slice_mut(out.as_mut_slice())[..case.written()];
    check::clear(source, out);
    plan.run_bytes(source, &mut *out).unwrap();
    let wrong = match case.dtype.size() {
        1 => check::first_wrong::<u8>(case, source, out),
        2 => check::first_wrong::<u16>(case, bytemuck::cast_slice(source), bytemuck::cast_slice(out)),
        4 => check::first_wrong::<u32>(case, bytemuck::cast_slice(source), bytemuck::cast_slice(out)),
        8 => check::first_wrong::<u64>(case, bytemuck::cast_slice(source), bytemuck::cast_slice(out)),
        _ => check::first_wrong::<[u64; 2]>(case, bytemuck::cast_slice(source), bytemuck::cast_slice(out)),
    };
    assert_eq!(wrong, None, "the first wrong element of {}", case.name);
    b.iter(|| plan.run_bytes(black_box(source), black_box(&mut *out)).unwrap());
}

/// Sources whose rows are the output's columns, as thin as an image's channels; the table has the square ones.
fn thin_transposes(c: &mut Criterion) {
    let mut group = c.benchmark_group("transpose/f32");
    for (rows, cols) in [(2500, 16), (3, 21_845)] {
        let source = vec![1.0_f32; rows * cols];
        let mut out = vec![0.0_f32; rows * cols];
        let (shape, strides) = ([rows, cols], [1, rows as isize]);
        let from = Layout::strided(0, &shape, &strides).unwrap();
        let plan = Plan::copy(&from, &Layout::new(&shape).unwrap(), 4, Options::new().serial()).unwrap();
        group.throughput(Throughput::Bytes(plan.output_bytes() as u64));
        group.bench_function(BenchmarkId::new("limit: copy", format!("{rows}x{cols}")), |b| {
            b.iter(|| black_box(&mut out).copy_from_slice(black_box(&source)));
        });
        group.bench_function(BenchmarkId::from_parameter(format!("{rows}x{cols}")), |b| {
            b.iter(|| plan.run(black_box(&source), black_box(&mut out)).unwrap());
        });
    }
    group.finish();
}

/// What a call costs beside its bytes: building a plan, and building and running one; the table has the run alone.
fn calls(c: &mut Criterion) {
    let mut group = c.benchmark_group("call/f32 [16,1,1] to [1,16,8,8]");
    let (from, to) = ([16, 1, 1], [1, 16, 8, 8]);
    let source = [1.0_f32; 16];
    let mut out = [0.0_f32; 1024];
    let plan = || {
        let layout = Layout::new(black_box(&from)).unwrap();
        Plan::broadcast(&layout, black_box(&to), Rule::Numpy, 4, Options::new()).unwrap()
    };
    group.bench_function("plan", |b| b.iter(plan));
    group.bench_function("one-shot", |b| b.iter(|| plan().run(black_box(&source), black_box(&mut out)).unwrap()));
    group.finish();
}

criterion_group!(benches, calls, thin_transposes, table);
criterion_main!(benches);
