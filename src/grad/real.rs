//! The element types that gradients are of, and in what each is computed.

#![forbid(unsafe_code)]

use half::{bf16, f16};

use super::parts::{Lane, Of, Part};
use super::terms::{self, Call, Terms};
use crate::element::Element;
use crate::engine::{AsF32, Function, Level};
use crate::error::Result;
use crate::ops::{Defined, fun, nary};

/// Elements that gradients are of: f16, bf16, f32 and f64.
pub trait Real: Compute {}

impl Real for f16 {}
impl Real for bf16 {}
impl Real for f32 {}
impl Real for f64 {}

/// What is behind [`Real`].
pub trait Compute:
    nary::Float + Defined<fun::Add> + Defined<fun::Mul> + Defined<fun::Div> + Defined<fun::Where>
{
    /// What sums are kept in.
    type Sum: Element;
    /// A part as a function of these elements.
    type Computed<P: Part>: Function<(Self, Self, Self), Output = Self>;

    const ZERO: &'static Self;
    const MINUS_ONE: &'static Self;

    fn computed<P: Part>(part: P) -> Self::Computed<P>;

    /// [`terms::of`] these elements: its kernels are compiled here, and not in every crate that calls them.
    fn terms<'v>(call: &Call<'v, Self>, second: bool) -> Result<Terms<'v, Self>>;
}

impl Compute for f32 {
    type Sum = Self;
    type Computed<P: Part> = Of<P>;
    const ZERO: &'static Self = &0.0;
    const MINUS_ONE: &'static Self = &-1.0;

    fn computed<P: Part>(part: P) -> Of<P> {
        Of(part)
    }

    fn terms<'v>(call: &Call<'v, Self>, second: bool) -> Result<Terms<'v, Self>> {
        terms::of(call, second)
    }
}

impl Compute for f64 {
    type Sum = Self;
    type Computed<P: Part> = Of<P>;
    const ZERO: &'static Self = &0.0;
    const MINUS_ONE: &'static Self = &-1.0;

    fn computed<P: Part>(part: P) -> Of<P> {
        Of(part)
    }

    fn terms<'v>(call: &Call<'v, Self>, second: bool) -> Result<Terms<'v, Self>> {
        terms::of(call, second)
    }
}

impl Compute for f16 {
    type Sum = f32;
    type Computed<P: Part> = AsF32<Of<P>>;
    const ZERO: &'static Self = &Self::ZERO;
    const MINUS_ONE: &'static Self = &Self::NEG_ONE;

    fn computed<P: Part>(part: P) -> AsF32<Of<P>> {
        AsF32(Of(part))
    }

    fn terms<'v>(call: &Call<'v, Self>, second: bool) -> Result<Terms<'v, Self>> {
        terms::of(call, second)
    }
}

impl Compute for bf16 {
    type Sum = f32;
    type Computed<P: Part> = AsF32<Of<P>>;
    const ZERO: &'static Self = &Self::ZERO;
    const MINUS_ONE: &'static Self = &Self::NEG_ONE;

    fn computed<P: Part>(part: P) -> AsF32<Of<P>> {
        AsF32(Of(part))
    }

    fn terms<'v>(call: &Call<'v, Self>, second: bool) -> Result<Terms<'v, Self>> {
        terms::of(call, second)
    }
}

/// What a divisor's gradient is of the sum of `g * a`: divided by the divisor twice, and the other way round. A half is
/// rounded here only.
#[derive(Clone, Copy, Debug)]
pub struct Divided;

impl<R: Lane> Function<(R, R)> for Divided {
    type Output = R;

    #[inline(always)]
    fn call(&self, (sum, by): (R, R)) -> R {
        -(sum / by / by)
    }
}

impl Function<(f32, f16)> for Divided {
    type Output = f16;

    #[inline(always)]
    fn call(&self, (sum, by): (f32, f16)) -> f16 {
        f16::from_f32(self.call((sum, by.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (sum, by): (&[f32; L], &[f16; L])) -> [f16; L] {
        let by = level.widen_f16(by);
        level.narrow_f16(&Function::<(f32, f32)>::block(self, level.simd(), (sum, &by)))
    }
}

impl Function<(f32, bf16)> for Divided {
    type Output = bf16;

    #[inline(always)]
    fn call(&self, (sum, by): (f32, bf16)) -> bf16 {
        bf16::from_f32(self.call((sum, by.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (sum, by): (&[f32; L], &[bf16; L])) -> [bf16; L] {
        let by = level.widen_bf16(by);
        level.narrow_bf16(&Function::<(f32, f32)>::block(self, level.simd(), (sum, &by)))
    }
}
