//! Calls of your own functions: what a [`Function`] needs beside its body, which is all that the crate's own have.

use core::marker::PhantomData;
use core::mem::size_of;

use super::align::{common_shape, lay_dense, lay_strided};
use super::apply;
use super::compute::Compute;
use super::elementwise::stores;
use super::function::{Function, Operands};
use super::isa::{Isa, Level as IsaLevel};
use super::kernel::Stores;
use super::map::{Call, MapFn, OPERANDS, enter, lanes};
use super::plan::{Options, Reach};
use super::widen::Job;
use crate::dims::Shape;
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Out, Tensor, View, checked_bytes};

mod sealed {
    /// Keeps what hands out pointers to what is in bounds of them.
    pub trait Sealed {}
}

/// The views of a call of a [`Function`]: a tuple of one to three references.
pub trait Views: sealed::Sealed {
    /// The tuple of their elements.
    type Elements: Operands;

    /// Where each begins, and its layout.
    #[doc(hidden)]
    fn sources(&self) -> [Option<(*const u8, &Layout<'_>)>; OPERANDS - 1];
}

/// What is behind a view.
fn source<'s, T>(view: &'s View<'_, T>) -> Option<(*const u8, &'s Layout<'s>)> {
    Some((view.data().as_ptr().cast(), view.layout()))
}

impl<A> sealed::Sealed for (&View<'_, A>,) {}

impl<A: bytemuck::NoUninit + Send + Sync> Views for (&View<'_, A>,) {
    type Elements = (A,);

    fn sources(&self) -> [Option<(*const u8, &Layout<'_>)>; OPERANDS - 1] {
        [source(self.0), None, None]
    }
}

impl<A, B> sealed::Sealed for (&View<'_, A>, &View<'_, B>) {}

impl<A: bytemuck::NoUninit + Send + Sync, B: bytemuck::NoUninit + Send + Sync> Views for (&View<'_, A>, &View<'_, B>) {
    type Elements = (A, B);

    fn sources(&self) -> [Option<(*const u8, &Layout<'_>)>; OPERANDS - 1] {
        [source(self.0), source(self.1), None]
    }
}

impl<A, B, C> sealed::Sealed for (&View<'_, A>, &View<'_, B>, &View<'_, C>) {}

impl<A, B, C> Views for (&View<'_, A>, &View<'_, B>, &View<'_, C>)
where
    A: bytemuck::NoUninit + Send + Sync,
    B: bytemuck::NoUninit + Send + Sync,
    C: bytemuck::NoUninit + Send + Sync,
{
    type Elements = (A, B, C);

    fn sources(&self) -> [Option<(*const u8, &Layout<'_>)>; OPERANDS - 1] {
        [source(self.0), source(self.1), source(self.2)]
    }
}

/// Bytes of an element of the output and of each operand.
const fn sizes<I: Operands, F: Function<I>>() -> [usize; OPERANDS] {
    let [a, b, c] = I::SIZES;
    [size_of::<F::Output>(), a, b, c]
}

/// Bytes of the widest element.
const fn widest<I: Operands, F: Function<I>>() -> usize {
    let sizes = sizes::<I, F>();
    let (mut widest, mut k) = (0, 0);
    while k < OPERANDS {
        widest = if sizes[k] > widest { sizes[k] } else { widest };
        k += 1;
    }
    assert!(sizes[0] > 0, "a function gives elements of at least one byte");
    assert!(widest <= 16, "elements of a function have at most 16 bytes");
    widest
}

/// The kernel of a function on a level.
fn kernel<I: Operands, F: Function<I>>(isa: Isa) -> MapFn {
    match isa.level() {
        IsaLevel::Scalar => on::<pulp::Scalar, I, F>(),
        #[cfg(target_arch = "x86_64")]
        IsaLevel::Avx2 => on::<super::isa::token::V3Half, I, F>(),
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        IsaLevel::Avx512 | IsaLevel::Avx512Vbmi => on::<pulp::x86::V4, I, F>(),
        #[cfg(target_arch = "aarch64")]
        IsaLevel::Neon => on::<pulp::aarch64::Neon, I, F>(),
    }
}

fn on<S: super::level::Level, I: Operands, F: Function<I>>() -> MapFn {
    if const { lanes(widest::<I, F>()) == 128 } {
        enter::<S, I, F, 128, false>
    } else if const { lanes(widest::<I, F>()) == 64 } {
        enter::<S, I, F, 64, false>
    } else if const { lanes(widest::<I, F>()) == 32 } {
        enter::<S, I, F, 32, false>
    } else {
        enter::<S, I, F, 16, false>
    }
}

/// A prepared call of functions of operands `I`: shapes, strides and split, without the memory and without the function.
///
/// ```
/// use stridecast::{Layout, MapPlan, Options};
///
/// let plan = MapPlan::<(f32, f32)>::new::<f32>(&[&Layout::new(&[2, 1])?, &Layout::new(&[3])?], Options::new())?;
/// let mut out = [0.0; 6];
/// plan.run(&|a: f32, b: f32| a * b + 1.0, (&[1.0, 2.0][..], &[1.0, 10.0, 100.0][..]), &mut out)?;
/// assert_eq!(out, [2.0, 11.0, 101.0, 3.0, 21.0, 201.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MapPlan<I> {
    shape: Shape,
    len: usize,
    compute: Compute,
    reach: [Reach; OPERANDS],
    stream: bool,
    isa: Isa,
    serial: bool,
    elements: PhantomData<fn(I)>,
}

/// Slices of a run of a [`MapPlan`]: a tuple of as many as there are operands.
pub trait Slices: sealed::Sealed {
    /// The tuple of their elements.
    type Elements: Operands;

    /// Where each begins, and its length.
    #[doc(hidden)]
    fn parts(&self) -> [(*const u8, usize); OPERANDS - 1];
}

/// What is behind a slice.
fn part<T>(slice: &[T]) -> (*const u8, usize) {
    (slice.as_ptr().cast(), slice.len())
}

/// The part of an operand that is not there.
const NONE: (*const u8, usize) = (core::ptr::null(), 0);

impl<A> sealed::Sealed for (&[A],) {}

impl<A: bytemuck::NoUninit + Send + Sync> Slices for (&[A],) {
    type Elements = (A,);

    fn parts(&self) -> [(*const u8, usize); OPERANDS - 1] {
        [part(self.0), NONE, NONE]
    }
}

impl<A, B> sealed::Sealed for (&[A], &[B]) {}

impl<A: bytemuck::NoUninit + Send + Sync, B: bytemuck::NoUninit + Send + Sync> Slices for (&[A], &[B]) {
    type Elements = (A, B);

    fn parts(&self) -> [(*const u8, usize); OPERANDS - 1] {
        [part(self.0), part(self.1), NONE]
    }
}

impl<A, B, C> sealed::Sealed for (&[A], &[B], &[C]) {}

impl<A, B, C> Slices for (&[A], &[B], &[C])
where
    A: bytemuck::NoUninit + Send + Sync,
    B: bytemuck::NoUninit + Send + Sync,
    C: bytemuck::NoUninit + Send + Sync,
{
    type Elements = (A, B, C);

    fn parts(&self) -> [(*const u8, usize); OPERANDS - 1] {
        [part(self.0), part(self.1), part(self.2)]
    }
}

impl<I: Operands> MapPlan<I> {
    /// For operands of these layouts, which broadcast against each other, and a C-order output of elements `O`.
    ///
    /// # Errors
    /// If there are not as many layouts as operands; if the shapes have no common one; if the output's bytes pass
    /// `isize::MAX`; if the level asked for is not available.
    pub fn new<O: bytemuck::NoUninit>(inputs: &[&Layout<'_>], options: Options) -> Result<Self> {
        if inputs.len() != I::COUNT {
            return Err(BroadcastError::OperandCount { expected: I::COUNT, got: inputs.len() });
        }
        const { assert!(size_of::<O>() > 0, "a function gives elements of at least one byte") };
        let [a, b, c] = I::SIZES;
        let sizes = [size_of::<O>(), a, b, c];
        let shape = common_shape(inputs)?;
        let mut compute = Compute::empty(sizes);
        lay_dense(&mut compute.nest, inputs, None, sizes)?;
        compute.decide([false; OPERANDS]);
        let len = checked_bytes(&shape, 1)?;
        let mut reach = [Reach::plain(0); OPERANDS];
        reach[0] = Reach::plain(len);
        for (k, layout) in inputs.iter().enumerate() {
            let own = Reach::of(layout);
            own.check_bytes(layout, sizes[k + 1])?;
            if len > 0 {
                reach[k + 1] = own;
            }
        }
        let stream = stores(&compute, options) == Stores::Streaming;
        let (isa, serial) = (options.level()?, options.serial);
        Ok(Self { shape, len, compute, reach, stream, isa, serial, elements: PhantomData })
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.len
    }

    /// Computes `function` of the operands into `out`.
    ///
    /// # Errors
    /// If an operand is shorter than its layout asks, or `out` does not have exactly the output's length; if the
    /// function's output has another size than the plan's. Nothing is written then.
    pub fn run<'o, F, S>(
        &self,
        function: &F,
        operands: S,
        out: impl Into<crate::layout::Buffer<'o, F::Output>>,
    ) -> Result<()>
    where
        F: Function<I>,
        S: Slices<Elements = I>,
    {
        let out = out.into();
        if self.compute.sizes[0] != size_of::<F::Output>() {
            let (expected, got) = (self.compute.sizes[0], size_of::<F::Output>());
            return Err(BroadcastError::ElementSize { expected, got });
        }
        if out.len() != self.len {
            return Err(BroadcastError::LengthMismatch { what: "output", expected: self.len, got: out.len() });
        }
        let parts = operands.parts();
        for (k, &(_, len)) in parts.iter().enumerate() {
            if !self.reach[k + 1].holds(len) {
                return Err(self.reach[k + 1].lack("operand", len));
            }
        }
        let [a, b, c] = parts.map(|(ptr, _)| ptr.cast_mut());
        // SAFETY: checked above; the output is exclusively borrowed.
        unsafe { run(function, &self.compute, [out.as_mut_ptr(), a, b, c], self.stream, self.isa, self.serial) };
        Ok(())
    }
}

/// # Safety
/// The operands are valid for the nest, of the function's types; the output shares nothing with the others.
unsafe fn run<I: Operands, F: Function<I>>(
    function: &F,
    compute: &Compute,
    ptrs: [*mut u8; OPERANDS],
    stream: bool,
    isa: Isa,
    serial: bool,
) {
    let call = Call { function: (&raw const *function).cast(), stream, apart: true };
    let casts = [None; OPERANDS];
    let job = Job { compute, kernel: kernel::<I, F>(isa), call, sizes: sizes::<I, F>(), casts, isa, heavy: F::HEAVY };
    // SAFETY: the caller's promise; the kernel is of the function's own type, on a level that an `Isa` vouches for.
    unsafe { apply::run(&job, ptrs, !serial) }
}

/// A call that runs at once.
pub(crate) struct Mapped<'m, F, V> {
    pub function: &'m F,
    pub views: V,
    pub options: Options,
}

impl<F: Function<V::Elements>, V: Views> Mapped<'_, F, V> {
    /// Into a new tensor.
    pub fn to_tensor(&self) -> Result<Tensor<F::Output>> {
        let sources = self.views.sources();
        let layouts: alloc::vec::Vec<_> = sources.iter().flatten().map(|(_, layout)| *layout).collect();
        let shape = common_shape(&layouts)?;
        let sizes = sizes::<V::Elements, F>();
        let mut compute = Compute::empty(sizes);
        lay_dense(&mut compute.nest, &layouts, None, sizes)?;
        // SAFETY: the run writes every element of the common shape.
        unsafe {
            Tensor::filled_by(shape, |ptr: *mut F::Output| {
                self.launch(&mut compute, ptr.cast(), self.options.level()?);
                Ok(())
            })
        }
    }

    /// Into the caller's output.
    pub fn run_into(&self, out: Out<'_, F::Output>) -> Result<()> {
        let sources = self.views.sources();
        let Some((_, first)) = sources[0] else { return Ok(()) };
        let mut layouts = [first; OPERANDS - 1];
        for (layout, source) in layouts.iter_mut().zip(sources.iter().flatten()) {
            *layout = source.1;
        }
        let layouts = &layouts[..V::Elements::COUNT];
        let sizes = sizes::<V::Elements, F>();
        let isa = self.options.level()?;
        let mut compute = Compute::empty(sizes);
        match out.layout() {
            Some(layout) if !layout.is_plain() => lay_strided(&mut compute.nest, layouts, layout, sizes)?,
            layout => {
                lay_dense(&mut compute.nest, layouts, layout.map(Layout::shape), sizes)?;
                if compute.nest.units != out.len() {
                    let expected = checked_bytes(&common_shape(layouts)?, 1)?;
                    return Err(BroadcastError::LengthMismatch { what: "output", expected, got: out.len() });
                }
            }
        }
        // SAFETY: an `Out` is exclusively borrowed, and its layout in bounds.
        unsafe { self.launch(&mut compute, out.as_mut_ptr(), isa) };
        Ok(())
    }

    /// # Safety
    /// The nest is that of the views and of an output at `out`, exclusively borrowed.
    unsafe fn launch(&self, compute: &mut Compute, out: *mut u8, isa: Isa) {
        compute.decide([false; OPERANDS]);
        let stream = stores(compute, self.options) == Stores::Streaming;
        let mut ptrs = [out; OPERANDS];
        for (ptr, source) in ptrs[1..].iter_mut().zip(self.views.sources().iter().flatten()) {
            *ptr = source.0.cast_mut();
        }
        // SAFETY: views are in bounds and initialised.
        unsafe { run::<V::Elements, F>(self.function, compute, ptrs, stream, isa, self.options.serial) }
    }
}
