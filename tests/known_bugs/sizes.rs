//! Sizes of 0, sizes whose product overflows, more elements than 32 bits count.

use stridecast::{
    BroadcastError, Layout, Options, Plan, Rule, Side, View, ViewMut, broadcast, broadcast_into, broadcast_shapes,
    repeat, tile,
};

use crate::common::naive;
use crate::{all_shapes, distinct_bytes};

/// OpenVINO #31049, burn #5334, xtensor #1562, ONNX #6294, nGraph, Owl: the output size was `max` of the sizes, so 1
/// against 0 gave 1 and an element was read from an empty buffer.
#[test]
fn max_of_one_and_zero() {
    let shapes = all_shapes(4, &[0, 1, 2, 3]);
    for a in &shapes {
        for b in &shapes {
            let want = mutual(a, b);
            assert_eq!(broadcast_shapes(&[a, b]).as_deref().ok(), want.as_deref(), "{a:?} {b:?}");
            assert_eq!(Rule::Bidirectional.output_shape(a, b).as_deref().ok(), want.as_deref(), "{a:?} {b:?}");
            let fits = want.as_deref() == Some(b);
            assert_eq!(Rule::Numpy.output_shape(a, b).is_ok(), fits, "{a:?} to {b:?}");
        }
    }
}

/// The same pairs, carried out up to rank 3.
#[test]
fn max_of_one_and_zero_reads_nothing() {
    let shapes = all_shapes(3, &[0, 1, 2, 3]);
    for a in &shapes {
        let data: Vec<u32> = (0..a.iter().product::<usize>() as u32).collect();
        let view = View::new(&data, a).unwrap();
        for b in &shapes {
            let Some(common) = mutual(a, b) else {
                assert!(broadcast(&view, b, Rule::Bidirectional).is_err(), "{a:?} {b:?}");
                continue;
            };
            let out = broadcast(&view, b, Rule::Bidirectional).unwrap();
            assert_eq!(out.shape(), common, "{a:?} {b:?}");
            assert_eq!(out.as_slice(), naive::broadcast(&data, a, &common), "{a:?} {b:?}");
        }
    }
}

/// The mutual rule for two shapes: 1 yields to any other size.
fn mutual(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let common = (0..rank).map(|axis| match (size(a, axis), size(b, axis)) {
        (1, other) | (other, 1) => Some(other),
        (x, y) => (x == y).then_some(x),
    });
    common.collect()
}

/// OpenVINO 2026.4: the repeat count was output size over input size, which divides by zero on `[0] -> [0]`, and a
/// target of rank 0 crashed. burn PR 5406: a stride of 0 was used as a divisor.
#[test]
fn division_by_a_zero_size() {
    let cases: [(&[usize], &[usize]); 8] = [
        (&[0], &[0]),
        (&[0, 3], &[2, 0, 3]),
        (&[3, 0], &[2, 3, 0]),
        (&[1, 0], &[4, 0]),
        (&[0, 1], &[0, 4]),
        (&[1], &[0]),
        (&[], &[0]),
        (&[], &[]),
    ];
    for (source, target) in cases {
        let data = vec![7_u64; source.iter().product()];
        let view = View::new(&data, source).unwrap();
        let out = broadcast(&view, target, Rule::Numpy).unwrap();
        assert_eq!(out.shape(), target);
        assert_eq!(out.as_slice(), vec![7; target.iter().product()]);
        check_parts_of(source, target);
    }
}

/// A plan for it splits into parts without a division by zero, too.
fn check_parts_of(source: &[usize], target: &[usize]) {
    let plan = Plan::broadcast(&Layout::new(source).unwrap(), target, Rule::Numpy, 8, Options::new()).unwrap();
    let total: usize = target.iter().product();
    for n in 1..5 {
        let parts = plan.parts(n).unwrap();
        let covered: usize = (0..parts.len()).map(|part| parts.range(part).len()).sum();
        assert_eq!(covered, total, "{source:?} {target:?} in {n} parts");
    }
}

/// The same for tile and repeat with counts and sizes of 0.
#[test]
fn division_by_a_zero_count() {
    for shape in all_shapes(2, &[0, 1, 3]) {
        let data = vec![1_u16; shape.iter().product()];
        let view = View::new(&data, &shape).unwrap();
        for counts in all_shapes(2, &[0, 1, 2]) {
            if counts.len() == shape.len() {
                let want: Vec<usize> = shape.iter().zip(&counts).map(|(size, count)| size * count).collect();
                assert_eq!(tile(&view, &counts).unwrap().shape(), want);
                assert_eq!(repeat(&view, &counts).unwrap().shape(), want);
            } else {
                assert!(repeat(&view, &counts).is_err());
                assert!(tile(&view, &counts).is_ok());
            }
        }
    }
}

/// TensorFlow #124949 and #109619, ONNX Runtime #32299, Owl: element counts and offsets were 32-bit. Plans are pure
/// index arithmetic, so 3 and 300 thousand million elements can be planned without being there.
#[test]
fn more_than_2_to_the_31_elements_in_a_plan() {
    for len in [3_000_000_019_usize, 300_000_000_077] {
        let plan = Plan::broadcast(&Layout::new(&[1]).unwrap(), &[len], Rule::Numpy, 1, Options::new()).unwrap();
        assert_eq!((plan.output_len(), plan.output_bytes()), (len, len));
        let parts = plan.parts(7).unwrap();
        let mut next = 0;
        for part in 0..parts.len() {
            let range = parts.range(part);
            assert_eq!(range.start, next);
            next = range.end;
        }
        assert_eq!(next, len);
    }
}

/// The same for the index arithmetic of views; elements without a size take no memory.
#[test]
fn more_than_2_to_the_31_elements_in_a_view() {
    const LEN: usize = 5_000_000_000;
    let data: &[()] = &[(); LEN];
    let shape = [5, LEN / 5];
    let view = View::new(data, &shape).unwrap();
    assert_eq!(view.len(), LEN);
    assert!(view.get(&[4, LEN / 5 - 1]).is_some());
    assert!(view.get(&[4, LEN / 5]).is_none());
    let back = view.flip(1).unwrap().flip(0).unwrap();
    assert_eq!(back.layout().offset(), LEN as isize - 1);
    assert!(back.get(&[4, LEN / 5 - 1]).is_some());
    let wide = view.broadcast_to(&[1_000_000, 5, LEN / 5]).unwrap();
    assert_eq!(wide.len(), LEN * 1_000_000);
    assert!(View::with_strides(data, 1, &shape, &[LEN as isize / 5, 1]).is_err());
}

/// The same for real: 2 GiB are written. Opt-in.
#[test]
fn more_than_2_to_the_31_elements_written() {
    if std::env::var_os("STRIDECAST_LARGE_TESTS").is_none() {
        println!("skipped: set STRIDECAST_LARGE_TESTS=1 to write 2 GiB");
        return;
    }
    let columns = 65_539;
    let rows = (1 << 31) / columns + 2;
    let row: Vec<u8> = distinct_bytes(columns, 1);
    let out = broadcast(&View::new(&row, &[columns]).unwrap(), &[rows, columns], Rule::Numpy).unwrap();
    assert!(out.as_slice().len() > 1 << 31);
    for (number, got) in out.as_slice().chunks_exact(columns).enumerate() {
        assert!(got == row, "row {number}");
    }
}

/// burn #5506, tenferro #1066, OpenVINO: sizes multiplied past the address space, or the allocation aborted the
/// process, from an input of one element.
#[test]
fn product_overflow() {
    let one = View::scalar(&1_u64);
    let too_large: [&[usize]; 7] = [
        &[1 << 32, 1 << 32],
        &[usize::MAX],
        &[1, usize::MAX, 1],
        &[1 << 21, 1 << 21, 1 << 21],
        // A zero does not excuse the rest: strides and partial products would overflow.
        &[1 << 40, 0, 1 << 40],
        // The elements fit, their bytes do not.
        &[1 << 60],
        &[1 << 30, 1 << 30],
    ];
    for target in too_large {
        let got = broadcast(&one, target, Rule::Numpy);
        assert!(matches!(got, Err(BroadcastError::TooLarge { .. })), "{target:?}: {got:?}");
        let into = broadcast_into(&one, target, Rule::Numpy, &mut [0_u64; 4]);
        assert!(into.is_err(), "{target:?}");
        let plan = Plan::broadcast(&Layout::new(&[]).unwrap(), target, Rule::Numpy, 8, Options::new());
        assert!(matches!(plan, Err(BroadcastError::TooLarge { .. })), "{target:?}");
    }
    for rule in [Rule::AxesMapping(&[]), Rule::BroadcastAxes(&[0]), Rule::BroadcastLike(&[]), Rule::Pdpd { axis: None }]
    {
        assert!(rule.output_shape(&[], &[usize::MAX]).is_err(), "{rule:?}");
    }
    assert!(broadcast_shapes(&[&[1 << 32, 1], &[1, 1 << 32]]).is_err());
}

/// The same for tile and repeat, whose counts multiply as well.
#[test]
fn product_overflow_by_counts() {
    let data = [1_u8, 2];
    let view = View::new(&data, &[2]).unwrap();
    for count in [usize::MAX, usize::MAX / 2 + 1, isize::MAX as usize] {
        assert!(
            matches!(tile(&view, &[count]), Err(BroadcastError::TileTooLarge { .. } | BroadcastError::TooLarge { .. })),
            "{count}"
        );
        assert!(
            matches!(
                repeat(&view, &[count]),
                Err(BroadcastError::TileTooLarge { .. } | BroadcastError::TooLarge { .. })
            ),
            "{count}"
        );
        assert!(
            matches!(
                tile(&view, &[count, 3]),
                Err(BroadcastError::TileTooLarge { .. } | BroadcastError::TooLarge { .. })
            ),
            "{count}"
        );
    }
    // An empty axis does not excuse the others.
    let empty = View::<u8>::new(&[], &[0, 1]).unwrap();
    assert!(tile(&empty, &[1, usize::MAX]).is_err());
    assert!(repeat(&empty, &[1, usize::MAX]).is_err());
}

/// More than any machine has, yet addressable: an error, not an abort.
#[test]
fn allocation_failure_aborts() {
    let got = broadcast(&View::scalar(&1_u8), &[1 << 62], Rule::Numpy);
    assert!(matches!(got, Err(BroadcastError::OutOfMemory { .. })), "{got:?}");
}

/// The caller's own buffer decides how much is written, never the shape.
#[test]
fn output_buffer_of_another_length() {
    let one = View::scalar(&1_u64);
    for len in [0, 5, 7] {
        let got = broadcast_into(&one, &[2, 3], Rule::Numpy, &mut vec![0_u64; len]);
        assert!(matches!(got, Err(BroadcastError::LengthMismatch { .. })), "{len}: {got:?}");
    }
}

/// Layouts are checked without memory behind them, so their span may be anything.
#[test]
fn span_overflow() {
    let extremes = [isize::MIN, isize::MIN + 1, -1, 0, 1, isize::MAX - 1, isize::MAX];
    for a in extremes {
        for b in extremes {
            for offset in [0, 1, isize::MAX as usize, usize::MAX] {
                let strides = [a, b];
                let mut data = [0_u8; 3];
                let view = View::with_strides(&data, offset, &[2, 2], &strides);
                assert_eq!(view.is_ok(), is_inside(data.len(), offset, strides), "{strides:?} {offset}");
                // Four elements never fit into three.
                let out = ViewMut::with_strides(&mut data, offset, &[2, 2], &strides);
                assert!(out.is_err(), "{strides:?} {offset}");
            }
            derived_layouts_are_refused_or_made(a, b);
        }
    }
}

/// Whether a shape of (2, 2) stays inside a buffer, in numbers that cannot overflow.
fn is_inside(len: usize, offset: usize, strides: [isize; 2]) -> bool {
    let [a, b] = strides.map(|stride| stride as i128);
    let corners = [0, a, b, a + b].map(|reach| offset as i128 + reach);
    corners.iter().all(|&at| (0..len as i128).contains(&at))
}

/// Whatever is made from layouts of any span is an `Ok` or an `Err`, never a wrapped sum.
fn derived_layouts_are_refused_or_made(a: isize, b: isize) {
    let (shape, strides) = ([2, 2], [a, b]);
    for offset in [isize::MIN, -1, 0, 1, isize::MAX] {
        let Ok(layout) = Layout::strided(offset, &shape, &strides) else { continue };
        let dense = Layout::new(&shape).unwrap();
        for size in [1, 8] {
            let _ = Plan::copy(&dense, &layout, size, Options::new());
            let _ = Plan::copy(&layout, &dense, size, Options::new());
            let _ = Plan::broadcast(&layout, &[3, 2, 2], Rule::Numpy, size, Options::new());
            let _ = Plan::tile(&layout, &[2, 3], size, Options::new());
            let _ = Plan::repeat(&layout, &[2, 3], size, Options::new());
        }
        let _ = (layout.flip(0), layout.flip(1), layout.transpose(), layout.expand(3, Side::Right));
        let _ = (layout.slice(0, 1, 2, -1), layout.slice(1, 1, 1, isize::MIN), layout.slice(1, 0, 2, isize::MAX));
    }
}
