//! Where there is no derivative, or the formulas overflow, and what is refused.

use half::{bf16, f16};
use stridecast::{BroadcastError, View, grad};

use crate::lab::{Both, Call, Number, of};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// That operands `[a, b]` under a gradient of `g` get these, as numbers: the signs of zeros and NaNs are not looked at.
fn check<T: Number>(call: Call<T>, g: f64, cases: &[([f64; 2], [f64; 2])]) {
    let column = |k: usize| of::<T>(&cases.iter().map(|case| case.0[k]).collect::<Vec<_>>());
    let (g, a, b) = (of::<T>(&[g]), column(0), column(1));
    let shape = [cases.len()];
    let g = View::new(&g, &[]).unwrap().broadcast_to(&shape).unwrap();
    let (to_a, to_b) = call(&g, &View::new(&a, &shape).unwrap(), &View::new(&b, &shape).unwrap()).unwrap();
    for (i, (operands, want)) in cases.iter().enumerate() {
        for (got, want) in [to_a.as_slice()[i], to_b.as_slice()[i]].map(T::get).into_iter().zip(want) {
            let want = T::of(*want).get();
            let same = got == want || got.is_nan() && want.is_nan();
            assert!(same, "{operands:?} get {got} of {want} in {}", T::DTYPE);
        }
    }
}

fn ties_and_nans<T: Number>() {
    let numbers: &[([f64; 2], [f64; 2])] = &[
        ([2.0, 1.0], [8.0, 0.0]),
        ([1.0, 2.0], [0.0, 8.0]),
        ([1.0, 1.0], [4.0, 4.0]),
        ([-0.0, 0.0], [4.0, 4.0]),
        ([INF, INF], [4.0, 4.0]),
        ([INF, -INF], [8.0, 0.0]),
        ([NAN, NAN], [4.0, 4.0]),
    ];
    // Of a minimum the other way round.
    let turned: Vec<_> = numbers.iter().map(|&([a, b], [to_a, to_b])| ([b, a], [to_a, to_b])).collect();
    check::<T>(grad::maximum, 8.0, numbers);
    check::<T>(grad::fmax, 8.0, numbers);
    check::<T>(grad::minimum, 8.0, &turned);
    check::<T>(grad::fmin, 8.0, &turned);
    for call in [grad::maximum::<T>, grad::minimum::<T>] {
        check::<T>(call, 8.0, &[([NAN, 1.0], [8.0, 0.0]), ([-INF, NAN], [0.0, 8.0]), ([NAN, INF], [8.0, 0.0])]);
    }
    for call in [grad::fmax::<T>, grad::fmin::<T>] {
        check::<T>(call, 8.0, &[([NAN, 1.0], [0.0, 8.0]), ([-INF, NAN], [8.0, 0.0]), ([NAN, INF], [0.0, 8.0])]);
    }
    // What is not chosen gets nothing of an infinite gradient, not NaN.
    check::<T>(
        grad::maximum,
        INF,
        &numbers[..2].iter().map(|&(x, g)| (x, g.map(|g| if g > 0.0 { INF } else { 0.0 }))).collect::<Vec<_>>(),
    );
}

#[test]
fn ties_and_nans_of_every_type() {
    ties_and_nans::<f16>();
    ties_and_nans::<bf16>();
    ties_and_nans::<f32>();
    ties_and_nans::<f64>();
}

fn zeros<T: Number>() {
    let ln_2 = 2.0_f64.ln();
    let powers = [
        ([0.0, 2.0], [0.0, 0.0]),
        ([0.0, 1.0], [1.0, 0.0]),
        ([-0.0, 1.0], [1.0, 0.0]),
        ([0.0, 0.5], [INF, 0.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([0.0, -1.0], [-INF, -INF]),
        ([2.0, 0.0], [0.0, T::of(ln_2).get()]),
        ([-2.0, 3.0], [12.0, NAN]),
        ([-2.0, 0.0], [0.0, NAN]),
        ([1.0, 5.0], [5.0, 0.0]),
        ([NAN, 0.0], [0.0, NAN]),
        ([INF, -1.0], [0.0, NAN]),
    ];
    check::<T>(grad::pow, 1.0, &powers);
    for g in [1.0, INF] {
        let tips = [([0.0, 0.0], [0.0, 0.0]), ([-0.0, 0.0], [0.0, 0.0]), ([0.0, -0.0], [0.0, 0.0])];
        check::<T>(grad::hypot, g, &tips);
        check::<T>(grad::atan2, g, &tips);
    }
    check::<T>(grad::hypot, 2.0, &[([0.0, -3.0], [0.0, -2.0]), ([INF, 1.0], [NAN, 0.0]), ([NAN, 1.0], [NAN, NAN])]);
    check::<T>(grad::atan2, 2.0, &[([0.0, -4.0], [-0.5, 0.0]), ([8.0, 0.0], [0.0, -0.25]), ([1.0, INF], [NAN, 0.0])]);
    check::<T>(grad::div, 1.0, &[([2.0, 0.0], [INF, -INF]), ([0.0, 0.0], [INF, NAN]), ([0.0, 2.0], [0.5, 0.0])]);
}

#[test]
fn zeros_of_every_type() {
    zeros::<f16>();
    zeros::<bf16>();
    zeros::<f32>();
    zeros::<f64>();
}

/// Squares of the operands would overflow or vanish; what they make does not.
#[test]
fn far_from_one() {
    for scale in [1e160, 1e-160] {
        let ([a, b], [c, d]) = ([3.0 * scale, 4.0 * scale], [0.6, 0.8]);
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-14, "{got} of {want}");
        let (g, a, b) = (View::scalar(&1.0), View::scalar(&a), View::scalar(&b));
        let (to_a, to_b) = grad::hypot(&g, &a, &b).unwrap();
        near(to_a.as_slice()[0], c);
        near(to_b.as_slice()[0], d);
        let (to_a, to_b) = grad::atan2(&g, &a, &b).unwrap();
        near(to_a.as_slice()[0], 0.16 / scale);
        near(to_b.as_slice()[0], -0.12 / scale);
        let (_, to_b) = grad::div(&g, &a, &b).unwrap();
        near(to_b.as_slice()[0], -3.0 / 16.0 / scale);
    }
}

/// Sums that f16 neither hold on the way nor can add up.
#[test]
fn sums_of_halves_are_kept_in_f32() {
    let [one, big] = [1.0, 300.0].map(f16::from_f32);
    let (ones, bigs) = (vec![one; 4096], vec![big; 4096]);
    let (ones, bigs) = (View::new(&ones, &[4096]).unwrap(), View::new(&bigs, &[4096]).unwrap());
    let total = |both: Both<f16>| both.unwrap().1.as_slice()[0].to_f32();
    assert_eq!(total(grad::add(&ones, &[4096], &[])), 4096.0);
    assert_eq!(total(grad::sub(&ones, &[4096], &[])), -4096.0);
    assert_eq!(total(grad::mul(&ones, &ones, &View::scalar(&one))), 4096.0);
    assert_eq!(total(grad::maximum(&ones, &ones, &View::scalar(&big))), 4096.0);
    assert_eq!(total(grad::maximum(&ones, &ones, &View::scalar(&one))), 2048.0);
    // 4096 * 300 * 300 is far above the largest f16.
    assert_eq!(total(grad::div(&bigs, &bigs, &View::scalar(&big))), -4096.0);
}

#[test]
fn nothing_summed_is_nothing() {
    let (g, a, zero) = (View::new(&[], &[0, 2]).unwrap(), View::new(&[], &[0, 2]).unwrap(), [0.0_f32; 2]);
    let (to_a, to_b) = grad::div(&g, &a, &View::new(&zero, &[2]).unwrap()).unwrap();
    assert_eq!((to_a.shape(), to_b.as_slice()), (&[0, 2][..], &[0.0, 0.0][..]));
}

#[test]
fn shapes_that_do_not_fit() {
    let data = [1.0_f32; 6];
    let of = |shape| View::new(&data[..crate::lab::len(shape)], shape).unwrap();
    let mismatch = BroadcastError::ShapeMismatch { expected: vec![2, 3], got: vec![3, 2] };
    assert_eq!(grad::mul(&of(&[3, 2]), &of(&[2, 1]), &of(&[3])).unwrap_err(), mismatch);
    assert_eq!(grad::add(&of(&[3, 2]), &[2, 1], &[3]).unwrap_err(), mismatch);
    assert_eq!(grad::where_(&of(&[3, 2]), &View::scalar(&true), &[2, 1], &[3]).unwrap_err(), mismatch);
    // Wider than the operands together: they were never broadcast to that.
    assert!(grad::hypot(&of(&[2, 3]), &of(&[3]), &of(&[3])).is_err());
    assert!(grad::sub(&of(&[2, 3]), &[2], &[3]).is_err());
    assert!(grad::where_(&of(&[2, 3]), &View::new(&[true; 2], &[2]).unwrap(), &[3], &[2, 3]).is_err());
}
