
impl Function<(f32, f32)> for AddPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a + b
    }
}

impl Function<(f32, f32)> for SubPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a - b
    }
}

impl Function<(f32, f32)> for MulPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a * b
    }
}

impl Function<(f32, f32)> for DivPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a / b
    }
}

impl Function<(f32, f32)> for MinimumPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a.minimum_of(b)
    }
}

impl Function<(f32, f32)> for MaximumPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a.maximum_of(b)
    }
}

impl Function<(f32, f32)> for FminPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a.fmin_of(b)
    }
}

impl Function<(f32, f32)> for FmaxPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a.fmax_of(b)
    }
}

impl Function<(f32, f32)> for EqPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> u8 {
        u8::from(a == b)
    }
}

impl Function<(f32, f32)> for EqKind {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        Truth::of_truth(a == b)
    }
}

impl Function<(f32, f32)> for NePlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> u8 {
        u8::from(a != b)
    }
}

impl Function<(f32, f32)> for NeKind {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        Truth::of_truth(a != b)
    }
}

impl Function<(f32, f32)> for LtPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> u8 {
        u8::from(a < b)
    }
}

impl Function<(f32, f32)> for LtKind {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        Truth::of_truth(a < b)
    }
}

impl Function<(f32, f32)> for LePlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> u8 {
        u8::from(a <= b)
    }
}

impl Function<(f32, f32)> for LeKind {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        Truth::of_truth(a <= b)
    }
}

impl Function<(f32, f32)> for ApproxEqPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> u8 {
        let tolerance = &self.0;
        u8::from(a.is_close(b, tolerance))
    }
}

impl Function<(f32, f32, f32)> for MulAddPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b, c): (f32, f32, f32)) -> f32 {
        a.fused(b, c)
    }
}

impl Function<(f32, f32, f32)> for ClampPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b, c): (f32, f32, f32)) -> f32 {
        a.maximum_of(b).minimum_of(c)
    }
}

impl Function<(f32, f32)> for PowPlain {
    type Output = f32;
    const HEAVY: bool = true;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        let (a, b) = (&[a], &[b]);
        let [given] = math::pow_f32(a, b);
        given
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, _: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        math::pow_f32(a, b)
    }
}

impl Function<(f32, f32)> for Atan2Plain {
    type Output = f32;
    const HEAVY: bool = true;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        let (a, b) = (&[a], &[b]);
        let [given] = math::atan2_f32(a, b);
        given
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, _: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        math::atan2_f32(a, b)
    }
}

impl Function<(f32, f32)> for HypotPlain {
    type Output = f32;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        let (a, b) = (&[a], &[b]);
        let [given] = math::hypot_f32(a, b);
        given
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, _: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        math::hypot_f32(a, b)
    }
}

impl Function<(f32, f32)> for FmodPlain {
    type Output = f32;
    const HEAVY: bool = true;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        let (a, b) = (&[a], &[b]);
        let [given] = math::fmod_f32(a, b);
        given
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, _: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        math::fmod_f32(a, b)
    }
}

impl Function<(f32, f32)> for RemainderPlain {
    type Output = f32;
    const HEAVY: bool = true;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (f32, f32)) -> f32 {
        let (a, b) = (&[a], &[b]);
        let [given] = math::remainder_f32(a, b);
        given
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, _: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        math::remainder_f32(a, b)
    }
}
