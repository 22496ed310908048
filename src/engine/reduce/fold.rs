//! The partial results of runs to one result each.

use super::area::Parts;
use super::down::Sheet;
use super::kernel::{Along, Down};
use super::lay::Lay;
use super::leaf::Leaf;
use super::rows::Rows;
use super::scheme::Fold;
use crate::engine::isa::Isa;
use crate::nest::Axis;

/// Groups of runs of columns of accumulators, in the first of the area's blocks.
#[derive(Clone, Copy)]
pub(super) struct Partial {
    pub joint: Leaf,
    pub isa: Isa,
    pub groups: usize,
    pub runs: usize,
    pub cols: usize,
}

impl Partial {
    /// Folds them; groups of columns are left, dense, in the area's block of the number that is returned.
    ///
    /// # Safety
    /// They were written; the kernel takes accumulators, and the CPU passed the check of its level.
    pub unsafe fn fold(self, fold: Fold, area: Parts<'_>) -> usize {
        let acc = self.joint.acc;
        assert!(self.groups * self.runs * self.cols * acc <= area.room.acc, "partial results fit their block");
        // SAFETY: the caller's promise: what is read was written, and what is written is as long or shorter.
        unsafe {
            match fold {
                Fold::None => return 0,
                Fold::Along => {
                    let along = Along {
                        at: [area.acc[0].cast_const(); 2],
                        runs: self.groups,
                        step: [(self.runs * self.cols * acc) as isize; 2],
                        n: self.runs * self.cols,
                        keep: self.cols,
                        to: area.acc[1],
                        to_step: (self.cols * acc) as isize,
                    };
                    self.joint.along(&along);
                }
                Fold::Halves => return self.halves(area),
                Fold::Turned => return self.turned(area),
            }
        }
        1
    }

    /// # Safety
    /// As [`Partial::fold`].
    unsafe fn halves(self, area: Parts<'_>) -> usize {
        let acc = self.joint.acc;
        let (mut runs, mut here) = (self.runs, 0);
        while runs > 1 {
            let half = runs / 2 * self.cols * acc;
            let from = area.acc[here].cast_const();
            let down = Down {
                at: [from; 2],
                rows: &[[0; 2], [half as isize; 2]],
                cols: runs / 2 * self.cols,
                under: &[],
                to: area.acc[1 - here],
                planes: self.groups,
                step: [2 * half as isize; 2],
                to_step: half as isize,
            };
            // SAFETY: the caller's promise; the two blocks are apart.
            unsafe { self.joint.down(&down) };
            runs /= 2;
            here = 1 - here;
        }
        here
    }

    /// # Safety
    /// As [`Partial::fold`].
    unsafe fn turned(self, area: Parts<'_>) -> usize {
        let acc = self.joint.acc;
        let width = acc as isize;
        let (runs, cols) = (self.runs, self.cols);
        let sizes = [1, runs, self.groups, cols];
        let strides = [0, cols as isize * width, (runs * cols) as isize * width, width];
        let [from, to] = area.acc;
        let lanes = self.groups * cols;
        let step = lanes as isize * width;
        let axis = |size, stride| Axis { size, strides: [0, stride, stride] };
        // SAFETY: both blocks have room, and are apart; then the rows are dense in the second, and the first is free.
        unsafe {
            Lay::new().copy(sizes, strides, acc, self.isa, [to, from], false);
            let rows = Rows { outer: &[], inner: axis(runs, step), laid: false };
            let sheet = Sheet {
                kernel: self.joint,
                joint: self.joint,
                size: acc,
                inputs: 1,
                isa: self.isa,
                rows,
                axes: [axis(1, 0), axis(1, 0), axis(lanes, width)],
                laid: [false; 2],
            };
            let most = sheet.most_lanes(area.room);
            for start in (0..lanes).step_by(most) {
                let part = Sheet { axes: [axis(1, 0), axis(1, 0), axis(most.min(lanes - start), width)], ..sheet };
                let at = to.add(start * acc).cast_const();
                part.run([at; 2], 0..rows.blocks(), from.add(start * acc), area);
            }
        }
        0
    }
}
