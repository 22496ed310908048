//! How a run behaves: replacing files, large outputs, failures half-way, signals, forced levels, `plan`, `info`.

use std::fs;
use std::process::Stdio;

use crate::npy::{Npy, gather};
use crate::values::right_aligned;
use crate::{Place, check_refused};

#[test]
fn replaces_its_output_even_if_it_is_the_input() {
    let place = Place::new();
    let source = Npy::new("'<f4'", 4, &[2, 3]);
    let want = gather(&source, &[4, 2, 3], right_aligned(&[2, 3]));
    place.put("in.npy", &source.bytes());
    place.put("out.npy", b"something older and not an array");
    assert_eq!(place.result(&["expand", "in.npy", "--shape", "4,2,3"], 4).data, want);
    assert!(place.run(&["expand", "in.npy", "--shape", "4,2,3", "-o", "in.npy"]).status.success());
    assert_eq!(Npy::parse(&fs::read(place.path("in.npy")).unwrap(), 4).data, want);
    assert_eq!(place.names(), ["in.npy", "out.npy"]);
}

#[cfg(unix)]
#[test]
fn follows_links_and_keeps_to_the_umask() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[2]).bytes());
    fs::create_dir(place.path("folder")).unwrap();
    place.put("folder/real.npy", b"old");
    symlink("folder/real.npy", place.path("link.npy")).unwrap();
    symlink("folder/none.npy", place.path("lost.npy")).unwrap();

    assert!(place.run(&["tile", "in.npy", "--reps", "2", "-o", "link.npy"]).status.success());
    assert!(place.path("link.npy").is_symlink());
    assert_eq!(Npy::parse(&fs::read(place.path("folder/real.npy")).unwrap(), 4).shape, [4]);
    place.refused(&["tile", "in.npy", "--reps", "2", "-o", "lost.npy"], &["lost.npy", "link"]);

    let done = place.shell("umask 027; exec \"$0\" tile in.npy --reps 2 -o out.npy");
    assert!(done.status.success());
    let mode = fs::metadata(place.path("out.npy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

/// Several batches, several parts each, for every number of threads.
#[test]
fn large_outputs_are_the_same_for_any_number_of_threads() {
    let place = Place::new();
    let source = Npy::new("'|V3'", 3, &[1001, 7]);
    place.put("in.npy", &source.bytes());
    for threads in ["1", "3"] {
        let got = place.result(&["expand", "in.npy", "--shape", "6700,1001,7", "--threads", threads], 3);
        assert_eq!(got.shape, [6700, 1001, 7]);
        assert!(got.data.chunks_exact(source.data.len()).all(|copy| copy == source.data));
    }
    assert_eq!(place.names(), ["in.npy", "out.npy"]);
}

/// The address space is smaller than the output.
#[cfg(target_os = "linux")]
#[test]
fn outputs_may_be_larger_than_memory() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[64]).bytes());
    let done = place.shell("ulimit -v 400000; exec \"$0\" expand in.npy --shape 2097152,64 --threads 2 -o out.npy");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(fs::metadata(place.path("out.npy")).unwrap().len(), 128 + (512 << 20));
}

/// A file size limit stands for a full disk: the write fails half-way.
#[cfg(unix)]
#[test]
fn a_failed_write_leaves_nothing_behind() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[64]).bytes());
    place.put("out.npy", b"old");
    let done = place.shell("ulimit -f 1000; exec \"$0\" expand in.npy --shape 100000,64 -o out.npy");
    check_refused(&done, &["expand"], &["out.npy", "cannot write"]);
    assert_eq!(place.names(), ["in.npy", "out.npy"]);
    assert_eq!(fs::read(place.path("out.npy")).unwrap(), b"old");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let size = (1_u64 << 36).to_string();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let place = Place::new();
        place.put("in.npy", &Npy::new("'|u1'", 1, &[1]).bytes());
        place.interrupted(&["expand", "in.npy", "--shape", &size, "-o", "out.npy"], signal, code);
    }
}

#[test]
fn every_instruction_set_writes_the_same_file() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[16, 1, 37]).bytes());
    let args = ["expand", "in.npy", "--shape", "3,16,29,37", "-o", "out.npy"];
    let mut files = Vec::new();
    for isa in ["scalar", "avx2", "avx512", "avx512vbmi", "neon"] {
        let done = place.command(&args).env("STRIDECAST_ISA", isa).output().unwrap();
        if done.status.success() {
            files.push(fs::read(place.path("out.npy")).unwrap());
        } else {
            println!("skipped: {isa} is not on this machine");
            check_refused(&done, &args, &["STRIDECAST_ISA", isa]);
        }
        let _ = fs::remove_file(place.path("out.npy"));
        assert_eq!(place.names(), ["in.npy"]);
    }
    assert!(!files.is_empty() && files.iter().all(|file| *file == files[0]));

    for args in [&args[..], &["plan", "tile", "in.npy", "--reps", "2"], &["info"]] {
        let done = place.command(args).env("STRIDECAST_ISA", "foo").output().unwrap();
        check_refused(&done, args, &["foo", "scalar"]);
    }
    assert_eq!(place.names(), ["in.npy"]);
}

/// The input may be anything that has a header, the output anything that has a size.
#[test]
fn plan_computes_and_writes_nothing() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[16, 1, 1]).fortran().bytes());
    for args in [
        &["expand", "in.npy", "--shape", "1000000,16,1000,1000", "-o", "out.npy"][..],
        &["expand", "in.npy", "--shape", "0,16,5,5", "--threads", "3"],
        &["tile", "in.npy", "--reps", "1000000,1,1000,1000"],
        &["repeat", "in.npy", "--reps", "1000000,1000,1000", "-o", "nowhere/out.npy"],
    ] {
        let done = place.run(&[&["plan"], args].concat());
        assert!(done.status.success() && done.stderr.is_empty(), "{args:?}: {done:?}");
        assert!(done.stdout.len() > 40 && done.stdout.ends_with(b"\n"));
        assert_eq!(place.names(), ["in.npy"]);
    }
}

#[test]
fn info_describes_the_machine() {
    let place = Place::new();
    let done = place.command(&["info"]).env_remove("STRIDECAST_ISA").output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty());
    let text = String::from_utf8(done.stdout).unwrap();
    for word in ["CPU:", "ISA:", "scalar", "chosen: ", "caches:", "kernels:"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let done = place.command(&["info"]).env("STRIDECAST_ISA", "scalar").output().unwrap();
    assert!(String::from_utf8(done.stdout).unwrap().contains("chosen: scalar"));
    // A reader that leaves at once.
    let mut child = place.command(&["info"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
}
