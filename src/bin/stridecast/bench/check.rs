//! Whether a broadcast's result is right: index arithmetic from the case alone.
//!
//! `measure` and `benches/materialise.rs` fill the source, clear the output,
//! run, and ask for the first wrong element.  Nothing of the library is used
//! here: the strides are worked out from the shapes, and an odometer walks the
//! output row by row, fast enough for outputs of hundreds of megabytes.

use bytemuck::Pod;

use super::cases::Case;

/// Fills with bytes that repeat with no short period.
pub fn pattern(words: &mut [u64]) {
    for (i, word) in words.iter_mut().enumerate() {
        // The finisher of splitmix64.
        let x = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        *word = x ^ x >> 31;
    }
}

/// Leaves no element of the output as it would be after a broadcast of the source's first one.
pub fn clear<T: Pod>(source: &[T], out: &mut [T]) {
    let first: &[u8] = bytemuck::cast_slice(source);
    bytemuck::cast_slice_mut::<T, u8>(out).fill(!first.first().copied().unwrap_or_default());
}

/// The first element of the output that is not the source's, if any.
pub fn first_wrong<T: Copy + PartialEq>(case: &Case, source: &[T], out: &[T]) -> Option<usize> {
    let strides = strides(case);
    let (Some((&size, sizes)), Some((&step, strides))) = (case.out.split_last(), strides.split_last()) else {
        return (out != &source[..1]).then_some(0);
    };
    if out.is_empty() {
        return None;
    }
    let mut index = vec![0; sizes.len()];
    let mut start = 0;
    for (n, row) in out.chunks_exact(size).enumerate() {
        let wrong = match step {
            0 => row.iter().position(|&x| x != source[start]),
            _ => row.iter().zip(source[start..].iter().step_by(step)).position(|(x, y)| x != y),
        };
        if let Some(at) = wrong {
            return Some(n * size + at);
        }
        for axis in (0..sizes.len()).rev() {
            index[axis] += 1;
            start += strides[axis];
            if index[axis] < sizes[axis] {
                break;
            }
            start -= sizes[axis] * strides[axis];
            index[axis] = 0;
        }
    }
    None
}

/// How many source elements one step along each axis of the output is.
fn strides(case: &Case) -> Vec<usize> {
    let stored = case.stored();
    let mut strides = vec![0; case.out.len()];
    let lead = case.out.len() - stored.len();
    for axis in 0..stored.len() {
        let from = case.perm.as_ref().map_or(axis, |perm| perm[axis]);
        let to = case.axes.as_ref().map_or(lead + axis, |axes| axes[axis]);
        if stored[from] != 1 {
            strides[to] = stored[from + 1..].iter().product();
        }
    }
    strides
}
