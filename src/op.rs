//! [`Op`]: the elementwise functions by tag, rendered from `kernels/functions/list.rs`.

#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

include!(concat!(env!("OUT_DIR"), "/ops.rs"));

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Op {
    type Err = UnknownOp;

    /// By its name in the library; `where` is taken for `where_`.
    fn from_str(name: &str) -> Result<Self, UnknownOp> {
        let of = |op: &&Self| op.name() == name || op.name().trim_end_matches('_') == name;
        Self::ALL.iter().find(of).copied().ok_or(UnknownOp)
    }
}

/// No function of that name; see [`Op::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownOp;

impl fmt::Display for UnknownOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown function; known are")?;
        for op in Op::ALL {
            write!(f, " {}", op.name().trim_end_matches('_'))?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownOp {}
