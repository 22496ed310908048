//! Sizes and strides at the edge of what a machine can address: errors, never wrapped arithmetic.

use stridecast::{BroadcastError, Layout, Options, Plan, Rule, View, broadcast, raw};

/// An allocator is asked for multiples of the alignment; the largest byte counts have none.
#[test]
fn a_tensor_of_almost_the_whole_address_space_is_an_error() {
    let one = View::scalar(&1_u8);
    for bytes in [isize::MAX as usize, isize::MAX as usize - 62] {
        assert!(matches!(broadcast(&one, &[bytes], Rule::Numpy), Err(BroadcastError::TooLarge { .. })), "{bytes}");
    }
    let most = isize::MAX as usize - 63;
    assert!(matches!(broadcast(&one, &[most], Rule::Numpy), Err(BroadcastError::OutOfMemory { .. })));
}

/// Turned round, such an axis starts where no isize reaches; the layout must not pass for an empty one.
#[test]
fn a_stride_that_cannot_be_turned_round_is_refused_when_the_layout_is_made() {
    for strides in [[isize::MIN], [isize::MAX], [-isize::MAX]] {
        let layout = Layout::strided(0, &[2], &strides);
        assert!(matches!(layout, Err(BroadcastError::StrideOverflow { .. })), "{strides:?}");
    }
    let widest = Layout::strided(0, &[2], &[isize::MAX - 1]).unwrap();
    let turned = widest.flip(0).unwrap();
    assert_eq!((turned.offset(), turned.span()), (isize::MAX - 1, widest.span()));
    assert!(View::from_layout(&[0_u8; 4], turned).is_err());
}

/// Both ends fit in bytes, the distance between them does not.
#[test]
fn a_span_that_is_too_wide_in_bytes_is_refused_when_the_plan_is_made() {
    let (low, stride) = (-(isize::MAX / 4), isize::MAX / 2 - 2);
    let shape = [2];
    let strides = [stride];
    let wide = Layout::strided(low, &shape, &strides).unwrap();
    let out = Layout::new(&shape).unwrap();
    assert!(Plan::copy(&wide, &out, 1, Options::new()).is_ok());
    assert!(matches!(Plan::copy(&wide, &out, 4, Options::new()), Err(BroadcastError::StrideOverflow { .. })));
    assert!(matches!(
        Plan::copy(&out, &out, usize::MAX, Options::new()),
        Err(BroadcastError::TooLarge { elem_size: usize::MAX, .. })
    ));
}

/// A plan over a layout that starts before its buffer says so, whatever the buffer's length.
#[test]
fn a_plan_that_reaches_before_its_buffer_runs_on_pointers_only() {
    let (shape, strides) = ([3], [-1]);
    let back = Layout::strided(0, &shape, &strides).unwrap();
    let plan = Plan::copy(&back, &Layout::new(&shape).unwrap(), 1, Options::new()).unwrap();
    let mut out = [0; 3];
    let refused = plan.run(&[1_u8, 2, 3], &mut out);
    assert_eq!(refused, Err(BroadcastError::BeforeBuffer { what: "source", lowest: -2 }));
    let data = [1_u8, 2, 3];
    // SAFETY: the pointer is to the last of three elements, and the layout goes two back from there.
    unsafe { raw::run(&plan, data.as_ptr().add(2), out.as_mut_ptr()) }.unwrap();
    assert_eq!(out, [3, 2, 1]);
}

#[test]
fn bytes_that_are_no_whole_elements_are_refused_on_both_sides() {
    let shape = [2];
    let plan = Plan::broadcast(&Layout::new(&[1]).unwrap(), &shape, Rule::Numpy, 4, Options::new()).unwrap();
    let partial = |what, bytes| Err(BroadcastError::PartialElement { what, bytes, elem_size: 4 });
    assert_eq!(plan.run_bytes(&[0; 5], &mut [0; 8]), partial("source", 5));
    assert_eq!(plan.run_bytes(&[0; 4], &mut [0; 9]), partial("output", 9));
    assert!(plan.run_bytes(&[0; 4], &mut [0; 12]).is_err(), "longer than the output");
    assert_eq!(plan.run_bytes(&[0; 8], &mut [0; 8]), Ok(()), "a longer source is fine");
    let parts = plan.parts(1).unwrap();
    assert_eq!(parts.byte_range(0), 0..8);
    assert_eq!(parts.run_part_bytes(0, &[0; 4], &mut [0; 7]), partial("part's output", 7));
}
