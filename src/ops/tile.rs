//! Tile and repeat: broadcasts over split axes.

use bytemuck::NoUninit;

use crate::dims::Dims;
use crate::engine::{Job, Options};
use crate::error::{BroadcastError, Result};
use crate::layout::{Out, Tensor, Tiling, View};

/// `source` laid side by side `reps[i]` times along axis `i`, as NumPy's `tile`: the shorter of shape and counts is
/// padded with 1 on the left. A count of 0 gives an empty tensor (NumPy and ONNX allow it, Owl does not).
///
/// ONNX Tile additionally wants as many counts as axes; it is this function on such a list.
///
/// # Errors
/// If the output passes `isize::MAX` elements or bytes, or the allocator refuses.
///
/// ```
/// use stridecast::{View, tile};
///
/// let row = View::new(&[1_i32, 2], &[2])?;
/// let tiled = tile(&row, &[2, 2])?;
/// assert_eq!((tiled.shape(), tiled.as_slice()), (&[2, 4][..], &[1, 2, 1, 2, 1, 2, 1, 2][..]));
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn tile<T: NoUninit>(source: &View<'_, T>, reps: &[usize]) -> Result<Tensor<T>> {
    Job::tile(source, &Tiling::tile(source.layout(), reps)?).to_tensor(Options::new())
}

/// As [`tile`], written into `out`.
///
/// # Errors
/// As [`tile`]; if `out` does not have the resulting length (a buffer) or shape.
pub fn tile_into<'o, T: NoUninit>(source: &View<'_, T>, reps: &[usize], out: impl Into<Out<'o, T>>) -> Result<()> {
    tile_into_with(source, reps, out, Options::new())
}

/// As [`tile_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`tile_into`].
pub fn tile_into_with<'o, T: NoUninit>(
    source: &View<'_, T>,
    reps: &[usize],
    out: impl Into<Out<'o, T>>,
    options: Options,
) -> Result<()> {
    Job::tile(source, &Tiling::tile(source.layout(), reps)?).run_into(out.into(), options)
}

/// Each element of `source` repeated `reps[i]` times along axis `i`, as Owl's `repeat`.
///
/// # Errors
/// If there are not as many counts as axes, if the output passes `isize::MAX` elements or bytes, or if the
/// allocator refuses.
///
/// ```
/// use stridecast::{View, repeat};
///
/// let row = View::new(&[1_i32, 2], &[1, 2])?;
/// assert_eq!(repeat(&row, &[2, 2])?.as_slice(), [1, 1, 2, 2, 1, 1, 2, 2]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn repeat<T: NoUninit>(source: &View<'_, T>, reps: &[usize]) -> Result<Tensor<T>> {
    Job::tile(source, &Tiling::repeat(source.layout(), reps)?).to_tensor(Options::new())
}

/// As [`repeat`], written into `out`.
///
/// # Errors
/// As [`repeat`]; if `out` does not have the resulting length (a buffer) or shape.
pub fn repeat_into<'o, T: NoUninit>(source: &View<'_, T>, reps: &[usize], out: impl Into<Out<'o, T>>) -> Result<()> {
    repeat_into_with(source, reps, out, Options::new())
}

/// As [`repeat_into`], on a level or without threads as `options` say.
///
/// # Errors
/// As [`repeat_into`].
pub fn repeat_into_with<'o, T: NoUninit>(
    source: &View<'_, T>,
    reps: &[usize],
    out: impl Into<Out<'o, T>>,
    options: Options,
) -> Result<()> {
    Job::tile(source, &Tiling::repeat(source.layout(), reps)?).run_into(out.into(), options)
}

/// Each element repeated `count` times along one axis, as NumPy's `repeat` with a single count.
///
/// # Errors
/// If the axis does not exist; else as [`repeat`].
pub fn repeat_axis<T: NoUninit>(source: &View<'_, T>, count: usize, axis: usize) -> Result<Tensor<T>> {
    let rank = source.rank();
    if axis >= rank {
        return Err(BroadcastError::AxisOutOfRange { axis, rank });
    }
    let mut reps = Dims::filled(rank, 1);
    reps[axis] = count;
    repeat(source, &reps)
}
