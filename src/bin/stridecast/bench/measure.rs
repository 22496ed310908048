//! Measuring: one case, as a prepared run and as a one-shot call, checked first.
//!
//! `bench::run` calls [`all`] inside the pool of the run.  What is timed is what
//! a program would write: default options, slices, the caller's buffer.
//!
//! Invariant: a case with a time has been run on a cleared output and compared
//! in full, in both ways it is timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use stridecast::{View, broadcast_into};

use super::cases::{Case, Class};
use super::check;
use super::functions;
use super::limits::{Limits, Point, rounded};
use super::reductions;
use super::timing::{Batches, Memory, Timing};
use crate::report::Failure;
use crate::signals::Stop;

/// Why a case has no time.
pub const NOT_THERE: &str = "not there yet";

/// How a list is measured.
pub struct Settings {
    pub batches: Batches,
    /// Time the one-shot call too.
    pub one_shot: bool,
    /// How often the list is gone through; the best times count.
    pub rounds: usize,
}

pub struct Row<'c> {
    pub case: &'c Case,
    /// `None` if there is no such operation yet.
    pub measured: Option<Measured>,
}

pub struct Measured {
    pub prepared: Timing,
    pub one_shot: Option<Timing>,
    /// Nanoseconds; `None` for tiny cases, whose time is that of the call.
    pub limit: Option<f64>,
    /// What is wrong with the result.
    pub wrong: Option<String>,
}

impl Measured {
    /// The better times of two measurements, and what was wrong in either.
    fn better(self, other: Measured) -> Measured {
        let best = |a: Timing, b: Timing| if b.best < a.best { b } else { a };
        let one_shot = self.one_shot.zip(other.one_shot).map(|(a, b)| best(a, b));
        let wrong = self.wrong.or(other.wrong);
        Measured { prepared: best(self.prepared, other.prepared), one_shot, limit: self.limit, wrong }
    }

    /// The limit's time as a share of the case's.
    pub fn share(&self) -> Option<f64> {
        self.limit.map(|limit| limit / self.prepared.best)
    }
}

/// Measures `cases` in order; `before` hears of each.
pub fn all<'c>(
    cases: &[&'c Case],
    settings: &Settings,
    stop: &Stop,
    mut before: impl FnMut(&Case),
) -> Result<(Vec<Row<'c>>, Vec<Point>), Failure> {
    // The rounded working set of a limit may be a little above the case's.
    let need = |case: &&&Case| (case.written() + case.read()).max(rounded(case.written() + case.read()));
    let bytes = cases.iter().filter(|case| case.exists()).map(|case| need(&case)).max();
    let mut memory = Memory::new(bytes.unwrap_or(0)).map_err(|e| Failure::Refused(e.to_string()))?;
    let mut limits = Limits::new(settings.batches);
    let mut rows: Vec<Row<'c>> = Vec::with_capacity(cases.len());
    wake();
    for (at, &case) in cases.iter().cycle().enumerate().take(cases.len() * settings.rounds) {
        stop.check()?;
        before(case);
        let measured = case.exists().then(|| one(case, settings, &mut memory, &mut limits)).transpose();
        let measured = measured.map_err(|e| Failure::Refused(format!("case '{}': {e}", case.name)))?;
        match rows.get_mut(at % cases.len()) {
            None => rows.push(Row { case, measured }),
            Some(row) => row.measured = row.measured.take().zip(measured).map(|(a, b)| a.better(b)),
        }
    }
    stop.check()?;
    for row in &mut rows {
        if let Some(measured) = row.measured.as_mut().filter(|_| row.case.class != Class::Tiny) {
            measured.limit = limits.of(row.case.written(), row.case.read());
        }
    }
    Ok((rows, limits.points))
}

/// Keeps every core of the pool busy until it has its full clock.
fn wake() {
    rayon::broadcast(|_| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
    });
}

fn one(case: &Case, settings: &Settings, memory: &mut Memory, limits: &mut Limits) -> stridecast::Result<Measured> {
    let measured = match case.dtype.size() {
        _ if case.reduction().is_some() => reductions::measure(case, settings, memory),
        _ if !case.is_broadcast() => functions::measure(case, settings, memory),
        1 => typed::<u8>(case, settings, memory),
        2 => typed::<u16>(case, settings, memory),
        4 => typed::<u32>(case, settings, memory),
        8 => typed::<u64>(case, settings, memory),
        _ => typed::<[u64; 2]>(case, settings, memory),
    }?;
    if case.class != Class::Tiny {
        limits.prepare(memory, case.written(), case.read());
    }
    Ok(measured)
}

/// As elements of the type's size: that is all the kernels know of a type.
fn typed<T: Pod + PartialEq>(case: &Case, settings: &Settings, memory: &mut Memory) -> stridecast::Result<Measured> {
    let plan = case.plan()?;
    check::pattern(memory.words(case.written(), case.read()).1);
    let (out, source) = memory.buffers::<T>(plan.output_len(), case.read() / size_of::<T>());

    check::clear(source, out);
    plan.run(source, &mut *out)?;
    let mut wrong = complaint(case, source, out, "a prepared run");
    check::clear(source, out);
    one_shot(case, source, out)?;
    wrong = wrong.or_else(|| complaint(case, source, out, "a one-shot call"));

    // Neither can fail: both just did not.
    let batches = settings.batches;
    let prepared = batches.time(|calls| {
        for _ in 0..calls {
            let _ = black_box(black_box(&plan).run(black_box(source), black_box(&mut *out)));
        }
    });
    let one_shot = settings.one_shot.then(|| {
        batches.time(|calls| {
            for _ in 0..calls {
                let _ = black_box(one_shot(black_box(case), black_box(source), black_box(&mut *out)));
            }
        })
    });
    Ok(Measured { prepared, one_shot, limit: None, wrong })
}

/// What a program does that has a buffer and a shape: view, call, done.
fn one_shot<T: Pod>(case: &Case, source: &[T], out: &mut [T]) -> stridecast::Result<()> {
    let mut view = View::new(source, case.stored())?;
    if let Some(perm) = &case.perm {
        view = view.permute(perm)?;
    }
    broadcast_into(&view, &case.out, case.rule(), out)
}

fn complaint<T: Copy + PartialEq>(case: &Case, source: &[T], out: &[T], of: &str) -> Option<String> {
    let at = check::first_wrong(case, source, out)?;
    Some(format!("element {at} of {} after {of}", out.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases;

    /// A run that did nothing, or went wrong in a single element wherever it is, is found out.
    #[test]
    fn one_wrong_element_is_a_complaint() {
        let list = br#"{"version": 1, "cases": [
            {"name": "splat", "group": "", "cls": "tiny", "op": "broadcast", "dtype": "u16", "in": [[1]], "out": [9]},
            {"name": "rank 0", "group": "", "cls": "tiny", "op": "broadcast", "dtype": "u16", "in": [[]], "out": []},
            {"name": "mixed", "group": "", "cls": "tiny", "op": "broadcast", "dtype": "u16",
             "in": [[4, 1, 3]], "out": [2, 3, 2, 4, 5], "perm": [2, 0, 1], "axes": [1, 3, 4]}]}"#;
        for case in cases::parse(list).unwrap() {
            let mut source = vec![0_u64; case.read().div_ceil(8)];
            check::pattern(&mut source);
            let source: &[u16] = &bytemuck::cast_slice(&source)[..case.read() / 2];
            let mut out = vec![0; case.written() / 2];
            check::clear(source, &mut out);
            assert!(complaint(&case, source, &out, "").unwrap().starts_with("element 0 "), "{}", case.name);
            one_shot(&case, source, &mut out).unwrap();
            assert_eq!(complaint(&case, source, &out, ""), None, "{}", case.name);
            for at in 0..out.len() {
                out[at] ^= 1;
                let found = complaint(&case, source, &out, "a run");
                assert_eq!(found, Some(format!("element {at} of {} after a run", out.len())));
                out[at] ^= 1;
            }
        }
    }
}
