//! Signals that end a run: they set a flag, and the run ends itself.
//!
//! `main` installs a [`Stop`] before the first byte is read; `npy` and `output`
//! look at it between blocks.  Leaving by an ordinary error means that the
//! temporary file goes the ordinary way too, with no handler racing the rename.
//!
//! Invariant: after a signal no finished file appears under the output's name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::report::Failure;

/// The number of the signal that asked for the end, or 0.
#[derive(Debug, Default)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    pub fn install() -> Result<Stop, Failure> {
        let stop = Stop::default();
        let mut signals = vec![SIGINT, SIGTERM];
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGQUIT, SIGXFSZ};
            signals.push(SIGQUIT);
            if !ignored(SIGHUP) {
                signals.push(SIGHUP);
            }
            // Caught only so that a file size limit arrives as a write error.
            flag::register(SIGXFSZ, Arc::default()).map_err(cannot)?;
        }
        for signal in signals {
            let value = usize::try_from(signal).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&stop.0), value).map_err(cannot)?;
        }
        Ok(stop)
    }

    /// An error once a signal has arrived.
    pub fn check(&self) -> Result<(), Failure> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            signal => Err(Failure::Interrupted(signal as u8)),
        }
    }
}

fn cannot(error: std::io::Error) -> Failure {
    Failure::Refused(format!("cannot catch signals: {error}"))
}

/// Whether the caller wants `signal` ignored, as `nohup` does for SIGHUP.
/// Known on Linux only.
#[cfg(unix)]
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
