//! Reductions against exact arithmetic and index arithmetic, on every level that this machine has.
//!
//! What a result may be is in `oracle`, which types a reduction takes in `defined`; both are written from the
//! documentation. A call is laid out in bytes by `lab`, run on the level without vectors, compared with that and with
//! itself on the other levels. `bits` and `threads` hold the promise that the same call gives the same bits.

mod accuracy;
mod axes;
mod bits;
#[path = "../common/mod.rs"]
mod common;
mod corners;
mod defined;
mod doors;
mod exact;
mod inverse;
mod lab;
mod lengths;
mod one_shot;
mod oracle;
mod places;
mod products;
mod random;
mod refusals;
mod specials;
#[cfg(feature = "rayon")]
mod threads;
mod values;
