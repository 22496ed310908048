//! Every set of axes of every rank, for every reduction and every type.

use stridecast::Options;

use crate::common::tensor::Place;
use crate::defined::{samples, signatures};
use crate::lab::{Call, Which, levels};
use crate::values::hash;

/// Every list of axes of a rank, each in increasing order.
fn subsets(rank: usize) -> Vec<Vec<usize>> {
    (0..1_usize << rank).map(|set| (0..rank).filter(|axis| set >> axis & 1 == 1).collect()).collect()
}

/// The same axes in another order.
fn shuffled(axes: &[usize], seed: u64) -> Vec<usize> {
    let mut axes = axes.to_vec();
    axes.sort_by_key(|&axis| hash(seed + axis as u64));
    axes
}

/// The shape that stretches to `shape` along `axes`: of size 1 there, without those of them that lead if it may be.
fn unstretched(shape: &[usize], axes: &[usize], short: bool) -> Vec<usize> {
    let ones: Vec<_> = (0..shape.len()).map(|axis| if axes.contains(&axis) { 1 } else { shape[axis] }).collect();
    let lead = (0..shape.len()).take_while(|axis| axes.contains(axis)).count();
    if short { ones[lead..].to_vec() } else { ones }
}

/// How the operands lie, in turn.
fn places(n: usize) -> [Place; 2] {
    let all = [Place::PLAIN, Place::turned(), Place::padded(1), Place::backwards(), Place::stepped(2)];
    [all[n % 5].clone(), all[n / 5 % 5].clone()]
}

#[test]
fn every_set_of_axes_of_ranks_0_to_5() {
    let sizes: [[usize; 5]; 2] = [[3, 2, 4, 3, 5], [2, 7, 1, 3, 17]];
    let mut n = 0;
    for signature in signatures() {
        for (rank, sizes) in (0..=5).flat_map(|rank| sizes.map(|sizes| (rank, sizes))) {
            let shape = &sizes[5 - rank..];
            // The sizes of the longer shape are large enough in one of two cases.
            for axes in subsets(rank).into_iter().filter(|axes| rank < 5 || (axes.len() + sizes[0]) % 2 == 0) {
                n += 1;
                let which = match n % 4 {
                    0 => Which::To(unstretched(shape, &axes, false)),
                    1 => Which::To(unstretched(shape, &axes, true)),
                    turn => Which::Axes(shuffled(&axes, n as u64), turn == 2),
                };
                let [a, b] = places(n);
                let mut call = Call::new(&signature, &[(shape, &a), (shape, &b)], which, &Place::PLAIN, n as u64);
                call.onto = n % 3 == 0;
                call.check();
            }
        }
    }
}

#[test]
fn every_set_of_axes_of_a_larger_shape() {
    for (seed, signature) in samples().iter().enumerate() {
        for (i, axes) in subsets(4).into_iter().enumerate() {
            let shape: [usize; 4] = if (seed + i) % 2 == 0 { [5, 8, 3, 21] } else { [3, 19, 6, 8] };
            let [a, b] = places(seed + i);
            let which = Which::Axes(axes, false);
            Call::new(signature, &[(&shape, &a), (&shape, &b)], which, &Place::PLAIN, seed as u64).check();
        }
    }
}

#[test]
fn ranks_9_and_16() {
    let deep: [usize; 16] = [1, 2, 1, 2, 2, 1, 3, 1, 2, 1, 1, 2, 2, 1, 2, 3];
    for (seed, signature) in samples().iter().enumerate() {
        for rank in [9, 16] {
            let shape = &deep[16 - rank..];
            for n in 0..12 {
                let set = hash((seed * 100 + n) as u64) as usize;
                let axes: Vec<_> = (0..rank).filter(|axis| set >> axis & 1 == 1 || n == 0).collect();
                let which = if n % 2 == 0 {
                    Which::To(unstretched(shape, &axes, n % 4 == 0))
                } else {
                    Which::Axes(axes, n % 4 == 1)
                };
                let [a, b] = places(n);
                Call::new(signature, &[(shape, &a), (shape, &b)], which, &Place::PLAIN, n as u64).check();
            }
        }
    }
}

/// A shape and the axes say the same in three ways, which give the same bits.
#[test]
fn a_shape_and_its_axes_give_the_same() {
    let shape = [6, 5, 4, 9];
    for signature in samples() {
        for axes in subsets(4) {
            let mut given = vec![];
            for which in [
                Which::To(unstretched(&shape, &axes, false)),
                Which::To(unstretched(&shape, &axes, true)),
                Which::Axes(axes.clone(), false),
                Which::Axes(axes.iter().rev().copied().collect(), true),
            ] {
                let operands: [(&[usize], &Place); 2] = [(&shape, &Place::PLAIN), (&shape, &Place::PLAIN)];
                let mut call = Call::new(&signature, &operands, which, &Place::PLAIN, 5);
                call.run(Options::new().isa(*levels().last().unwrap())).unwrap();
                given.push(call.canonical_bytes());
            }
            assert!(given.iter().all(|bytes| *bytes == given[0]), "{signature:?} over {axes:?}");
        }
    }
}
