// Rendered by build.rs from kernels/; see kernels/README.md.
/// An elementwise function by its tag; [`ops`](crate::ops) has each as a typed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// `a + b`. Integers wrap (two's complement), as in NumPy and ONNX.
    Add,
    /// `a - b`. Integers wrap (two's complement), as in NumPy and ONNX.
    Sub,
    /// `a * b`. Integers wrap (two's complement), as in NumPy and ONNX.
    Mul,
    /// `a / b`. Integers truncate towards zero (C, ONNX Div), and the lowest by -1 wraps; complex numbers by Smith's algorithm, where a division by 0 gives NaN and parts above half of the largest float may overflow.
    Div,
    /// `a` to the power of `b`, within 1 ULP for f32 and f64 and with the special cases of C99 Annex F. Integers wrap; complex numbers are `exp(b * ln(a))`, without a promise of accuracy.
    Pow,
    /// The smaller; a NaN in either operand is the result (NumPy, ONNX Min), and -0 < +0.
    Minimum,
    /// The larger; a NaN in either operand is the result (NumPy, ONNX Max), and -0 < +0.
    Maximum,
    /// The smaller; a NaN is ignored where the other is a number (C99 fmin, Owl's min2), and -0 < +0.
    Fmin,
    /// The larger; a NaN is ignored where the other is a number (C99 fmax, Owl's max2), and -0 < +0.
    Fmax,
    /// The angle of the point with ordinate `a` and abscissa `b`, within 1 ULP and with the special cases of C99 Annex F.
    Atan2,
    /// `sqrt(a * a + b * b)` without overflow in between, within 1 ULP and with the special cases of C99 Annex F.
    Hypot,
    /// What is left of `a` divided by `b`, with the sign of `a` (C99 fmod, ONNX Mod with fmod = 1); exact.
    Fmod,
    /// What is left of `a` divided by `b`, with the sign of `b` (Python's `%`, ONNX Mod): `fmod`, and `b` added where the signs differ.
    Remainder,
    /// Whether `a == b`. A NaN equals nothing, and -0 equals +0 (IEEE 754).
    Eq,
    /// Whether `a != b`. A NaN differs from everything, itself included (IEEE 754).
    Ne,
    /// Whether `a < b`; false with a NaN (IEEE 754).
    Lt,
    /// Whether `a <= b`; false with a NaN (IEEE 754).
    Le,
    /// Whether `a > b`; false with a NaN (IEEE 754).
    Gt,
    /// Whether `a >= b`; false with a NaN (IEEE 754).
    Ge,
    /// Whether `|a - b| <= atol + rtol * |b|`, or `a == b` (NumPy's isclose).
    ApproxEq,
    /// `a & b`: bit by bit for integers, logical for bool.
    And,
    /// `a | b`: bit by bit for integers, logical for bool.
    Or,
    /// `a ^ b`: bit by bit for integers, logical for bool.
    Xor,
    /// `a << b`. A count that is negative, or not below the width, gives 0.
    Shl,
    /// `a >> b`, filled with the sign for signed integers. A count that is negative, or not below the width, shifts everything out: 0, or the sign.
    Shr,
    /// `a * b + c`, rounded once (IEEE 754 fused multiply-add); integers wrap.
    MulAdd,
    /// `b` where `a` is true, else `c`, every bit as it is (ONNX Where, NumPy where).
    Where,
    /// `a`, but not below `b` nor above `c`: `minimum(maximum(a, b), c)` (ONNX Clip, NumPy clip), so a NaN anywhere is the result, and `c` where `b > c`.
    Clamp,
}

impl Op {
    /// Every function.
    pub const ALL: &'static [Self] = &[
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Pow,
        Self::Minimum,
        Self::Maximum,
        Self::Fmin,
        Self::Fmax,
        Self::Atan2,
        Self::Hypot,
        Self::Fmod,
        Self::Remainder,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::ApproxEq,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::MulAdd,
        Self::Where,
        Self::Clamp,
    ];

    /// Its name in the library.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Pow => "pow",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Fmin => "fmin",
            Self::Fmax => "fmax",
            Self::Atan2 => "atan2",
            Self::Hypot => "hypot",
            Self::Fmod => "fmod",
            Self::Remainder => "remainder",
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::ApproxEq => "approx_eq",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Shl => "shl",
            Self::Shr => "shr",
            Self::MulAdd => "mul_add",
            Self::Where => "where_",
            Self::Clamp => "clamp",
        }
    }

    /// Number of its operands.
    pub const fn arity(self) -> usize {
        match self {
            Self::Add => 2,
            Self::Sub => 2,
            Self::Mul => 2,
            Self::Div => 2,
            Self::Pow => 2,
            Self::Minimum => 2,
            Self::Maximum => 2,
            Self::Fmin => 2,
            Self::Fmax => 2,
            Self::Atan2 => 2,
            Self::Hypot => 2,
            Self::Fmod => 2,
            Self::Remainder => 2,
            Self::Eq => 2,
            Self::Ne => 2,
            Self::Lt => 2,
            Self::Le => 2,
            Self::Gt => 2,
            Self::Ge => 2,
            Self::ApproxEq => 2,
            Self::And => 2,
            Self::Or => 2,
            Self::Xor => 2,
            Self::Shl => 2,
            Self::Shr => 2,
            Self::MulAdd => 3,
            Self::Where => 3,
            Self::Clamp => 3,
        }
    }
}
