//! `stridecast bench`: times broadcasts, functions and reductions on this machine, beside its own fill, copy and
//! reading.
//!
//! `main` calls [`run`].  `cases` and `axes` hold the lists, `measure` times them
//! (with `timing`, `limits` and `check`, for elementwise functions `functions` and
//! `verify`, for reductions `reductions` and `totals`), `table`, `json` and `svg`
//! tell the outcome.
//!
//! Invariant: everything that can be refused, the output files too, is refused
//! before the first measurement; a wrong result is an error after the last.

mod axes;
mod cases;
mod check;
mod functions;
mod json;
mod limits;
mod measure;
mod reductions;
mod svg;
mod table;
mod timing;
mod totals;
mod verify;

use std::fs;
use std::path::Path;
use std::time::Duration;

use cases::Case;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use limits::Point;
use measure::{Row, Settings};
use stridecast::Isa;
use timing::Batches;

use crate::args::Bench;
use crate::info;
use crate::output::Target;
use crate::report::Failure;
use crate::signals::Stop;

/// A finished run, for those that tell of it.
pub struct Outcome<'c> {
    pub cpu: String,
    pub isa: Isa,
    pub threads: usize,
    pub batch_ms: u64,
    /// The command line that was measured, without its output files.
    pub command: String,
    pub rows: Vec<Row<'c>>,
    pub limits: Vec<Point>,
}

/// A list that is made up here, and told of in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Short rows, one by one.
    Rows,
    /// Positions of reduced axes.
    Axes,
}

impl Sweep {
    fn of(job: &Bench) -> Option<Sweep> {
        match job.cases.as_deref().and_then(Path::to_str) {
            Some("sweep") => Some(Sweep::Rows),
            Some("sweep-axes") => Some(Sweep::Axes),
            _ => None,
        }
    }
}

pub fn run(job: &Bench, isa: Isa) -> Result<(), Failure> {
    let stop = Stop::install()?;
    let sweep = Sweep::of(job);
    let list = match &job.cases {
        _ if sweep == Some(Sweep::Rows) => cases::sweep(),
        _ if sweep == Some(Sweep::Axes) => axes::cases(),
        None => cases::built_in().map_err(Failure::Refused)?,
        Some(path) => {
            let text = fs::read(path).map_err(|e| Failure::refused(path, e))?;
            cases::parse(&text).map_err(|what| Failure::refused(path, what))?
        }
    };
    let wanted = select(&list, job.filter.as_deref())?;
    if sweep.is_some() && job.svg.is_some() {
        return Err(Failure::Refused("a sweep has no bars to draw with --svg".into()));
    }
    if job.json.is_some() && job.json == job.svg {
        return Err(Failure::Refused("--json and --svg name the same file".into()));
    }
    let target = |path: &Option<_>| path.as_deref().map(Target::new).transpose();
    let (json, svg) = (target(&job.json)?, target(&job.svg)?);
    let pool = crate::pool(Some(job.threads))?;

    // Neighbours of a sweep over axes are compared with each other: each is measured at two times, of which one may be
    // spoilt. Short batches and no more keep the whole of it within a minute.
    let (usual_ms, rounds) = if sweep == Some(Sweep::Axes) { (2, 2) } else { (Bench::BATCH_MS, 1) };
    let batch_ms = job.batch_ms.unwrap_or(usual_ms);
    let batches = Batches { least: Duration::from_millis(batch_ms) };
    let settings = Settings { batches, one_shot: sweep.is_none(), rounds };
    let bar = progress(wanted.len() * rounds);
    let before = |case: &Case| {
        bar.set_message(case.name.clone());
        bar.inc(1);
    };
    let (rows, limits) = pool.install(|| measure::all(&wanted, &settings, &stop, before))?;
    bar.finish_and_clear();

    let outcome = Outcome {
        cpu: info::cpu_name().unwrap_or_else(|| "unknown CPU".into()),
        isa,
        threads: job.threads,
        batch_ms,
        command: command(job),
        rows,
        limits,
    };
    crate::print(&table::text(&outcome, sweep))?;
    if let Some(target) = json {
        target.write_text(&json::text(&outcome)?)?;
    }
    if let Some(target) = svg {
        target.write_text(&svg::text(&outcome))?;
    }
    verdict(&outcome)
}

/// The cases whose name contains `filter`: at least one.
fn select<'c>(list: &'c [Case], filter: Option<&str>) -> Result<Vec<&'c Case>, Failure> {
    let wanted: Vec<_> = list.iter().filter(|case| filter.is_none_or(|part| case.name.contains(part))).collect();
    match filter {
        Some(part) if wanted.is_empty() => {
            Err(Failure::Refused(format!("no case's name contains '{part}' (of {} cases)", list.len())))
        }
        _ => Ok(wanted),
    }
}

/// A bar on standard error, if that is a terminal.
fn progress(cases: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn command(job: &Bench) -> String {
    let mut command = String::from("stridecast bench");
    if let Some(path) = &job.cases {
        command += &format!(" --cases {}", path.display());
    }
    if let Some(part) = &job.filter {
        command += &format!(" --filter {part}");
    }
    if job.threads != 1 {
        command += &format!(" --threads {}", job.threads);
    }
    if let Some(batch_ms) = job.batch_ms {
        command += &format!(" --batch-ms {batch_ms}");
    }
    command
}

/// An error if a result was wrong.
fn verdict(outcome: &Outcome<'_>) -> Result<(), Failure> {
    let wrong = |row: &Row<'_>| {
        let what = row.measured.as_ref()?.wrong.as_ref()?;
        Some(format!("{} ({what})", row.case.name))
    };
    let wrong: Vec<_> = outcome.rows.iter().filter_map(wrong).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Failure::Refused(format!("WRONG results: {}", wrong.join(", ")))),
    }
}

impl Outcome<'_> {
    /// `AMD EPYC 9454 (x86_64), avx512vbmi, 1 thread`.
    pub fn machine(&self) -> String {
        let s = if self.threads == 1 { "" } else { "s" };
        format!("{} ({}), {}, {} thread{s}", self.cpu, std::env::consts::ARCH, self.isa, self.threads)
    }
}

impl Row<'_> {
    /// Bytes written and read per nanosecond, which is GB/s.
    pub fn speed(&self, nanos: f64) -> f64 {
        (self.case.written() + self.case.read()) as f64 / nanos
    }
}

/// A time, a size or a speed with three digits that count.
pub fn three_digits(x: f64) -> String {
    let places = (0..6).find(|&places| x == 0.0 || x * 10_f64.powi(places) >= 99.95).unwrap_or(6) as usize;
    format!("{x:.places$}")
}
