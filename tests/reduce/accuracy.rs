//! Sums that plain addition gets wrong: cancelling ones, long ones, and ones of equal numbers.

use bytemuck::Zeroable;
use half::{bf16, f16};
use stridecast::{DType, Element, Options, Over, ReducePlan, Reduction, View, reduce};

use crate::common::numbers::{Kind, join, kind, round};
use crate::common::tensor::{Place, Tensor};
use crate::defined::{Signature, signatures};
use crate::lab::{Call, Which, levels};
use crate::values::hash;

/// Sums and means of floats, complex numbers among them.
fn sums() -> Vec<Signature> {
    let float = |s: &Signature| matches!(kind(s.dtype), Kind::Float | Kind::Complex);
    let sum = |s: &Signature| matches!(s.reduction, Reduction::Sum | Reduction::Mean);
    signatures().into_iter().filter(|signature| float(signature) && sum(signature)).collect()
}

/// A call whose elements are the numbers of a list, in C order, along inner, outer and mixed axes.
fn check(signature: &Signature, numbers: &[f64]) {
    let n = numbers.len();
    let shapes: [(&[usize], &[usize]); 4] =
        [(&[n], &[0]), (&[2, n / 2], &[1]), (&[n / 4, 4], &[0]), (&[n / 12, 3, 4], &[0, 2])];
    for (shape, axes) in shapes {
        let tensor = |factor: f64| {
            Tensor::room(signature.dtype, shape, &Place::PLAIN).filled(|i| {
                let x = numbers[i as usize] * factor;
                if kind(signature.dtype) == Kind::Complex {
                    join(signature.dtype, x, -numbers[n - 1 - i as usize])
                } else {
                    round(signature.dtype, x)
                }
            })
        };
        let inputs = [tensor(1.0), tensor(0.5)][..signature.operands()].to_vec();
        Call::of(signature, inputs, Which::Axes(axes.to_vec(), false), &Place::PLAIN, 1).check();
    }
}

/// Numbers that nearly cancel, in several orders: large and small in turn, all large ones first, and small ones
/// between.
#[test]
fn large_numbers_that_cancel() {
    for signature in sums() {
        // What the type holds, far from its ends: products of two among them.
        let large = match signature.dtype {
            DType::F16 => 200.0,
            DType::F64 | DType::C128 => 1e15,
            _ => 1e8,
        };
        for n in [24, 240, 2052, 12_012] {
            let small = |i: usize| hash(i as u64) as f64 / u64::MAX as f64;
            let turns: Vec<_> = (0..n).map(|i| [large, small(i), -large, small(i)][i % 4]).collect();
            check(&signature, &turns);
            let halves: Vec<_> = (0..n).map(|i| if i < n / 2 { large } else { -large } + small(i)).collect();
            check(&signature, &halves);
            let mirror: Vec<_> = (0..n).map(|i| (n as f64 / 2.0 - 0.5 - i as f64) * large / n as f64).collect();
            check(&signature, &mirror);
            let falling: Vec<_> = (0..n).map(|i| large / (1.0 + i as f64).powi(2)).collect();
            check(&signature, &falling);
        }
    }
}

fn elements<T: Element>(x: T, n: usize) -> Vec<T> {
    vec![x; n]
}

/// A reduction over axes of a strided view, on every level; of a large one on the best.
fn on_every_level<T: Element, O: Element + Zeroable + PartialEq>(
    reduction: Reduction,
    view: &View<'_, T>,
    axes: &[usize],
    wanted: O,
) {
    let over = Over::Axes { axes, keep_dims: false };
    // Levels give the same bits, see `bits`; 2^25 elements take some of them a second.
    let first = if view.len() > 1 << 22 { levels().len() - 1 } else { 0 };
    for isa in levels().into_iter().skip(first) {
        let plan = ReducePlan::new(reduction, (T::DTYPE, view.layout()), over, O::DTYPE, Options::new().isa(isa));
        let plan = plan.unwrap();
        let mut out = vec![O::zeroed(); plan.output_len()];
        plan.run((view.data(),), &mut out).unwrap();
        assert!(out.iter().all(|got| *got == wanted), "{reduction} over {axes:?} of {:?} on {isa}", view.shape());
    }
}

/// f32 counts to 2^24 by ones; 2^25 ones are 2^25 all the same.
#[test]
fn two_to_the_25_ones() {
    let n = 1 << 25;
    let ones = elements(1.0_f32, n + 2);
    let wanted = n as f32;
    let view =
        |shape: &'static [usize], strides: &'static [isize]| View::with_strides(&ones, 0, shape, strides).unwrap();
    on_every_level(Reduction::Sum, &view(&[1 << 25], &[1]), &[0], wanted);
    on_every_level(Reduction::Mean, &view(&[1 << 25], &[1]), &[0], 1.0_f32);
    // Rows that share all elements but one: columns of 2^25 elements in 128 MiB.
    on_every_level(Reduction::Sum, &view(&[1 << 25, 2], &[1, 1]), &[0], wanted);
    on_every_level(Reduction::Sum, &view(&[3, 1 << 25], &[1, 1]), &[1], wanted);
    on_every_level(Reduction::Sum, &view(&[1 << 12, 2, 1 << 13], &[1 << 13, 1, 1]), &[0, 2], wanted);
    on_every_level(Reduction::Sum, &view(&[1 << 5, 1 << 10, 1 << 10], &[1 << 20, 1 << 10, 1]), &[0, 1, 2], wanted);
    on_every_level(Reduction::Sum, &view(&[1 << 25], &[0]), &[0], wanted);
}

#[test]
fn seventy_thousand_ones_of_halves() {
    let n = 70_000;
    for (shape, axes) in [(&[70_000_usize][..], &[0_usize][..]), (&[7, 10_000], &[0, 1]), (&[70_000, 1], &[0])] {
        let ones = elements(f16::ONE, n);
        let view = View::new(&ones, shape).unwrap();
        on_every_level(Reduction::Sum, &view, axes, n as f32);
        on_every_level(Reduction::Sum, &view, axes, f16::INFINITY);
        on_every_level(Reduction::Mean, &view, axes, f16::ONE);
        let ones = elements(bf16::ONE, n);
        let view = View::new(&ones, shape).unwrap();
        on_every_level(Reduction::Sum, &view, axes, n as f32);
        on_every_level(Reduction::Sum, &view, axes, bf16::from_f32(n as f32));
        on_every_level(Reduction::Mean, &view, axes, bf16::ONE);
    }
    // Each of several columns.
    let ones = elements(f16::ONE, 3 * n);
    let columns = View::new(&ones, &[70_000, 3]).unwrap();
    on_every_level(Reduction::Sum, &columns, &[0], n as f32);
    // 60,000 f16 ones fit f16, which counts to 2048 by ones.
    on_every_level(Reduction::Sum, &columns.slice(0, 0, 60_000, 1).unwrap(), &[0], f16::from_f32(60_000.0));
}

/// 2^22 times the same number that is no sum of few powers of two: each addition of a sequential sum is rounded the
/// same way, which makes 2% of it; the bound allows a millionth.
#[test]
fn millions_of_tenths() {
    let n = 1_usize << 22;
    let tenths = elements(0.1_f32, n + 2);
    for (shape, strides, axes) in [
        (&[1 << 22][..], &[1][..], &[0][..]),
        (&[1 << 22, 3], &[1, 1], &[0]),
        (&[1 << 11, 1 << 11], &[1 << 11, 1], &[0, 1]),
        (&[1 << 11, 3, 1 << 11], &[1 << 11, 1, 1], &[0, 2]),
    ] {
        let view = View::with_strides(&tenths, 0, shape, strides).unwrap();
        let sums = reduce::sum_axes(&view, axes, false).unwrap();
        let exact = f64::from(0.1_f32) * n as f64;
        for &sum in sums.as_slice() {
            let error = (f64::from(sum) - exact).abs();
            let allowed = (16.0 + 22.0) * f64::from(f32::EPSILON / 2.0) * exact;
            assert!(error <= allowed, "{shape:?} over {axes:?}: {sum} is {error} from {exact}");
        }
    }
}
