//! What users call: thin typed functions over an erased core, so that users' crates compile little of ours.

#![forbid(unsafe_code)]

mod any;
mod broadcast;
mod cloned;
mod nary;
mod nibble;
mod tile;

pub use any::{broadcast_all_any, broadcast_all_any_into, broadcast_all_any_into_with};
pub use broadcast::{broadcast, broadcast_into, broadcast_into_with, broadcast_with};
pub use nary::{broadcast_all, broadcast_arrays};
pub use nibble::{broadcast_nibbles_into, nibble_bytes};
pub use tile::{repeat, repeat_axis, repeat_into, repeat_into_with, tile, tile_into, tile_into_with};
