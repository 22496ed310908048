//! The rows of each kernel pattern at the guard pages, of every length around the vectors and the byte limits.
//!
//! The tests of a pattern ask in the end whether every kernel of it ran; a new pattern has to add rows here.

use std::collections::BTreeSet;

use stridecast::{Pattern, kernels};

use crate::harness::{Edge, Placement, placements};
use crate::lab::{Case, Lab};
use crate::{ELEMS, ROOM};

/// Row lengths in elements: all up to two widest vectors and one more byte, and the edges of the byte limits.
fn lengths(elem: usize) -> BTreeSet<usize> {
    let short = Pattern::SHORT_ROW;
    let edges = [511, 512, 513, 4095, 4096, 4097, 8192, short - 1, short, short + 1];
    (0..=129 / elem + 1).chain(edges.into_iter().flat_map(|bytes| [bytes / elem, bytes / elem + 1])).collect()
}

/// Calls `case` for every element size and row length with the salt of its alignments.
fn for_every_row(mut case: impl FnMut(usize, usize, &[Placement])) {
    for elem in ELEMS {
        for (salt, cols) in lengths(elem).into_iter().enumerate() {
            case(elem, cols, &placements(salt));
        }
    }
}

#[test]
fn contiguous_rows() {
    let mut lab = Lab::new(ROOM);
    for_every_row(|elem, cols, places| {
        let n = cols as isize;
        lab.run(&Case { elem, shape: &[cols], source: &[1], out: &[1] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[n + 2, 1], out: &[n + 1, 1] }, places);
        lab.run(&Case { elem, shape: &[2, cols], source: &[-n, 1], out: &[n + 3, 1] }, places);
        lab.run(&Case { elem, shape: &[2, cols], source: &[-n - 1, -1], out: &[-n, -1] }, places);
    });
    lab.assert_all_ran(&["contiguous"]);
}

#[test]
fn replicated_rows() {
    let mut lab = Lab::new(ROOM);
    for_every_row(|elem, cols, places| {
        let n = cols as isize;
        lab.run(&Case { elem, shape: &[5, cols], source: &[0, 1], out: &[n, 1] }, places);
        lab.run(&Case { elem, shape: &[2, 3, cols], source: &[n, 0, 1], out: &[3 * n + 1, n, 1] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[0, 1], out: &[n + 1, 1] }, places);
    });
    lab.assert_all_ran(&["replicate"]);
}

/// Rows that are read once for every four.
#[test]
fn replicated_rows_that_leave_the_cache() {
    let mut lab = Lab::new(160 << 10);
    for cols in [16_384, 16_385, 16_447, 16_512, 20_001] {
        for (rows, gap) in [(4, 0), (5, 3), (7, 0)] {
            let out = [(cols + gap) as isize, 1];
            lab.run(&Case { elem: 1, shape: &[rows, cols], source: &[0, 1], out: &out }, &placements(cols));
        }
    }
}

/// Enough repeats of a row to fill the block that is copied on, and one more and one less.
#[test]
fn replicated_rows_around_whole_blocks() {
    let mut lab = Lab::new(ROOM);
    for cols in [1, 3, 5, 7, 9, 17, 31, 33, 63, 65, 127, 129, 255, 511] {
        for bytes in [4096_usize, 8192, 12288] {
            for rows in [bytes / cols - 1, bytes / cols, bytes / cols + 1] {
                let case = Case { elem: 1, shape: &[rows, cols], source: &[0, 1], out: &[cols as isize, 1] };
                lab.run(&case, &placements(cols));
            }
        }
    }
}

#[test]
fn splats() {
    let mut lab = Lab::new(ROOM);
    for_every_row(|elem, cols, places| {
        let n = cols as isize;
        lab.run(&Case { elem, shape: &[cols], source: &[0], out: &[1] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[1, 0], out: &[n, 1] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[-2, 0], out: &[n + 1, 1] }, places);
    });
    lab.assert_all_ran(&["splat"]);
}

/// Dense rows of one to seven lines, odd and even: each begins where the one before ends, on a line or inside it.
#[test]
fn splats_back_to_back() {
    let mut lab = Lab::new(ROOM);
    for elem in ELEMS {
        for bytes in (64..=456).step_by(elem.next_power_of_two().clamp(4, 8)).chain([127, 129, 191, 193, 257, 321]) {
            let cols = bytes / elem;
            let n = cols as isize;
            for rows in [2, 7, 33] {
                let places = placements(bytes + rows);
                lab.run(&Case { elem, shape: &[rows, cols], source: &[1, 0], out: &[n, 1] }, &places);
            }
            lab.run(
                &Case { elem, shape: &[2, 5, cols], source: &[1, -3, 0], out: &[5 * n + 1, n, 1] },
                &placements(bytes),
            );
        }
    }
    lab.assert_all_ran(&["splat"]);
}

/// Each element a few times: rows of fewer bytes than a vector, back to back.
#[test]
fn repeated_elements() {
    let mut lab = Lab::new(ROOM);
    for elem in ELEMS {
        for times in 2..=65_usize.div_ceil(elem) {
            let row = times * elem;
            let mut rows = BTreeSet::from([1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 32, 33, 63, 64, 65, 67]);
            rows.extend([4096, 8192].into_iter().flat_map(|bytes| [bytes / row, bytes / row + 1]));
            // Around the fewest rows of which bytes are picked, and a part of a group more.
            rows.extend([0, 1, 5, 17].map(|more| 15 + 3 * row + more));
            for rows in rows {
                let n = times as isize;
                let places = placements(times + rows);
                lab.run(&Case { elem, shape: &[rows, times], source: &[1, 0], out: &[n, 1] }, &places);
            }
            let (n, places) = (times as isize, placements(times));
            lab.run(&Case { elem, shape: &[2, 9, times], source: &[9, 1, 0], out: &[9 * n + 1, n, 1] }, &places);
            lab.run(&Case { elem, shape: &[9, times], source: &[1, 0], out: &[n + 1, 1] }, &places);
            lab.run(&Case { elem, shape: &[9, times], source: &[-1, 0], out: &[-n, -1] }, &places);
        }
    }
    lab.assert_all_ran(&["repeat"]);
}

/// Small blocks of several axes: of one window and of two, whole vectors and not, dense and standing sources, rows
/// apart.
#[test]
fn small_blocks() {
    let mut lab = Lab::new(ROOM);
    for elem in ELEMS {
        // Sizes and source strides of a block, and the elements of its source.
        let blocks: [(&[usize], &[isize], isize); 8] = [
            (&[2, 3], &[0, 1], 3),
            (&[3, 9], &[0, 1], 9),
            (&[3, 4, 3], &[0, 1, 0], 4),
            (&[2, 2, 2, 3, 2], &[0, 3, 0, 1, 0], 6),
            (&[3, 2, 5], &[5, 0, 1], 15),
            (&[2, 33], &[0, 1], 33),
            (&[4, 20], &[0, 1], 20),
            (&[2, 70], &[0, 1], 70),
        ];
        for (sizes, strides, source) in blocks {
            let block: usize = sizes.iter().product();
            let n = 8192 / (block * elem) + 3;
            let dense = |n: usize| {
                let mut out: Vec<isize> =
                    (0..sizes.len()).map(|i| sizes[i + 1..].iter().product::<usize>() as isize).collect();
                out.insert(0, block as isize);
                (n, out)
            };
            let places = placements(block + elem);
            for (n, step) in [(n, source), (n + 1, source), (n + 4, 0)] {
                let (n, out) = dense(n);
                let shape = [&[n], sizes].concat();
                lab.run(&Case { elem, shape: &shape, source: &[&[step], strides].concat(), out: &out }, &places);
                let gap = (n * block) as isize + 3;
                let rows = [&[2, n], sizes].concat();
                let (from, to) = ([&[-(n as isize) * step - 1, step], strides].concat(), [&[gap], &out[..]].concat());
                lab.run(&Case { elem, shape: &rows, source: &from, out: &to }, &places[..1]);
            }
        }
    }
    lab.assert_all_ran(&["permute"]);
}

/// Rows and columns exchanged: sides around the blocks, source rows padded and backwards, output rows padded.
#[test]
fn transposed_blocks() {
    let mut lab = Lab::new(2 * ROOM);
    let sides = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 67];
    for elem in ELEMS {
        for (i, rows) in sides.into_iter().enumerate() {
            for (j, cols) in sides.into_iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
                let (m, n, places) = (rows as isize, cols as isize, placements(i + j));
                lab.run(&Case { elem, shape: &[rows, cols], source: &[1, m], out: &[n, 1] }, &places);
                lab.run(&Case { elem, shape: &[rows, cols], source: &[1, -m - 1], out: &[n + 2, 1] }, &places);
            }
        }
    }
    lab.assert_all_ran(&["transpose"]);
}

#[test]
fn strided_rows() {
    let mut lab = Lab::new(ROOM);
    for_every_row(|elem, cols, places| {
        let n = cols as isize;
        for (source, out) in [(2, 1), (-1, 1), (1, 2), (-3, 2), (0, 3), (2, -2)] {
            lab.run(&Case { elem, shape: &[cols], source: &[source], out: &[out] }, places);
        }
        lab.run(&Case { elem, shape: &[3, cols], source: &[1, 3], out: &[n, 1] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[n, 1], out: &[1, 3] }, places);
        lab.run(&Case { elem, shape: &[3, cols], source: &[0, 1], out: &[2 * n + 1, 2] }, places);
    });
    lab.assert_all_ran(&["strided"]);
}

/// A new pattern needs rows of its own above.
#[test]
fn every_pattern_has_its_rows() {
    let known = ["contiguous", "replicate", "splat", "repeat", "permute", "transpose", "strided"];
    for kernel in kernels() {
        let name = kernel.pattern().name();
        assert!(known.iter().any(|pattern| name.starts_with(pattern)), "no guard-page rows for {name}");
    }
}

#[test]
fn every_alignment_of_both_operands() {
    let mut lab = Lab::new(ROOM);
    for gap in 0..=64 {
        let edges = [Edge::End, Edge::Begin];
        let pairs = [(gap, 0), (0, gap), (gap, gap), (gap, 64 - gap)];
        let places: Vec<_> = edges
            .into_iter()
            .flat_map(|edge| pairs.map(|(source_gap, out_gap)| Placement { edge, source_gap, out_gap }))
            .collect();
        for (elem, cols) in [(1, 67), (4, 17), (8, 24), (3, 43), (16, 9), (1, 600)] {
            let n = cols as isize;
            for (source, out) in [([n + 1, 1], [n + 1, 1]), ([0, 1], [n, 1]), ([1, 0], [n, 1]), ([2, -2], [n, 1])] {
                lab.run(&Case { elem, shape: &[3, cols], source: &source, out: &out }, &places);
            }
        }
    }
}
