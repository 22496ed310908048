//! The safe doors of elementwise calls: what is behind a view is valid for its layout, so it may be handed to kernels.

use core::marker::PhantomData;

use super::align::common_shape;
use super::elementwise::{Place, Source, Target, run_once};
use super::plan::Options;
use crate::element::{DType, Element};
use crate::error::Result;
use crate::functions::Tolerance;
use crate::layout::{AnyView, AnyViewMut, Layout, Out, Tensor, View, ViewMut};
use crate::op::Op;

/// A borrowed input whose element type is a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<'v> {
    source: Source<'v>,
    memory: PhantomData<&'v [u8]>,
}

impl<'v> Operand<'v> {
    /// Of a typed view.
    #[inline]
    pub fn of<T: Element>(view: &'v View<'_, T>) -> Self {
        let source = Source { dtype: T::DTYPE, ptr: view.data().as_ptr().cast(), layout: view.layout() };
        Self { source, memory: PhantomData }
    }

    /// Of a view with a tag.
    pub fn any(view: &'v AnyView<'_>) -> Self {
        let source = Source { dtype: view.dtype(), ptr: view.bytes().as_ptr(), layout: view.layout() };
        Self { source, memory: PhantomData }
    }

    /// Its element type.
    pub fn dtype(&self) -> DType {
        self.source.dtype
    }

    /// Where its memory starts.
    pub fn ptr(&self) -> *const u8 {
        self.source.ptr
    }

    /// Its shape and strides.
    pub fn layout(&self) -> &'v Layout<'v> {
        self.source.layout
    }
}

/// A function with what its calls share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apply {
    pub op: Op,
    pub tolerance: Tolerance,
    pub options: Options,
}

impl Apply {
    /// Computed with the default options.
    #[inline]
    pub fn new(op: Op) -> Self {
        Self { op, tolerance: Tolerance::default(), options: Options::new() }
    }

    /// Into a new tensor of the operands' common shape.
    pub fn to_tensor<O: Element, const N: usize>(self, operands: [Operand<'_>; N]) -> Result<Tensor<O>> {
        let shape = common_shape(&operands.map(|operand| operand.source.layout))?;
        let len = crate::layout::checked_bytes(&shape, 1)?;
        // SAFETY: a run that is `Ok` writes every element of the output, which is new memory; the operands borrow theirs.
        unsafe {
            Tensor::filled_by(shape, |ptr: *mut O| {
                let target = Target { dtype: O::DTYPE, ptr: ptr.cast(), place: Place::Buffer(len), in_place: false };
                self.run(&operands, &target)
            })
        }
    }

    /// Into the caller's output.
    #[inline]
    pub fn run_into<O: Element, const N: usize>(&self, operands: [Operand<'_>; N], out: Out<'_, O>) -> Result<()> {
        let place = out.layout().map_or(Place::Buffer(out.len()), Place::Layout);
        let target = Target { dtype: O::DTYPE, ptr: out.as_mut_ptr(), place, in_place: false };
        // SAFETY: an `Out` is exclusively borrowed, so it shares nothing with the operands, and its layout is in bounds.
        unsafe { self.run(&operands, &target) }
    }

    /// Into an output whose element type is a tag.
    pub fn run_any(&self, operands: &[Operand<'_>], out: &mut AnyViewMut<'_>) -> Result<()> {
        let (dtype, ptr) = (out.dtype(), out.as_mut_ptr());
        let target = Target { dtype, ptr, place: Place::Layout(out.layout()), in_place: false };
        // SAFETY: as in `run_into`; the bytes are aligned for the tag.
        unsafe { self.run(operands, &target) }
    }

    /// With `a` as operand `k` and as the output.
    pub fn assign<T: Element>(&self, a: ViewMut<'_, T>, k: usize, others: &[Operand<'_>]) -> Result<()> {
        let (data, layout) = a.into_parts();
        let ptr: *mut u8 = data.as_mut_ptr().cast();
        // SAFETY: the view is exclusively borrowed and initialised, so it shares nothing with the others.
        unsafe { self.run_in_place(T::DTYPE, ptr, &layout, k, others) }
    }

    /// As [`Apply::assign`], of a view with a tag.
    pub fn assign_any(&self, a: &mut AnyViewMut<'_>, k: usize, others: &[Operand<'_>]) -> Result<()> {
        a.check_initialised()?;
        let (dtype, ptr) = (a.dtype(), a.as_mut_ptr());
        // SAFETY: as in `assign`; that it is initialised was checked.
        unsafe { self.run_in_place(dtype, ptr, a.layout(), k, others) }
    }

    /// # Safety
    /// The elements of the layout at `ptr` are initialised and nobody else has them meanwhile.
    unsafe fn run_in_place(
        &self,
        dtype: DType,
        ptr: *mut u8,
        layout: &Layout<'_>,
        k: usize,
        others: &[Operand<'_>],
    ) -> Result<()> {
        let own = Operand { source: Source { dtype, ptr, layout }, memory: PhantomData };
        let mut operands: [Operand<'_>; 3] = [own; 3];
        let count = (others.len() + 1).min(operands.len());
        let mut rest = others.iter();
        for (at, operand) in operands[..count].iter_mut().enumerate() {
            if at != k {
                *operand = rest.next().copied().unwrap_or(own);
            }
        }
        let target = Target { dtype, ptr, place: Place::Layout(layout), in_place: true };
        // SAFETY: the caller's promise; what the output shares with operand `k` is all of it, in the same places.
        unsafe { self.run(&operands[..count], &target) }
    }

    /// # Safety
    /// As [`run_once`], for the target.
    #[inline]
    unsafe fn run(&self, operands: &[Operand<'_>], target: &Target<'_>) -> Result<()> {
        let Some(first) = operands.first() else {
            let expected = self.op.arity();
            return Err(crate::error::BroadcastError::OperandCount { expected, got: 0 });
        };
        let mut sources = [first.source; 4];
        let count = operands.len().min(sources.len());
        for (source, operand) in sources.iter_mut().zip(operands) {
            *source = operand.source;
        }
        // SAFETY: an operand is borrowed, initialised and in bounds of its layout; the target is the caller's promise.
        unsafe { run_once(self.op, &sources[..count], target, self.tolerance, self.options) }
    }
}
