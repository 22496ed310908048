//! The list of sums that have kernels of their own: of what, and in what they are computed. Other reductions are joined by
//! the kernels of elementwise functions.

use crate::list::{Class, HALVES, WORDS};

/// How elements become what is accumulated, as `engine::reduce::kernel` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// As they are.
    Same,
    /// As f32.
    Halves,
    /// Extended to 64 bits.
    Integers,
}

/// Which sum: the index of the look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Of elements, to their type or of halves to f32.
    Plain,
    /// Of integers, to 64 bits.
    Wide,
    /// Of the products of two operands.
    Product,
}

/// Every form, in the order of the enum.
pub const FORMS: &[Form] = &[Form::Plain, Form::Wide, Form::Product];

/// A sum of the types of a class.
pub struct Row {
    /// Prefix of its kernels' names.
    pub name: &'static str,
    pub form: Form,
    pub take: Take,
    pub class: Class,
    /// Levels that have kernels of it; the others fall back.
    pub isas: &'static [&'static str],
}

const fn row(form: Form, take: Take, class: Class, isas: &'static [&'static str]) -> Row {
    let name = match form {
        Form::Plain => "sum",
        Form::Wide => "sum_wide",
        Form::Product => "sum_product",
    };
    Row { name, form, take, class, isas }
}

const ALL: &[&str] = &["Scalar", "Avx2", "Avx512", "Neon"];

/// Levels of what is added as fast by 32-byte vectors, or faster: 4096 x 4096 f64 down the rows take 5.2 ms by them, and 5.9
/// by 64-byte ones.
const HALF: &[&str] = &["Scalar", "Avx2", "Neon"];

const SINGLE: Class = &[("f32", &["F32"])];
const DOUBLE: Class = &[("f64", &["F64"])];
const SMALL_SIGNED: Class = &[("i8", &["I8"]), ("i16", &["I16"]), ("i32", &["I32"])];
const SMALL_UNSIGNED: Class = &[("u8", &["U8"]), ("u16", &["U16"]), ("u32", &["U32"])];

/// Every sum. Those of complex numbers are sums of their parts, and a mean is a sum that is divided.
pub const SUMS: &[Row] = &[
    row(Form::Plain, Take::Same, WORDS, HALF),
    row(Form::Plain, Take::Same, SINGLE, ALL),
    row(Form::Plain, Take::Same, DOUBLE, HALF),
    row(Form::Plain, Take::Halves, HALVES, ALL),
    row(Form::Wide, Take::Integers, SMALL_SIGNED, HALF),
    row(Form::Wide, Take::Integers, SMALL_UNSIGNED, HALF),
    row(Form::Product, Take::Same, SINGLE, ALL),
    row(Form::Product, Take::Same, DOUBLE, HALF),
    row(Form::Product, Take::Halves, HALVES, ALL),
];
