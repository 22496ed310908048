//! What the machine can do: its own fill, copy and reading, by working set.
//!
//! `measure` has the points of a case measured beside it, and again when they
//! are [`STALE`]: in the same memory and on the same threads, each of which works
//! through a slice of its own without waiting for the others.  [`Limits::of`] then
//! takes the best of the whole run, so that a moment in which the machine was slow
//! can make a share smaller, but not larger than it is.
//!
//! The limit is what safe code gets: libc's fill and copy, which may use
//! streaming stores, and loops that the compiler makes into the CPU's widest
//! vectors.  It is a yardstick, not a proof that nothing is faster.

use std::hint::black_box;
use std::iter;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::timing::{Batches, Memory, Timing};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Writes every byte.
    Fill,
    /// Reads every byte of one half, writes every byte of the other.
    Copy,
    /// Reads every byte, and keeps the sum of all words.
    Read,
}

/// Writes the first slice, or reads it; reads the second if it copies.
type Stream = fn(&mut [u64], &[u64]);

const VARIANTS: [(Kind, &str, Stream); 5] = [
    (Kind::Fill, "memset", |out, _| bytemuck::cast_slice_mut::<u64, u8>(out).fill(black_box(7))),
    (Kind::Fill, "vector loop", |out, _| {
        let value = black_box(0x0706_0504_0302_0100);
        pulp::Arch::new().dispatch(|| out.iter_mut().for_each(|x| *x = value));
    }),
    (Kind::Copy, "memcpy", |out, source| out.copy_from_slice(source)),
    (Kind::Copy, "vector loop", |out, source| {
        // The exclusive or costs nothing beside the memory, and keeps the loop from being made a memcpy.
        let zero = black_box(0);
        pulp::Arch::new().dispatch(|| out.iter_mut().zip(source).for_each(|(x, y)| *x = *y ^ zero));
    }),
    (Kind::Read, "vector loop", |words, _| {
        black_box(pulp::Arch::new().dispatch(|| words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word))));
    }),
];

/// A point this old is measured again: clocks, and the load that a virtual machine's neighbours are, change within
/// seconds, by a factor of two where this was seen.
const STALE: Duration = Duration::from_secs(5);

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub kind: Kind,
    pub variant: &'static str,
    /// Bytes written and read per call, over all threads.
    pub bytes: usize,
    pub timing: Timing,
    /// When it was asked for; one moment for all variants, so that they go stale together.
    at: Instant,
}

pub struct Limits {
    batches: Batches,
    pub points: Vec<Point>,
}

impl Limits {
    pub fn new(batches: Batches) -> Limits {
        Limits { batches, points: Vec::new() }
    }

    /// Measures what [`Limits::of`] needs for these bytes, unless that was done a moment ago.
    pub fn prepare(&mut self, memory: &mut Memory, written: usize, read: usize) {
        let (bytes, start) = (rounded(written + read), Instant::now());
        for (kind, _) in parts(written, read) {
            let fresh = |p: &Point| p.kind == kind && p.bytes == bytes && start.duration_since(p.at) < STALE;
            if self.points.iter().any(fresh) {
                continue;
            }
            self.points.extend(VARIANTS.iter().filter(|v| v.0 == kind).map(|&(kind, variant, stream)| {
                let (out, source) = match kind {
                    Kind::Fill | Kind::Read => memory.words(bytes, 0),
                    Kind::Copy => memory.words(bytes / 2, bytes / 2),
                };
                let timing = self.batches.time(|calls| on_slices(out, source, calls, stream));
                Point { kind, variant, bytes, timing, at: start }
            }));
        }
    }

    /// Nanoseconds for `written` and `read` bytes, each part at the best speed that was measured for it in the whole
    /// working set. `None` if nothing is written, or nothing was measured.
    pub fn of(&self, written: usize, read: usize) -> Option<f64> {
        let bytes = rounded(written + read);
        let per_byte = |kind| {
            let points = self.points.iter().filter(|p| p.kind == kind && p.bytes == bytes);
            points.map(|p| p.timing.best / bytes as f64).reduce(f64::min)
        };
        let times = parts(written, read).map(|(kind, part)| Some(part as f64 * per_byte(kind)?));
        times.sum::<Option<f64>>().filter(|&time| time > 0.0)
    }
}

/// As much of both as matches is copied, and the rest filled, or read where functions have more operands than outputs:
/// the kinds there are, with the bytes that each moves. Nothing is read for an output of nothing.
fn parts(written: usize, read: usize) -> impl Iterator<Item = (Kind, usize)> {
    let copied = read.min(written);
    let read = if written == 0 { 0 } else { read - copied };
    let parts = [(Kind::Fill, written - copied), (Kind::Copy, 2 * copied), (Kind::Read, read)];
    parts.into_iter().filter(|&(_, bytes)| bytes > 0)
}

/// A working set at or near `bytes`, eight to the octave, so that near cases share their points. At least 4 KiB.
pub fn rounded(bytes: usize) -> usize {
    let eighths = ((bytes as f64).log2() * 8.0).round().max(12.0 * 8.0);
    ((eighths / 8.0).exp2() as usize).next_multiple_of(128)
}

/// `calls` times over the whole of both slices, each thread of the pool over its own part of them.
fn on_slices(out: &mut [u64], source: &[u64], calls: u64, stream: Stream) {
    // In whole cache lines.
    let each = out.len().div_ceil(rayon::current_num_threads()).next_multiple_of(8);
    let sources = source.chunks(each).chain(iter::repeat(&[][..]));
    rayon::scope(|scope| {
        for (out, source) in out.chunks_mut(each).zip(sources) {
            scope.spawn(move |_| (0..calls).for_each(|_| stream(black_box(&mut *out), black_box(source))));
        }
    });
}
