//! Turns the list of functions into Rust source: their expressions as implementations of `Function`, a kernel for each on
//! every level, and the look-up.

use std::fmt::Write as _;

use crate::list::{Class, FLOATS, FUNCTION_ISAS, Form, HALVES, OPS, ROWS, Row, SIGNED, Shape, UNSIGNED};
use crate::manifest::{DTYPES, ISAS, Isa};
use crate::render::{HEAD, section, substitute};

/// What expressions are made of.
pub const ELEMENTS: &[&str] = &[include_str!("elements.rs")];

/// The token that computes on a level.
pub fn token(isa: &Isa) -> &'static str {
    match isa.variant {
        "Scalar" => "pulp::Scalar",
        "Avx2" => "crate::engine::isa::token::V3Half",
        "Avx512" => "pulp::x86::V4",
        _ => "pulp::aarch64::Neon",
    }
}

/// The last word of a type: a part of names.
pub fn short(ty: &str) -> String {
    match ty {
        "num_complex::Complex<f32>" => "c64".into(),
        "num_complex::Complex<f64>" => "c128".into(),
        "[u32; 2]" => "w8".into(),
        "[u64; 2]" => "w16".into(),
        _ => ty.rsplit(':').next().unwrap_or(ty).into(),
    }
}

fn is_half(ty: &str) -> bool {
    HALVES.iter().any(|(half, _)| *half == ty)
}

impl Row {
    /// The type whose functions these are. A byte is a number to one row and true or false to another.
    fn marker(&self) -> String {
        let truth = if self.is_truth() { "Truth" } else { "" };
        format!("{}{:?}{truth}", self.op, self.form)
    }

    fn is_truth(&self) -> bool {
        self.class.iter().any(|(_, tags)| *tags == ["Bool"])
    }

    /// The types of its operands and its result, for one type of its class.
    fn types<'t>(&self, ty: &'t str) -> (Vec<&'t str>, &'t str) {
        let inputs = match (self.shape, self.form) {
            (Shape::Ternary, _) => vec![ty, ty, ty],
            (Shape::Choice, _) => vec!["u8", ty, ty],
            (_, Form::SecondWide) => vec![ty, "f32"],
            (_, Form::FirstWide) => vec!["f32", ty],
            _ => vec![ty, ty],
        };
        let output = if matches!(self.shape, Shape::Comparison | Shape::Approximate) { "u8" } else { ty };
        (inputs, output)
    }

    fn is_heavy(&self) -> bool {
        OPS.iter().any(|op| op.variant == self.op && op.heavy)
    }
}

/// Every row with each type of its class, and the tags that it serves.
fn cells() -> impl Iterator<Item = (&'static Row, &'static str, &'static [&'static str])> {
    ROWS.iter().flat_map(|row| row.class.iter().map(move |&(ty, tags)| (row, ty, tags)))
}

pub fn bytes(ty: &str) -> usize {
    match ty {
        "u8" | "i8" => 1,
        "u16" | "i16" | "half::f16" | "half::bf16" => 2,
        "u32" | "i32" | "f32" => 4,
        "[u64; 2]" | "num_complex::Complex<f64>" => 16,
        _ => 8,
    }
}

/// The functions' elements, rows, kernels and look-up.
pub fn functions() -> String {
    let mut out = String::from(HEAD);
    out.push_str(&elements());
    let mut markers = Vec::new();
    for row in ROWS {
        let marker = row.marker();
        if !markers.contains(&marker) {
            let value = if row.shape == Shape::Approximate { "(pub Tolerance)" } else { "" };
            let _ = writeln!(out, "\n#[derive(Clone, Copy, Default)]\npub(crate) struct {marker}{value};");
            markers.push(marker);
        }
    }
    for (row, ty, _) in cells() {
        out.push_str(&implementation(row, ty));
    }
    for (row, ty, _) in cells() {
        out.push_str(&kernels(row, ty));
    }
    out.push_str(&tables());
    out
}

/// The functions of one type, for people: what it computes in, and how.
pub fn functions_of(wanted: &str) -> String {
    cells().filter(|(_, ty, _)| *ty == wanted).map(|(row, ty, _)| implementation(row, ty)).collect()
}

/// The inventory: a line per function, form and type with the tags that its kernel serves, as
/// `snapshot/functions.txt` holds it.
pub fn inventory() -> String {
    let mut out = String::from("# function form shape tags levels -> kernel, without its level\n");
    for (row, ty, tags) in cells() {
        let levels: Vec<_> = levels(ty).map(|isa| isa.name).collect();
        let (tags, levels) = (tags.join(" "), levels.join(" "));
        let _ = writeln!(out, "{} {:?} {:?} {tags} [{levels}] -> {}", row.op, row.form, row.shape, stem(row, ty));
    }
    out
}

/// What expressions are made of, for every type.
fn elements() -> String {
    let mut out = section(ELEMENTS, "once");
    let mut of = |name: &str, class: Class, types: &dyn Fn(&str) -> bool| {
        for &(ty, _) in class.iter().filter(|(ty, _)| types(ty)) {
            let wider = if bytes(ty) < 4 { "f32" } else { "f64" };
            let suffix = format!("_{ty}");
            out.push('\n');
            out.push_str(&substitute(
                &section(ELEMENTS, name),
                &[
                    ("Elem", ty),
                    ("Wider", wider),
                    ("*_elem", &suffix),
                    ("fused_float", if ty == "f32" { "fma32" } else { "fma" }),
                ],
            ));
        }
    };
    let narrow = |ty: &str| bytes(ty) < 8;
    let all = |_: &str| true;
    of("narrow signed", SIGNED, &narrow);
    of("narrow unsigned", UNSIGNED, &narrow);
    for class in [SIGNED, UNSIGNED] {
        of("wide", class, &|ty| !narrow(ty));
        of("integers", class, &all);
    }
    of("signed", SIGNED, &all);
    of("unsigned", UNSIGNED, &all);
    of("floats", FLOATS, &all);
    out
}

/// One function on one type.
fn implementation(row: &Row, ty: &str) -> String {
    let (inputs, output) = row.types(ty);
    let half = is_half(ty);
    let suffix = format!("_{ty}");
    let computed = if half { "f32" } else { ty };
    let expr = substitute(row.expr, &[("Elem", computed), ("*_elem", &suffix)]);
    let is_test = matches!(row.shape, Shape::Comparison | Shape::Approximate);
    let expr = if is_test { format!("u8::from({expr})") } else { expr };
    let names = &["a", "b", "c"][..inputs.len()];
    let (names, tuple) = (names.join(", "), inputs.join(", "));
    let mut out = format!(
        "\nimpl Function<({tuple})> for {} {{\n    type Output = {output};\n    const HEAVY: bool = {};\n    \
         const HALVES: bool = {};\n\n    #[inline(always)]\n    fn call(&self, ({names}): ({tuple})) -> {output} {{\n",
        row.marker(),
        row.is_heavy(),
        half && output == ty,
    );
    if row.shape == Shape::Approximate {
        out.push_str("        let tolerance = &self.0;\n");
    }
    if half {
        for (name, _) in ["a", "b", "c"].iter().zip(&inputs).filter(|(_, input)| **input == ty) {
            let _ = writeln!(out, "        let {name} = {name}.to_f32();");
        }
    }
    if row.blocks {
        let _ = writeln!(out, "        let (a, b) = (&[a], &[b]);\n        let [given] = {expr};\n        given");
    } else if half && output == ty {
        let _ = writeln!(out, "        {ty}::from_f32({expr})");
    } else {
        let _ = writeln!(out, "        {expr}");
    }
    out.push_str("    }\n");
    let blocks: Vec<_> = inputs.iter().map(|input| format!("&[{input}; L]")).collect();
    let blocks = blocks.join(", ");
    if row.blocks {
        let _ = write!(
            out,
            "\n    #[inline(always)]\n    fn block<S: pulp::Simd, const L: usize>(&self, _: S, ({names}): ({blocks})) -> \
             [{output}; L] {{\n        {expr}\n    }}\n",
        );
    } else if half {
        let _ = write!(
            out,
            "\n    #[inline(always)]\n    fn block_on<S: Level, const L: usize>(&self, level: S, ({names}): ({blocks})) \
             -> [{output}; L] {{\n",
        );
        if row.shape == Shape::Approximate {
            out.push_str("        let tolerance = &self.0;\n");
        }
        // What goes from bf16 to bf16 may do it in the level's own order. A NaN is an operand's or arithmetic's own: even
        // what only chooses between operands gives no other.
        let (widen, narrow) = match short(ty).as_str() {
            "bf16" if output == ty => ("split_bf16", "join_bf16_of_arithmetic"),
            "bf16" => ("widen_bf16", ""),
            _ => ("widen_f16", "narrow_f16"),
        };
        for (name, _) in ["a", "b", "c"].iter().zip(&inputs).filter(|(_, input)| **input == ty) {
            let _ = writeln!(out, "        let {name} = &level.{widen}({name});");
        }
        let at: Vec<_> = ["a", "b", "c"][..inputs.len()].iter().map(|name| format!("{name}[i]")).collect();
        let given = format!("{{ let ({names}) = ({}); {expr} }}", at.join(", "));
        if output == ty {
            let _ = writeln!(
                out,
                "        let mut given = [0.0_f32; L];\n        for i in 0..L {{\n            \
                 given[i] = {given};\n        }}\n        level.{narrow}(&given)"
            );
        } else {
            let _ = writeln!(
                out,
                "        let mut out = [0; L];\n        for i in 0..L {{\n            out[i] = {given};\n        }}\n        out"
            );
        }
        out.push_str("    }\n");
    }
    out.push_str("}\n");
    out
}

/// Levels that a row has kernels on for a type; the others fall back (see `Isa::falls_back_to`). Conversions of halves take
/// 32-byte vectors at the rate of 64-byte ones, and around those the rest is slower: an f16 row with a bias takes 9.4 us
/// with them, 8.8 without, a product of bf16 9.9 and 9.3.
pub fn levels(ty: &str) -> impl Iterator<Item = &'static Isa> {
    let wide = !is_half(ty);
    ISAS.iter().filter(move |isa| FUNCTION_ISAS.contains(&isa.variant) && (wide || isa.variant != "Avx512"))
}

/// Name of a kernel, without its level.
fn stem(row: &Row, ty: &str) -> String {
    let name = OPS.iter().find(|op| op.variant == row.op).map_or("", |op| op.name).trim_end_matches('_');
    let form = match row.form {
        Form::Plain => "",
        Form::Kind => "_kind",
        Form::SecondWide => "_vw",
        Form::FirstWide => "_wv",
    };
    let ty = if row.is_truth() { "bool".into() } else { short(ty) };
    format!("{name}{form}_{ty}")
}

/// The kernels of one function on one type.
fn kernels(row: &Row, ty: &str) -> String {
    let (inputs, output) = row.types(ty);
    let mut out = String::new();
    let mut sizes = [bytes(output), 0, 0, 0];
    for (size, input) in sizes[1..].iter_mut().zip(&inputs) {
        *size = bytes(input);
    }
    for isa in levels(ty) {
        let name = format!("{}_{}", stem(row, ty), isa.name);
        let _ = writeln!(
            out,
            "#[cfg({})]\nstatic {}: MapKernel = MapKernel {{\n    name: \"{name}\",\n    isa: IsaLevel::{},\n    run: \
             enter::<{}, ({}), {}, {}, true>,\n    sizes: {sizes:?},\n    heavy: {},\n}};",
            isa.cfg,
            name.to_uppercase(),
            isa.variant,
            token(isa),
            inputs.join(", "),
            row.marker(),
            lanes(sizes[1].max(sizes[2]).max(sizes[0]), row.blocks, is_half(ty)),
            row.is_heavy(),
        );
    }
    out
}

/// Elements in a block, as an expression: what `engine::map` says of the widest operand, but of halves and of functions
/// of f32 blocks what `engine::halves` and `math` found best.
fn lanes(widest: usize, blocks: bool, half: bool) -> String {
    match widest {
        _ if half => "32".into(),
        4 if blocks => "64".into(),
        _ => format!("{{ lanes({widest}) }}"),
    }
}

/// A table of kernels per level, by function, form and tag, and the function that reads it.
fn tables() -> String {
    let forms = [Form::Plain, Form::Kind, Form::SecondWide, Form::FirstWide];
    let mut out =
        String::from("\n/// Every kernel of this build.\npub(crate) static MAP_KERNELS: &[&MapKernel] = &[\n");
    for (row, ty, _) in cells() {
        for isa in levels(ty) {
            let name = format!("{}_{}", stem(row, ty), isa.name).to_uppercase();
            let _ = writeln!(out, "    #[cfg({})]\n    &{name},", isa.cfg);
        }
    }
    out.push_str("];\n");
    for isa in ISAS.iter().filter(|isa| FUNCTION_ISAS.contains(&isa.variant)) {
        let _ = writeln!(
            out,
            "\n#[cfg({})]\nstatic MAP_{}: [[[Option<&MapKernel>; {}]; {}]; {}] = [",
            isa.cfg,
            isa.name.to_uppercase(),
            DTYPES.len(),
            forms.len(),
            OPS.len()
        );
        for op in OPS {
            out.push_str("    [\n");
            for form in forms {
                out.push_str("        [");
                for dtype in DTYPES {
                    let cell = cells().find(|(row, _, tags)| {
                        row.op == op.variant && row.form == form && tags.contains(&dtype.variant)
                    });
                    match cell {
                        Some((row, ty, _)) => {
                            let own = levels(ty).any(|level| level.variant == isa.variant);
                            let level = if own { isa } else { weaker(isa) };
                            let name = format!("{}_{}", stem(row, ty), level.name).to_uppercase();
                            let _ = write!(out, "Some(&{name}), ");
                        }
                        None => out.push_str("None, "),
                    }
                }
                out.push_str("],\n");
            }
            out.push_str("    ],\n");
        }
        out.push_str("];\n");
    }
    out.push_str(
        "\n/// The kernel of a function on a level, for operands of one type; `None` where it is not defined.\npub(crate) fn \
         map_kernel(level: IsaLevel, op: Op, form: Form, dtype: DType) -> Option<&'static MapKernel> {\n    let table = \
         match level {\n",
    );
    out.push_str(&table_of_level("MAP"));
    out.push_str("    };\n    table[op as usize][form as usize][dtype as usize]\n}\n");
    out
}

/// The arms of a `match` that give each level its table, named by a prefix and the level.
pub fn table_of_level(prefix: &str) -> String {
    let mut out = String::new();
    for isa in ISAS {
        let own = if FUNCTION_ISAS.contains(&isa.variant) { isa } else { weaker(isa) };
        let _ = writeln!(
            out,
            "        #[cfg({})]\n        IsaLevel::{} => &{prefix}_{},",
            isa.cfg,
            isa.variant,
            own.name.to_uppercase()
        );
    }
    out
}

/// The level whose kernels are used where this one has none.
pub fn weaker(isa: &Isa) -> &'static Isa {
    ISAS.iter().find(|weaker| weaker.variant == isa.falls_back_to).unwrap_or(&ISAS[0])
}

/// The `Op` enum and its tables.
pub fn ops() -> String {
    let mut out = String::from(HEAD);
    out.push_str(
        "/// An elementwise function by its tag; [`ops`](crate::ops) has each as a typed call.\n#[derive(Clone, Copy, Debug, \
         PartialEq, Eq, Hash)]\n#[non_exhaustive]\npub enum Op {\n",
    );
    for op in OPS {
        let _ = writeln!(out, "    /// {}\n    {},", sentence(op.doc), op.variant);
    }
    out.push_str("}\n\nimpl Op {\n    /// Every function.\n    pub const ALL: &'static [Self] = &[\n");
    for op in OPS {
        let _ = writeln!(out, "        Self::{},", op.variant);
    }
    out.push_str("    ];\n\n    /// Its name in the library.\n    pub const fn name(self) -> &'static str {\n        match self {\n");
    for op in OPS {
        let _ = writeln!(out, "            Self::{} => \"{}\",", op.variant, op.name);
    }
    out.push_str("        }\n    }\n\n    /// Number of its operands.\n    pub const fn arity(self) -> usize {\n        match self {\n");
    for op in OPS {
        let _ = writeln!(out, "            Self::{} => {},", op.variant, op.arity);
    }
    out.push_str("        }\n    }\n}\n");
    out
}

/// A doc text as a sentence of its own.
pub fn sentence(doc: &str) -> String {
    let mut chars = doc.chars();
    let first = chars.next().map_or(String::new(), |c| c.to_uppercase().to_string());
    first + chars.as_str()
}
