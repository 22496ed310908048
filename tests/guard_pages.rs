//! Every move kernel against unmapped memory: source and output end exactly at a page that faults on any access,
//! or begin exactly behind one, so that one byte read or written too many ends the test process.
//!
//! Around the output the pages are filled with canaries, and so are the gaps of strided outputs; a run may change
//! neither. What must come out is index arithmetic on bytes, written here. Levels that this CPU lacks are printed
//! as skipped (`--nocapture` shows them). A crash names no case: run one test alone, by its name, to find it.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::ptr;

use stridecast::{Isa, Layout, Options, Pattern, Plan, Rule, broadcast_nibbles_into, kernels, nibble_bytes, raw};

/// What the pages hold outside the operands. No source byte has this value.
const CANARY: u8 = 0xA5;

/// Bytes of each side's pages: room for the longest rows with the widest strides.
const ROOM: usize = 64 << 10;

/// The kernel widths, and sizes that are units and one more axis.
const ELEMS: [usize; 10] = [1, 2, 4, 8, 16, 3, 5, 7, 12, 24];

// ---- the memory -------------------------------------------------------------------------------------------

/// Readable and writable pages between two that are neither.
struct Guarded {
    map: *mut u8,
    page: usize,
    bytes: usize,
}

/// Which faulting page an operand touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// The operand begins right behind it.
    Begin,
    /// The operand ends right before it.
    End,
}

impl Guarded {
    fn new(bytes: usize) -> Self {
        // SAFETY: a question about the system.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page size");
        let bytes = bytes.next_multiple_of(page);
        // SAFETY: new anonymous pages, which nobody else holds.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            libc::mmap(ptr::null_mut(), bytes + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(map, libc::MAP_FAILED, "no address space");
        let map = map.cast::<u8>();
        // SAFETY: whole pages inside the mapping just made.
        let opened = unsafe { libc::mprotect(map.add(page).cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "no memory");
        Self { map, page, bytes }
    }

    /// The pages that may be touched.
    fn memory(&mut self) -> &mut [u8] {
        // SAFETY: mapped, readable, writable and zeroed until `self` is dropped; borrowed as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.page), self.bytes) }
    }

    /// The place of `len` bytes, `gap` bytes away from the faulting page.
    fn place(&self, edge: Edge, gap: usize, len: usize) -> Range<usize> {
        assert!(len + gap <= self.bytes, "{len} bytes and {gap} do not fit the room");
        match edge {
            Edge::Begin => gap..gap + len,
            Edge::End => self.bytes - gap - len..self.bytes - gap,
        }
    }

    /// Canaries everywhere but in `range`, which gets `content`.
    fn fill(&mut self, range: Range<usize>, content: &[u8]) -> *mut u8 {
        let memory = self.memory();
        memory.fill(CANARY);
        memory[range.clone()].copy_from_slice(content);
        memory[range.start..].as_mut_ptr()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; nothing borrows it any more.
        unsafe { libc::munmap(self.map.cast(), self.bytes + 2 * self.page) };
    }
}

/// Where both operands are put: at one edge, each some bytes off it.
#[derive(Clone, Copy, Debug)]
struct Placement {
    edge: Edge,
    source_gap: usize,
    out_gap: usize,
}

const SHARP: [Placement; 2] = [
    Placement { edge: Edge::End, source_gap: 0, out_gap: 0 },
    Placement { edge: Edge::Begin, source_gap: 0, out_gap: 0 },
];

/// Both edges exactly, and both at an alignment that differs from case to case.
fn placements(salt: usize) -> [Placement; 4] {
    let (source_gap, out_gap) = (salt * 7 % 65, salt * 11 % 65);
    let off = |edge| Placement { edge, source_gap, out_gap };
    [SHARP[0], SHARP[1], off(Edge::End), off(Edge::Begin)]
}

// ---- the oracle -------------------------------------------------------------------------------------------

/// One operand: where each index lies, in elements above the lowest, in C order of the index.
struct Reach {
    /// The element of index 0.
    offset: usize,
    positions: Vec<usize>,
    /// Elements from the lowest to the highest.
    span: usize,
}

impl Reach {
    fn of(shape: &[usize], strides: &[isize]) -> Self {
        let mut positions = vec![0_isize];
        for (&size, &stride) in shape.iter().zip(strides) {
            positions = positions.iter().flat_map(|at| (0..size as isize).map(move |i| at + i * stride)).collect();
        }
        let low = positions.iter().copied().min().unwrap_or(0);
        let span = positions.iter().max().map_or(0, |high| high - low + 1);
        let positions = positions.iter().map(|at| (at - low) as usize).collect();
        Self { offset: low.unsigned_abs(), positions, span: span as usize }
    }
}

/// Bytes that differ from their neighbours and from the canary.
fn source_bytes(len: usize) -> Vec<u8> {
    let byte = |i: usize| (i * 151 + i / 251 + 1) as u8;
    (0..len).map(|i| if byte(i) == CANARY { !CANARY } else { byte(i) }).collect()
}

// ---- running ----------------------------------------------------------------------------------------------

/// The levels to test; prints which run and which this CPU lacks.
fn levels() -> Vec<Isa> {
    let available: Vec<_> = Isa::available().collect();
    println!("running {available:?}");
    let known: BTreeSet<_> = kernels().map(|kernel| kernel.isa_name()).collect();
    for name in known.iter().filter(|name| !available.iter().any(|isa| isa.name() == **name)) {
        println!("skipped: this CPU has no {name}");
    }
    available
}

/// A copy of `elem`-byte elements, strides in elements.
#[derive(Debug)]
struct Case<'a> {
    elem: usize,
    shape: &'a [usize],
    source: &'a [isize],
    out: &'a [isize],
}

struct Lab {
    levels: Vec<Isa>,
    source: Guarded,
    out: Guarded,
    canaries: Vec<u8>,
    /// Names of the kernels that ran.
    ran: BTreeSet<&'static str>,
}

impl Lab {
    fn new(room: usize) -> Self {
        let (source, out) = (Guarded::new(room), Guarded::new(room));
        let canaries = vec![CANARY; out.bytes];
        Self { levels: levels(), source, out, canaries, ran: BTreeSet::new() }
    }

    /// Runs the case on every level at every placement.
    fn run(&mut self, case: &Case<'_>, placements: &[Placement]) {
        // SAFETY: as `run_by` says.
        self.run_by(case, placements, |plan, src, dst| unsafe { raw::run(plan, src, dst).unwrap() });
    }

    /// As `run`, by calls that are given a plan and the first bytes that its layouts reach.
    fn run_by(&mut self, case: &Case<'_>, placements: &[Placement], call: impl Fn(&Plan, *const u8, *mut u8)) {
        let (from, to) = (Reach::of(case.shape, case.source), Reach::of(case.shape, case.out));
        let elem = case.elem;
        let source = source_bytes(from.span * elem);
        let mut expected = vec![CANARY; to.span * elem];
        for (&s, &o) in from.positions.iter().zip(&to.positions) {
            expected[o * elem..][..elem].copy_from_slice(&source[s * elem..][..elem]);
        }
        let source_layout = Layout::strided(from.offset as isize, case.shape, case.source).unwrap();
        let out_layout = Layout::strided(to.offset as isize, case.shape, case.out).unwrap();
        for isa in self.levels.clone() {
            let plan = Plan::copy(&source_layout, &out_layout, elem, Options::new().isa(isa)).unwrap();
            self.ran.insert(plan.kernel().name());
            for place in placements {
                let source_at = self.source.place(place.edge, place.source_gap, source.len());
                let out_at = self.out.place(place.edge, place.out_gap, expected.len());
                let src = self.source.fill(source_at, &source);
                let dst = self.out.fill(out_at.clone(), &self.canaries[..expected.len()]);
                call(&plan, src, dst);
                self.check(out_at, &expected, &format_args!("{case:?} at {place:?} on {isa}\n{plan}"));
            }
        }
    }

    /// The output's pages: `expected` in its place, canaries everywhere else.
    fn check(&mut self, at: Range<usize>, expected: &[u8], what: &dyn std::fmt::Display) {
        let memory = self.out.memory();
        assert!(memory[at.clone()] == *expected, "wrong bytes or a gap written: {what}");
        assert!(memory[..at.start] == self.canaries[..at.start], "written before the output: {what}");
        assert!(memory[at.end..] == self.canaries[at.end..], "written behind the output: {what}");
    }

    /// That every kernel of these patterns (named by how their names begin) ran, of every level the CPU has.
    fn assert_all_ran(&self, patterns: &[&str]) {
        let here = |isa: &str| self.levels.iter().any(|level| level.name() == isa);
        let wanted = |name: &str| patterns.iter().any(|pattern| name.starts_with(pattern));
        for kernel in kernels().filter(|k| wanted(k.pattern().name()) && here(k.isa_name())) {
            assert!(self.ran.contains(kernel.name()), "{} never ran", kernel.name());
        }
    }
}

/// Row lengths in elements: all up to two widest vectors and one more byte, and the edges of the byte limits.
fn lengths(elem: usize) -> BTreeSet<usize> {
    let short = Pattern::SHORT_ROW;
    let edges = [511, 512, 513, 4095, 4096, 4097, short - 1, short, short + 1];
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

// ---- the patterns -----------------------------------------------------------------------------------------

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

/// Each element a few times: rows of fewer bytes than a vector, back to back.
#[test]
fn repeated_elements() {
    let mut lab = Lab::new(ROOM);
    for elem in ELEMS {
        for times in 2..=65_usize.div_ceil(elem) {
            let row = times * elem;
            let mut rows = BTreeSet::from([1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 32, 33, 63, 64, 65, 67]);
            rows.extend([4096, 8192].into_iter().flat_map(|bytes| [bytes / row, bytes / row + 1]));
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
    let known = ["contiguous", "replicate", "splat", "repeat", "strided"];
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

// ---- other ways in ----------------------------------------------------------------------------------------

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

/// C-order elements of `elem` bytes broadcast, sizes of one rank, to C order.
fn broadcast_bytes(bytes: &[u8], source: &[usize], out: &[usize], elem: usize) -> Vec<u8> {
    let source = [vec![1; out.len() - source.len()], source.to_vec()].concat();
    let step = |axis: usize| source[axis + 1..].iter().product::<usize>() as isize;
    let strides: Vec<_> = (0..out.len()).map(|axis| if source[axis] == 1 { 0 } else { step(axis) }).collect();
    Reach::of(out, &strides).positions.iter().flat_map(|&at| bytes[at * elem..][..elem].iter().copied()).collect()
}
