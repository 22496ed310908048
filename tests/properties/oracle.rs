//! What should come out: a tensor as a list of the elements that its indices show, and every rule stated again.
//!
//! The rules are a second statement of their own: of the crate only `Rule` is named, for the tests to hand over.

use stridecast::Rule;

use crate::common::naive;

/// A tensor as it means: a shape, and which element of some list each index shows, in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Logical {
    pub shape: Vec<usize>,
    pub ids: Vec<usize>,
}

impl Logical {
    /// Index 0 shows element `offset`, neighbours lie `strides` apart.
    pub fn strided(shape: &[usize], offset: usize, strides: &[isize]) -> Self {
        let mut ids = vec![];
        naive::for_each_index(shape, |index| ids.push(naive::position(offset, strides, index)));
        Self { shape: shape.to_vec(), ids }
    }

    fn at(&self, index: &[usize]) -> usize {
        self.ids[index.iter().zip(&self.shape).fold(0, |at, (i, size)| at * size + i)]
    }

    /// The tensor of `shape` whose element at an index is this one's at `read(index)`.
    pub fn remap(&self, shape: Vec<usize>, read: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let mut ids = vec![];
        naive::for_each_index(&shape, |index| ids.push(self.at(&read(index))));
        Self { shape, ids }
    }

    pub fn values<T: Copy>(&self, data: &[T]) -> Vec<T> {
        self.ids.iter().map(|&id| data[id]).collect()
    }
}

/// A rule that owns its lists.
#[derive(Clone, Debug)]
pub enum Owned {
    Numpy,
    Bidirectional,
    AxesMapping(Vec<usize>),
    BroadcastAxes(Vec<usize>),
    BroadcastLike(Vec<usize>),
    Pdpd(Option<usize>),
}

impl Owned {
    pub fn rule(&self) -> Rule<'_> {
        match self {
            Self::Numpy => Rule::Numpy,
            Self::Bidirectional => Rule::Bidirectional,
            Self::AxesMapping(axes) => Rule::AxesMapping(axes),
            Self::BroadcastAxes(axes) => Rule::BroadcastAxes(axes),
            Self::BroadcastLike(axes) => Rule::BroadcastLike(axes),
            Self::Pdpd(axis) => Rule::Pdpd { axis: *axis },
        }
    }

    /// The shape that comes out and the output axis of each source axis (`None`: a size of 1 that falls away), or
    /// `None` where the rule refuses.
    pub fn verdict(&self, source: &[usize], target: &[usize]) -> Option<(Vec<usize>, Vec<Option<usize>>)> {
        let (s, t) = (source.len(), target.len());
        let axes: Vec<Option<usize>> = match self {
            Self::Numpy => (0..s).map(|axis| (t + axis).checked_sub(s)).collect(),
            Self::Bidirectional => {
                let rank = s.max(t);
                let pad = |shape: &[usize]| [vec![1; rank - shape.len()], shape.to_vec()].concat();
                let pairs: Vec<_> = pad(source).into_iter().zip(pad(target)).collect();
                let agree = pairs.iter().all(|&(a, b)| a == b || a == 1 || b == 1);
                let common = pairs.iter().map(|&(a, b)| if a == 1 { b } else { a }).collect();
                return agree.then(|| (common, (rank - s..rank).map(Some).collect()));
            }
            Self::AxesMapping(axes) if s == 0 && axes.len() == 1 => {
                return (*target.get(axes[0])? == 1).then(|| (target.to_vec(), vec![]));
            }
            Self::AxesMapping(axes) => {
                let increasing = (1..axes.len()).all(|i| axes[i - 1] < axes[i]);
                (increasing && axes.len() == s).then(|| axes.iter().copied().map(Some).collect())?
            }
            Self::BroadcastLike(axes) if axes.is_empty() => {
                return target.starts_with(source).then(|| (target.to_vec(), (0..s).map(Some).collect()));
            }
            Self::BroadcastAxes(axes) | Self::BroadcastLike(axes) => {
                let increasing = (1..axes.len()).all(|i| axes[i - 1] < axes[i]);
                let kept: Vec<_> = (0..t).filter(|axis| !axes.contains(axis)).collect();
                let same = kept.iter().map(|&axis| target[axis]).eq(source.iter().copied());
                let valid = increasing && axes.iter().all(|&axis| axis < t) && same;
                return valid.then(|| (target.to_vec(), kept.into_iter().map(Some).collect()));
            }
            Self::Pdpd(axis) => {
                let first = axis.or(t.checked_sub(s))?;
                let trailing = source.iter().rev().take_while(|&&size| size == 1).count();
                let place = |axis| if axis < s - trailing { Some(first + axis) } else { None };
                if first > t {
                    return None;
                }
                (0..s).map(place).collect()
            }
        };
        let fits = |(axis, to): (usize, &Option<usize>)| match to {
            Some(to) => target.get(*to).is_some_and(|&size| source[axis] == size || source[axis] == 1),
            // A source axis left of the target, or a trailing 1 of Pdpd.
            None => matches!(self, Self::Pdpd(_)),
        };
        axes.iter().enumerate().all(fits).then(|| (target.to_vec(), axes))
    }

    pub fn broadcast(&self, source: &Logical, target: &[usize]) -> Option<Logical> {
        let (shape, axes) = self.verdict(&source.shape, target)?;
        Some(source.remap(shape, |index| {
            let read = |(&size, to): (&usize, &Option<usize>)| if size == 1 { 0 } else { to.map_or(0, |to| index[to]) };
            source.shape.iter().zip(&axes).map(read).collect()
        }))
    }
}

/// The common shape of any number of operands: on each axis, counted from the right, all sizes but 1 are one.
pub fn common_shape(shapes: &[Vec<usize>]) -> Option<Vec<usize>> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let size = |from_right: usize| {
        let sizes = shapes.iter().filter_map(|shape| shape.len().checked_sub(from_right).map(|axis| shape[axis]));
        let mut others: Vec<_> = sizes.filter(|&size| size != 1).collect();
        others.dedup();
        match others[..] {
            [] => Some(1),
            [size] => Some(size),
            _ => None,
        }
    };
    (1..=rank).rev().map(size).collect()
}
