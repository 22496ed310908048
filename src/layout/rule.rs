//! The broadcasting rules: which output axis each source axis falls on, and which sizes may stretch.
//!
//! Every rule ends in the same form, [`Alignment`]; a layout then gives a stretched or missing axis a
//! stride of 0. [`broadcast_shapes`] is the only statement of the mutual rule.

#![forbid(unsafe_code)]

use super::element_count;
use crate::dims::{Dims, Shape};
use crate::error::{BroadcastError, Result};

/// How a source shape is laid over a target shape.
///
/// Sources: NumPy's `broadcast_to`; ONNX Expand (operator set 8 and later); OpenVINO Broadcast-1 and -3;
/// nGraph's Broadcast and BroadcastLike; PaddlePaddle's elementwise `axis`, which is also the `axis` of ONNX
/// operators before operator set 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Rule<'a> {
    /// Right-aligned, one direction: a source size equals the target's or is 1. The output has exactly the
    /// target's shape.
    #[default]
    Numpy,
    /// Right-aligned, both directions: size 1 yields to the other size on either side, 0 included. The output
    /// may have more axes or larger sizes than the target.
    Bidirectional,
    /// OpenVINO `explicit`: entry `i` is the output axis of source axis `i`. Strictly increasing. A source size
    /// of 1 may stretch. A rank-0 source takes an empty list, or one entry that names a target axis of size 1.
    AxesMapping(&'a [usize]),
    /// nGraph Broadcast: the output axes that the source lacks, strictly increasing. The source's shape equals
    /// the target's with these axes removed; nothing stretches.
    BroadcastAxes(&'a [usize]),
    /// nGraph BroadcastLike: as [`Rule::BroadcastAxes`]; an empty list means all axes from the source's rank on,
    /// which aligns the source on the **left**.
    BroadcastLike(&'a [usize]),
    /// PaddlePaddle, and ONNX before operator set 7: source axis 0 falls on output axis `axis`, later ones
    /// follow. Trailing sizes of 1 of the source are dropped, a size of 1 elsewhere stretches, the output has
    /// exactly the target's shape. `None` aligns on the right, by the rank before dropping.
    Pdpd {
        /// Output axis of source axis 0.
        axis: Option<usize>,
    },
}

/// Where the source axes fall: the output's shape, and the output axis of each leading source axis.
///
/// Source axes past the end of `axes` have size 1 and fall away.
pub(crate) struct Alignment {
    pub shape: Shape,
    pub axes: Dims<usize>,
}

impl Rule<'_> {
    /// The shape that broadcasting `source` to `target` gives under this rule.
    ///
    /// # Errors
    /// If the rule does not allow it, or if the output's element count passes `isize::MAX`.
    ///
    /// ```
    /// use stridecast::Rule;
    ///
    /// assert_eq!(Rule::Numpy.output_shape(&[16, 1, 1], &[1, 16, 50, 50])?, [1, 16, 50, 50]);
    /// assert_eq!(Rule::Bidirectional.output_shape(&[3, 1], &[2, 1, 6])?, [2, 3, 6]);
    /// assert_eq!(Rule::AxesMapping(&[1, 2]).output_shape(&[50, 50], &[1, 50, 50, 16])?, [1, 50, 50, 16]);
    /// assert!(Rule::BroadcastAxes(&[1]).output_shape(&[1], &[3, 4]).is_err());
    /// # Ok::<(), stridecast::BroadcastError>(())
    /// ```
    pub fn output_shape(&self, source: &[usize], target: &[usize]) -> Result<Shape> {
        Ok(self.align(source, target)?.shape)
    }

    /// Checks the rule and says where each source axis falls.
    pub(crate) fn align(&self, source: &[usize], target: &[usize]) -> Result<Alignment> {
        let aligned = match *self {
            Self::Numpy => right_aligned(source, target)?,
            Self::Bidirectional => {
                let shape = broadcast_shapes(&[source, target])?;
                let lead = shape.len() - source.len();
                return Ok(Alignment { shape, axes: (lead..lead + source.len()).collect() });
            }
            Self::AxesMapping(axes) => mapped(source, target, axes)?,
            Self::BroadcastAxes(axes) => removed(source, target, axes)?,
            Self::BroadcastLike([]) => left_aligned(source, target)?,
            Self::BroadcastLike(axes) => removed(source, target, axes)?,
            Self::Pdpd { axis } => pdpd(source, target, axis)?,
        };
        let stretches = !matches!(self, Self::BroadcastAxes(_) | Self::BroadcastLike(_));
        for (source_axis, &target_axis) in aligned.iter().enumerate() {
            let (from, to) = (source[source_axis], target[target_axis]);
            if from != to && !(stretches && from == 1) {
                return Err(BroadcastError::Incompatible {
                    source: source.to_vec(),
                    target: target.to_vec(),
                    source_axis,
                    target_axis,
                });
            }
        }
        element_count(target)?;
        Ok(Alignment { shape: Shape::from(target), axes: aligned })
    }
}

fn rank_too_small(source: &[usize], target: &[usize]) -> BroadcastError {
    BroadcastError::RankTooSmall { source: source.to_vec(), target: target.to_vec() }
}

fn right_aligned(source: &[usize], target: &[usize]) -> Result<Dims<usize>> {
    let lead = target.len().checked_sub(source.len()).ok_or_else(|| rank_too_small(source, target))?;
    Ok((lead..target.len()).collect())
}

fn left_aligned(source: &[usize], target: &[usize]) -> Result<Dims<usize>> {
    if source.len() > target.len() {
        return Err(rank_too_small(source, target));
    }
    Ok((0..source.len()).collect())
}

/// Strictly increasing and below `rank`.
fn check_axes(axes: &[usize], rank: usize) -> Result<()> {
    if let Some(&axis) = axes.iter().find(|&&axis| axis >= rank) {
        return Err(BroadcastError::AxisOutOfRange { axis, rank });
    }
    if axes.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(BroadcastError::AxesOrder { axes: axes.to_vec() });
    }
    Ok(())
}

fn mapped(source: &[usize], target: &[usize], axes: &[usize]) -> Result<Dims<usize>> {
    check_axes(axes, target.len())?;
    // OpenVINO takes a scalar with a one-entry map as a shape of [1] that falls on an axis of size 1.
    if let (true, &[axis]) = (source.is_empty(), axes)
        && target[axis] == 1
    {
        return Ok(Dims::new());
    }
    if axes.len() != source.len() {
        return Err(axes_count(source, target, source.len(), axes.len()));
    }
    Ok(Dims::from(axes))
}

fn removed(source: &[usize], target: &[usize], axes: &[usize]) -> Result<Dims<usize>> {
    check_axes(axes, target.len())?;
    let kept: Dims<usize> = (0..target.len()).filter(|axis| !axes.contains(axis)).collect();
    if kept.len() != source.len() {
        let expected = target.len().checked_sub(source.len()).ok_or_else(|| rank_too_small(source, target))?;
        return Err(axes_count(source, target, expected, axes.len()));
    }
    Ok(kept)
}

fn axes_count(source: &[usize], target: &[usize], expected: usize, got: usize) -> BroadcastError {
    BroadcastError::AxesCount { source: source.to_vec(), target: target.to_vec(), expected, got }
}

fn pdpd(source: &[usize], target: &[usize], axis: Option<usize>) -> Result<Dims<usize>> {
    let first = match axis {
        Some(axis) => axis,
        None => target.len().checked_sub(source.len()).ok_or_else(|| rank_too_small(source, target))?,
    };
    let kept = source.iter().rposition(|&size| size != 1).map_or(0, |last| last + 1);
    if first > target.len() {
        return Err(BroadcastError::AxisOutOfRange { axis: first, rank: target.len() });
    }
    if kept > target.len() - first {
        return Err(BroadcastError::AxisTooFar { source: source.to_vec(), target: target.to_vec(), axis: first });
    }
    Ok((first..first + kept).collect())
}

/// The common shape of any number of operands, right-aligned; a size of 1 yields to the other size, 0
/// included. No operands at all give rank 0.
///
/// # Errors
/// If two sizes on one axis differ and neither is 1, or if the element count passes `isize::MAX`.
///
/// ```
/// use stridecast::broadcast_shapes;
///
/// assert_eq!(broadcast_shapes(&[&[8, 1, 6, 1], &[7, 1, 5]])?, [8, 7, 6, 5]);
/// assert_eq!(broadcast_shapes(&[&[1], &[0]])?, [0]);
/// assert!(broadcast_shapes(&[&[2], &[0]]).is_err());
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Shape> {
    let mut common = Shape::new();
    common_shape(shapes, &mut common)?;
    Ok(common)
}

/// [`broadcast_shapes`] in place: to move a list that was just written through a result stalls the wide loads.
///
/// # Errors
/// As [`broadcast_shapes`].
#[inline]
pub(crate) fn common_shape(shapes: &[&[usize]], common: &mut Shape) -> Result<()> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    *common = Shape::filled(rank, 1);
    for shape in shapes {
        let lead = rank - shape.len();
        for (i, &size) in shape.iter().enumerate() {
            let axis = lead + i;
            if common[axis] == 1 {
                common[axis] = size;
            } else if size != 1 && size != common[axis] {
                return Err(BroadcastError::NotMutual {
                    shapes: shapes.iter().map(|shape| shape.to_vec()).collect(),
                    axis,
                    sizes: (common[axis], size),
                });
            }
        }
    }
    element_count(common)?;
    Ok(())
}
