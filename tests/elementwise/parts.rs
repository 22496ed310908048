//! Plans in pieces, and functions of f32 on halves.

use half::{bf16, f16};
use stridecast::{AsF32, BroadcastError, DType, Isa, Layout, Op, OpPlan, Options, Rule, View, map_with};

/// Pieces in any order give what the whole run gives, whatever the walk is: rows, short rows, transposed operands.
#[test]
fn pieces_are_the_whole() {
    let a: Vec<f32> = (0..6000).map(|i| (i * 7 % 83) as f32).collect();
    let b: Vec<f32> = (0..6000).map(|i| (i * 5 % 71) as f32 - 9.0).collect();
    let dense = Layout::new(&[60, 100]).unwrap();
    let cases = [
        (dense.clone(), Layout::new(&[100]).unwrap()),
        (dense.clone(), Layout::new(&[100, 60]).unwrap().transpose()),
        (Layout::new(&[2000, 3]).unwrap(), Layout::new(&[3]).unwrap()),
        (Layout::new(&[2000, 3]).unwrap(), Layout::new(&[2000, 1]).unwrap()),
        (Layout::new(&[6000]).unwrap(), Layout::new(&[6000]).unwrap().flip(0).unwrap()),
    ];
    for (op, output) in [(Op::Sub, DType::F32), (Op::Gt, DType::Bool)] {
        for (left, right) in &cases {
            let plan = OpPlan::new(op, &[(DType::F32, left), (DType::F32, right)], output, Options::new()).unwrap();
            for n in [1, 2, 3, 7, 1000] {
                let parts = plan.parts(n).unwrap();
                assert!(parts.len() <= n && (parts.len() == n || n == 1000));
                let mut at = 0;
                macro_rules! compare {
                    ($of:ty, $zero:expr) => {{
                        let (mut whole, mut pieces): (Vec<$of>, Vec<$of>) = (vec![$zero; 6000], vec![$zero; 6000]);
                        plan.run((&a[..], &b[..]), &mut whole).unwrap();
                        for i in (0..parts.len()).rev() {
                            parts.run_part(i, (&a[..], &b[..]), &mut pieces[parts.range(i)]).unwrap();
                            at += parts.range(i).len();
                        }
                        assert_eq!(whole, pieces, "{op} in {n} pieces\n{plan}");
                    }};
                }
                if output == DType::F32 {
                    compare!(f32, 0.0)
                } else {
                    compare!(bool, false)
                }
                assert_eq!(at, 6000);
            }
        }
    }
}

#[test]
fn pieces_refuse_what_a_run_refuses() {
    let (wide, row) = (Layout::new(&[2, 100]).unwrap(), Layout::new(&[100]).unwrap());
    let inputs = [(DType::I32, &wide), (DType::I32, &row)];
    let plan = OpPlan::new(Op::Div, &inputs, DType::I32, Options::new()).unwrap();
    let parts = plan.parts(2).unwrap();
    let (a, mut b, mut out) = (vec![8_i32; 200], vec![2_i32; 100], vec![7_i32; 200]);
    let range = parts.range(1);
    let short = parts.run_part(1, (&a[..], &b[..]), &mut out[..3]).unwrap_err();
    assert_eq!(short, BroadcastError::LengthMismatch { what: "part's output", expected: range.len(), got: 3 });
    b[99] = 0;
    let zero = parts.run_part(0, (&a[..], &b[..]), &mut out[parts.range(0)]).unwrap_err();
    assert_eq!(zero, BroadcastError::DivisionByZero { op: Op::Div });
    assert_eq!(out, [7; 200]);
    let gaps = Layout::strided(0, &[2, 100], &[101, 1]).unwrap();
    let plan = OpPlan::with_output(Op::Div, &inputs, DType::I32, &gaps, Options::new()).unwrap();
    assert!(matches!(plan.parts(2), Err(BroadcastError::NotDense { .. })));
}

/// A function of f32 on halves is the same, element by element, with one rounding, on every level.
#[test]
fn a_function_of_f32_on_halves() {
    let numbers: Vec<f32> = (0..900).map(|i| (i * 29 % 257) as f32 / 16.0 - 7.0).collect();
    let shape = [9, 100];
    macro_rules! check {
        ($half:ident) => {{
            let x: Vec<$half> = numbers.iter().map(|&x| $half::from_f32(x)).collect();
            let row: Vec<$half> = x[..100].iter().map(|x| $half::from_f32(x.to_f32() * 0.5 + 2.0)).collect();
            let view = View::new(&x, &shape).unwrap();
            let (row, column) = (View::new(&row, &[100]).unwrap(), View::new(&x[..9], &[9]).unwrap());
            let column = column.broadcast(&shape, Rule::AxesMapping(&[0])).unwrap();
            let (one, two, three) = (|a: f32| a * a - 1.0, |a: f32, b: f32| a / b, |a: f32, b: f32, c: f32| a * b - c);
            for isa in Isa::available() {
                let options = Options::new().isa(isa);
                let [a, b, c] = [
                    map_with(&AsF32(one), (&view,), options).unwrap(),
                    map_with(&AsF32(two), (&view, &row), options).unwrap(),
                    map_with(&AsF32(three), (&view, &row, &column), options).unwrap(),
                ];
                for i in 0..x.len() {
                    let (p, q, r) = (x[i].to_f32(), row.data()[i % 100].to_f32(), x[i / 100].to_f32());
                    assert_eq!(a.as_slice()[i], $half::from_f32(one(p)), "{isa} {i}");
                    assert_eq!(b.as_slice()[i], $half::from_f32(two(p, q)), "{isa} {i}");
                    assert_eq!(c.as_slice()[i], $half::from_f32(three(p, q, r)), "{isa} {i}");
                }
            }
        }};
    }
    check!(f16);
    check!(bf16);
}
