//! What a reduction gives: plain arithmetic, element by element, in the order of memory.
//!
//! `reductions` and `benches/reduce.rs` run, and ask for the first wrong element. Nothing of the library is used here.
//! Results must be equal: the operands (see [`verify::fill`]) are such that the order of additions and products does
//! not matter, and a mean is the sum, divided as f32 or f64.

use stridecast::{DType, Reduction};

use super::cases::Case;
use super::verify::{
    self,
    Value::{self, Real, Whole},
};

/// The elements of the result.
pub fn expected(case: &Case, operands: &[&[u8]]) -> Vec<Value> {
    let Some(reduction) = case.reduction() else { return Vec::new() };
    let rank = case.inputs.iter().map(Vec::len).max().unwrap_or(0);
    let source: Vec<_> = (0..rank)
        .map(|axis| case.inputs.iter().map(|shape| size_of_axis(shape, rank, axis)).find(|&n| n != 1).unwrap_or(1))
        .collect();
    let strides: Vec<_> = case.inputs.iter().map(|shape| verify::strides(shape, rank)).collect();
    let kept = verify::strides(&case.out, rank);
    let len: usize = case.out.iter().product();
    let mut totals: Vec<Option<Value>> = vec![None; len];
    let (cols, sizes) = source.split_last().map_or((1, &[][..]), |(&cols, sizes)| (cols, sizes));
    let mut index = vec![0; sizes.len()];
    for _ in 0..sizes.iter().product() {
        let start = |strides: &[usize]| index.iter().zip(strides).map(|(i, stride)| i * stride).sum::<usize>();
        let step = |strides: &[usize]| strides.last().copied().unwrap_or(0);
        let (at, along) = (start(&kept), step(&kept));
        let from: Vec<_> = strides.iter().map(|strides| (start(strides), step(strides))).collect();
        for col in 0..cols {
            let value = |k: usize| verify::get(case.dtype, operands[k], from[k].0 + col * from[k].1);
            let value = if operands.len() == 2 { join(Reduction::Prod, value(0), value(1)) } else { value(0) };
            let total = &mut totals[at + col * along];
            *total = Some(total.map_or(value, |total| join(reduction, total, value)));
        }
        for axis in (0..sizes.len()).rev() {
            index[axis] += 1;
            if index[axis] < sizes[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    let count = source.iter().product::<usize>() / len.max(1);
    totals.into_iter().map(|total| finish(case, reduction, total, count)).collect()
}

/// The first element of the output that is not as expected, if any.
pub fn first_wrong(case: &Case, expected: &[Value], out: &[u8]) -> Option<usize> {
    let dtype = case.output_dtype();
    (0..expected.len()).find(|&at| !verify::same(expected[at], verify::get(dtype, out, at)))
}

/// The size of axis `axis` of `rank`, of which a shape has the last.
fn size_of_axis(shape: &[usize], rank: usize, axis: usize) -> usize {
    axis.checked_sub(rank - shape.len()).map_or(1, |axis| shape[axis])
}

fn join(reduction: Reduction, a: Value, b: Value) -> Value {
    match (a, b) {
        (Real(a), Real(b)) => Real(match reduction {
            Reduction::Max => a.max(b),
            Reduction::Min => a.min(b),
            Reduction::Prod => a * b,
            _ => a + b,
        }),
        // Low bits count.
        (Whole(a), Whole(b)) => Whole(match reduction {
            Reduction::Max => a.max(b),
            Reduction::Min => a.min(b),
            Reduction::Prod => a.wrapping_mul(b),
            _ => a.wrapping_add(b),
        }),
        _ => Real(f64::NAN),
    }
}

/// Divided if it is a mean, and rounded.
fn finish(case: &Case, reduction: Reduction, total: Option<Value>, count: usize) -> Value {
    let nothing = if reduction == Reduction::Prod { 1 } else { 0 };
    let total = total.unwrap_or(match case.dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Real(nothing.into()),
        _ => Whole(nothing.into()),
    });
    let output = case.output_dtype();
    match total {
        Whole(total) => Whole(verify::wrap(output, total)),
        Real(total) if reduction != Reduction::Mean => Real(verify::round(output, total)),
        Real(total) if case.dtype == DType::F64 => Real(total / count as f64),
        Real(total) => Real(verify::round(output, (total as f32 / count as f32).into())),
    }
}
