//! Rules taken for one another: axes, directions, rank 0.

use stridecast::{Layout, Rule, Side, View, broadcast, broadcast_all, repeat, tile};

use crate::all_shapes;
use crate::common::naive;

/// OpenVINO #35958, halo #155, nGraph's BroadcastLike, ONNX's version converter: the vector was laid along another
/// axis than asked for, which a square shape hides.
#[test]
fn vector_along_the_wrong_axis() {
    const N: usize = 5;
    let data: Vec<u16> = (10..10 + N as u16).collect();
    let view = View::new(&data, &[N]).unwrap();
    for axis in 0..3 {
        let others: Vec<usize> = (0..3).filter(|&other| other != axis).collect();
        let want: Vec<u16> = naive::indices(&[N; 3]).iter().map(|index| data[index[axis]]).collect();
        let map = [axis];
        let rules = [
            Rule::AxesMapping(&map),
            Rule::BroadcastAxes(&others),
            Rule::BroadcastLike(&others),
            Rule::Pdpd { axis: Some(axis) },
        ];
        for rule in rules {
            assert_eq!(broadcast(&view, &[N; 3], rule).unwrap().as_slice(), want, "{rule:?}");
        }
        let same_without_a_rule = match axis {
            0 => broadcast(&view, &[N; 3], Rule::BroadcastLike(&[])),
            1 => view.expand(2, Side::Right).broadcast_to(&[N; 3]).unwrap().to_tensor(),
            _ => broadcast(&view, &[N; 3], Rule::Numpy),
        };
        assert_eq!(same_without_a_rule.unwrap().as_slice(), want, "axis {axis}");
    }
}

/// NumSharp #536, tvm #17769, hip-ep PR 811, nGraph's numpy mode: a one-directional broadcast let the target stretch,
/// or a bidirectional one did not.
#[test]
fn one_direction_taken_for_two() {
    type Case = (&'static [usize], &'static [usize], Option<&'static [usize]>);
    let cases: [Case; 7] = [
        (&[2, 3], &[4, 3], None),
        (&[3], &[1], Some(&[3])),
        (&[3, 4], &[4], Some(&[3, 4])),
        (&[2, 1], &[1, 3], Some(&[2, 3])),
        (&[3, 4], &[1, 1], Some(&[3, 4])),
        (&[1], &[], Some(&[1])),
        (&[0], &[1], Some(&[0])),
    ];
    for (source, target, both) in cases {
        assert!(Rule::Numpy.output_shape(source, target).is_err(), "{source:?} to {target:?}");
        let got = Rule::Bidirectional.output_shape(source, target);
        assert_eq!(got.as_deref().ok(), both, "{source:?} with {target:?}");
    }
    // What one direction allows comes out with exactly the target's shape.
    let got = Rule::Numpy.output_shape(&[3, 1], &[2, 3, 1]).unwrap();
    assert_eq!(got, [2, 3, 1]);
}

/// OpenVINO 2026.4: a repeated axis passed the order test, and memory that nothing had written came out.
#[test]
fn repeated_axis_accepted() {
    let lists: [&[usize]; 4] = [&[1, 1], &[0, 0], &[1, 0], &[2, 2]];
    for axes in lists {
        let target = [3, 3, 3];
        assert!(Rule::AxesMapping(axes).output_shape(&[3, 3], &target).is_err(), "{axes:?}");
        assert!(Rule::BroadcastAxes(axes).output_shape(&[3], &target).is_err(), "{axes:?}");
        assert!(Rule::BroadcastAxes(axes).output_shape(&[3, 3], &target).is_err(), "{axes:?}");
        assert!(Rule::BroadcastLike(axes).output_shape(&[3], &target).is_err(), "{axes:?}");
    }
    for axes in [&[1, 1][..], &[0, 0], &[0, 2], &[0], &[0, 1, 1]] {
        assert!(Layout::new(&[3, 3]).unwrap().permute(axes).is_err(), "{axes:?}");
    }
}

/// cumo PR 212, ndarray #917, OpenVINO PR 14744: rank 0 was forgotten, or worked on one side only.
#[test]
fn rank_zero() {
    let five = 5_u32;
    let scalar = View::scalar(&five);
    assert_eq!((scalar.rank(), scalar.len(), scalar.get(&[])), (0, 1, Some(&5)));
    for other in all_shapes(3, &[0, 1, 2]) {
        let want = vec![5; other.iter().product()];
        for rule in [Rule::Numpy, Rule::Bidirectional, Rule::AxesMapping(&[]), Rule::BroadcastLike(&[])] {
            assert_eq!(broadcast(&scalar, &other, rule).unwrap().as_slice(), want, "{rule:?} {other:?}");
        }
        let all: Vec<usize> = (0..other.len()).collect();
        assert_eq!(broadcast(&scalar, &other, Rule::BroadcastAxes(&all)).unwrap().as_slice(), want);
        assert_eq!(broadcast(&scalar, &other, Rule::Pdpd { axis: None }).unwrap().as_slice(), want);
        // Both orders.
        let data = vec![1_u32; other.iter().product()];
        let view = View::new(&data, &other).unwrap();
        for pair in [[scalar.clone(), view.clone()], [view.clone(), scalar.clone()]] {
            assert!(broadcast_all(&pair).unwrap().iter().all(|wide| wide.shape() == other));
        }
        // As a target: one direction refuses to drop axes, two directions ignore it.
        assert_eq!(broadcast(&view, &[], Rule::Numpy).is_ok(), other.is_empty());
        assert_eq!(broadcast(&view, &[], Rule::Bidirectional).unwrap().as_slice(), data);
    }
    assert_eq!(tile(&scalar, &[]).unwrap().as_slice(), [5]);
    assert_eq!(tile(&scalar, &[2, 2]).unwrap().as_slice(), [5; 4]);
    assert_eq!(repeat(&scalar, &[]).unwrap().as_slice(), [5]);
    assert_eq!(scalar.cloned().unwrap(), [5]);
}
