//! What the machine can do: its own fill and copy, by working set.
//!
//! `measure` asks [`Limits::of`] for the least time of a case's bytes.  Points
//! are measured when asked for, and again when [`STALE`], so that a case and its
//! limit have the same clock and the same neighbours; in the same memory, and on
//! the same threads, each of which works through a slice of its own without
//! waiting for the others.
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
}

/// Writes the first slice; reads the second if it copies.
type Stream = fn(&mut [u64], &[u64]);

const VARIANTS: [(Kind, &str, Stream); 4] = [
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
];

/// A point this old is measured again. Clocks, and the load that a virtual machine's neighbours are, change within
/// seconds, by a factor of two where this was seen; longer than the few points of a case take.
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

    /// Nanoseconds for `written` and `read` bytes: as much of both as matches is copied and the rest is filled, each
    /// at the speed it has in the whole working set. `None` for what is no sum of copying and filling.
    pub fn of(&mut self, memory: &mut Memory, written: usize, read: usize) -> Option<f64> {
        let filled = written.checked_sub(read).filter(|_| written > 0)?;
        let bytes = rounded(written + read);
        let mut nanos = |kind, part| match part {
            0 => 0.0,
            _ => part as f64 * self.per_byte(memory, kind, bytes),
        };
        Some(nanos(Kind::Fill, filled) + nanos(Kind::Copy, 2 * read))
    }

    /// The best variant's nanoseconds per byte written or read.
    fn per_byte(&mut self, memory: &mut Memory, kind: Kind, bytes: usize) -> f64 {
        let start = Instant::now();
        let found = |p: &&Point| p.kind == kind && p.bytes == bytes && start.duration_since(p.at) < STALE;
        if !self.points.iter().any(|p| found(&p)) {
            self.points.extend(VARIANTS.iter().filter(|v| v.0 == kind).map(|&(kind, variant, stream)| {
                let (out, source) = match kind {
                    Kind::Fill => memory.words(bytes, 0),
                    Kind::Copy => memory.words(bytes / 2, bytes / 2),
                };
                let timing = self.batches.time(|calls| on_slices(out, source, calls, stream));
                Point { kind, variant, bytes, timing, at: start }
            }));
        }
        let times = self.points.iter().filter(found).map(|p| p.timing.best / bytes as f64);
        times.fold(f64::INFINITY, f64::min)
    }
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
