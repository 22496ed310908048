//! [`AsF32`]: a function of f32, computed on halves.

use half::{bf16, f16};

use super::function::Function;
use super::level::Level;

/// A function of f32 on f16 or bf16: operands are widened, the result is rounded once, to nearest with ties to even, as
/// the crate's own functions do.
///
/// ```
/// use half::f16;
/// use stridecast::{AsF32, View, map};
///
/// let (x, scale) = ([1.0, -2.0, 3.0].map(f16::from_f32), [f16::from_f32(0.5)]);
/// let views = (&View::new(&x, &[3])?, &View::new(&scale, &[1])?);
/// let y = map(&AsF32(|x: f32, scale: f32| (x * scale).max(0.0)), views)?;
/// assert_eq!(y.as_slice(), [0.5, 0.0, 1.5].map(f16::from_f32));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AsF32<F>(pub F);

impl<F: Function<(f32,), Output = f32>> Function<(f16,)> for AsF32<F> {
    type Output = f16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a,): (f16,)) -> f16 {
        f16::from_f32(self.0.call((a.to_f32(),)))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a,): (&[f16; L],)) -> [f16; L] {
        let a = level.widen_f16(a);
        level.narrow_f16(&self.0.block(level.simd(), (&a,)))
    }
}

impl<F: Function<(f32, f32), Output = f32>> Function<(f16, f16)> for AsF32<F> {
    type Output = f16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a, b): (f16, f16)) -> f16 {
        f16::from_f32(self.0.call((a.to_f32(), b.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[f16; L], &[f16; L])) -> [f16; L] {
        let (a, b) = (level.widen_f16(a), level.widen_f16(b));
        level.narrow_f16(&self.0.block(level.simd(), (&a, &b)))
    }
}

impl<F: Function<(f32, f32, f32), Output = f32>> Function<(f16, f16, f16)> for AsF32<F> {
    type Output = f16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a, b, c): (f16, f16, f16)) -> f16 {
        f16::from_f32(self.0.call((a.to_f32(), b.to_f32(), c.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b, c): (&[f16; L], &[f16; L], &[f16; L])) -> [f16; L] {
        let (a, b, c) = (level.widen_f16(a), level.widen_f16(b), level.widen_f16(c));
        level.narrow_f16(&self.0.block(level.simd(), (&a, &b, &c)))
    }
}

impl<F: Function<(f32,), Output = f32>> Function<(bf16,)> for AsF32<F> {
    type Output = bf16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a,): (bf16,)) -> bf16 {
        bf16::from_f32(self.0.call((a.to_f32(),)))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a,): (&[bf16; L],)) -> [bf16; L] {
        let a = level.split_bf16(a);
        level.join_bf16(&self.0.block(level.simd(), (&a,)))
    }
}

impl<F: Function<(f32, f32), Output = f32>> Function<(bf16, bf16)> for AsF32<F> {
    type Output = bf16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a, b): (bf16, bf16)) -> bf16 {
        bf16::from_f32(self.0.call((a.to_f32(), b.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[bf16; L], &[bf16; L])) -> [bf16; L] {
        let (a, b) = (level.split_bf16(a), level.split_bf16(b));
        level.join_bf16(&self.0.block(level.simd(), (&a, &b)))
    }
}

impl<F: Function<(f32, f32, f32), Output = f32>> Function<(bf16, bf16, bf16)> for AsF32<F> {
    type Output = bf16;
    const HEAVY: bool = F::HEAVY;

    #[inline(always)]
    fn call(&self, (a, b, c): (bf16, bf16, bf16)) -> bf16 {
        bf16::from_f32(self.0.call((a.to_f32(), b.to_f32(), c.to_f32())))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(
        &self,
        level: S,
        (a, b, c): (&[bf16; L], &[bf16; L], &[bf16; L]),
    ) -> [bf16; L] {
        let (a, b, c) = (level.split_bf16(a), level.split_bf16(b), level.split_bf16(c));
        level.join_bf16(&self.0.block(level.simd(), (&a, &b, &c)))
    }
}
