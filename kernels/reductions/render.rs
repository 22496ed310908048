//! Turns the list of sums into Rust source: a kernel for each on every level, and the look-up.

use std::fmt::Write as _;

use crate::functions::{bytes, short, table_of_level, token, weaker};
use crate::list::FUNCTION_ISAS;
use crate::manifest::{DTYPES, ISAS, Isa};
use crate::reductions::{FORMS, Form, Row, SUMS, Take};
use crate::render::HEAD;

/// Every row with each type of its class, and the tags that it serves.
fn cells() -> impl Iterator<Item = (&'static Row, &'static str, &'static [&'static str])> {
    SUMS.iter().flat_map(|row| row.class.iter().map(move |&(ty, tags)| (row, ty, tags)))
}

/// What is read, as a type, and what is accumulated.
fn take(row: &Row, ty: &str) -> (String, String) {
    let (taken, acc) = match row.take {
        Take::Same => (format!("Same<{ty}>"), ty),
        Take::Halves => (format!("Halves<{ty}>"), "f32"),
        Take::Integers => (format!("Integers<{ty}>"), "u64"),
    };
    let taken = if row.form == Form::Product { format!("Product<{taken}, MulPlain>") } else { taken };
    (taken, acc.into())
}

/// The levels that a row has kernels on.
fn levels(row: &Row) -> impl Iterator<Item = &'static Isa> {
    let isas = row.isas;
    ISAS.iter().filter(move |isa| isas.contains(&isa.variant))
}

/// The level whose loop goes along runs: 64-byte vectors are no faster there. 4096 x 4096 f16 take 0.81 ms by 32-byte ones
/// and 0.85 by those, bf16 0.88 and 0.94; f32 takes the same.
fn along_level(isa: &'static Isa) -> &'static Isa {
    if isa.variant == "Avx512" { weaker(isa) } else { isa }
}

/// Name of a kernel, without its level.
fn stem(row: &Row, ty: &str) -> String {
    format!("{}_{}", row.name, short(ty))
}

/// The kernels and their look-up.
pub fn reductions() -> String {
    let mut out = String::from(HEAD);
    for (row, ty, _) in cells() {
        let (taken, acc) = take(row, ty);
        let second = if row.form == Form::Product { bytes(ty) } else { 0 };
        for isa in levels(row) {
            let name = format!("{}_{}", stem(row, ty), isa.name);
            let kernel = |token: &str| format!("{token}, {taken}, AddPlain");
            let (down, along) = (kernel(token(isa)), kernel(token(along_level(isa))));
            let (size, sum) = (bytes(ty), bytes(&acc));
            let wide = isa.variant.starts_with("Avx");
            let _ = writeln!(
                out,
                "#[cfg({})]\nstatic {}: ReduceKernel = ReduceKernel {{\n    name: \"{name}\",\n    isa: IsaLevel::{},\n    \
                 down: down::<{down}, {{ columns({size}, {sum}, {wide}) }}, {{ few_columns({sum}) }}>,\n    along: along::<{along}, \
                 {{ lanes({sum}) }}>,\n    sizes: [{}, {second}],\n    acc: {},\n}};",
                isa.cfg,
                name.to_uppercase(),
                isa.variant,
                bytes(ty),
                bytes(&acc),
            );
        }
    }
    out.push_str(&tables());
    out
}

/// The inventory: a line per form and type, as `snapshot/reductions.txt` holds it.
pub fn inventory() -> String {
    let mut out = String::from("# form take tags levels -> kernel, without its level\n");
    for (row, ty, tags) in cells() {
        let _ = writeln!(out, "{:?} {:?} {} {:?} -> {}", row.form, row.take, tags.join(" "), row.isas, stem(row, ty));
    }
    out
}

/// Name and level of every kernel.
pub fn kernels() -> impl Iterator<Item = (String, &'static str)> {
    cells().flat_map(|(row, ty, _)| levels(row).map(move |isa| (format!("{}_{}", stem(row, ty), isa.name), isa.name)))
}

/// A table of kernels per level, by form and tag, and the function that reads it.
fn tables() -> String {
    let mut out =
        String::from("\n/// Every kernel of this build.\npub(crate) static REDUCE_KERNELS: &[&ReduceKernel] = &[\n");
    for (row, ty, _) in cells() {
        for isa in levels(row) {
            let name = format!("{}_{}", stem(row, ty), isa.name).to_uppercase();
            let _ = writeln!(out, "    #[cfg({})]\n    &{name},", isa.cfg);
        }
    }
    out.push_str("];\n");
    for isa in ISAS.iter().filter(|isa| FUNCTION_ISAS.contains(&isa.variant)) {
        let _ = writeln!(
            out,
            "\n#[cfg({})]\nstatic REDUCE_{}: [[Option<&ReduceKernel>; {}]; {}] = [",
            isa.cfg,
            isa.name.to_uppercase(),
            DTYPES.len(),
            FORMS.len()
        );
        for form in FORMS {
            out.push_str("    [");
            for dtype in DTYPES {
                let cell = cells().find(|(row, _, tags)| row.form == *form && tags.contains(&dtype.variant));
                match cell {
                    Some((row, ty, _)) => {
                        let own = row.isas.contains(&isa.variant);
                        let level = if own { isa } else { weaker(isa) };
                        let name = format!("{}_{}", stem(row, ty), level.name).to_uppercase();
                        let _ = write!(out, "Some(&{name}), ");
                    }
                    None => out.push_str("None, "),
                }
            }
            out.push_str("],\n");
        }
        out.push_str("];\n");
    }
    out.push_str(
        "\n/// The kernel of a sum on a level, of operands of one type; `None` where there is none.\n\
         pub(crate) fn reduce_kernel(level: IsaLevel, form: Form, dtype: DType) -> \
         Option<&'static ReduceKernel> {\n    let table = match level {\n",
    );
    out.push_str(&table_of_level("REDUCE"));
    out.push_str("    };\n    table[form as usize][dtype as usize]\n}\n");
    out
}
