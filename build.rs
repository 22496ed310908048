//! Renders the kernels and the tables that come from one list: see `kernels/README.md`.
//!
//! The output depends on `kernels/` alone, neither on the host nor on the target (a level's condition is
//! a `cfg` in the rendered text), and goes to `OUT_DIR`.

use std::path::Path;
use std::{env, fs};

#[path = "kernels/functions/render.rs"]
#[allow(dead_code)]
mod functions;
#[path = "kernels/functions/list.rs"]
mod list;
#[path = "kernels/manifest.rs"]
mod manifest;
#[path = "kernels/reductions/render.rs"]
#[allow(dead_code)]
mod reduce;
#[path = "kernels/reductions/list.rs"]
mod reductions;
#[path = "kernels/render.rs"]
#[allow(dead_code)]
mod render;
#[path = "kernels/functions/typed.rs"]
#[allow(dead_code)]
mod typed;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=kernels");
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, text: String| {
        fs::write(Path::new(&out).join(name), text).expect("OUT_DIR is writable");
    };
    write("dtypes.rs", render::dtypes());
    write("levels.rs", render::levels());
    write("moves.rs", render::moves());
    write("ops.rs", functions::ops());
    write("typed.rs", typed::typed());
    write("functions.rs", functions::functions());
    write("reductions.rs", reduce::reductions());
}
