//! Shapes in, shape or error out.

use bytemuck::{AnyBitPattern, NoUninit};
use stridecast::{Layout, Options, Plan, Rule, Side, View, broadcast, broadcast_all, broadcast_shapes};

use crate::common::{naive, samples};
use crate::oracle::{self, common_shape, count};
use crate::parse::{Kind, number, rows, shape, shapes};
use crate::{assert_elements, counted};

/// Results above this are checked for their shape only; keeps the whole file at seconds without optimisation.
const CARRIED_OUT: usize = 130_000;

#[test]
fn numpy_shapes() {
    check_shape_table(include_str!("../data/shapes/numpy.txt"), 139, 110);
}

#[test]
fn openvino_shapes() {
    check_shape_table(include_str!("../data/shapes/openvino.txt"), 163, 131);
}

#[test]
fn ngraph_shapes() {
    check_shape_table(include_str!("../data/shapes/ngraph.txt"), 130, 105);
}

#[test]
fn paddle_shapes() {
    check_shape_table(include_str!("../data/shapes/paddle.txt"), 70, 54);
}

#[test]
fn onnx_shapes() {
    check_shape_table(include_str!("../data/shapes/onnx.txt"), 68, 63);
}

#[test]
fn owl_shapes() {
    check_shape_table(include_str!("../data/shapes/owl.txt"), 85, 76);
}

/// What a row is carried out with.
trait Element: AnyBitPattern + NoUninit + Send + Sync {}

impl<T: AnyBitPattern + NoUninit + Send + Sync> Element for T {}

/// The low bytes of samples: as many elements differ as their size allows, where samples of `[u8; 3]` repeat after 256.
fn distinct<T: Element>(len: usize) -> Vec<T> {
    samples::<u64>(len).iter().map(|n| bytemuck::pod_read_unaligned(&n.to_le_bytes()[..size_of::<T>()])).collect()
}

/// Runs a generic check for the three element types that every shape row is carried out with, one of an odd size,
/// which no vector width divides.
macro_rules! for_three_types {
    ($check:ident($($arg:expr),*)) => {
        $check::<u16>($($arg),*);
        $check::<f32>($($arg),*);
        $check::<[u8; 3]>($($arg),*);
    };
}

/// A row of a shape table.
struct Case<'a> {
    /// Where and what, for messages.
    name: String,
    kind: Kind,
    source: &'a str,
    target: &'a str,
    /// `None`: the call is refused.
    expected: Option<Vec<usize>>,
}

/// Checks all rows; at least `rows_typed` must be there, and at least `results` of them be carried out.
#[track_caller]
fn check_shape_table(table: &str, rows_typed: usize, results: usize) {
    let rows = rows(table, 5);
    assert!(rows.len() >= rows_typed, "{} rows, {rows_typed} were typed", rows.len());
    let carried_out = rows.iter().filter(|(line, cells)| check_case(&case(*line, cells))).count();
    assert!(carried_out >= results, "only {carried_out} rows were carried out, not {results}");
}

fn case<'a>(line: usize, cells: &[&'a str]) -> Case<'a> {
    Case {
        name: format!("line {line}: {}", cells.join(" | ")),
        kind: Kind::parse(cells[0]),
        source: cells[1],
        target: cells[2],
        expected: (cells[3] != "error").then(|| shape(cells[3])),
    }
}

/// Whether the result was small enough to be carried out.
fn check_case(case: &Case<'_>) -> bool {
    check_case_shape(case);
    let Some(expected) = &case.expected else { return false };
    if count(expected) > CARRIED_OUT {
        return false;
    }
    match case.kind {
        Kind::Mutual => {
            for_three_types!(carry_out_mutual(case, expected));
        }
        Kind::Ufunc => {
            for_three_types!(carry_out_ufunc(case));
        }
        Kind::Tile | Kind::Repeat | Kind::RepeatTile => {
            for_three_types!(carry_out_counts(case, expected));
        }
        Kind::Expand(side) => {
            for_three_types!(carry_out_expand(case, side, expected));
        }
        _ => {
            for_three_types!(carry_out_rule(case, expected));
        }
    }
    true
}

/// The shape alone, from everything that works one out.
fn check_case_shape(case: &Case<'_>) {
    let expected = case.expected.as_deref();
    let name = &case.name;
    if let Some(rule) = case.kind.rule() {
        let (source, target) = (shape(case.source), shape(case.target));
        let got = rule.output_shape(&source, &target);
        assert_eq!(got.as_deref().ok(), expected, "{name}: {got:?}");
        let plan = Plan::broadcast(&layout(&source), &target, rule, 1, Options::new());
        assert_eq!(plan.as_ref().map(Plan::output_shape).ok(), expected, "{name}: plan");
        return;
    }
    match case.kind {
        Kind::Mutual | Kind::Ufunc => check_mutual_shape(case),
        Kind::Tile | Kind::Repeat => {
            let (source, counts) = (shape(case.source), shape(case.target));
            let make = if case.kind == Kind::Tile { Plan::tile } else { Plan::repeat };
            let plan = make(&layout(&source), &counts, 1, Options::new());
            assert_eq!(plan.as_ref().map(Plan::output_shape).ok(), expected, "{name}: plan");
        }
        // Their shapes are checked where they are carried out; no row of them is too large for that.
        _ => assert!(expected.is_some_and(|shape| count(shape) <= CARRIED_OUT), "{name}"),
    }
}

fn layout(shape: &[usize]) -> Layout<'_> {
    Layout::new(shape).expect("source shapes of the tables are small")
}

/// In the order of the table and backwards; the oracle must agree with the table, too, where sizes are sane.
fn check_mutual_shape(case: &Case<'_>) {
    let mut operands = shapes(case.source);
    let expected = case.expected.as_deref();
    for order in ["as typed", "reversed"] {
        let slices: Vec<&[usize]> = operands.iter().map(Vec::as_slice).collect();
        let got = broadcast_shapes(&slices);
        assert_eq!(got.as_deref().ok(), expected, "{}, {order}: {got:?}", case.name);
        if expected.is_some() {
            assert_eq!(common_shape(&operands).as_deref(), expected, "{}: the oracle", case.name);
        }
        operands.reverse();
    }
}

fn carry_out_rule<T: Element>(case: &Case<'_>, expected: &[usize]) {
    let (source, target) = (shape(case.source), shape(case.target));
    let data: Vec<T> = distinct(count(&source));
    let rule = case.kind.rule().expect("kinds without a rule are carried out elsewhere");
    let view = View::new(&data, &source).expect(&case.name);
    let out = broadcast(&view, &target, rule).expect(&case.name);
    assert_eq!(out.shape(), expected, "{}", case.name);
    let want = oracle::ruled(&case.kind, &data, &source, &target, expected);
    assert_elements(out.as_slice(), &want, &case.name);
}

fn carry_out_counts<T: Element>(case: &Case<'_>, expected: &[usize]) {
    let (source, counts) = (shape(case.source), shapes(case.target));
    let data: Vec<T> = distinct(count(&source));
    let out = counted(&case.kind, &View::new(&data, &source).expect(&case.name), &counts);
    assert_eq!(out.shape(), expected, "{}", case.name);
    let want = oracle::counted(&case.kind, &data, &source, &counts, expected);
    assert_elements(out.as_slice(), &want, &case.name);
}

fn carry_out_expand<T: Element>(case: &Case<'_>, side: Side, expected: &[usize]) {
    let source = shape(case.source);
    let data: Vec<T> = distinct(count(&source));
    let view = View::new(&data, &source).expect(&case.name);
    let out = view.expand(number(case.target), side).to_tensor().expect(&case.name);
    assert_eq!(out.shape(), expected, "{}", case.name);
    // Axes of size 1 move no element.
    assert_elements(out.as_slice(), &data, &case.name);
}

fn carry_out_mutual<T: Element>(case: &Case<'_>, expected: &[usize]) {
    let operands = shapes(case.source);
    let data: Vec<Vec<T>> = operands.iter().map(|source| distinct(count(source))).collect();
    let views: Vec<View<'_, T>> =
        operands.iter().zip(&data).map(|(source, data)| View::new(data, source).expect(&case.name)).collect();
    let stretched = broadcast_all(&views).expect(&case.name);
    assert_eq!(stretched.len(), views.len(), "{}", case.name);
    for ((operand, data), (view, wide)) in operands.iter().zip(&data).zip(views.iter().zip(&stretched)) {
        let want = naive::broadcast(data, operand, expected);
        let out = broadcast(view, expected, Rule::Numpy).expect(&case.name);
        assert_elements(out.as_slice(), &want, &case.name);
        assert_eq!(wide.shape(), expected, "{}", case.name);
        assert_elements(wide.to_tensor().expect(&case.name).as_slice(), &want, &case.name);
    }
}

/// An operand of NumPy's "same as a ufunc" cases: C order, perhaps transposed, then perhaps back to front along axis 0.
struct Operand {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl Operand {
    fn new(shape: &[usize], transposed: bool, flipped: bool) -> Self {
        let mut shape = shape.to_vec();
        let mut strides = naive::c_strides(&shape);
        if transposed {
            shape.reverse();
            strides.reverse();
        }
        let mut offset = 0;
        if flipped {
            offset = shape[0].saturating_sub(1) * strides[0].unsigned_abs();
            strides[0] = -strides[0];
        }
        Self { shape, strides, offset }
    }
}

fn carry_out_ufunc<T: Element>(case: &Case<'_>) {
    let mut pair = shapes(case.source);
    assert_eq!(pair.len(), 2, "{}", case.name);
    // Rank 0 has no axis 0 to flip.
    let flippable = pair.iter().all(|shape| !shape.is_empty());
    for _ in 0..2 {
        for transposed in [false, true] {
            for flipped in [false, true].into_iter().filter(|&flipped| !flipped || flippable) {
                carry_out_pair::<T>(case, &pair, transposed, flipped);
            }
        }
        pair.reverse();
    }
}

fn carry_out_pair<T: Element>(case: &Case<'_>, pair: &[Vec<usize>], transposed: bool, flipped: bool) {
    let what = format!("{}, transposed {transposed}, flipped {flipped}", case.name);
    let operands: Vec<Operand> = pair.iter().map(|shape| Operand::new(shape, transposed, flipped)).collect();
    let shapes: Vec<Vec<usize>> = operands.iter().map(|operand| operand.shape.clone()).collect();
    let common = common_shape(&shapes).expect(&what);
    for operand in &operands {
        let data: Vec<T> = distinct(count(&operand.shape));
        let view = View::with_strides(&data, operand.offset, &operand.shape, &operand.strides).expect(&what);
        let out = broadcast(&view, &common, Rule::Numpy).expect(&what);
        let want = naive::broadcast_strided(&data, operand.offset, &operand.shape, &operand.strides, &common);
        assert_elements(out.as_slice(), &want, &what);
    }
}
