//! A case at the guard pages: laid out, run on every level at every placement, and compared.
//!
//! What must come out is worked out on bytes. The lab keeps which kernels ran, so that none is left out unseen.

use std::collections::BTreeSet;
use std::ops::Range;

use stridecast::{Isa, Layout, Options, Plan, Stores, kernels, raw};

use crate::common::naive;
use crate::harness::{CANARY, Guarded, Placement};

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
        let below = |(&size, &stride): (&usize, &isize)| size.saturating_sub(1) * stride.min(0).unsigned_abs();
        let offset = if shape.contains(&0) { 0 } else { shape.iter().zip(strides).map(below).sum() };
        let mut positions = vec![];
        naive::for_each_index(shape, |index| positions.push(naive::position(offset, strides, index)));
        let span = positions.iter().max().map_or(0, |high| high + 1);
        Self { offset, positions, span }
    }
}

/// Bytes that differ from their neighbours and from the canary.
pub fn source_bytes(len: usize) -> Vec<u8> {
    let byte = |i: usize| (i * 151 + i / 251 + 1) as u8;
    (0..len).map(|i| if byte(i) == CANARY { !CANARY } else { byte(i) }).collect()
}

/// C-order elements of `elem` bytes broadcast to C order.
pub fn broadcast_bytes(bytes: &[u8], source: &[usize], out: &[usize], elem: usize) -> Vec<u8> {
    let elements: Vec<_> = bytes.chunks(elem).collect();
    naive::broadcast_strided(&elements, 0, source, &naive::c_strides(source), out).concat()
}

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
pub struct Case<'a> {
    pub elem: usize,
    pub shape: &'a [usize],
    pub source: &'a [isize],
    pub out: &'a [isize],
}

pub struct Lab {
    pub levels: Vec<Isa>,
    pub source: Guarded,
    pub out: Guarded,
    canaries: Vec<u8>,
    /// Names of the kernels that ran.
    ran: BTreeSet<&'static str>,
}

impl Lab {
    pub fn new(room: usize) -> Self {
        let (source, out) = (Guarded::new(room), Guarded::new(room));
        let canaries = vec![CANARY; out.bytes];
        Self { levels: levels(), source, out, canaries, ran: BTreeSet::new() }
    }

    /// Runs the case on every level at every placement.
    pub fn run(&mut self, case: &Case<'_>, placements: &[Placement]) {
        // SAFETY: as `run_by` says.
        self.run_by(case, placements, |plan, src, dst| unsafe { raw::run(plan, src, dst).unwrap() });
    }

    /// As `run`, by calls that are given a plan and the first bytes that its layouts reach.
    pub fn run_by(&mut self, case: &Case<'_>, placements: &[Placement], call: impl Fn(&Plan, *const u8, *mut u8)) {
        let (from, to) = (Reach::of(case.shape, case.source), Reach::of(case.shape, case.out));
        let elem = case.elem;
        let source = source_bytes(from.span * elem);
        let mut expected = vec![CANARY; to.span * elem];
        for (&s, &o) in from.positions.iter().zip(&to.positions) {
            expected[o * elem..][..elem].copy_from_slice(&source[s * elem..][..elem]);
        }
        let source_layout = Layout::strided(from.offset as isize, case.shape, case.source).unwrap();
        let out_layout = Layout::strided(to.offset as isize, case.shape, case.out).unwrap();
        let plan_for = |options| Plan::copy(&source_layout, &out_layout, elem, options).unwrap();
        for isa in self.levels.clone() {
            let cached = plan_for(Options::new().isa(isa));
            let streamed = plan_for(Options::new().isa(isa).stores(Stores::Streaming));
            let other = streamed.kernel() != cached.kernel();
            for (plan, place) in [(&cached, true), (&streamed, other)]
                .into_iter()
                .filter(|(_, runs)| *runs)
                .flat_map(|(plan, _)| placements.iter().map(move |place| (plan, place)))
            {
                self.ran.insert(plan.kernel().name());
                let source_at = self.source.place(place.edge, place.source_gap, source.len());
                let out_at = self.out.place(place.edge, place.out_gap, expected.len());
                let src = self.source.fill(source_at, &source);
                let dst = self.out.fill(out_at.clone(), &self.canaries[..expected.len()]);
                call(plan, src, dst);
                self.check(out_at, &expected, &format_args!("{case:?} at {place:?} on {isa}\n{plan}"));
            }
        }
    }

    /// The output's pages: `expected` in its place, canaries everywhere else.
    pub fn check(&mut self, at: Range<usize>, expected: &[u8], what: &dyn std::fmt::Display) {
        let memory = self.out.memory();
        assert!(memory[at.clone()] == *expected, "wrong bytes or a gap written: {what}");
        assert!(memory[..at.start] == self.canaries[..at.start], "written before the output: {what}");
        assert!(memory[at.end..] == self.canaries[at.end..], "written behind the output: {what}");
    }

    /// That every kernel of these patterns (named by how their names begin) ran, of every level the CPU has.
    pub fn assert_all_ran(&self, patterns: &[&str]) {
        let here = |isa: &str| self.levels.iter().any(|level| level.name() == isa);
        let wanted = |name: &str| patterns.iter().any(|pattern| name.starts_with(pattern));
        for kernel in kernels().filter(|k| wanted(k.pattern().name()) && here(k.isa_name())) {
            assert!(self.ran.contains(kernel.name()), "{} never ran", kernel.name());
        }
    }
}
