//! [`Plan`]: everything about a call that its shapes decide, worked out once and run many times.

#![forbid(unsafe_code)]

use super::isa::Isa;
use super::kernel::{Kernel, Stores};
use super::lay::{Task, choose, lay};
use super::split;
use super::tile::Frame;
use crate::dims::Shape;
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Rule, Tiling, checked_bytes};
use crate::nest::{LoopNest, Pattern};

/// How a plan runs, where the default does not fit.
///
/// ```
/// use stridecast::{Isa, Options};
///
/// let plain = Options::new().isa(Isa::SCALAR).serial();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub(super) isa: Option<Isa>,
    pub(super) serial: bool,
    pub(super) stores: Option<Stores>,
}

impl Options {
    /// The default: the level of [`Isa::chosen`], large outputs split over the caller's rayon pool, and stores past the
    /// caches where source and output are larger than those.
    pub const fn new() -> Self {
        Self { isa: None, serial: false, stores: None }
    }

    /// Forces an instruction-set level.
    pub const fn isa(mut self, isa: Isa) -> Self {
        self.isa = Some(isa);
        self
    }

    /// Decides how the stores treat the caches: [`Stores::Cached`] if the output is read again at once, say. Where
    /// no kernel streams, the cached one runs; [`KernelInfo::stores`](crate::KernelInfo::stores) tells. One that
    /// streams writes through the caches what is no whole vector: ends of rows, short rows, and a transpose whose rows
    /// lie on vectors each in another place.
    pub const fn stores(mut self, stores: Stores) -> Self {
        self.stores = Some(stores);
        self
    }

    /// The level that a call runs on.
    ///
    /// # Errors
    /// If it is not available.
    #[inline]
    pub(crate) fn level(self) -> Result<Isa> {
        self.isa.map_or_else(Isa::chosen, Ok)
    }

    /// Stays on the calling thread.
    pub const fn serial(mut self) -> Self {
        self.serial = true;
        self
    }
}

/// A prepared materialisation: shapes, strides, rule, kernel and split, without the memory.
///
/// A plan is made for an element *size*; any `NoUninit` type of that size runs on it. It may be shared between
/// threads. `Display` prints what it decided and why.
///
/// ```
/// use stridecast::{Layout, Options, Plan, Rule};
///
/// let plan = Plan::broadcast(&Layout::new(&[2, 1])?, &[2, 3], Rule::Numpy, size_of::<i16>(), Options::new())?;
/// let mut out = [0_i16; 6];
/// plan.run(&[7, 8], &mut out)?;
/// assert_eq!(out, [7, 7, 7, 8, 8, 8]);
/// assert!(plan.run(&[7_i32, 8], &mut [0; 6]).is_err()); // four bytes an element, not two
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) shape: Shape,
    pub(super) elem: usize,
    pub(super) nest: LoopNest<2>,
    pub(super) kernel: &'static Kernel<2>,
    /// The only tile of a nest that stays on the calling thread: it runs without a look at the nest.
    pub(super) frame: Option<Frame<2>>,
    pub(super) isa: Isa,
    pub(super) forced: bool,
    pub(super) serial: bool,
    /// Elements of the output.
    pub(super) len: usize,
    pub(super) source: Reach,
    pub(super) output: Reach,
    /// Whether the output fills its buffer from the first element on without gaps, so that pieces of it are slices.
    pub(super) dense: bool,
    /// Whether the output's buffer must have exactly its length: the plan was made without a layout for it, so a longer
    /// buffer is a mistake and not a choice.
    pub(super) exact: bool,
}

/// What an operand's layout asks of its buffer: the lowest and highest element it touches, `None` if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub span: Option<(isize, isize)>,
}

impl Reach {
    #[inline]
    pub(super) fn of(layout: &Layout<'_>) -> Self {
        Self { span: layout.span().map(|span| (*span.start(), *span.end())) }
    }

    /// That of a C-order layout of `len` elements without gaps.
    pub(super) fn plain(len: usize) -> Self {
        Self { span: (len > 0).then(|| (0, len as isize - 1)) }
    }

    /// Whether `len` elements, no two in one place, fill a buffer from its first on.
    pub(super) fn is_filled_by(self, len: usize) -> bool {
        self.span.is_none_or(|(low, high)| low == 0 && high == len as isize - 1)
    }

    /// That every byte of `layout`, whose reach this is, has an offset that fits `isize`.
    pub(super) fn check_bytes(self, layout: &Layout<'_>, elem: usize) -> Result<()> {
        let Some((low, high)) = self.span else { return Ok(()) };
        let elem = isize::try_from(elem).ok();
        // One more element above, so that the end of the last one fits too. The width as well: strides are at most
        // that.
        let end = high.checked_add(1);
        let fits = |n: Option<isize>| n.zip(elem).is_some_and(|(n, elem)| n.checked_mul(elem).is_some());
        if fits(Some(low)) && fits(end) && fits(end.and_then(|end| end.checked_sub(low))) {
            return Ok(());
        }
        let (shape, strides) = (layout.shape().to_vec(), layout.strides().to_vec());
        Err(BroadcastError::StrideOverflow { shape, strides })
    }

    /// Whether a buffer of `len` elements holds all that the layout reaches.
    pub(super) fn holds(&self, len: usize) -> bool {
        match self.span {
            None => true,
            Some((low, high)) => low >= 0 && high.unsigned_abs() < len,
        }
    }

    /// Why a buffer of `len` elements does not do.
    pub(super) fn lack(&self, what: &'static str, len: usize) -> BroadcastError {
        match self.span {
            Some((lowest, _)) if lowest < 0 => BroadcastError::BeforeBuffer { what, lowest },
            _ => BroadcastError::LengthMismatch { what, expected: self.need(), got: len },
        }
    }

    /// Elements that a buffer needs at least.
    pub(super) fn need(&self) -> usize {
        self.span.map_or(0, |(_, high)| high.saturating_add(1).unsigned_abs())
    }
}

impl Plan {
    /// Broadcasting `source` to `target` under `rule`, into a C-order output without gaps.
    ///
    /// # Errors
    /// As [`Rule::output_shape`]; if the output's bytes pass `isize::MAX`; if the instruction-set level that is
    /// asked for is not available.
    pub fn broadcast(
        source: &Layout<'_>,
        target: &[usize],
        rule: Rule<'_>,
        elem_size: usize,
        options: Options,
    ) -> Result<Self> {
        Task::Broadcast(source, target, rule)
            .resolve(|source, shape| Self::dense(source, shape, elem_size, options, true))
    }

    /// NumPy's `tile` of `source`, into a C-order output without gaps.
    ///
    /// # Errors
    /// If the output passes `isize::MAX` elements or bytes, or the level asked for is not available.
    pub fn tile(source: &Layout<'_>, reps: &[usize], elem_size: usize, options: Options) -> Result<Self> {
        Self::tiling(&Tiling::tile(source, reps)?, None, elem_size, options)
    }

    /// Each element of `source` repeated along each axis, one count per axis, into a C-order output without gaps.
    ///
    /// # Errors
    /// If there are not as many counts as axes; else as [`Plan::tile`].
    pub fn repeat(source: &Layout<'_>, reps: &[usize], elem_size: usize, options: Options) -> Result<Self> {
        Self::tiling(&Tiling::repeat(source, reps)?, None, elem_size, options)
    }

    /// A tiling into `out`, or into a C-order output.
    ///
    /// # Errors
    /// If `out` has another shape than the tiling; else as [`Plan::copy`].
    pub(crate) fn tiling(
        tiling: &Tiling,
        out: Option<&Layout<'_>>,
        elem_size: usize,
        options: Options,
    ) -> Result<Self> {
        let source = &tiling.source;
        let plan = match out {
            Some(out) if *out.shape() != *tiling.shape => {
                let (expected, got) = (tiling.shape.to_vec(), out.shape().to_vec());
                return Err(BroadcastError::ShapeMismatch { expected, got });
            }
            Some(out) if !out.is_plain() => Self::copy(source, &tiling.split_output(out), elem_size, options)?,
            _ => Self::dense(source, source.shape(), elem_size, options, out.is_none())?,
        };
        Ok(Self { shape: tiling.shape.clone(), ..plan })
    }

    /// Copying `source` to `out`, which have one shape and any strides; `source` may be a broadcast layout.
    ///
    /// # Errors
    /// If the shapes differ, `out` may touch an element twice, a layout passes `isize::MAX` bytes, or the level
    /// asked for is not available.
    pub fn copy(source: &Layout<'_>, out: &Layout<'_>, elem_size: usize, options: Options) -> Result<Self> {
        if source.shape() != out.shape() {
            return Err(BroadcastError::ShapeMismatch { expected: source.shape().to_vec(), got: out.shape().to_vec() });
        }
        if out.is_plain() {
            return Self::dense(source, source.shape(), elem_size, options, false);
        }
        out.check_disjoint()?;
        checked_bytes(out.shape(), elem_size)?;
        let (from, to) = (source.strides(), out.strides());
        let (source_reach, output_reach) = (Reach::of(source), Reach::of(out));
        source_reach.check_bytes(source, elem_size)?;
        output_reach.check_bytes(out, elem_size)?;
        let nest = LoopNest::new(out.shape(), [(&to, out.offset()), (&from, source.offset())], elem_size);
        Self::of_nest(nest, out.shape(), elem_size, options, source_reach, Some(output_reach), false)
    }

    /// Laying `source` from the right over a C-order output of `shape` without gaps.
    fn dense(source: &Layout<'_>, shape: &[usize], elem_size: usize, options: Options, exact: bool) -> Result<Self> {
        let mut nest = LoopNest::empty();
        lay(&mut nest, source, shape, elem_size)?;
        // The output reaches what its source does, unless nothing is left of it.
        let reach = if shape.contains(&0) { Reach::plain(0) } else { Reach::of(source) };
        reach.check_bytes(source, elem_size)?;
        Self::of_nest(nest, shape, elem_size, options, reach, None, exact)
    }

    /// The rest of a plan: pattern, level and kernel. An output without a reach is in C order without gaps; one with
    /// a reach was checked for self-overlap.
    #[inline]
    fn of_nest(
        mut nest: LoopNest<2>,
        shape: &[usize],
        elem: usize,
        options: Options,
        source: Reach,
        output: Option<Reach>,
        exact: bool,
    ) -> Result<Self> {
        let (kernel, isa) = choose(&mut nest, options)?;
        // Elements of no size have a count, but no units.
        let len = (nest.units * nest.unit).checked_div(elem).map_or_else(|| checked_bytes(shape, 1), Ok)?;
        let output = output.unwrap_or(Reach::plain(len));
        let dense = output.is_filled_by(len);
        let (forced, serial) = (options.isa.is_some(), options.serial);
        let shape = Shape::from(shape);
        let alone = Frame::is_all_of(&nest) && !split::above_grain(&nest);
        let frame = alone.then(|| Frame::of(&nest));
        Ok(Self { shape, elem, nest, kernel, frame, isa, forced, serial, len, source, output, dense, exact })
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.len
    }

    /// Bytes of the output's elements.
    pub fn output_bytes(&self) -> usize {
        self.len * self.elem
    }

    /// Elements that a source buffer needs at least.
    pub fn source_need(&self) -> usize {
        self.source.need()
    }

    /// Bytes of an element.
    pub fn elem_size(&self) -> usize {
        self.elem
    }

    /// The level that it runs on.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The inner pattern of its nest.
    pub fn pattern(&self) -> Pattern {
        self.kernel.info.pattern
    }

    /// The kernel that runs its tiles; its level may be weaker than the plan's where a stronger one gains nothing.
    pub fn kernel(&self) -> &'static super::KernelInfo {
        &self.kernel.info
    }

    /// Sizes of its loops, outermost first.
    pub fn loop_sizes(&self) -> impl Iterator<Item = usize> {
        self.nest.axes.iter().map(|axis| axis.size)
    }
}
