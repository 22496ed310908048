//! Every kernel against unmapped memory: source and output end exactly at a page that faults on any access,
//! or begin exactly behind one, so that one byte read or written too many ends the test process.
//!
//! Around the output the pages are filled with canaries, and so are the gaps of strided outputs; a run may change
//! neither. What must come out is index arithmetic on bytes. Levels that this CPU lacks are printed as skipped
//! (`--nocapture` shows them). A crash names no case: run one test alone, by its name, to find it.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod doors;
mod functions;
mod harness;
mod kernels;
mod lab;
mod reduce;

/// Bytes of each side's pages: room for the longest rows with the widest strides.
const ROOM: usize = 80 << 10;

/// The kernel widths, and sizes that are units and one more axis.
const ELEMS: [usize; 10] = [1, 2, 4, 8, 16, 3, 5, 7, 12, 24];
