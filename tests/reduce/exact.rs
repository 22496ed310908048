//! Sums without any rounding, and products with twice the digits of `f64`.

/// A sum of `f64` of which no bit is lost: its value is that of its parts, which do not overlap (Shewchuk 1997).
#[derive(Clone, Debug, Default)]
pub struct Sum {
    parts: Vec<f64>,
    /// Sum of the absolute values, to a few digits.
    pub magnitude: f64,
    /// Sum of what is no number: infinity or NaN, if there was any.
    special: Option<f64>,
    pub count: usize,
}

impl Sum {
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        if !x.is_finite() {
            self.special = Some(self.special.unwrap_or(0.0) + x);
            return;
        }
        self.magnitude += x.abs();
        let (mut carried, mut kept) = (x, 0);
        for i in 0..self.parts.len() {
            let (high, low) = two_sum(carried, self.parts[i]);
            carried = high;
            if low != 0.0 {
                self.parts[kept] = low;
                kept += 1;
            }
        }
        self.parts.truncate(kept);
        self.parts.push(carried);
    }

    /// The sum as the nearest `f64`, or the one beside it.
    pub fn value(&self) -> f64 {
        self.special.unwrap_or_else(|| self.parts.iter().sum())
    }
}

/// What adding gives, and what it loses.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let high = a + b;
    let back = high - a;
    (high, (a - (high - back)) + (b - back))
}

/// A number of two `f64`, the second less than half a digit of the first.
#[derive(Clone, Copy, Debug)]
pub struct Twice(pub f64, pub f64);

impl Twice {
    pub const ONE: Self = Self(1.0, 0.0);

    pub fn times(self, x: f64) -> Self {
        let high = self.0 * x;
        if !high.is_finite() {
            // Infinities leave no rest.
            return Self(high, 0.0);
        }
        let low = self.0.mul_add(x, -high) + self.1 * x;
        let (high, low) = two_sum(high, low);
        Self(high, low)
    }

    pub fn plus(self, other: Self) -> Self {
        let (high, low) = two_sum(self.0, other.0);
        let (high, low) = two_sum(high, low + self.1 + other.1);
        Self(high, low)
    }
}

#[test]
fn sums_and_products_keep_what_rounding_loses() {
    let mut sum = Sum::default();
    [1e300, 1.0, -1e300, 1e-300, 3.0, -1e-300].into_iter().for_each(|x| sum.add(x));
    assert_eq!((sum.value(), sum.count), (4.0, 6));
    sum.add(f64::INFINITY);
    assert_eq!(sum.value(), f64::INFINITY);
    sum.add(f64::NEG_INFINITY);
    assert!(sum.value().is_nan());

    // (1 + e)(1 - e) = 1 - e^2, of which a product of f64 keeps the 1.
    let e = f64::EPSILON;
    let product = Twice::ONE.times(1.0 + e).times(1.0 - e);
    assert_eq!(product.plus(Twice(-1.0, 0.0)).0, -e * e);
}
