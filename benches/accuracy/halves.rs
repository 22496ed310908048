//! f16 and bf16, whose results are those of `f32`, rounded once: all 65,536 values with some of their own.

use half::{bf16, f16};
use stridecast::{DType, Element, Isa, Layout, Op, OpPlan, Options, Result};

/// Binary functions that give a half.
const OPS: [Op; 13] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Pow,
    Op::Minimum,
    Op::Maximum,
    Op::Fmin,
    Op::Fmax,
    Op::Atan2,
    Op::Hypot,
    Op::Fmod,
    Op::Remainder,
];

/// One of the types.
trait Half: Element + Copy + Default + 'static {
    /// The bits of 1.
    const ONE: u16;
    /// Those of infinity.
    const INFINITY: u16;
    fn from_bits(bits: u16) -> Self;
    /// By the half crate, which converts exactly.
    fn wide(self) -> f32;
    /// By the half crate, to nearest with ties to even.
    fn rounded(wide: f32) -> Self;
    /// The bits, those of all NaNs alike.
    fn key(self) -> u16;
}

impl Half for f16 {
    const ONE: u16 = 0x3C00;
    const INFINITY: u16 = 0x7C00;

    fn from_bits(bits: u16) -> Self {
        f16::from_bits(bits)
    }

    fn wide(self) -> f32 {
        self.to_f32()
    }

    fn rounded(wide: f32) -> Self {
        f16::from_f32(wide)
    }

    fn key(self) -> u16 {
        if self.is_nan() { u16::MAX } else { self.to_bits() }
    }
}

impl Half for bf16 {
    const ONE: u16 = 0x3F80;
    const INFINITY: u16 = 0x7F80;

    fn from_bits(bits: u16) -> Self {
        bf16::from_bits(bits)
    }

    fn wide(self) -> f32 {
        self.to_f32()
    }

    fn rounded(wide: f32) -> Self {
        bf16::from_f32(wide)
    }

    fn key(self) -> u16 {
        if self.is_nan() { u16::MAX } else { self.to_bits() }
    }
}

/// The values that all others meet, of both signs: the ends of the range, numbers about 1 and exponents of a power, and
/// some in between.
fn some<T: Half>() -> Vec<T> {
    let (one, infinity) = (T::ONE, T::INFINITY);
    let normal = infinity & infinity.wrapping_neg();
    let ends = [0, 1, 2, normal - 1, normal, normal + 1, infinity - 1, infinity, infinity + 1];
    let about = [one - 2, one - 1, one, one + 1, one + 2].into_iter().chain((1..6).map(|n| one + n * 0x60));
    let between = (1..8).map(|n| infinity / 8 * n + 0x15 * n);
    ends.into_iter().chain(about).chain(between).flat_map(|bits| [bits, bits | 1 << 15]).map(T::from_bits).collect()
}

/// Compares every `step`th value on every level, a line of the table each. Whether there was no difference.
pub fn compare(step: usize, chosen: impl Fn(Op, DType) -> bool) -> Result<bool> {
    println!("\n| function | type | pairs | not the rounded result of f32 |\n|---|---|---|---|");
    let mut held = true;
    for op in OPS {
        held &= !chosen(op, DType::F16) || function::<f16>(op, step)?;
        held &= !chosen(op, DType::BF16) || function::<bf16>(op, step)?;
    }
    Ok(held)
}

fn function<T: Half>(op: Op, step: usize) -> Result<bool> {
    let all: Vec<T> = (0..=u16::MAX).step_by(step).map(T::from_bits).collect();
    let wide: Vec<f32> = all.iter().map(|x| x.wide()).collect();
    let (mut halves, mut singles) = (vec![T::default(); all.len()], vec![0.0_f32; all.len()]);
    let len = [all.len()];
    let (many, one) = (Layout::new(&len)?, Layout::new(&[1])?);
    let (mut pairs, mut wrong) = (0, 0);
    for isa in Isa::available() {
        let options = Options::new().serial().isa(isa);
        // The many as the left operand, then as the right one.
        for layouts in [[&many, &one], [&one, &many]] {
            let plan = |dtype| OpPlan::new(op, &layouts.map(|layout| (dtype, layout)), dtype, options);
            let (plan, plan_of_f32) = (plan(T::DTYPE)?, plan(DType::F32)?);
            for other in some::<T>() {
                let (other, wide_other) = ([other], [other.wide()]);
                if layouts[0].len() == 1 {
                    plan.run((&other[..], &all[..]), &mut halves[..])?;
                    plan_of_f32.run((&wide_other[..], &wide[..]), &mut singles[..])?;
                } else {
                    plan.run((&all[..], &other[..]), &mut halves[..])?;
                    plan_of_f32.run((&wide[..], &wide_other[..]), &mut singles[..])?;
                }
                pairs += all.len();
                wrong += halves.iter().zip(&singles).filter(|&(&h, &s)| h.key() != T::rounded(s).key()).count();
            }
        }
    }
    println!("| {op} | {} | {pairs} | {wrong} |", T::DTYPE);
    Ok(wrong == 0)
}
