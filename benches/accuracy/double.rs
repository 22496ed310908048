//! Numbers of twice the precision of `f64`: the unevaluated sum of two.

/// High part and low part, the latter at most half a unit in the last place of the former.
#[derive(Clone, Copy, Debug)]
pub struct Double(pub f64, pub f64);

impl Double {
    /// `a + b`, exactly.
    pub fn sum(a: f64, b: f64) -> Double {
        let sum = a + b;
        let second = sum - a;
        Double(sum, (a - (sum - second)) + (b - second))
    }

    /// `a * b`, exactly unless it comes near to the subnormal numbers.
    pub fn product(a: f64, b: f64) -> Double {
        let product = a * b;
        Double(product, a.mul_add(b, -product))
    }

    pub fn add(self, other: Double) -> Double {
        let (high, low) = (Double::sum(self.0, other.0), Double::sum(self.1, other.1));
        let high = Double::sum(high.0, high.1 + low.0);
        Double::sum(high.0, high.1 + low.1)
    }

    pub fn mul(self, other: Double) -> Double {
        let Double(high, low) = Double::product(self.0, other.0);
        Double::sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    pub fn neg(self) -> Double {
        Double(-self.0, -self.1)
    }
}
