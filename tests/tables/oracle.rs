//! What should come out of a row.

use crate::common::naive;
use crate::parse::Kind;

pub fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Every output element is the source element at the index that `source_index` makes of its own.
fn picked<T: Copy>(
    data: &[T],
    source: &[usize],
    output: &[usize],
    source_index: impl Fn(usize, &[usize]) -> usize,
) -> Vec<T> {
    let strides = naive::c_strides(source);
    let mut found = Vec::new();
    naive::for_each_index(output, |index| {
        let from: Vec<usize> = (0..source.len()).map(|axis| source_index(axis, index)).collect();
        found.push(data[naive::position(0, &strides, &from)]);
    });
    found
}

/// `output_axis` says where a source axis falls. Source axes of size 1 are never asked for.
fn placed<T: Copy>(data: &[T], source: &[usize], output: &[usize], output_axis: impl Fn(usize) -> usize) -> Vec<T> {
    picked(data, source, output, |axis, index| if source[axis] == 1 { 0 } else { index[output_axis(axis)] })
}

/// The kinds that are a rule of the crate.
pub fn ruled<T: Copy>(kind: &Kind, data: &[T], source: &[usize], target: &[usize], output: &[usize]) -> Vec<T> {
    let kept = |removed: &[usize]| -> Vec<usize> { (0..output.len()).filter(|a| !removed.contains(a)).collect() };
    match kind {
        Kind::Axes(map) => placed(data, source, output, |axis| map[axis]),
        Kind::Like(removed) if removed.is_empty() => placed(data, source, output, |axis| axis),
        Kind::Drop(removed) | Kind::Like(removed) => {
            let kept = kept(removed);
            placed(data, source, output, |axis| kept[axis])
        }
        Kind::Pdpd(first) => {
            let first = first.unwrap_or_else(|| target.len() - source.len());
            placed(data, source, output, |axis| first + axis)
        }
        _ => naive::broadcast(data, source, output),
    }
}

/// The kinds of tile and repeat.
pub fn counted<T: Copy>(kind: &Kind, data: &[T], source: &[usize], counts: &[Vec<usize>], output: &[usize]) -> Vec<T> {
    match kind {
        Kind::Tile => tiled(data, source, output),
        Kind::Repeat => repeated(data, source, &counts[0], output),
        Kind::RepeatTile => {
            let middle: Vec<usize> = source.iter().zip(&counts[0]).map(|(size, count)| size * count).collect();
            tiled(&repeated(data, source, &counts[0], &middle), &middle, output)
        }
        _ => unreachable!("{kind:?} takes no counts"),
    }
}

fn tiled<T: Copy>(data: &[T], source: &[usize], output: &[usize]) -> Vec<T> {
    let lead = output.len() - source.len();
    picked(data, source, output, |axis, index| index[lead + axis] % source[axis])
}

fn repeated<T: Copy>(data: &[T], source: &[usize], counts: &[usize], output: &[usize]) -> Vec<T> {
    let lead = output.len() - source.len();
    picked(data, source, output, |axis, index| index[lead + axis] / counts[axis])
}

/// The mutual rule, said in another way than the crate says it: on each axis, counted from the right, the sizes
/// other than 1 are all the same.
pub fn common_shape(operands: &[Vec<usize>]) -> Option<Vec<usize>> {
    let rank = operands.iter().map(Vec::len).max().unwrap_or(0);
    let mut common = Vec::with_capacity(rank);
    for from_right in (1..=rank).rev() {
        let sizes = operands.iter().filter(|s| s.len() >= from_right).map(|s| s[s.len() - from_right]);
        let mut others: Vec<usize> = sizes.filter(|&size| size != 1).collect();
        others.dedup();
        match others[..] {
            [] => common.push(1),
            [size] => common.push(size),
            _ => return None,
        }
    }
    Some(common)
}
