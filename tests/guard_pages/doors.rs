//! The other ways in at the guard pages: pieces of a plan, safe slices, threads, packed nibbles.
//!
//! The safe ones are given slices that begin or end at a faulting page.

use stridecast::{Isa, Layout, Options, Plan, Rule, broadcast_nibbles_into, nibble_bytes, raw};

#[cfg(feature = "rayon")]
use crate::harness::Placement;
use crate::harness::{CANARY, Edge, SHARP};
use crate::lab::{Case, Lab, broadcast_bytes, source_bytes};
use crate::{ELEMS, ROOM};

/// Each piece's own output lies at the edge, as if another machine had sent it.
#[test]
fn parts_stay_inside_their_own_slices() {
    let mut lab = Lab::new(ROOM);
    let shapes: [(&[usize], &[usize]); 7] = [
        (&[700, 1], &[700, 3]),
        (&[13, 1], &[13, 29]),
        (&[1, 29], &[13, 29]),
        (&[13, 29], &[13, 29]),
        (&[1], &[391]),
        (&[3, 1, 7], &[3, 19, 7]),
        (&[1, 17, 1], &[2, 17, 11]),
    ];
    for (elem, (source, out)) in ELEMS.into_iter().flat_map(|elem| shapes.map(|shapes| (elem, shapes))) {
        let bytes = source_bytes(source.iter().product::<usize>() * elem);
        let expected = broadcast_bytes(&bytes, source, out, elem);
        for isa in lab.levels.clone() {
            let options = Options::new().isa(isa);
            let plan = Plan::broadcast(&Layout::new(source).unwrap(), out, Rule::Numpy, elem, options).unwrap();
            for (n, edge) in (1..=9).flat_map(|n| [(n, Edge::End), (n, Edge::Begin)]) {
                let parts = plan.parts(n).unwrap();
                let ends: Vec<_> = (0..parts.len()).map(|index| parts.range(index).end).collect();
                assert_eq!(ends.last(), Some(&plan.output_len()));
                for index in 0..parts.len() {
                    let range = parts.range(index);
                    assert_eq!(range.start, if index == 0 { 0 } else { ends[index - 1] });
                    let part = &expected[range.start * elem..range.end * elem];
                    let source_at = lab.source.place(edge, 0, bytes.len());
                    let out_at = lab.out.place(edge, 0, part.len());
                    lab.source.fill(source_at.clone(), &bytes);
                    lab.out.memory().fill(CANARY);
                    let src = &lab.source.memory()[source_at];
                    parts.run_part_bytes(index, src, &mut lab.out.memory()[out_at.clone()]).unwrap();
                    let what = format_args!("part {index} of {n}, {elem} bytes, {edge:?}, {isa}\n{plan}");
                    lab.check(out_at, part, &what);
                }
            }
        }
    }
}

/// Pieces of any output, gaps or not, over the whole output's memory.
#[test]
fn raw_parts_write_their_own_elements() {
    let mut lab = Lab::new(ROOM);
    for (elem, n) in ELEMS.into_iter().flat_map(|elem| (1..=7).map(move |n| (elem, n))) {
        let pieces = |plan: &Plan, src: *const u8, dst: *mut u8| {
            for index in (0..raw::parts(plan, n)).rev() {
                // SAFETY: as `run_by` says.
                unsafe { raw::run_part(plan, n, index, src, dst).unwrap() };
            }
        };
        for cols in [1, 7, 29, 64] {
            let c = cols as isize;
            for (source, out) in
                [([0, 1], [c + 3, 1]), ([1, 0], [-c - 1, -1]), ([1, 13], [1, 13]), ([-c, 1], [2 * c, 2])]
            {
                lab.run_by(&Case { elem, shape: &[13, cols], source: &source, out: &out }, &SHARP, pieces);
            }
        }
    }
}

/// The safe door, on slices that end at the edge.
#[test]
fn slices_of_whole_buffers() {
    let mut lab = Lab::new(ROOM);
    for (elem, cols) in ELEMS.into_iter().flat_map(|elem| [1, 2, 7, 31, 65].map(|cols| (elem, cols))) {
        for source in [[5, 1], [1, cols], [5, cols], [1, 1]] {
            let bytes = source_bytes(source[0] * source[1] * elem);
            let expected = broadcast_bytes(&bytes, &source, &[5, cols], elem);
            for isa in lab.levels.clone() {
                let options = Options::new().isa(isa);
                let layout = Layout::new(&source).unwrap();
                let plan = Plan::broadcast(&layout, &[5, cols], Rule::Numpy, elem, options).unwrap();
                for edge in [Edge::End, Edge::Begin] {
                    let source_at = lab.source.place(edge, 0, bytes.len());
                    let out_at = lab.out.place(edge, 0, expected.len());
                    lab.source.fill(source_at.clone(), &bytes);
                    lab.out.memory().fill(CANARY);
                    let src = &lab.source.memory()[source_at];
                    plan.run_bytes(src, &mut lab.out.memory()[out_at.clone()]).unwrap();
                    lab.check(out_at, &expected, &format_args!("{source:?}, {elem} bytes, {edge:?}, {isa}\n{plan}"));
                }
            }
        }
    }
}

/// Above the grain the output is cut into pieces, the last of which ends at the edge.
#[cfg(feature = "rayon")]
#[test]
fn threads_stay_inside_as_well() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        let mut lab = Lab::new(2 << 20);
        let places = [SHARP[0], SHARP[1], Placement { edge: Edge::End, source_gap: 1, out_gap: 33 }];
        let rows = 149_797; // times 7: a little above a mebibyte, off every line
        for (source, out) in [([7, 1], [7, 1]), ([0, 1], [7, 1]), ([1, 0], [7, 1]), ([1, 149_797], [7, 1])] {
            lab.run(&Case { elem: 1, shape: &[rows, 7], source: &source, out: &out }, &places);
        }
        lab.run(&Case { elem: 3, shape: &[2, 174_763], source: &[1, 0], out: &[174_764, 1] }, &places);
        lab.run(&Case { elem: 16, shape: &[65_537], source: &[0], out: &[1] }, &places);
    });
}

#[test]
fn packed_nibbles() {
    let mut lab = Lab::new(ROOM);
    println!("nibbles run on {:?}", Isa::chosen().unwrap());
    let mut shapes: Vec<([usize; 2], [usize; 2])> = vec![];
    for cols in (0..=130).chain([511, 512, 513, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8193]) {
        shapes.extend([([1, cols], [3, cols]), ([3, 1], [3, cols]), ([3, cols], [3, cols]), ([1, 1], [1, cols])]);
    }
    for (source, out) in shapes {
        let elements = source[0] * source[1];
        let packed = source_bytes(nibble_bytes(elements));
        let unpacked: Vec<u8> = (0..elements).map(|i| packed[i / 2] >> (4 * (i % 2)) & 15).collect();
        let wide = broadcast_bytes(&unpacked, &source, &out, 1);
        let expected: Vec<u8> = wide.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 4).collect();
        for edge in [Edge::End, Edge::Begin] {
            let source_at = lab.source.place(edge, 0, packed.len());
            let out_at = lab.out.place(edge, 0, expected.len());
            lab.source.fill(source_at.clone(), &packed);
            lab.out.memory().fill(CANARY);
            let (src, dst) = (&lab.source.memory()[source_at], &mut lab.out.memory()[out_at.clone()]);
            broadcast_nibbles_into(src, &source, &out, Rule::Numpy, dst).unwrap();
            lab.check(out_at, &expected, &format_args!("nibbles {source:?} -> {out:?}, {edge:?}"));
        }
    }
}
