//! The outcome as a picture: a bar per case, as long as its share of the machine's limit.
//!
//! `bench::run` writes it to the file of `--svg`.  Formatted text, no fonts or
//! styles from elsewhere, and a ground of its own, so that it reads the same on
//! light and dark pages.  Coordinates are pixels; a row is placed by its
//! baseline.

use std::fmt::{self, Write};

use super::cases::{Case, Class};
use super::measure::{Measured, Row};
use super::{Outcome, three_digits};

const WIDTH: f64 = 920.0;
const MARGIN: f64 = 28.0;
const ROW: f64 = 21.0;
/// Left edge of the column of shapes, and of the bars.
const SHAPES: f64 = 178.0;
const BARS: f64 = 446.0;
/// Length of a bar of 100 %.
const FULL: f64 = 232.0;
/// Longer bars end here; their share is in figures anyway.
const MOST: f64 = 1.08;
/// Right edges of the columns of figures.
const SHARE: f64 = 746.0;
const TIME: f64 = 822.0;
const SPEED: f64 = WIDTH - MARGIN;

const INK: &str = "#1f2933";
const FAINT: &str = "#667380";
const RULE: &str = "#d5dbe1";
const BAR: &str = "#2b7a9e";
const WRONG: &str = "#c0392b";
const SANS: &str = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif";
const MONO: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/// The whole file.
pub fn text(outcome: &Outcome<'_>) -> String {
    let mut body = String::new();
    let mut y = MARGIN;
    // Writing to a String cannot fail.
    let _ = draw(&mut body, outcome, &mut y);
    let height = y + MARGIN - 8.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"{SANS}\" font-size=\"12\" fill=\"{INK}\">\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#fbfcfd\" stroke=\"{RULE}\"/>\n\
         {body}</svg>\n",
        WIDTH - 1.0,
        height - 1.0,
    )
}

fn draw(out: &mut String, outcome: &Outcome<'_>, y: &mut f64) -> fmt::Result {
    *y += 12.0;
    let title = format!("stridecast {}: broadcasting, and what the machine can do", env!("CARGO_PKG_VERSION"));
    label(out, MARGIN, *y, "font-size=\"17\" font-weight=\"600\"", &title)?;
    *y += 20.0;
    label(out, MARGIN, *y, &format!("fill=\"{FAINT}\""), &outcome.machine())?;
    let style = format!("fill=\"{FAINT}\" font-family=\"{MONO}\" font-size=\"11\" text-anchor=\"end\"");
    label(out, SPEED, *y, &style, &outcome.command)?;
    for class in [Class::Cache, Class::Large, Class::Tiny] {
        let rows: Vec<_> = outcome.rows.iter().filter(|row| row.case.class == class).collect();
        let rows: Vec<_> = rows.into_iter().filter_map(|row| Some((row, row.measured.as_ref()?))).collect();
        if !rows.is_empty() {
            group(out, class, &rows, y)?;
        }
    }
    *y += ROW + 14.0;
    let note = "Bars: the time of the same bytes at the best speed of this machine's own fill, copy and reading, as a \
                share of the case's time. GB/s: bytes read and written.";
    label(out, MARGIN, *y, &format!("fill=\"{FAINT}\" font-size=\"11\""), note)
}

/// A heading, then a line per case.
fn group(out: &mut String, class: Class, rows: &[(&Row<'_>, &Measured)], y: &mut f64) -> fmt::Result {
    *y += 34.0;
    let (title, columns) = match class {
        Class::Cache => ("In cache", ["share", "µs", "GB/s"]),
        Class::Large => ("Larger than the cache", ["share", "µs", "GB/s"]),
        Class::Tiny => ("Tiny: nanoseconds a call", ["", "prepared", "one-shot"]),
    };
    label(out, MARGIN, *y, "font-weight=\"600\"", title)?;
    for (x, text) in [SHARE, TIME, SPEED].into_iter().zip(columns) {
        label(out, x, *y, &format!("fill=\"{FAINT}\" font-size=\"11\" text-anchor=\"end\""), text)?;
    }
    *y += 8.0;
    line(out, (MARGIN, *y), (SPEED, *y), RULE)?;
    let top = *y;
    for (row, measured) in rows {
        *y += ROW;
        case(out, row, measured, *y)?;
    }
    if class != Class::Tiny {
        let x = BARS + FULL;
        line(out, (x, top), (x, *y + 6.0), INK)?;
        label(out, x, top - 8.0, &format!("fill=\"{FAINT}\" font-size=\"11\" text-anchor=\"end\""), "limit = 100%")?;
    }
    Ok(())
}

fn case(out: &mut String, row: &Row<'_>, measured: &Measured, y: f64) -> fmt::Result {
    let mono = |fill: &str| format!("font-family=\"{MONO}\" font-size=\"11\" fill=\"{fill}\"");
    label(out, MARGIN, y, &mono(if measured.wrong.is_some() { WRONG } else { INK }), &shortened(&row.case.name, 21))?;
    label(out, SHAPES, y, &mono(FAINT), &shortened(&shapes(row.case), 39))?;
    let mut figure = |x, text: &str| label(out, x, y, &format!("{} text-anchor=\"end\"", mono(INK)), text);
    if row.case.class == Class::Tiny {
        figure(TIME, &three_digits(measured.prepared.best))?;
        return figure(SPEED, &measured.one_shot.map_or_else(String::new, |time| three_digits(time.best)));
    }
    figure(TIME, &three_digits(measured.prepared.best / 1e3))?;
    figure(SPEED, &three_digits(row.speed(measured.prepared.best)))?;
    let Some(share) = measured.share() else { return Ok(()) };
    figure(SHARE, &format!("{:.0}%", share * 100.0))?;
    let (length, top) = (FULL * share.min(MOST), y - 11.0);
    let fill = if measured.wrong.is_some() { WRONG } else { BAR };
    writeln!(out, "<rect x=\"{BARS}\" y=\"{top}\" width=\"{length:.1}\" height=\"14\" rx=\"2\" fill=\"{fill}\"/>")
}

/// `[1,3] → [87381,3] u8`; with the permutation or the axes where there are any.
fn shapes(case: &Case) -> String {
    let list = |sizes: &[usize]| {
        let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
        sizes.join(",")
    };
    let inputs: Vec<_> = case.inputs.iter().map(|sizes| format!("[{}]", list(sizes))).collect();
    let mut text = format!("{} {}", case.dtype, inputs.join(" "));
    if let Some(perm) = &case.perm {
        text += &format!(" by ({})", list(perm));
    }
    text += &format!(" → [{}]", list(&case.out));
    if let Some(axes) = &case.axes {
        text += &format!(" at {}", list(axes));
    }
    text
}

/// At most `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most - 1) {
        Some((end, _)) if text.chars().count() > most => format!("{}…", &text[..end]),
        _ => text.into(),
    }
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), stroke: &str) -> fmt::Result {
    let ((x1, y1), (x2, y2)) = (from, to);
    writeln!(out, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\"/>")
}

fn label(out: &mut String, x: f64, y: f64, style: &str, text: &str) -> fmt::Result {
    writeln!(out, "<text x=\"{x}\" y=\"{y}\" {style}>{}</text>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
