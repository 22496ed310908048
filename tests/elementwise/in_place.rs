//! The output as one of the operands, and outputs that meet an operand in any other way, which are refused.

use std::mem::MaybeUninit;

use stridecast::{AnyView, AnyViewMut, BroadcastError, DType, Layout, Op, OpPlan, Options, View};
use stridecast::{apply_any, apply_any_in_place, raw};

use crate::defined::{Signature, signatures};
use crate::is_heavy;
use crate::lab::{Call, levels};
use crate::samples;
use crate::tensor::Place;

/// Runs a call whose operand `k` lies as its output does with that operand as the output, by tag and by pointer, on
/// every level; the result is what it is elsewhere, and the gaps stay.
fn check(call: &mut Call, k: usize) {
    let operand = call.inputs[k].clone();
    let wants = call.wants();
    call.out = operand.clone();
    for isa in levels() {
        let options = Options::new().isa(isa);
        call.run(options).unwrap();
        call.compare(&wants, &operand, &("apart", isa));
        let apart = call.canonical_bytes();

        call.out = operand.clone();
        call.run_in_place(k, options).unwrap();
        assert!(call.canonical_bytes() == apart, "{call:?}: operand {k} as the output, by tag, on {isa}");

        call.out = operand.clone();
        let plan = call.plan(options).unwrap();
        let out = call.out.memory.bytes_mut().as_mut_ptr();
        let mut inputs: Vec<_> = call.inputs.iter().map(|tensor| tensor.memory.bytes().as_ptr()).collect();
        inputs[k] = out.cast_const();
        // SAFETY: as in `Call::run_plan`; operand `k` has the output's type and layout.
        unsafe { raw::apply(&plan, &inputs, out) }.unwrap();
        assert!(call.canonical_bytes() == apart, "{call:?}: operand {k} as the output, by pointer, on {isa}");
        call.out = operand.clone();
    }
}

/// Operand `k` lies at `place` and is the output, the others are of these shapes.
fn call(signature: &Signature, k: usize, shape: &[usize], place: &Place, others: [&[usize]; 2], seed: u64) -> Call {
    let elsewhere = Place::off_line(1);
    let mut rest = others.iter();
    let operand = |at: usize| if at == k { (shape, place) } else { (*rest.next().unwrap(), &elsewhere) };
    let operands: Vec<_> = (0..signature.inputs.len()).map(operand).collect();
    Call::new(signature, &operands, place, seed)
}

/// Operands of a signature that may be its output.
fn may_be_output(signature: &Signature) -> Vec<usize> {
    (0..signature.inputs.len()).filter(|&k| signature.inputs[k] == signature.output).collect()
}

#[test]
fn every_function_into_each_of_its_operands() {
    for (seed, signature) in signatures().iter().enumerate() {
        for k in may_be_output(signature) {
            let lengths: &[usize] = if is_heavy(signature.op) { &[67] } else { &[5, 64, 131] };
            for &len in lengths {
                let others: [&[usize]; 2] = if (seed + k) % 2 == 0 { [&[len], &[1]] } else { [&[], &[len]] };
                check(&mut call(signature, k, &[len], &Place::off_line(3), others, seed as u64), k);
            }
        }
    }
}

#[test]
fn every_length_and_every_place() {
    let places = [
        Place::PLAIN,
        Place::turned(),
        Place::backwards(),
        Place::padded(2),
        Place::stepped(2),
        Place { order: vec![1, 0], ..Place::padded(1) },
    ];
    for (seed, signature) in samples().iter().enumerate() {
        for k in may_be_output(signature) {
            let step = if is_heavy(signature.op) { 13 } else { 2 };
            for len in (k..=129).step_by(step) {
                check(&mut call(signature, k, &[len], &Place::off_line(len % 9), [&[len], &[1]], 7 + len as u64), k);
            }
            for (i, place) in places.iter().enumerate() {
                let check = |shape: &[usize], others: [&[usize]; 2]| {
                    check(&mut call(signature, k, shape, place, others, (seed * 10 + i) as u64), k);
                };
                check(&[20, 3], [&[3], &[20, 1]]);
                check(&[20, 3], [&[20, 1], &[20, 3]]);
                check(&[34, 70], [&[70], &[1]]);
                check(&[34, 70], [&[34, 70], &[34, 1]]);
                check(&[3, 2, 5, 4], [&[2, 1, 4], &[3, 1, 1, 1]]);
            }
        }
    }
}

#[test]
fn both_operands_may_be_the_output() {
    for signature in signatures().iter().filter(|signature| may_be_output(signature) == [0, 1]) {
        if matches!(signature.op, Op::Div | Op::Fmod | Op::Remainder | Op::Pow) {
            continue;
        }
        let mut call = call(signature, 0, &[70], &Place::PLAIN, [&[70], &[]], 3);
        call.inputs[1] = call.inputs[0].clone();
        call.out = call.inputs[0].clone();
        let (wants, before) = (call.wants(), call.out.clone());
        let plan = call.plan(Options::new()).unwrap();
        let out = call.out.memory.bytes_mut().as_mut_ptr();
        // SAFETY: all three are one tensor.
        unsafe { raw::apply(&plan, &[out.cast_const(), out.cast_const()], out) }.unwrap();
        call.compare(&wants, &before, &"one tensor");
    }
}

#[test]
fn outputs_that_meet_an_operand_in_part_are_refused() {
    use stridecast::DType::{Bool, F32, F64, I32, U8};
    let (row, column, square) =
        (Layout::new(&[8]).unwrap(), Layout::new(&[8, 1]).unwrap(), Layout::new(&[8, 8]).unwrap());
    let turned = square.transpose();
    let still = row.broadcast_to(&[8, 8]).unwrap();
    let plan = |op, inputs: &[_], output, out: &Layout<'_>| {
        OpPlan::with_output(op, inputs, output, out, Options::new()).unwrap()
    };
    let mut memory = vec![1.0_f64; 256];
    let before = memory.clone();
    let base: *mut u8 = memory.as_mut_ptr().cast();
    let refuse = |plan: &OpPlan, operands: &[usize], out: usize| {
        let operands: Vec<_> = operands.iter().map(|&at| base.wrapping_add(at).cast_const()).collect();
        // SAFETY: every operand lies inside the memory; what overlaps is refused.
        let result = unsafe { raw::apply(plan, &operands, base.wrapping_add(out)) };
        assert_eq!(result, Err(BroadcastError::Overlap), "{plan}");
    };
    let same = plan(Op::Sub, &[(F64, &row), (F64, &row)], F64, &row);
    refuse(&same, &[0, 512], 8);
    refuse(&same, &[512, 8], 0);
    refuse(&same, &[512, 64], 64 + 56);
    // Both operands are the output, one of them an element off.
    refuse(&same, &[0, 8], 0);
    // The output's memory, in other places, of another type, or seen many times.
    refuse(&plan(Op::Sub, &[(F64, &turned), (F64, &square)], F64, &square), &[0, 1024], 0);
    refuse(&plan(Op::Sub, &[(F64, &square), (F64, &still)], F64, &square), &[1024, 0], 0);
    refuse(&plan(Op::Sub, &[(F32, &column), (F32, &row)], F32, &square), &[0, 1024], 0);
    refuse(&plan(Op::Pow, &[(I32, &row), (F32, &row)], I32, &row), &[512, 0], 0);
    refuse(&plan(Op::Lt, &[(F64, &row), (F64, &row)], Bool, &row), &[0, 512], 0);
    refuse(&plan(Op::Where, &[(U8, &row), (F64, &row), (F64, &row)], F64, &row), &[0, 512, 1024], 0);
    // A mask of bytes and a result of bool are not one type.
    refuse(&plan(Op::Where, &[(U8, &row), (Bool, &row), (Bool, &row)], Bool, &row), &[0, 512, 1024], 0);
    assert_eq!(memory, before);

    // Neighbours meet nothing, and an output without elements meets nobody.
    // SAFETY: the operands lie apart.
    unsafe { raw::apply(&same, &[base.wrapping_add(64), base.wrapping_add(192)], base.wrapping_add(128)) }.unwrap();
    let (none, one) = (Layout::new(&[0]).unwrap(), Layout::new(&[1]).unwrap());
    let empty = plan(Op::Sub, &[(F64, &none), (F64, &one)], F64, &none);
    // SAFETY: nothing is touched.
    unsafe { raw::apply(&empty, &[base, base], base) }.unwrap();
}

#[test]
fn an_operand_that_cannot_be_the_output_is_refused() {
    use stridecast::DType::{Bool, F32};
    let (x, y) = ([1.0_f32, 2.0, 3.0], [[4.0_f32; 3]; 2]);
    let x_view = AnyView::new(F32, bytemuck::bytes_of(&x), Layout::new(&[3]).unwrap()).unwrap();
    let y_view = AnyView::new(F32, bytemuck::bytes_of(&y), Layout::new(&[2, 3]).unwrap()).unwrap();
    let mut memory = [0.5_f32; 3];
    let mut refused = |op: Op, operand: usize, others: &[&AnyView<'_>]| {
        let layout = Layout::new(&[3]).unwrap();
        let mut out = AnyViewMut::new(F32, bytemuck::bytes_of_mut(&mut memory), layout).unwrap();
        apply_any_in_place(op, operand, &mut out, others, Options::new()).unwrap_err()
    };
    // The common shape is larger than the output.
    let error = refused(Op::Sub, 0, &[&y_view]);
    assert_eq!(error, BroadcastError::ShapeMismatch { expected: vec![2, 3], got: vec![3] });
    assert_eq!(refused(Op::Sub, 0, &[]), BroadcastError::OperandCount { expected: 1, got: 0 });
    assert!(matches!(refused(Op::Sub, 2, &[&x_view]), BroadcastError::OperandCount { .. }));
    assert!(matches!(refused(Op::And, 1, &[&x_view]), BroadcastError::Undefined { op: Op::And, .. }));
    // A mask is of bytes.
    assert!(matches!(refused(Op::Where, 0, &[&x_view, &x_view]), BroadcastError::Undefined { op: Op::Where, .. }));
    let truths = AnyView::new(Bool, &[0, 1, 1], Layout::new(&[3]).unwrap()).unwrap();
    assert!(matches!(refused(Op::Sub, 1, &[&truths]), BroadcastError::Undefined { op: Op::Sub, .. }));
    assert_eq!(memory, [0.5; 3]);
}

/// A view over bytes that need not be initialised can be written, not read.
#[test]
fn what_need_not_be_initialised_is_not_changed_in_place() {
    let mut room = [const { MaybeUninit::<u8>::uninit() }; 8];
    let mut out = AnyViewMut::uninit(DType::U8, &mut room, Layout::new(&[8]).unwrap()).unwrap();
    let b: AnyView<'_> = View::scalar(&1_u8).into();
    for operand in [0, 1] {
        let result = apply_any_in_place(Op::Add, operand, &mut out.reborrow(), &[&b], Options::new());
        assert_eq!(result, Err(BroadcastError::Uninitialised));
    }
    apply_any(Op::Add, &[&b.broadcast_to(&[8]).unwrap(), &b], &mut out, Options::new()).unwrap();
}
