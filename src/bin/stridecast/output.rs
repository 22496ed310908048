//! Writes the result: computed in batches, into a file that appears when whole.
//!
//! `main` makes a [`Target`] before the input is read, so that an unwritable
//! folder is reported at once, then calls [`Target::write_plan`]; `apply` hands
//! [`Target::write`] its own batches, `bench` a text to [`Target::write_text`].  The bytes go to a
//! temporary file in the folder of the output; [`write`](Target::write) renames
//! it at the very end, and every other way out removes it.
//!
//! Invariant: memory use is the input and one batch, however large the output.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rayon::prelude::*;
use stridecast::{BroadcastError, Parts, Plan};
use tempfile::NamedTempFile;

use crate::npy::{self, Header};
use crate::report::Failure;
use crate::signals::Stop;

/// One part is the work of one thread between two looks at the queue: large
/// against the cost of scheduling it, small against the last-level cache.
const PART_BYTES: usize = 4 << 20;
/// Computed, then written, in turns; enough parts for 16 threads.
pub const BATCH_BYTES: usize = 64 << 20;
/// How much is written between two looks at the stop flag.
const WRITE_STEP: usize = 8 << 20;
/// Shorter runs show no progress bar.
const QUIET: Duration = Duration::from_secs(1);

/// An output file that does not exist yet.
pub struct Target {
    path: PathBuf,
    temp: NamedTempFile,
}

impl Target {
    pub fn new(path: &Path) -> Result<Target, Failure> {
        let path = resolve(path)?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".stridecast-").suffix(".tmp");
        // What any new file gets (0666 less the umask), not a private 0600.
        #[cfg(unix)]
        builder.permissions({
            use std::os::unix::fs::PermissionsExt;
            std::fs::Permissions::from_mode(0o666)
        });
        let temp = builder
            .tempfile_in(folder)
            .map_err(|e| Failure::refused(&path, format!("cannot create a file beside it: {}", plain(&e))))?;
        Ok(Target { path, temp })
    }

    /// Writes an array, whose bytes `fill` hands on in order, and gives the file its name.
    pub fn write(
        mut self,
        array: &Array<'_>,
        stop: &Stop,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (path, bytes) = (&self.path, array.bytes);
        let cannot = |e: io::Error| Failure::refused(path, format!("cannot write (its data is {bytes} bytes): {e}"));
        let file = self.temp.as_file_mut();
        npy::write_header(file, array.version, array.descr, array.shape).map_err(cannot)?;
        if bytes > 0 {
            let mut progress = Progress::new(bytes);
            fill(&mut |batch| {
                for step in batch.chunks(WRITE_STEP) {
                    stop.check()?;
                    file.write_all(step).map_err(cannot)?;
                    progress.add(step.len());
                }
                Ok(())
            })?;
        }
        sync(file).map_err(cannot)?;
        stop.check()?;
        self.temp.persist(path).map_err(|e| cannot(e.error))?;
        Ok(())
    }

    /// Computes the output of `plan` from the input's `data`, and writes it.
    pub fn write_plan(self, plan: &Plan, header: &Header, data: &[u8], stop: &Stop) -> Result<(), Failure> {
        let (shape, bytes) = (plan.output_shape(), plan.output_bytes());
        let array = Array { version: header.version, descr: &header.descr, shape, bytes };
        self.write(&array, stop, |write| for_each_batch(plan, data, stop, write))
    }

    /// Writes a finished text, and gives the file its name.
    pub fn write_text(mut self, text: &str) -> Result<(), Failure> {
        let path = &self.path;
        let cannot = |e: io::Error| Failure::refused(path, format!("cannot write: {e}"));
        let file = self.temp.as_file_mut();
        file.write_all(text.as_bytes()).and_then(|()| sync(file)).map_err(cannot)?;
        self.temp.persist(path).map_err(|e| cannot(e.error))?;
        Ok(())
    }
}

/// What a file is to hold.
pub struct Array<'a> {
    /// Of the format.
    pub version: u8,
    pub descr: &'a [u8],
    pub shape: &'a [usize],
    pub bytes: usize,
}

/// How an output that is computed in as many batches comes about.
pub fn in_batches(count: usize) -> String {
    match count {
        0 => "a header alone".into(),
        1 => "computed as a whole, then written".into(),
        _ => format!("computed and written in {count} batches of at most {BATCH_BYTES} bytes"),
    }
}

/// How [`Target::write_plan`] will go about it.
pub fn describe(plan: &Plan) -> String {
    match plan.output_bytes() {
        0 => in_batches(0),
        1..=BATCH_BYTES => in_batches(1),
        bytes => format!(
            "computed and written in {} batches of about {BATCH_BYTES} bytes, each in parts of about {PART_BYTES} bytes",
            bytes.div_ceil(BATCH_BYTES)
        ),
    }
}

/// Hands the output to `write` batch by batch, in order.
fn for_each_batch(
    plan: &Plan,
    data: &[u8],
    stop: &Stop,
    write: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    if plan.output_bytes() <= BATCH_BYTES {
        let batch = room(&mut buffer, plan.output_bytes())?;
        plan.run_bytes(data, &mut *batch).map_err(unexpected)?;
        return write(batch);
    }
    let parts = plan.parts(plan.output_bytes().div_ceil(PART_BYTES)).map_err(unexpected)?;
    let bytes_of = |i: usize| parts.range(i).len() * plan.elem_size();
    let mut start = 0;
    while start < parts.len() {
        stop.check()?;
        let mut end = start + 1;
        let mut bytes = bytes_of(start);
        while end < parts.len() && bytes + bytes_of(end) <= BATCH_BYTES {
            bytes += bytes_of(end);
            end += 1;
        }
        let batch = room(&mut buffer, bytes)?;
        fill(&parts, start..end, bytes_of, data, batch)?;
        write(batch)?;
        start = end;
    }
    Ok(())
}

/// The first `bytes` of the buffer, which grows if it must.
fn room(buffer: &mut Vec<u8>, bytes: usize) -> Result<&mut [u8], Failure> {
    if bytes > buffer.len() {
        buffer
            .try_reserve_exact(bytes - buffer.len())
            .map_err(|_| Failure::Refused(format!("not enough memory for a batch of {bytes} bytes")))?;
        buffer.resize(bytes, 0);
    }
    Ok(&mut buffer[..bytes])
}

/// Runs some consecutive parts into `buffer`, each on whatever thread is free.
fn fill(
    parts: &Parts<'_>,
    which: Range<usize>,
    bytes_of: impl Fn(usize) -> usize,
    data: &[u8],
    mut buffer: &mut [u8],
) -> Result<(), Failure> {
    let mut work = Vec::with_capacity(which.len());
    for i in which {
        let (part, rest) = buffer.split_at_mut(bytes_of(i));
        work.push((i, part));
        buffer = rest;
    }
    work.into_par_iter().try_for_each(|(i, part)| parts.run_part_bytes(i, data, part)).map_err(unexpected)
}

fn unexpected(error: BroadcastError) -> Failure {
    Failure::Refused(error.to_string())
}

/// The file to replace: links are followed, anything but a file is refused.
fn resolve(path: &Path) -> Result<PathBuf, Failure> {
    let refuse = |what: &str| Err(Failure::refused(path, what));
    if path.file_name().is_none() {
        return refuse("is not a name for an output file");
    }
    match path.metadata() {
        Ok(meta) if meta.is_dir() => refuse("is a directory"),
        Ok(meta) if !meta.is_file() => {
            refuse("is not a regular file: the output is written beside its name and renamed")
        }
        Ok(meta) if meta.permissions().readonly() => refuse("exists and is read-only"),
        Ok(_) => match path.is_symlink() {
            true => path.canonicalize().map_err(|e| Failure::refused(path, plain(&e))),
            false => Ok(path.into()),
        },
        Err(_) if path.is_symlink() => refuse("is a link to nowhere"),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(path.into()),
        Err(e) => Err(Failure::refused(path, plain(&e))),
    }
}

/// The system's own words, without the temporary name `tempfile` adds.
fn plain(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|e| e.source());
    inner.map_or_else(|| error.to_string(), ToString::to_string)
}

/// On the disk before it gets its name; some file systems cannot, and say so.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// A bar on standard error, if that is a terminal and the run takes its time.
struct Progress {
    started: Instant,
    bar: ProgressBar,
}

impl Progress {
    fn new(bytes: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(bytes as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {binary_bytes}/{binary_total_bytes}, {left} left") {
            bar.set_style(style.with_key("left", time_left));
        }
        Progress { started: Instant::now(), bar }
    }

    fn add(&mut self, bytes: usize) {
        if self.bar.is_hidden() && self.started.elapsed() > QUIET {
            // Itself hidden when standard error is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes as u64);
    }
}

/// From the average of the whole run: indicatif's own estimate takes a quarter of a minute to settle.
fn time_left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let total = state.len().unwrap_or_default() as f64;
    let ratio = total / state.pos().max(1) as f64 - 1.0;
    let left = Duration::try_from_secs_f64(state.elapsed().as_secs_f64() * ratio).unwrap_or_default();
    let _ = write!(out, "{:#}", HumanDuration(left));
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
