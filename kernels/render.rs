//! Turns templates and manifest into Rust source. Pure text in, text out: std only, no I/O.
//!
//! A template is plain Rust in sections; a section is repeated per manifest row with whole identifiers
//! replaced. There is no logic in templates: what needs branching is ordinary generic Rust, or a table
//! written here. Used by `build.rs` and by `tests/codegen.rs`.

use std::fmt::Write as _;

use crate::manifest::{DTYPES, ISAS, Isa, MOVES, Move, WIDTHS, Width};

/// The head of every rendered file.
pub const HEAD: &str = "// Rendered by build.rs from kernels/; see kernels/README.md.\n";

/// One rendered move kernel.
struct MoveKernel {
    kind: &'static Move,
    width: &'static Width,
    isa: &'static Isa,
}

impl MoveKernel {
    fn name(&self) -> String {
        format!("{}_{}_{}", self.kind.template, self.width.name, self.isa.name)
    }

    fn body(&self) -> String {
        format!("{}_{}", self.kind.template, self.width.name)
    }
}

/// Every move kernel of the manifest, by pattern, then width, then level.
fn move_kernels() -> Vec<MoveKernel> {
    let mut kernels = Vec::new();
    for kind in MOVES {
        for width in WIDTHS.iter().filter(|w| kind.widths.contains(&w.bytes)) {
            for isa in ISAS.iter().filter(|i| kind.isas.contains(&i.variant)) {
                kernels.push(MoveKernel { kind, width, isa });
            }
        }
    }
    kernels
}

/// The patterns of the manifest, each once.
fn patterns() -> Vec<&'static str> {
    let mut patterns: Vec<_> = MOVES.iter().map(|kind| kind.pattern).collect();
    patterns.dedup();
    patterns
}

/// Replaces whole identifiers: `Elem` in `Elem` and `[Elem; 4]`, never in `Elements`. A name that starts with `*`
/// stands for every identifier that ends with the rest of it, and only that end is replaced.
pub fn substitute(text: &str, names: &[(&str, &str)]) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let end = tail.find(|c| !word(c)).unwrap_or(tail.len());
        let ident = &tail[..end];
        let replaced = names.iter().find_map(|(old, new)| match old.strip_prefix('*') {
            Some(suffix) => Some((ident.strip_suffix(suffix)?, *new)),
            None => (*old == ident).then_some(("", *new)),
        });
        let (stem, new) = replaced.unwrap_or((ident, ""));
        out.push_str(stem);
        out.push_str(new);
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// The templates of the move family, one idea a file.
pub const MOVE_TEMPLATES: &[&str] = &[
    include_str!("moves/rows.rs"),
    include_str!("moves/stream.rs"),
    include_str!("moves/replicate.rs"),
    include_str!("moves/splat.rs"),
    include_str!("moves/repeat.rs"),
    include_str!("moves/pick.rs"),
    include_str!("moves/windows.rs"),
    include_str!("moves/permute.rs"),
    include_str!("moves/transpose.rs"),
    include_str!("moves/strided.rs"),
    include_str!("moves/entry.rs"),
];

/// The sections of that name in all templates: the text between a marker line `//# name` and the next marker or the
/// end of the file. Empty if no template has one.
pub fn section(templates: &[&str], name: &str) -> String {
    let marker = format!("\n//# {name}\n");
    let mut out = String::new();
    for template in templates {
        if let Some(start) = template.find(&marker) {
            let body = &template[start + marker.len()..];
            out.push_str(&body[..body.find("\n//# ").map_or(body.len(), |end| end + 1)]);
        }
    }
    out
}

/// The move family: helpers, row functions, entries, the kernel statics and the look-up tables.
pub fn moves() -> String {
    let mut out = String::from(HEAD);
    out.push_str(&section(MOVE_TEMPLATES, "once"));
    for width in WIDTHS {
        out.push_str(&moves_of_width(width.bytes));
    }
    out.push_str(&move_tables(&move_kernels()));
    out
}

/// The row functions of one width, in bytes, and its entries on every level.
pub fn moves_of_width(bytes: usize) -> String {
    let mut out = String::new();
    for width in WIDTHS.iter().filter(|width| width.bytes == bytes) {
        let suffix = format!("_{}", width.name);
        let names = [("*_elem", &*suffix), ("Elem", width.ty)];
        let mut templates: Vec<_> =
            MOVES.iter().filter(|kind| kind.widths.contains(&bytes)).map(|kind| kind.template).collect();
        templates.dedup();
        for template in templates {
            // What moves bytes whatever the element stands in the section `once`.
            let text = section(MOVE_TEMPLATES, template);
            if !text.is_empty() {
                out.push('\n');
                out.push_str(&substitute(&text, &names));
            }
        }
    }
    let entry = section(MOVE_TEMPLATES, "per kernel");
    for kernel in move_kernels().iter().filter(|kernel| kernel.width.bytes == bytes) {
        let name = kernel.name();
        let names = [
            ("entry", &*name),
            ("ENTRY", &name.to_uppercase()),
            ("entry_name", &format!("\"{name}\"")),
            ("entry_width", &bytes.to_string()),
            ("body", &kernel.body()),
            ("level", kernel.isa.token),
            ("level_cfg", kernel.isa.cfg),
            ("ThisLevel", kernel.isa.variant),
            ("ThisPattern", kernel.kind.pattern),
            ("ThisStores", kernel.kind.stores),
        ];
        out.push('\n');
        out.push_str(&substitute(&entry, &names));
    }
    out
}

/// Follows the fall-back chain to the kernel that serves `(pattern, stores, width)` on `isa`.
fn serving<'k>(
    kernels: &'k [MoveKernel],
    (pattern, stores): (&str, &str),
    width: &Width,
    isa: &'static Isa,
) -> Option<&'k MoveKernel> {
    let mut level = isa;
    loop {
        let own = kernels.iter().find(|k| {
            (k.kind.pattern, k.kind.stores) == (pattern, stores)
                && (k.width.bytes, k.isa.variant) == (width.bytes, level.variant)
        });
        if own.is_some() || level.falls_back_to == level.variant {
            return own;
        }
        level = ISAS.iter().find(|i| i.variant == level.falls_back_to)?;
    }
}

/// `MOVE_KERNELS` (the inventory) and `move_kernel(level, pattern, stores, width)` (the look-up).
fn move_tables(kernels: &[MoveKernel]) -> String {
    let mut out =
        String::from("\n/// Every move kernel of this build.\npub(crate) static MOVE_KERNELS: &[&Kernel<2>] = &[\n");
    for kernel in kernels {
        let _ = writeln!(out, "    #[cfg({})]\n    &{},", kernel.isa.cfg, kernel.name().to_uppercase());
    }
    out.push_str("];\n");
    for isa in ISAS {
        let _ = writeln!(
            out,
            "\n/// Kernels of one level by pattern, stores and width; its own, else those it falls back \
             to.\n#[cfg({})]\nstatic MOVES_{}: [[[Option<&Kernel<2>>; {}]; 2]; {}] = [",
            isa.cfg,
            isa.name.to_uppercase(),
            WIDTHS.len(),
            patterns().len()
        );
        for pattern in patterns() {
            out.push_str("    [");
            for stores in ["Cached", "Streaming"] {
                out.push('[');
                for width in WIDTHS {
                    // Without a kernel that streams, the cached one serves.
                    let streams = serving(kernels, (pattern, stores), width, isa);
                    match streams.or_else(|| serving(kernels, (pattern, "Cached"), width, isa)) {
                        Some(kernel) => {
                            let _ = write!(out, "Some(&{}), ", kernel.name().to_uppercase());
                        }
                        None => out.push_str("None, "),
                    }
                }
                out.push_str("], ");
            }
            out.push_str("],\n");
        }
        out.push_str("];\n");
    }
    out.push_str(
        "\n/// The kernel for a pattern, stores and width (bytes per column) on a level; `None` where none was \
         rendered.\npub(crate) fn move_kernel(level: Level, pattern: Pattern, stores: Stores, width: usize) -> \
         Option<&'static Kernel<2>> {\n    let table = match level {\n",
    );
    for isa in ISAS {
        let _ = writeln!(
            out,
            "        #[cfg({})]\n        Level::{} => &MOVES_{},",
            isa.cfg,
            isa.variant,
            isa.name.to_uppercase()
        );
    }
    out.push_str("    };\n    let row = match pattern {\n");
    for (index, pattern) in patterns().iter().enumerate() {
        let _ = writeln!(out, "        Pattern::{pattern} => {index},");
    }
    out.push_str("    };\n    table[row][stores as usize][width.trailing_zeros() as usize]\n}\n");
    out
}

/// The `Level` enum: the levels compiled into this build, their names and their order.
pub fn levels() -> String {
    let mut out = String::from(HEAD);
    out.push_str(
        "/// An instruction-set level of this build.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, \
         Hash)]\npub(crate) enum Level {\n",
    );
    for isa in ISAS {
        let _ = writeln!(out, "    /// {}.\n    #[cfg({})]\n    {},", isa.doc, isa.cfg, isa.variant);
    }
    out.push_str("}\n\nimpl Level {\n    /// Every level of this build, weakest first.\n    pub(crate) const ALL: &'static [Self] = &[\n");
    for isa in ISAS {
        let _ = writeln!(out, "        #[cfg({})]\n        Self::{},", isa.cfg, isa.variant);
    }
    out.push_str("    ];\n\n    /// Its name in the API, the environment and on the command line.\n    pub(crate) const fn name(self) -> &'static str {\n        match self {\n");
    for isa in ISAS {
        let _ =
            writeln!(out, "            #[cfg({})]\n            Self::{} => \"{}\",", isa.cfg, isa.variant, isa.name);
    }
    out.push_str("        }\n    }\n\n    /// What it is, in a few words.\n    pub(crate) const fn describe(self) -> &'static str {\n        match self {\n");
    for isa in ISAS {
        let _ = writeln!(out, "            #[cfg({})]\n            Self::{} => \"{}\",", isa.cfg, isa.variant, isa.doc);
    }
    out.push_str("        }\n    }\n}\n\n/// Names of all levels there are, in this build or not.\npub(crate) const LEVEL_NAMES: &[&str] = &[");
    for (i, isa) in ISAS.iter().enumerate() {
        let _ = write!(out, "{}\"{}\"", if i > 0 { ", " } else { "" }, isa.name);
    }
    out.push_str("];\n");
    out
}

/// The `DType` enum and the `Element` implementations.
pub fn dtypes() -> String {
    let mut out = String::from(HEAD);
    out.push_str(
        "/// The runtime tag of an element type.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[non_exhaustive]\npub \
         enum DType {\n",
    );
    for d in DTYPES {
        let _ = writeln!(out, "    /// `{}`: {}.\n    {},", d.name, d.doc, d.variant);
    }
    out.push_str("}\n\nimpl DType {\n    /// Every tag.\n    pub const ALL: &'static [Self] = &[\n");
    for d in DTYPES {
        let _ = writeln!(out, "        Self::{},", d.variant);
    }
    out.push_str("    ];\n\n");
    let mut table = |doc: &str, name: &str, ty: &str, value: &dyn Fn(&crate::manifest::DType) -> String| {
        let _ = writeln!(out, "    /// {doc}\n    pub const fn {name}(self) -> {ty} {{\n        match self {{");
        for d in DTYPES {
            let _ = writeln!(out, "            Self::{} => {},", d.variant, value(d));
        }
        out.push_str("        }\n    }\n\n");
    };
    table("Its printed name, such as `f32`.", "name", "&'static str", &|d| format!("\"{}\"", d.name));
    table("Bytes of one element.", "size", "usize", &|d| d.bytes.to_string());
    table("Alignment of one element, in bytes.", "align", "usize", &|d| format!("align_of::<{}>()", d.ty));
    out.push_str("}\n");
    for d in DTYPES {
        let _ = write!(
            out,
            "\nimpl sealed::Sealed for {ty} {{}}\n\n// SAFETY: the tag's alignment is this type's, and so is its size, \
             asserted below.\nunsafe impl Element for {ty} {{\n    const DTYPE: DType = DType::{variant};\n}}\n\nconst _: () = \
             assert!(size_of::<{ty}>() == {bytes});\n",
            ty = d.ty,
            variant = d.variant,
            bytes = d.bytes,
        );
    }
    out
}

/// The inventory: one line per rendered kernel, as `snapshot/inventory.txt` holds it.
pub fn inventory() -> String {
    let mut out = String::from("# family pattern stores width(bytes) level -> kernel\n");
    for kernel in move_kernels() {
        let _ = writeln!(
            out,
            "move {} {} {} {} -> {}",
            kernel.kind.pattern,
            kernel.kind.stores,
            kernel.width.bytes,
            kernel.isa.name,
            kernel.name()
        );
    }
    out
}
