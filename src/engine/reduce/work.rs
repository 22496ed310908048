//! [`Work`]: a scheme with its kernels, and its parts, run one after another or over threads.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use half::{bf16, f16};

use super::area::{Area, Parts, Room};
use super::down::{Sheet, levels};
use super::finish::{Finish, Lays, Place};
use super::fold::Partial;
use super::kernel::{Along, Down};
use super::leaf::Leaf;
use super::rows::Rows;
use super::runs::Runs;
use super::scheme::{BLOCK, Fold, Scheme};
use super::table::Chosen;
use crate::element::DType;
use crate::engine::grid::CHUNK;
use crate::engine::isa::Isa;
use crate::engine::lay::choose_move;
#[cfg(feature = "rayon")]
use crate::engine::split::{GRAIN, join_pieces};
use crate::engine::walk::walk;
use crate::error::{BroadcastError, Result};
use crate::layout::Layout;
use crate::nest::{Axis, LoopNest};
use crate::reduction::Reduction;

/// Bytes from which an input is taken to lie outside L2.
const LARGE: usize = 8 << 20;

/// A reduction of layouts, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(super) scheme: Scheme,
    pub(super) kernel: Leaf,
    /// The same for partial results.
    joint: Leaf,
    finish: Finish,
    /// Byte offsets of the first elements, of the partial results of runs if there are any.
    start: [isize; 3],
    /// Of the operands.
    first: [isize; 3],
    /// Bytes of an element of an input.
    size: usize,
    inputs: usize,
    cut: Cut,
    room: Room,
    /// Bytes that are read.
    bytes: usize,
    /// What an output of nothing is made of, and where it lies.
    nothing: Option<(LoopNest<2>, Identity)>,
    /// What is done first where there are long runs.
    pub(super) runs: Option<Box<Runs>>,
    /// The only call of a kernel, if one writes the whole output.
    whole: Option<Whole>,
}

/// What a call of a kernel is told beside the planes: rows and lanes.
#[derive(Clone, Copy, Debug)]
struct Whole {
    rows: [[isize; 2]; BLOCK],
    count: usize,
    lanes: usize,
}

/// How the kept elements are cut into parts: turns of planes, and lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    planes: usize,
    /// Lanes, in groups if there are any.
    units: usize,
    parts: usize,
}

/// An element of the output: 0 or 1 or NaN.
#[derive(Clone, Copy, Debug)]
struct Identity {
    bytes: [u8; 16],
    nan: bool,
}

impl Work {
    /// `layouts` are those of the output, stretched over the inputs' shape, and of two inputs, of which the second is the
    /// first if there is one; `target` is the output's own.
    ///
    /// # Errors
    /// If the reduction is not defined on these types, or on nothing.
    pub fn new(
        reduction: Reduction,
        dtype: DType,
        output: DType,
        layouts: [&Layout<'_>; 3],
        inputs: usize,
        target: &Layout<'_>,
        isa: Isa,
    ) -> Result<Self> {
        let shape = layouts[1].shape();
        let Some(chosen) = Chosen::of(reduction, dtype, output, inputs, isa) else {
            return Err(BroadcastError::UndefinedReduction { reduction, operand: dtype, output });
        };
        let Chosen { leaf: kernel, joint, acc, pairs, .. } = chosen;
        let (size, to) = if pairs { (dtype.size() / 2, output.size() / 2) } else { (dtype.size(), output.size()) };
        let strides = layouts.map(Layout::strides);
        let whole = [output.size(), dtype.size(), dtype.size()];
        let operands = core::array::from_fn(|k| (&*strides[k], layouts[k].offset()));
        let nest = LoopNest::of_reduction(shape, operands, whole, if pairs { Some([to, size, size]) } else { None });
        let count = nest.axes.iter().filter(|axis| axis.strides[0] == 0).map(|axis| axis.size).product();
        let undefined = BroadcastError::UndefinedReduction { reduction, operand: dtype, output };
        let Some(finish) = Finish::new(reduction, acc, chosen.output, count, isa) else { return Err(undefined) };
        let mut nothing = None;
        if nest.units == 0 && !target.is_empty() {
            let Some(identity) = Identity::of(reduction, output) else {
                return Err(BroadcastError::EmptyReduction { reduction, shape: shape.to_vec() });
            };
            let (own, still) = (target.strides(), crate::dims::Strides::filled(target.rank(), 0));
            let fill = LoopNest::new(target.shape(), [(&own, target.offset()), (&still, 0)], output.size());
            nothing = Some((fill, identity));
        }
        let runs = Runs::of(&nest, kernel, inputs);
        let mut work = match &runs {
            Some((_, left)) => Self::of(left, joint, joint, finish, 1),
            None => Self::of(&nest, kernel, joint, finish, inputs),
        };
        work.nothing = nothing;
        work.first = nest.start;
        work.runs = runs.map(|(runs, _)| Box::new(runs));
        Ok(work)
    }

    fn of(nest: &LoopNest<3>, kernel: Leaf, joint: Leaf, finish: Finish, inputs: usize) -> Self {
        let size = kernel.size;
        let mut work = Self {
            scheme: Scheme::of(nest, &kernel),
            kernel,
            joint,
            finish,
            start: nest.start,
            first: nest.start,
            size,
            inputs,
            cut: Cut::default(),
            room: Room::SMALL,
            bytes: nest.units.saturating_mul(size * inputs),
            nothing: None,
            runs: None,
            whole: None,
        };
        if work.bytes >= LARGE && work.cuts_cols() && !work.scheme.laid.contains(&true) {
            work.room = Room::large(levels(work.rows(false).blocks()));
        }
        work.cut = work.cut();
        work.whole = work.whole();
        work
    }

    /// Reduces.
    ///
    /// # Safety
    /// The operands at `ptrs` are valid for the layouts and aligned for their types; the inputs are initialised, and so is
    /// the output if `onto`; nobody writes the inputs or touches the output meanwhile, and they share no byte.
    #[inline]
    pub unsafe fn run(&self, ptrs: [*mut u8; 3], onto: bool, parallel: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.nothing.is_some() || self.bytes == 0 {
                return self.fill(ptrs[0], onto);
            }
            if let Some(runs) = &self.runs {
                let inputs = [1, 2].map(|k| ptrs[k].wrapping_offset(self.first[k]).cast_const());
                return runs.run(inputs, parallel, |partial| {
                    self.run_left([ptrs[0], partial.cast_mut(), partial.cast_mut()], onto, parallel);
                });
            }
            self.run_left(ptrs, onto, parallel);
        }
    }

    /// As [`Work::run`], of what is left after long runs.
    ///
    /// # Safety
    /// As [`Work::run`].
    #[inline]
    unsafe fn run_left(&self, ptrs: [*mut u8; 3], onto: bool, parallel: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            let at = core::array::from_fn(|k| ptrs[k].wrapping_offset(self.start[k]));
            match &self.whole {
                Some(whole) if !onto => self.run_whole(whole, at),
                _ => self.run_parts(at, onto, parallel),
            }
        }
    }

    /// Bytes that are read.
    pub(super) fn bytes_read(&self) -> usize {
        self.runs.as_ref().map_or(self.bytes, |runs| runs.bytes())
    }

    /// Whether kernels write the output themselves.
    fn is_direct(&self, onto: bool) -> bool {
        let Scheme { groups, cols, fold, .. } = &self.scheme;
        let size = self.finish.size;
        let dense = |axis: &Axis<3>, width: usize| axis.size == 1 || axis.strides[0] == width as isize;
        *fold == Fold::None && self.finish.is_plain(onto) && dense(cols, size) && dense(groups, cols.size * size)
    }

    /// The rows of the first lanes or of the others.
    fn rows(&self, longer: bool) -> Rows<'_> {
        let (inner, outer) = self.scheme.rows.split_last().expect("there are rows");
        let inner = Axis { size: inner.size + usize::from(longer), ..*inner };
        Rows { outer, inner, laid: self.scheme.laid[..self.inputs].contains(&true) }
    }

    /// Whether one call of a kernel takes the rows of many planes.
    fn is_one_block(&self) -> bool {
        let rows = self.rows(self.scheme.longer > 0);
        !rows.laid && rows.blocks() == 1
    }

    /// Whether lanes are columns of one group, which may be cut anywhere.
    fn cuts_cols(&self) -> bool {
        self.scheme.groups.size == 1 && !self.scheme.folds()
    }

    /// The lanes that stay together, and how many times there are as many.
    fn units(&self) -> (usize, usize) {
        let Scheme { groups, cols, .. } = &self.scheme;
        if self.cuts_cols() { (1, cols.size) } else { (self.scheme.group(), groups.size) }
    }

    fn sheet(&self, longer: bool, axes: [Axis<3>; 3]) -> Sheet<'_> {
        let Self { kernel, joint, size, inputs, .. } = *self;
        let (rows, laid) = (self.rows(longer), self.scheme.laid);
        Sheet { kernel, joint, size, inputs, isa: self.finish.isa, rows, axes, laid }
    }

    fn cut(&self) -> Cut {
        let Scheme { outer, planes, groups, runs, cols, .. } = &self.scheme;
        let room = self.room.acc / self.finish.acc;
        let (unit, count) = self.units();
        let rows = self.scheme.row_count().saturating_add(usize::from(self.scheme.longer > 0));
        // Of a run that becomes one, no partial results are kept.
        let (units, lanes) = if self.scheme.along {
            (count, cols.size)
        } else {
            let most = self.sheet(true, [*groups, *runs, *cols]).most_lanes(self.room).min(room) / unit;
            // Panels end on whole vectors.
            let most = if self.cuts_cols() && most > 64 { most / 64 * 64 } else { most.max(1) };
            (most.min(count), most.min(count) * unit)
        };
        let bytes = rows.saturating_mul(units * unit * self.size * self.inputs);
        let turns = (room / lanes).min(CHUNK / bytes.max(1)).clamp(1, planes.size);
        let around: usize = outer.iter().map(|axis| axis.size).product();
        Cut { planes: turns, units, parts: around * planes.size.div_ceil(turns) * count.div_ceil(units) }
    }

    /// One call of a kernel, which is all there is to do.
    ///
    /// # Safety
    /// As [`Work::run`], of operands where their first elements are.
    #[inline]
    unsafe fn run_whole(&self, whole: &Whole, at: [*mut u8; 3]) {
        let Axis { size: planes, strides: [to_step, one, two] } = self.scheme.planes;
        let (from, to, step) = ([at[1].cast_const(), at[2].cast_const()], at[0], [one, two]);
        // SAFETY: the caller's promise.
        unsafe {
            if self.scheme.along {
                let (n, keep) = (whole.lanes, self.scheme.cols.size);
                self.kernel.along(&Along { at: from, runs: planes, step, n, keep, to, to_step });
            } else {
                let rows = &whole.rows[..whole.count];
                self.kernel.down(&Down { at: from, rows, cols: whole.lanes, under: &[], to, planes, step, to_step });
            }
        }
    }

    /// That call, if it is all there is to do.
    fn whole(&self) -> Option<Whole> {
        let Scheme { groups, runs, cols, .. } = &self.scheme;
        let simple = self.scheme.along || (self.scheme.longer == 0 && self.is_one_block());
        if self.cut.parts != 1 || !simple || !self.is_direct(false) {
            return None;
        }
        let mut rows = [[0; 2]; BLOCK];
        let count = self.rows(false).from(0).block(&mut rows);
        Some(Whole { rows, count, lanes: groups.size * runs.size * cols.size })
    }

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
    unsafe fn run_parts(&self, at: [*mut u8; 3], onto: bool, parallel: bool) {
        #[cfg(feature = "rayon")]
        if parallel && self.bytes >= GRAIN && rayon::current_num_threads() > 1 {
            let parts = self.cut.parts;
            // Few parts are split where their trees are.
            if parts < 4 * rayon::current_num_threads() && self.bytes / parts > 4 * CHUNK && !self.scheme.along {
                // SAFETY: the caller's promise.
                return unsafe { self.run_range(at, 0..parts, onto, true) };
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
        unsafe { self.run_range(at, 0..self.cut.parts, onto, false) }
    }

    /// # Safety
    /// As [`Work::run_whole`], for these parts.
    #[inline(never)]
    unsafe fn run_range(&self, at: [*mut u8; 3], parts: Range<usize>, onto: bool, split: bool) {
        let (mut area, mut heap) = (Area::new(), Vec::new());
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

    /// Writes what a reduction of nothing gives.
    ///
    /// # Safety
    /// As [`Work::run`], for the output.
    unsafe fn fill(&self, out: *mut u8, onto: bool) {
        let Some((nest, identity)) = &self.nothing else { return };
        if onto && !identity.nan {
            return;
        }
        let mut nest = nest.clone();
        let kernel = choose_move(&mut nest, self.finish.isa);
        let from = identity.bytes.as_ptr().cast::<u8>().cast_mut();
        // SAFETY: the caller's promise; every element is that of the identity, which a kernel only reads.
        unsafe { walk(&nest, kernel.run, [out, from], 0..nest.units) }
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
        unsafe { self.work.run_range(self.at, parts, onto, false) }
    }
}

impl Identity {
    /// Of a reduction that has one.
    fn of(reduction: Reduction, output: DType) -> Option<Self> {
        use DType as D;
        let number = |one: f32| match output {
            D::F16 => [u64::from(f16::from_f32(one).to_bits()), 0],
            D::BF16 => [u64::from(bf16::from_f32(one).to_bits()), 0],
            D::F32 => [u64::from(one.to_bits()), 0],
            D::F64 => [f64::from(one).to_bits(), 0],
            D::C64 => [u64::from(one.to_bits()), 0],
            D::C128 => [f64::from(one).to_bits(), 0],
            _ => [one as u64, 0],
        };
        let words = match reduction {
            Reduction::Sum => [0, 0],
            Reduction::Prod => number(1.0),
            Reduction::Mean => number(f32::NAN),
            Reduction::Max | Reduction::Min => return None,
        };
        // Both parts of a complex mean are 0 / 0.
        let words = match (reduction, output) {
            (Reduction::Mean, D::C64) => [words[0] << 32 | words[0], 0],
            (Reduction::Mean, D::C128) => [words[0]; 2],
            _ => words,
        };
        let mut bytes = [0; 16];
        let size = output.size().min(8);
        for (part, word) in bytes.chunks_exact_mut(8).zip(words) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        if cfg!(target_endian = "big") {
            for part in bytes.chunks_exact_mut(size) {
                part.reverse();
            }
        }
        Some(Self { bytes, nan: reduction == Reduction::Mean })
    }
}
