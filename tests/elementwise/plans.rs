//! What plans and pointers refuse, with nothing written.

use stridecast::{BroadcastError, DType, Layout, Op, OpPlan, Options, View, ops, raw};

use DType::{Bool, F32, F64};

fn sub(left: &Layout<'_>, right: &Layout<'_>) -> OpPlan {
    OpPlan::new(Op::Sub, &[(F32, left), (F32, right)], F32, Options::new()).unwrap()
}

#[test]
fn shapes_without_a_common_one_and_outputs_of_another() {
    let (two, three) = (Layout::new(&[2, 2]).unwrap(), Layout::new(&[3]).unwrap());
    let error = OpPlan::new(Op::Sub, &[(F32, &two), (F32, &three)], F32, Options::new()).unwrap_err();
    let shapes = vec![vec![2, 2], vec![3]];
    assert_eq!(error, BroadcastError::NotMutual { shapes: shapes.clone(), axis: 1, sizes: (2, 3) });
    // In the caller's order, though the kernel of this one takes its operands the other way round.
    let error = OpPlan::new(Op::Gt, &[(F32, &two), (F32, &three)], Bool, Options::new()).unwrap_err();
    assert_eq!(error, BroadcastError::NotMutual { shapes: shapes.clone(), axis: 1, sizes: (2, 3) });

    let (a, b) = ([1.0_f32; 4], [2.0_f32; 3]);
    let views = [View::new(&a, &[2, 2]).unwrap(), View::new(&b, &[3]).unwrap()];
    let not_mutual = BroadcastError::NotMutual { shapes, axis: 1, sizes: (2, 3) };
    assert_eq!(ops::gt(&views[0], &views[1]).unwrap_err(), not_mutual);
    assert_eq!(ops::gt_into(&views[0], &views[1], &mut [false; 4]).unwrap_err(), not_mutual);
    assert_eq!(ops::lt_into(&views[0], &views[1], &mut [false; 4]).unwrap_err(), not_mutual);

    let into = |out: &Layout<'_>| {
        OpPlan::with_output(Op::Sub, &[(F32, &three), (F32, &three)], F32, out, Options::new()).unwrap_err()
    };
    let got = |got: &[usize]| BroadcastError::ShapeMismatch { expected: vec![3], got: got.to_vec() };
    // A size of 1 more is another shape, with strides or without.
    for shape in [&[1, 3][..], &[4], &[], &[1], &[3, 1]] {
        assert_eq!(into(&Layout::new(shape).unwrap()), got(shape));
        assert_eq!(into(&Layout::strided(0, shape, &vec![9; shape.len()]).unwrap()), got(shape));
    }
    let twice = Layout::strided(0, &[3], &[0]).unwrap();
    assert!(matches!(into(&twice), BroadcastError::SelfOverlap { .. }));
    let huge = Layout::strided(0, &[1 << 40, 1 << 20], &[0, 0]).unwrap();
    let error = OpPlan::new(Op::Sub, &[(F64, &huge), (F64, &huge)], F64, Options::new()).unwrap_err();
    assert!(matches!(error, BroadcastError::TooLarge { .. }), "{error}");
}

#[test]
fn slices_of_other_types_and_lengths() {
    let (matrix, row) = (Layout::new(&[2, 3]).unwrap(), Layout::new(&[3]).unwrap());
    let plan = sub(&matrix, &row);
    let (a, b, mut out) = ([1.0_f32; 6], [2.0_f32; 3], [0.0_f32; 7]);
    let short = |what, expected, got| Err(BroadcastError::LengthMismatch { what, expected, got });
    assert_eq!(plan.run((&a[..5], &b[..]), &mut out[..6]), short("operand", 6, 5));
    assert_eq!(plan.run((&a[..], &b[..2]), &mut out[..6]), short("operand", 3, 2));
    assert_eq!(plan.run((&a[..], &b[..]), &mut out[..5]), short("output", 6, 5));
    assert_eq!(plan.run((&a[..], &b[..]), &mut out[..7]), short("output", 6, 7));
    let other = |expected, got| Err(BroadcastError::DTypeMismatch { expected, got });
    assert_eq!(plan.run((&a[..], &[2_i32; 3][..]), &mut out[..6]), other(F32, DType::I32));
    assert_eq!(plan.run((&a[..], &b[..]), &mut [0_u32; 6]), other(F32, DType::U32));
    let count = |got| Err(BroadcastError::OperandCount { expected: 2, got });
    assert_eq!(plan.run((&a[..],), &mut out[..6]), count(1));
    assert_eq!(plan.run((&a[..], &b[..], &b[..]), &mut out[..6]), count(3));
    assert_eq!(out, [0.0; 7]);
    // Exchanged by the plan, so that the second comes first: errors are of the caller's order.
    let plan = OpPlan::new(Op::Gt, &[(F32, &matrix), (F32, &row)], Bool, Options::new()).unwrap();
    let mut truths = [false; 6];
    assert_eq!(plan.run((&a[..5], &b[..]), &mut truths), short("operand", 6, 5));
    assert_eq!(plan.run((&a[..], &b[..2]), &mut truths), short("operand", 3, 2));
    plan.run((&[3.0_f32; 6][..], &b[..]), &mut truths).unwrap();
    assert_eq!(truths, [true; 6]);
    // More than is needed is no mistake in an operand.
    sub(&matrix, &row).run((&a[..], &[2.0_f32; 9][..]), &mut out[..6]).unwrap();
    assert_eq!(out, [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0]);
}

#[test]
fn bytes_that_are_not_aligned_or_no_whole_elements() {
    let row = Layout::new(&[3]).unwrap();
    let plan = sub(&row, &row);
    let (a, mut out) = ([1.0_f32; 5], [0.0_f32; 5]);
    let (bytes, to): (&[u8], &mut [u8]) = (bytemuck::bytes_of(&a), bytemuck::bytes_of_mut(&mut out));
    let misaligned = Err(BroadcastError::Misaligned { dtype: F32 });
    let part = |what| Err(BroadcastError::PartialElement { what, bytes: 11, elem_size: 4 });
    assert_eq!(plan.run_any(&[&bytes[1..13], &bytes[..12]], &mut to[..12]), misaligned);
    assert_eq!(plan.run_any(&[&bytes[..12], &bytes[2..14]], &mut to[..12]), misaligned);
    assert_eq!(plan.run_any(&[&bytes[..12], &bytes[..12]], &mut to[3..15]), misaligned);
    assert_eq!(plan.run_any(&[&bytes[..12], &bytes[..11]], &mut to[..12]), part("operand"));
    assert_eq!(plan.run_any(&[&bytes[..12], &bytes[..12]], &mut to[..11]), part("output"));
    let count = Err(BroadcastError::OperandCount { expected: 2, got: 1 });
    assert_eq!(plan.run_any(&[&bytes[..12]], &mut to[..12]), count);
    assert!(to.iter().all(|&byte| byte == 0));
    plan.run_any(&[&bytes[4..16], &bytes[..12]], &mut to[4..16]).unwrap();
}

#[test]
fn layouts_that_reach_below_their_buffer() {
    let low = Layout::strided(-1, &[3], &[1]).unwrap();
    let row = Layout::new(&[3]).unwrap();
    let (a, mut out) = ([1.0_f32; 3], [0.0_f32; 3]);
    let error = Err(BroadcastError::BeforeBuffer { what: "operand", lowest: -1 });
    assert_eq!(sub(&low, &row).run((&a[..], &a[..]), &mut out), error);
    assert_eq!(sub(&row, &low).run((&a[..], &a[..]), &mut out), error);
    let plan = OpPlan::with_output(Op::Sub, &[(F32, &row), (F32, &row)], F32, &low, Options::new()).unwrap();
    let error = Err(BroadcastError::BeforeBuffer { what: "output", lowest: -1 });
    assert_eq!(plan.run((&a[..], &a[..]), &mut out), error);
    assert_eq!(out, [0.0; 3]);
}

#[test]
fn pointers_that_cannot_be() {
    let row = Layout::new(&[3]).unwrap();
    let plan = sub(&row, &row);
    let (a, mut out) = ([1.0_f32; 4], [0.0_f32; 4]);
    let (from, to): (*const u8, *mut u8) = (a.as_ptr().cast(), out.as_mut_ptr().cast());
    let null = std::ptr::null::<u8>();
    let end = null.wrapping_sub(4);
    // SAFETY: what is not refused lies inside the arrays.
    let run = |operands: &[*const u8], out: *mut u8| unsafe { raw::apply(&plan, operands, out) };
    let bad = |what| Err(BroadcastError::BadPointer { what });
    assert_eq!(run(&[null, from], to), bad("operand"));
    assert_eq!(run(&[from, null], to), bad("operand"));
    assert_eq!(run(&[from, from], null.cast_mut()), bad("output"));
    assert_eq!(run(&[from, end], to), bad("operand"));
    assert_eq!(run(&[from, from], end.cast_mut()), bad("output"));
    let misaligned = Err(BroadcastError::Misaligned { dtype: F32 });
    assert_eq!(run(&[from.wrapping_add(2), from], to), misaligned);
    assert_eq!(run(&[from, from.wrapping_add(1)], to), misaligned);
    assert_eq!(run(&[from, from], to.wrapping_add(2)), misaligned);
    assert_eq!(run(&[from], to), Err(BroadcastError::OperandCount { expected: 2, got: 1 }));
    assert_eq!(run(&[from; 3], to), Err(BroadcastError::OperandCount { expected: 2, got: 3 }));
    // Without elements any pointer will do.
    let none = Layout::new(&[0]).unwrap();
    // SAFETY: nothing is touched.
    unsafe { raw::apply(&sub(&none, &none), &[null, end], null.wrapping_add(1).cast_mut()) }.unwrap();
    assert_eq!(out, [0.0; 4]);
}
