//! The outcome as text: a table of cases, or a sweep's matrices.
//!
//! `bench::run` prints it.  What was skipped is counted in a line, not listed.

use std::fmt::Write;

use super::cases::SWEEPS;
use super::measure::{NOT_THERE, Row};
use super::{Outcome, Sweep, axes, three_digits};

/// A line per measured case; of a sweep over rows a line per number and a column per element type.
pub fn text(outcome: &Outcome<'_>, sweep: Option<Sweep>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = header(&mut text, outcome).and_then(|()| match sweep {
        None => table(&mut text, outcome),
        Some(Sweep::Rows) => matrices(&mut text, outcome),
        Some(Sweep::Axes) => axes::text(&mut text, &outcome.rows),
    });
    text
}

fn header(out: &mut String, outcome: &Outcome<'_>) -> std::fmt::Result {
    writeln!(out, "stridecast {} on {}", env!("CARGO_PKG_VERSION"), outcome.machine())?;
    writeln!(out, "best of 11 batches of at least {} ms, into warm memory\n", outcome.batch_ms)
}

fn table(out: &mut String, outcome: &Outcome<'_>) -> std::fmt::Result {
    let measured: Vec<_> = outcome.rows.iter().filter_map(|row| Some((row, row.measured.as_ref()?))).collect();
    let width = measured.iter().map(|(row, _)| row.case.name.chars().count()).max().unwrap_or(0).max(4);
    if !measured.is_empty() {
        let head = ("case", "dtype", "MB", "µs", "one-shot µs", "GB/s", "% limit");
        let (name, dtype, size, prepared, one_shot, speed, share) = head;
        writeln!(out, "{name:width$}  {dtype:5} {size:>8} {prepared:>8} {one_shot:>12} {speed:>7} {share:>8}")?;
    }
    for (row, measured) in &measured {
        let (name, dtype) = (&row.case.name, row.case.dtype);
        let size = three_digits(row.case.size() as f64 / 1e6);
        let prepared = three_digits(measured.prepared.best / 1e3);
        let one_shot = measured.one_shot.map_or_else(String::new, |time| three_digits(time.best / 1e3));
        let speed = three_digits(row.speed(measured.prepared.best));
        let share = measured.share().map_or_else(String::new, |share| format!("{:.0}", share * 100.0));
        write!(out, "{name:width$}  {dtype:5} {size:>8} {prepared:>8} {one_shot:>12} {speed:>7} {share:>8}")?;
        writeln!(out, "{}", if measured.wrong.is_some() { "  WRONG" } else { "" })?;
    }
    let mut skipped: Vec<(&str, usize)> = Vec::new();
    for row in outcome.rows.iter().filter(|row| row.measured.is_none()) {
        match skipped.iter_mut().find(|(op, _)| *op == row.case.op) {
            Some((_, count)) => *count += 1,
            None => skipped.push((&row.case.op, 1)),
        }
    }
    if !skipped.is_empty() {
        let count: usize = skipped.iter().map(|(_, count)| count).sum();
        let ops: Vec<_> = skipped.iter().map(|(op, count)| format!("{count} {}", op.escape_debug())).collect();
        writeln!(out, "\nskipped, {NOT_THERE}: {count} cases ({})", ops.join(", "))?;
    }
    Ok(())
}

fn matrices(out: &mut String, outcome: &Outcome<'_>) -> std::fmt::Result {
    writeln!(out, "Time over the limit's time; 1 is the machine's own speed for the same bytes.")?;
    for (name, title, dtypes) in SWEEPS {
        let of = |row: &&Row<'_>| row.case.name.strip_prefix("s_").is_some_and(|rest| is_number_after(rest, name));
        let rows: Vec<_> = outcome.rows.iter().filter(of).collect();
        let mut counts: Vec<_> = rows.iter().map(|row| row.case.out[1]).collect();
        counts.dedup();
        if counts.is_empty() {
            continue;
        }
        write!(out, "\n{title:22}")?;
        dtypes.iter().try_for_each(|dtype| write!(out, " {dtype:>6}"))?;
        writeln!(out)?;
        for count in counts {
            write!(out, "{count:>22}")?;
            for &dtype in dtypes {
                let cell = rows.iter().find(|row| row.case.out[1] == count && row.case.dtype == dtype);
                write!(out, " {:>6}", cell.and_then(|row| times_limit(row)).unwrap_or_else(|| "-".into()))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Whether `text` is `name` and a number, and perhaps more.
fn is_number_after(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn times_limit(row: &Row<'_>) -> Option<String> {
    let measured = row.measured.as_ref()?;
    match measured.wrong {
        Some(_) => Some("WRONG".into()),
        None => measured.share().map(|share| format!("{:.2}", 1.0 / share)),
    }
}
