//! What is refused, with which error, and that nothing is written then.

use std::mem::MaybeUninit;

use half::f16;
use stridecast::{
    AnyView, AnyViewMut, BroadcastError, DType, Layout, Options, Over, ReducePlan, Reduction, Rule, Tensor, View,
    ViewMut, raw, reduce,
};

use crate::common::tensor::Place;
use crate::defined::Signature;
use crate::lab::{Call, Which, levels};

use BroadcastError as E;

fn room<'a>(out: &'a mut [f32], shape: &'a [usize]) -> ViewMut<'a, f32> {
    ViewMut::new(out, shape).unwrap()
}

/// The error of a call that must leave its output as it was, by all doors that write to one.
fn refused(reduction: Reduction, shape: &[usize], over: Over<'_>, out_shape: &[usize]) -> BroadcastError {
    let x = vec![1.5_f32; shape.iter().product()];
    let view = View::new(&x, shape).unwrap();
    let before = vec![-7.25_f32; out_shape.iter().product()];
    let mut out = before.clone();
    let error = reduce::reduce_into(reduction, &view, over, room(&mut out, out_shape)).unwrap_err();
    assert_eq!(reduce::reduce_onto(reduction, &view, over, room(&mut out, out_shape)).unwrap_err(), error);
    let layout = view.layout();
    let out_layout = Layout::new(out_shape).unwrap();
    let plan =
        ReducePlan::with_output(reduction, &[(DType::F32, layout)], over, DType::F32, &out_layout, Options::new());
    assert_eq!(plan.err().unwrap(), error);
    let any = AnyView::new(DType::F32, bytemuck::cast_slice(&x), Layout::new(shape).unwrap()).unwrap();
    for onto in [false, true] {
        let bytes = bytemuck::cast_slice_mut(&mut out);
        let mut room = AnyViewMut::new(DType::F32, bytes, Layout::new(out_shape).unwrap()).unwrap();
        let got = reduce::reduce_any(reduction, &[&any], over, &mut room, onto, Options::new());
        assert_eq!(got.unwrap_err(), error);
    }
    if reduction == Reduction::Sum {
        let one = View::scalar(&1.0_f32);
        assert_eq!(reduce::sum_of_product_into(&view, &one, over, room(&mut out, out_shape)).unwrap_err(), error);
        assert_eq!(reduce::sum_of_product_onto(&one, &view, over, room(&mut out, out_shape)).unwrap_err(), error);
    }
    assert_eq!(out, before);
    error
}

fn axes<'a>(axes: &'a [usize]) -> Over<'a> {
    Over::Axes { axes, keep_dims: false }
}

#[test]
fn axes_that_do_not_exist_or_come_twice() {
    for reduction in Reduction::ALL {
        let error = refused(*reduction, &[2, 3], axes(&[2]), &[2]);
        assert_eq!(error, E::AxisOutOfRange { axis: 2, rank: 2 });
        let error = refused(*reduction, &[2, 3], axes(&[0, usize::MAX]), &[]);
        assert_eq!(error, E::AxisOutOfRange { axis: usize::MAX, rank: 2 });
        assert_eq!(refused(*reduction, &[], axes(&[0]), &[]), E::AxisOutOfRange { axis: 0, rank: 0 });
        let error = refused(*reduction, &[2, 3], axes(&[1, 0, 1]), &[]);
        assert_eq!(error, E::RepeatedAxis { axes: vec![1, 0, 1], axis: 1 });
        let keep = Over::Axes { axes: &[0, 0], keep_dims: true };
        assert_eq!(refused(*reduction, &[2, 3], keep, &[1, 3]), E::RepeatedAxis { axes: vec![0, 0], axis: 0 });
    }
}

#[test]
fn shapes_that_the_rule_does_not_take_to_the_operands() {
    let to = |shape: &'static [usize]| Over::To(shape);
    let incompatible = |over, out: &[usize]| {
        let error = refused(Reduction::Sum, &[2, 3], over, out);
        assert!(matches!(error, E::Incompatible { .. }), "{error}");
    };
    incompatible(to(&[2]), &[2]);
    incompatible(to(&[2, 2]), &[2, 2]);
    incompatible(to(&[0]), &[0]);
    let error = refused(Reduction::Mean, &[2, 3], to(&[1, 2, 3]), &[1, 2, 3]);
    assert!(matches!(error, E::RankTooSmall { .. }), "{error}");

    let rule = |shape: &'static [usize], rule: Rule<'static>| Over::Rule { shape, rule };
    incompatible(rule(&[3], Rule::AxesMapping(&[0])), &[3]);
    incompatible(rule(&[1], Rule::BroadcastAxes(&[1])), &[1]);
    incompatible(rule(&[3], Rule::Pdpd { axis: Some(0) }), &[3]);
    let error = refused(Reduction::Sum, &[2, 3], rule(&[3, 2], Rule::AxesMapping(&[1, 0])), &[3, 2]);
    assert_eq!(error, E::AxesOrder { axes: vec![1, 0] });
    let error = refused(Reduction::Sum, &[2, 3], rule(&[2], Rule::BroadcastAxes(&[0, 1])), &[2]);
    assert!(matches!(error, E::AxesCount { .. }), "{error}");
    let error = refused(Reduction::Sum, &[2, 3], rule(&[2, 3, 4], Rule::Pdpd { axis: Some(0) }), &[2, 3, 4]);
    assert!(matches!(error, E::RankTooSmall { .. } | E::AxisTooFar { .. }), "{error}");
    // A rule of both directions may give a larger shape than that of the operand.
    let error = refused(Reduction::Sum, &[1, 3], rule(&[2, 3], Rule::Bidirectional), &[2, 3]);
    assert_eq!(error, E::ShapeMismatch { expected: vec![2, 3], got: vec![1, 3] });
    let error = refused(Reduction::Max, &[3], rule(&[1, 3], Rule::Bidirectional), &[1, 3]);
    assert_eq!(error, E::ShapeMismatch { expected: vec![1, 3], got: vec![3] });
}

#[test]
fn outputs_of_another_shape_or_length() {
    let mismatch = |expected: &[usize], got: &[usize]| E::ShapeMismatch { expected: expected.into(), got: got.into() };
    for reduction in Reduction::ALL {
        let over = axes(&[0]);
        assert_eq!(refused(*reduction, &[2, 3], over, &[2]), mismatch(&[3], &[2]));
        assert_eq!(refused(*reduction, &[2, 3], over, &[1, 3]), mismatch(&[3], &[1, 3]));
        assert_eq!(refused(*reduction, &[2, 3], over, &[3, 1]), mismatch(&[3], &[3, 1]));
        let keep = Over::Axes { axes: &[0], keep_dims: true };
        assert_eq!(refused(*reduction, &[2, 3], keep, &[3]), mismatch(&[1, 3], &[3]));
        assert_eq!(refused(*reduction, &[2, 3], Over::To(&[2, 1]), &[2]), mismatch(&[2, 1], &[2]));
    }
    let x = [1.0_f32; 6];
    let view = View::new(&x, &[2, 3]).unwrap();
    for len in [0, 1, 2, 4, 6] {
        let mut out = vec![-1.0_f32; len];
        let error = E::LengthMismatch { what: "output", expected: 3, got: len };
        assert_eq!(reduce::reduce_into(Reduction::Sum, &view, axes(&[0]), &mut out), Err(error.clone()));
        assert_eq!(reduce::sum_to_into(&view, &[3], &mut out), Err(error.clone()));
        let product = reduce::sum_of_product_into(&view, &view, axes(&[0]), &mut out);
        assert_eq!(product, Err(error));
        assert_eq!(out, vec![-1.0; len]);
    }
    // The shape of what is added to says what is summed.
    let mut out = [-1.0_f32; 2];
    assert!(reduce::sum_to_add(&view, ViewMut::new(&mut out, &[2]).unwrap()).is_err());
    assert_eq!(out, [-1.0; 2]);
}

#[test]
fn types_on_which_a_reduction_is_not_defined() {
    let x = [true, false];
    let view = View::new(&x, &[2]).unwrap();
    let undefined = |reduction, operand, output| E::UndefinedReduction { reduction, operand, output };
    let mut out = [-1_i64];
    let got = reduce::reduce_into(Reduction::Sum, &view, axes(&[0]), &mut out);
    assert_eq!(got, Err(undefined(Reduction::Sum, DType::Bool, DType::I64)));
    let ints = View::new(&[1_i32, 2], &[2]).unwrap();
    let got = reduce::reduce_into(Reduction::Mean, &ints, axes(&[0]), &mut out);
    assert_eq!(got, Err(undefined(Reduction::Mean, DType::I32, DType::I64)));
    let got = reduce::reduce_onto(Reduction::Max, &ints, axes(&[0]), ViewMut::new(&mut out, &[]).unwrap());
    assert_eq!(got, Err(undefined(Reduction::Max, DType::I32, DType::I64)));
    assert_eq!(out, [-1]);
    let floats = View::new(&[1.0_f32, 2.0], &[2]).unwrap();
    let got: Result<Tensor<f16>, _> = reduce::reduce(Reduction::Sum, &floats, axes(&[0]));
    assert_eq!(got.err(), Some(undefined(Reduction::Sum, DType::F32, DType::F16)));
    // The types are looked at even if there is nothing to reduce.
    let nothing = View::new(&x[..0], &[0]).unwrap();
    let got: Result<Tensor<bool>, _> = reduce::reduce(Reduction::Max, &nothing, axes(&[]));
    assert_eq!(got.err(), Some(undefined(Reduction::Max, DType::Bool, DType::Bool)));
}

#[test]
fn the_largest_of_nothing() {
    for reduction in [Reduction::Max, Reduction::Min] {
        for (shape, over, out) in [
            (&[0][..], axes(&[0]), &[][..]),
            (&[0], Over::Axes { axes: &[0], keep_dims: true }, &[1]),
            (&[3, 0], axes(&[1]), &[3]),
            (&[3, 0], axes(&[0, 1]), &[]),
            (&[0, 3], Over::To(&[3]), &[3]),
            (&[0, 3], Over::To(&[1, 3]), &[1, 3]),
            (&[2, 0, 4], Over::Rule { shape: &[4], rule: Rule::AxesMapping(&[2]) }, &[4]),
        ] {
            let wanted = E::EmptyReduction { reduction, shape: shape.to_vec() };
            assert_eq!(refused(reduction, shape, over, out), wanted);
        }
        // No result, no error.
        let empty = View::new(&[0.0_f32; 0], &[0, 3]).unwrap();
        let left: Tensor<f32> = reduce::reduce(reduction, &empty, axes(&[1])).unwrap();
        assert_eq!((left.shape(), left.as_slice().len()), (&[0][..], 0));
        let left: Tensor<f32> = reduce::reduce(reduction, &empty, axes(&[])).unwrap();
        assert_eq!(left.shape(), [0, 3]);
    }
    assert!(reduce::max_axes(&View::new(&[0_u8; 0], &[0]).unwrap(), &[0], false).is_err());
    assert!(reduce::min_axes(&View::new(&[0_i64; 0], &[0]).unwrap(), &[0], true).is_err());
}

#[test]
fn operands_of_different_types_or_no_common_shape_or_too_many() {
    let (a, b) = ([1.0_f32; 6], [1.0_f64; 6]);
    let layout = || Layout::new(&[2, 3]).unwrap();
    let any = |dtype, bytes| AnyView::new(dtype, bytes, layout()).unwrap();
    let x = any(DType::F32, bytemuck::cast_slice(&a));
    let y = any(DType::F64, bytemuck::cast_slice(&b));
    let mut out = [-1.0_f32; 3];
    let mut run = |reduction, operands: &[&AnyView<'_>], onto| {
        let bytes = bytemuck::cast_slice_mut(&mut out);
        let mut room = AnyViewMut::new(DType::F32, bytes, Layout::new(&[3]).unwrap()).unwrap();
        let got = reduce::reduce_any(reduction, operands, axes(&[0]), &mut room, onto, Options::new());
        assert_eq!(out, [-1.0; 3]);
        got.unwrap_err()
    };
    for onto in [false, true] {
        let error = run(Reduction::Sum, &[&x, &y], onto);
        assert_eq!(error, E::DTypeMismatch { expected: DType::F32, got: DType::F64 });
        assert!(matches!(run(Reduction::Sum, &[], onto), E::OperandCount { got: 0, .. }));
        assert!(matches!(run(Reduction::Sum, &[&x, &x, &x], onto), E::OperandCount { got: 3, .. }));
        for reduction in [Reduction::Mean, Reduction::Max, Reduction::Min, Reduction::Prod] {
            assert_eq!(run(reduction, &[&x, &x], onto), E::OperandCount { expected: 1, got: 2 });
        }
    }
    let (u, v) = (View::new(&a[..4], &[2, 2]).unwrap(), View::new(&a, &[2, 3]).unwrap());
    let got = reduce::sum_of_product_to(&u, &v, &[2, 1]).err().unwrap();
    assert_eq!(got, E::NotMutual { shapes: vec![vec![2, 2], vec![2, 3]], axis: 1, sizes: (2, 3) });
}

#[test]
fn outputs_that_touch_an_element_twice() {
    let layout = Layout::new(&[2, 3]).unwrap();
    for strides in [&[0, 1][..], &[1, 1], &[0, 0], &[-1, 1]] {
        let out = Layout::strided(2, &[2, 3], strides).unwrap();
        let over = Over::To(&[2, 3]);
        let inputs = [(DType::F32, &layout)];
        let plan = ReducePlan::with_output(Reduction::Sum, &inputs, over, DType::F32, &out, Options::new());
        assert!(matches!(plan, Err(E::SelfOverlap { .. })), "{strides:?}");
    }
}

/// What a plan refuses when it is run.
#[test]
fn runs_of_plans() {
    let layout = Layout::new(&[2, 3]).unwrap();
    let plan = ReducePlan::new(Reduction::Sum, (DType::F32, &layout), Over::To(&[3]), DType::F32, Options::new());
    let plan = plan.unwrap();
    let (x, y) = ([1.0_f32; 7], [1.0_f64; 6]);
    let mut out = [-1.0_f32; 4];
    let lack = |what, expected, got| Err(E::LengthMismatch { what, expected, got });
    assert_eq!(plan.run((&x[..5],), &mut out[..3]), lack("operand", 6, 5));
    assert_eq!(plan.run_onto((&x[..0],), &mut out[..3]), lack("operand", 6, 0));
    for len in [0, 2, 4] {
        assert_eq!(plan.run((&x[..],), &mut out[..len]), lack("output", 3, len));
        assert_eq!(plan.run_onto((&x[..],), &mut out[..len]), lack("output", 3, len));
    }
    let types = |expected, got| Err(E::DTypeMismatch { expected, got });
    assert_eq!(plan.run((&y[..],), &mut out[..3]), types(DType::F32, DType::F64));
    assert_eq!(plan.run((&x[..],), &mut [0_i32; 3]), types(DType::F32, DType::I32));
    assert_eq!(plan.run((&x[..], &x[..]), &mut out[..3]), Err(E::OperandCount { expected: 1, got: 2 }));
    let pair = [(DType::F32, &layout); 2];
    let product = ReducePlan::sum_of_product(pair, Over::To(&[3]), DType::F32, Options::new()).unwrap();
    assert_eq!(product.run((&x[..],), &mut out[..3]), Err(E::OperandCount { expected: 2, got: 1 }));
    assert_eq!(product.run((&x[..6], &x[..5]), &mut out[..3]), lack("operand", 6, 5));
    assert_eq!(out, [-1.0; 4]);

    for onto in [false, true] {
        let bytes: &[u8] = bytemuck::cast_slice(&x);
        let room = bytemuck::cast_slice_mut(&mut out);
        assert_eq!(plan.run_any(&[], &mut room[..12], onto), Err(E::OperandCount { expected: 1, got: 0 }));
        assert_eq!(plan.run_any(&[&bytes[..20]], &mut room[..12], onto), lack("operand", 6, 5));
        let partial = |what, bytes| Err(E::PartialElement { what, bytes, elem_size: 4 });
        assert_eq!(plan.run_any(&[&bytes[..26]], &mut room[..12], onto), partial("operand", 26));
        assert_eq!(plan.run_any(&[bytes], &mut room[..11], onto), partial("output", 11));
        assert_eq!(plan.run_any(&[bytes], &mut room[..16], onto), lack("output", 3, 4));
        let misaligned = Err(E::Misaligned { dtype: DType::F32 });
        assert_eq!(plan.run_any(&[&bytes[1..25]], &mut room[..12], onto), misaligned);
        assert_eq!(plan.run_any(&[bytes], &mut room[2..14], onto), misaligned);
        assert_eq!(out, [-1.0; 4]);
    }
    // A plan for an output with gaps needs them in the buffer.
    let gaps = Layout::strided(0, &[3], &[2]).unwrap();
    let inputs = [(DType::F32, &layout)];
    let plan = ReducePlan::with_output(Reduction::Sum, &inputs, Over::To(&[3]), DType::F32, &gaps, Options::new());
    let plan = plan.unwrap();
    assert_eq!(plan.run((&x[..],), &mut out), lack("output", 5, 4));
    assert_eq!(out, [-1.0; 4]);
    let mut room = [-1.0_f32; 6];
    plan.run((&x[..],), &mut room).unwrap();
    assert_eq!(room, [2.0, -1.0, 2.0, -1.0, 2.0, -1.0]);
}

#[test]
fn bytes_that_need_not_be_initialised_are_written_and_not_added_to() {
    let x = [1.0_f32, 2.0, 4.0];
    let any = AnyView::new(DType::F32, bytemuck::cast_slice(&x), Layout::new(&[3]).unwrap()).unwrap();
    let mut room = [MaybeUninit::new(0x55_u8); 4];
    let mut out = AnyViewMut::uninit(DType::F32, &mut room, Layout::new(&[]).unwrap()).unwrap();
    let over = axes(&[0]);
    let got = reduce::reduce_any(Reduction::Sum, &[&any], over, &mut out, true, Options::new());
    assert_eq!(got, Err(E::Uninitialised));
    reduce::reduce_any(Reduction::Sum, &[&any], over, &mut out, false, Options::new()).unwrap();
    // SAFETY: written just now, and filled before.
    assert_eq!(room.map(|byte| unsafe { byte.assume_init() }), 7.0_f32.to_ne_bytes());
}

/// Outputs that share memory with an operand, which only pointers can.
#[test]
fn pointers_that_meet() {
    let layout = Layout::new(&[2, 3]).unwrap();
    let plan = ReducePlan::new(Reduction::Sum, (DType::I32, &layout), Over::To(&[3]), DType::I32, Options::new());
    let plan = plan.unwrap();
    let mut memory: Vec<i32> = (0..20).collect();
    let start = memory.as_mut_ptr();
    for (from, to) in [(0, 0), (0, 5), (2, 0), (4, 6), (3, 8)] {
        for onto in [false, true] {
            // SAFETY: both lie in the memory; the ranges meet, so nothing is read or written.
            let got = unsafe { raw::reduce(&plan, &[start.add(from).cast()], start.add(to).cast(), onto) };
            assert_eq!(got, Err(E::Overlap), "{from} {to}");
        }
    }
    assert_eq!(memory, (0..20).collect::<Vec<_>>());
    let start = memory.as_mut_ptr();
    // SAFETY: beside each other in one allocation.
    unsafe { raw::reduce(&plan, &[start.add(3).cast()], start.cast(), false).unwrap() };
    assert_eq!(memory[..4], [9, 11, 13, 3]);
}

/// A refused call leaves the room as it was on every level, gaps and all.
#[test]
fn on_every_level() {
    let signature = Signature::new(Reduction::Max, DType::BF16, DType::BF16);
    let (shape, place) = ([3, 0, 70], Place::PLAIN);
    let mut call = Call::new(&signature, &[(&shape, &place)], Which::Axes(vec![1], false), &Place::padded(2), 1);
    let before = call.out.memory.bytes().to_vec();
    for isa in levels() {
        for onto in [false, true] {
            call.onto = onto;
            let wanted = E::EmptyReduction { reduction: Reduction::Max, shape: shape.to_vec() };
            assert_eq!(call.run(Options::new().isa(isa)), Err(wanted.clone()));
            assert_eq!(call.run_any(Options::new().isa(isa)), Err(wanted));
            assert!(call.out.memory.bytes() == before);
        }
    }
}

#[test]
fn names() {
    for &reduction in Reduction::ALL {
        assert_eq!(reduction.name().parse(), Ok(reduction));
        assert_eq!(format!("{reduction:>6}").trim_start(), reduction.name());
    }
    let error = "summ".parse::<Reduction>().unwrap_err().to_string();
    assert!(Reduction::ALL.iter().all(|reduction| error.contains(reduction.name())), "{error}");
}
