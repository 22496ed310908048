//! Copies, tilings and repeats, from any strides to any strides.
//!
//! A tiled index reads the remainder by its size, a repeated one the quotient by its count.

use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{Layout, Plan, View, repeat, repeat_axis, repeat_into, tile, tile_into};

use crate::common::{Sample, bytes};
use crate::oracle::Logical;
use crate::strategies::{How, MOST, Memory, hows, memories, shapes};
use crate::{cases, check_strided_output, numbered};

proptest! {
    #![proptest_config(cases(1500))]

    /// Any strides to any strides.
    #[test]
    fn a_copy_moves_each_element_once(
        shape in shapes(), source in memories(), out in memories(), how in hows(),
    ) {
        with_type!(how.element, check_copy(&shape, &source, &out, &how));
    }

    #[test]
    fn tile_and_repeat_read_what_their_counts_say(
        shape in shapes(), reps in vec(0..=3_usize, 0..=7), axis in 0..8_usize,
        source in memories(), out in memories(), how in hows(),
    ) {
        with_type!(how.element, check_tilings(&shape, &reps, axis, &source, &out, &how));
    }
}

fn check_copy<T: Sample>(shape: &[usize], source: &Memory, out: &Memory, how: &How) {
    let (from, to) = (source.place(shape, true), out.place(shape, false));
    let data = numbered::<T>(from.len, how.seed);
    let logical = Logical::strided(shape, from.offset, &from.strides);
    let values = logical.values(&data);
    let view = View::with_strides(&data, from.offset, shape, &from.strides).unwrap();
    let layout = Layout::strided(to.offset as isize, shape, &to.strides).unwrap();
    let plan = Plan::copy(view.layout(), &layout, size_of::<T>(), how.options()).unwrap();

    let mut room = numbered::<T>(to.len, 7);
    let mut wanted = room.clone();
    for (&id, &value) in Logical::strided(shape, to.offset, &to.strides).ids.iter().zip(&values) {
        wanted[id] = value;
    }
    plan.run(&data, &mut room).unwrap();
    assert!(bytes(&room) == bytes(&wanted), "{plan}");
    check_strided_output(&logical, &values, out, |out| view.copy_into(out));
}

fn check_tilings<T: Sample>(shape: &[usize], reps: &[usize], axis: usize, source: &Memory, out: &Memory, how: &How) {
    let reps = tamed(shape, reps);
    let from = source.place(shape, true);
    let data = numbered::<T>(from.len, how.seed);
    let logical = Logical::strided(shape, from.offset, &from.strides);
    let view = View::with_strides(&data, from.offset, shape, &from.strides).unwrap();
    let size = size_of::<T>();

    let rank = shape.len().max(reps.len());
    let padded = |list: &[usize]| [vec![1; rank - list.len()], list.to_vec()].concat();
    let (sizes, counts) = (padded(shape), padded(&reps));
    let tiled = logical.remap(product(&sizes, &counts), |index| {
        (rank - shape.len()..rank).map(|axis| index[axis] % sizes[axis]).collect()
    });
    let got = tile(&view, &reps).unwrap();
    let values = tiled.values(&data);
    assert_eq!((got.shape(), bytes(got.as_slice())), (&tiled.shape[..], bytes(&values)));
    check_plan(&Plan::tile(view.layout(), &reps, size, how.options()).unwrap(), &data, &values);
    check_strided_output(&tiled, &values, out, |out| tile_into(&view, &reps, out));

    if reps.len() == shape.len() {
        let repeated =
            logical.remap(product(shape, &reps), |index| index.iter().zip(&reps).map(|(i, count)| i / count).collect());
        let got = repeat(&view, &reps).unwrap();
        let values = repeated.values(&data);
        assert_eq!((got.shape(), bytes(got.as_slice())), (&repeated.shape[..], bytes(&values)));
        check_plan(&Plan::repeat(view.layout(), &reps, size, how.options()).unwrap(), &data, &values);
        check_strided_output(&repeated, &values, out, |out| repeat_into(&view, &reps, out));
    } else {
        assert!(repeat(&view, &reps).is_err());
    }

    let count = reps.first().copied().unwrap_or(2);
    let got = repeat_axis(&view, count, axis);
    assert_eq!(got.is_ok(), axis < shape.len());
    if let Ok(got) = got {
        let mut wide = shape.to_vec();
        wide[axis] *= count;
        let repeated = logical.remap(wide, |index| {
            index.iter().enumerate().map(|(a, &i)| if a == axis { i / count } else { i }).collect()
        });
        assert_eq!((got.shape(), bytes(got.as_slice())), (&repeated.shape[..], bytes(&repeated.values(&data))));
    }
}

/// As many counts as axes most of the time, and not too large a product.
fn tamed(shape: &[usize], reps: &[usize]) -> Vec<usize> {
    let wanted = if reps.len().is_multiple_of(3) { reps.len() } else { shape.len() };
    let mut left = (6 * MOST / shape.iter().product::<usize>().max(1)).min(100);
    let count = |i: usize| {
        let count = reps.get(i).copied().unwrap_or(1);
        let count = if count > left { 1 } else { count };
        left /= count.max(1);
        count
    };
    (0..wanted).map(count).collect()
}

fn product(sizes: &[usize], counts: &[usize]) -> Vec<usize> {
    sizes.iter().zip(counts).map(|(size, count)| size * count).collect()
}

fn check_plan<T: Sample>(plan: &Plan, data: &[T], values: &[T]) {
    let mut run = numbered::<T>(values.len(), 3);
    plan.run(data, &mut run).unwrap();
    assert!(bytes(&run) == bytes(values), "{plan}");
    for n in [2, 5] {
        let parts = plan.parts(n).unwrap();
        let mut pieces = numbered::<T>(values.len(), 5);
        for part in 0..parts.len() {
            parts.run_part(part, data, &mut pieces[parts.range(part)]).unwrap();
        }
        assert!(bytes(&pieces) == bytes(values), "{n} parts of\n{plan}");
    }
}
