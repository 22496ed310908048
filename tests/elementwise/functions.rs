//! Functions of the user: closures of one to three operands, what they capture, and elements of all sizes.

use std::fmt::Debug;
use std::num::NonZeroU32;

use bytemuck::Zeroable;
use stridecast::{BroadcastError, Function, Layout, MapPlan, Options, Stores, View, ViewMut, Views};
use stridecast::{map, map_into, map_into_with, map_with};

use crate::common::naive;
use crate::lab::levels;

fn floats(len: usize) -> Vec<f32> {
    (0..len).map(|n| (n * 37 % 101) as f32 / 4.0 - 12.0).collect()
}

/// That `function` of `views` is `expected`, in C order, on every level and in every form.
fn check<F, V>(function: &F, views: V, shape: &[usize], expected: &[F::Output])
where
    F: Function<V::Elements>,
    V: Views + Copy,
    F::Output: PartialEq + Debug + Copy,
{
    let same = |given: &[F::Output], how: &str| {
        assert_eq!(given.len(), expected.len(), "{how}");
        if let Some(at) = (0..expected.len()).find(|&i| given[i] != expected[i]) {
            panic!("{how}: element {at} of {shape:?} is {:?}, not {:?}", given[at], expected[at]);
        }
    };
    let tensor = map(function, views).unwrap();
    assert_eq!(tensor.shape(), shape);
    same(tensor.as_slice(), "map");
    let zero = F::Output::zeroed();
    let mut buffer = vec![zero; expected.len()];
    map_into(function, views, &mut buffer).unwrap();
    same(&buffer, "map_into");
    // Every other element, from the last to the first, so that what lies between can be looked at.
    let strides: Vec<_> = naive::c_strides(shape).iter().map(|stride| -2 * stride).collect();
    let offset = 2 * expected.len().saturating_sub(1);
    for isa in levels() {
        for options in [Options::new(), Options::new().stores(Stores::Streaming)].map(|options| options.isa(isa)) {
            same(map_with(function, views, options).unwrap().as_slice(), isa.name());
            let mut room = vec![zero; 2 * expected.len()];
            let out = ViewMut::with_strides(&mut room, offset, shape, &strides).unwrap();
            map_into_with(function, views, out, options).unwrap();
            let backwards: Vec<_> = (0..expected.len()).map(|i| room[offset - 2 * i]).collect();
            same(&backwards, "a strided output");
            assert!((0..expected.len()).all(|i| room[2 * i + 1] == zero), "what lies between elements was written");
        }
    }
}

#[test]
fn one_operand_of_every_length() {
    for len in (0..=130).chain([5000]) {
        let (data, scale, shift) = (floats(len), [2.5_f32, 7.0], 1.25);
        let expected: Vec<_> = data.iter().map(|x| x * scale[0] - shift).collect();
        // A tensor of the captured state, by reference.
        check(&|x: f32| x * scale[0] - shift, (&View::new(&data, &[len]).unwrap(),), &[len], &expected);
    }
}

#[test]
fn operands_of_other_types_that_broadcast() {
    const ROWS: usize = 35;
    const COLS: usize = 70;
    let (rows, cols) = (ROWS, COLS);
    let matrix = floats(rows * cols);
    let counts: Vec<u8> = (0..cols).map(|n| n as u8).collect();
    let flags: Vec<bool> = (0..rows).map(|n| n % 3 == 0).collect();
    let of = |x: f32, n: u8, flag: bool| if flag { f64::from(x) - f64::from(n) } else { f64::from(n) / 2.0 };
    let expected = |turned: bool| -> Vec<f64> {
        let at = |i: usize, j: usize| if turned { matrix[j * rows + i] } else { matrix[i * cols + j] };
        (0..rows * cols).map(|i| of(at(i / cols, i % cols), counts[i % cols], flags[i / cols])).collect()
    };
    let (row, column) = (View::new(&counts, &[COLS]).unwrap(), View::new(&flags, &[ROWS, 1]).unwrap());
    let plain = View::new(&matrix, &[ROWS, COLS]).unwrap();
    check(&of, (&plain, &row, &column), &[rows, cols], &expected(false));
    let turned = View::new(&matrix, &[COLS, ROWS]).unwrap().transpose();
    check(&of, (&turned, &row, &column), &[rows, cols], &expected(true));
    // Two operands, of which neither has the output's shape; the first told from the second.
    let outer: Vec<i16> = (0..rows * cols).map(|i| i16::from(flags[i / cols]) - i16::from(counts[i % cols])).collect();
    check(&|flag: bool, n: u8| i16::from(flag) - i16::from(n), (&column, &row), &[rows, cols], &outer);
}

#[test]
fn elements_of_every_size() {
    let (a, b) = (floats(600), [10_u8, 20, 30]);
    let (tall, short) = (View::new(&a, &[200, 3]).unwrap(), View::new(&b, &[3]).unwrap());
    fn each<O: Copy>(a: &[f32], b: &[u8], of: impl Fn(f32, u8) -> O) -> Vec<O> {
        (0..a.len()).map(|i| of(a[i], b[i % b.len()])).collect()
    }
    let byte = |x: f32, n: u8| (x as i8 as u8).wrapping_add(n);
    check(&byte, (&tall, &short), &[200, 3], &each(&a, &b, byte));
    let three = |x: f32, n: u8| [n, x as i8 as u8, 3];
    check(&three, (&tall, &short), &[200, 3], &each(&a, &b, three));
    let six = |x: f32, n: u8| [x as i16, i16::from(n), -1];
    check(&six, (&tall, &short), &[200, 3], &each(&a, &b, six));
    let twelve = |x: f32, n: u8| [x, f32::from(n), x - 1.0];
    check(&twelve, (&tall, &short), &[200, 3], &each(&a, &b, twelve));
    let sixteen = |x: f32, n: u8| u128::from(n) << 100 | u128::from(x.to_bits());
    check(&sixteen, (&tall, &short), &[200, 3], &each(&a, &b, sixteen));
    // And operands of such sizes.
    let pixels: Vec<[u8; 3]> = (0..200).map(|n| [n, n ^ 0x55, !n]).collect();
    let pixels = View::new(&pixels, &[200, 1]).unwrap();
    let expected: Vec<_> = (0..600).map(|i| u32::from(pixels.data()[i / 3][1]) * 256 + u32::from(b[i % 3])).collect();
    check(&|p: [u8; 3], n: u8| u32::from(p[1]) * 256 + u32::from(n), (&pixels, &short), &[200, 3], &expected);
}

/// A function that is no closure, with state, and with blocks of its own that use the level's vectors.
struct Shifted {
    by: f32,
}

impl Function<(f32, f32)> for Shifted {
    type Output = f32;
    const HEAVY: bool = true;

    fn call(&self, (a, b): (f32, f32)) -> f32 {
        a - b + self.by
    }

    #[inline(always)]
    fn block<S: pulp::Simd, const L: usize>(&self, simd: S, (a, b): (&[f32; L], &[f32; L])) -> [f32; L] {
        let mut out = [0.0; L];
        let by = simd.splat_f32s(self.by);
        let (a, _) = S::as_simd_f32s(a);
        let (b, _) = S::as_simd_f32s(b);
        let (vectors, _) = S::as_mut_simd_f32s(&mut out);
        for ((out, &a), &b) in vectors.iter_mut().zip(a).zip(b) {
            *out = simd.add_f32s(simd.sub_f32s(a, b), by);
        }
        out
    }
}

#[test]
fn functions_with_blocks_of_their_own() {
    for (rows, cols) in [(1, 1), (3, 5), (40, 3), (2, 33), (5, 64), (3, 1000)] {
        let (a, b) = (floats(rows * cols), floats(cols));
        let (shape, row) = ([rows, cols], [cols]);
        let (matrix, row) = (View::new(&a, &shape).unwrap(), View::new(&b, &row).unwrap());
        let expected: Vec<_> = (0..a.len()).map(|i| a[i] - b[i % cols] + 0.5).collect();
        check(&Shifted { by: 0.5 }, (&matrix, &row), &shape, &expected);
    }
}

#[test]
fn a_plan_is_for_shapes_and_takes_any_function() {
    let (a, b) = (floats(60), floats(3));
    let layouts = [Layout::new(&[20, 3]).unwrap(), Layout::new(&[3]).unwrap()];
    let plan = MapPlan::<(f32, f32)>::new::<f32>(&[&layouts[0], &layouts[1]], Options::new()).unwrap();
    let mut out = vec![0.0; 60];
    for by in [0.0, 1.0] {
        plan.run(&|x: f32, y: f32| x - y + by, (&a[..], &b[..]), &mut out).unwrap();
        assert!((0..60).all(|i| out[i] == a[i] - b[i % 3] + by));
        plan.run(&Shifted { by }, (&a[..], &b[..]), &mut out).unwrap();
        assert!((0..60).all(|i| out[i] == a[i] - b[i % 3] + by));
    }
    let before = out.clone();
    let sub = |x: f32, y: f32| x - y;
    assert!(matches!(plan.run(&sub, (&a[..59], &b[..]), &mut out), Err(BroadcastError::LengthMismatch { .. })));
    assert!(matches!(plan.run(&sub, (&a[..], &b[..2]), &mut out), Err(BroadcastError::LengthMismatch { .. })));
    assert!(matches!(plan.run(&sub, (&a[..], &b[..]), &mut out[..59]), Err(BroadcastError::LengthMismatch { .. })));
    // Elements that differ in size from those of the plan.
    let mut wide = vec![0.0_f64; 60];
    assert!(plan.run(&|x: f32, y: f32| f64::from(x - y), (&a[..], &b[..]), &mut wide).is_err());
    assert!(wide.iter().all(|&x| x == 0.0) && out == before);
}

#[test]
fn refusals_write_nothing() {
    let (a, b) = (floats(6), floats(4));
    let (a, b) = (View::new(&a, &[2, 3]).unwrap(), View::new(&b, &[4]).unwrap());
    let sub = |x: f32, y: f32| x - y;
    assert!(matches!(map(&sub, (&a, &b)), Err(BroadcastError::NotMutual { .. })));
    let mut out = [7.0; 6];
    assert!(matches!(map_into(&sub, (&a, &a), &mut out[..5]), Err(BroadcastError::LengthMismatch { .. })));
    let wrong = ViewMut::new(&mut out, &[3, 2]).unwrap();
    assert!(matches!(map_into(&sub, (&a, &a), wrong), Err(BroadcastError::ShapeMismatch { .. })));
    assert_eq!(out, [7.0; 6]);
}

#[cfg(feature = "rayon")]
#[test]
fn threads_share_what_is_captured() {
    const COLS: usize = 300_000;
    let (a, table) = (floats(COLS), floats(17));
    let (matrix, column) = (View::new(&a, &[1, COLS]).unwrap(), View::new(&table[..3], &[3, 1]).unwrap());
    let of = |x: f32, y: f32| x - table[(y * 4.0 + 48.0) as usize % 17];
    let expected: Vec<_> = (0..3 * COLS).map(|i| of(a[i % COLS], table[i / COLS])).collect();
    for threads in [1, 2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let given = pool.install(|| map(&of, (&matrix, &column))).unwrap();
        assert!(given.as_slice() == expected, "{threads} threads");
    }
}

/// Ends of rows are computed with others of the row's own elements beside them: not with zeros, by which a function may
/// divide or which are no value of its operand's type.
#[test]
fn functions_are_given_elements_of_their_operands_only() {
    let quotient = |a: u32, by: NonZeroU32| a / by;
    let distance = |a: u16, b: u16, c: [u8; 3]| {
        assert!(a > 0 && b > 0 && !c.contains(&0), "an element that is none of its operand's");
        a / b + u16::from(c[2])
    };
    for (rows, cols) in [(1, 1), (1, 5), (3, 7), (5, 31), (20, 33), (40, 1), (3, 100), (2, 5000)] {
        let len = rows * cols;
        let a: Vec<u32> = (0..len as u32).map(|i| i * 7 + 3).collect();
        let by: Vec<_> = (0..len as u32).map(|i| NonZeroU32::new(i % 5 + 1).unwrap()).collect();
        let shape = [rows, cols];
        let (dense, row) = (View::new(&by, &shape).unwrap(), View::new(&by[..cols], &shape[1..]).unwrap());
        let column = View::with_strides(&by, 0, &shape, &[1, 0]).unwrap();
        for wide in [dense, row.broadcast_to(&shape).unwrap(), column] {
            let expected: Vec<_> = a.iter().zip(wide.iter()).map(|(a, by)| a / by.get()).collect();
            check(&quotient, (&View::new(&a, &shape).unwrap(), &wide), &shape, &expected);
        }
        let x: Vec<u16> = (0..len).map(|i| (i % 999 + 1) as u16).collect();
        let z: Vec<[u8; 3]> = (0..len).map(|i| [1, 2, (i % 200 + 1) as u8]).collect();
        let expected: Vec<_> = (0..len).map(|i| distance(x[i], x[len - 1 - i], z[i])).collect();
        let back = View::new(&x, &shape).unwrap().flip(0).unwrap().flip(1).unwrap();
        let views = (&View::new(&x, &shape).unwrap(), &back, &View::new(&z, &shape).unwrap());
        check(&distance, views, &shape, &expected);
    }
}
