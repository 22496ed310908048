//! `sum-to`: values by hand, every option, layouts and element types, plans, and what is refused.

use std::fs;

use half::f16;

use crate::Place;
use crate::functions::{array, doubles, values};
use crate::npy::Npy;

/// `x` is [2, 3], `y` [3], `acc` [3].
fn operands(place: &Place) {
    place.put("x.npy", &doubles(&[2, 3], &[1.0, 2.0, 3.0, 10.0, 20.0, 60.0]).bytes());
    place.put("y.npy", &doubles(&[3], &[2.0, -1.0, 0.5]).bytes());
    place.put("acc.npy", &doubles(&[3], &[100.0, 200.0, 300.0]).bytes());
}

/// Runs `line` and `plan`s it; the shape and the numbers.
fn sum_to<T: bytemuck::AnyBitPattern>(place: &Place, line: &str) -> (Vec<usize>, Vec<T>) {
    let args: Vec<_> = line.split(' ').map(|word| if word == "''" { "" } else { word }).collect();
    let got = place.result(&[&["sum-to"], &args[..]].concat(), size_of::<T>());
    let planned = place.run(&[&["plan", "sum-to"], &args[..]].concat());
    assert!(planned.status.success() && planned.stderr.is_empty(), "{line}: {planned:?}");
    assert!(String::from_utf8(planned.stdout).unwrap().contains("walk     "), "{line}");
    (got.shape.clone(), values(&got))
}

#[test]
fn every_option() {
    let place = Place::new();
    operands(&place);
    type Case<'c> = (&'c str, &'c [usize], &'c [f64]);
    let cases: [Case<'_>; 22] = [
        ("--shape 3", &[3], &[11.0, 22.0, 63.0]),
        ("--shape 1,3", &[1, 3], &[11.0, 22.0, 63.0]),
        ("--shape 2,1", &[2, 1], &[6.0, 90.0]),
        ("--shape ''", &[], &[96.0]),
        ("--shape 2,3", &[2, 3], &[1.0, 2.0, 3.0, 10.0, 20.0, 60.0]),
        ("--shape 2 --rule pdpd:0", &[2], &[6.0, 90.0]),
        ("--shape 2 --rule axes:0", &[2], &[6.0, 90.0]),
        ("--shape 3 --rule broadcast-axes:0", &[3], &[11.0, 22.0, 63.0]),
        ("--shape 2 --rule broadcast-like", &[2], &[6.0, 90.0]),
        ("--shape 2,1 --rule bidirectional", &[2, 1], &[6.0, 90.0]),
        ("--axes 0", &[3], &[11.0, 22.0, 63.0]),
        ("--axes 1,0", &[], &[96.0]),
        ("--axes 1 --keep-dims", &[2, 1], &[6.0, 90.0]),
        ("--axes ''", &[2, 3], &[1.0, 2.0, 3.0, 10.0, 20.0, 60.0]),
        ("--axes 1 --reduction mean", &[2], &[2.0, 30.0]),
        ("--axes 1 --reduction max", &[2], &[3.0, 60.0]),
        ("--axes 1 --reduction min --keep-dims", &[2, 1], &[1.0, 10.0]),
        ("--axes 0 --reduction prod", &[3], &[10.0, 40.0, 180.0]),
        ("--shape 3 --times y.npy", &[3], &[22.0, -22.0, 31.5]),
        ("--axes 0 --onto acc.npy --threads 1", &[3], &[111.0, 222.0, 363.0]),
        ("--axes 0 --onto acc.npy --reduction max", &[3], &[100.0, 200.0, 300.0]),
        ("--axes 0 --onto acc.npy --times x.npy", &[3], &[201.0, 604.0, 3909.0]),
    ];
    for (line, shape, want) in cases {
        let (got_shape, got) = sum_to::<f64>(&place, &format!("x.npy {line}"));
        assert_eq!((&*got_shape, &*got), (shape, want), "{line}");
    }
    // The operands of a product broadcast against each other, and either may be the larger.
    assert_eq!(sum_to(&place, "y.npy --times x.npy --axes 1"), (vec![2], vec![1.5, 30.0]));
    place.put("column.npy", &doubles(&[2, 1], &[1.0, 2.0]).bytes());
    assert_eq!(sum_to(&place, "y.npy --times column.npy --shape 3"), (vec![3], vec![6.0, -3.0, 1.5]));
}

#[test]
fn storage_orders_and_outputs_that_are_inputs() {
    let place = Place::new();
    operands(&place);
    // Stored by columns: [[1, 3, 20], [2, 10, 60]].
    place.put("turned.npy", &doubles(&[2, 3], &[1.0, 2.0, 3.0, 10.0, 20.0, 60.0]).fortran().version(2).bytes());
    assert_eq!(sum_to(&place, "turned.npy --axes 0"), (vec![3], vec![3.0, 13.0, 80.0]));
    assert_eq!(sum_to(&place, "turned.npy --axes 1"), (vec![2], vec![24.0, 72.0]));
    let got = sum_to(&place, "x.npy --axes '' --onto turned.npy");
    assert_eq!(got, (vec![2, 3], vec![2.0, 5.0, 23.0, 12.0, 30.0, 120.0]));
    for total in [111.0, 122.0] {
        let done = place.run(&["sum-to", "x.npy", "--axes", "0", "--onto", "acc.npy", "-o", "acc.npy"]);
        assert!(done.status.success());
        let acc = Npy::parse(&fs::read(place.path("acc.npy")).unwrap(), 8);
        assert_eq!(values::<f64>(&acc)[0], total);
    }
    assert_eq!(place.names(), ["acc.npy", "out.npy", "turned.npy", "x.npy", "y.npy"]);
}

#[test]
fn nothing_to_sum() {
    let place = Place::new();
    place.put("none.npy", &doubles(&[0, 2], &[]).bytes());
    assert_eq!(sum_to(&place, "none.npy --axes 0"), (vec![2], vec![0.0, 0.0]));
    assert_eq!(sum_to(&place, "none.npy --axes 0 --reduction prod"), (vec![2], vec![1.0, 1.0]));
    assert!(sum_to::<f64>(&place, "none.npy --axes 0 --reduction mean").1.iter().all(|x| x.is_nan()));
    assert_eq!(sum_to::<f64>(&place, "none.npy --axes 1 --reduction max"), (vec![0], vec![]));
    let planned = place.run(&["plan", "sum-to", "none.npy", "--axes", "1"]);
    assert!(String::from_utf8(planned.stdout).unwrap().contains("a header alone"));
    place.refused(&["sum-to", "none.npy", "--axes", "0", "--reduction", "max", "-o", "o.npy"], &["max of none.npy"]);
}

#[test]
fn element_types_and_wider_results() {
    let place = Place::new();
    for (descr, item, wide) in [
        ("|i1", 1, "<i8"),
        ("|u1", 1, "<u8"),
        ("<i2", 2, "<i8"),
        ("<u2", 2, "<u8"),
        ("<i4", 4, "<i8"),
        ("<u4", 4, "<u8"),
        ("<i8", 8, "<i8"),
        ("<u8", 8, "<u8"),
    ] {
        // Three times the number 100: in a byte it wraps, unless it is extended first.
        let number = |x: u64, item: usize| x.to_le_bytes()[..item].to_vec();
        let quoted = |descr| format!("'{descr}'");
        place.put("x.npy", &Npy { data: number(100, item).repeat(3), ..Npy::new(&quoted(descr), item, &[3]) }.bytes());
        let got = place.result(&["sum-to", "x.npy", "--axes", "0"], item);
        assert_eq!((got.descr, got.data), (quoted(descr), number(300, item)));
        let got = place.result(&["sum-to", "x.npy", "--axes", "0", "--wide"], 8);
        assert_eq!((got.descr, got.data), (quoted(wide), number(300, 8)), "{descr}");
    }
    place.put("minus.npy", &array("'|i1'", &[2], &[-100_i8; 2]).bytes());
    assert_eq!(sum_to(&place, "minus.npy --axes 0 --wide"), (vec![], vec![-200_i64]));

    // Counting in ones ends at 2048 in f16; f32 goes on.
    place.put("ones.npy", &array("'<f2'", &[4099], &[f16::ONE; 4099]).bytes());
    assert_eq!(sum_to(&place, "ones.npy --axes 0"), (vec![], vec![f16::from_f32(4100.0)]));
    assert_eq!(sum_to(&place, "ones.npy --axes 0 --wide"), (vec![], vec![4099.0_f32]));
    // 1.5, three times; NumPy does not know bfloat16.
    place.put("raw.npy", &array("'<V2'", &[3], &[0x3fc0_u16; 3]).bytes());
    assert_eq!(sum_to(&place, "raw.npy --axes 0 --dtype bf16"), (vec![], vec![0x4090_u16]));
    assert_eq!(sum_to(&place, "raw.npy --axes 0 --dtype bf16 --wide"), (vec![], vec![4.5_f32]));
    place.refused(&["sum-to", "raw.npy", "--axes", "0", "-o", "o.npy"], &["raw.npy", "--dtype bf16"]);
    place.put("z.npy", &array("'<c8'", &[2], &[[1.0_f32, 2.0], [0.5, -1.0]]).bytes());
    assert_eq!(sum_to(&place, "z.npy --axes 0"), (vec![], vec![[1.5_f32, 1.0]]));
}

/// The bits of a sum are those of its shape, on every instruction set and any number of threads.
#[test]
fn the_same_file_everywhere() {
    let place = Place::new();
    let x: Vec<f32> = (0..257 * 1031).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 7.0).collect();
    place.put("x.npy", &array("'<f4'", &[257, 1031], &x).bytes());
    for axes in ["0", "1", "0,1"] {
        let mut results = Vec::new();
        for isa in ["scalar", "avx2", "avx512", "avx512vbmi", "neon"] {
            for threads in ["1", "3"] {
                let args = ["sum-to", "x.npy", "--axes", axes, "--threads", threads, "-o", "out.npy"];
                if place.command(&args).env("STRIDECAST_ISA", isa).output().unwrap().status.success() {
                    results.push(fs::read(place.path("out.npy")).unwrap());
                } else {
                    println!("skipped: {isa} is not on this machine");
                }
            }
        }
        assert!(!results.is_empty() && results.iter().all(|result| *result == results[0]), "axes {axes}");
    }
}

#[test]
fn refuses() {
    let place = Place::new();
    operands(&place);
    place.put("i.npy", &array("'<i4'", &[2, 3], &[1; 6]).bytes());
    place.put("t.npy", &array("'|b1'", &[3], &[1_u8, 0, 1]).bytes());
    place.put("z.npy", &array("'<c8'", &[3], &[[1.0_f32, 0.0]; 3]).bytes());
    place.put("big.npy", &doubles(&[3], &[1.0; 3]).descr("'>f8'").bytes());
    place.put("text.npy", &Npy::new("'<U2'", 8, &[3]).bytes());
    place.put("out.npy", b"older");
    let refused = |line: &str, words: &[&str]| {
        let args: Vec<_> = line.split(' ').collect();
        place.refused(&[&["sum-to"], &args[..], &["-o", "out.npy"]].concat(), words);
        place.refused(&[&["plan", "sum-to"], &args[..]].concat(), words);
        assert_eq!(fs::read(place.path("out.npy")).unwrap(), b"older");
    };
    refused("x.npy", &["--shape", "--axes"]);
    refused("--axes 0", &["IN.npy"]);
    refused("x.npy --axes 0 --shape 3", &["--shape", "--axes"]);
    refused("x.npy --axes 0 --rule numpy", &["--rule", "--axes"]);
    refused("x.npy --shape 3 --keep-dims", &["--keep-dims", "--shape"]);
    refused("x.npy --shape 4", &["sum of x.npy", "[4]", "[2, 3]"]);
    refused("x.npy --shape 2,2,3", &["sum of x.npy", "[2, 2, 3]"]);
    refused("x.npy --shape 2,3 --rule broadcast-axes:0", &["sum of x.npy", "axes"]);
    refused("x.npy --shape 1,1,3 --rule bidirectional", &["sum of x.npy", "[2, 3]"]);
    refused("x.npy --shape 3 --rule pdpd:x", &["--rule", "whole number"]);
    refused("x.npy --shape 3,-1", &["--shape", "negative"]);
    refused("x.npy --axes 2", &["sum of x.npy", "axis 2", "rank 2"]);
    refused("x.npy --axes -1", &["--axes", "negative"]);
    refused("x.npy --axes 1,1", &["[1, 1]", "twice"]);
    refused("x.npy --axes 0 --reduction median", &["--reduction", "known are sum mean max min prod"]);
    refused("x.npy --axes 0 --wide", &["--wide", "f64"]);
    refused("i.npy --axes 0 --reduction mean", &["mean of i.npy", "i32"]);
    refused("i.npy --axes 0 --reduction max --wide", &["max of i.npy", "i64"]);
    refused("i.npy --axes 0 --reduction prod --wide", &["prod of i.npy", "i64"]);
    refused("z.npy --axes 0 --reduction min", &["min of z.npy", "c64"]);
    refused("t.npy --axes 0", &["sum of t.npy", "bool"]);
    refused("x.npy --axes 0 --times i.npy", &["sum of x.npy times i.npy", "f64", "i32"]);
    refused("x.npy --axes 0 --times x.npy --reduction mean", &["mean of x.npy times x.npy", "--times"]);
    refused("x.npy --axes 1 --times acc.npy --onto acc.npy", &["acc.npy", "[2]", "[3]"]);
    refused("i.npy --axes 0 --onto acc.npy", &["acc.npy", "i32", "f64"]);
    refused("x.npy --axes 0 --times none.npy", &["none.npy", "No such file"]);
    refused("x.npy --axes 0 --onto big.npy", &["big.npy", "byte order"]);
    refused("big.npy --axes 0", &["big.npy", "byte order"]);
    refused("text.npy --axes 0", &["text.npy", "numbers", "<U2"]);
    refused("x.npy --axes 0 --threads 0", &["--threads"]);
    place.refused(&["sum-to", "x.npy", "--axes", "0"], &["--output"]);
    place.refused(&["sum-to", "x.npy", "--axes", "0", "-o", "none/out.npy"], &["none/out.npy"]);
    place.refused(&["sum-to", "x.npy", "--axes", "0", "-o", "."], &["not a name"]);

    let help = String::from_utf8(place.run(&["sum-to", "--help"]).stdout).unwrap();
    for word in ["--shape", "--axes", "--keep-dims", "--times", "--onto", "--wide", "--reduction", "gradient"] {
        assert!(help.contains(word), "{word} in {help}");
    }
    assert!(String::from_utf8(place.run(&["--help"]).stdout).unwrap().contains("sum-to"));
}

/// The address space holds both inputs, but not every product of theirs.
#[cfg(target_os = "linux")]
#[test]
fn a_result_without_room_is_refused() {
    let place = Place::new();
    place.put("x.npy", &array("'|u1'", &[1 << 14, 1], &vec![1_u8; 1 << 14]).bytes());
    place.put("y.npy", &array("'|u1'", &[1, 1 << 16], &vec![1_u8; 1 << 16]).bytes());
    let line = "ulimit -v 600000; exec \"$0\" sum-to x.npy --times y.npy --axes '' --threads 1 -o out.npy";
    crate::check_refused(&place.shell(line), &["sum-to"], &["not enough memory", "1073741824 bytes"]);
    assert_eq!(place.names(), ["x.npy", "y.npy"]);
}
