//! What is defined: every function with the types that it takes and gives, by hand.

use stridecast::{BroadcastError, DType, Layout, Op, OpPlan, Options};

use DType::{BF16, Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use Op::{
    Add, And, ApproxEq, Atan2, Clamp, Div, Eq, Fmax, Fmin, Fmod, Ge, Gt, Hypot, Le, Lt, Maximum, Minimum, Mul, MulAdd,
    Ne, Or, Pow, Remainder, Shl, Shr, Sub, Where, Xor,
};

const INTEGERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64];
const FLOATS: &[DType] = &[F16, BF16, F32, F64];
const COMPLEX: &[DType] = &[C64, C128];

/// Functions of operands of one type, and the types.
const OF_ONE_TYPE: &[(&[Op], &[&[DType]])] = &[
    (&[Add, Sub, Mul, Div], &[INTEGERS, FLOATS, COMPLEX]),
    (&[Minimum, Maximum, Fmod, Remainder, MulAdd, Clamp], &[INTEGERS, FLOATS]),
    (&[Fmin, Fmax, Atan2, Hypot, ApproxEq], &[FLOATS]),
    (&[Eq, Ne], &[&[Bool], INTEGERS, FLOATS, COMPLEX]),
    (&[Lt, Le, Gt, Ge], &[&[Bool], INTEGERS, FLOATS]),
    (&[And, Or, Xor], &[&[Bool], INTEGERS]),
    (&[Shl, Shr], &[INTEGERS]),
];

const COMPARISONS: &[Op] = &[Eq, Ne, Lt, Le, Gt, Ge];

pub fn is_real(dtype: DType) -> bool {
    INTEGERS.contains(&dtype) || FLOATS.contains(&dtype)
}

/// Whether a function takes these types and gives this one.
pub fn is_defined(op: Op, inputs: &[DType], output: DType) -> bool {
    let first = inputs[0];
    match op {
        Pow => {
            let complex = COMPLEX.contains(&first) && inputs[1] == first;
            (complex || is_real(first) && is_real(inputs[1])) && output == first
        }
        Where => matches!(first, Bool | U8) && inputs[1] == inputs[2] && output == inputs[1],
        _ => {
            let row = OF_ONE_TYPE.iter().find(|(ops, _)| ops.contains(&op)).expect("every other function has a row");
            let taken = row.1.iter().any(|types| types.contains(&first)) && inputs.iter().all(|&dtype| dtype == first);
            let given = match op {
                ApproxEq => matches!(output, Bool | U8),
                op if COMPARISONS.contains(&op) => output == first || matches!(output, Bool | U8),
                _ => output == first,
            };
            taken && given
        }
    }
}

/// A function on operands of certain types.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub op: Op,
    pub inputs: Vec<DType>,
    pub output: DType,
}

/// Every signature that there could be of a function.
pub fn all_of(op: Op) -> Vec<Signature> {
    let mut lists = vec![vec![]];
    for _ in 0..op.arity() {
        lists = lists.iter().flat_map(|list| DType::ALL.iter().map(|&dtype| [&list[..], &[dtype]].concat())).collect();
    }
    let of = |inputs: &Vec<DType>| {
        let inputs = inputs.clone();
        DType::ALL.iter().map(move |&output| Signature { op, inputs: inputs.clone(), output })
    };
    lists.iter().flat_map(of).collect()
}

/// Every signature that is defined.
pub fn signatures() -> Vec<Signature> {
    let defined = |s: &Signature| is_defined(s.op, &s.inputs, s.output);
    Op::ALL.iter().flat_map(|&op| all_of(op)).filter(defined).collect()
}

#[test]
fn every_function_takes_the_types_of_the_table_and_no_others() {
    let layout = Layout::new(&[2]).unwrap();
    let (mut defined, mut wrong) = (0, vec![]);
    for signature in Op::ALL.iter().flat_map(|&op| all_of(op)) {
        let Signature { op, inputs, output } = &signature;
        let given: Vec<_> = inputs.iter().map(|&dtype| (dtype, &layout)).collect();
        let right = match OpPlan::new(*op, &given, *output, Options::new()) {
            Ok(_) => is_defined(*op, inputs, *output),
            Err(BroadcastError::Undefined { op: named, operands, output: to }) => {
                !is_defined(*op, inputs, *output) && (named, operands, to) == (*op, inputs.clone(), *output)
            }
            Err(error) => panic!("{signature:?}: {error}"),
        };
        defined += usize::from(is_defined(*op, inputs, *output));
        if !right {
            wrong.push(signature);
        }
    }
    assert!(wrong.is_empty(), "{} signatures, among them {:?}", wrong.len(), &wrong[..wrong.len().min(40)]);
    assert_eq!(defined, 605, "the table of this test has changed");
}

#[test]
fn the_usual_output_is_bool_for_tests_and_else_the_type_computed_in() {
    for Signature { op, inputs, .. } in signatures() {
        let usual = OpPlan::output_of(op, &inputs);
        let computed = inputs[usize::from(op == Where)];
        assert_eq!(usual, if COMPARISONS.contains(&op) || op == ApproxEq { Bool } else { computed }, "{op} {inputs:?}");
        assert!(is_defined(op, &inputs, usual));
    }
}

#[test]
fn a_wrong_number_of_operands_is_refused_and_names_both() {
    let layout = Layout::new(&[2]).unwrap();
    for &op in Op::ALL {
        for count in (0..=4).filter(|&count| count != op.arity()) {
            let error = OpPlan::new(op, &vec![(F32, &layout); count], F32, Options::new()).unwrap_err();
            assert_eq!(error, BroadcastError::OperandCount { expected: op.arity(), got: count }, "{op}");
        }
    }
}
