//! Plain reductions.

use crate::element::DType;
use crate::engine::isa::Isa;
use crate::error::{BroadcastError, Result};
use crate::layout::Layout;
use crate::nest::{Axis, LoopNest};
use crate::reduction::Reduction;
use half::{bf16, f16};
use num_complex::Complex;

#[derive(Clone, Debug)]
pub(crate) struct Work {
    nest: LoopNest<3>,
    out: LoopNest<3>,
    reduction: Reduction,
    inputs: usize,
    dtype: DType,
    output: DType,
    count: usize,
}

trait Num: Copy {
    fn join(self, b: Self, r: Reduction) -> Self;
    fn mul(self, b: Self) -> Self;
    fn of(n: usize) -> Self;
    fn over(self, n: usize) -> Self;
}
macro_rules! ints { ($($t:ty)*) => {$(impl Num for $t {
    fn join(self, b: Self, r: Reduction) -> Self { match r { Reduction::Sum | Reduction::Mean => self.wrapping_add(b), Reduction::Max => self.max(b), Reduction::Min => self.min(b), Reduction::Prod => self.wrapping_mul(b) } }
    fn mul(self, b: Self) -> Self { self.wrapping_mul(b) }
    fn of(n: usize) -> Self { n as Self }
    fn over(self, _: usize) -> Self { self }
})*}}
ints!(i8 i16 i32 i64 u8 u16 u32 u64);
macro_rules! floats { ($($t:ty)*) => {$(impl Num for $t {
    fn join(self, b: Self, r: Reduction) -> Self { use crate::functions::Float; match r { Reduction::Sum | Reduction::Mean => self + b, Reduction::Max => self.maximum_of(b), Reduction::Min => self.minimum_of(b), Reduction::Prod => self * b } }
    fn mul(self, b: Self) -> Self { self * b }
    fn of(n: usize) -> Self { n as Self }
    fn over(self, n: usize) -> Self { self / n as Self }
}
impl Num for Complex<$t> {
    fn join(self, b: Self, r: Reduction) -> Self { match r { Reduction::Prod => self * b, _ => self + b } }
    fn mul(self, b: Self) -> Self { self * b }
    fn of(n: usize) -> Self { Complex::new(n as $t, 0.0) }
    fn over(self, n: usize) -> Self { Complex::new(self.re / n as $t, self.im / n as $t) }
})*}}
floats!(f32 f64);

impl Work {
    pub fn new(
        reduction: Reduction,
        dtype: DType,
        output: DType,
        layouts: [&Layout<'_>; 3],
        inputs: usize,
        target: &Layout<'_>,
        _isa: Isa,
    ) -> Result<Self> {
        use DType as D;
        let int = matches!(dtype, D::I8 | D::I16 | D::I32 | D::I64 | D::U8 | D::U16 | D::U32 | D::U64);
        let complex = matches!(dtype, D::C64 | D::C128);
        let half = matches!(dtype, D::F16 | D::BF16);
        let wide = matches!((dtype, output), (D::I8 | D::I16 | D::I32, D::I64) | (D::U8 | D::U16 | D::U32, D::U64));
        let summed = matches!(reduction, Reduction::Sum | Reduction::Prod);
        let fits = dtype == output || (half && output == D::F32) || (wide && summed);
        let defined = match reduction {
            Reduction::Mean => !int,
            Reduction::Max | Reduction::Min => !complex,
            _ => true,
        };
        if !fits || !defined || dtype == D::Bool {
            return Err(BroadcastError::UndefinedReduction { reduction, operand: dtype, output });
        }
        let shape = layouts[1].shape();
        if layouts[0].shape().contains(&0) && !target.is_empty() && matches!(reduction, Reduction::Max | Reduction::Min)
        {
            return Err(BroadcastError::EmptyReduction { reduction, shape: shape.to_vec() });
        }
        let sizes = [output.size(), dtype.size(), dtype.size()];
        let strides = layouts.map(Layout::strides);
        let nest = LoopNest::of_reduction(shape, core::array::from_fn(|k| (&*strides[k], layouts[k].offset())), sizes);
        let own = target.strides();
        let out = LoopNest::of_reduction(target.shape(), [(&own, target.offset()); 3], [output.size(); 3]);
        let count: usize = nest.axes.iter().filter(|a| a.strides[0] == 0).map(|a| a.size).product();
        let count = if nest.units == 0 { 0 } else { count };
        Ok(Self { nest, out, reduction, inputs, dtype, output, count })
    }

    pub unsafe fn run(&self, ptrs: [*mut u8; 3], onto: bool, _parallel: bool) {
        use DType as D;
        unsafe {
            match (self.dtype, self.output) {
                (D::F32, _) => self.go::<f32, f32, f32>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::F64, _) => self.go::<f64, f64, f64>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::F16, D::F16) => self.go::<f16, f32, f16>(ptrs, onto, f16::to_f32, f16::from_f32, f16::to_f32),
                (D::BF16, D::BF16) => {
                    self.go::<bf16, f32, bf16>(ptrs, onto, bf16::to_f32, bf16::from_f32, bf16::to_f32)
                }
                (D::F16, _) => self.go::<f16, f32, f32>(ptrs, onto, f16::to_f32, |x| x, |x| x),
                (D::BF16, _) => self.go::<bf16, f32, f32>(ptrs, onto, bf16::to_f32, |x| x, |x| x),
                (D::C64, _) => self.go::<Complex<f32>, Complex<f32>, Complex<f32>>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::C128, _) => self.go::<Complex<f64>, Complex<f64>, Complex<f64>>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::I8, D::I8) => self.go::<i8, i8, i8>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::I16, D::I16) => self.go::<i16, i16, i16>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::I32, D::I32) => self.go::<i32, i32, i32>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::I64, _) => self.go::<i64, i64, i64>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::U8, D::U8) => self.go::<u8, u8, u8>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::U16, D::U16) => self.go::<u16, u16, u16>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::U32, D::U32) => self.go::<u32, u32, u32>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::U64, _) => self.go::<u64, u64, u64>(ptrs, onto, |x| x, |x| x, |x| x),
                (D::I8, _) => self.go::<i8, i64, i64>(ptrs, onto, i64::from, |x| x, |x| x),
                (D::I16, _) => self.go::<i16, i64, i64>(ptrs, onto, i64::from, |x| x, |x| x),
                (D::I32, _) => self.go::<i32, i64, i64>(ptrs, onto, i64::from, |x| x, |x| x),
                (D::U8, _) => self.go::<u8, u64, u64>(ptrs, onto, u64::from, |x| x, |x| x),
                (D::U16, _) => self.go::<u16, u64, u64>(ptrs, onto, u64::from, |x| x, |x| x),
                (D::U32, _) => self.go::<u32, u64, u64>(ptrs, onto, u64::from, |x| x, |x| x),
                _ => {}
            }
        }
    }

    unsafe fn go<T: Copy, A: Num, O: Copy>(
        &self,
        ptrs: [*mut u8; 3],
        onto: bool,
        widen: fn(T) -> A,
        round: fn(A) -> O,
        back: fn(O) -> A,
    ) {
        let finish = |at: *mut u8, acc: A| unsafe {
            let acc = if self.reduction == Reduction::Mean { acc.over(self.count) } else { acc };
            let out = at.cast::<O>();
            *out = if onto { round(back(*out).join(acc, self.reduction)) } else { round(acc) };
        };
        let (mut kept, mut gone) = (alloc::vec![], alloc::vec![]);
        if self.nest.units == 0 {
            each(&self.out.axes, [ptrs[0].wrapping_offset(self.out.start[0]); 3], &mut |p| {
                finish(p[0], A::of(usize::from(self.reduction == Reduction::Prod)))
            });
            return;
        }
        for axis in self.nest.axes.iter() {
            if axis.strides[0] == 0 { gone.push(*axis) } else { kept.push(*axis) }
        }
        let start = core::array::from_fn(|k| ptrs[k].wrapping_offset(self.nest.start[k]));
        each(&kept, start, &mut |p| {
            let mut acc: Option<A> = None;
            each(&gone, p, &mut |q| unsafe {
                let mut x = widen(*q[1].cast::<T>());
                if self.inputs == 2 {
                    x = x.mul(widen(*q[2].cast::<T>()));
                }
                acc = Some(acc.map_or(x, |a| a.join(x, self.reduction)));
            });
            finish(p[0], acc.unwrap());
        });
    }
}

fn each(axes: &[Axis<3>], p: [*mut u8; 3], f: &mut dyn FnMut([*mut u8; 3])) {
    let Some((axis, rest)) = axes.split_first() else { return f(p) };
    for i in 0..axis.size {
        each(rest, core::array::from_fn(|k| p[k].wrapping_offset(i as isize * axis.strides[k])), f);
    }
}
