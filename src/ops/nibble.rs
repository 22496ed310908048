//! Packed 4-bit elements: two per byte, the first in the low nibble, no padding between rows.
//!
//! The source is unpacked to a byte an element (it is the small side of a broadcast), and the output is made
//! block by block: the byte kernels fill a block in L1, which is packed into place. The output is never
//! unpacked in full, and blocks hold an even number of elements, so odd rows need no care.

use alloc::vec::Vec;

use crate::engine::{Options, Plan};
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Rule};

/// Elements per block: even, whole cache lines of bytes, and small enough to stay in L1 beside its packed half.
const BLOCK: usize = 4096;

/// Bytes that `elements` packed 4-bit elements take.
pub const fn nibble_bytes(elements: usize) -> usize {
    elements.div_ceil(2)
}

/// Packed 4-bit `source` (C order, of `source_shape`) broadcast to `target` under `rule`, packed into `out`.
///
/// Runs on the calling thread. With an odd number of output elements the last high nibble is written as 0.
///
/// # Errors
/// As [`Rule::output_shape`]; if a buffer does not have [`nibble_bytes`] of its element count.
///
/// ```
/// use stridecast::{Rule, broadcast_nibbles_into};
///
/// // [1, 2, 3] over two rows: an odd inner extent, so the second row starts inside a byte.
/// let mut out = [0; 3];
/// broadcast_nibbles_into(&[0x21, 0x03], &[3], &[2, 3], Rule::Numpy, &mut out)?;
/// assert_eq!(out, [0x21, 0x13, 0x32]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast_nibbles_into(
    source: &[u8],
    source_shape: &[usize],
    target: &[usize],
    rule: Rule<'_>,
    out: &mut [u8],
) -> Result<()> {
    let layout = Layout::new(source_shape)?;
    let plan = Plan::broadcast(&layout, target, rule, 1, Options::new().serial())?;
    check("source (in packed bytes)", nibble_bytes(layout.len()), source.len())?;
    check("output (in packed bytes)", nibble_bytes(plan.output_len()), out.len())?;
    let unpacked = unpack(source, layout.len())?;
    let mut block = [0_u8; BLOCK];
    for (start, packed) in (0..plan.output_len()).step_by(BLOCK).zip(out.chunks_mut(BLOCK / 2)) {
        let len = BLOCK.min(plan.output_len() - start);
        plan.run_range(start..start + len, &unpacked, &mut block[..len]);
        for (byte, pair) in packed.iter_mut().zip(block[..len].chunks(2)) {
            *byte = pair[0] | pair.get(1).map_or(0, |high| high << 4);
        }
    }
    Ok(())
}

/// One element a byte.
fn unpack(packed: &[u8], elements: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(elements).map_err(|_| BroadcastError::OutOfMemory { bytes: elements })?;
    bytes.extend(packed.iter().flat_map(|byte| [byte & 15, byte >> 4]).take(elements));
    Ok(bytes)
}

fn check(what: &'static str, expected: usize, got: usize) -> Result<()> {
    if expected == got {
        return Ok(());
    }
    Err(BroadcastError::LengthMismatch { what, expected, got })
}
