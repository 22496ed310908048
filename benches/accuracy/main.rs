//! How far each function's results are from the true values, in units in the last place.
//!
//! `cargo bench --bench accuracy [-- [--points N] [--filter TEXT]]` prints a markdown table, and fails if a result is
//! further from the truth than the crate promises. N (10^8) is the number of points of every `f32` function; `f64`
//! functions get a tenth of it, because their true values take longer. Without cargo's `--bench` (as `cargo test`
//! runs it) or with `--test`, a few thousand points of each are measured.

use std::process::ExitCode;

#[allow(dead_code, unused_imports, reason = "its tests are the library's")]
#[path = "../../src/math/mod.rs"]
mod math;

mod double;
mod points;
mod truth;

use points::{Point, Region};

/// Lanes of a block, by type.
const L32: usize = 64;
const L64: usize = 32;

/// A function of two arguments: `out[i]` of `x[i]` and `y[i]`.
type Rows<T> = fn(&[T], &[T], &mut [T]);

/// What is measured: one entry a function and type.
struct Function<T: 'static> {
    name: &'static str,
    /// Promised bound, in units in the last place; 0 for exact.
    bound: f64,
    rows: Rows<T>,
    /// The distance of a result from the true value.
    error: fn(T, T, T) -> f64,
    regions: &'static [Region<T>],
}

fn singles() -> Vec<Function<f32>> {
    use points::single::{ANGLES, LENGTHS, QUOTIENTS};
    let f = |name, bound, rows, error, regions| Function { name, bound, rows, error, regions };
    vec![
        f("atan2", 1.0, |y, x, out| blocks(math::atan2_f32::<L32>, y, x, out), truth::atan2_f32, ANGLES),
        f("hypot", 1.0, |x, y, out| blocks(math::hypot_f32::<L32>, x, y, out), truth::hypot_f32, LENGTHS),
        f("fmod", 0.0, |x, y, out| blocks(math::fmod_f32::<L32>, x, y, out), truth::fmod_f32, QUOTIENTS),
        f("remainder", 0.0, |x, y, out| blocks(math::remainder_f32::<L32>, x, y, out), truth::remainder_f32, QUOTIENTS),
        // pow goes here, with its regions and its truth.
    ]
}

fn doubles() -> Vec<Function<f64>> {
    use points::double::{ANGLES, LENGTHS, QUOTIENTS};
    let f = |name, bound, rows, error, regions| Function { name, bound, rows, error, regions };
    vec![
        f("atan2", 1.0, |y, x, out| blocks(math::atan2_f64::<L64>, y, x, out), truth::atan2_f64, ANGLES),
        f("hypot", 1.0, |x, y, out| blocks(math::hypot_f64::<L64>, x, y, out), truth::hypot_f64, LENGTHS),
        f("fmod", 0.0, |x, y, out| blocks(math::fmod_f64::<L64>, x, y, out), truth::fmod_f64, QUOTIENTS),
        f("remainder", 0.0, |x, y, out| blocks(math::remainder_f64::<L64>, x, y, out), truth::remainder_f64, QUOTIENTS),
        // pow goes here, with its regions and its truth.
    ]
}

/// Runs `f` over whole blocks, with the best instructions that the CPU has.
fn blocks<T, F, const L: usize>(f: F, x: &[T], y: &[T], out: &mut [T])
where
    T: Copy,
    F: Fn(&[T; L], &[T; L]) -> [T; L],
{
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let (out, []) = out.as_chunks_mut::<L>() else { panic!("not whole blocks") };
            for ((out, x), y) in out.iter_mut().zip(x.as_chunks().0).zip(y.as_chunks().0) {
                *out = f(x, y);
            }
        },
    );
}

/// Measures the regions of `function`, `points` in all, a line of the table each. Whether the promise held.
fn measure<T: Point>(function: &Function<T>, points: usize) -> bool {
    const BATCH: usize = 4096;
    let (mut x, mut y, mut out) = (vec![T::default(); BATCH], vec![T::default(); BATCH], vec![T::default(); BATCH]);
    let mut held = true;
    for region in function.regions {
        let mut random = points::Random::new();
        let batches = points.div_ceil(BATCH * function.regions.len());
        let (mut worst, mut sum, mut at) = (-1.0, 0.0, (T::default(), T::default()));
        for _ in 0..batches {
            for (x, y) in x.iter_mut().zip(&mut y) {
                (*x, *y) = (region.point)(&mut random);
            }
            (function.rows)(&x, &y, &mut out);
            for ((&x, &y), &out) in x.iter().zip(&y).zip(&out) {
                let error = (function.error)(x, y, out);
                sum += error;
                if error > worst || error.is_nan() {
                    (worst, at) = (error, (x, y));
                }
            }
        }
        held &= worst <= function.bound;
        let (count, mean) = (batches * BATCH, sum / (batches * BATCH) as f64);
        let at = if worst == 0.0 { "exact".into() } else { format!("{:?}, {:?}", at.0, at.1) };
        println!("| {} | {} | {} | {count} | {worst:.4} | {mean:.4} | {at} |", function.name, T::NAME, region.name,);
    }
    held
}

fn main() -> ExitCode {
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
    if test || !long {
        points = points.min(20_000);
    }
    truth::check();
    println!("| function | type | region | points | max ULP | mean ULP | at |\n|---|---|---|---|---|---|---|");
    let mut held = true;
    for function in singles().iter().filter(|f| format!("{} f32", f.name).contains(&filter)) {
        held &= measure(function, points);
    }
    for function in doubles().iter().filter(|f| format!("{} f64", f.name).contains(&filter)) {
        held &= measure(function, points.div_ceil(10));
    }
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
