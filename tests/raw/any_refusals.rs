//! Views that carry their dtype, refused: another dtype, a misaligned or too short buffer, an output that overlaps
//! itself.
//!
//! What is checked for one operand of several is checked before the first is written.

use stridecast::{AnyView, AnyViewMut, BroadcastError, DType, Layout, View, ViewMut, broadcast_all_any_into};

use crate::{Aligned, counting};

#[test]
fn another_dtype_or_shape_is_refused_untouched() {
    let data = counting();
    let mut out = Aligned([7; 256]);
    for (&from, &to) in DType::ALL.iter().flat_map(|from| DType::ALL.iter().map(move |to| (from, to))) {
        let source = AnyView::new(from, &data.0, Layout::new(&[2, 3]).unwrap()).unwrap();
        if from != to {
            let mut wrong = AnyViewMut::new(to, &mut out.0, Layout::new(&[2, 3]).unwrap()).unwrap();
            let expected = BroadcastError::DTypeMismatch { expected: from, got: to };
            assert_eq!(source.copy_into(&mut wrong), Err(expected.clone()));
            let (inputs, mut outputs) = ([source.clone(), source.clone()], []);
            let count = BroadcastError::OperandCount { expected: 2, got: 0 };
            assert_eq!(broadcast_all_any_into(&inputs, &mut outputs), Err(count));
            assert_eq!(broadcast_all_any_into(&inputs[..1], &mut [wrong]), Err(expected));
        }
        let mut other = AnyViewMut::new(from, &mut out.0, Layout::new(&[3, 2]).unwrap()).unwrap();
        assert!(matches!(source.copy_into(&mut other), Err(BroadcastError::ShapeMismatch { .. })));
    }
    assert_eq!(out.0, [7; 256]);
}

/// The first output would fit; the second's type is found wrong before the first is written.
#[test]
fn several_outputs_are_checked_before_the_first_is_written() {
    let (a, b) = ([1.0_f32, 2.0], [3_i16, 4]);
    let inputs: [AnyView; 2] = [View::new(&a, &[2, 1]).unwrap().into(), View::new(&b, &[2]).unwrap().into()];
    let (mut x, mut y) = ([7.0_f32; 4], [7_u16; 4]);
    let mut outputs: [AnyViewMut; 2] =
        [ViewMut::new(&mut x, &[2, 2]).unwrap().into(), ViewMut::new(&mut y, &[2, 2]).unwrap().into()];
    assert!(broadcast_all_any_into(&inputs, &mut outputs).is_err());
    assert_eq!((x, y), ([7.0; 4], [7; 4]));
}

#[test]
fn misaligned_bytes_are_refused_unless_there_is_no_element() {
    let mut data = counting();
    for &dtype in DType::ALL {
        for skip in 0..=16 {
            let aligned = skip % dtype.align() == 0;
            let one = Layout::new(&[1]).unwrap();
            let none = Layout::new(&[0]).unwrap();
            let view = AnyView::new(dtype, &data.0[skip..], one.clone());
            assert_eq!(view.is_ok(), aligned, "{dtype} at {skip}");
            assert!(aligned || matches!(view, Err(BroadcastError::Misaligned { dtype: d }) if d == dtype));
            let view = AnyViewMut::new(dtype, &mut data.0[skip..], one);
            assert_eq!(view.is_ok(), aligned, "{dtype} at {skip}");
            assert!(AnyView::new(dtype, &data.0[skip..skip], none.clone()).is_ok());
            assert!(AnyViewMut::new(dtype, &mut data.0[skip..skip], none).is_ok());
        }
    }
}

/// A view without elements may lie anywhere; giving it some must ask for the alignment again.
#[test]
fn another_layout_asks_for_the_alignment_again() {
    let data = counting();
    for &dtype in DType::ALL.iter().filter(|dtype| dtype.align() > 1) {
        let none = AnyView::new(dtype, &data.0[1..], Layout::new(&[0]).unwrap()).unwrap();
        let some = none.with_layout(Layout::new(&[2]).unwrap());
        assert!(matches!(some, Err(BroadcastError::Misaligned { dtype: d }) if d == dtype), "{some:?}");
        assert!(none.with_layout(Layout::new(&[3, 0]).unwrap()).is_ok());
        let one = AnyView::new(dtype, &data.0, Layout::new(&[1]).unwrap()).unwrap();
        assert!(one.with_layout(Layout::new(&[256 / dtype.size()]).unwrap()).is_ok());
        assert!(one.with_layout(Layout::new(&[256 / dtype.size() + 1]).unwrap()).is_err());
    }
}

/// Bytes behind the last whole element are no element.
#[test]
fn bounds_are_counted_in_whole_elements() {
    let mut data = counting();
    for &dtype in DType::ALL {
        let size = dtype.size();
        for held in [0, 1, 3] {
            for rest in 0..size {
                let bytes = &mut data.0[..held * size + rest];
                for wanted in 0..=4 {
                    let shape = [wanted];
                    let layout = Layout::new(&shape).unwrap();
                    assert_eq!(AnyView::new(dtype, bytes, layout.clone()).is_ok(), wanted <= held, "{dtype}");
                    assert_eq!(AnyViewMut::new(dtype, bytes, layout).is_ok(), wanted <= held, "{dtype}");
                }
                let before = Layout::strided(-1, &[2], &[1]).unwrap();
                assert!(matches!(AnyView::new(dtype, bytes, before), Err(BroadcastError::OutOfBounds { .. })));
            }
        }
    }
}

#[test]
fn a_mutable_view_that_overlaps_itself_is_refused() {
    let mut data = counting();
    for &dtype in DType::ALL {
        for (shape, strides) in [([2, 3], [0, 1]), ([2, 3], [2, 1]), ([3, 3], [-1, 1]), ([2, 2], [1, -1])] {
            let layout = Layout::strided(4, &shape, &strides).unwrap();
            assert!(AnyView::new(dtype, &data.0, layout.clone()).is_ok());
            let view = AnyViewMut::new(dtype, &mut data.0, layout);
            assert!(matches!(view, Err(BroadcastError::SelfOverlap { .. })), "{dtype} {strides:?}");
        }
        // A broadcast layout is one of them.
        let wide = Layout::new(&[1, 3]).unwrap().broadcast_to(&[2, 3]).unwrap();
        assert!(AnyViewMut::new(dtype, &mut data.0, wide).is_err());
    }
}
