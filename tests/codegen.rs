//! The generator against its golden files, so that a change of templates or manifest shows as a diff.
//!
//! `BLESS=1 cargo test --test codegen` rewrites `kernels/snapshot/`; `KERNEL=splat_w4_avx2 cargo test --test
//! codegen -- --nocapture` prints any rendered kernel.

use std::path::PathBuf;
use std::{env, fs};

#[path = "../kernels/functions/render.rs"]
#[allow(dead_code)]
mod functions;
#[path = "../kernels/functions/list.rs"]
#[allow(dead_code)]
mod list;
#[path = "../kernels/manifest.rs"]
#[allow(dead_code)]
mod manifest;
#[path = "../kernels/reductions/render.rs"]
#[allow(dead_code)]
mod reduce;
#[path = "../kernels/reductions/list.rs"]
#[allow(dead_code)]
mod reductions;
#[path = "../kernels/render.rs"]
mod render;
#[path = "../kernels/functions/typed.rs"]
#[allow(dead_code)]
mod typed;

/// Compares with a golden file, or rewrites it under `BLESS=1`.
fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("kernels/snapshot").join(name);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if let Some((line, (new, old))) = text.lines().zip(kept.lines()).enumerate().find(|(_, (new, old))| new != old) {
        panic!("{name} line {}:\n  golden   {old}\n  rendered {new}\nBLESS=1 accepts the change", line + 1);
    }
    assert_eq!(text.lines().count(), kept.lines().count(), "{name} has another length; BLESS=1 accepts the change");
}

#[test]
fn the_inventory_of_kernels() {
    golden("inventory.txt", &render::inventory());
}

/// One width stands for all: the others differ in the name and the type of the element.
#[test]
fn the_move_family_at_four_bytes() {
    golden("moves_w4.rs", &render::moves_of_width(4));
}

#[test]
fn the_levels_and_element_types() {
    golden("levels.rs", &render::levels());
    golden("dtypes.rs", &render::dtypes());
}

#[test]
fn the_inventory_of_functions() {
    golden("functions.txt", &functions::inventory());
}

#[test]
fn the_inventory_of_reductions() {
    golden("reductions.txt", &reduce::inventory());
}

/// Every sum has kernels on every level that this build has for it.
#[test]
fn the_kernels_of_sums_are_those_of_the_inventory() {
    let built: Vec<_> = stridecast::sum_kernels().collect();
    let listed: Vec<_> = reduce::kernels().filter(|(_, level)| built.iter().any(|(_, own)| own == level)).collect();
    assert!(!built.is_empty());
    assert_eq!(built.len(), listed.len());
    for (name, level) in built {
        assert!(listed.contains(&(name.into(), level)), "{name} on {level} is in no inventory");
    }
}

/// Two types stand for all: one that is computed in itself, and one that is converted.
#[test]
fn the_functions_of_a_float_and_of_a_half() {
    golden("functions_f32.rs", &functions::functions_of("f32"));
    golden("functions_bf16.rs", &functions::functions_of("half::bf16"));
}

#[test]
fn the_tags_and_calls_of_functions() {
    golden("ops.rs", &functions::ops());
    let calls = typed::typed();
    let add = calls.find("pub fn add<").and_then(|at| calls[..at].rfind("\n\n/// ")).unwrap();
    let sub = calls.find("pub fn sub<").and_then(|at| calls[..at].rfind("\n\n/// ")).unwrap();
    golden("calls_of_add.rs", &calls[add + 2..sub + 1]);
}

/// Every function has kernels on every level that this build has for it.
#[test]
fn the_functions_are_what_the_crate_holds() {
    let inventory = functions::inventory();
    // Levels and name of each line.
    let listed: Vec<(&str, &str)> = inventory
        .lines()
        .skip(1)
        .map(|line| {
            let (rest, stem) = line.split_once("] -> ").unwrap();
            (rest.split_once('[').unwrap().1, stem)
        })
        .collect();
    let built: Vec<_> = stridecast::function_kernels().collect();
    let levels: std::collections::BTreeSet<_> = built.iter().map(|(_, level)| *level).collect();
    assert!(levels.contains("scalar"), "{levels:?}");
    for level in &levels {
        let mut here: Vec<_> = built.iter().filter(|(_, of)| of == level).map(|(name, _)| *name).collect();
        let own = listed.iter().filter(|(levels, _)| levels.split(' ').any(|own| own == *level));
        let mut wanted: Vec<_> = own.map(|(_, stem)| format!("{stem}_{level}")).collect();
        here.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(here, wanted, "{level}");
    }
    assert!(list::OPS.iter().all(|op| stridecast::Op::ALL.iter().any(|known| known.name() == op.name)));
}

/// What runs is what the manifest says: the inventory of this build is the golden one, less other architectures.
#[test]
fn the_inventory_is_what_the_crate_holds() {
    let inventory = render::inventory();
    let listed: Vec<_> = inventory.lines().skip(1).filter_map(|line| Some(line.split_once(" -> ")?.1)).collect();
    let built: Vec<_> = stridecast::kernels().map(|kernel| kernel.name()).collect();
    assert!(built.iter().all(|name| listed.contains(name)), "{built:?}");
    let here = |isa: &str| match isa {
        "neon" => cfg!(target_arch = "aarch64"),
        "avx2" => cfg!(target_arch = "x86_64"),
        "avx512" | "avx512vbmi" => cfg!(all(target_arch = "x86_64", feature = "x86-v4")),
        _ => true,
    };
    let expected = listed.iter().filter(|name| here(name.rsplit('_').next().unwrap())).count();
    assert_eq!(built.len(), expected);
}

#[test]
fn substitution_replaces_whole_identifiers_only() {
    let names = [("Elem", "u32"), ("splat_elem", "splat_w4")];
    assert_eq!(
        render::substitute("fn splat_elem(x: Elem, Elements, [Elem; 2])", &names),
        "fn splat_w4(x: u32, Elements, [u32; 2])"
    );
    assert_eq!(render::substitute("a.Elem_b(élem)", &names), "a.Elem_b(élem)");
}

#[test]
fn a_section_ends_where_the_next_begins() {
    let templates = ["head\n//# one\na\n//# two\nb\n", "head\n//# one\nc\n"];
    let section = |name| render::section(&templates, name);
    assert_eq!((section("one"), section("two"), section("three")), ("a\nc\n".into(), "b\n".into(), String::new()));
}

/// Prints the kernel that `KERNEL` names, or lists the names if there is no such kernel.
#[test]
fn print_a_kernel() {
    let Ok(wanted) = env::var("KERNEL") else { return };
    let rendered = render::moves();
    let inventory = render::inventory();
    assert!(inventory.lines().any(|line| line.ends_with(&format!("-> {wanted}"))), "no {wanted} among\n{inventory}");
    let body = wanted.rsplit_once('_').map_or(&*wanted, |(body, _)| body);
    for item in rendered
        .split("\n/// ")
        .filter(|item| item.contains(&format!("fn {body}<")) || item.contains(&format!("fn {wanted}(")))
    {
        println!("/// {}", item.trim_end());
    }
}
