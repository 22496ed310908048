//! Values in, values out.

use half::{bf16, f16};
use stridecast::View;

use crate::common::Sample;
use crate::parse::{Kind, number, rows, shape, shapes};
use crate::{assert_elements, counted};

#[test]
fn numpy_values() {
    check_value_table(include_str!("../data/values/numpy.txt"), 16);
}

#[test]
fn openvino_values() {
    check_value_table(include_str!("../data/values/openvino.txt"), 14);
}

#[test]
fn ngraph_values() {
    check_value_table(include_str!("../data/values/ngraph.txt"), 26);
}

#[test]
fn onnx_values() {
    check_value_table(include_str!("../data/values/onnx.txt"), 11);
}

#[test]
fn owl_values() {
    check_value_table(include_str!("../data/values/owl.txt"), 41);
}

/// Checks all rows, for the twelve element types that OpenVINO's reference tests run.
#[track_caller]
fn check_value_table(table: &str, rows_typed: usize) {
    let rows = rows(table, 7);
    assert!(rows.len() >= rows_typed, "{} rows, {rows_typed} were typed", rows.len());
    for (line, cells) in &rows {
        check_values::<i8>(*line, cells);
        check_values::<i16>(*line, cells);
        check_values::<i32>(*line, cells);
        check_values::<i64>(*line, cells);
        check_values::<u8>(*line, cells);
        check_values::<u16>(*line, cells);
        check_values::<u32>(*line, cells);
        check_values::<u64>(*line, cells);
        check_values::<bf16>(*line, cells);
        check_values::<f16>(*line, cells);
        check_values::<f32>(*line, cells);
        check_values::<f64>(*line, cells);
    }
}

fn check_values<T: Sample>(line: usize, cells: &[&str]) {
    let name = format!("line {line}: {}", cells.join(" | "));
    let (kind, flip) = cells[0].split_once(" flip:").map_or((cells[0], None), |(kind, axis)| (kind, Some(axis)));
    let kind = Kind::parse(kind);
    let (source, expected) = (shape(cells[1]), shape(cells[4]));
    let (data, want): (Vec<T>, Vec<T>) = (values(cells[2]), values(cells[5]));
    let view = View::new(&data, &source).expect(&name);
    let out = match kind.rule() {
        None => counted(&kind, &view, &shapes(cells[3])),
        Some(rule) => {
            let wide = view.broadcast(&shape(cells[3]), rule).expect(&name);
            let wide = flip.map_or(wide.clone(), |axis| wide.flip(number(axis)).expect(&name));
            wide.to_tensor().expect(&name)
        }
    };
    assert_eq!(out.shape(), expected, "{name}");
    assert_elements(out.as_slice(), &want, &name);
}

/// Number n is the n-th sample of the type.
fn values<T: Sample>(text: &str) -> Vec<T> {
    match text {
        "." => Vec::new(),
        numbers => numbers.split_whitespace().map(|n| T::nth(number(n))).collect(),
    }
}
