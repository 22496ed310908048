//! What one element should be: every function on every type, by the documentation and nothing of the crate's kernels.
//!
//! Elements are bits. Integers are computed in `i128` and wrapped, floats in `f64` and rounded to their type: of sums,
//! products and quotients that is the rounding that the type asks for, since `f64` has more than twice the digits of
//! `f32` and two to spare (Figueroa 1995), and so has `f32` of the halves.

use stridecast::{DType, Op, Tolerance};

use crate::common::numbers::{Kind, canonical, float, integer, join, kind, parts, round, wrap};

/// What an element of the result may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want {
    /// Every bit, those of NaNs too.
    Bits(u128),
    /// These bits, and any NaN for a NaN.
    Value(u128),
    /// Within 1 ULP of this, in `f32` for the halves, which are then rounded.
    Near(f64),
    /// An integer that a float within 1 ULP of this becomes.
    Truncated(f64),
    /// A complex number, roughly.
    Around(f64, f64),
    /// Whatever, the same on every level.
    Free,
}

impl Want {
    pub fn accepts(self, dtype: DType, got: u128) -> bool {
        let is = |x: f64| canonical(dtype, got) == round(dtype, x);
        match self {
            Self::Bits(bits) => got == bits,
            Self::Value(bits) => got == bits || canonical(dtype, got) == canonical(dtype, bits),
            Self::Near(x) if dtype == DType::F64 => is(x) || beside(x).into_iter().any(is),
            Self::Near(x) => {
                // One of the two floats around it; only itself where it is one.
                let near = x as f32;
                let next = if x > f64::from(near) { near.next_up() } else { near.next_down() };
                is(near.into()) || (f64::from(near) != x && is(next.into()))
            }
            Self::Truncated(x) => [x].into_iter().chain(beside(x)).any(|x| got == wrap(dtype, saturated(dtype, x))),
            Self::Around(re, im) => {
                let (x, y) = parts(dtype, got);
                let apart = (x - re).hypot(y - im);
                apart <= re.hypot(im) * if dtype == DType::C64 { 1e-5 } else { 1e-9 }
            }
            Self::Free => true,
        }
    }
}

/// The numbers next to one, of its sign.
fn beside(x: f64) -> [f64; 2] {
    let down = x.next_down();
    [x.next_up(), if down.is_sign_negative() == x.is_sign_negative() { down } else { x }]
}

/// Rust's `as`.
fn saturated(dtype: DType, x: f64) -> i128 {
    let bits = 8 * dtype.size() as u32;
    let (low, high) = match kind(dtype) {
        Kind::Signed => (-(1_i128 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1_i128 << bits) - 1),
    };
    if x.is_nan() { 0 } else { (x as i128).clamp(low, high) }
}

/// Whether an element may not stand there: integer divisors of 0, negative exponents of integers.
pub fn is_refused(op: Op, inputs: &[DType], operand: usize, bits: u128) -> bool {
    let integers = inputs.iter().all(|&dtype| matches!(kind(dtype), Kind::Signed | Kind::Unsigned));
    match op {
        Op::Div | Op::Fmod | Op::Remainder => operand == 1 && integers && bits == 0,
        Op::Pow => operand == 1 && integers && integer(inputs[1], bits) < 0,
        _ => false,
    }
}

/// The element that a function gives.
pub fn want(op: Op, inputs: &[DType], bits: &[u128], output: DType, tolerance: Tolerance) -> Want {
    let dtype = inputs[usize::from(op == Op::Where)];
    if op == Op::Where {
        return Want::Bits(if bits[0] == 0 { bits[2] } else { bits[1] });
    }
    if let Some(truth) = test(op, dtype, bits, tolerance) {
        return Want::Value(match kind(output) {
            Kind::Float => round(output, truth.into()),
            Kind::Complex => join(output, truth.into(), 0.0),
            _ => truth.into(),
        });
    }
    match kind(dtype) {
        Kind::Bool => unreachable!("{op} gives no bool"),
        Kind::Signed | Kind::Unsigned => {
            let a = integer(dtype, bits[0]);
            if op == Op::Pow && kind(inputs[1]) == Kind::Float {
                return power_to_fraction(a, float(inputs[1], bits[1]));
            }
            let b = integer(inputs[1], bits[1]);
            let c = if bits.len() > 2 { integer(dtype, bits[2]) } else { 0 };
            Want::Value(wrap(dtype, of_integers(op, dtype, a, b, c)))
        }
        Kind::Float => {
            let a = float(dtype, bits[0]);
            let b = match kind(inputs[1]) {
                Kind::Float => float(inputs[1], bits[1]),
                _ if dtype == DType::F64 => integer(inputs[1], bits[1]) as f64,
                _ => f64::from(integer(inputs[1], bits[1]) as f32),
            };
            // An exponent comes in the type that is computed in.
            let b = if dtype == DType::F64 { b } else { f64::from(b as f32) };
            let c = if bits.len() > 2 { float(dtype, bits[2]) } else { 0.0 };
            of_floats(op, dtype, a, b, c)
        }
        Kind::Complex => of_complex(op, dtype, parts(dtype, bits[0]), parts(dtype, bits[1])),
    }
}

/// What the tests answer, and the logical functions of bools.
fn test(op: Op, dtype: DType, bits: &[u128], tolerance: Tolerance) -> Option<bool> {
    use core::cmp::Ordering::{Equal, Greater, Less};
    let (a, b) = (bits[0], bits[1]);
    let order = match kind(dtype) {
        Kind::Bool => Some((a != 0).cmp(&(b != 0))),
        Kind::Signed | Kind::Unsigned => Some(integer(dtype, a).cmp(&integer(dtype, b))),
        Kind::Float => float(dtype, a).partial_cmp(&float(dtype, b)),
        Kind::Complex => (parts(dtype, a) == parts(dtype, b)).then_some(Equal),
    };
    Some(match op {
        Op::Eq => order == Some(Equal),
        Op::Ne => order != Some(Equal),
        Op::Lt => order == Some(Less),
        Op::Le => matches!(order, Some(Less | Equal)),
        Op::Gt => order == Some(Greater),
        Op::Ge => matches!(order, Some(Greater | Equal)),
        Op::ApproxEq => {
            let (a, b) = (float(dtype, a), float(dtype, b));
            a == b || (b.is_finite() && (a - b).abs() <= tolerance.atol + tolerance.rtol * b.abs())
        }
        Op::And if dtype == DType::Bool => a != 0 && b != 0,
        Op::Or if dtype == DType::Bool => a != 0 || b != 0,
        Op::Xor if dtype == DType::Bool => (a != 0) != (b != 0),
        _ => return None,
    })
}

fn of_integers(op: Op, dtype: DType, a: i128, b: i128, c: i128) -> i128 {
    let counts = 0..8 * dtype.size() as i128;
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a.wrapping_mul(b),
        Op::Div => a / b,
        Op::Fmod => a % b,
        Op::Remainder => {
            let left = a % b;
            if left != 0 && (left < 0) != (b < 0) { left + b } else { left }
        }
        Op::Pow => {
            // From the exponent's highest bit down.
            let square_and_multiply =
                |power: i128, bit: i128| power.wrapping_mul(power).wrapping_mul(if b >> bit & 1 == 1 { a } else { 1 });
            (0..64).rev().fold(1, square_and_multiply)
        }
        Op::Minimum => a.min(b),
        Op::Maximum => a.max(b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => {
            if counts.contains(&b) {
                a << b
            } else {
                0
            }
        }
        Op::Shr => {
            if counts.contains(&b) {
                a >> b
            } else {
                a >> 127
            }
        }
        Op::MulAdd => a.wrapping_mul(b).wrapping_add(c),
        Op::Clamp => a.max(b).min(c),
        _ => unreachable!("{op} is not for integers"),
    }
}

/// An integer to a power that need not be one, computed in `f64`.
fn power_to_fraction(a: i128, b: f64) -> Want {
    let power = pow(a as f64, b);
    // Within 1 ULP is exact where the power is a float.
    let exact = power.abs() < 9e15 && b.fract() == 0.0 && b >= 0.0 && power.fract() == 0.0;
    if exact || !power.is_finite() {
        Want::Truncated(power.trunc() + 0.5f64.copysign(power))
    } else {
        Want::Truncated(power)
    }
}

/// The system's power, whose special cases are those of C99. Some systems tell signalling NaNs from others.
fn pow(a: f64, b: f64) -> f64 {
    let quiet = |x: f64| if x.is_nan() { f64::NAN } else { x };
    quiet(a).powf(quiet(b))
}

fn of_floats(op: Op, dtype: DType, a: f64, b: f64, c: f64) -> Want {
    let quiet = |x: f64| if x.is_nan() { f64::NAN } else { x };
    let (a, b, c) = (quiet(a), quiet(b), quiet(c));
    let given = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Fmod => a % b,
        Op::Remainder => {
            let left = a % b;
            let moved = if left != 0.0 && (left < 0.0) != (b < 0.0) { left + b } else { left };
            if moved == 0.0 { moved.copysign(b) } else { moved }
        }
        Op::Minimum => lower(a, b),
        Op::Maximum => upper(a, b),
        Op::Fmin if a.is_nan() || b.is_nan() => {
            if a.is_nan() {
                b
            } else {
                a
            }
        }
        Op::Fmax if a.is_nan() || b.is_nan() => {
            if a.is_nan() {
                b
            } else {
                a
            }
        }
        Op::Fmin => lower(a, b),
        Op::Fmax => upper(a, b),
        Op::MulAdd if dtype == DType::F64 => a.mul_add(b, c),
        Op::MulAdd => (a as f32).mul_add(b as f32, c as f32).into(),
        Op::Clamp => lower(upper(a, b), c),
        Op::Pow | Op::Atan2 | Op::Hypot => return of_functions(op, dtype, a, b),
        _ => unreachable!("{op} is not for floats"),
    };
    Want::Value(round(dtype, given))
}

/// A NaN if either is one; -0 lies below +0.
fn lower(a: f64, b: f64) -> f64 {
    let first = a.is_nan() || (!b.is_nan() && a.total_cmp(&b).is_le());
    if first { a } else { b }
}

fn upper(a: f64, b: f64) -> f64 {
    -lower(-a, -b)
}

fn of_functions(op: Op, dtype: DType, a: f64, b: f64) -> Want {
    let given = match op {
        Op::Pow => pow(a, b),
        Op::Atan2 => a.atan2(b),
        _ => a.hypot(b),
    };
    let is_end = |x: f64| x == 0.0 || !x.is_finite();
    let exact = op != Op::Atan2 || is_end(given);
    if exact && (is_end(a) || is_end(b)) { Want::Value(round(dtype, given)) } else { Want::Near(given) }
}

fn of_complex(op: Op, dtype: DType, (a, b): (f64, f64), (c, d): (f64, f64)) -> Want {
    // Each step is rounded to the type of the parts.
    let r = |x: f64| if dtype == DType::C64 { f64::from(x as f32) } else { x };
    let (re, im) = match op {
        Op::Add => (a + c, b + d),
        Op::Sub => (a - c, b - d),
        Op::Mul => (r(a * c) - r(b * d), r(a * d) + r(b * c)),
        Op::Div if c.abs() >= d.abs() => {
            let ratio = r(d / c);
            let by = r(c + r(d * ratio));
            (r(a + r(b * ratio)) / by, r(b - r(a * ratio)) / by)
        }
        Op::Div => {
            let ratio = r(c / d);
            let by = r(d + r(c * ratio));
            (r(r(a * ratio) + b) / by, r(r(b * ratio) - a) / by)
        }
        Op::Pow => return complex_power((a, b), (c, d)),
        _ => unreachable!("{op} is not for complex numbers"),
    };
    Want::Value(join(dtype, re, im))
}

/// Without a promise of accuracy, so only where nothing is near the ends of the range.
fn complex_power((a, b): (f64, f64), (c, d): (f64, f64)) -> Want {
    if (c, d) == (0.0, 0.0) {
        return Want::Around(1.0, 0.0);
    }
    let (length, angle) = (a.hypot(b).ln(), b.atan2(a));
    let (size, turn) = (c * length - d * angle, d * length + c * angle);
    let is_plain = |x: f64| x.is_finite() && x.abs() < 50.0;
    if !is_plain(size) || !is_plain(turn) {
        return Want::Free;
    }
    Want::Around(size.exp() * turn.cos(), size.exp() * turn.sin())
}
