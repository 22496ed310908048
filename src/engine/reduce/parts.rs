//! The parts of a reduction: kept elements that are finished together.

use alloc::vec::Vec;
use core::ops::Range;

use super::area::{Area, Parts, Room};
use super::finish::{Lays, Place};
use super::fold::Partial;
use super::kernel::{Along, Down};
use super::scheme::{BLOCK, Scheme};
use super::work::Work;
#[cfg(feature = "rayon")]
use crate::engine::grid::CHUNK;
#[cfg(feature = "rayon")]
use crate::engine::split::{GRAIN, join_pieces};
use crate::nest::Axis;

impl Work {
    /// Planes of one block of rows, or of runs that become one.
    ///
    /// # Safety
    /// As [`Work::run`], of as many planes and these lanes; `to` is writable for their results.
    #[inline]
    unsafe fn one_block(&self, at: [*mut u8; 3], planes: usize, axes: [Axis<3>; 3], to: *mut u8, to_step: isize) {
        let from = [at[1].cast_const(), at[2].cast_const()];
        let step = [self.scheme.planes.strides[1], self.scheme.planes.strides[2]];
        let cols = axes[2].size;
        let lanes = axes[0].size * axes[1].size * cols;
        if self.scheme.along {
            let along = Along { at: from, runs: planes, step, n: lanes, keep: cols, to, to_step };
            // SAFETY: the caller's promise.
            return unsafe { self.kernel.along(&along) };
        }
        let mut offsets = [[0; 2]; BLOCK];
        for (first, lanes, longer) in [(0, self.scheme.longer, true), (self.scheme.longer, lanes, false)] {
            if first == lanes {
                continue;
            }
            let count = self.rows(longer).from(0).block(&mut offsets);
            let down = Down {
                at: from.map(|from| from.wrapping_add(first * self.size)),
                rows: &offsets[..count],
                cols: lanes - first,
                under: &[],
                to: to.wrapping_add(first * self.kernel.acc),
                planes,
                step,
                to_step,
            };
            // SAFETY: the caller's promise.
            unsafe { self.kernel.down(&down) };
        }
    }

    /// Runs all parts: over the rayon pool this thread belongs to if `parallel` and above the grain, else here.
    ///
    /// # Safety
    /// As [`Work::run_whole`].
    pub(super) unsafe fn run_parts(&self, at: [*mut u8; 3], onto: bool, parallel: bool) {
        #[cfg(feature = "rayon")]
        if parallel && self.bytes >= GRAIN && rayon::current_num_threads() > 1 {
            let parts = self.cut.parts;
            // Few parts are split where their trees are.
            if parts < 4 * rayon::current_num_threads() && self.bytes / parts > 4 * CHUNK && !self.scheme.along {
                // SAFETY: the caller's promise.
                return unsafe { self.run_range_split(at, 0..parts, onto) };
            }
            let pieces = parts.min((self.bytes / CHUNK).max(1));
            let shared = Shared { work: self, at };
            return join_pieces(0..pieces, &|piece| {
                let cut = |piece: usize| (parts as u128 * piece as u128 / pieces as u128) as usize;
                // SAFETY: the caller's promise; parts write elements of their own.
                unsafe { shared.run(cut(piece)..cut(piece + 1), onto) };
            });
        }
        let _ = parallel;
        // SAFETY: the caller's promise.
        unsafe { self.run_range(at, 0..self.cut.parts, onto) }
    }

    /// # Safety
    /// As [`Work::run_whole`], for these parts.
    #[inline(never)]
    unsafe fn run_range(&self, at: [*mut u8; 3], parts: Range<usize>, onto: bool) {
        // SAFETY: the caller's promise.
        unsafe { self.run_in(&mut Area::new(), at, parts, onto, false) }
    }

    /// As [`Work::run_range`], each part split where its tree is. The area is on the heap: a thread that waits for another
    /// may run any number of these on top of one another.
    ///
    /// # Safety
    /// As [`Work::run_range`].
    #[cfg(feature = "rayon")]
    #[inline(never)]
    unsafe fn run_range_split(&self, at: [*mut u8; 3], parts: Range<usize>, onto: bool) {
        // SAFETY: the caller's promise.
        unsafe { self.run_in(&mut Area::boxed(), at, parts, onto, true) }
    }

    /// # Safety
    /// As [`Work::run_range`].
    unsafe fn run_in(&self, area: &mut Area, at: [*mut u8; 3], parts: Range<usize>, onto: bool, split: bool) {
        let mut heap = Vec::new();
        let area = if self.room == Room::SMALL { area.parts() } else { area.large(self.room, &mut heap) };
        let mut lays = Lays::new();
        for part in parts {
            // SAFETY: the caller's promise.
            unsafe { self.part(at, part, onto, split, area, &mut lays) };
        }
    }

    /// # Safety
    /// As [`Work::run_whole`], for this part.
    unsafe fn part(&self, at: [*mut u8; 3], index: usize, onto: bool, split: bool, area: Parts<'_>, lays: &mut Lays) {
        let Scheme { outer, planes, groups, runs, cols, .. } = &self.scheme;
        let (unit, count) = self.units();
        let panels = count.div_ceil(self.cut.units);
        let turns = planes.size.div_ceil(self.cut.planes);
        let (left, first) = (index / panels, index % panels * self.cut.units);
        let (mut left, plane) = (left / turns, left % turns * self.cut.planes);
        let (units, turns) = (self.cut.units.min(count - first), self.cut.planes.min(planes.size - plane));
        let mut offset: [isize; 3] = core::array::from_fn(|k| plane as isize * planes.strides[k]);
        for axis in outer.iter().rev() {
            let turn = (left % axis.size) as isize;
            left /= axis.size;
            for (offset, stride) in offset.iter_mut().zip(axis.strides) {
                *offset += turn * stride;
            }
        }
        let (mut groups, mut cols) = (*groups, *cols);
        let axis = if self.cuts_cols() { &mut cols } else { &mut groups };
        axis.size = units;
        for (offset, stride) in offset.iter_mut().zip(axis.strides) {
            *offset += first as isize * stride;
        }
        let axes = [groups, *runs, cols];
        let at: [*mut u8; 3] = core::array::from_fn(|k| at[k].wrapping_offset(offset[k]));
        let acc = self.kernel.acc;
        let lanes = if self.scheme.along { cols.size } else { units * unit };
        let direct = self.is_direct(onto);
        let (to, to_step) = if direct { (at[0], planes.strides[0]) } else { (area.acc[0], (lanes * acc) as isize) };
        // SAFETY: the caller's promise; the area has room for a part.
        unsafe {
            if self.scheme.along || self.is_one_block() {
                self.one_block(at, turns, axes, to, to_step);
            } else {
                for turn in 0..turns as isize {
                    let from = [1, 2].map(|k| at[k].wrapping_offset(turn * planes.strides[k]).cast_const());
                    self.sheets(from, axes, to.wrapping_offset(turn * to_step), split, area);
                }
            }
            if direct {
                return;
            }
            let (fold, runs) = (self.scheme.fold, if self.scheme.along { 1 } else { runs.size });
            let partial =
                Partial { joint: self.joint, isa: self.finish.isa, groups: turns * groups.size, runs, cols: cols.size };
            let here = partial.fold(fold, area);
            let place = Place {
                sizes: [turns, groups.size, cols.size],
                strides: [planes.strides[0], groups.strides[0], cols.strides[0]],
            };
            self.finish.run(here, area, &place, at[0], onto, lays);
        }
    }

    /// One plane's rows, those of the first lanes apart where they have one more.
    ///
    /// # Safety
    /// As [`Sheet::run`].
    unsafe fn sheets(&self, from: [*const u8; 2], axes: [Axis<3>; 3], to: *mut u8, split: bool, area: Parts<'_>) {
        let [groups, runs, cols] = axes;
        let longer = self.scheme.longer / cols.size;
        for (first, last, longer) in [(0, longer, true), (longer, runs.size, false)] {
            if first == last {
                continue;
            }
            let axes = [groups, Axis { size: last - first, ..runs }, cols];
            let sheet = self.sheet(longer, axes);
            let from = [0, 1].map(|k| from[k].wrapping_offset(first as isize * runs.strides[k + 1]));
            let to = to.wrapping_add(first * cols.size * self.kernel.acc);
            let blocks = 0..sheet.rows.blocks();
            // SAFETY: the caller's promise.
            unsafe {
                #[cfg(feature = "rayon")]
                if split {
                    sheet.run_split(from, blocks, to);
                    continue;
                }
                let _ = split;
                sheet.run(from, blocks, to, area);
            }
        }
    }
}

/// Work and its memory, to be handed to other threads.
#[cfg(feature = "rayon")]
struct Shared<'w> {
    work: &'w Work,
    at: [*mut u8; 3],
}

// SAFETY: the pointers stay valid on any thread for as long as `run`'s caller vouches, and `run` returns only after every
// part has; parts write elements of their own, and nothing writes the inputs.
#[cfg(feature = "rayon")]
unsafe impl Sync for Shared<'_> {}

#[cfg(feature = "rayon")]
impl Shared<'_> {
    /// # Safety
    /// As [`Work::run_range`].
    unsafe fn run(&self, parts: Range<usize>, onto: bool) {
        // SAFETY: the caller's promise.
        unsafe { self.work.run_range(self.at, parts, onto) }
    }
}
