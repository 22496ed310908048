//! What a plan of a reduction decided, in words.

#![forbid(unsafe_code)]

use core::fmt;

use super::scheme::{Fold, Scheme};
use super::work::Work;
use crate::nest::Axis;

impl Scheme {
    /// How rows and lanes come about.
    fn walk(&self) -> &'static str {
        match (self.along, self.laid.contains(&true), self.fold) {
            (true, ..) => "along runs, each to one number in a kernel",
            (_, true, _) => "down rows that are first laid out in a block in L1",
            (_, _, Fold::None) => "down rows, lane by lane",
            (_, _, Fold::Along) => "down rows, then along the lanes that are left",
            (_, _, Fold::Halves) => "down rows, then the lanes that are left in halves",
            (_, _, Fold::Turned) => "down rows, then the lanes that are left, turned to rows",
        }
    }
}

impl Work {
    /// The nest of rows and lanes, the walk and the kernels, a line each.
    pub(super) fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bytes_read() == 0 {
            return writeln!(f, "walk     none: there is nothing to read");
        }
        if let Some(runs) = &self.runs {
            writeln!(
                f,
                "first    {} chunks of runs, {} elements at most, each to {}",
                runs.len(),
                runs.chunk(),
                runs.keep()
            )?;
        }
        let Scheme { outer, planes, rows, groups, runs, cols, .. } = &self.scheme;
        let sizes = |f: &mut fmt::Formatter<'_>, axes: &[Axis<3>]| {
            for (i, axis) in axes.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { " x " } else { "" }, axis.size)?;
            }
            Ok(())
        };
        write!(f, "nest     ")?;
        if !outer.is_empty() {
            sizes(f, outer)?;
            write!(f, " times ")?;
        }
        write!(f, "{} planes of ", planes.size)?;
        sizes(f, rows)?;
        writeln!(f, " rows of {} x {} x {} lanes", groups.size, runs.size, cols.size)?;
        writeln!(f, "walk     {}", self.scheme.walk())?;
        let first = self.runs.as_ref().map_or(&self.kernel, |runs| runs.leaf());
        writeln!(f, "kernel   {} for {}", first.name(), first.isa().name())
    }
}
