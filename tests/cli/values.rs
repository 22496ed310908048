//! Right values: every rule, storage order, format version and element type against index arithmetic.

use std::fs;
use std::path::Path;

use crate::Place;
use crate::npy::{Npy, file, gather};

/// The source index under NumPy's rule.
pub fn right_aligned<'a>(source: &'a [usize]) -> impl Fn(&[usize]) -> Vec<usize> + 'a {
    move |index| {
        let tail = &index[index.len() - source.len()..];
        tail.iter().zip(source).map(|(&i, &size)| if size == 1 { 0 } else { i }).collect()
    }
}

/// The source index when source axis `k` is target axis `axes[k]`.
fn mapped<'a>(source: &'a [usize], axes: &'a [usize]) -> impl Fn(&[usize]) -> Vec<usize> + 'a {
    move |index| axes.iter().zip(source).map(|(&axis, &size)| if size == 1 { 0 } else { index[axis] }).collect()
}

#[test]
fn expands_by_every_rule() {
    // (source, shape, rule, output, target axis of every source axis)
    type Case = (&'static [usize], &'static str, &'static str, &'static [usize], &'static [usize]);
    let cases: &[Case] = &[
        (&[], "", "numpy", &[], &[]),
        (&[], "2,3", "numpy", &[2, 3], &[]),
        (&[3, 1], "2,3,4", "numpy", &[2, 3, 4], &[1, 2]),
        (&[16, 1, 1], "1,16,5,7", "numpy", &[1, 16, 5, 7], &[1, 2, 3]),
        (&[1, 3], "0,3", "numpy", &[0, 3], &[0, 1]),
        (&[0], "2,0", "numpy", &[2, 0], &[1]),
        (&[1], "", "bidirectional", &[1], &[0]),
        (&[4, 3], "2,1,1", "bidirectional", &[2, 4, 3], &[1, 2]),
        (&[3, 4], "2,3,4,5", "axes:1,2", &[2, 3, 4, 5], &[1, 2]),
        (&[3, 1], "3,6,2", "axes:0,2", &[3, 6, 2], &[0, 2]),
        (&[], "2,3", "axes:", &[2, 3], &[]),
        (&[5, 2], "3,5,2,4", "broadcast-axes:0,3", &[3, 5, 2, 4], &[1, 2]),
        (&[5, 2], "5,2", "broadcast-axes:", &[5, 2], &[0, 1]),
        (&[5, 2], "3,5,2,4", "broadcast-like:0,3", &[3, 5, 2, 4], &[1, 2]),
        (&[3], "3,4", "broadcast-like", &[3, 4], &[0]),
        (&[3, 4], "2,3,4,5", "pdpd:1", &[2, 3, 4, 5], &[1, 2]),
        (&[4, 5], "2,3,4,5", "pdpd", &[2, 3, 4, 5], &[2, 3]),
    ];
    let place = Place::new();
    for &(source, shape, rule, output, axes) in cases {
        for (version, fortran) in [(1, false), (2, true), (3, false)] {
            let source = Npy { fortran, ..Npy::new("'<f4'", 4, source).version(version) };
            place.put("in.npy", &source.bytes());
            let got = place.result(&["expand", "in.npy", "--shape", shape, "--rule", rule], 4);
            assert_eq!(got.shape, output, "{rule} {shape}");
            assert_eq!((got.version, got.descr.as_str()), (version, "'<f4'"));
            let want = gather(&source, output, mapped(&source.shape, axes));
            assert_eq!(got.data, want, "{rule} {:?} to {shape}, fortran {fortran}", source.shape);
        }
    }
}

#[test]
fn tiles_and_repeats() {
    let place = Place::new();
    for (shape, reps) in [
        (vec![2, 3], "2,1,3"),
        (vec![2, 3], "4"),
        (vec![5], "1,2"),
        (vec![2, 3], "0,2"),
        (vec![], ""),
        (vec![3, 0], "2,2"),
    ] {
        let counts: Vec<usize> = reps.split(',').filter_map(|r| r.parse().ok()).collect();
        let rank = shape.len().max(counts.len());
        let pad = |list: &[usize]| [vec![1; rank - list.len()], list.to_vec()].concat();
        let output: Vec<usize> = pad(&shape).iter().zip(pad(&counts)).map(|(&n, r)| n * r).collect();
        for source in [Npy::new("'|u1'", 1, &shape), Npy::new("'|u1'", 1, &shape).fortran()] {
            place.put("in.npy", &source.bytes());
            let got = place.result(&["tile", "in.npy", "--reps", reps], 1);
            let from =
                |index: &[usize]| index[rank - shape.len()..].iter().zip(&shape).map(|(&i, &size)| i % size).collect();
            assert_eq!((&got.shape, &got.data), (&output, &gather(&source, &output, from)), "tile {shape:?} {reps}");
        }
    }
    for (shape, reps) in [(vec![2, 3], [2, 3]), (vec![4, 1], [1, 5]), (vec![2, 2], [0, 3])] {
        let output: Vec<usize> = shape.iter().zip(reps).map(|(&n, r)| n * r).collect();
        for source in [Npy::new("'<i8'", 8, &shape), Npy::new("'<i8'", 8, &shape).fortran()] {
            place.put("in.npy", &source.bytes());
            let list = format!("{},{}", reps[0], reps[1]);
            let got = place.result(&["repeat", "in.npy", "--reps", &list], 8);
            let from = |index: &[usize]| index.iter().zip(reps).map(|(&i, r)| i / r).collect();
            assert_eq!((&got.shape, &got.data), (&output, &gather(&source, &output, from)), "repeat {shape:?}");
        }
    }
}

/// Whatever the element is, its bytes arrive and its description stays as it was written.
#[test]
fn keeps_every_fixed_size_element_type() {
    let types = [
        ("'|b1'", 1),
        ("'|i1'", 1),
        ("'>u1'", 1),
        ("'<u2'", 2),
        ("'<f2'", 2),
        ("'<V2'", 2),
        ("\"|V3\"", 3),
        ("'<f8'", 8),
        ("'=f8'", 8),
        ("'<c8'", 8),
        ("'<c16'", 16),
        ("'<f16'", 16),
        ("'|S5'", 5),
        ("'<U3'", 12),
        ("'<M8[ns]'", 8),
        ("'<m8[25s]'", 8),
        ("[('x', '<f4'), ('y', '<f4'), ('z', '<f4')]", 12),
        ("[('rgb', '|u1', (3,)), ('', '|V2'), (('title', 'n'), [('a', '<i4', (2, 2))])]", 21),
    ];
    let place = Place::new();
    for (descr, item) in types {
        for version in [1, 2, 3] {
            let source = Npy::new(descr, item, &[3, 1, 5]).version(version).fortran();
            place.put("in.npy", &source.bytes());
            let got = place.result(&["expand", "in.npy", "--shape", "2,3,4,5"], item);
            assert_eq!((got.version, got.descr.as_str()), (version, descr));
            assert_eq!(got.data, gather(&source, &[2, 3, 4, 5], right_aligned(&source.shape)), "{descr}");
        }
    }
    // A version 1 name beyond ASCII is Latin-1, and stays so.
    let text = b"{'descr': [('\xe9', '<f4')], 'fortran_order': False, 'shape': (), }";
    place.put("in.npy", &[file(1, text), vec![1, 2, 3, 4]].concat());
    let got = place.result(&["expand", "in.npy", "--shape", "2"], 4);
    assert_eq!((got.descr.as_str(), got.data), ("[('\u{e9}', '<f4')]", vec![1, 2, 3, 4, 1, 2, 3, 4]));
}

#[test]
fn broadcasts_the_shipped_data() {
    let iris = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/iris.npy");
    let source = Npy::parse(&fs::read(&iris).unwrap(), 8);
    assert_eq!((source.descr.as_str(), &*source.shape), ("'<f8'", &[150, 4][..]));
    let iris = iris.to_str().unwrap();
    let place = Place::new();
    let got = place.result(&["expand", iris, "--shape", "150,3,4", "--rule", "axes:0,2"], 8);
    assert_eq!(got.data, gather(&source, &[150, 3, 4], mapped(&[150, 4], &[0, 2])));
    let got = place.result(&["repeat", iris, "--reps", "1,2"], 8);
    assert_eq!(got.data, gather(&source, &[150, 8], |i| vec![i[0], i[1] / 2]));
}
