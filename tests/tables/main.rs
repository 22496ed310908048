//! The broadcast cases of other systems (`tests/data/shapes`, `tests/data/values`), one test per file.
//!
//! Every row is checked for its shape or its error. A row whose result is small enough is also carried out, for
//! three element types, and compared with index arithmetic of the tests: nothing of the crate's own planning
//! is used to work out what should come out. Each table states how many rows it must have, so that a parser
//! which reads nothing cannot pass.

// Sizes that only 64 bits can hold are among the cases.
#![cfg(target_pointer_width = "64")]

#[path = "../common/mod.rs"]
mod common;

mod oracle;
mod parse;
mod shapes;
mod values;

use std::slice::from_ref;

use bytemuck::NoUninit;
use common::bytes;
use stridecast::{Tensor, View, repeat, tile};

use parse::Kind;

/// The result of a row of tile or repeat.
fn counted<T: NoUninit + Send + Sync>(kind: &Kind, view: &View<'_, T>, counts: &[Vec<usize>]) -> Tensor<T> {
    match kind {
        Kind::Tile => tile(view, &counts[0]).unwrap(),
        Kind::Repeat => repeat(view, &counts[0]).unwrap(),
        Kind::RepeatTile => tile(&repeat(view, &counts[0]).unwrap().view(), &counts[1]).unwrap(),
        _ => unreachable!("{kind:?} takes no counts"),
    }
}

#[track_caller]
fn assert_elements<T: NoUninit>(got: &[T], want: &[T], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: element count");
    if let Some(at) = (0..got.len()).find(|&at| bytes(from_ref(&got[at])) != bytes(from_ref(&want[at]))) {
        let (name, got, want) = (std::any::type_name::<T>(), bytes(&got[at..=at]), bytes(&want[at..=at]));
        panic!("{what}, {name}: element {at} is {got:x?}, should be {want:x?}");
    }
}
