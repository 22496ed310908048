//! [`Reduction`] and [`Over`]: what is made of the elements of an axis, and of which axes.

#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use crate::dims::Shape;
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Rule};

/// What the elements along the reduced axes become.
///
/// f16 and bf16 are computed as f32 and rounded once, at the end. Integers wrap; a sum of them may also go to a 64-bit
/// output: they are extended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// Their sum; 0 of nothing.
    Sum,
    /// Their sum, divided by their number: of floats and complex numbers. NaN of nothing.
    Mean,
    /// The largest; NaN if one is, and +0 above -0. An error of nothing.
    Max,
    /// The smallest; NaN if one is, and -0 below +0. An error of nothing.
    Min,
    /// Their product; 1 of nothing.
    Prod,
}

impl Reduction {
    /// Every reduction.
    pub const ALL: &'static [Self] = &[Self::Sum, Self::Mean, Self::Max, Self::Min, Self::Prod];

    /// Its name in the library.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Max => "max",
            Self::Min => "min",
            Self::Prod => "prod",
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Reduction {
    type Err = UnknownReduction;

    fn from_str(name: &str) -> Result<Self, UnknownReduction> {
        Self::ALL.iter().find(|reduction| reduction.name() == name).copied().ok_or(UnknownReduction)
    }
}

/// No reduction of that name; see [`Reduction::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownReduction;

impl fmt::Display for UnknownReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown reduction; known are")?;
        for reduction in Reduction::ALL {
            write!(f, " {reduction}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownReduction {}

/// Which axes a reduction takes away, and what shape is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Over<'a> {
    /// Those along which this shape is stretched where NumPy's rule broadcasts it to the source's shape: the result has
    /// this shape, rank included.
    To(&'a [usize]),
    /// The same under any rule: the result has `shape`, and the rule takes it to the source's shape.
    Rule {
        /// What was broadcast, and what is left.
        shape: &'a [usize],
        /// How it was broadcast.
        rule: Rule<'a>,
    },
    /// These axes, in any order, each once.
    Axes {
        /// Their list; an empty one reduces nothing.
        axes: &'a [usize],
        /// Whether they stay as sizes of 1, or go.
        keep_dims: bool,
    },
}

impl Over<'_> {
    /// The shape that is left of `source`.
    ///
    /// # Errors
    /// If the rule does not take the shape to exactly that of the source; if an axis does not exist or is named twice.
    ///
    /// ```
    /// use stridecast::{Over, Rule};
    ///
    /// assert_eq!(Over::To(&[1, 3]).output_shape(&[5, 2, 3])?, [1, 3]);
    /// assert_eq!(Over::Axes { axes: &[0, 2], keep_dims: false }.output_shape(&[5, 2, 3])?, [2]);
    /// assert_eq!(Over::Rule { shape: &[5], rule: Rule::Pdpd { axis: Some(0) } }.output_shape(&[5, 2, 3])?, [5]);
    /// assert!(Over::To(&[2]).output_shape(&[5, 2, 3]).is_err());
    /// # Ok::<(), stridecast::BroadcastError>(())
    /// ```
    pub fn output_shape(&self, source: &[usize]) -> Result<Shape> {
        match *self {
            Self::To(shape) => check(shape, source, Rule::Numpy),
            Self::Rule { shape, rule } => check(shape, source, rule),
            Self::Axes { axes, keep_dims } => {
                check_axes(axes, source.len())?;
                let mut left = Shape::new();
                for (axis, &size) in source.iter().enumerate() {
                    match axes.contains(&axis) {
                        true if keep_dims => left.push(1),
                        true => {}
                        false => left.push(size),
                    }
                }
                Ok(left)
            }
        }
    }

    /// An output layout, which has the shape that is left, stretched over `source`: it stands still along the reduced
    /// axes.
    ///
    /// # Errors
    /// As [`Over::output_shape`]; if `out` has another shape.
    pub(crate) fn stretch(&self, out: &Layout<'_>, source: &[usize]) -> Result<Layout<'static>> {
        let left = self.output_shape(source)?;
        if *left != *out.shape() {
            return Err(BroadcastError::ShapeMismatch { expected: left.to_vec(), got: out.shape().to_vec() });
        }
        match *self {
            Self::To(_) => out.broadcast(source, Rule::Numpy),
            Self::Rule { rule, .. } => out.broadcast(source, rule),
            Self::Axes { axes, keep_dims: false } => {
                let mut sorted = Shape::from(axes);
                sorted.sort_unstable();
                out.expand_dims(&sorted)?.broadcast(source, Rule::Numpy)
            }
            Self::Axes { .. } => out.broadcast(source, Rule::Numpy),
        }
    }
}

/// That `rule` takes `shape` to exactly `source`.
fn check(shape: &[usize], source: &[usize], rule: Rule<'_>) -> Result<Shape> {
    let wide = rule.output_shape(shape, source)?;
    if *wide != *source {
        return Err(BroadcastError::ShapeMismatch { expected: wide.to_vec(), got: source.to_vec() });
    }
    Ok(Shape::from(shape))
}

fn check_axes(axes: &[usize], rank: usize) -> Result<()> {
    for (at, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return Err(BroadcastError::AxisOutOfRange { axis, rank });
        }
        if axes[..at].contains(&axis) {
            return Err(BroadcastError::RepeatedAxis { axes: axes.to_vec(), axis });
        }
    }
    Ok(())
}
