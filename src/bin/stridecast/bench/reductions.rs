//! Measuring a reduction: as a prepared run and as a one-shot call, checked first.
//!
//! `measure` calls [`measure`] for the cases that are one. What is timed is what a program would write: typed slices
//! into the caller's buffer, and one-shot calls through the typed functions.

#![forbid(unsafe_code)]

use std::hint::black_box;

use bytemuck::Pod;
use half::{bf16, f16};
use stridecast::{DType, Element, Over, ReducePlan, Reduction, Result, View, reduce};

use super::cases::Case;
use super::check::pattern;
use super::measure::{Measured, Settings};
use super::timing::Memory;
use super::{totals, verify};

pub fn measure(case: &Case, settings: &Settings, memory: &mut Memory) -> Result<Measured> {
    match case.dtype {
        DType::F16 => to::<f16, f32>(case, settings, memory),
        DType::BF16 => to::<bf16, f32>(case, settings, memory),
        DType::F32 => typed::<f32, f32>(case, settings, memory),
        DType::F64 => typed::<f64, f64>(case, settings, memory),
        DType::I8 => to::<i8, i64>(case, settings, memory),
        DType::I16 => to::<i16, i64>(case, settings, memory),
        DType::I32 => to::<i32, i64>(case, settings, memory),
        DType::I64 => typed::<i64, i64>(case, settings, memory),
        DType::U16 => to::<u16, u64>(case, settings, memory),
        DType::U32 => to::<u32, u64>(case, settings, memory),
        DType::U64 => typed::<u64, u64>(case, settings, memory),
        _ => to::<u8, u64>(case, settings, memory),
    }
}

/// To the operands' type or to the wider one.
fn to<T: Element + Pod, W: Element + Pod>(case: &Case, settings: &Settings, memory: &mut Memory) -> Result<Measured> {
    match case.output_dtype() == case.dtype {
        true => typed::<T, T>(case, settings, memory),
        false => typed::<T, W>(case, settings, memory),
    }
}

fn typed<T: Element + Pod, O: Element + Pod>(
    case: &Case,
    settings: &Settings,
    memory: &mut Memory,
) -> Result<Measured> {
    let second = if case.inputs.len() == 2 { case.operand(1) } else { 0 };
    let sizes = [case.operand(0), second];
    let [out, a, b] = memory.regions([case.written(), sizes[0], sizes[1]]);
    // Of no length that a row has, so that rows differ.
    let mut words = [0; 4093];
    pattern(&mut words);
    let mut operands: [&mut [u8]; 2] = [a, b].map(bytemuck::cast_slice_mut);
    for (k, bytes) in operands.iter_mut().enumerate().take(case.inputs.len()) {
        let all = std::mem::take(bytes);
        *bytes = &mut all[..sizes[k]];
        verify::fill(case, k, &words, bytes);
    }
    let operands = operands.map(|bytes| &*bytes);
    let expected = totals::expected(case, &operands[..case.inputs.len()]);
    let operands: [&[T]; 2] = operands.map(bytemuck::cast_slice);
    let out: &mut [O] = bytemuck::cast_slice_mut(&mut bytemuck::cast_slice_mut::<_, u8>(out)[..case.written()]);
    let plan = case.reduce_plan()?;

    let complaint = |out: &[O], of: &str| {
        let at = totals::first_wrong(case, &expected, bytemuck::cast_slice(out))?;
        Some(format!("element {at} of {} after {of}", out.len()))
    };
    // Neither is a total of the operands.
    bytemuck::cast_slice_mut::<O, u8>(out).fill(0x5A);
    run(&plan, operands, out)?;
    let mut wrong = complaint(out, "a prepared run");
    bytemuck::cast_slice_mut::<O, u8>(out).fill(0xA5);
    one_shot(case, operands, out)?;
    wrong = wrong.or_else(|| complaint(out, "a one-shot call"));

    // Neither can fail: both just did not.
    let prepared = settings.batches.time(|calls| {
        for _ in 0..calls {
            let _ = black_box(run(black_box(&plan), black_box(operands), black_box(&mut *out)));
        }
    });
    let one_shot = settings.one_shot.then(|| {
        settings.batches.time(|calls| {
            for _ in 0..calls {
                let _ = black_box(one_shot(black_box(case), black_box(operands), black_box(&mut *out)));
            }
        })
    });
    Ok(Measured { prepared, one_shot, limit: None, wrong })
}

fn run<T: Element, O: Element>(plan: &ReducePlan, [a, b]: [&[T]; 2], out: &mut [O]) -> Result<()> {
    if plan.operands() == 2 { plan.run((a, b), out) } else { plan.run((a,), out) }
}

/// What a program does that has buffers and shapes: views, call, done.
fn one_shot<T: Element, O: Element>(case: &Case, [a, b]: [&[T]; 2], out: &mut [O]) -> Result<()> {
    let (a, over) = (View::new(a, &case.inputs[0])?, Over::To(&case.out));
    match case.inputs.get(1) {
        Some(shape) => reduce::sum_of_product_into(&a, &View::new(b, shape)?, over, out),
        None => reduce::reduce_into(case.reduction().unwrap_or(Reduction::Sum), &a, over, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases;

    /// Results by hand are right, and with a single wrong element, wherever it is, they are not.
    #[test]
    fn one_wrong_element_is_found() {
        let list = br#"{"version": 1, "cases": [
            {"name": "outer", "group": "", "cls": "tiny", "op": "sum", "dtype": "f32", "in": [[2, 3]], "out": [3]},
            {"name": "inner", "group": "", "cls": "tiny", "op": "mean", "dtype": "f32", "in": [[2, 3]], "out": [2, 1]},
            {"name": "all", "group": "", "cls": "tiny", "op": "max", "dtype": "f32", "in": [[2, 3]], "out": []},
            {"name": "least", "group": "", "cls": "tiny", "op": "min", "dtype": "f32", "in": [[2, 3]], "out": [1, 3]},
            {"name": "none", "group": "", "cls": "tiny", "op": "prod", "dtype": "f32", "in": [[2, 3]], "out": [2, 3]},
            {"name": "two", "group": "", "cls": "tiny", "op": "sum_of_product", "dtype": "f32", "in": [[2, 1], [3]],
             "out": [2, 1]}]}"#;
        let wanted: [&[f32]; 6] =
            [&[5.0, -5.0, 9.0], &[2.0, 1.0], &[6.0], &[1.0, -7.0, 3.0], &[1.0, 2.0, 3.0, 4.0, -7.0, 6.0], &[3.0, 6.0]];
        let x = [1.0_f32, 2.0, 3.0, 4.0, -7.0, 6.0];
        for (case, want) in cases::parse(list).unwrap().iter().zip(wanted) {
            let operands: [&[f32]; 2] = if case.inputs.len() == 2 { [&x[..2], &x[3..]] } else { [&x, &[]] };
            let operands = operands.map(bytemuck::cast_slice);
            let expected = totals::expected(case, &operands[..case.inputs.len()]);
            let mut out = want.to_vec();
            let wrong = |out: &[f32]| totals::first_wrong(case, &expected, bytemuck::cast_slice(out));
            assert_eq!(wrong(&out), None, "{}", case.name);
            for at in 0..out.len() {
                out[at] += 1.0;
                assert_eq!(wrong(&out), Some(at), "{}", case.name);
                out[at] -= 1.0;
            }
        }
    }
}
