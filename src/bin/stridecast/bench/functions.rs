//! Measuring an elementwise function: as a prepared run and as a one-shot call, checked first.
//!
//! `measure` calls [`measure`] for the cases that are one. What is timed is what a program would write: typed slices
//! into the caller's buffer; one-shot calls through the typed functions of `ops` for plain arithmetic, else through the
//! one that takes a tag.

#![forbid(unsafe_code)]

use std::hint::black_box;

use bytemuck::Pod;
use half::{bf16, f16};
use stridecast::ops::{self, Defined, fun};
use stridecast::{DType, Element, Op, OpPlan, Options, Result, View, ViewMut, apply_any};

use super::cases::Case;
use super::check::pattern;
use super::measure::{Measured, Settings};
use super::timing::{Memory, Timing};
use super::verify;

/// Element types that all of the usual arithmetic is defined on.
trait Number: Pod + Defined<fun::Add> + Defined<fun::Sub> + Defined<fun::Mul> + Defined<fun::Div> {}

impl<T: Pod + Defined<fun::Add> + Defined<fun::Sub> + Defined<fun::Mul> + Defined<fun::Div>> Number for T {}

pub fn measure(case: &Case, settings: &Settings, memory: &mut Memory) -> Result<Measured> {
    match case.dtype {
        DType::F16 => typed::<f16>(case, settings, memory),
        DType::BF16 => typed::<bf16>(case, settings, memory),
        DType::F32 => typed::<f32>(case, settings, memory),
        DType::F64 => typed::<f64>(case, settings, memory),
        DType::I8 => typed::<i8>(case, settings, memory),
        DType::I16 => typed::<i16>(case, settings, memory),
        DType::I32 => typed::<i32>(case, settings, memory),
        DType::I64 => typed::<i64>(case, settings, memory),
        DType::U16 => typed::<u16>(case, settings, memory),
        DType::U32 => typed::<u32>(case, settings, memory),
        DType::U64 => typed::<u64>(case, settings, memory),
        _ => typed::<u8>(case, settings, memory),
    }
}

/// Of as many operands as there are, with the types that they have.
fn typed<T: Number>(case: &Case, settings: &Settings, memory: &mut Memory) -> Result<Measured> {
    let sizes = std::array::from_fn(|k| if k < case.inputs.len() { case.operand(k) } else { 0 });
    let [a, b, c] = sizes;
    let [out, first, second, third] = memory.regions([case.written(), a, b, c]);
    // Of no length that a row has, so that rows differ.
    let mut words = [0; 4093];
    pattern(&mut words);
    let mut operands: [&mut [u8]; 3] = [first, second, third].map(bytemuck::cast_slice_mut);
    for (k, bytes) in operands.iter_mut().enumerate().take(case.inputs.len()) {
        let all = std::mem::take(bytes);
        *bytes = &mut all[..sizes[k]];
        verify::fill(case, k, &words, bytes);
    }
    let operands = operands.map(|bytes| &*bytes);
    let out = &mut bytemuck::cast_slice_mut(out)[..case.written()];
    let plan = case.op_plan()?;
    if case.output_dtype() != case.dtype {
        return timed::<T, u8>(case, settings, &plan, operands, out, |operands, out| {
            one_shot::<T, u8>(case, operands, out)
        });
    }
    timed::<T, T>(case, settings, &plan, operands, out, |operands, out| match arithmetic::<T>(case) {
        Some(call) => {
            let [a, b, _] = operands;
            let a = View::new(bytemuck::cast_slice(a), &case.inputs[0])?;
            call(&a, &View::new(bytemuck::cast_slice(b), &case.inputs[1])?, out)
        }
        None => one_shot::<T, T>(case, operands, out),
    })
}

type Call<T> = fn(&View<'_, T>, &View<'_, T>, &mut [T]) -> Result<()>;

/// The typed function of a case, if it is plain arithmetic.
fn arithmetic<T: Number>(case: &Case) -> Option<Call<T>> {
    Some(match case.function()? {
        Op::Add => |a, b, out| ops::add_into(a, b, out),
        Op::Sub => |a, b, out| ops::sub_into(a, b, out),
        Op::Mul => |a, b, out| ops::mul_into(a, b, out),
        Op::Div => |a, b, out| ops::div_into(a, b, out),
        _ => return None,
    })
}

/// A call by tag, from slices that have types.
fn one_shot<T: Number, O: Element + Pod>(case: &Case, operands: [&[u8]; 3], out: &mut [O]) -> Result<()> {
    let op = case.function().unwrap_or(Op::Add);
    let out = ViewMut::new(out, &case.out)?;
    let [a, b, c] = operands;
    let first = if case.input_dtype(0) == case.dtype {
        View::new(bytemuck::cast_slice::<_, T>(a), &case.inputs[0])?.into()
    } else {
        View::new(a, &case.inputs[0])?.into()
    };
    let second = View::new(bytemuck::cast_slice::<_, T>(b), &case.inputs[1])?.into();
    let Some(shape) = case.inputs.get(2) else {
        return apply_any(op, &[&first, &second], &mut out.into(), Options::new());
    };
    let third = View::new(bytemuck::cast_slice::<_, T>(c), shape)?.into();
    apply_any(op, &[&first, &second, &third], &mut out.into(), Options::new())
}

/// A prepared run.
fn run<T: Number, O: Element + Pod>(case: &Case, plan: &OpPlan, operands: [&[u8]; 3], out: &mut [O]) -> Result<()> {
    let [a, b, c] = operands;
    let (y, z) = (bytemuck::cast_slice::<_, T>(b), bytemuck::cast_slice::<_, T>(c));
    match case.inputs.len() {
        2 => plan.run((bytemuck::cast_slice::<_, T>(a), y), out),
        _ if case.input_dtype(0) == case.dtype => plan.run((bytemuck::cast_slice::<_, T>(a), y, z), out),
        _ => plan.run((a, y, z), out),
    }
}

fn timed<T: Number, O: Element + Pod>(
    case: &Case,
    settings: &Settings,
    plan: &OpPlan,
    operands: [&[u8]; 3],
    out: &mut [u8],
    one_shot: impl Fn([&[u8]; 3], &mut [O]) -> Result<()>,
) -> Result<Measured> {
    let inputs = &operands[..case.inputs.len()];
    let complaint = |out: &[u8], of: &str| {
        let at = verify::first_wrong(case, inputs, out)?;
        Some(format!("element {at} of {} after {of}", plan.output_len()))
    };
    // Neither is what a comparison gives, and no function gives both.
    out.fill(0x5A);
    run::<T, O>(case, plan, operands, bytemuck::cast_slice_mut(out))?;
    let mut wrong = complaint(out, "a prepared run");
    out.fill(0xA5);
    one_shot(operands, bytemuck::cast_slice_mut(out))?;
    wrong = wrong.or_else(|| complaint(out, "a one-shot call"));

    // Neither can fail: both just did not.
    let out: &mut [O] = bytemuck::cast_slice_mut(out);
    let prepared = settings.batches.time(|calls| {
        for _ in 0..calls {
            let _ = black_box(run::<T, O>(case, black_box(plan), black_box(operands), black_box(&mut *out)));
        }
    });
    let mut again = || -> Timing {
        settings.batches.time(|calls| {
            for _ in 0..calls {
                let _ = black_box(one_shot(black_box(operands), black_box(&mut *out)));
            }
        })
    };
    let one_shot = settings.one_shot.then(&mut again);
    Ok(Measured { prepared, one_shot, limit: None, wrong })
}
