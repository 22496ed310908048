//! What is refused: bad files, arguments and outputs, each with one line that names it.

use std::fs;

use crate::Place;
use crate::npy::{Npy, file};

#[test]
fn refuses_bad_files() {
    let header = |text: &str| file(1, text.as_bytes());
    let dict =
        |descr: &str, shape: &str| header(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"));
    let good = Npy::new("'<f8'", 8, &[3, 4]);
    let cut = |len: usize| good.bytes()[..len].to_vec();
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let big = |version: u8, len: u32| [b"\x93NUMPY".as_slice(), &[version, 0], &len.to_le_bytes(), b"{}"].concat();
    let f4 = "'<f4'";

    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "not a .npy file"),
        (b"PK\x03\x04 a zip, as .npz files are".to_vec(), "not a .npy file"),
        (cut(5), "not a .npy file"),
        (cut(7), "truncated"),
        (cut(9), "truncated"),
        (cut(40), "truncated"),
        (cut(good.bytes().len() - 1), "96 bytes"),
        (cut(good.bytes().len() - 96), "truncated"),
        (file(9, b"{}"), "version 9.0"),
        (file(0, b"{}"), "version 0.0"),
        (big(2, u32::MAX), "truncated"),
        (big(3, 1 << 30), "truncated"),
        (file(2, &vec![b' '; 2 << 20]), "at most"),
        (header("[1, 2]"), "a list, not a dict"),
        (header(""), "unexpected end"),
        (header("{'descr': '<f4'"), "header"),
        (header("{'descr': '<f4"), "unfinished string"),
        (header("{'descr' '<f4'}"), "':' expected"),
        (header("{'descr': __import__('os'), }"), "not a plain Python value"),
        (header("{1: 2}"), "a key is a number"),
        (header(&deep), "too deep"),
        (header("{'descr': '<f4', 'fortran_order': False}"), "'shape' is missing"),
        (header("{'shape': (1,), 'fortran_order': False}"), "'descr' is missing"),
        (header("{'shape': (1,), 'descr': '<f4'}"), "'fortran_order' is missing"),
        (header("{'shape': (1,), 'descr': '<f4', 'fortran_order': False, 'x': 1}"), "unknown key 'x'"),
        (header("{'shape': (1,), 'descr': '<f4', 'fortran_order': False, 'shape': ()}"), "twice"),
        (header("{'shape': (), 'descr': '<f4', 'fortran_order': 0}"), "fortran_order is a number"),
        (header("{'shape': (), 'descr': '<f4', 'fortran_order': False} tail"), "after the end"),
        (dict(f4, "(3)"), "shape is a number, not a tuple"),
        (dict(f4, "[3]"), "shape is a list, not a tuple"),
        (dict(f4, "(-3,)"), "-3 in the shape is negative"),
        (dict(f4, "(2.5,)"), "not a plain whole number"),
        (dict(f4, "(None,)"), "not a whole number"),
        (dict(f4, "(99999999999999999999999,)"), "too large"),
        (dict(f4, "(4294967296, 4294967296)"), "too large"),
        (dict(f4, "(1099511627776, 0, 1099511627776)"), "too large"),
        (dict(f4, "(1099511627776,)"), "4398046511104 bytes"),
        (dict("'>f4'", "()"), "byte order"),
        (dict("'>U4'", "()"), "byte order"),
        (dict("'>M8[s]'", "()"), "byte order"),
        (dict("[('a', '<f4'), ('b', [('c', '>i2')])]", "()"), "byte order"),
        (dict("'|O'", "()"), "object"),
        (dict("'O8'", "()"), "object"),
        (dict("[('a', '<f4'), ('b', '|O')]", "()"), "object"),
        (dict("'<q9'", "()"), "unknown element type '<q9'"),
        (dict("'<f3'", "()"), "unknown element type"),
        (dict("'<f4[s]'", "()"), "unknown element type"),
        (dict("''", "()"), "unknown element type"),
        (dict("'<\\x00'", "()"), "unknown element type"),
        (dict("'|S99999999999999999999'", "()"), "too large"),
        (dict("'<U9223372036854775807'", "()"), "too large"),
        (dict("'|V0'", "()"), "zero bytes"),
        (dict("[]", "()"), "zero bytes"),
        (dict("['<f4']", "()"), "not a tuple"),
        (dict("[('a',)]", "()"), "a name and a type"),
        (dict("[('a', '<f4', (9223372036854775807,))]", "()"), "too large"),
        (dict("('<f4', (3,))", "()"), "a tuple"),
        (file(3, b"{'descr': '<f4', 'fortran_order': False, 'shape': (), '\xff': 1}"), "UTF-8"),
    ];
    let place = Place::new();
    for (bytes, word) in &cases {
        place.put("bad.npy", bytes);
        place.refused(&["expand", "bad.npy", "--shape", "3,4", "-o", "out.npy"], &["bad.npy", word]);
        place.refused(&["plan", "tile", "bad.npy", "--reps", "2"], &["bad.npy", word]);
    }
    place.refused(&["tile", "none.npy", "--reps", "2", "-o", "out.npy"], &["none.npy", "No such file"]);
    place.refused(&["tile", ".", "--reps", "2", "-o", "out.npy"], &["is a directory"]);
    // Any cut of a good file, and any one byte of its header changed: never a crash.
    let bytes = good.bytes();
    for at in 0..128 {
        place.put("bad.npy", &bytes[..at]);
        place.refused(&["plan", "expand", "bad.npy", "--shape", "3,4"], &["bad.npy"]);
        if at % 3 == 0 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            place.put("bad.npy", &bytes);
            let done = place.run(&["plan", "expand", "bad.npy", "--shape", "3,4"]);
            assert!(matches!(done.status.code(), Some(0 | 2)), "byte {at}: {done:?}");
        }
    }
    // NumPy reads past neither.
    place.put("in.npy", &[bytes, vec![0; 9]].concat());
    assert_eq!(place.result(&["expand", "in.npy", "--shape", "3,4"], 8).data, good.data);
}

#[test]
fn refuses_bad_arguments() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[2, 3]).bytes());
    let expand = |shape: &str, rule: &str, words: &[&str]| {
        place.refused(&["expand", "in.npy", "--shape", shape, "--rule", rule, "-o", "out.npy"], words);
        place.refused(&["plan", "expand", "in.npy", "--shape", shape, "--rule", rule], words);
    };
    expand("4,3", "numpy", &["in.npy", "2", "4"]);
    expand("3", "numpy", &["in.npy"]);
    expand("", "numpy", &["in.npy"]);
    expand("2,4", "bidirectional", &["in.npy"]);
    expand("2,3,4", "axes:1,0", &["in.npy", "increasing"]);
    expand("2,3,4", "axes:0,0", &["in.npy"]);
    expand("2,3,4", "axes:0,7", &["in.npy", "7"]);
    expand("2,3,4", "axes:0", &["in.npy"]);
    expand("2,3,4", "broadcast-axes:0", &["in.npy"]);
    expand("2,3,4", "broadcast-axes:5", &["in.npy", "5"]);
    expand("3,2", "broadcast-like", &["in.npy"]);
    expand("2,3,4", "pdpd:2", &["in.npy"]);
    expand("4611686018427387904,2,3", "numpy", &["in.npy", "4611686018427387904"]);
    expand("4294967296,4294967296,2,3", "numpy", &["in.npy"]);
    expand("1,a", "numpy", &["--shape", "'a'", "whole number"]);
    expand("1,,2", "numpy", &["--shape", "missing"]);
    expand("-1,3", "numpy", &["--shape", "-1 is negative"]);
    expand("99999999999999999999,3", "numpy", &["--shape", "too large"]);
    expand("2,3", "nmupy", &["--rule", "bidirectional"]);
    expand("2,3", "numpy:1", &["--rule", "no axes"]);
    expand("2,3", "axes", &["--rule", "axes"]);
    expand("2,3", "axes:-1", &["--rule", "negative"]);
    expand("2,3", "pdpd:x", &["--rule", "whole number"]);

    let out = ["-o", "out.npy"];
    let refused = |args: &[&str], words: &[&str]| place.refused(&[args, &out].concat(), words);
    refused(&["repeat", "in.npy", "--reps", "2"], &["in.npy"]);
    refused(&["repeat", "in.npy", "--reps", "2,9223372036854775807"], &["in.npy"]);
    refused(&["tile", "in.npy", "--reps", "9223372036854775807,1"], &["in.npy"]);
    refused(&["tile", "in.npy", "--reps", "x"], &["--reps"]);
    refused(&["tile", "in.npy", "--reps", "2", "--threads", "0"], &["--threads"]);
    refused(&["tile", "in.npy", "--reps", "2", "--threads", "99999999"], &["--threads"]);
    refused(&["tile", "in.npy"], &["--reps"]);
    refused(&["tile", "--reps", "1"], &["IN.npy"]);
    place.refused(&["tile", "in.npy", "--reps", "2"], &["--output"]);
    place.refused(&["tlie"], &["tile"]);
    place.refused(&[], &["subcommand"]);
    place.refused(&["info", "x"], &["'x'"]);

    for args in [&["--help"][..], &["--version"], &["expand", "--help"], &["plan", "tile", "--help"]] {
        let done = place.run(args);
        assert!(done.status.success() && done.stderr.is_empty() && !done.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn refuses_bad_outputs() {
    let place = Place::new();
    place.put("in.npy", &Npy::new("'<f4'", 4, &[2, 3]).bytes());
    fs::create_dir(place.path("folder")).unwrap();
    place.put("locked.npy", b"old");
    let mut mode = fs::metadata(place.path("locked.npy")).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(place.path("locked.npy"), mode).unwrap();

    let refused = |out: &str, words: &[&str]| {
        place.refused(&["tile", "in.npy", "--reps", "2", "-o", out], words);
    };
    refused("folder", &["folder", "directory"]);
    refused("..", &["output"]);
    refused("none/out.npy", &["none/out.npy", "No such file"]);
    refused("in.npy/out.npy", &["in.npy/out.npy"]);
    refused("locked.npy", &["locked.npy", "read-only"]);
    #[cfg(unix)]
    refused("/dev/null", &["/dev/null", "regular file"]);
}
