//! `apply`, how it goes about it: layouts and rules, chains, outputs in pieces, plans, and what is refused.

use std::fs;
use std::path::Path;

use crate::Place;
use crate::functions::{array, assert_near, doubles, each, operands, values};
use crate::npy::Npy;

#[test]
fn layouts_ranks_and_rules() {
    let place = Place::new();
    let x: Vec<f64> = (0..6).map(f64::from).collect();
    place.put("x.npy", &doubles(&[2, 3], &x).fortran().bytes());
    place.put("y.npy", &doubles(&[4, 1, 1], &[0.0, 10.0, 20.0, 30.0]).version(2).bytes());
    let got = place.result(&["apply", "add", "y.npy", "x.npy"], 8);
    let turned = [0.0, 2.0, 4.0, 1.0, 3.0, 5.0];
    let want: Vec<f64> = [0.0, 10.0, 20.0, 30.0].iter().flat_map(|y| turned.map(|x| x + y)).collect();
    assert_eq!((values::<f64>(&got), &*got.shape), (want, &[4, 2, 3][..]));

    place.put("none.npy", &doubles(&[0, 1], &[]).bytes());
    place.put("row.npy", &doubles(&[3], &[0.0; 3]).bytes());
    assert_eq!(place.result(&["apply", "sub", "none.npy", "row.npy", "then", "sum", "none.npy"], 8).shape, [0, 3]);
    place.put("zero.npy", &array("'<i4'", &[1], &[0]).bytes());
    place.put("empty.npy", &array::<i32>("'<i4'", &[0], &[]).bytes());
    assert_eq!(place.result(&["apply", "div", "empty.npy", "zero.npy"], 4).shape, [0]);
    place.put("one.npy", &doubles(&[], &[2.5]).bytes());
    let got = place.result(&["apply", "mul", "one.npy", "one.npy"], 8);
    assert_eq!((values::<f64>(&got), got.shape.len()), (vec![6.25], 0));

    // Axis 0 of the second operand is axis 1 of the first.
    place.put("a.npy", &doubles(&[2, 2, 2], &[0.0; 8]).bytes());
    place.put("b.npy", &doubles(&[2], &[1.0, 2.0]).bytes());
    let args = ["apply", "sub", "a.npy", "b.npy", "--rule"];
    let got = place.result(&[&args[..], &["pdpd:1"]].concat(), 8);
    assert_eq!(values::<f64>(&got), [-1.0, -1.0, -2.0, -2.0, -1.0, -1.0, -2.0, -2.0]);
    let got = place.result(&[&args[..], &["axes:0"]].concat(), 8);
    assert_eq!(values::<f64>(&got), [-1.0, -1.0, -1.0, -1.0, -2.0, -2.0, -2.0, -2.0]);
    place.refused(
        &["apply", "sub", "b.npy", "a.npy", "--rule", "numpy", "-o", "o.npy"],
        &["a.npy", "at least the same rank"],
    );
}

#[test]
fn chains() {
    let place = Place::new();
    operands(&place);
    let run = |args: &[&str]| values::<f64>(&place.result(&[&["apply"], args].concat(), 8));
    let of = |f: fn(f64, f64, f64) -> f64| each(f);
    let got = run(&["sub", "a.npy", "b.npy", "then", "div", "c.npy"]);
    assert_near(&got, &of(|a, b, c| (a - b) / c), 0.0, "sub then div");
    let got = run(&["sub", "b.npy", "c.npy", "then", "mul", "-", "-", "then", "sub", "a.npy", "-"]);
    assert_near(&got, &of(|a, b, c| a - (b - c) * (b - c)), 0.0, "squares");
    let got = run(&["gt", "a.npy", "b.npy", "then", "where", "a.npy", "c.npy"]);
    assert_near(&got, &of(|a, b, c| if a > b { a } else { c }), 0.0, "gt then where");
    let got = run(&["mul", "a.npy", "b.npy", "then", "sum", "c.npy", "c.npy"]);
    assert_near(&got, &of(|a, b, c| a * b + c + c), 0.0, "mul then sum");

    let data = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).display().to_string();
    let (iris, mean, std) = (data("iris.npy"), data("iris_mean.npy"), data("iris_std.npy"));
    let got = run(&["sub", &iris, &mean, "then", "div", &std]);
    let read = |name: &str| values::<f64>(&Npy::parse(&fs::read(name).unwrap(), 8));
    let (iris, mean, std) = (read(&iris), read(&mean), read(&std));
    for (i, x) in got.iter().enumerate() {
        assert_eq!(*x, (iris[i] - mean[i % 4]) / std[i % 4], "element {i}");
    }
    for column in 0..4 {
        let column: Vec<f64> = got.iter().skip(column).step_by(4).copied().collect();
        let moment = |p| column.iter().map(|x| x.powi(p)).sum::<f64>() / 150.0;
        assert!(moment(1).abs() < 1e-12 && (moment(2) - 1.0).abs() < 1e-12);
    }
}

/// More than a batch: in pieces, cut across rows and along them, with a step that does not stretch along all axes.
#[test]
fn large_outputs_come_in_pieces() {
    let place = Place::new();
    let (rows, cols) = (19_997, 5003);
    let bytes = |n: usize, step: usize| (0..n).map(|i| (i * step + i / 251) as u8).collect::<Vec<u8>>();
    let (x, y) = (bytes(rows, 7), bytes(cols, 3));
    place.put("x.npy", &array("'|u1'", &[rows, 1], &x).bytes());
    place.put("y.npy", &array("'|u1'", &[cols], &y).bytes());
    for threads in ["1", "3"] {
        let args = ["apply", "sub", "x.npy", "x.npy", "then", "add", "x.npy", "then", "sub", "y.npy"];
        let got = place.result(&[&args[..], &["--threads", threads]].concat(), 1);
        assert_eq!(got.shape, [rows, cols]);
        for (row, x) in got.data.chunks_exact(cols).zip(&x) {
            assert!(row.iter().zip(&y).all(|(got, y)| *got == x.wrapping_sub(*y)));
        }
    }
    let done = place.run(&["plan", "apply", "sub", "x.npy", "y.npy"]);
    assert!(String::from_utf8(done.stdout).unwrap().contains("in 2 batches"));

    // The zero is in the last piece, when others have been written already.
    let mut x = x.iter().map(|x| x | 1).collect::<Vec<u8>>();
    *x.last_mut().unwrap() = 0;
    place.put("x.npy", &array("'|u1'", &[rows, 1], &x).bytes());
    let before = fs::read(place.path("out.npy")).unwrap();
    place.refused(&["apply", "div", "y.npy", "x.npy", "-o", "out.npy"], &["div of y.npy, x.npy", "by zero"]);
    assert!(fs::read(place.path("out.npy")).unwrap() == before);
}

#[test]
fn the_output_may_be_an_input() {
    let place = Place::new();
    operands(&place);
    assert!(place.run(&["apply", "add", "b.npy", "b.npy", "-o", "b.npy"]).status.success());
    let got = Npy::parse(&fs::read(place.path("b.npy")).unwrap(), 8);
    assert_eq!(values::<f64>(&got), [4.0, -4.0, 0.5]);
    assert_eq!(place.names(), ["a.npy", "b.npy", "c.npy"]);
}

#[test]
fn every_instruction_set_writes_the_same_file() {
    let place = Place::new();
    let x: Vec<f64> = (1..2000).map(|i| f64::from(i) / 7.0).collect();
    place.put("x.npy", &doubles(&[1999, 1], &x).bytes());
    place.put("y.npy", &doubles(&[17], &x[..17]).bytes());
    let args = ["apply", "pow", "x.npy", "y.npy", "then", "atan2", "x.npy", "then", "mean", "y.npy", "x.npy"];
    let mut results = Vec::new();
    for isa in ["scalar", "avx2", "avx512", "avx512vbmi", "neon"] {
        let done =
            place.command(&[&args[..], &["-o", "out.npy"]].concat()).env("STRIDECAST_ISA", isa).output().unwrap();
        if done.status.success() {
            results.push(fs::read(place.path("out.npy")).unwrap());
        } else {
            println!("skipped: {isa} is not on this machine");
        }
    }
    assert!(!results.is_empty() && results.iter().all(|result| *result == results[0]));
}

#[test]
fn refuses() {
    let place = Place::new();
    operands(&place);
    place.put("i.npy", &array("'<i4'", &[3], &[1, 0, 2]).bytes());
    place.put("negative.npy", &array("'<i4'", &[3], &[1, -1, 2]).bytes());
    place.put("z.npy", &array("'<c8'", &[3], &[[1.0_f32, 0.0]; 3]).bytes());
    place.put("t.npy", &array("'|b1'", &[3], &[1_u8, 0, 1]).bytes());
    place.put("four.npy", &doubles(&[4], &[0.0; 4]).bytes());
    place.put("big.npy", &doubles(&[3], &[1.0; 3]).descr("'>f8'").bytes());
    place.put("text.npy", &Npy::new("'<U2'", 8, &[3]).bytes());
    place.put("rgb.npy", &Npy::new("[('r', '<f4'), ('g', '<f4')]", 8, &[3]).bytes());
    place.put("long.npy", &Npy::new("'<f16'", 16, &[3]).bytes());
    place.put("wide.npy", &array("'|u1'", &[1 << 20, 1], &vec![0_u8; 1 << 20]).bytes());
    place.put("out.npy", b"older");
    let refused = |line: &str, words: &[&str]| {
        let args: Vec<_> = line.split(' ').collect();
        place.refused(&[&["apply"], &args[..], &["-o", "out.npy"]].concat(), words);
        // What can be known without the data, planning knows too.
        if !words.contains(&"data") {
            place.refused(&[&["plan", "apply"], &args[..]].concat(), words);
        }
        assert_eq!(fs::read(place.path("out.npy")).unwrap(), b"older");
    };
    refused("add a.npy four.npy", &["add of a.npy, four.npy", "[2, 3]", "[4]"]);
    refused("sub a.npy b.npy then div four.npy", &["div of the result so far, four.npy", "no common shape"]);
    refused("add a.npy i.npy", &["add", "f64, i32", "convert"]);
    refused("add t.npy t.npy", &["add", "bool"]);
    refused("lt z.npy z.npy", &["lt", "c64"]);
    refused("and a.npy a.npy", &["and", "f64"]);
    refused("where a.npy b.npy b.npy", &["where", "f64"]);
    refused("mean i.npy i.npy", &["mean of i.npy, i.npy", "floats", "i32, i32"]);
    refused("sum i.npy b.npy b.npy", &["sum of i.npy", "real", "i32, f64, f64"]);
    refused("add a.npy b.npy --out-dtype f32", &["result of f32"]);
    refused("sum a.npy b.npy b.npy --out-dtype f32", &["sum", "f32"]);
    refused("lt a.npy b.npy --out-dtype i32", &["i32"]);
    refused("lt a.npy b.npy --out-dtype float", &["--out-dtype", "known are"]);
    refused("add text.npy b.npy", &["text.npy", "numbers", "<U2"]);
    refused("add rgb.npy b.npy", &["rgb.npy", "records"]);
    refused("add b.npy long.npy", &["long.npy", "<f16"]);
    refused("add b.npy big.npy", &["big.npy", "byte order"]);
    refused("add b.npy none.npy", &["none.npy", "No such file"]);
    refused("sum wide.npy wide.npy then add wide.npy --dtype f16", &["--dtype", "bf16"]);
    for (line, what) in [("div i.npy i.npy", "by zero"), ("remainder negative.npy i.npy", "by zero")] {
        place.refused(&[&["apply"], &line.split(' ').collect::<Vec<_>>()[..], &["-o", "out.npy"]].concat(), &[what]);
    }
    place.refused(&["apply", "pow", "i.npy", "negative.npy", "-o", "out.npy"], &["negative power"]);
    assert_eq!(fs::read(place.path("out.npy")).unwrap(), b"older");

    refused("plus a.npy b.npy", &["'plus'", "known are add", "mean"]);
    refused("add a.npy", &["add takes 2 operands, 1 were given"]);
    refused("add a.npy b.npy c.npy", &["add takes 2 operands, 3 were given"]);
    refused("mul_add a.npy b.npy", &["mul_add takes 3 operands"]);
    refused("sum", &["sum takes 1 operands, 0 were given"]);
    refused("add a.npy b.npy then", &["'then'", "between"]);
    refused("then add a.npy b.npy", &["'then'", "between"]);
    refused("add a.npy b.npy then sub a.npy b.npy", &["sub takes 2 operands, 3 were given, the result so far"]);
    refused("add a.npy -", &["dash", "before the first"]);
    refused("add a.npy b.npy then sub a.npy - --rule numpy", &["--rule", "first operand"]);
    refused("add a.npy b.npy --atol 1", &["approx_eq"]);
    refused("approx_eq a.npy b.npy --atol -1", &["--atol", "0 or more"]);
    refused("approx_eq a.npy b.npy --rtol nan", &["--rtol", "0 or more"]);
    refused("approx_eq a.npy b.npy --rtol x", &["--rtol", "'x'"]);
    refused("add a.npy b.npy --threads 0", &["--threads"]);
    refused("add a.npy b.npy --rule pdpd:x", &["--rule"]);
    place.refused(&["apply", "-o", "out.npy"], &["OP"]);
    place.refused(&["apply", "add", "a.npy", "b.npy"], &["--output"]);
    place.refused(&["apply", "add", "a.npy", "b.npy", "-o", "none/out.npy"], &["none/out.npy"]);
}

#[test]
fn plans_and_lists() {
    let place = Place::new();
    operands(&place);
    let args = ["plan", "apply", "sub", "a.npy", "b.npy", "then", "sum", "b.npy", "c.npy", "then", "gt", "c.npy"];
    let done = place.run(&args);
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let text = String::from_utf8(done.stdout).unwrap();
    for words in [
        "(2, 3), C order, 8-byte elements '<f8'",
        "function sub of f64 f64 to f64\n",
        "function sum of f64 f64 f64 to f64, shape (2, 3)\n",
        "function gt of f64 f64 to bool\n",
        "kernel   ",
        "computed as a whole",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert_eq!(place.names(), ["a.npy", "b.npy", "c.npy"]);

    let text = String::from_utf8(place.run(&["info"]).stdout).unwrap();
    let (_, functions) = text.split_once("functions: ").unwrap();
    // A line names all functions that have as many kernels, each of them once.
    for op in stridecast::Op::ALL.iter().filter(|op| !matches!(op.name(), "gt" | "ge")) {
        let name = op.name().trim_end_matches('_');
        assert_eq!(functions.split_whitespace().filter(|word| *word == name).count(), 1, "{name} in {functions}");
    }
    assert!(functions.lines().count() < 30, "{functions}");
}
