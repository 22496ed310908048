//! `stridecast info`: the machine, what was chosen for it, and the kernels.
//!
//! Called by `main`, and by `bench` for the CPU's name.  Everything about the CPU's instruction sets comes
//! from the library, so this prints what a run would use, not a second opinion;
//! the CPU's name and the caches come from the system where it tells them
//! (Linux), and are called unknown elsewhere.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use stridecast::{Isa, Op, function_kernels, kernels, sum_kernels};

/// The whole text; `chosen` is what a run would use.
pub fn text(chosen: Isa) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = describe(&mut text, chosen);
    text
}

fn describe(out: &mut String, chosen: Isa) -> std::fmt::Result {
    writeln!(out, "stridecast {}", env!("CARGO_PKG_VERSION"))?;
    let arch = std::env::consts::ARCH;
    let name = cpu_name().unwrap_or_else(|| "unknown".into());
    writeln!(out, "CPU:      {name} ({arch})")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(out, "threads:  {threads}")?;
    match caches() {
        caches if caches.is_empty() => writeln!(out, "caches:   unknown")?,
        caches => writeln!(out, "caches:   {}", caches.join(", "))?,
    }
    writeln!(out, "ISA:      chosen: {chosen}; present:")?;
    for isa in Isa::available() {
        writeln!(out, "  {:10}  {}", isa.name(), isa.describe())?;
    }
    writeln!(out, "kernels:  {}, by family and pattern:", kernels().count())?;
    for (name, levels) in families() {
        let levels: Vec<_> = levels.iter().map(|(isa, n)| format!("{isa} {n}")).collect();
        writeln!(out, "  {name:29}  {}", levels.join(", "))?;
    }
    writeln!(out, "functions: {} kernels, so many of each function:", function_kernels().count())?;
    for (levels, names) in functions() {
        let levels: Vec<_> = levels.iter().map(|(isa, n)| format!("{isa} {n}")).collect();
        writeln!(out, "  {:29}  {}", levels.join(", "), names.join(" "))?;
    }
    let mut sums: Counts = Vec::new();
    for (_, isa) in sum_kernels() {
        *entry(&mut sums, isa) += 1;
    }
    let levels: Vec<_> = sums.iter().map(|(isa, n)| format!("{isa} {n}")).collect();
    writeln!(out, "sums:     {} kernels: {}", sum_kernels().count(), levels.join(", "))?;
    Ok(())
}

/// How many kernels of a function each level has, and the functions that have as many.
type Counts = Vec<(&'static str, usize)>;

fn functions() -> Vec<(Counts, Vec<&'static str>)> {
    let mut counts: Vec<(Op, Counts)> = Vec::new();
    for (name, isa) in function_kernels() {
        // The longest, because `mul_add` begins with `mul`.
        let of =
            |op: &&Op| name.strip_prefix(op.name().trim_end_matches('_')).is_some_and(|rest| rest.starts_with('_'));
        if let Some(op) = Op::ALL.iter().filter(of).max_by_key(|op| op.name().len()) {
            *entry(entry(&mut counts, *op), isa) += 1;
        }
    }
    let mut lines: Vec<(Counts, Vec<&'static str>)> = Vec::new();
    for (op, levels) in counts {
        entry(&mut lines, levels).push(op.name().trim_end_matches('_'));
    }
    lines
}

/// Family and pattern, and how many kernels of it each level has; all in the order of the inventory.
fn families() -> Vec<(String, Vec<(&'static str, usize)>)> {
    let mut families = Vec::new();
    for kernel in kernels() {
        let levels: &mut Vec<_> = entry(&mut families, format!("{} {}", kernel.family(), kernel.pattern()));
        *entry(levels, kernel.isa_name()) += 1;
    }
    families
}

/// The value of `key`, made if missing.
fn entry<K: PartialEq, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        list.push((key, V::default()));
        list.len() - 1
    });
    &mut list[at].1
}

/// As the first core of /proc/cpuinfo names itself.
pub fn cpu_name() -> Option<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok()?;
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| matches!(key.trim(), "model name" | "Model" | "Hardware"))
        .map(|(_, name)| name.trim().to_string())
}

/// `L1 data 48K`, as the first core sees them.
fn caches() -> Vec<String> {
    let folder = Path::new("/sys/devices/system/cpu/cpu0/cache");
    let read = |index: usize, what: &str| {
        let text = fs::read_to_string(folder.join(format!("index{index}")).join(what)).ok()?;
        Some(text.trim().to_string())
    };
    (0..)
        .map_while(|index| {
            let (level, size) = (read(index, "level")?, read(index, "size")?);
            let kind = match read(index, "type")?.as_str() {
                "Data" => " data",
                "Instruction" => " instruction",
                _ => "",
            };
            Some(format!("L{level}{kind} {size}"))
        })
        .collect()
}
