//! The list of elementwise functions: what each computes on which element types.
//!
//! Data only, read beside `manifest.rs`. A row becomes an implementation of `engine::Function` for every type it names,
//! and that a kernel on every level of [`FUNCTION_ISAS`]. An expression has its operands as `a`, `b` and `c`; for f16 and
//! bf16 it is computed on them as f32 and rounded once. What does not fit an expression is a function in `src/functions/`
//! or `src/math/`.

/// Element types that one expression serves: the type a kernel is made for, and the tags it serves.
pub type Class = &'static [(&'static str, &'static [&'static str])];

/// Integers of one width, where the sign does not matter.
pub const WORDS: Class =
    &[("u8", &["I8", "U8"]), ("u16", &["I16", "U16"]), ("u32", &["I32", "U32"]), ("u64", &["I64", "U64"])];
pub const SIGNED: Class = &[("i8", &["I8"]), ("i16", &["I16"]), ("i32", &["I32"]), ("i64", &["I64"])];
pub const UNSIGNED: Class = &[("u8", &["U8"]), ("u16", &["U16"]), ("u32", &["U32"]), ("u64", &["U64"])];
/// As [`WORDS`] without bytes, whose 0 and 1 of the same kind are those of a comparison already.
pub const WIDE_WORDS: Class = &[("u16", &["I16", "U16"]), ("u32", &["I32", "U32"]), ("u64", &["I64", "U64"])];
pub const WIDE_SIGNED: Class = &[("i16", &["I16"]), ("i32", &["I32"]), ("i64", &["I64"])];
pub const WIDE_UNSIGNED: Class = &[("u16", &["U16"]), ("u32", &["U32"]), ("u64", &["U64"])];
pub const FLOATS: Class = &[("f32", &["F32"]), ("f64", &["F64"])];
/// Computed as f32.
pub const HALVES: Class = &[("half::f16", &["F16"]), ("half::bf16", &["BF16"])];
/// Of these, what is worth converting once: to widen f16 is half of an addition's work. bf16 are computed in an order of
/// their own, which operands that were converted before are not in.
pub const WIDENED: Class = &[("half::f16", &["F16"])];
pub const COMPLEX: Class = &[("num_complex::Complex<f32>", &["C64"]), ("num_complex::Complex<f64>", &["C128"])];
/// Bytes of which 0 is false and all others are true.
pub const TRUTH: Class = &[("u8", &["Bool"])];
/// Elements that are only moved, by their width, as words of no more than their alignment.
pub const BITS: Class = &[
    ("u8", &["Bool", "I8", "U8"]),
    ("u16", &["I16", "U16", "F16", "BF16"]),
    ("u32", &["I32", "U32", "F32"]),
    ("u64", &["I64", "U64", "F64"]),
    ("[u32; 2]", &["C64"]),
    ("[u64; 2]", &["C128"]),
];

/// Which kernel of a function a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All operands of one type; comparisons give bool.
    Plain,
    /// Comparisons whose result is 0 or 1 of the operands' type.
    Kind,
    /// The second operand is f32 already, the first a half.
    SecondWide,
    /// The first operand is f32 already, the second a half.
    FirstWide,
}

/// The operands of a row, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Two of the type, one of it out.
    Binary,
    /// Two of the type, a byte of 0 or 1 out.
    Comparison,
    /// Three of the type.
    Ternary,
    /// A byte, where 0 is false, and two of the type.
    Choice,
    /// As `Comparison`, with the tolerances of the value.
    Approximate,
}

/// Element types and what is computed on them.
pub struct Row {
    /// Variant of the `Op` enum.
    pub op: &'static str,
    pub form: Form,
    pub shape: Shape,
    pub class: Class,
    /// With operands `a`, `b`, `c`, and `Elem` for the type that it is computed in.
    pub expr: &'static str,
    /// Whether the expression takes and gives blocks: arrays of a constant length.
    pub blocks: bool,
}

/// A function: its names and what the docs say.
pub struct Op {
    /// Variant of the `Op` enum, and of the marker in `ops::fun`.
    pub variant: &'static str,
    /// Its name in the library and on the command line.
    pub name: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Whether an element costs much more than reading it.
    pub heavy: bool,
    /// What it gives, with the source of its special cases: sentences for the docs.
    pub doc: &'static str,
    /// Operands of three elements, or one, and the result: the example of the docs.
    pub example: &'static [&'static str],
}

const fn op(
    variant: &'static str,
    name: &'static str,
    heavy: bool,
    doc: &'static str,
    example: &'static [&'static str],
) -> Op {
    Op { variant, name, arity: example.len() - 1, heavy, doc, example }
}

/// Every function, in the order of the enum.
pub const OPS: &[Op] = &[
    op(
        "Add",
        "add",
        false,
        "`a + b`. Integers wrap (two's complement), as in NumPy and ONNX.",
        &["[1, 2, 3]", "[10]", "[11, 12, 13]"],
    ),
    op(
        "Sub",
        "sub",
        false,
        "`a - b`. Integers wrap (two's complement), as in NumPy and ONNX.",
        &["[1, 2, 3]", "[10]", "[-9, -8, -7]"],
    ),
    op(
        "Mul",
        "mul",
        false,
        "`a * b`. Integers wrap (two's complement), as in NumPy and ONNX.",
        &["[1, 2, 3]", "[10]", "[10, 20, 30]"],
    ),
    op(
        "Div",
        "div",
        false,
        "`a / b`. Integers truncate towards zero (C, ONNX Div), and the lowest by -1 wraps; complex numbers by Smith's \
         algorithm, where a division by 0 gives NaN and parts above half of the largest float may overflow.",
        &["[7, -7, 9]", "[2]", "[3, -3, 4]"],
    ),
    op(
        "Pow",
        "pow",
        true,
        "`a` to the power of `b`, within 1 ULP for f32 and f64 and with the special cases of C99 Annex F. Integers wrap; \
         complex numbers are `exp(b * ln(a))`, without a promise of accuracy.",
        &["[1.0, 2.0, 3.0]", "[2.0]", "[1.0, 4.0, 9.0]"],
    ),
    op(
        "Minimum",
        "minimum",
        false,
        "the smaller; a NaN in either operand is the result (NumPy, ONNX Min), and -0 < +0.",
        &["[1.0, 5.0, -0.0]", "[0.0]", "[0.0, 0.0, -0.0]"],
    ),
    op(
        "Maximum",
        "maximum",
        false,
        "the larger; a NaN in either operand is the result (NumPy, ONNX Max), and -0 < +0.",
        &["[1.0, 5.0, -0.0]", "[0.0]", "[1.0, 5.0, 0.0]"],
    ),
    op(
        "Fmin",
        "fmin",
        false,
        "the smaller; a NaN is ignored where the other is a number (C99 fmin, Owl's min2), and -0 < +0.",
        &["[1.0, f64::NAN, 3.0]", "[2.0]", "[1.0, 2.0, 2.0]"],
    ),
    op(
        "Fmax",
        "fmax",
        false,
        "the larger; a NaN is ignored where the other is a number (C99 fmax, Owl's max2), and -0 < +0.",
        &["[1.0, f64::NAN, 3.0]", "[2.0]", "[2.0, 2.0, 3.0]"],
    ),
    op(
        "Atan2",
        "atan2",
        true,
        "the angle of the point with ordinate `a` and abscissa `b`, within 1 ULP and with the special cases of C99 Annex F.",
        &["[0.0, 0.0, -0.0]", "[1.0]", "[0.0, 0.0, -0.0]"],
    ),
    op(
        "Hypot",
        "hypot",
        false,
        "`sqrt(a * a + b * b)` without overflow in between, within 1 ULP and with the special cases of C99 Annex F.",
        &["[3.0, 0.0, 8.0]", "[4.0, 2.0, 6.0]", "[5.0, 2.0, 10.0]"],
    ),
    op(
        "Fmod",
        "fmod",
        true,
        "what is left of `a` divided by `b`, with the sign of `a` (C99 fmod, ONNX Mod with fmod = 1); exact.",
        &["[7.5, -7.5, 1.0]", "[2.0]", "[1.5, -1.5, 1.0]"],
    ),
    op(
        "Remainder",
        "remainder",
        true,
        "what is left of `a` divided by `b`, with the sign of `b` (Python's `%`, ONNX Mod): `fmod`, and `b` added where the \
         signs differ.",
        &["[7.5, -7.5, 1.0]", "[2.0]", "[1.5, 0.5, 1.0]"],
    ),
    op(
        "Eq",
        "eq",
        false,
        "whether `a == b`. A NaN equals nothing, and -0 equals +0 (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[false, true, false]"],
    ),
    op(
        "Ne",
        "ne",
        false,
        "whether `a != b`. A NaN differs from everything, itself included (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[true, false, true]"],
    ),
    op(
        "Lt",
        "lt",
        false,
        "whether `a < b`; false with a NaN (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[true, false, false]"],
    ),
    op(
        "Le",
        "le",
        false,
        "whether `a <= b`; false with a NaN (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[true, true, false]"],
    ),
    op(
        "Gt",
        "gt",
        false,
        "whether `a > b`; false with a NaN (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[false, false, true]"],
    ),
    op(
        "Ge",
        "ge",
        false,
        "whether `a >= b`; false with a NaN (IEEE 754).",
        &["[1, 2, 3]", "[2]", "[false, true, true]"],
    ),
    op(
        "ApproxEq",
        "approx_eq",
        false,
        "whether `|a - b| <= atol + rtol * |b|`, or `a == b` (NumPy's isclose).",
        &["[1.0, 1.0 + 1e-9, 1.1]", "[1.0]", "[true, true, false]"],
    ),
    op(
        "And",
        "and",
        false,
        "`a & b`: bit by bit for integers, logical for bool.",
        &["[12, 10, 7]", "[6]", "[4, 2, 6]"],
    ),
    op(
        "Or",
        "or",
        false,
        "`a | b`: bit by bit for integers, logical for bool.",
        &["[12, 10, 7]", "[6]", "[14, 14, 7]"],
    ),
    op(
        "Xor",
        "xor",
        false,
        "`a ^ b`: bit by bit for integers, logical for bool.",
        &["[12, 10, 7]", "[6]", "[10, 12, 1]"],
    ),
    op(
        "Shl",
        "shl",
        false,
        "`a << b`. A count that is negative, or not below the width, gives 0.",
        &["[1, 2, 3]", "[4]", "[16, 32, 48]"],
    ),
    op(
        "Shr",
        "shr",
        false,
        "`a >> b`, filled with the sign for signed integers. A count that is negative, or not below the width, shifts \
         everything out: 0, or the sign.",
        &["[-16, 32, 48]", "[4]", "[-1, 2, 3]"],
    ),
    op(
        "MulAdd",
        "mul_add",
        false,
        "`a * b + c`, rounded once (IEEE 754 fused multiply-add); integers wrap.",
        &["[1.0, 2.0, 3.0]", "[10.0]", "[0.5]", "[10.5, 20.5, 30.5]"],
    ),
    op(
        "Where",
        "where_",
        false,
        "`b` where `a` is true, else `c`, every bit as it is (ONNX Where, NumPy where).",
        &["[true, false, true]", "[1, 2, 3]", "[0]", "[1, 0, 3]"],
    ),
    op(
        "Clamp",
        "clamp",
        false,
        "`a`, but not below `b` nor above `c`: `minimum(maximum(a, b), c)` (ONNX Clip, NumPy clip), so a NaN anywhere is the \
         result, and `c` where `b > c`.",
        &["[-1.0, 0.5, 2.0]", "[0.0]", "[1.0]", "[0.0, 0.5, 1.0]"],
    ),
];

const fn row(op: &'static str, form: Form, shape: Shape, class: Class, expr: &'static str) -> Row {
    Row { op, form, shape, class, expr, blocks: false }
}

const fn binary(op: &'static str, class: Class, expr: &'static str) -> Row {
    row(op, Form::Plain, Shape::Binary, class, expr)
}

const fn second_wide(op: &'static str, expr: &'static str) -> Row {
    row(op, Form::SecondWide, Shape::Binary, WIDENED, expr)
}

const fn first_wide(op: &'static str, expr: &'static str) -> Row {
    row(op, Form::FirstWide, Shape::Binary, WIDENED, expr)
}

const fn test(op: &'static str, class: Class, expr: &'static str) -> Row {
    row(op, Form::Plain, Shape::Comparison, class, expr)
}

const fn kind(op: &'static str, class: Class, expr: &'static str) -> Row {
    row(op, Form::Kind, Shape::Binary, class, expr)
}

const fn ternary(op: &'static str, class: Class, expr: &'static str) -> Row {
    row(op, Form::Plain, Shape::Ternary, class, expr)
}

const fn blocks(op: &'static str, expr: &'static str) -> Row {
    Row { op, form: Form::Plain, shape: Shape::Binary, class: FLOATS, expr, blocks: true }
}

/// Levels that get their own copy of every kernel.
pub const FUNCTION_ISAS: &[&str] = &["Scalar", "Avx2", "Avx512", "Neon"];

/// Every expression. `Gt` and `Ge` are `Lt` and `Le` with the operands exchanged, and have no rows.
pub const ROWS: &[Row] = &[
    binary("Add", WORDS, "a.wrapping_add(b)"),
    binary("Add", FLOATS, "a + b"),
    binary("Add", HALVES, "a + b"),
    second_wide("Add", "a + b"),
    first_wide("Add", "a + b"),
    binary("Add", COMPLEX, "a + b"),
    binary("Sub", WORDS, "a.wrapping_sub(b)"),
    binary("Sub", FLOATS, "a - b"),
    binary("Sub", HALVES, "a - b"),
    second_wide("Sub", "a - b"),
    first_wide("Sub", "a - b"),
    binary("Sub", COMPLEX, "a - b"),
    binary("Mul", WORDS, "a.wrapping_mul(b)"),
    binary("Mul", FLOATS, "a * b"),
    binary("Mul", HALVES, "a * b"),
    second_wide("Mul", "a * b"),
    first_wide("Mul", "a * b"),
    binary("Mul", COMPLEX, "a * b"),
    binary("Div", SIGNED, "a.div_total(b)"),
    binary("Div", UNSIGNED, "a.div_total(b)"),
    binary("Div", FLOATS, "a / b"),
    binary("Div", HALVES, "a / b"),
    second_wide("Div", "a / b"),
    first_wide("Div", "a / b"),
    binary("Div", COMPLEX, "complex::div(a, b)"),
    binary("Minimum", SIGNED, "if b < a { b } else { a }"),
    binary("Minimum", UNSIGNED, "if b < a { b } else { a }"),
    binary("Minimum", FLOATS, "a.minimum_of(b)"),
    binary("Minimum", HALVES, "a.minimum_of(b)"),
    second_wide("Minimum", "a.minimum_of(b)"),
    first_wide("Minimum", "a.minimum_of(b)"),
    binary("Maximum", SIGNED, "if b > a { b } else { a }"),
    binary("Maximum", UNSIGNED, "if b > a { b } else { a }"),
    binary("Maximum", FLOATS, "a.maximum_of(b)"),
    binary("Maximum", HALVES, "a.maximum_of(b)"),
    second_wide("Maximum", "a.maximum_of(b)"),
    first_wide("Maximum", "a.maximum_of(b)"),
    binary("Fmin", FLOATS, "a.fmin_of(b)"),
    binary("Fmin", HALVES, "a.fmin_of(b)"),
    binary("Fmax", FLOATS, "a.fmax_of(b)"),
    binary("Fmax", HALVES, "a.fmax_of(b)"),
    binary("Pow", WORDS, "a.power(b)"),
    binary("Pow", COMPLEX, "complex::pow(a, b)"),
    binary("Fmod", SIGNED, "a.fmod_total(b)"),
    binary("Fmod", UNSIGNED, "a.fmod_total(b)"),
    binary("Remainder", SIGNED, "a.remainder_total(b)"),
    binary("Remainder", UNSIGNED, "a.fmod_total(b)"),
    test("Eq", WORDS, "a == b"),
    test("Eq", FLOATS, "a == b"),
    test("Eq", HALVES, "a == b"),
    test("Eq", COMPLEX, "a == b"),
    test("Eq", TRUTH, "(a != 0) == (b != 0)"),
    kind("Eq", WIDE_WORDS, "Truth::of_truth(a == b)"),
    kind("Eq", FLOATS, "Truth::of_truth(a == b)"),
    kind("Eq", HALVES, "Truth::of_truth(a == b)"),
    kind("Eq", COMPLEX, "Truth::of_truth(a == b)"),
    test("Ne", WORDS, "a != b"),
    test("Ne", FLOATS, "a != b"),
    test("Ne", HALVES, "a != b"),
    test("Ne", COMPLEX, "a != b"),
    test("Ne", TRUTH, "(a != 0) != (b != 0)"),
    kind("Ne", WIDE_WORDS, "Truth::of_truth(a != b)"),
    kind("Ne", FLOATS, "Truth::of_truth(a != b)"),
    kind("Ne", HALVES, "Truth::of_truth(a != b)"),
    kind("Ne", COMPLEX, "Truth::of_truth(a != b)"),
    test("Lt", SIGNED, "a < b"),
    test("Lt", UNSIGNED, "a < b"),
    test("Lt", FLOATS, "a < b"),
    test("Lt", HALVES, "a < b"),
    test("Lt", TRUTH, "(a == 0) & (b != 0)"),
    kind("Lt", WIDE_SIGNED, "Truth::of_truth(a < b)"),
    kind("Lt", WIDE_UNSIGNED, "Truth::of_truth(a < b)"),
    kind("Lt", FLOATS, "Truth::of_truth(a < b)"),
    kind("Lt", HALVES, "Truth::of_truth(a < b)"),
    test("Le", SIGNED, "a <= b"),
    test("Le", UNSIGNED, "a <= b"),
    test("Le", FLOATS, "a <= b"),
    test("Le", HALVES, "a <= b"),
    test("Le", TRUTH, "(a == 0) | (b != 0)"),
    kind("Le", WIDE_SIGNED, "Truth::of_truth(a <= b)"),
    kind("Le", WIDE_UNSIGNED, "Truth::of_truth(a <= b)"),
    kind("Le", FLOATS, "Truth::of_truth(a <= b)"),
    kind("Le", HALVES, "Truth::of_truth(a <= b)"),
    row("ApproxEq", Form::Plain, Shape::Approximate, FLOATS, "a.is_close(b, tolerance)"),
    row("ApproxEq", Form::Plain, Shape::Approximate, HALVES, "a.is_close(b, tolerance)"),
    binary("And", WORDS, "a & b"),
    test("And", TRUTH, "(a != 0) & (b != 0)"),
    binary("Or", WORDS, "a | b"),
    test("Or", TRUTH, "(a != 0) | (b != 0)"),
    binary("Xor", WORDS, "a ^ b"),
    test("Xor", TRUTH, "(a != 0) != (b != 0)"),
    binary("Shl", WORDS, "a.shl_total(b)"),
    binary("Shr", SIGNED, "a.shr_total(b)"),
    binary("Shr", UNSIGNED, "a.shr_total(b)"),
    ternary("MulAdd", WORDS, "a.wrapping_mul(b).wrapping_add(c)"),
    ternary("MulAdd", FLOATS, "a.fused(b, c)"),
    ternary("MulAdd", HALVES, "a.fused(b, c)"),
    row("Where", Form::Plain, Shape::Choice, BITS, "b.choose(c, a)"),
    ternary("Clamp", SIGNED, "a.max(b).min(c)"),
    ternary("Clamp", UNSIGNED, "a.max(b).min(c)"),
    ternary("Clamp", FLOATS, "a.maximum_of(b).minimum_of(c)"),
    ternary("Clamp", HALVES, "a.maximum_of(b).minimum_of(c)"),
    blocks("Pow", "math::pow_elem(a, b)"),
    blocks("Atan2", "math::atan2_elem(a, b)"),
    blocks("Hypot", "math::hypot_elem(a, b)"),
    blocks("Fmod", "math::fmod_elem(a, b)"),
    blocks("Remainder", "math::remainder_elem(a, b)"),
];
