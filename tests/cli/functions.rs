//! `apply`, what it computes: every function against plain arithmetic, on every element type.

use crate::Place;
use crate::npy::Npy;

/// An array of numbers.
pub fn array<T: bytemuck::NoUninit>(descr: &str, shape: &[usize], values: &[T]) -> Npy {
    let data = bytemuck::cast_slice(values).to_vec();
    assert_eq!(data.len(), shape.iter().product::<usize>() * size_of::<T>());
    Npy { data, ..Npy::new(descr, size_of::<T>(), shape) }
}

pub fn doubles(shape: &[usize], values: &[f64]) -> Npy {
    array("'<f8'", shape, values)
}

/// Numbers of a result.
pub fn values<T: bytemuck::AnyBitPattern>(npy: &Npy) -> Vec<T> {
    npy.data.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

const A: [f64; 6] = [1.5, -2.0, f64::NAN, 0.0, 7.25, -0.5];
const B: [f64; 3] = [2.0, -2.0, 0.25];
const C: [f64; 2] = [0.75, -1.0];

/// `a` is [2, 3], `b` is [3], `c` is [2, 1].
pub fn operands(place: &Place) {
    place.put("a.npy", &doubles(&[2, 3], &A).bytes());
    place.put("b.npy", &doubles(&[3], &B).bytes());
    place.put("c.npy", &doubles(&[2, 1], &C).bytes());
}

pub fn each(f: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
    (0..6).map(|i| f(A[i], B[i % 3], C[i / 3])).collect()
}

/// Equal, two NaNs too, or apart by at most `ulps` of the larger.
pub fn assert_near(got: &[f64], want: &[f64], ulps: f64, of: &str) {
    assert_eq!(got.len(), want.len(), "{of}");
    for (x, y) in got.iter().zip(want) {
        let near = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= ulps * f64::EPSILON * y.abs();
        assert!(near, "{of}: {got:?}, not {want:?}");
    }
}

#[test]
fn every_function_of_numbers() {
    let place = Place::new();
    operands(&place);
    let nan_or = |a: f64, b: f64, x: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { x };
    let rest = |a: f64, b: f64| if a % b != 0.0 && (a % b < 0.0) != (b < 0.0) { a % b + b } else { a % b };
    type Call<'c> = (&'c str, Vec<f64>);
    let two: [Call<'_>; 15] = [
        ("add", each(|a, b, _| a + b)),
        ("sub", each(|a, b, _| a - b)),
        ("mul", each(|a, b, _| a * b)),
        ("div", each(|a, b, _| a / b)),
        ("minimum", each(|a, b, _| nan_or(a, b, a.min(b)))),
        ("maximum", each(|a, b, _| nan_or(a, b, a.max(b)))),
        ("fmin", each(|a, b, _| a.min(b))),
        ("fmax", each(|a, b, _| a.max(b))),
        ("pow", each(|a, b, _| a.powf(b))),
        ("atan2", each(|a, b, _| a.atan2(b))),
        ("hypot", each(|a, b, _| a.hypot(b))),
        ("fmod", each(|a, b, _| a % b)),
        ("remainder", each(|a, b, _| rest(a, b))),
        ("sum", each(|a, b, _| a + b)),
        ("mean", each(|a, b, _| (a + b) / 2.0)),
    ];
    let three: [Call<'_>; 6] = [
        ("mul_add", each(|a, b, c| a.mul_add(b, c))),
        ("clamp", each(|a, b, c| nan_or(a, a, a.max(b).min(c)))),
        ("sum", each(|a, b, c| a + b + c)),
        ("mean", each(|a, b, c| (a + b + c) / 3.0)),
        ("minimum", each(|a, b, c| nan_or(a, b, a.min(b).min(c)))),
        ("maximum", each(|a, b, c| nan_or(a, b, a.max(b).max(c)))),
    ];
    let one = ["sum", "mean", "minimum", "maximum"].map(|name| (name, A.to_vec()));
    for (files, calls) in [(3, &three[..]), (2, &two), (1, &one)] {
        for (name, want) in calls {
            let got = place.result(&[&["apply", name], &["a.npy", "b.npy", "c.npy"][..files]].concat(), 8);
            assert_eq!((got.descr.as_str(), &*got.shape), ("'<f8'", &[2, 3][..]), "{name}");
            let rounded = ["pow", "atan2", "hypot"].contains(name);
            assert_near(&values(&got), want, if rounded { 2.0 } else { 0.0 }, name);
        }
    }
    // The order of the operands is theirs.
    let got = place.result(&["apply", "sub", "c.npy", "b.npy"], 8);
    assert_eq!(values::<f64>(&got), [-1.25, 2.75, 0.5, -3.0, 1.0, -1.25]);
}

#[test]
fn every_comparison_and_what_it_gives() {
    let place = Place::new();
    operands(&place);
    type Test<'t> = (&'t str, fn(f64, f64) -> bool);
    let tests: [Test<'_>; 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    for (name, test) in tests {
        let want: Vec<u8> = (0..6).map(|i| test(A[i], B[i % 3]).into()).collect();
        let args = ["apply", name, "a.npy", "b.npy"];
        let got = place.result(&args, 1);
        assert_eq!((got.descr.as_str(), &got.data), ("'|b1'", &want), "{name}");
        let got = place.result(&[&args[..], &["--out-dtype", "u8"]].concat(), 1);
        assert_eq!((got.descr.as_str(), &got.data), ("'|u1'", &want), "{name}");
        let got = place.result(&[&args[..], &["--out-dtype", "f64"]].concat(), 8);
        let want: Vec<f64> = want.iter().map(|&truth| truth.into()).collect();
        assert_eq!((got.descr.as_str(), values::<f64>(&got)), ("'<f8'", want), "{name}");
    }
    place.put("x.npy", &doubles(&[4], &[100.0, 100.0005, 100.2, f64::NAN]).bytes());
    place.put("y.npy", &doubles(&[], &[100.0]).bytes());
    for (distances, want) in [
        (&[][..], [1, 1, 0, 0]),
        (&["--rtol", "0"], [1, 0, 0, 0]),
        (&["--atol", "0.5", "--rtol", "0"], [1, 1, 1, 0]),
        (&["--rtol", "0.01"], [1, 1, 1, 0]),
    ] {
        let got = place.result(&[&["apply", "approx_eq", "x.npy", "y.npy"], distances].concat(), 1);
        assert_eq!((got.descr.as_str(), got.data), ("'|b1'", want.to_vec()), "{distances:?}");
    }
    place.put("mask.npy", &array("'|b1'", &[2, 1], &[1_u8, 0]).bytes());
    let got = place.result(&["apply", "where", "mask.npy", "b.npy", "c.npy"], 8);
    assert_eq!(values::<f64>(&got), [2.0, -2.0, 0.25, -1.0, -1.0, -1.0]);
}

#[test]
fn integers_and_their_bits() {
    let place = Place::new();
    let (x, y) = ([12_i16, -10, 7, i16::MAX], [6_i16, 3, -2, 15]);
    place.put("x.npy", &array("'<i2'", &[4], &x).bytes());
    place.put("y.npy", &array("'<i2'", &[4], &y).bytes());
    type Call<'c> = (&'c str, fn(i16, i16) -> i16);
    let calls: [Call<'_>; 10] = [
        ("and", |x, y| x & y),
        ("or", |x, y| x | y),
        ("xor", |x, y| x ^ y),
        ("shl", |x, y| if (0..16).contains(&y) { x << y } else { 0 }),
        ("shr", |x, y| x >> if (0..16).contains(&y) { y } else { 15 }),
        ("add", i16::wrapping_add),
        ("mul", i16::wrapping_mul),
        ("div", i16::wrapping_div),
        ("fmod", i16::wrapping_rem),
        ("remainder", |x, y| if x % y != 0 && (x % y < 0) != (y < 0) { x % y + y } else { x % y }),
    ];
    for (name, call) in calls {
        let want: Vec<i16> = x.iter().zip(y).map(|(&x, y)| call(x, y)).collect();
        assert_eq!(values::<i16>(&place.result(&["apply", name, "x.npy", "y.npy"], 2)), want, "{name}");
    }
    // The exponent may have another type, the base decides.
    place.put("e.npy", &array("'<f4'", &[], &[0.5_f32]).bytes());
    place.put("x.npy", &array("'<i2'", &[3], &[9_i16, 16, -1]).bytes());
    assert_eq!(values::<i16>(&place.result(&["apply", "pow", "x.npy", "e.npy"], 2)), [3, 4, 0]);
}

/// Every element type goes in and comes out; bfloat16 is raw bytes to NumPy.
#[test]
fn element_types() {
    let place = Place::new();
    let types =
        [("|i1", 1), ("|u1", 1), ("<i2", 2), ("<u2", 2), ("<i4", 4), ("<u4", 4), ("<i8", 8), ("<u8", 8), ("=u4", 4)];
    for (descr, item) in types {
        // The number 3 in one array, twice the number 5 in the other.
        let number = |x: u8| [vec![x], vec![0; item - 1]].concat();
        let quoted = format!("'{descr}'");
        let three = Npy { data: number(3), ..Npy::new(&quoted, item, &[1, 1]) };
        let fives = Npy { data: [number(5), number(5)].concat(), ..Npy::new(&quoted, item, &[2]) };
        place.put("x.npy", &three.bytes());
        place.put("y.npy", &fives.bytes());
        let got = place.result(&["apply", "add", "x.npy", "y.npy"], item);
        assert_eq!((got.data, &*got.shape), ([number(8), number(8)].concat(), &[1, 2][..]), "{descr}");
        assert_eq!(got.descr, quoted.replace('=', "<"));
    }
    // 1.5 and 2.25 as halves, and their sum; c8 is (1.5, 0) and (2.25, 0).
    for (descr, flags, item, x, y, sum) in [
        ("'<f2'", &[][..], 2, 0x3e00_u64, 0x4080, 0x4380),
        ("'<V2'", &["--dtype", "bf16"], 2, 0x3fc0, 0x4010, 0x4070),
        ("'|V2'", &["--dtype", "bf16"], 2, 0x3fc0, 0x4010, 0x4070),
        ("'<f4'", &["--dtype", "bf16"], 4, 0x3fc0_0000, 0x4010_0000, 0x4070_0000),
        ("'<c8'", &[], 8, 0x3fc0_0000, 0x4010_0000, 0x4070_0000),
    ] {
        let one = |bits: u64| Npy { data: bits.to_le_bytes()[..item].to_vec(), ..Npy::new(descr, item, &[]) };
        place.put("x.npy", &one(x).bytes());
        place.put("y.npy", &one(y).bytes());
        let got = place.result(&[&["apply", "add", "x.npy", "y.npy"], flags].concat(), item);
        assert_eq!((got.descr, got.data), (descr.replace('|', "<"), one(sum).data), "{descr}");
        if item == 2 && !flags.is_empty() {
            let kept = place.result(&["apply", "lt", "x.npy", "y.npy", "--dtype", "bf16", "--out-dtype", "bf16"], 2);
            assert_eq!((kept.descr.as_str(), &*kept.data), ("'<V2'", &0x3f80_u16.to_le_bytes()[..]));
            place.refused(&["apply", "add", "x.npy", "y.npy", "-o", "o.npy"], &["x.npy", "--dtype bf16"]);
        }
    }
}
