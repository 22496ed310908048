//! What users call: thin typed functions over an erased core, so that users' crates compile little of ours.

#![forbid(unsafe_code)]

mod any;
mod broadcast;
mod cloned;
mod nary;
mod nibble;
mod tile;

pub use any::{broadcast_all_any, broadcast_all_any_into};
pub use broadcast::{broadcast, broadcast_into, broadcast_into_with, broadcast_with};
pub use nary::{broadcast_all, broadcast_arrays};
pub use nibble::{broadcast_nibbles_into, nibble_bytes};
pub use tile::{repeat, repeat_axis, repeat_into, tile, tile_into};
