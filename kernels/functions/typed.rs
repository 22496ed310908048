//! The typed calls of `ops`, one set per function of the list, and the traits that say what is defined.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::list::{Form, OPS, Op, ROWS, Shape};
use crate::manifest::{DTYPES, DType};
use crate::render::HEAD;

/// Functions whose halves are computed as f32, since they have no kernel for them.
fn by_f32(op: &Op) -> bool {
    ROWS.iter().any(|row| row.op == op.variant && row.blocks)
}

/// Tags that a function is defined on.
fn tags(op: &Op) -> BTreeSet<usize> {
    let base = match op.variant {
        "Gt" => "Lt",
        "Ge" => "Le",
        variant => variant,
    };
    let served = ROWS.iter().filter(|row| row.op == base && row.form == Form::Plain);
    let mut names: BTreeSet<&str> =
        served.flat_map(|row| row.class.iter().flat_map(|(_, tags)| tags.iter().copied())).collect();
    if by_f32(op) {
        names.extend(["F16", "BF16"]);
    }
    (0..DTYPES.len()).filter(|&i| names.contains(DTYPES[i].variant)).collect()
}

fn is_comparison(op: &Op) -> bool {
    ROWS.iter()
        .any(|row| row.op == op.variant && row.shape == Shape::Comparison && row.form == Form::Plain && !row.is_logic())
        || matches!(op.variant, "Gt" | "Ge")
}

impl crate::list::Row {
    /// And, or and exclusive or of bool are kernels of bytes that give bytes, but no comparisons.
    fn is_logic(&self) -> bool {
        matches!(self.op, "And" | "Or" | "Xor")
    }
}

/// `fun`, the implementations of the traits, and the calls.
pub fn typed() -> String {
    let mut out = String::from(HEAD);
    out.push_str("/// The functions as types, for [`Defined`].\npub mod fun {\n");
    for op in OPS {
        let _ = writeln!(
            out,
            "    /// [`Op::{v}`](crate::Op::{v}).\n    #[derive(Clone, Copy, Debug)]\n    pub enum {v} {{}}",
            v = op.variant
        );
    }
    out.push_str("}\n\n");
    for op in OPS {
        for tag in tags(op) {
            let _ = writeln!(out, "impl Defined<fun::{}> for {} {{}}", op.variant, DTYPES[tag].ty);
        }
    }
    out.push('\n');
    let is_real = |dtype: &DType| !matches!(dtype.variant, "Bool" | "C64" | "C128");
    for base in DTYPES {
        for exponent in DTYPES {
            let complex = base.variant == exponent.variant && matches!(base.variant, "C64" | "C128");
            if complex || is_real(base) && is_real(exponent) {
                let _ = writeln!(out, "impl Exponent<{}> for {} {{}}", exponent.ty, base.ty);
            }
        }
        for verdict in BTreeSet::from(["bool", "u8", base.ty]) {
            let _ = writeln!(out, "impl Verdict<{}> for {verdict} {{}}", base.ty);
        }
    }
    for op in OPS {
        out.push_str(&calls(op));
    }
    out
}

/// The parts of a call that depend on the function's shape.
struct Call {
    generics: String,
    params: String,
    operands: String,
    output: &'static str,
    extra: &'static str,
    apply: String,
}

fn form(op: &Op) -> Call {
    let v = op.variant;
    // Operands with their types.
    let (operands, generics): (&[(&str, &str)], _) = match v {
        "Pow" => (&[("a", "T"), ("b", "E")], "T: Exponent<E>, E: Element".into()),
        "Where" => (&[("mask", "M"), ("a", "T"), ("b", "T")], format!("T: Defined<fun::{v}>, M: Mask")),
        "Clamp" => (&[("x", "T"), ("low", "T"), ("high", "T")], format!("T: Defined<fun::{v}>")),
        _ => (&[("a", "T"), ("b", "T"), ("c", "T")][..op.arity], format!("T: Defined<fun::{v}>")),
    };
    let list = |of: &dyn Fn(&(&str, &str)) -> String| operands.iter().map(of).collect::<Vec<_>>().join(", ");
    let (params, operands) = (
        list(&|(name, ty)| format!("{name}: &View<'_, {ty}>")),
        format!("[{}]", list(&|(name, _)| format!("Operand::of({name})"))),
    );
    let apply = format!("Apply::new(Op::{v})");
    let (extra, apply) = match v {
        "ApproxEq" => ("tolerance: Tolerance", format!("Apply {{ tolerance, ..{apply} }}")),
        _ => ("", apply),
    };
    let output = if v == "ApproxEq" || is_comparison(op) { "bool" } else { "T" };
    Call { generics, params, operands, output, extra, apply }
}

/// What can go wrong.
fn errors(op: &Op) -> String {
    let mut out = String::from(
        "///\n/// # Errors\n/// If the shapes have no common one; if the output is too large or there is no memory for it",
    );
    match op.variant {
        "Div" | "Fmod" | "Remainder" => out.push_str("; if an integer is divided by zero"),
        "Pow" => out.push_str("; if an integer is raised to a negative integer"),
        _ => {}
    }
    out + ".\n"
}

/// The example of the docs.
fn example(op: &Op) -> String {
    let (result, operands) = op.example.split_last().expect("an example has a result");
    let mut out = String::from("///\n/// ```\n/// use stridecast::{View, ops};\n///\n");
    let mut args = Vec::new();
    for (name, operand) in ["a", "b", "c"].iter().zip(operands) {
        let len = operand.split(',').count();
        let _ = writeln!(out, "/// let {name} = {operand};");
        args.push(format!("&View::new(&{name}, &[{len}])?"));
    }
    if op.variant == "ApproxEq" {
        args.push("stridecast::Tolerance::default()".into());
    }
    let _ = write!(
        out,
        "/// let result = ops::{}({})?;\n/// assert_eq!(result.as_slice(), {result});\n/// # Ok::<(), \
         stridecast::BroadcastError>(())\n/// ```\n",
        op.name,
        args.join(", ")
    );
    out
}

fn calls(op: &Op) -> String {
    let Call { generics, params, operands, output, extra, apply } = form(op);
    let (v, name) = (op.variant, op.name);
    let extra = if extra.is_empty() { String::new() } else { format!(", {extra}") };
    let stem = name.trim_end_matches('_');
    let mut out = String::new();
    let _ = write!(
        out,
        "\n/// {}\n{}{}pub fn {name}<{generics}>({params}{extra}) -> Result<Tensor<{output}>> {{\n    \
         {apply}.to_tensor({operands})\n}}\n",
        crate::functions::sentence(op.doc),
        errors(op),
        example(op),
    );
    let into = if is_comparison(op) { format!("{generics}, O: Verdict<T>") } else { generics.clone() };
    let given = if is_comparison(op) { "O" } else { output };
    let verdict = if is_comparison(op) { ": bool, u8, or 0 and 1 of the operands' type" } else { "" };
    let _ = write!(
        out,
        "\n/// As [`{name}`], into `out`{verdict}.\n///\n/// # Errors\n/// As [`{name}`]; if `out` does not have the common \
         shape (a view) or its number of elements (a buffer). Nothing is\n/// written then.\npub fn \
         {stem}_into<'o, {into}>({params}{extra}, out: impl Into<Out<'o, {given}>>) -> Result<()> {{\n    \
         {apply}.run_into({operands}, out.into())\n}}\n",
    );
    if is_comparison(op) {
        let _ = write!(
            out,
            "\n/// As [`{name}`], with 0 and 1 of the operands' type for false and true (Owl's `elt_` functions).\n///\n/// # \
             Errors\n/// As [`{name}`].\npub fn {stem}_kind<{generics}>({params}) -> Result<Tensor<T>> {{\n    \
             {apply}.to_tensor({operands})\n}}\n",
        );
    }
    if op.arity == 2 && v != "ApproxEq" {
        let other = if v == "Pow" { "E" } else { "T" };
        let result = if is_comparison(op) { ", as 0 and 1 of its type" } else { "" };
        let _ = write!(
            out,
            "\n/// `a` becomes [`{name}`] of `a` and `b`{result}; `b` broadcasts to the shape of `a`.\n///\n/// # Errors\n/// As \
             [`{name}`]; if the common shape is not that of `a`. `a` is unchanged then.\npub fn {stem}_assign<'a, \
             {generics}>(a: impl Into<ViewMut<'a, T>>, b: &View<'_, {other}>) -> Result<()> {{\n    \
             {apply}.assign(a.into(), 0, &[Operand::of(b)])\n}}\n",
        );
        let reversed = if v == "Pow" { format!("T: Defined<fun::{v}>") } else { generics };
        let _ = write!(
            out,
            "\n/// `a` becomes [`{name}`] of `b` and `a`{result}: the operands the other way round.\n///\n/// # Errors\n/// As \
             [`{stem}_assign`].\npub fn {stem}_assign_reversed<'a, {reversed}>(a: impl Into<ViewMut<'a, T>>, b: &View<'_, \
             T>) -> Result<()> {{\n    {apply}.assign(a.into(), 1, &[Operand::of(b)])\n}}\n",
        );
    }
    out
}
