//! Every move kernel, on every level this machine has, against the oracle.
//!
//! The shapes walk each pattern through its edges: rows of 0 to 2 * lanes + 1 elements, blocks and row limits
//! plus and minus one, starts off alignment, padded rows, cut rows. Levels that this CPU lacks are printed.

mod common;

use std::collections::BTreeSet;
use std::mem::{MaybeUninit, size_of};

use common::{Sample, bytes, naive, samples};
use stridecast::{Isa, Layout, Options, Out, Pattern, Plan, Rule, Stores, Tensor, View, ViewMut, kernels};

/// The levels to test; prints the others of the build once.
fn levels() -> Vec<Isa> {
    let available: Vec<_> = Isa::available().collect();
    let known: BTreeSet<_> = kernels().map(|kernel| kernel.isa_name()).collect();
    for name in known.iter().filter(|name| !available.iter().any(|isa| isa.name() == **name)) {
        println!("skipped: this CPU has no {name}");
    }
    available
}

/// A level as it chooses its stores, and told to stream.
fn options(isa: Isa) -> [Options; 2] {
    [Options::new().isa(isa), Options::new().isa(isa).stores(Stores::Streaming)]
}

/// Broadcasts distinct samples on one level, from a source that starts `skip` elements into its buffer, and compares.
fn check<T: Sample>(source: &[usize], out: &[usize], isa: Isa, skip: usize) -> [Plan; 2] {
    let len: usize = source.iter().product();
    let data = samples::<T>(len + skip);
    let strides = naive::c_strides(source);
    let layout = Layout::strided(skip as isize, source, &strides).unwrap();
    let expected = naive::broadcast(&data[skip..], source, out);
    let plan_for =
        |options: Options| Plan::broadcast(&layout, out, Rule::Numpy, size_of::<T>(), options.serial()).unwrap();
    let plans = options(isa).map(plan_for);
    let same = plans[0].kernel() == plans[1].kernel();
    for plan in &plans[usize::from(same)..] {
        let mut got = samples::<T>(expected.len());
        plan.run(&data, &mut got).unwrap();
        let ty = std::any::type_name::<T>();
        assert!(bytes(&got) == bytes(&expected), "{ty} on {isa}: {source:?} -> {out:?}\n{plan}");
    }
    plans
}

/// Row lengths around every edge: all up to two vectors and one, and around the byte limits. Long rows are bytes to
/// every kernel, so a few types stand for all.
fn lengths<T>() -> impl Iterator<Item = usize> {
    let lanes = 64 / size_of::<T>().min(64);
    let limits = if size_of::<T>() < 4 { &[512, Pattern::SHORT_ROW][..] } else { &[512] };
    let edges = limits.iter().map(|limit| limit / size_of::<T>());
    (0..=2 * lanes + 1).chain(edges.flat_map(|edge| edge.saturating_sub(1)..=edge + 1))
}

fn all_patterns_at_all_lengths<T: Sample>(isa: Isa, seen: &mut BTreeSet<&'static str>) {
    let mut note = |plans: [Plan; 2]| seen.extend(plans.map(|plan| plan.kernel().name()));
    for n in lengths::<T>() {
        note(check::<T>(&[n], &[n], isa, n % 3)); // contiguous
        note(check::<T>(&[1], &[n], isa, n % 3)); // splat
        note(check::<T>(&[3, 1], &[3, n], isa, 1)); // splat, several rows
        note(check::<T>(&[1, n], &[5, n], isa, 1)); // replicate
        note(check::<T>(&[2, 1, n], &[2, 3, n], isa, 0)); // replicate under an outer axis
    }
    // Blocks of several axes: short tails, alternating axes and deeper, repeated, in rows of their own, of one window
    // and of two, whole vectors and not.
    let blocks: [(&[usize], &[usize]); 14] = [
        (&[1, 3], &[2, 3]),
        (&[1, 5], &[3, 5]),
        (&[1, 9], &[2, 9]),
        (&[1, 1, 3], &[2, 2, 3]),
        (&[1, 4, 1], &[3, 4, 5]),
        (&[1, 3, 1], &[2, 3, 2]),
        (&[2, 1, 3], &[2, 2, 3]),
        (&[1, 2, 1, 3, 1], &[2, 2, 3, 3, 2]),
        (&[1, 7, 1], &[7, 7, 3]),
        (&[3, 1, 5], &[3, 2, 5]),
        (&[5, 1, 1, 2], &[5, 3, 1, 2]),
        (&[1, 33], &[3, 33]),
        (&[1, 20], &[4, 20]),
        (&[1, 70], &[2, 70]),
    ];
    for (i, (from, to)) in blocks.into_iter().enumerate() {
        let units = to.iter().product::<usize>() * size_of::<T>();
        let (n, outer) = [(8192 / units + 7, 1), (8300 / units + 2, 3)][i % 2];
        // Source sizes of the two axes outside the block: own, standing, rows that stand.
        let kept = [(outer, n), (outer, 1), (1, n)][(i + size_of::<T>()) % 3];
        let with = |(outer, n): (usize, usize), tail: &[usize]| [&[outer, n], tail].concat();
        note(check::<T>(&with(kept, from), &with((outer, n), to), isa, 1));
    }
    // Rows that are read once for four: as many as fours hold, and more.
    for n in [16_384, 16_385, 16_511, 20_000].map(|bytes| bytes / size_of::<T>() + 1) {
        if size_of::<T>() > 3 {
            break; // bytes to the kernel
        }
        note(check::<T>(&[1, n], &[4 + n % 6, n], isa, 1));
    }
    for bytes in [65, 100, 128, 160, 200, 256, 300, 500] {
        let cols = bytes / size_of::<T>() + 1;
        note(check::<T>(&[9, 1], &[9, cols], isa, 1)); // splats back to back
        note(check::<T>(&[2, 1, 9, 1], &[2, 3, 9, cols], isa, 0));
    }
    for times in 2..=63 / size_of::<T>() {
        // Enough rows that their bytes are picked, ending inside a group.
        let rows = 32 + 3 * times * size_of::<T>() + times % 7;
        note(check::<T>(&[rows, 1], &[rows, times], isa, times % 3));
    }
    for (rows, cols) in [(1000, 1), (700, 2), (300, 3), (200, 5), (67, 7), (9, 31), (9, 33), (5, 64), (33, 127)] {
        note(check::<T>(&[1, cols], &[rows, cols], isa, 1));
        note(check::<T>(&[rows, 1], &[rows, cols], isa, 1));
        note(check::<T>(&[1, rows, 1], &[2, rows, cols], isa, 0));
    }
}

#[test]
fn every_element_type_in_every_pattern_at_every_length() {
    for isa in levels() {
        let mut seen = BTreeSet::new();
        for_every_type!(all_patterns_at_all_lengths(isa, &mut seen));
        strided_views_of_all_types(isa, &mut seen);
        let own = |name: &str| kernels().filter(|k| k.isa_name() == name).map(|k| k.name()).collect::<BTreeSet<_>>();
        // What a level has of its own must have run; what it borrows is another level's to prove.
        let missed: Vec<_> = own(isa.name()).difference(&seen).copied().collect();
        assert!(missed.is_empty(), "{isa} never ran {missed:?}");
    }
}

fn strided_views_of_all_types(isa: Isa, seen: &mut BTreeSet<&'static str>) {
    for_every_type!(strided_views(isa, seen));
    for_every_type!(transposes(isa, seen));
}

/// Transposed, reversed, stepped and padded sources into dense outputs.
fn strided_views<T: Sample>(isa: Isa, seen: &mut BTreeSet<&'static str>) {
    let data = samples::<T>(600);
    // (offset, shape, strides): each index stays inside 600 elements.
    let views: [(usize, &[usize], &[isize]); 9] = [
        (0, &[5, 7], &[1, 5]),
        (599, &[100], &[-1]),
        (3, &[60], &[9]),
        (0, &[9, 13], &[20, 1]),
        (299, &[4, 5, 6], &[-30, 6, -1]),
        (7, &[3, 2, 17], &[0, 100, 2]),
        (0, &[2, 3, 2, 5], &[1, 0, 40, 3]),
        (11, &[4, 33], &[0, 2]),
        (500, &[17, 2], &[-3, 7]),
    ];
    for (offset, shape, strides) in views {
        let layout = Layout::strided(offset as isize, shape, strides).unwrap();
        let out = Layout::new(shape).unwrap();
        let expected = naive::gather(&data, offset, shape, strides);
        for options in options(isa) {
            let plan = Plan::copy(&layout, &out, size_of::<T>(), options.serial()).unwrap();
            let mut got = samples::<T>(expected.len());
            plan.run(&data, &mut got).unwrap();
            assert!(bytes(&got) == bytes(&expected), "{shape:?} {strides:?} on {isa}\n{plan}");
            seen.insert(plan.kernel().name());
        }
    }
}

/// Matrices, and batches of them, with rows and columns exchanged: sides around every multiple of the blocks, source
/// rows padded and backwards, some in a stretched batch.
fn transposes<T: Sample>(isa: Isa, seen: &mut BTreeSet<&'static str>) {
    let sides = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67];
    let data = samples::<T>(70 * 70 * 2);
    for (i, &rows) in sides.iter().enumerate() {
        for (j, &cols) in sides.iter().enumerate() {
            if (i + j) % 3 != 0 && rows != cols {
                continue; // a third of the pairs, every side with many others
            }
            let padded = rows as isize + (i % 3) as isize;
            // Output [2, rows, cols]; the source is dense along its rows.
            let (shape, turned) = ([2, rows, cols], [if j % 2 == 0 { 0 } else { 70 * 70 }, 1, padded]);
            let back = [turned[0], 1, -padded];
            for (offset, strides) in [(i % 4, turned), (i % 4 + (cols - 1) * padded as usize, back)] {
                let layout = Layout::strided(offset as isize, &shape, &strides).unwrap();
                let out = Layout::new(&shape).unwrap();
                let expected = naive::gather(&data, offset, &shape, &strides);
                let [cached, streamed] =
                    options(isa).map(|options| Plan::copy(&layout, &out, size_of::<T>(), options).unwrap());
                let streams = streamed.kernel() != cached.kernel() && (i + j) % 2 == 0;
                // A tensor's memory is aligned, so that whole vectors of its rows can be streamed.
                let mut got = Tensor::from_slice(&samples::<T>(expected.len()), &shape).unwrap();
                for plan in [Some(&cached), streams.then_some(&streamed)].into_iter().flatten() {
                    plan.run(&data, got.as_mut_slice()).unwrap();
                    assert!(bytes(got.as_slice()) == bytes(&expected), "{shape:?} {strides:?} on {isa}\n{plan}");
                    seen.insert(plan.kernel().name());
                    got.as_mut_slice().fill(T::nth(0));
                }
                let parts = cached.parts(3).unwrap();
                for part in 0..parts.len() {
                    parts.run_part(part, &data, &mut got.as_mut_slice()[parts.range(part)]).unwrap();
                }
                assert!(bytes(got.as_slice()) == bytes(&expected), "parts of {shape:?} {strides:?} on {isa}");
            }
        }
    }
}

/// Padded rows, permuted and reversed outputs: the elements are right and the gaps untouched.
fn strided_outputs<T: Sample>(isa: Isa) {
    let outs: [(usize, &[usize], &[isize]); 7] = [
        (0, &[6, 5], &[7, 1]),
        (0, &[6, 5], &[1, 6]),
        (59, &[6, 5], &[-10, -2]),
        (3, &[6, 5], &[30, 4]),
        (0, &[6, 5], &[12, 2]),
        (2, &[6, 64], &[70, 1]),
        (1, &[6, 2, 5], &[5, 100, 1]),
    ];
    for (offset, shape, strides) in outs {
        let last = shape[shape.len() - 1];
        let column: Vec<_> = shape[..shape.len() - 1].iter().copied().chain([1]).collect();
        for source in [shape, &[last][..], &column, &[]] {
            let data = samples::<T>(source.iter().product());
            // A dense output must have exactly its length, here the one in Fortran order.
            let room = if strides == [1, 6] { 30 } else { 600 };
            let mut got = samples::<T>(room);
            let mut expected = got.clone();
            let wide = naive::broadcast(&data, source, shape);
            for (index, value) in naive::indices(shape).iter().zip(wide) {
                expected[naive::position(offset, strides, index)] = value;
            }
            let from = Layout::new(source).unwrap().broadcast_to(shape).unwrap();
            let to = Layout::strided(offset as isize, shape, strides).unwrap();
            let plan = Plan::copy(&from, &to, size_of::<T>(), Options::new().isa(isa)).unwrap();
            plan.run(&data, &mut got).unwrap();
            assert!(bytes(&got) == bytes(&expected), "{source:?} -> {shape:?} {strides:?} on {isa}\n{plan}");
        }
    }
}

#[test]
fn strided_outputs_keep_their_gaps() {
    for isa in levels() {
        for_every_type!(strided_outputs(isa));
    }
}

#[test]
fn ranks_up_to_sixteen_on_every_level() {
    for isa in levels() {
        for rank in 0..=16 {
            // Alternating broadcast and kept axes, so that nothing merges while sizes last.
            let source: Vec<_> = (0..rank).map(|axis| if axis % 2 == 0 { 1 } else { 2 - axis / 12 }).collect();
            let out: Vec<_> = (0..rank).map(|axis| if axis < 12 { 2 } else { 1 + usize::from(axis == 14) }).collect();
            check::<u16>(&source, &out, isa, 1);
            check::<[u8; 3]>(&source, &out, isa, 0);
        }
    }
}

/// The four places an output may be: all get the same bytes.
#[test]
fn buffers_uninitialised_buffers_views_and_tensors_agree() {
    let data = samples::<f32>(12);
    let view = View::new(&data, &[3, 1, 4]).unwrap().broadcast_to(&[3, 5, 4]).unwrap();
    let expected = naive::broadcast(&data, &[3, 1, 4], &[3, 5, 4]);

    let mut buffer = vec![0.0_f32; 60];
    view.copy_into(&mut buffer).unwrap();
    assert_eq!(bytes(&buffer), bytes(&expected));

    let mut uninit = vec![MaybeUninit::<f32>::uninit(); 60];
    view.copy_into(&mut uninit[..]).unwrap();
    // SAFETY: after an `Ok` all elements are initialised.
    let written: Vec<f32> = uninit.iter().map(|x| unsafe { x.assume_init() }).collect();
    assert_eq!(bytes(&written), bytes(&expected));

    let mut room = vec![0.0_f32; 3 * 32];
    let out = ViewMut::with_strides(&mut room, 0, &[3, 5, 4], &[32, 6, 1]).unwrap();
    view.copy_into(out).unwrap();
    let strided = View::with_strides(&room, 0, &[3, 5, 4], &[32, 6, 1]).unwrap();
    assert_eq!(bytes(&strided.cloned().unwrap()), bytes(&expected));

    let mut tensor = view.to_tensor().unwrap();
    assert_eq!(tensor.shape(), [3, 5, 4]);
    assert_eq!(bytes(tensor.as_slice()), bytes(&expected));
    assert!(tensor.as_slice().as_ptr().addr().is_multiple_of(64));
    tensor.as_mut_slice().fill(0.0);
    view.copy_into(&mut tensor).unwrap();
    assert_eq!(bytes(tensor.as_slice()), bytes(&expected));
}

#[test]
fn an_output_of_another_length_or_shape_is_refused_untouched() {
    let view = View::new(&[1_u8, 2], &[2, 1]).unwrap().broadcast_to(&[2, 3]).unwrap();
    for len in [0, 5, 7] {
        let mut out = vec![9; len];
        assert!(view.copy_into(&mut out).is_err());
        assert_eq!(out, vec![9; len]);
    }
    let mut out = [9; 6];
    assert!(view.copy_into(ViewMut::new(&mut out, &[3, 2]).unwrap()).is_err());
    assert_eq!(out, [9; 6]);
    let _: Out<'_, u8> = (&mut out).into();
}

#[test]
fn a_plan_says_what_it_decided() {
    let plan = Plan::broadcast(
        &Layout::new(&[16, 1, 1]).unwrap(),
        &[1, 16, 50, 50],
        Rule::Numpy,
        4,
        Options::new().isa(Isa::SCALAR),
    )
    .unwrap();
    assert_eq!(
        plan.to_string(),
        "output   [1, 16, 50, 50], 40000 elements of 4 bytes\n\
         nest     16 x 2500 units of 4 bytes; byte strides: output 10000 4, source 4 0\n\
         pattern  splat: one source element per row, repeated along it\n\
         kernel   splat_w4_scalar\n\
         isa      scalar (forced by the plan): plain Rust on 8-byte words, every machine\n\
         split    serial: 160000 bytes written, below the grain of 1048576\n\
         stores   cached\n\
         bytes    reads 64, writes 160000"
    );
    assert_eq!(plan.loop_sizes().collect::<Vec<_>>(), [16, 2500]);
}
