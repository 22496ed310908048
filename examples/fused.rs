//! A function of your own in one pass: `gelu(x * scale + bias)`, where `scale` and `bias` are rows.
//!
//! `cargo run --release --example fused [ROWS COLUMNS]` checks it against a plain loop and prints the time of one pass,
//! and of the same as three calls, each of which reads and writes everything.

use std::time::Instant;

use stridecast::{Function, Result, View, map_into, ops};

/// Gaussian error linear unit in its tanh form, `y / 2 * (1 + tanh(u))` with `u = sqrt(2 / pi) * (y + 0.044715 y^3)`.
///
/// Written as `y / (1 + exp(-2 u))`, which is the same. Nothing here branches or calls, so it becomes vector code.
/// Against f64, for |y| <= 1e30: off by 1e-6 of the result from -3 on, and by 1e-7 at most below.
#[inline(always)]
pub fn gelu(y: f32) -> f32 {
    // sqrt(2 / pi) twice, and the factor of the cube.
    let u2 = 1.595_769_2 * (y + 0.044_715 * y * y * y);
    y / (1.0 + exp(-u2))
}

/// Within 3 units in the last place from -87 to 87, which is what everything beyond is taken for.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // To add and subtract 1.5 * 2^23 rounds to an integer, and leaves it in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    // ln 2 in two parts: n times the first is exact.
    let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    // e^r for |r| <= ln 2 / 2 by its series; the first term left out is 1e-7 of it.
    let series = 1.0 / 120.0 + r * (1.0 / 720.0);
    let series = 1.0 / 6.0 + r * (1.0 / 24.0 + r * series);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    power * (1.0 + r * (1.0 + r * (0.5 + r * series)))
}

/// The whole of it. A closure would do as well; a type has a name, and may choose its own lanes by `Function::block`.
pub struct ScaledGelu;

impl Function<(f32, f32, f32)> for ScaledGelu {
    type Output = f32;

    #[inline(always)]
    fn call(&self, (x, scale, bias): (f32, f32, f32)) -> f32 {
        gelu(x * scale + bias)
    }
}

/// A tensor of `shape`, from -4 to 4.
pub fn numbers(shape: &[usize]) -> Vec<f32> {
    (0..shape.iter().product::<usize>()).map(|i| (i * 7919 % 8191) as f32 / 1024.0 - 4.0).collect()
}

/// The same as three calls, with room for what lies between them.
pub fn unfused(
    x: &View<'_, f32>,
    scale: &View<'_, f32>,
    bias: &View<'_, f32>,
    between: &mut [Vec<f32>; 2],
    out: &mut [f32],
) -> Result<()> {
    let [scaled, biased] = between;
    ops::mul_into(x, scale, &mut *scaled)?;
    ops::add_into(&View::new(scaled, x.shape())?, bias, &mut *biased)?;
    map_into(&|y: f32| gelu(y), (&View::new(biased, x.shape())?,), out)
}

#[allow(dead_code, reason = "a bench includes this file for the function")]
fn main() -> Result<()> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let [rows, cols] = sizes.try_into().unwrap_or([512, 1024]);
    let (x, scale, bias) = (numbers(&[rows, cols]), numbers(&[cols]), numbers(&[3, cols])[2 * cols..].to_vec());
    let (shape, row) = ([rows, cols], [1, cols]);
    let (x, scale, bias) = (View::new(&x, &shape)?, View::new(&scale, &row)?, View::new(&bias, &row)?);
    let mut out = vec![0.0; rows * cols];
    let mut between = [out.clone(), out.clone()];

    // A plain loop, in the same precision and in f64.
    map_into(&ScaledGelu, (&x, &scale, &bias), &mut out)?;
    let mut worst = 0.0_f64;
    for (i, &got) in out.iter().enumerate() {
        let y = x.data()[i] * scale.data()[i % cols] + bias.data()[i % cols];
        assert_eq!(got, gelu(y), "element {i}");
        let exact =
            f64::from(y) / (1.0 + (-1.595_769_121_605_731 * (f64::from(y) + 0.044_715 * f64::from(y).powi(3))).exp());
        worst = worst.max((f64::from(got) - exact).abs() / exact.abs().max(1.0));
    }
    assert!(worst < 1e-6, "{worst}");
    unfused(&x, &scale, &bias, &mut between, &mut out)?;

    let mut best = [f64::INFINITY; 2];
    for _ in 0..10 {
        let start = Instant::now();
        map_into(&ScaledGelu, (&x, &scale, &bias), &mut out)?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        unfused(&x, &scale, &bias, &mut between, &mut out)?;
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    let [one, three] = best.map(|seconds| seconds * 1e6);
    println!("gelu(x * scale + bias), x [{rows}, {cols}]: off by {worst:.1e} at most");
    println!("one pass {one:.0} µs, three calls {three:.0} µs: {:.2} times as long", three / one);
    Ok(())
}
