//! Which functions are defined on which element types, as traits: a call that is not defined does not compile.

use crate::element::Element;

/// The function `F`, of [`fun`](super::fun), is defined on elements of this type, and gives the same type (a comparison:
/// its 0 and 1). Sealed: the list is `kernels/functions/list.rs`.
#[diagnostic::on_unimplemented(
    message = "the function `{F}` is not defined on elements of type `{Self}`",
    note = "`stridecast::Op` and the docs of `stridecast::ops` list what is"
)]
pub trait Defined<F>: Element {}

/// Types of the exponent of a power of a `Self`: the type itself, and any other real type of a real base.
#[diagnostic::on_unimplemented(message = "a `{Self}` cannot be raised to a power of type `{E}`")]
pub trait Exponent<E>: Defined<super::fun::Pow> {}

/// Types that a comparison of elements of type `T` may give: bool, u8, and `T` itself.
#[diagnostic::on_unimplemented(message = "a comparison of `{T}` gives `bool`, `u8` or `{T}`, not `{Self}`")]
pub trait Verdict<T>: Element {}

/// Types of a mask: bool, and bytes of which 0 is false.
pub trait Mask: Element {}

impl Mask for bool {}
impl Mask for u8 {}
