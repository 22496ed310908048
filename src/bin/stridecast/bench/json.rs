//! The outcome as JSON: a result per case by its name, the machine, and its limits each time they were measured.
//!
//! `bench::run` writes it to the file of `--json`.  Times are nanoseconds per
//! call: `ns` the best batch's, `ns_med` the median batch's, of the prepared
//! run; `ns_oneshot` and `ns_oneshot_med` of the one-shot call; `limit_ns` what
//! the machine's own fill, copy and reading take.

use serde::{Serialize, Serializer};

use super::Outcome;
use super::limits::{Kind, Point};
use super::measure::{Measured, NOT_THERE, Row};
use crate::report::Failure;

#[derive(Serialize)]
struct Document<'o> {
    peer: &'static str,
    version: &'static str,
    threads: usize,
    /// The output is allocated and touched before.
    mode: &'static str,
    machine: Machine<'o>,
    limits: Vec<Limit>,
    #[serde(serialize_with = "by_name")]
    results: &'o [Row<'o>],
}

#[derive(Serialize)]
struct Machine<'o> {
    cpu: &'o str,
    arch: &'static str,
    isa: &'static str,
    cores: usize,
}

#[derive(Serialize)]
struct Limit {
    kind: Kind,
    variant: &'static str,
    /// Written and read per call.
    bytes: usize,
    ns: f64,
    ns_med: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Skipped {
        skip: &'static str,
    },
    Measured {
        ns: f64,
        ns_med: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        ns_oneshot: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ns_oneshot_med: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        limit_ns: Option<f64>,
        check: String,
    },
}

/// The whole file.
pub fn text(outcome: &Outcome<'_>) -> Result<String, Failure> {
    let document = Document {
        peer: "stridecast",
        version: env!("CARGO_PKG_VERSION"),
        threads: outcome.threads,
        mode: "warm",
        machine: Machine {
            cpu: &outcome.cpu,
            arch: std::env::consts::ARCH,
            isa: outcome.isa.name(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        },
        limits: outcome.limits.iter().map(limit).collect(),
        results: &outcome.rows,
    };
    let text = serde_json::to_string_pretty(&document);
    text.map(|text| text + "\n").map_err(|e| Failure::Refused(format!("cannot write the results as JSON: {e}")))
}

fn limit(point: &Point) -> Limit {
    let Point { kind, variant, bytes, timing, .. } = *point;
    Limit { kind, variant, bytes, ns: nanos(timing.best), ns_med: nanos(timing.median) }
}

/// In the order of the list.
fn by_name<S: Serializer>(rows: &[Row<'_>], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(rows.iter().map(|row| (&row.case.name, entry(row.measured.as_ref()))))
}

fn entry(measured: Option<&Measured>) -> Entry {
    let Some(measured) = measured else { return Entry::Skipped { skip: NOT_THERE } };
    Entry::Measured {
        ns: nanos(measured.prepared.best),
        ns_med: nanos(measured.prepared.median),
        ns_oneshot: measured.one_shot.map(|time| nanos(time.best)),
        ns_oneshot_med: measured.one_shot.map(|time| nanos(time.median)),
        limit_ns: measured.limit.map(nanos),
        check: measured.wrong.as_ref().map_or_else(|| "ok".into(), |what| format!("WRONG {what}")),
    }
}

/// To the hundredth: no clock says more.
fn nanos(time: f64) -> f64 {
    (time * 100.0).round() / 100.0
}
