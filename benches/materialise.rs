//! Materialising by inner pattern and size class, in bytes written per second.
//!
//! `cargo bench --bench materialise [-- FILTER]`. Each class has the machine's own fill and copy of as many bytes
//! beside the patterns: that is the local limit to read a figure against.

#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use std::hint::black_box;
use std::mem::size_of;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stridecast::{Layout, Options, Plan, Rule};

/// (pattern, source, output): outputs of about `n` elements.
fn cases(n: usize) -> Vec<(&'static str, Vec<usize>, Vec<usize>)> {
    let side = n.isqrt();
    vec![
        ("copy", vec![n], vec![n]),
        ("scalar", vec![1], vec![n]),
        ("row of 3", vec![1, 3], vec![n / 3, 3]),
        ("row of 16", vec![1, 16], vec![n / 16, 16]),
        ("row of sqrt", vec![1, side], vec![side, side]),
        ("column of sqrt", vec![side, 1], vec![side, side]),
        ("each twice", vec![n / 2, 1], vec![n / 2, 2]),
        ("each 3 times", vec![n / 3, 1], vec![n / 3, 3]),
        ("channels", vec![16, 1], vec![4, 16, n / 64]),
        ("alternating", vec![8, 1, 16, 1], vec![8, n / 4096, 16, 32]),
    ]
}

fn bench<T: bytemuck::Zeroable + bytemuck::NoUninit>(c: &mut Criterion, dtype: &str, class: &str, bytes: usize) {
    let n = bytes / size_of::<T>();
    let mut group = c.benchmark_group(format!("{class}/{dtype}"));
    let zero = [T::zeroed()];
    let source = vec![zero[0]; n];
    let mut out = source.clone();
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("limit: fill", |b| b.iter(|| black_box(&mut out).fill(black_box(zero[0]))));
    group.bench_function("limit: copy", |b| b.iter(|| black_box(&mut out).copy_from_slice(black_box(&source))));
    for (name, from, to) in cases(n) {
        let layout = Layout::new(&from).unwrap();
        let plan = Plan::broadcast(&layout, &to, Rule::Numpy, size_of::<T>(), Options::new().serial()).unwrap();
        let out = &mut out[..plan.output_len()];
        group.throughput(Throughput::Bytes(plan.output_bytes() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| plan.run(black_box(&source), black_box(&mut *out)).unwrap());
        });
    }
    group.finish();
}

fn classes(c: &mut Criterion) {
    for (class, bytes) in [("cache", 256 << 10), ("large", 64 << 20)] {
        bench::<u8>(c, "u8", class, bytes);
        bench::<f32>(c, "f32", class, bytes);
        bench::<f64>(c, "f64", class, bytes);
    }
}

/// A source whose rows are the output's columns, square and as thin as an image's channels.
fn transposes(c: &mut Criterion) {
    let mut group = c.benchmark_group("transpose/f32");
    for (rows, cols) in [(256, 256), (2500, 16), (3, 21_845), (4096, 4096)] {
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

/// What a call costs beside its bytes: building a plan, running a prepared one, and both at once.
fn tiny(c: &mut Criterion) {
    let mut group = c.benchmark_group("tiny/f32 [16,1,1] to [1,16,8,8]");
    let (from, to) = ([16, 1, 1], [1, 16, 8, 8]);
    let source = [1.0_f32; 16];
    let mut out = [0.0_f32; 1024];
    let plan = || {
        let layout = Layout::new(black_box(&from)).unwrap();
        Plan::broadcast(&layout, black_box(&to), Rule::Numpy, 4, Options::new()).unwrap()
    };
    let prepared = plan();
    group.bench_function("plan", |b| b.iter(plan));
    group.bench_function("run", |b| b.iter(|| prepared.run(black_box(&source), black_box(&mut out)).unwrap()));
    group.bench_function("one-shot", |b| b.iter(|| plan().run(black_box(&source), black_box(&mut out)).unwrap()));
    group.finish();
}

criterion_group!(benches, tiny, transposes, classes);
criterion_main!(benches);
