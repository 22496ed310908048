//! What the tests share: the functions, operands away from where they have no derivative, and types as f64.

use half::{bf16, f16};
use stridecast::{Op, Result, Tensor, View, grad};

pub type Both<T> = Result<(Tensor<T>, Tensor<T>)>;
pub type Call<T> = fn(&View<'_, T>, &View<'_, T>, &View<'_, T>) -> Both<T>;

/// A function, and the call that gives its gradients.
pub struct Function<T: 'static> {
    pub op: Op,
    pub of: fn(f64, f64) -> f64,
    pub grad: Call<T>,
}

/// All but `where_`.
pub fn functions<T: grad::Real>() -> Vec<Function<T>> {
    let of = |op, of, grad| Function { op, of, grad };
    vec![
        of(Op::Add, |a, b| a + b, |g, a, b| grad::add(g, a.shape(), b.shape())),
        of(Op::Sub, |a, b| a - b, |g, a, b| grad::sub(g, a.shape(), b.shape())),
        of(Op::Mul, |a, b| a * b, grad::mul),
        of(Op::Div, |a, b| a / b, grad::div),
        of(Op::Pow, f64::powf, grad::pow),
        of(Op::Minimum, f64::min, grad::minimum),
        of(Op::Maximum, f64::max, grad::maximum),
        of(Op::Fmin, f64::min, grad::fmin),
        of(Op::Fmax, f64::max, grad::fmax),
        of(Op::Atan2, f64::atan2, grad::atan2),
        of(Op::Hypot, f64::hypot, grad::hypot),
    ]
}

/// Shapes of operands and their common one.
pub const SHAPES: &[(&[usize], &[usize], &[usize])] = &[
    (&[2, 3], &[3], &[2, 3]),
    (&[2, 1], &[1, 3], &[2, 3]),
    (&[4, 1, 3], &[2, 1], &[4, 2, 3]),
    (&[], &[2, 3], &[2, 3]),
    (&[2, 3], &[1, 1], &[2, 3]),
    (&[], &[], &[]),
    (&[1, 1], &[1], &[1, 1]),
    (&[5], &[5], &[5]),
    (&[3, 70], &[70], &[3, 70]),
    (&[70, 1], &[3], &[70, 3]),
    (&[2, 1, 3, 1], &[5, 1, 4], &[2, 5, 3, 4]),
    (&[0, 3], &[3], &[0, 3]),
    (&[1], &[0], &[0]),
    (&[2, 0, 3], &[2, 1, 1], &[2, 0, 3]),
];

/// A generator of numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % end
    }

    /// Eighths from -2 to 2.
    pub fn gradients(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.below(33) as f64 / 8.0 - 2.0).collect()
    }

    /// Operands that no two of which are nearer than an eighth, or zero; bases of powers are positive.
    pub fn operands(&mut self, op: Op, lens: [usize; 2]) -> [Vec<f64>; 2] {
        let mut quarters = |odd: f64, len: usize| -> Vec<f64> {
            (0..len).map(|_| (self.below(17) as f64 - 8.0) / 4.0 + odd).collect()
        };
        let (mut a, b) = (quarters(0.0625, lens[0]), quarters(0.1875, lens[1]));
        if op == Op::Pow {
            a.iter_mut().for_each(|a| *a = a.abs() + 0.5);
        }
        [a, b]
    }
}

pub fn len(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Elements as f64, and back.
pub trait Number: grad::Real + std::fmt::Debug + PartialEq {
    /// Half of the distance from 1 to the next number.
    const ROUNDING: f64;
    /// The same of what it is computed in.
    const INNER: f64;
    fn of(x: f64) -> Self;
    fn get(self) -> f64;
}

impl Number for f64 {
    const ROUNDING: f64 = f64::EPSILON / 2.0;
    const INNER: f64 = Self::ROUNDING;
    fn of(x: f64) -> Self {
        x
    }
    fn get(self) -> f64 {
        self
    }
}

impl Number for f32 {
    const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
    const INNER: f64 = Self::ROUNDING;
    fn of(x: f64) -> Self {
        x as Self
    }
    fn get(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f16 {
    const ROUNDING: f64 = 1.0 / 2048.0;
    const INNER: f64 = f32::ROUNDING;
    fn of(x: f64) -> Self {
        Self::from_f64(x)
    }
    fn get(self) -> f64 {
        self.to_f64()
    }
}

impl Number for bf16 {
    const ROUNDING: f64 = 1.0 / 256.0;
    const INNER: f64 = f32::ROUNDING;
    fn of(x: f64) -> Self {
        Self::from_f64(x)
    }
    fn get(self) -> f64 {
        self.to_f64()
    }
}

pub fn of<T: Number>(items: &[f64]) -> Vec<T> {
    items.iter().copied().map(T::of).collect()
}

pub fn get<T: Number>(items: &[T]) -> Vec<f64> {
    items.iter().copied().map(T::get).collect()
}
