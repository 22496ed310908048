//! How far each function's results are from the true values, in units in the last place.
//!
//! `cargo bench --bench accuracy [-- [--points N] [--filter TEXT]]` prints two markdown tables, and `table.md` holds one
//! run of it. The first measures `f32` and `f64`: N (10^8) is the number of points of every `f32` function; those of `f64`
//! get a tenth of it, because their true values take longer. Every level that the CPU has computes each point, and has
//! to give the bits of the others. The second table compares f16 and bf16 with the rounded results of `f32`.
//!
//! It fails if a result is further from the truth than the crate promises. Without cargo's `--bench` (as `cargo test`
//! runs it) or with `--test`, a few thousand points of each are measured.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use stridecast::{DType, Isa, Layout, Op, OpPlan, Options, Result};

mod double;
mod halves;
mod logarithm;
mod points;
mod truth;

use points::{Point, Region};

/// Elements of a call.
const BATCH: usize = 1 << 16;

/// What is measured: one entry a function and type.
struct Function<T: 'static> {
    op: Op,
    /// Promised bound, in units in the last place; 0 for exact.
    bound: f64,
    /// The distance of a result from the true value.
    error: fn(T, T, T) -> f64,
    regions: &'static [Region<T>],
}

fn singles() -> [Function<f32>; 5] {
    use points::single::{ANGLES, LENGTHS, POWERS, QUOTIENTS};
    let f = |op, bound, error, regions| Function { op, bound, error, regions };
    [
        f(Op::Pow, 1.0, truth::pow_f32, POWERS),
        f(Op::Atan2, 1.0, truth::atan2_f32, ANGLES),
        f(Op::Hypot, 1.0, truth::hypot_f32, LENGTHS),
        f(Op::Fmod, 0.0, truth::fmod_f32, QUOTIENTS),
        f(Op::Remainder, 0.0, truth::remainder_f32, QUOTIENTS),
    ]
}

fn doubles() -> [Function<f64>; 5] {
    use points::double::{ANGLES, LENGTHS, POWERS, QUOTIENTS};
    let f = |op, bound, error, regions| Function { op, bound, error, regions };
    [
        f(Op::Pow, 1.0, logarithm::pow_f64, POWERS),
        f(Op::Atan2, 1.0, truth::atan2_f64, ANGLES),
        f(Op::Hypot, 1.0, truth::hypot_f64, LENGTHS),
        f(Op::Fmod, 0.0, truth::fmod_f64, QUOTIENTS),
        f(Op::Remainder, 0.0, truth::remainder_f64, QUOTIENTS),
    ]
}

/// Measures the regions of `function`, `points` in all, a line of the table each. Whether the promise held.
fn measure<T: Point>(function: &Function<T>, points: usize) -> Result<bool> {
    let op = function.op;
    let points = points.div_ceil(function.regions.len());
    let batches = points.div_ceil(BATCH);
    let len = points.div_ceil(batches);
    let shape = [len];
    let layout = Layout::new(&shape)?;
    let on = |isa| OpPlan::new(op, &[(T::DTYPE, &layout); 2], T::DTYPE, Options::new().serial().isa(isa));
    let levels: Vec<_> = Isa::available().collect();
    let plans = levels.iter().copied().map(on).collect::<Result<Vec<_>>>()?;
    let zeros = || vec![T::default(); len];
    let (mut x, mut y, mut out, mut others) = (zeros(), zeros(), zeros(), zeros());

    let mut held = true;
    for region in function.regions {
        let mut random = points::Random::new();
        let (mut worst, mut sum, mut at) = (-1.0, 0.0, (T::default(), T::default()));
        for _ in 0..batches {
            for (x, y) in x.iter_mut().zip(&mut y) {
                (*x, *y) = (region.point)(&mut random);
            }
            plans[0].run((&x[..], &y[..]), &mut out[..])?;
            for (plan, isa) in plans.iter().zip(&levels).skip(1) {
                plan.run((&x[..], &y[..]), &mut others[..])?;
                if let Some(i) = (0..len).find(|&i| out[i].key() != others[i].key()) {
                    println!("{op} of {:e} and {:e} is {:e} but {:e} on {isa}", x[i], y[i], out[i], others[i]);
                    held = false;
                }
            }
            for ((&x, &y), &out) in x.iter().zip(&y).zip(&out) {
                let error = (function.error)(x, y, out);
                sum += error;
                if error > worst || error.is_nan() {
                    (worst, at) = (error, (x, y));
                }
            }
        }
        held &= worst <= function.bound;
        let (count, mean) = (batches * len, sum / (batches * len) as f64);
        let at = if worst == 0.0 { "exact".into() } else { format!("{:e}, {:e}", at.0, at.1) };
        println!("| {op} | {} | {} | {count} | {worst:.4} | {mean:.4} | {at} |", T::DTYPE, region.name);
    }
    Ok(held)
}

fn main() -> Result<ExitCode> {
    let (mut points, mut filter, mut long, mut test) = (100_000_000, String::new(), false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--points" => points = args.next().and_then(|n| n.parse().ok()).expect("--points N"),
            "--filter" => filter = args.next().expect("--filter TEXT"),
            "--bench" => long = true,
            "--test" => test = true,
            _ if !arg.starts_with('-') => filter = arg,
            // For the other benches.
            _ => {}
        }
    }
    let short = test || !long;
    if short {
        points = points.min(20_000);
    }
    truth::check();
    logarithm::check();
    let levels: Vec<_> = Isa::available().map(Isa::name).collect();
    println!("The same bits on {}.\n", levels.join(", "));
    println!("| function | type | region | points | max ULP | mean ULP | at |\n|---|---|---|---|---|---|---|");
    let chosen = |op: Op, dtype: DType| format!("{op} {dtype}").contains(&filter);
    let mut held = true;
    for function in singles().iter().filter(|f| chosen(f.op, DType::F32)) {
        held &= measure(function, points)?;
    }
    for function in doubles().iter().filter(|f| chosen(f.op, DType::F64)) {
        held &= measure(function, points.div_ceil(10))?;
    }
    // In a test, every 1021st of the halves.
    held &= halves::compare(if short { 1021 } else { 1 }, chosen)?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
