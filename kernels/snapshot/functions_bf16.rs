
impl Function<(half::bf16, half::bf16)> for AddPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a + b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a + b };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for SubPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a - b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a - b };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for MulPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a * b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a * b };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for DivPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a / b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a / b };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for MinimumPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a.minimum_of(b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a.minimum_of(b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for MaximumPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a.maximum_of(b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a.maximum_of(b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for FminPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a.fmin_of(b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a.fmin_of(b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for FmaxPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(a.fmax_of(b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); a.fmax_of(b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for EqPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> u8 {
        let a = a.to_f32();
        let b = b.to_f32();
        u8::from(a == b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [u8; L] {
        let a = &level.widen_bf16(a);
        let b = &level.widen_bf16(b);
        let mut out = [0; L];
        for i in 0..L {
            out[i] = { let (a, b) = (a[i], b[i]); u8::from(a == b) };
        }
        out
    }
}

impl Function<(half::bf16, half::bf16)> for EqKind {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(Truth::of_truth(a == b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); Truth::of_truth(a == b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for NePlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> u8 {
        let a = a.to_f32();
        let b = b.to_f32();
        u8::from(a != b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [u8; L] {
        let a = &level.widen_bf16(a);
        let b = &level.widen_bf16(b);
        let mut out = [0; L];
        for i in 0..L {
            out[i] = { let (a, b) = (a[i], b[i]); u8::from(a != b) };
        }
        out
    }
}

impl Function<(half::bf16, half::bf16)> for NeKind {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(Truth::of_truth(a != b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); Truth::of_truth(a != b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for LtPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> u8 {
        let a = a.to_f32();
        let b = b.to_f32();
        u8::from(a < b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [u8; L] {
        let a = &level.widen_bf16(a);
        let b = &level.widen_bf16(b);
        let mut out = [0; L];
        for i in 0..L {
            out[i] = { let (a, b) = (a[i], b[i]); u8::from(a < b) };
        }
        out
    }
}

impl Function<(half::bf16, half::bf16)> for LtKind {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(Truth::of_truth(a < b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); Truth::of_truth(a < b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for LePlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> u8 {
        let a = a.to_f32();
        let b = b.to_f32();
        u8::from(a <= b)
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [u8; L] {
        let a = &level.widen_bf16(a);
        let b = &level.widen_bf16(b);
        let mut out = [0; L];
        for i in 0..L {
            out[i] = { let (a, b) = (a[i], b[i]); u8::from(a <= b) };
        }
        out
    }
}

impl Function<(half::bf16, half::bf16)> for LeKind {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        half::bf16::from_f32(Truth::of_truth(a <= b))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b) = (a[i], b[i]); Truth::of_truth(a <= b) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16)> for ApproxEqPlain {
    type Output = u8;
    const HEAVY: bool = false;
    const HALVES: bool = false;

    #[inline(always)]
    fn call(&self, (a, b): (half::bf16, half::bf16)) -> u8 {
        let tolerance = &self.0;
        let a = a.to_f32();
        let b = b.to_f32();
        u8::from(a.is_close(b, tolerance))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b): (&[half::bf16; L], &[half::bf16; L])) -> [u8; L] {
        let tolerance = &self.0;
        let a = &level.widen_bf16(a);
        let b = &level.widen_bf16(b);
        let mut out = [0; L];
        for i in 0..L {
            out[i] = { let (a, b) = (a[i], b[i]); u8::from(a.is_close(b, tolerance)) };
        }
        out
    }
}

impl Function<(half::bf16, half::bf16, half::bf16)> for MulAddPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b, c): (half::bf16, half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        let c = c.to_f32();
        half::bf16::from_f32(a.fused(b, c))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b, c): (&[half::bf16; L], &[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let c = &level.split_bf16(c);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b, c) = (a[i], b[i], c[i]); a.fused(b, c) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}

impl Function<(half::bf16, half::bf16, half::bf16)> for ClampPlain {
    type Output = half::bf16;
    const HEAVY: bool = false;
    const HALVES: bool = true;

    #[inline(always)]
    fn call(&self, (a, b, c): (half::bf16, half::bf16, half::bf16)) -> half::bf16 {
        let a = a.to_f32();
        let b = b.to_f32();
        let c = c.to_f32();
        half::bf16::from_f32(a.maximum_of(b).minimum_of(c))
    }

    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, (a, b, c): (&[half::bf16; L], &[half::bf16; L], &[half::bf16; L])) -> [half::bf16; L] {
        let a = &level.split_bf16(a);
        let b = &level.split_bf16(b);
        let c = &level.split_bf16(c);
        let mut given = [0.0_f32; L];
        for i in 0..L {
            given[i] = { let (a, b, c) = (a[i], b[i], c[i]); a.maximum_of(b).minimum_of(c) };
        }
        level.join_bf16_of_arithmetic(&given)
    }
}
