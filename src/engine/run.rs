//! Running plans: the one place where safe slices and views become pointers for the kernels.

use core::mem::size_of;
use core::ops::Range;

use bytemuck::NoUninit;

use super::grid::{Cut, LINE, Lines};
use super::lay::{Task, choose, lay};
use super::plan::{Options, Plan, Reach};
use super::split;
use super::walk::walk;
use crate::dims::Shape;
use crate::error::{BroadcastError, Result};
use crate::layout::{AnyView, AnyViewMut, Buffer, Out, Rule, Tensor, Tiling, View, checked_bytes};
use crate::nest::{LoopNest, Pattern};

impl Plan {
    /// Runs the plan. The output's elements are overwritten; the gaps of a strided output are not touched. `out` is a
    /// slice, an array or a vector of `T` or `MaybeUninit<T>`.
    ///
    /// # Errors
    /// If `T` has another size than the plan's elements, if a buffer is too short, or if `out` is longer than the
    /// output of a plan that was made without a layout for it. Nothing is written then.
    pub fn run<'o, T: NoUninit>(&self, src: &[T], out: impl Into<Buffer<'o, T>>) -> Result<()> {
        let out = out.into();
        self.check(size_of::<T>(), src.len(), out.len())?;
        // SAFETY: checked above. Whole elements of T are written, copied from elements of T.
        unsafe { self.launch(src.as_ptr().cast(), out.as_mut_ptr()) };
        Ok(())
    }

    /// As [`Plan::run`] on bytes of any alignment. Lengths are in bytes.
    ///
    /// # Errors
    /// As [`Plan::run`]; if a buffer does not hold whole elements.
    pub fn run_bytes<'o>(&self, src: &[u8], out: impl Into<Buffer<'o, u8>>) -> Result<()> {
        let out = out.into();
        self.check(self.elem, self.elements("source", src.len())?, self.elements("output", out.len())?)?;
        // SAFETY: checked above; kernels load and store unaligned.
        unsafe { self.launch(src.as_ptr(), out.as_mut_ptr()) };
        Ok(())
    }

    /// Cuts the output into at most `n` pieces (at least one) that the caller may run where it likes.
    ///
    /// Pieces meet on multiples of 64 bytes from the output's first element, so that no two of them share a cache
    /// line of an aligned buffer. There are fewer than `n` where the output has fewer lines.
    ///
    /// # Errors
    /// If the output has gaps, or starts behind its buffer's start: its pieces are not slices then. [`raw::run_part`]
    /// runs those.
    ///
    /// [`raw::run_part`]: crate::raw::run_part
    pub fn parts(&self, n: usize) -> Result<Parts<'_>> {
        if !self.dense {
            return Err(BroadcastError::NotDense { shape: self.shape.to_vec() });
        }
        Ok(self.pieces(n))
    }

    /// As [`Plan::parts`], also for outputs with gaps, whose pieces are runs of elements in memory order.
    pub(crate) fn pieces(&self, n: usize) -> Parts<'_> {
        let blocks = self.block_elements().filter(|block| self.len.div_ceil(*block) >= n);
        let step = blocks.unwrap_or_else(|| self.line_elements());
        Parts { plan: self, step, count: n.clamp(1, self.len.div_ceil(step).max(1)) }
    }

    /// Elements of as many whole rows as a line of a transpose's source holds, which are whole lines of the output.
    fn block_elements(&self) -> Option<usize> {
        let bytes = self.nest.cols().size.checked_mul(LINE).filter(|_| self.pattern() == Pattern::Transpose)?;
        bytes.is_multiple_of(self.elem).then(|| bytes / self.elem)
    }

    /// Elements between two places where an element edge meets a line edge.
    fn line_elements(&self) -> usize {
        // Both are powers of two times something, and the line is a power of two: their common factor is the
        // element's power of two, capped by the line.
        LINE >> self.elem.trailing_zeros().min(LINE.trailing_zeros())
    }

    /// Whole elements in `bytes`.
    fn elements(&self, what: &'static str, bytes: usize) -> Result<usize> {
        let elements = bytes.checked_div(self.elem).unwrap_or(0);
        if elements * self.elem == bytes {
            return Ok(elements);
        }
        Err(BroadcastError::PartialElement { what, bytes, elem_size: self.elem })
    }

    /// The element size and what the buffers hold, in elements.
    #[inline]
    fn check(&self, elem: usize, src: usize, out: usize) -> Result<()> {
        self.check_source(elem, src)?;
        let held = if self.exact { out == self.len } else { self.output.holds(out) };
        if held || elem == 0 {
            return Ok(());
        }
        Err(self.output.lack("output", out))
    }

    #[inline]
    fn check_source(&self, elem: usize, src: usize) -> Result<()> {
        if elem != self.elem {
            return Err(BroadcastError::ElementSize { expected: self.elem, got: elem });
        }
        if !self.source.holds(src) && elem != 0 {
            return Err(self.source.lack("source", src));
        }
        Ok(())
    }

    /// Runs the whole nest.
    ///
    /// # Safety
    /// `src` and `out` are the starts of buffers that hold what `self.source` and `self.output` reach, of
    /// elements of the plan's size, initialised on the source's side; the two do not overlap; nobody else touches the
    /// output or writes the source meanwhile.
    #[inline]
    pub(crate) unsafe fn launch(&self, src: *const u8, out: *mut u8) {
        // SAFETY: the nest was built from the layouts whose reach the caller vouches for; the kernel was looked up for
        // its pattern and unit on a level that an `Isa` vouches for. The source is never written through its pointer.
        // A frame is the nest's whole tile.
        unsafe {
            if let Some(frame) = &self.frame {
                return (self.kernel.run)(&mut frame.at([out, src.cast_mut()]));
            }
            split::run(&self.nest, self.kernel.run, [out, src.cast_mut()], Cut::of(self.pattern()), !self.serial)
        }
    }

    /// Runs the elements `range` of a plan for bytes; both ends on multiples of 64 elements, or the output's end.
    ///
    /// # Panics
    /// If the buffers or the range do not fit the plan: a slip of this crate.
    pub(crate) fn run_range(&self, range: Range<usize>, src: &[u8], out: &mut [u8]) {
        let aligned = |end: usize| end.is_multiple_of(LINE) || end == self.len;
        assert!(self.elem == 1 && self.dense && self.source.holds(src.len()));
        assert!(aligned(range.start) && aligned(range.end) && range.end <= self.len && range.len() == out.len());
        // SAFETY: asserted above.
        unsafe { self.launch_range(range, src.as_ptr(), out.as_mut_ptr()) }
    }

    /// Byte offsets, from the operand's pointer, that source and output touch; empty ranges where none is.
    pub(crate) fn byte_spans(&self) -> (Range<isize>, Range<isize>) {
        let bytes = |reach: &Reach| {
            // The constructor checked that both products fit.
            reach.span.map_or(0..0, |(low, high)| low * self.elem as isize..(high + 1) * self.elem as isize)
        };
        (bytes(&self.source), bytes(&self.output))
    }

    /// Runs the elements `range` of a dense output; `out` points at the first element **of the range**.
    ///
    /// # Safety
    /// As [`Plan::launch`] for the source; `out` is valid for the range; the output is dense; `range` starts on a
    /// multiple of [`Plan::line_elements`] and ends on one or at the output's end.
    pub(crate) unsafe fn launch_range(&self, range: Range<usize>, src: *const u8, out: *mut u8) {
        debug_assert_eq!(self.nest.start[0], 0, "a dense output starts at element 0 of its buffer");
        // Where the whole output would start. Wrapping, because that may lie before the range's own memory.
        let base = out.wrapping_sub(range.start * self.elem);
        // SAFETY: a dense output in the nest's order is its memory in order, so the range's units are exactly its
        // bytes.
        unsafe { self.launch_piece(range, src, base) }
    }

    /// Runs the `range` of elements, counted in the nest's order; `out` is where the whole output starts.
    ///
    /// # Safety
    /// As [`Plan::launch`] for the source and for the output's elements in the range; both ends of `range` are
    /// multiples of [`Plan::line_elements`], or the output's end.
    pub(crate) unsafe fn launch_piece(&self, range: Range<usize>, src: *const u8, out: *mut u8) {
        if self.nest.units == 0 {
            return;
        }
        // A line holds whole units and whole elements, so both ends fall on units.
        let units = range.start * self.elem / self.nest.unit..range.end * self.elem / self.nest.unit;
        // SAFETY: the caller vouches for the range, and the plan for nest and kernel, as in `launch`.
        unsafe { walk(&self.nest, self.kernel.run, [out, src.cast_mut()], units) }
    }
}

/// The pieces of a plan; see [`Plan::parts`].
///
/// ```
/// use stridecast::{Layout, Options, Plan, Rule};
///
/// let plan = Plan::broadcast(&Layout::new(&[100, 1])?, &[100, 7], Rule::Numpy, 4, Options::new())?;
/// let src: Vec<f32> = (0..100).map(|i| i as f32).collect();
/// let mut out = vec![0.0_f32; 700];
/// let parts = plan.parts(4)?;
/// for i in 0..parts.len() {
///     parts.run_part(i, &src, &mut out[parts.range(i)])?; // in any order, on any thread
/// }
/// assert_eq!(out[699], 99.0);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parts<'p> {
    plan: &'p Plan,
    /// Elements between two places where the output may be cut.
    step: usize,
    count: usize,
}

#[expect(clippy::len_without_is_empty, reason = "there is always at least one part")]
impl Parts<'_> {
    /// Number of pieces, at least 1.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The elements of the output, in memory order, that piece `index` writes.
    ///
    /// # Panics
    /// If `index` is not below [`Parts::len`].
    pub fn range(&self, index: usize) -> Range<usize> {
        assert!(index < self.count, "part {index} of {}", self.count);
        Lines::aligned(self.step).piece(self.plan.len, self.count, index)
    }

    /// [`Parts::range`] in bytes.
    ///
    /// # Panics
    /// If `index` is not below [`Parts::len`].
    pub fn byte_range(&self, index: usize) -> Range<usize> {
        let Range { start, end } = self.range(index);
        start * self.plan.elem..end * self.plan.elem
    }

    /// Writes piece `index` on the calling thread. `out` is the piece's own slice, `&mut output[parts.range(index)]`.
    ///
    /// # Errors
    /// If `T` has another size than the plan's elements, `src` is too short, or `out` has another length than the
    /// piece's range.
    ///
    /// # Panics
    /// If `index` is not below [`Parts::len`].
    pub fn run_part<'o, T: NoUninit>(&self, index: usize, src: &[T], out: impl Into<Buffer<'o, T>>) -> Result<()> {
        let out = out.into();
        let range = self.check(index, size_of::<T>(), src.len(), out.len())?;
        // SAFETY: checked above; `parts` refused outputs with gaps, and `piece` cuts on lines.
        unsafe { self.plan.launch_range(range, src.as_ptr().cast(), out.as_mut_ptr()) };
        Ok(())
    }

    /// As [`Parts::run_part`] on bytes of any alignment; lengths are in bytes, as in [`Parts::byte_range`].
    ///
    /// # Errors
    /// As [`Parts::run_part`]; if a buffer does not hold whole elements.
    ///
    /// # Panics
    /// If `index` is not below [`Parts::len`].
    pub fn run_part_bytes<'o>(&self, index: usize, src: &[u8], out: impl Into<Buffer<'o, u8>>) -> Result<()> {
        let (plan, out) = (self.plan, out.into());
        let elements = plan.elements("part's output", out.len())?;
        let range = self.check(index, plan.elem, plan.elements("source", src.len())?, elements)?;
        // SAFETY: as in `run_part`; kernels load and store unaligned.
        unsafe { plan.launch_range(range, src.as_ptr(), out.as_mut_ptr()) };
        Ok(())
    }

    fn check(&self, index: usize, elem: usize, src: usize, out: usize) -> Result<Range<usize>> {
        self.plan.check_source(elem, src)?;
        let range = self.range(index);
        if out != range.len() && elem != 0 {
            return Err(BroadcastError::LengthMismatch { what: "part's output", expected: range.len(), got: out });
        }
        Ok(range)
    }
}

/// What a typed call is to write: a view's elements, and how.
pub(crate) struct Job<'j, T> {
    source: &'j [T],
    task: Task<'j>,
}

impl<'j, T: NoUninit> Job<'j, T> {
    /// The view as it stands.
    pub(crate) fn copy(view: &'j View<'_, T>) -> Self {
        Self { source: view.data(), task: Task::Copy(view.layout()) }
    }

    /// The view broadcast to a shape.
    pub(crate) fn broadcast(view: &'j View<'_, T>, shape: &'j [usize], rule: Rule<'j>) -> Self {
        Self { source: view.data(), task: Task::Broadcast(view.layout(), shape, rule) }
    }

    /// The view tiled or its elements repeated.
    pub(crate) fn tile(view: &'j View<'_, T>, tiling: &'j Tiling) -> Self {
        Self { source: view.data(), task: Task::Tile(tiling) }
    }

    /// Writes into the caller's output.
    pub(crate) fn run_into(&self, out: Out<'_, T>, options: Options) -> Result<()> {
        let (elem, src) = (size_of::<T>(), self.source.as_ptr().cast());
        let strided = match out.layout() {
            Some(layout) if layout.is_plain() && self.task.has_shape(layout.shape()) => None,
            layout => layout,
        };
        let Some(layout) = strided else {
            // SAFETY: a view's layout is in bounds of its initialised slice; the output starts with that many
            // exclusively borrowed elements; the two borrows cannot overlap; elements are copied whole.
            return unsafe { run_dense(self.task, elem, src, out.as_mut_ptr(), out.len(), options) };
        };
        let plan = self.task.strided(layout, elem, options)?;
        // SAFETY: as above, and an `Out`'s layout is in bounds of its memory.
        unsafe { plan.launch(src, out.as_mut_ptr()) };
        Ok(())
    }

    /// Writes into a new tensor.
    pub(crate) fn to_tensor(&self, options: Options) -> Result<Tensor<T>> {
        let plan = self.task.dense(size_of::<T>(), options)?;
        // SAFETY: the run writes every element of the plan's shape.
        unsafe {
            Tensor::filled_by(Shape::from(plan.output_shape()), |ptr: *mut T| {
                plan.launch(self.source.as_ptr().cast(), ptr.cast());
                Ok(())
            })
        }
    }
}

/// Plans and runs at once, into `out_len` elements in C order: a plan's decisions without what only a plan that is
/// kept needs.
///
/// # Safety
/// `src` is the start of an initialised slice that holds what the task's layout reaches, of `elem`-byte elements; `out`
/// that of `out_len` such elements, which nobody else touches meanwhile and which do not overlap the slice.
unsafe fn run_dense(
    task: Task<'_>,
    elem: usize,
    src: *const u8,
    out: *mut u8,
    out_len: usize,
    options: Options,
) -> Result<()> {
    task.resolve(|source, shape| {
        let mut nest = LoopNest::empty();
        // The bytes of what lies in a slice have offsets that fit.
        lay(&mut nest, source, shape, elem)?;
        let (kernel, _) = choose(&mut nest, options)?;
        if elem == 0 || nest.units * nest.unit != out_len * elem {
            // Elements of no size have a count, but no units.
            let expected = checked_bytes(shape, 1)?;
            if expected != out_len {
                return Err(BroadcastError::LengthMismatch { what: "output", expected, got: out_len });
            }
        }
        // SAFETY: the nest was built from the task's layout and an output of `out_len` elements; the kernel was looked
        // up for its pattern and unit on a level that an `Isa` vouches for.
        unsafe { split::run(&nest, kernel.run, [out, src.cast_mut()], Cut::of(kernel.info.pattern), !options.serial) };
        Ok(())
    })
}

/// Copies between views of one dtype and shape; both were checked by the caller.
pub(crate) fn copy_any(source: &AnyView<'_>, out: &mut AnyViewMut<'_>, options: Options) -> Result<()> {
    debug_assert_eq!(source.dtype(), out.dtype());
    let plan = Plan::copy(source.layout(), out.layout(), source.dtype().size(), options)?;
    // SAFETY: both views are in bounds of their borrowed bytes, the source's are initialised, and the borrows cannot
    // overlap.
    unsafe { plan.launch(source.bytes().as_ptr(), out.as_mut_ptr()) };
    Ok(())
}

/// Tiles a view into one of its dtype, which was checked by the caller.
pub(crate) fn tile_any(
    source: &AnyView<'_>,
    tiling: &Tiling,
    out: &mut AnyViewMut<'_>,
    options: Options,
) -> Result<()> {
    debug_assert_eq!(source.dtype(), out.dtype());
    let plan = Plan::tiling(tiling, Some(out.layout()), source.dtype().size(), options)?;
    // SAFETY: as in `copy_any`; the tiling was made from the source's layout.
    unsafe { plan.launch(source.bytes().as_ptr(), out.as_mut_ptr()) };
    Ok(())
}
