//! Operands for elementwise functions, and whether a result is right: plain arithmetic, element by element.
//!
//! `functions` and `benches/elementwise.rs` fill the operands, run, and ask for the first wrong element; `totals` does
//! so for reductions, with the numbers of this file. Nothing of the library is used here. Results must be equal, but
//! for three functions that are defined within a unit in the last place: `pow`, `atan2` and `hypot` may differ by one
//! unit from the system library's f64 result where they are computed in f32, and by two in f64, of which one is the
//! system library's.

use bytemuck::{AnyBitPattern, pod_read_unaligned};
use half::{bf16, f16};
use stridecast::{DType, Op, Reduction, Tolerance};

use super::cases::Case;

/// A number of any real type.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Real(f64),
    Whole(i128),
}

use Value::{Real, Whole};

pub fn get(dtype: DType, bytes: &[u8], at: usize) -> Value {
    fn of<T: AnyBitPattern>(bytes: &[u8], at: usize) -> T {
        pod_read_unaligned(&bytes[at * size_of::<T>()..][..size_of::<T>()])
    }
    match dtype {
        DType::F16 => Real(of::<f16>(bytes, at).to_f64()),
        DType::BF16 => Real(of::<bf16>(bytes, at).to_f64()),
        DType::F32 => Real(of::<f32>(bytes, at).into()),
        DType::F64 => Real(of(bytes, at)),
        DType::I8 => Whole(of::<i8>(bytes, at).into()),
        DType::I16 => Whole(of::<i16>(bytes, at).into()),
        DType::I32 => Whole(of::<i32>(bytes, at).into()),
        DType::I64 => Whole(of::<i64>(bytes, at).into()),
        DType::U16 => Whole(of::<u16>(bytes, at).into()),
        DType::U32 => Whole(of::<u32>(bytes, at).into()),
        DType::U64 => Whole(of::<u64>(bytes, at).into()),
        _ => Whole(of::<u8>(bytes, at).into()),
    }
}

/// As the nearest number of the type; halves by way of f32, as they are computed.
pub fn round(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F16 => f16::from_f32(x as f32).to_f64(),
        DType::BF16 => bf16::from_f32(x as f32).to_f64(),
        DType::F32 => (x as f32).into(),
        _ => x,
    }
}

/// The low bits of a number.
pub fn wrap(dtype: DType, x: i128) -> i128 {
    match dtype {
        DType::I8 => (x as i8).into(),
        DType::I16 => (x as i16).into(),
        DType::I32 => (x as i32).into(),
        DType::I64 => (x as i64).into(),
        DType::U16 => (x as u16).into(),
        DType::U32 => (x as u32).into(),
        DType::U64 => (x as u64).into(),
        _ => (x as u8).into(),
    }
}

/// Fills operand `k` with numbers that are ordinary to the function: floats from 0.25 to 4.25 of both signs (of one for
/// powers), integers from 1 to 97, 0 and 1 for masks. Sums and products over axes get numbers of which they are exact
/// in any order, as far as their types go: whole numbers to 4 of both signs, and powers of two that are seldom not 1.
pub fn fill(case: &Case, k: usize, words: &[u64], bytes: &mut [u8]) {
    let dtype = case.input_dtype(k);
    let positive = case.op == "pow";
    // The mask of `where`.
    let is_truth = k == 0 && case.op.starts_with("where");
    let reduction = case.reduction();
    for (element, word) in bytes.chunks_exact_mut(dtype.size()).zip(words.iter().cycle()) {
        let word = word.rotate_left(17 * k as u32);
        let sign = if positive || word & 1 == 0 { 1.0 } else { -1.0 };
        let size = match reduction {
            Some(Reduction::Sum | Reduction::Mean) => (1 + (word >> 33) % 4) as f64,
            Some(Reduction::Prod) => [2.0, 0.5, 1.0][((word >> 33) % 1024).min(2) as usize],
            _ => 0.25 + (word >> 40) as f64 / (1 << 22) as f64,
        };
        let real = sign * size;
        match dtype {
            DType::F16 => element.copy_from_slice(&f16::from_f64(real).to_ne_bytes()),
            DType::BF16 => element.copy_from_slice(&bf16::from_f64(real).to_ne_bytes()),
            DType::F32 => element.copy_from_slice(&(real as f32).to_ne_bytes()),
            DType::F64 => element.copy_from_slice(&real.to_ne_bytes()),
            _ => {
                let whole = if is_truth { word >> 33 & 1 } else { 1 + (word >> 33) % 97 };
                // A product of even numbers is soon 0.
                let whole = if reduction == Some(Reduction::Prod) { whole | 1 } else { whole };
                element.fill(0);
                let low = if cfg!(target_endian = "big") { dtype.size() - 1 } else { 0 };
                element[low] = whole as u8;
            }
        }
    }
}

/// What a function gives for reals, before it is rounded to their type.
fn real(op: Op, dtype: DType, [a, b, c]: [f64; 3]) -> f64 {
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Pow => a.powf(b),
        Op::Minimum | Op::Fmin => a.min(b),
        Op::Maximum | Op::Fmax => a.max(b),
        Op::Atan2 => a.atan2(b),
        Op::Hypot => a.hypot(b),
        Op::Fmod => a % b,
        Op::Remainder if a % b != 0.0 && (a % b < 0.0) != (b < 0.0) => round(dtype, a % b + b),
        Op::Remainder => a % b,
        Op::MulAdd if dtype == DType::F64 => a.mul_add(b, c),
        // Rounded once, to f32.
        Op::MulAdd => (a as f32).mul_add(b as f32, c as f32).into(),
        Op::Clamp => a.max(b).min(c),
        _ => f64::NAN,
    }
}

/// What a function gives for integers, of which the low bits count.
fn whole(op: Op, dtype: DType, [a, b, c]: [i128; 3]) -> i128 {
    let bits = 8 * dtype.size() as i128;
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Pow => (a as u64).wrapping_pow(b as u32).into(),
        Op::Minimum => a.min(b),
        Op::Maximum => a.max(b),
        Op::Fmod => a % b,
        Op::Remainder if a % b != 0 && (a % b < 0) != (b < 0) => a % b + b,
        Op::Remainder => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if b < bits => a << b,
        Op::Shl => 0,
        Op::Shr => a >> b.min(bits),
        Op::MulAdd => a * b + c,
        Op::Clamp => a.max(b).min(c),
        _ => i128::MAX,
    }
}

/// Whether a comparison holds.
fn compare(op: Op, a: f64, b: f64) -> Option<bool> {
    let Tolerance { atol, rtol } = Tolerance::default();
    Some(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        Op::ApproxEq => (a - b).abs() <= atol + rtol * b.abs(),
        _ => return None,
    })
}

/// Whether `got` is what the function gives for these operands.
fn holds(op: Op, dtype: DType, operands: [Value; 3], got: Value) -> bool {
    if op == Op::Where {
        let [Whole(mask), b, c] = operands else { return false };
        return same(if mask != 0 { b } else { c }, got);
    }
    let wide = |value: Value| match value {
        Real(x) => x,
        // The operands are small.
        Whole(x) => x as f64,
    };
    if let Some(truth) = compare(op, wide(operands[0]), wide(operands[1])) {
        return same(Whole(truth.into()), got);
    }
    match operands {
        [Real(a), Real(b), Real(c)] => {
            let (want, Real(got)) = (real(op, dtype, [a, b, c]), got) else { return false };
            let units = match (op, dtype) {
                (Op::Pow | Op::Atan2 | Op::Hypot, DType::F64) => 2.0,
                (Op::Pow | Op::Atan2 | Op::Hypot, _) => 1.0,
                _ => 0.0,
            };
            same(Real(round(dtype, want)), Real(got)) || (got - want).abs() <= units * unit(dtype, want)
        }
        [Whole(a), Whole(b), Whole(c)] => same(Whole(wrap(dtype, whole(op, dtype, [a, b, c]))), got),
        _ => false,
    }
}

/// Equal, two NaNs too.
pub fn same(want: Value, got: Value) -> bool {
    match (want, got) {
        (Real(x), Real(y)) => x == y || (x.is_nan() && y.is_nan()),
        (Whole(x), Whole(y)) => x == y,
        _ => false,
    }
}

/// The unit in the last place of a normal number of the type.
fn unit(dtype: DType, x: f64) -> f64 {
    let digits = match dtype {
        DType::F16 => 10,
        DType::BF16 => 7,
        DType::F32 => 23,
        _ => 52,
    };
    let power_of_two = f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000);
    power_of_two * 0.5_f64.powi(digits)
}

/// The first element of the output that is wrong, if any.
pub fn first_wrong(case: &Case, operands: &[&[u8]], out: &[u8]) -> Option<usize> {
    let op = case.function()?;
    let (dtypes, output) = (std::array::from_fn::<_, 3, _>(|k| case.input_dtype(k)), case.output_dtype());
    let strides: Vec<_> = case.inputs.iter().map(|shape| strides(shape, case.out.len())).collect();
    let (cols, sizes) = case.out.split_last().map_or((1, &[][..]), |(&cols, sizes)| (cols, sizes));
    let mut index = vec![0; sizes.len()];
    for row in 0..sizes.iter().product() {
        let start = |k: usize| index.iter().zip(&strides[k]).map(|(i, stride)| i * stride).sum::<usize>();
        let starts: Vec<_> = (0..operands.len()).map(start).collect();
        for col in 0..cols {
            // Operands that are not there are like the first value.
            let value = |k: usize| {
                let step = strides[k].last().map_or(0, |step| step * col);
                get(dtypes[k], operands[k], starts[k] + step)
            };
            let first = value(operands.len() - 1);
            let values = std::array::from_fn(|k| if k < operands.len() { value(k) } else { first });
            if !holds(op, case.dtype, values, get(output, out, row * cols + col)) {
                return Some(row * cols + col);
            }
        }
        for axis in (0..sizes.len()).rev() {
            index[axis] += 1;
            if index[axis] < sizes[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    None
}

/// How many elements of an operand one step along each axis of an output of `rank` axes is.
pub fn strides(shape: &[usize], rank: usize) -> Vec<usize> {
    let mut strides = vec![0; rank];
    for axis in 0..shape.len() {
        if shape[axis] != 1 {
            strides[rank - shape.len() + axis] = shape[axis + 1..].iter().product();
        }
    }
    strides
}
