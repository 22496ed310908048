//! Several ways to carry out one broadcast, and its split into parts and threads.

use stridecast::{AnyView, AnyViewMut, Isa, Layout, Options, Plan, Rule, View, ViewMut, broadcast, broadcast_into};

use crate::common::{naive, samples};
#[cfg(feature = "rayon")]
use crate::distinct_bytes;

/// burn #4712, tract #420, OpenVINO #4209 and #33620: one path of several knew no broadcasting, or knew it
/// differently. Every way to carry out one broadcast must give the same bits.
#[test]
fn paths_that_disagree() {
    let cases: [(&[usize], &[usize]); 9] = [
        (&[], &[7]),
        (&[1], &[33]),
        (&[5], &[4, 5]),
        (&[4, 1], &[4, 5]),
        (&[1, 1, 1, 8], &[1, 4, 1, 8]),
        (&[1, 22], &[3, 22]),
        (&[2, 1, 3], &[2, 4, 3]),
        (&[3, 1, 2, 1], &[3, 5, 2, 6]),
        (&[4, 5], &[4, 5]),
    ];
    for (source, target) in cases {
        let data: Vec<u32> = samples(source.iter().product());
        let want = naive::broadcast(&data, source, target);
        for (path, got) in all_paths(&data, source, target) {
            assert_eq!(got, want, "{path}: {source:?} to {target:?}");
        }
    }
}

fn all_paths(data: &[u32], source: &[usize], target: &[usize]) -> Vec<(&'static str, Vec<u32>)> {
    let view = View::new(data, source).unwrap();
    let wide = view.broadcast_to(target).unwrap();
    let len: usize = target.iter().product();
    let mut paths = vec![
        ("broadcast", broadcast(&view, target, Rule::Numpy).unwrap().to_vec()),
        ("to_tensor", wide.to_tensor().unwrap().to_vec()),
        ("cloned", wide.cloned().unwrap()),
    ];
    let mut out = vec![0; len];
    broadcast_into(&view, target, Rule::Numpy, &mut out[..]).unwrap();
    paths.push(("broadcast_into", std::mem::take(&mut out)));
    out.resize(len, 0);
    wide.copy_into(&mut out[..]).unwrap();
    paths.push(("copy_into", std::mem::take(&mut out)));
    out.resize(len, 0);
    wide.clone_into(&mut out[..]).unwrap();
    paths.push(("clone_into", std::mem::take(&mut out)));
    paths.push(("strided output", through_strided_output(&wide, target)));
    paths.push(("dynamic type", through_any_view(&view, target)));
    paths.extend(plan_paths(data, source, target));
    paths
}

/// Into an output in Fortran order, read back in C order.
fn through_strided_output(wide: &View<'_, u32>, target: &[usize]) -> Vec<u32> {
    let layout = Layout::f_order(target).unwrap();
    let strides = layout.strides();
    let mut out = vec![0; wide.len()];
    wide.copy_into(ViewMut::with_strides(&mut out, 0, target, &strides).unwrap()).unwrap();
    naive::gather(&out, 0, target, &strides)
}

fn through_any_view(view: &View<'_, u32>, target: &[usize]) -> Vec<u32> {
    let mut out = vec![0_u32; target.iter().product()];
    let mut any_out = AnyViewMut::from(ViewMut::new(&mut out, target).unwrap());
    AnyView::from(view.clone()).broadcast_to(target).unwrap().copy_into(&mut any_out).unwrap();
    out
}

fn plan_paths(data: &[u32], source: &[usize], target: &[usize]) -> Vec<(&'static str, Vec<u32>)> {
    let layout = Layout::new(source).unwrap();
    let mut paths = Vec::new();
    for isa in Isa::available() {
        for options in [Options::new().isa(isa), Options::new().isa(isa).serial()] {
            let plan = Plan::broadcast(&layout, target, Rule::Numpy, 4, options).unwrap();
            let mut out = vec![0; plan.output_len()];
            plan.run(data, &mut out).unwrap();
            paths.push((isa.name(), out));
            let mut bytes = vec![0_u8; plan.output_bytes()];
            plan.run_bytes(bytemuck::cast_slice(data), &mut bytes).unwrap();
            paths.push(("run_bytes", bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()));
        }
    }
    paths
}

/// OpenVINO's thread split computed its counters from a 32-bit start index; numexpr #63 lost the remainder. Tiny and
/// prime sizes, in more parts than elements, put together from the parts.
#[test]
fn remainder_of_a_split_lost() {
    let cases: [(&[usize], &[usize]); 8] = [
        (&[], &[1]),
        (&[1], &[2]),
        (&[3], &[3]),
        (&[1], &[131]),
        (&[7], &[13, 7]),
        (&[11, 1], &[11, 17]),
        (&[3, 1, 5], &[3, 7, 5]),
        (&[1, 101], &[211, 101]),
    ];
    for (source, target) in cases {
        let data: Vec<u16> = (0..source.iter().product::<usize>() as u16).collect();
        let plan = Plan::broadcast(&Layout::new(source).unwrap(), target, Rule::Numpy, 2, Options::new()).unwrap();
        let want = naive::broadcast(&data, source, target);
        for n in (1..=9).chain([31, 64, 1000]) {
            let parts = plan.parts(n).unwrap();
            assert!((1..=n).contains(&parts.len()), "{} parts of {n}", parts.len());
            let mut out = vec![u16::MAX; want.len()];
            let mut rest = &mut out[..];
            let mut next = 0;
            for part in 0..parts.len() {
                let range = parts.range(part);
                assert_eq!(range.start, next, "{target:?} in {n}, part {part}");
                next = range.end;
                let (piece, tail) = rest.split_at_mut(range.len());
                parts.run_part(part, &data, piece).unwrap();
                rest = tail;
            }
            assert_eq!((next, out), (want.len(), want.clone()), "{target:?} in {n}");
        }
    }
}

/// The same through the thread pool: several pool sizes, prime sizes above the grain.
#[cfg(feature = "rayon")]
#[test]
fn remainder_of_a_thread_split_lost() {
    let cases: [(&[usize], &[usize]); 4] =
        [(&[1301], &[1009, 1301]), (&[1009, 1], &[1009, 1301]), (&[1], &[1_299_709]), (&[13, 1, 7], &[13, 14_657, 7])];
    for (source, target) in cases {
        let data = distinct_bytes(source.iter().product(), 1);
        let want = naive::broadcast_strided(&data, 0, source, &naive::c_strides(source), target);
        for threads in 1..=5 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let got = pool.install(|| broadcast(&View::new(&data, source).unwrap(), target, Rule::Numpy).unwrap());
            assert!(got.as_slice() == want, "{source:?} to {target:?} with {threads} threads");
        }
    }
}
