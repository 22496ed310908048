//! How a run fails: one line on standard error and an exit code.
//!
//! Every module returns [`Failure`]; only `main` prints it.  Refused input,
//! usage errors and I/O errors end with code 2, an interrupted run with the
//! code shells use for its signal.
//!
//! Invariant: [`Failure::line`] is a single line, whatever stood in a file
//! name, an argument or a header.

use std::fmt::Display;
use std::path::Path;

#[derive(Debug)]
pub enum Failure {
    /// What was refused, and why.
    Refused(String),
    /// The number of the signal that ended the run.
    Interrupted(u8),
}

impl Failure {
    /// A refusal that names the file it is about.
    pub fn refused(path: &Path, what: impl Display) -> Failure {
        Failure::Refused(format!("{}: {what}", path.display()))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Refused(_) => 2,
            Failure::Interrupted(signal) => 128 | signal,
        }
    }

    pub fn line(&self) -> String {
        match self {
            Failure::Refused(what) => format!("stridecast: {}", one_line(what)),
            Failure::Interrupted(_) => "stridecast: interrupted, nothing was written".into(),
        }
    }
}

/// Control characters become escapes.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// A shape as Python writes it: `()`, `(3,)`, `(3, 4)`.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => {
            let sizes: Vec<_> = shape.iter().map(usize::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}
