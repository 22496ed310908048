//! What a time is, and the memory it is taken in.
//!
//! [`Batches::time`] measures everything here, cases and limits alike, and
//! [`Memory`] is the one block they all work in: allocated and touched once, so
//! that no call pays for a page, in pages as large as the system gives to the
//! library's own tensors.

use std::time::{Duration, Instant};

use bytemuck::Pod;
use stridecast::{Rule, Tensor, View, broadcast};

/// Batches per time: enough that an interrupt or two spoil neither the best nor the median.
const COUNT: usize = 11;

/// Nanoseconds per call.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub best: f64,
    pub median: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Batches {
    /// How long a batch lasts at least.
    pub least: Duration,
}

impl Batches {
    /// Times `batch`, which makes as many calls as it is told to.
    pub fn time(self, mut batch: impl FnMut(u64)) -> Timing {
        let goal = self.least.as_nanos() as f64;
        let mut nanos = |calls: u64| {
            let start = Instant::now();
            batch(calls);
            start.elapsed().as_nanos() as f64
        };
        nanos(1);
        let mut calls = 1;
        loop {
            let took = nanos(calls);
            if took >= goal {
                break;
            }
            // Short batches say little of how many calls would be enough; aim a little above, to hit it in one.
            calls = if took < goal / 50.0 { calls * 10 } else { (calls as f64 * goal * 1.1 / took) as u64 + 1 };
        }
        let mut times = [0.0; COUNT];
        times.fill_with(|| nanos(calls) / calls as f64);
        times.sort_by(f64::total_cmp);
        Timing { best: times[0], median: times[COUNT / 2] }
    }
}

/// A cache line, which every buffer starts on.
const LINE: usize = 64;
/// What lies between two buffers, so that they do not start on the same byte of a page: a load that looks like the
/// address of an earlier store waits for it.
const GAP: usize = 5 * LINE;
/// An output and three operands.
const MOST: usize = 4;
/// Room for a few large pages, however small the cases are.
const LEAST: usize = 8 << 20;

pub struct Memory(Tensor<u64>);

impl Memory {
    /// Room for any [`MOST`] buffers of at most `bytes` together.
    pub fn new(bytes: usize) -> stridecast::Result<Memory> {
        let words = bytes.saturating_add(MOST * (GAP + LINE)).max(LEAST) / size_of::<u64>();
        broadcast(&View::scalar(&0), &[words], Rule::Numpy).map(Memory)
    }

    /// At most [`MOST`] buffers of so many bytes, in whole words.
    pub fn regions<const N: usize>(&mut self, bytes: [usize; N]) -> [&mut [u64]; N] {
        let mut rest = self.0.as_mut_slice();
        bytes.map(|bytes| {
            let next = (bytes.next_multiple_of(LINE) + GAP) / size_of::<u64>();
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(next);
            rest = tail;
            &mut head[..bytes.div_ceil(8)]
        })
    }

    /// Two buffers of so many bytes, in whole words.
    pub fn words(&mut self, first: usize, second: usize) -> (&mut [u64], &mut [u64]) {
        let [first, second] = self.regions([first, second]);
        (first, second)
    }

    /// Two buffers of so many elements.
    pub fn buffers<T: Pod>(&mut self, first: usize, second: usize) -> (&mut [T], &mut [T]) {
        let line = |n: usize| (n * size_of::<T>()).next_multiple_of(LINE);
        let (head, tail) = self.words(line(first), line(second));
        (&mut bytemuck::cast_slice_mut(head)[..first], &mut bytemuck::cast_slice_mut(tail)[..second])
    }
}
