//! Reductions, and the gradients of broadcasting.

use half::{bf16, f16};
use stridecast::{BroadcastError, Over, Reduction, Rule, Tensor, View, ViewMut, broadcast_shapes, reduce};

use crate::all_shapes;

fn axes(axes: &[usize]) -> Over<'_> {
    Over::Axes { axes, keep_dims: false }
}

/// NumPy #8869, #9393, #13734, #29772: only sums along the fastest axis were added pairwise. The mean of ten million
/// f32 ones along another axis was 0.42, since a column's sum stopped at 2^24.
#[test]
fn columns_that_stop_at_two_to_the_24() {
    let ones = vec![1.0_f32; 34_000_000];
    let columns = View::new(&ones, &[17_000_000, 2]).unwrap();
    assert_eq!(reduce::mean_axes(&columns, &[0], false).unwrap().as_slice(), [1.0; 2]);
    assert_eq!(reduce::sum_axes(&columns, &[0], false).unwrap().as_slice(), [1.7e7; 2]);
    let mixed = View::new(&ones, &[1_700_000, 2, 10]).unwrap();
    assert_eq!(reduce::sum_axes(&mixed, &[0, 2], false).unwrap().as_slice(), [1.7e7; 2]);
}

/// NumPy #20458: the sum of 2^26 times 2^-26 over the first axis of a matrix with two columns was 0.5 together, 1 over
/// the second axis first.
#[test]
fn sums_of_sums_of_a_reshaped_row() {
    let x = vec![2.0_f32.powi(-24); 1 << 24];
    for shape in [[1 << 23, 2], [2, 1 << 23], [1 << 12, 1 << 12]] {
        let view = View::new(&x, &shape).unwrap();
        for order in [[0, 0], [1, 0]] {
            let partial = reduce::sum_axes(&view, &order[..1], false).unwrap();
            let sum = reduce::sum_axes(&partial.view(), &order[1..], false).unwrap();
            assert_eq!(sum.as_slice(), [1.0], "{shape:?} {order:?}");
        }
    }
}

/// PyTorch #12115 and #91597, burn #4770, TensorFlow #115732: the mean of halves was the sum as a half, divided by the
/// number of elements as a half; either is infinite above 65,504, and the mean infinite, NaN or 0.
#[test]
fn means_of_halves_whose_sum_or_number_is_infinite() {
    for n in [65_520, 65_536, 100_000] {
        let shape = [n];
        let ones = vec![f16::ONE; n];
        let mean = reduce::mean_axes(&View::new(&ones, &shape).unwrap(), &[0], false).unwrap();
        assert_eq!(mean.as_slice(), [f16::ONE]);
        let x: Vec<_> = (0..n).map(|i| f16::from_f32(if i % 4 == 0 { 3.0 } else { 1.0 })).collect();
        let mean = reduce::mean_axes(&View::new(&x, &shape).unwrap(), &[0], true).unwrap();
        assert_eq!(mean.as_slice(), [f16::from_f32(1.5)]);
    }
    let large = [f16::MAX; 100];
    let mean = reduce::mean_axes(&View::new(&large, &[50, 2]).unwrap(), &[0], false).unwrap();
    assert_eq!(mean.as_slice(), [f16::MAX; 2]);
}

/// PyTorch #2391, candle PR 3718: sums of halves along some axes were added in halves, where 32,000 + 32,000 - 64,000
/// is infinite and ones stop at 2048, those of bf16 at 256.
#[test]
fn sums_of_halves_added_in_halves() {
    let big = f16::from_f32(32_000.0);
    let x: Vec<_> = (0..8).map(|i| if i < 4 { big } else { -big }).collect();
    for shape in [&[8][..], &[8, 1], &[1, 8]] {
        let axis = shape.iter().position(|&size| size == 8).unwrap();
        let sum = reduce::sum_axes(&View::new(&x, shape).unwrap(), &[axis], false).unwrap();
        assert_eq!(sum.as_slice(), [f16::ZERO]);
    }
    let (ones, short) = ([f16::ONE; 4096 * 2], [bf16::ONE; 4096 * 2]);
    for (shape, axis) in [([4096, 2], 0), ([2, 4096], 1)] {
        let sum = reduce::sum_axes(&View::new(&ones, &shape).unwrap(), &[axis], false).unwrap();
        assert_eq!(sum.as_slice(), [f16::from_f32(4096.0); 2]);
        let sum = reduce::sum_axes(&View::new(&short, &shape).unwrap(), &[axis], false).unwrap();
        assert_eq!(sum.as_slice(), [bf16::from_f32(4096.0); 2]);
    }
}

/// TensorFlow #3510 and #31325: the largest of no elements was the lowest number of the type. NumPy and PyTorch #28380,
/// #34907, MLX PR 4079: where no result has no elements, it was refused all the same.
#[test]
fn the_largest_of_no_elements() {
    for shape in all_shapes(3, &[0, 2]) {
        let x = vec![-1_i32; shape.iter().product()];
        let view = View::new(&x, &shape).unwrap();
        for set in 0..1_usize << shape.len() {
            let gone: Vec<_> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
            let got: Result<Tensor<i32>, _> = reduce::reduce(Reduction::Max, &view, axes(&gone));
            let empty = shape.contains(&0);
            let left: usize = (0..shape.len()).filter(|axis| !gone.contains(axis)).map(|axis| shape[axis]).product();
            match got {
                Err(BroadcastError::EmptyReduction { .. }) => assert!(empty && left > 0, "{shape:?} {gone:?}"),
                got => assert_eq!(got.unwrap().as_slice(), vec![-1; left], "{shape:?} {gone:?}"),
            }
        }
    }
}

/// ArrayFire #860, TVM #19518, burn #4814, cumo PR 219: a comparison that a NaN loses kept, dropped or began anew with
/// the NaN, as the place in which it stood and the lanes of the vectors had it.
#[test]
fn a_nan_among_the_largest_and_smallest() {
    for n in [1, 5, 16, 37, 64, 100] {
        for at in 0..n {
            let mut x: Vec<f32> = (0..n).map(|i| i as f32 - 3.0).collect();
            x[at] = f32::NAN;
            for shape in [[n, 1], [1, n]] {
                let view = View::new(&x, &shape).unwrap();
                assert!(reduce::max_axes(&view, &[0, 1], false).unwrap().as_slice()[0].is_nan(), "{at} of {n}");
                assert!(reduce::min_axes(&view, &[0, 1], false).unwrap().as_slice()[0].is_nan(), "{at} of {n}");
            }
        }
    }
}

/// JAX PR 3618, ONNX Runtime #5848, aesara #677, swift-apis #642: an axis named twice was reduced twice, which counted
/// each element as often as the axis is long.
#[test]
fn an_axis_named_twice() {
    let view = View::new(&[1.0_f32; 9], &[3, 3]).unwrap();
    for list in [&[0, 0][..], &[1, 1], &[0, 1, 0]] {
        let got = reduce::sum_axes(&view, list, false).err();
        let twice = BroadcastError::RepeatedAxis { axes: list.to_vec(), axis: list[0] };
        assert_eq!(got, Some(twice));
        assert!(reduce::mean_axes(&view, list, true).is_err());
    }
}

/// nd4j #2424, tt-metal #40008, burn #181, rust-autograd #38, Odyssey PR 2080: the gradient of an operand that was
/// broadcast kept the wide shape, or axes of size 1 were looked for at their place before the leading ones were gone.
#[test]
fn gradients_that_keep_the_shape_of_the_result() {
    let shapes = all_shapes(3, &[1, 2, 3]);
    for a in &shapes {
        for b in &shapes {
            let Ok(wide) = broadcast_shapes(&[a, b]) else { continue };
            let count: usize = wide.iter().product();
            let ones = vec![1_i64; count];
            let (of_a, of_b) = reduce::sum_to_both(&View::new(&ones, &wide).unwrap(), a, b).unwrap();
            for (got, shape) in [(of_a, a), (of_b, b)] {
                let own: usize = shape.iter().product();
                assert_eq!(got.shape(), shape);
                assert_eq!(got.as_slice(), vec![(count / own) as i64; own], "{a:?} {b:?}");
            }
        }
    }
}

/// Oneflow PR 3609, Theano PRs 1585 and 2844: an axis of size 1 that was not stretched was taken for one that was,
/// and a shape that only gained leading axes of size 1 failed.
#[test]
fn axes_of_one_that_were_not_stretched() {
    let grad: Vec<i32> = (0..6).collect();
    for (wide, shape) in [
        (&[1, 2, 3][..], &[2, 3][..]),
        (&[1, 2, 3], &[1, 2, 3]),
        (&[2, 1, 3], &[2, 1, 3]),
        (&[1, 1, 6], &[6]),
        (&[1, 6, 1], &[6, 1]),
    ] {
        let got = reduce::sum_to(&View::new(&grad, wide).unwrap(), shape).unwrap();
        assert_eq!((got.shape(), got.as_slice()), (shape, &grad[..]));
    }
    let view = View::new(&grad, &[1, 6]).unwrap();
    let got = reduce::unbroadcast(&view, &[6], Rule::AxesMapping(&[1])).unwrap();
    assert_eq!(got.as_slice(), grad);
}

/// harvard-edge PR 1867: several reduced axes were put back by their numbers in the shape that was left.
#[test]
fn several_axes_that_are_kept_or_go() {
    let x: Vec<i64> = (0..120).collect();
    let view = View::new(&x, &[2, 3, 4, 5]).unwrap();
    for (list, kept, left) in [
        (&[1, 2][..], &[2, 1, 1, 5][..], &[2, 5][..]),
        (&[3, 0], &[1, 3, 4, 1], &[3, 4]),
        (&[2, 0], &[1, 3, 1, 5], &[3, 5]),
    ] {
        let wide = reduce::sum_axes(&view, list, true).unwrap();
        let short = reduce::sum_axes(&view, list, false).unwrap();
        assert_eq!((wide.shape(), short.shape()), (kept, left));
        assert_eq!(wide.as_slice(), short.as_slice());
        assert_eq!(reduce::sum_to(&view, kept).unwrap().as_slice(), wide.as_slice());
    }
}

/// A gradient of ones that is itself broadcast, as that of a sum is: stride 0 along every axis. It counts elements.
#[test]
fn a_gradient_that_stands_still() {
    let one = [1.0_f32];
    let grad = View::with_strides(&one, 0, &[1000, 3, 50], &[0, 0, 0]).unwrap();
    assert_eq!(reduce::sum_to(&grad, &[3, 1]).unwrap().as_slice(), [50_000.0; 3]);
    assert_eq!(reduce::sum_axes(&grad, &[], false).unwrap().as_slice().len(), 150_000);
    let mut total = [0.5_f32; 50];
    reduce::sum_to_add(&grad, ViewMut::new(&mut total, &[50]).unwrap()).unwrap();
    assert_eq!(total, [3000.5; 50]);
}
