//! The list of reductions: what joins two elements, what is joined on which types, and what that is computed in.

use crate::list::{COMPLEX, Class, FLOATS, HALVES, SIGNED, UNSIGNED, WORDS};

/// How elements become what is accumulated, as `engine::reduce::kernel` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// As they are.
    Same,
    /// As f32.
    Halves,
    /// Extended to 64 bits.
    Integers,
    /// Two operands' products, as they are.
    Product,
    /// Two operands' products, in f32.
    HalfProduct,
}

/// Which kernel of a reduction a call takes: the index of the look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To the type of the operand, or of halves to f32.
    Plain,
    /// Of integers to 64 bits.
    Wide,
    /// Of the products of two operands.
    Product,
}

/// Every form, in the order of the enum.
pub const FORMS: &[Form] = &[Form::Plain, Form::Wide, Form::Product];

/// A reduction on the types of a class.
pub struct Row {
    /// Prefix of its kernels' names.
    pub name: &'static str,
    /// Place in the look-up.
    pub joint: &'static str,
    /// The function that joins two accumulators, of `functions/list.rs`.
    pub join: &'static str,
    pub form: Form,
    pub take: Take,
    pub class: Class,
}

const fn sum(name: &'static str, form: Form, take: Take, class: Class) -> Row {
    Row { name, joint: "Sum", join: "Add", form, take, class }
}

const fn max(take: Take, class: Class) -> Row {
    Row { name: "max", joint: "Max", join: "Maximum", form: Form::Plain, take, class }
}

const fn min(take: Take, class: Class) -> Row {
    Row { name: "min", joint: "Min", join: "Minimum", form: Form::Plain, take, class }
}

const fn prod(take: Take, class: Class) -> Row {
    Row { name: "prod", joint: "Prod", join: "Mul", form: Form::Plain, take, class }
}

/// What is joined two by two, in the order of `engine::reduce::table::Joint`.
pub const JOINTS: &[&str] = &["Sum", "Max", "Min", "Prod"];

const SMALL_SIGNED: Class = &[("i8", &["I8"]), ("i16", &["I16"]), ("i32", &["I32"])];
const SMALL_UNSIGNED: Class = &[("u8", &["U8"]), ("u16", &["U16"]), ("u32", &["U32"])];

/// Every reduction. Complex sums are sums of their parts, and a mean is a sum that is divided.
pub const REDUCTIONS: &[Row] = &[
    sum("sum", Form::Plain, Take::Same, WORDS),
    sum("sum", Form::Plain, Take::Same, FLOATS),
    sum("sum", Form::Plain, Take::Halves, HALVES),
    sum("sum_wide", Form::Wide, Take::Integers, SMALL_SIGNED),
    sum("sum_wide", Form::Wide, Take::Integers, SMALL_UNSIGNED),
    sum("sum_product", Form::Product, Take::Product, WORDS),
    sum("sum_product", Form::Product, Take::Product, FLOATS),
    sum("sum_product", Form::Product, Take::HalfProduct, HALVES),
    sum("sum_product", Form::Product, Take::Product, COMPLEX),
    max(Take::Same, SIGNED),
    max(Take::Same, UNSIGNED),
    max(Take::Same, FLOATS),
    max(Take::Halves, HALVES),
    min(Take::Same, SIGNED),
    min(Take::Same, UNSIGNED),
    min(Take::Same, FLOATS),
    min(Take::Halves, HALVES),
    prod(Take::Same, WORDS),
    prod(Take::Same, FLOATS),
    prod(Take::Halves, HALVES),
    prod(Take::Same, COMPLEX),
    // Partial results of complex products.
    sum("sum", Form::Plain, Take::Same, COMPLEX),
];
