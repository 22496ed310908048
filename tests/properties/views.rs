//! Changes of views, one after another: permutations, flips, slices, new axes, broadcasts.
//!
//! Each change is made twice, by the crate and on the list of elements that the view shows. Its numbers may not fit
//! the view, and then both must refuse it.

use proptest::array::uniform24;
use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{Side, View};

use crate::cases;
use crate::oracle::{Logical, Owned};
use crate::strategies::{AXES, MOST, memories, shapes};

/// One change of a view, with numbers that may not fit it.
#[derive(Clone, Debug)]
enum Change {
    Permute([u8; AXES]),
    PermuteBy(Vec<usize>),
    Transpose,
    Flip(usize),
    Slice { axis: usize, start: usize, count: usize, step: isize },
    Expand { rank: usize, left: bool },
    ExpandDims(Vec<usize>),
    Stretch([bool; AXES]),
}

fn changes() -> impl Strategy<Value = Change> {
    let far = prop_oneof![20 => -4..=4_isize, 1 => Just(isize::MAX), 1 => Just(isize::MIN)];
    let many = prop_oneof![30 => 0..=6_usize, 1 => Just(usize::MAX)];
    prop_oneof![
        2 => uniform24(any::<u8>()).prop_map(Change::Permute),
        1 => vec(0..4_usize, 0..4).prop_map(Change::PermuteBy),
        1 => Just(Change::Transpose),
        2 => (0..5_usize).prop_map(Change::Flip),
        4 => (0..4_usize, many.clone(), many, far)
            .prop_map(|(axis, start, count, step)| Change::Slice { axis, start, count, step }),
        1 => (0..=7_usize, any::<bool>()).prop_map(|(rank, left)| Change::Expand { rank, left }),
        1 => vec(0..6_usize, 0..3).prop_map(Change::ExpandDims),
        1 => uniform24(any::<bool>()).prop_map(Change::Stretch),
    ]
}

impl Change {
    fn crate_says<'a>(&self, view: &View<'a, u32>) -> stridecast::Result<View<'a, u32>> {
        match self {
            Self::Permute(keys) => view.permute(&order(keys, view.rank())),
            Self::PermuteBy(axes) => view.permute(axes),
            Self::Transpose => Ok(view.transpose()),
            Self::Flip(axis) => view.flip(*axis),
            &Self::Slice { axis, start, count, step } => view.slice(axis, start, count, step),
            &Self::Expand { rank, left } => Ok(view.expand(rank, if left { Side::Left } else { Side::Right })),
            Self::ExpandDims(axes) => view.expand_dims(axes),
            Self::Stretch(mask) => view.broadcast_to(&stretched(view.shape(), mask)),
        }
    }

    fn oracle_says(&self, from: &Logical) -> Option<Logical> {
        let rank = from.shape.len();
        match self {
            Self::Permute(keys) => Some(permuted(from, &order(keys, rank))),
            Self::PermuteBy(axes) => {
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                sorted.into_iter().eq(0..rank).then(|| permuted(from, axes))
            }
            Self::Transpose => Some(permuted(from, &(0..rank).rev().collect::<Vec<_>>())),
            &Self::Flip(axis) => {
                let size = *from.shape.get(axis)?;
                Some(from.remap(from.shape.clone(), |index| changed(index, axis, size - 1 - index[axis])))
            }
            &Self::Slice { axis, start, count, step } => {
                let size = *from.shape.get(axis)? as i128;
                let taken = |i: usize| start as i128 + i as i128 * step as i128;
                let last = taken(count.saturating_sub(1));
                let inside = |at: i128| (0..size).contains(&at);
                let valid = count == 0 || (inside(start as i128) && inside(last) && (step != 0 || count == 1));
                valid.then(|| {
                    from.remap(changed(&from.shape, axis, count), |index| {
                        changed(index, axis, taken(index[axis]) as usize)
                    })
                })
            }
            &Self::Expand { rank: to, left } => {
                let ones = vec![1; to.saturating_sub(rank)];
                let lead = if left { ones.len() } else { 0 };
                let shape = if left { [ones, from.shape.clone()] } else { [from.shape.clone(), ones] }.concat();
                Some(from.remap(shape, |index| index[lead..lead + rank].to_vec()))
            }
            Self::ExpandDims(axes) => {
                let to = rank + axes.len();
                let valid = axes.windows(2).all(|pair| pair[0] < pair[1]) && axes.iter().all(|&axis| axis < to);
                let old: Vec<_> = (0..to).filter(|axis| !axes.contains(axis)).collect();
                let mut shape = vec![1; to];
                old.iter().zip(&from.shape).for_each(|(&axis, &size)| shape[axis] = size);
                valid.then(|| from.remap(shape, |index| old.iter().map(|&axis| index[axis]).collect()))
            }
            Self::Stretch(mask) => Owned::Numpy.broadcast(from, &stretched(&from.shape, mask)),
        }
    }
}

/// The axes sorted by their keys.
fn order(keys: &[u8; AXES], rank: usize) -> Vec<usize> {
    let mut axes: Vec<_> = (0..rank).collect();
    axes.sort_by_key(|&axis| keys[axis % AXES]);
    axes
}

/// Axis `i` of the result is axis `axes[i]`.
fn permuted(from: &Logical, axes: &[usize]) -> Logical {
    from.remap(axes.iter().map(|&axis| from.shape[axis]).collect(), |index| {
        (0..axes.len()).map(|axis| index[axes.iter().position(|&a| a == axis).unwrap()]).collect()
    })
}

fn changed(list: &[usize], axis: usize, value: usize) -> Vec<usize> {
    let mut list = list.to_vec();
    list[axis] = value;
    list
}

/// A new axis of 2, and the masked sizes of 1 made 3; a masked size of 4 is asked to be 3, which must be refused.
fn stretched(shape: &[usize], mask: &[bool; AXES]) -> Vec<usize> {
    let size = |(axis, &size): (usize, &usize)| if mask[axis % AXES] && [1, 4].contains(&size) { 3 } else { size };
    std::iter::once(2).filter(|_| mask[AXES - 1]).chain(shape.iter().enumerate().map(size)).collect()
}

proptest! {
    #![proptest_config(cases(2000))]

    /// Views of views of views show the elements that they should, and refuse what does not fit.
    #[test]
    fn changed_views_show_the_right_elements(
        shape in shapes(), memory in memories(), changes in vec(changes(), 1..6),
    ) {
        let from = memory.place(&shape, true);
        let data: Vec<u32> = (0..from.len as u32).collect();
        let mut view = View::with_strides(&data, from.offset, &shape, &from.strides).unwrap();
        let mut logical = Logical::strided(&shape, from.offset, &from.strides);
        for change in &changes {
            let (got, expected) = (change.crate_says(&view), change.oracle_says(&logical));
            prop_assert_eq!(got.is_ok(), expected.is_some(), "{:?} of {:?}: {:?}", change, logical.shape, got);
            if let (Ok(got), Some(expected)) = (got, expected) {
                if expected.ids.len() > 4 * MOST {
                    break;
                }
                (view, logical) = (got, expected);
            }
            prop_assert_eq!(view.shape(), &logical.shape[..], "after {:?}", change);
            prop_assert!(view.iter().map(|&id| id as usize).eq(logical.ids.iter().copied()), "after {:?}", change);
        }
        let tensor = view.to_tensor().unwrap();
        prop_assert!(tensor.as_slice().iter().map(|&id| id as usize).eq(logical.ids.iter().copied()));
    }
}
