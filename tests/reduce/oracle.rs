//! What a result may be: exact arithmetic, and around it the error that the documentation allows.

use stridecast::{DType, Reduction};

use crate::common::numbers::{Kind, canonical, float, integer, kind, parts, round, wrap};
use crate::defined::Signature;
use crate::exact::{Sum, Twice};

/// The result, or the numbers between which it lies.
#[derive(Clone, Copy, Debug)]
pub enum Want {
    /// These bits, and any NaN for a NaN.
    Value(u128),
    /// From the first to the second.
    Between(f64, f64),
    /// Both parts of a complex number.
    Parts([f64; 2], [f64; 2]),
    /// A complex number, and how far from it.
    Around([f64; 2], f64),
}

impl Want {
    pub fn accepts(self, dtype: DType, got: u128) -> bool {
        let within = |low: f64, high: f64, got: f64| {
            // An infinity or a NaN is exactly that.
            got == low || low.is_nan() && high.is_nan() && got.is_nan() || (low <= got && got <= high)
        };
        match self {
            Self::Value(want) => canonical(dtype, got) == canonical(dtype, want),
            Self::Between(low, high) => within(low, high, float(dtype, got)),
            Self::Parts(re, im) => {
                let (x, y) = parts(dtype, got);
                within(re[0], re[1], x) && within(im[0], im[1], y)
            }
            Self::Around([re, im], far) => {
                let (x, y) = parts(dtype, got);
                (x - re).hypot(y - im) <= far
            }
        }
    }
}

/// Of the type in which elements are added: half the distance from 1 to the next number of it.
fn epsilon(dtype: DType) -> f64 {
    if matches!(dtype, DType::F64 | DType::C128) { f64::EPSILON / 2.0 } else { f64::from(f32::EPSILON) / 2.0 }
}

/// The error of a sum that is documented: (16 + log2 n) eps times the sum of the absolute values, log2 rounded up. One
/// element is itself.
fn error_of_sum(count: usize, eps: f64, magnitude: f64) -> f64 {
    if count < 2 { 0.0 } else { (16.0 + (count as f64).log2().ceil()) * eps * magnitude }
}

/// The error of a product of `count` numbers, relative to it.
fn error_of_product(count: usize, eps: f64) -> f64 {
    if count < 2 { 0.0 } else { (count as f64 + 2.0) * eps }
}

/// What `elements` become, joined with `before` if there is one. Elements are the operand's bits; of a sum of products,
/// pairs.
pub fn want(signature: &Signature, elements: &[[u128; 2]], before: Option<u128>) -> Want {
    match kind(signature.dtype) {
        Kind::Float if matches!(signature.reduction, Reduction::Max | Reduction::Min) => {
            extreme(signature, elements, before)
        }
        Kind::Float => real(signature, elements, before),
        Kind::Complex => complex(signature, elements, before),
        _ => Want::Value(whole(signature, elements, before)),
    }
}

/// Integers: extended to the output's type, computed there, wrapped.
fn whole(signature: &Signature, elements: &[[u128; 2]], before: Option<u128>) -> u128 {
    let Signature { reduction, product, dtype, output } = *signature;
    let number = |&[a, b]: &[u128; 2]| {
        let a = integer(dtype, a);
        if product { a.wrapping_mul(integer(dtype, b)) } else { a }
    };
    let numbers = elements.iter().map(number).chain(before.map(|bits| integer(output, bits)));
    let wrapped = |x: i128| integer(output, wrap(output, x));
    let result = match reduction {
        Reduction::Prod => numbers.fold(1_i128, |a, b| wrapped(a.wrapping_mul(b))),
        Reduction::Max => numbers.max().expect("the largest of something"),
        Reduction::Min => numbers.min().expect("the smallest of something"),
        _ => numbers.fold(0_i128, |a, b| wrapped(a.wrapping_add(b))),
    };
    wrap(output, result)
}

/// The largest or smallest float: a NaN before all, and -0 below +0.
fn extreme(signature: &Signature, elements: &[[u128; 2]], before: Option<u128>) -> Want {
    let Signature { reduction, dtype, output, .. } = *signature;
    let numbers = elements.iter().map(|[x, _]| float(dtype, *x)).chain(before.map(|bits| float(output, bits)));
    let best = numbers.reduce(|best, x| {
        let order = best.total_cmp(&x);
        let stays = if reduction == Reduction::Max { order.is_ge() } else { order.is_le() };
        match (best.is_nan(), x.is_nan()) {
            (true, _) => best,
            (_, true) => x,
            _ if stays => best,
            _ => x,
        }
    });
    Want::Value(round(output, best.expect("something to choose from")))
}

/// One multiplication, rounded as the function `mul` rounds it; of the halves in f32.
fn multiplied(dtype: DType, a: f64, b: f64) -> f64 {
    if epsilon(dtype) == f64::EPSILON / 2.0 { a * b } else { f64::from(a as f32 * b as f32) }
}

/// Between which numbers the result lies whose accumulator lies between two: divided, added to what was there, rounded.
fn finished(signature: &Signature, (x, error): (f64, f64), count: usize, before: Option<f64>) -> (f64, f64) {
    let Signature { reduction, dtype, output, .. } = *signature;
    let eps = epsilon(dtype);
    let mut range = (x - error, x + error);
    // What is infinite stays so.
    let slack = |x: f64| if x.is_finite() { x.abs() * eps } else { 0.0 };
    let rounded = |(low, high): (f64, f64)| (low - slack(low), high + slack(high));
    if reduction == Reduction::Mean {
        range = rounded((range.0 / count as f64, range.1 / count as f64));
    }
    if let Some(before) = before {
        range = if reduction == Reduction::Prod {
            let ends = [range.0 * before, range.1 * before];
            rounded((ends[0].min(ends[1]), ends[0].max(ends[1])))
        } else {
            rounded((range.0 + before, range.1 + before))
        };
    }
    if matches!(output, DType::F16 | DType::BF16) {
        // Rounding is monotonic, so the result lies between the rounded ends.
        range = (float(output, round(output, range.0)), float(output, round(output, range.1)));
    }
    range
}

fn real(signature: &Signature, elements: &[[u128; 2]], before: Option<u128>) -> Want {
    let Signature { reduction, product, dtype, output } = *signature;
    let before = before.map(|bits| float(output, bits));
    let (value, error) = if reduction == Reduction::Prod {
        let value = elements.iter().fold(Twice::ONE, |all, [x, _]| all.times(float(dtype, *x))).0;
        (value, value.abs() * error_of_product(elements.len(), epsilon(dtype)))
    } else {
        let mut sum = Sum::default();
        for &[a, b] in elements {
            let a = float(dtype, a);
            sum.add(if product { multiplied(dtype, a, float(dtype, b)) } else { a });
        }
        (sum.value(), error_of_sum(sum.count, epsilon(dtype), sum.magnitude))
    };
    let error = if value.is_finite() { error } else { 0.0 };
    let (low, high) = finished(signature, (value, error), elements.len(), before);
    Want::Between(low, high)
}

fn complex(signature: &Signature, elements: &[[u128; 2]], before: Option<u128>) -> Want {
    let Signature { reduction, product, dtype, output } = *signature;
    let before = before.map(|bits| parts(output, bits));
    if reduction == Reduction::Prod {
        let factors = elements.iter().map(|[x, _]| parts(dtype, *x)).chain(before);
        let (re, im) = factors.clone().fold((Twice::ONE, Twice(0.0, 0.0)), |(re, im), (x, y)| {
            (re.times(x).plus(im.times(-y)), re.times(y).plus(im.times(x)))
        });
        // Each multiplication rounds four products and two sums.
        let far = re.0.hypot(im.0) * 2.0 * error_of_product(factors.count(), epsilon(dtype));
        return Want::Around([re.0, im.0], far);
    }
    let mut sums = [Sum::default(), Sum::default()];
    for &[a, b] in elements {
        let (mut re, mut im) = parts(dtype, a);
        if product {
            let (a, b) = ((re, im), parts(dtype, b));
            let of = |x: f64, y: f64| multiplied(dtype, x, y);
            // Of f32 the sum of two products is rounded from f64, which has two digits more than twice theirs.
            let last = |x: f64| if dtype == DType::C64 { f64::from(x as f32) } else { x };
            (re, im) = (last(of(a.0, b.0) - of(a.1, b.1)), last(of(a.0, b.1) + of(a.1, b.0)));
        }
        sums[0].add(re);
        sums[1].add(im);
    }
    let part = |sum: &Sum, before: Option<f64>| {
        let error = error_of_sum(sum.count, epsilon(dtype), sum.magnitude);
        let (low, high) = finished(signature, (sum.value(), error), elements.len(), before);
        [low, high]
    };
    Want::Parts(part(&sums[0], before.map(|b| b.0)), part(&sums[1], before.map(|b| b.1)))
}
