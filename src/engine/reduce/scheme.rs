//! [`Scheme`]: how a nest is reduced, decided from its axes alone.
//!
//! Everything becomes one of two walks. **Down**: rows of lanes are added lane by lane; a lane is a kept element or, if
//! the innermost axis is reduced, one of several partial results that are folded at the end. **Along**: a run of dense
//! elements becomes one, which is the same inside a kernel. Axes that fit neither are laid out in L1 first.
//!
//! What is decided here is the order of additions, so it looks at sizes, strides and types, and at no machine.

#![forbid(unsafe_code)]

use super::area::{LAID, Room};
use super::down::levels;
use super::leaf::Leaf;
use crate::dims::Dims;
use crate::nest::{Axis, LoopNest};

/// Rows that are added one to another before partial results are joined as a tree.
pub(super) const BLOCK: usize = 8;

/// Bytes of a kernel's accumulators.
pub(super) const WIDTH: usize = 256;

/// Most bytes of accumulators that are not cut, if there is room for as many levels of them.
const UNCUT: usize = 2048;

/// Kept elements fewer than this fill no vector.
pub(super) const NARROW: usize = 64;

/// Runs of fewer elements are turned, if they are many: 7 f32 take 1.8 ns so, and 3 by the kernel that goes along them.
pub(super) const SHORT: usize = 16;

/// Fewer outputs are not worth turning a block for.
pub(super) const FEW: usize = 8;

/// How a nest is reduced.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    /// Kept loops around everything, outermost first.
    pub outer: Dims<Axis<3>>,
    /// The innermost of them, of which kernels take several turns; of size 1 if there is none.
    pub planes: Axis<3>,
    /// Reduced loops, outermost first: their turns are rows. One at least.
    pub rows: Dims<Axis<3>>,
    /// The first lanes, as many, have one more turn of the innermost of these.
    pub longer: usize,
    /// Lanes: kept groups, of reduced runs, of kept columns.
    pub groups: Axis<3>,
    pub runs: Axis<3>,
    pub cols: Axis<3>,
    /// Whether an input's rows are first laid out.
    pub laid: [bool; 2],
    /// Whether planes are runs for the kernel that goes along them.
    pub along: bool,
    /// How the partial results of a run become one.
    pub fold: Fold,
}

/// How partial results become one, for each column of each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// They are one.
    None,
    /// By the kernel that goes along runs.
    Along,
    /// The upper half is added to the lower until one is left: their number is a power of two.
    Halves,
    /// Groups are turned into lanes, and their results are rows.
    Turned,
}

fn one() -> Axis<3> {
    Axis { size: 1, strides: [0; 3] }
}

impl Scheme {
    /// Of a nest over an output and the inputs of a leaf.
    pub fn of(nest: &LoopNest<3>, leaf: &Leaf) -> Self {
        let Leaf { size, acc, inputs, .. } = *leaf;
        Finder { inputs, size: size as isize, acc, quick: leaf.is_quick(), axes: nest.axes.clone(), left: 1 }.find()
    }

    /// Lanes of a group.
    pub fn group(&self) -> usize {
        self.runs.size * self.cols.size
    }

    /// Whether partial results are folded.
    pub fn folds(&self) -> bool {
        self.runs.size > 1
    }

    /// Rows, but for the one more of the first lanes.
    pub fn row_count(&self) -> usize {
        self.rows.iter().map(|axis| axis.size).product()
    }
}

struct Finder {
    inputs: usize,
    size: isize,
    acc: usize,
    /// Whether short runs are as well joined as long ones.
    quick: bool,
    /// Loops that have no place yet.
    axes: Dims<Axis<3>>,
    /// Size of a reduced axis that was taken from them.
    left: usize,
}

impl Finder {
    fn find(mut self) -> Scheme {
        let is_kept = |axis: &Axis<3>| axis.strides[0] != 0;
        let Some(&inner) = self.axes.last() else { return self.scheme(one(), one(), one()) };
        if !self.is_dense(&inner, self.size) {
            return self.laid();
        }
        if is_kept(&inner) && !self.is_narrow(&inner) {
            self.axes.pop();
            return self.scheme(one(), one(), inner);
        }
        // Few columns, or none, inside a reduced run.
        let cols = if is_kept(&inner) {
            self.axes.pop().unwrap_or(inner)
        } else {
            Axis { size: 1, strides: [0, self.size, self.size] }
        };
        let width = cols.size as isize * self.size;
        let run = match self.axes.last() {
            Some(&run) if !is_kept(&run) && self.is_dense(&run, width) => run,
            _ => return self.scheme(one(), one(), cols),
        };
        self.axes.pop();
        self.left = run.size;
        let elements = run.size * cols.size;
        let lanes = WIDTH / self.acc;
        let alone = self.axes.iter().all(is_kept);
        let power = is_power(cols.size);
        let both = self.both_dense(&cols, self.size) && self.both_dense(&run, width);
        let most = self.uncut(!both);
        if alone && both && power && (lanes..=64 * lanes).contains(&elements) {
            return self.along(run, cols);
        }
        let neighbour = self.axes.iter().rposition(is_kept);
        let outputs = neighbour.map_or(1, |at| self.axes[at].size);
        if alone && elements < lanes {
            let slow = !self.quick || elements < SHORT;
            if outputs >= FEW && (slow && cols.size == 1 || run.size < BLOCK && !power) {
                return self.turned(run, cols, neighbour);
            }
            if power && both {
                return self.along(run, cols);
            }
        }
        if elements > most || alone {
            return self.split(run, cols, most);
        }
        // Rows of whole groups: what is left of a group is folded once for all rows. Where the second input's groups are not
        // side by side, it is laid out, and a block of rows of one group at least must fit.
        let group = run.size as isize * width;
        let fits = |next: &Axis<3>| self.both_dense(next, group) || elements <= self.uncut(true);
        let groups = match self.axes.last() {
            Some(&next) if is_kept(&next) && self.is_dense(&next, group) && fits(&next) => {
                self.axes.pop();
                next
            }
            _ => one(),
        };
        self.scheme(groups, run, cols)
    }

    /// Whether rows of these columns are joined side by side: they fill no vector or, where there are many that lie densely,
    /// not all accumulators of a kernel.
    fn is_narrow(&self, cols: &Axis<3>) -> bool {
        let (bytes, width) = (cols.size * self.acc, cols.size as isize * self.size);
        let Some((next, around)) = self.axes[..self.axes.len() - 1].split_last() else { return bytes < NARROW };
        let other =
            around.iter().filter(|axis| axis.strides[0] == 0).fold(1, |n: usize, axis| n.saturating_mul(axis.size));
        let many = next.strides[0] == 0 && self.is_dense(next, width) && next.size.max(other) > BLOCK;
        bytes < NARROW || many && bytes < WIDTH
    }

    /// Lanes at most of what is not cut: for each level of the tree there has to be a row of them, and for a block of rows
    /// that are laid out.
    fn uncut(&self, laid: bool) -> usize {
        let reduced = self.axes.iter().filter(|axis| axis.strides[0] == 0);
        let rows = reduced.fold(self.left, |rows, axis| rows.saturating_mul(axis.size));
        let bytes = UNCUT.min(Room::SMALL.stack / levels(rows.div_ceil(BLOCK)));
        let lanes = bytes / self.acc;
        if laid { lanes.min(LAID / BLOCK / self.size as usize) } else { lanes }
    }

    /// Whether neighbours along an axis of the first input lie `step` bytes apart.
    fn is_dense(&self, axis: &Axis<3>, step: isize) -> bool {
        axis.strides[1] == step
    }

    /// Of both inputs.
    fn both_dense(&self, axis: &Axis<3>, step: isize) -> bool {
        axis.size == 1 || axis.strides[1] == step && (self.inputs < 2 || axis.strides[2] == step)
    }

    /// The axes that are left become outer loops and rows around these lanes.
    fn scheme(self, groups: Axis<3>, runs: Axis<3>, cols: Axis<3>) -> Scheme {
        let (mut outer, mut rows) = (Dims::new(), Dims::new());
        for axis in &self.axes {
            if axis.strides[0] == 0 { rows.push(*axis) } else { outer.push(*axis) }
        }
        if rows.is_empty() {
            rows.push(one());
        }
        let planes = outer.pop().unwrap_or(one());
        let mut scheme = Scheme {
            outer,
            planes,
            rows,
            longer: 0,
            groups,
            runs,
            cols,
            laid: [false; 2],
            along: false,
            fold: Fold::None,
        };
        scheme.fold = self.fold(&scheme);
        for k in 0..self.inputs {
            let dense =
                |axis: &Axis<3>, step: usize| axis.size == 1 || axis.strides[k + 1] == step as isize * self.size;
            let lies = dense(&cols, 1) && dense(&runs, cols.size) && dense(&groups, scheme.group());
            scheme.laid[k] = !lies;
        }
        scheme
    }

    /// The kernel that goes along folds what fills its lanes, and few groups; the others are turned.
    fn fold(&self, scheme: &Scheme) -> Fold {
        let (runs, cols) = (scheme.runs.size, scheme.cols.size);
        let power = is_power(cols);
        let lanes = WIDTH / self.acc;
        let many = scheme.groups.size.saturating_mul(scheme.planes.size) >= FEW;
        match runs {
            1 => Fold::None,
            _ if power && (runs * cols >= lanes || !many) => Fold::Along,
            _ if runs.is_power_of_two() && cols > 1 => Fold::Halves,
            _ => Fold::Turned,
        }
    }

    /// Every run becomes an output of its own.
    fn along(self, run: Axis<3>, cols: Axis<3>) -> Scheme {
        let mut scheme = self.scheme(one(), run, cols);
        scheme.along = true;
        scheme.fold = Fold::None;
        scheme
    }

    /// Short runs: the outputs beside them become lanes, by turning blocks.
    fn turned(mut self, run: Axis<3>, cols: Axis<3>, neighbour: Option<usize>) -> Scheme {
        let groups = neighbour.map_or(one(), |at| {
            let axis = self.axes[at];
            self.remove(at);
            axis
        });
        self.axes.push(run);
        self.scheme(groups, one(), cols)
    }

    /// A long run: pieces of it are rows.
    fn split(mut self, run: Axis<3>, cols: Axis<3>, most: usize) -> Scheme {
        // As few lanes as make one block of rows, a power of two: they are folded in halves.
        let pieces = run.size.div_ceil(BLOCK).next_power_of_two();
        let mut piece = pieces.min(previous_power_of_two(most / cols.size));
        if piece * cols.size * self.acc < WIDTH {
            piece = piece.max(previous_power_of_two(WIDTH / self.acc / cols.size)).min(previous_power_of_two(run.size));
        }
        // Wrapping: of one piece, which is not walked along, it may leave the address space.
        let strides = run.strides.map(|stride| stride.wrapping_mul(piece as isize));
        self.axes.push(Axis { size: run.size / piece, strides });
        let longer = run.size % piece * cols.size;
        let mut scheme = self.scheme(one(), Axis { size: piece, ..run }, cols);
        scheme.longer = longer;
        scheme
    }

    /// No axis is dense: lanes are the kept axis whose neighbours are nearest or, if there is hardly one, pieces of a
    /// reduced axis.
    fn laid(mut self) -> Scheme {
        let kept = self.axes.iter().rposition(|axis| axis.strides[0] != 0);
        match kept {
            Some(at) if self.axes[at].size >= FEW || self.axes[at].size * FEW >= self.last_size() => {
                let cols = self.axes[at];
                self.remove(at);
                self.scheme(one(), one(), cols)
            }
            _ => {
                let last = self.axes.iter().rposition(|axis| axis.strides[0] == 0);
                let Some(at) = last else { return self.scheme(one(), one(), one()) };
                let run = self.axes[at];
                self.remove(at);
                self.left = run.size;
                let most = self.uncut(true);
                self.split(run, one(), most)
            }
        }
    }

    /// Size of the innermost reduced axis.
    fn last_size(&self) -> usize {
        self.axes.iter().rfind(|axis| axis.strides[0] == 0).map_or(1, |axis| axis.size)
    }

    fn remove(&mut self, at: usize) {
        let rest: Dims<Axis<3>> =
            self.axes.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, axis)| *axis).collect();
        self.axes = rest;
    }
}

/// Whether the kernel that goes along runs keeps so many columns.
fn is_power(cols: usize) -> bool {
    cols.is_power_of_two() && cols <= 16
}

fn previous_power_of_two(n: usize) -> usize {
    1 << n.max(1).ilog2()
}
