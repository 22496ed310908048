//! [`Work`]: a scheme with its kernels, and how it is cut into parts.

use alloc::boxed::Box;

use super::area::Room;
use super::down::{Sheet, levels};
use super::finish::Finish;
use super::kernel::{Along, Down};
use super::leaf::Leaf;
use super::nothing::Nothing;
use super::rows::Rows;
use super::runs::Runs;
use super::scheme::{BLOCK, Fold, Scheme};
use super::table::Chosen;
use crate::element::DType;
use crate::engine::grid::CHUNK;
use crate::engine::isa::Isa;
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
    pub(super) joint: Leaf,
    pub(super) finish: Finish,
    /// Byte offsets of the first elements, of the partial results of runs if there are any.
    start: [isize; 3],
    /// Of the operands.
    first: [isize; 3],
    /// Bytes of an element of an input.
    pub(super) size: usize,
    inputs: usize,
    pub(super) cut: Cut,
    pub(super) room: Room,
    /// Bytes that are read.
    pub(super) bytes: usize,
    /// What an output of nothing is made of, and where it lies.
    nothing: Option<Nothing>,
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
pub(super) struct Cut {
    pub planes: usize,
    /// Lanes, in groups if there are any.
    pub units: usize,
    pub parts: usize,
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
            nothing = Nothing::of(reduction, output, target);
            if nothing.is_none() {
                return Err(BroadcastError::EmptyReduction { reduction, shape: shape.to_vec() });
            }
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
            if let Some(nothing) = &self.nothing {
                return nothing.fill(ptrs[0], onto, self.finish.isa);
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
    pub(super) fn is_direct(&self, onto: bool) -> bool {
        let Scheme { groups, cols, fold, .. } = &self.scheme;
        let size = self.finish.size;
        let dense = |axis: &Axis<3>, width: usize| axis.size == 1 || axis.strides[0] == width as isize;
        *fold == Fold::None && self.finish.is_plain(onto) && dense(cols, size) && dense(groups, cols.size * size)
    }

    /// The rows of the first lanes or of the others.
    pub(super) fn rows(&self, longer: bool) -> Rows<'_> {
        let (inner, outer) = self.scheme.rows.split_last().expect("there are rows");
        let inner = Axis { size: inner.size + usize::from(longer), ..*inner };
        Rows { outer, inner, laid: self.scheme.laid[..self.inputs].contains(&true) }
    }

    /// Whether one call of a kernel takes the rows of many planes.
    pub(super) fn is_one_block(&self) -> bool {
        let rows = self.rows(self.scheme.longer > 0);
        !rows.laid && rows.blocks() == 1
    }

    /// Whether lanes are columns of one group, which may be cut anywhere.
    pub(super) fn cuts_cols(&self) -> bool {
        self.scheme.groups.size == 1 && !self.scheme.folds()
    }

    /// The lanes that stay together, and how many times there are as many.
    pub(super) fn units(&self) -> (usize, usize) {
        let Scheme { groups, cols, .. } = &self.scheme;
        if self.cuts_cols() { (1, cols.size) } else { (self.scheme.group(), groups.size) }
    }

    pub(super) fn sheet(&self, longer: bool, axes: [Axis<3>; 3]) -> Sheet<'_> {
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
}
