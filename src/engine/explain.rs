//! What a plan decided, in words: `Display` for [`Plan`].

#![forbid(unsafe_code)]

use core::fmt;

use super::grid::{CHUNK, Cut, Grid};
use super::plan::Plan;
use super::split::{self, GRAIN};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nest = &self.nest;
        writeln!(f, "output   {:?}, {} elements of {} bytes", &*self.shape, self.len, self.elem)?;
        write!(f, "nest     ")?;
        if nest.units == 0 {
            writeln!(f, "empty: nothing to write")?;
        } else if nest.axes.is_empty() {
            writeln!(f, "one unit of {} bytes", nest.unit)?;
        } else {
            let list = |k: usize| nest.axes.iter().map(move |axis| axis.strides[k]);
            for (i, axis) in nest.axes.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { " x " } else { "" }, axis.size)?;
            }
            write!(f, " units of {} bytes; byte strides: output ", nest.unit)?;
            join(f, list(0))?;
            f.write_str(", source ")?;
            join(f, list(1))?;
            writeln!(f)?;
        }
        write!(f, "pattern  {}: {}", self.pattern(), self.pattern().describe())?;
        if nest.folded > 0 {
            write!(f, "; a block is the innermost {} loops", nest.folded)?;
        }
        writeln!(f)?;
        writeln!(f, "kernel   {}", self.kernel.info.name())?;
        let why = if self.forced { "forced by the plan" } else { "chosen for this process" };
        writeln!(f, "isa      {} ({why}): {}", self.isa, self.isa.describe())?;
        write!(f, "split    ")?;
        if self.serial {
            writeln!(f, "serial, as asked")?;
        } else if !split::above_grain(nest) {
            writeln!(f, "serial: {} bytes written, below the grain of {GRAIN}", self.output_bytes())?;
        } else if cfg!(feature = "rayon") {
            let cut = Cut::of(self.pattern());
            let pieces = Grid::of(nest, cut, 0, CHUNK).pieces();
            let edges = if cut == Cut::Blocks { "in blocks" } else { "cut on cache lines" };
            writeln!(
                f,
                "{pieces} pieces of about {CHUNK} bytes, {edges}, over the caller's rayon pool if it has two threads"
            )?;
        } else {
            writeln!(f, "serial: built without threads")?;
        }
        writeln!(f, "stores   {}", self.kernel.info.stores())?;
        write!(f, "bytes    reads {}, writes {}", nest.bytes_read(), self.output_bytes())
    }
}

/// `a b c`
fn join(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = isize>) -> fmt::Result {
    for (i, item) in items.enumerate() {
        write!(f, "{}{item}", if i > 0 { " " } else { "" })?;
    }
    Ok(())
}
