//! Reductions given what a confused caller could send: layouts from the ends of the number range, and pointers from
//! nowhere.

use std::ptr;

use stridecast::{BroadcastError, DType, Layout, Options, Over, ReducePlan, Reduction, raw};

use crate::model::{hostile_layouts, no_panic};
use crate::{MAX, MIN, counting};

const EVERY: [Over<'static>; 6] = [
    Over::Axes { axes: &[], keep_dims: false },
    Over::Axes { axes: &[0], keep_dims: false },
    Over::Axes { axes: &[1], keep_dims: true },
    Over::Axes { axes: &[1, 0], keep_dims: false },
    Over::To(&[1, 1]),
    Over::To(&[]),
];

/// A plan or an error of every hostile operand and every hostile output; a plan refuses slices that are too short.
#[test]
fn plans_of_hostile_layouts_never_overflow() {
    let (mut made, mut refused) = (0, 0);
    for (i, case) in hostile_layouts().into_iter().enumerate() {
        let Ok(layout) = case.layout() else { continue };
        let (dtype, reduction) = (DType::ALL[i % DType::ALL.len()], Reduction::ALL[i % Reduction::ALL.len()]);
        for over in EVERY {
            no_panic(&(&case, over, dtype, reduction), || {
                let plan = ReducePlan::new(reduction, (dtype, &layout), over, dtype, Options::new());
                let pair = [(dtype, &layout); 2];
                let product = ReducePlan::sum_of_product(pair, over, dtype, Options::new());
                for plan in [plan, product] {
                    let Ok(plan) = plan else {
                        refused += 1;
                        continue;
                    };
                    made += 1;
                    let size = plan.output_dtype().size();
                    // 64 bytes hold no output of more elements, and no operand that reaches further.
                    let (low, high) = case.span();
                    let holds =
                        low >= 0 && high.saturating_add(1).saturating_mul(size as i128) <= 64 || case.is_empty();
                    let fits = plan.output_len().saturating_mul(size) == 64 && holds;
                    if !fits && plan.output_len() > 0 {
                        let (source, mut room) = (counting(), counting());
                        let operands = vec![&source.0[..64]; plan.operands()];
                        let before = room.0;
                        let got = plan.run_any(&operands, &mut room.0[..64], false);
                        assert!(got.is_err() && room.0 == before, "{got:?}");
                    }
                }
            });
        }
        // As the output of an operand that has its shape, or broadcasts to none that it has.
        let dense = Layout::new(&case.shape).unwrap();
        no_panic(&(&case, "output"), || {
            let inputs = [(DType::F64, &dense)];
            let all = Over::Axes { axes: &[], keep_dims: false };
            let plan = ReducePlan::with_output(Reduction::Sum, &inputs, all, DType::F64, &layout, Options::new());
            if let Ok(plan) = plan {
                assert_eq!(plan.output_shape(), case.shape);
            }
        });
    }
    assert!(made > 1000 && refused > 1000, "{made} plans, {refused} errors");
}

/// Operands and outputs at addresses where their layouts have no room: refused, or without elements.
#[test]
fn pointers_that_cannot_hold_the_layout_are_refused() {
    let addresses = [0, 8, 64, 1 << 47, usize::MAX / 2 + 1, usize::MAX - 63, usize::MAX - 7];
    let mut good = counting();
    let good_ptr = good.0.as_mut_ptr();
    let (mut tried, mut empty) = (0, 0);
    for case in hostile_layouts().into_iter().filter(|case| case.shape.iter().all(|&size| size < 4)) {
        let Ok(layout) = case.layout() else { continue };
        let dense = Layout::new(&case.shape).unwrap();
        let keep = Over::Axes { axes: &[], keep_dims: false };
        let as_operand = ReducePlan::new(Reduction::Sum, (DType::U64, &layout), keep, DType::U64, Options::new());
        let inputs = [(DType::U64, &dense)];
        let as_output = ReducePlan::with_output(Reduction::Sum, &inputs, keep, DType::U64, &layout, Options::new());
        for addr in addresses {
            let bad = ptr::without_provenance_mut::<u8>(addr);
            let leaves = case.leaves_memory(addr, 8);
            for onto in [false, true] {
                no_panic(&(&case, addr), || {
                    if let Ok(plan) = &as_operand
                        && (leaves || case.is_empty())
                    {
                        // SAFETY: refused for the address before anything is read or written, or without elements.
                        let got = unsafe { raw::reduce(plan, &[bad.cast_const()], good_ptr, onto) };
                        assert_eq!(got.is_ok(), case.is_empty(), "{got:?}");
                        tried += 1;
                    }
                    if let Ok(plan) = &as_output
                        && (leaves || case.is_empty())
                    {
                        // SAFETY: as above.
                        let got = unsafe { raw::reduce(plan, &[good_ptr.cast_const()], bad, onto) };
                        assert_eq!(got.is_ok(), case.is_empty(), "{got:?}");
                        empty += usize::from(case.is_empty());
                    }
                });
            }
        }
    }
    assert_eq!(good.0, counting().0);
    assert!(tried > 1000 && empty > 100, "{tried} and {empty} calls");
}

/// An operand without elements may lie nowhere; the output is written then.
#[test]
fn operands_without_elements_may_be_null() {
    let layout = Layout::strided(MAX, &[0, 3], &[MIN, MAX]).unwrap();
    let plan = ReducePlan::new(Reduction::Prod, (DType::I32, &layout), Over::To(&[3]), DType::I32, Options::new());
    let plan = plan.unwrap();
    let mut out = [7_i32; 4];
    // SAFETY: nothing is read; the output has three elements.
    unsafe { raw::reduce(&plan, &[ptr::null()], out.as_mut_ptr().cast(), false).unwrap() };
    assert_eq!(out, [1, 1, 1, 7]);
    // SAFETY: the same; null and misaligned outputs are refused.
    unsafe {
        let null = raw::reduce(&plan, &[ptr::null()], ptr::null_mut(), false);
        assert!(matches!(null, Err(BroadcastError::BadPointer { what: "output" })), "{null:?}");
        let odd = raw::reduce(&plan, &[ptr::null()], out.as_mut_ptr().cast::<u8>().add(1), true);
        assert_eq!(odd, Err(BroadcastError::Misaligned { dtype: DType::I32 }));
    }
    assert_eq!(out, [1, 1, 1, 7]);
}

/// Pointers into the middle of a buffer, of layouts that reach to both sides.
#[test]
fn pointers_into_the_middle() {
    let x: Vec<i16> = (0..12).collect();
    let layout = Layout::strided(0, &[3, 4], &[-4, 1]).unwrap();
    let out_layout = Layout::strided(0, &[4], &[-1]).unwrap();
    let inputs = [(DType::I16, &layout)];
    let over = Over::Axes { axes: &[0], keep_dims: false };
    let plan = ReducePlan::with_output(Reduction::Sum, &inputs, over, DType::I64, &out_layout, Options::new());
    let plan = plan.unwrap();
    let mut out = [1_i64; 4];
    let (last_row, last) = (x.as_ptr().wrapping_add(8), out.as_mut_ptr().wrapping_add(3));
    // SAFETY: the layouts go back to the first row, and to the first element of the output.
    unsafe { raw::reduce(&plan, &[last_row.cast()], last.cast(), true).unwrap() };
    assert_eq!(out, [22, 19, 16, 13]);
}

#[test]
fn the_number_of_pointers_is_checked() {
    let layout = Layout::new(&[2]).unwrap();
    let plan = |operands| {
        let given = vec![(DType::U8, &layout); operands];
        let out = Layout::new(&[]).unwrap();
        ReducePlan::with_output(Reduction::Sum, &given, Over::To(&[]), DType::U8, &out, Options::new()).unwrap()
    };
    let (x, mut out) = ([1_u8, 2], [9_u8]);
    for operands in 1..=2 {
        for given in (0..4).filter(|given| *given != operands) {
            // SAFETY: refused before anything is read or written.
            let got = unsafe { raw::reduce(&plan(operands), &vec![x.as_ptr(); given], out.as_mut_ptr(), false) };
            assert_eq!(got, Err(BroadcastError::OperandCount { expected: operands, got: given }));
        }
    }
    assert_eq!(out, [9]);
}
