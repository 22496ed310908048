//! [`Lay`]: parts of an input laid out in L1 by the kernels that materialise.

use crate::dims::Dims;
use crate::engine::isa::Isa;
use crate::engine::kernel::Kernel;
use crate::engine::lay::choose_move;
use crate::engine::walk::walk;
use crate::nest::LoopNest;

/// A block of up to four axes: how it is copied between memory and a dense block.
pub(super) struct Lay {
    key: Option<([usize; 4], [isize; 4])>,
    nest: LoopNest<2>,
    kernel: Option<&'static Kernel<2>>,
}

impl Lay {
    pub fn new() -> Self {
        Self { key: None, nest: LoopNest::empty(), kernel: None }
    }

    /// Copies the elements of `size` bytes of these axes, outermost first, with byte strides, at `from` to a dense block
    /// `to`, or, if `back`, those of the dense block `from` to the axes at `to`. One of these for each direction and input.
    ///
    /// # Safety
    /// All elements are readable and initialised on one side, writable on the other, and the sides do not overlap; strides
    /// are multiples of `size`; the CPU passed the check of `isa`.
    pub unsafe fn copy(
        &mut self,
        sizes: [usize; 4],
        strides: [isize; 4],
        size: usize,
        isa: Isa,
        [to, from]: [*mut u8; 2],
        back: bool,
    ) {
        if self.key != Some((sizes, strides)) {
            let mut dense = [0; 4];
            let mut width = 1;
            for (stride, &n) in dense.iter_mut().zip(&sizes).rev() {
                *stride = width;
                width *= n as isize;
            }
            let own = strides.map(|stride| stride / size as isize);
            let [out, input] = if back { [own, dense] } else { [dense, own] };
            // Of axes of one element the strides may be anything.
            let axes: Dims<usize> = (0..4).filter(|&axis| sizes[axis] > 1).collect();
            let shape: Dims<usize> = axes.iter().map(|&axis| sizes[axis]).collect();
            let of = |strides: &[isize; 4]| -> Dims<isize> { axes.iter().map(|&axis| strides[axis]).collect() };
            self.nest = LoopNest::new(&shape, [(&of(&out), 0), (&of(&input), 0)], size);
            self.kernel = Some(choose_move(&mut self.nest, isa));
            self.key = Some((sizes, strides));
        }
        if let Some(kernel) = self.kernel {
            // SAFETY: the caller's promise; a kernel never writes its operand 1.
            unsafe { walk(&self.nest, kernel.run, [to, from], 0..self.nest.units) }
        }
    }
}
