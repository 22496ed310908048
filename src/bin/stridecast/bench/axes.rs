//! The sweep over axis positions: sums of one rank-4 shape in every order of its axes, over every set of them.
//!
//! `bench::run` measures [`cases`] for `--cases sweep-axes`, `table` puts [`text`] under its heading: how long an
//! element takes in each, and the two neighbours that are furthest apart. Two cases are neighbours if their axes are in
//! the same order but for two that lie next to each other, or if one of them reduces a single axis more; a large step
//! between such shows a path that is missing, or chosen too late.

use std::fmt::Write;

use stridecast::DType;

use super::cases::{Case, Class};
use super::measure::Row;
use super::three_digits;

/// One below a power of two, two powers of two, and one above; together more than a second-level cache.
const EXTENTS: [usize; 4] = [7, 64, 33, 128];

/// Positions in [`EXTENTS`], outermost axis first.
type Order = [usize; 4];

/// All of them, each an exchange of two neighbouring axes away from the one before (Johnson and Trotter's order).
fn orders() -> Vec<Order> {
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for next in 0..EXTENTS.len() {
        let inserted = orders.iter().enumerate().flat_map(|(i, order)| {
            let places: Vec<_> = if i % 2 == 0 { (0..=next).rev().collect() } else { (0..=next).collect() };
            places.into_iter().map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, next);
                longer
            })
        });
        orders = inserted.collect();
    }
    orders.into_iter().filter_map(|order| order.try_into().ok()).collect()
}

/// A bit for each extent that is reduced: all proper sets but the empty one, in Gray's order, in which each differs
/// from the one before by one extent (by two around the set of all, which is left out).
fn sets() -> Vec<usize> {
    (1..16).map(|i| i ^ i >> 1).filter(|&set| set != 15).collect()
}

fn name(order: Order, set: usize) -> String {
    let list = |axes: &[usize]| {
        let sizes: Vec<_> = axes.iter().map(|&axis| EXTENTS[axis].to_string()).collect();
        sizes.join("x")
    };
    let reduced: Vec<_> = order.into_iter().filter(|axis| set >> axis & 1 == 1).collect();
    format!("s_{}_over_{}", list(&order), list(&reduced))
}

/// `s_7x64x33x128_over_7x33` and so on: the shape, and the extents that are reduced.
pub fn cases() -> Vec<Case> {
    let one = |order: Order, set: usize| {
        let shape = order.map(|axis| EXTENTS[axis]).to_vec();
        let left = order.map(|axis| if set >> axis & 1 == 1 { 1 } else { EXTENTS[axis] }).to_vec();
        Case::new(name(order, set), Class::Cache, "sum", DType::F32, (vec![shape], left))
    };
    let sets = sets();
    orders().into_iter().flat_map(|order| sets.iter().map(move |&set| one(order, set))).collect()
}

/// A table with a line per order and a column per set, and the worst neighbours.
pub fn text(out: &mut String, rows: &[Row<'_>]) -> std::fmt::Result {
    table(out, rows)?;
    let (exchanged, widened) = neighbours();
    worst(out, rows, "two axes exchanged", &exchanged)?;
    worst(out, rows, "one more axis reduced", &widened)
}

fn table(out: &mut String, rows: &[Row<'_>]) -> std::fmt::Result {
    let letters = |axes: &mut dyn Iterator<Item = usize>| axes.map(|axis| char::from(b'a' + axis as u8)).collect();
    let limit = rows.iter().filter_map(|row| row.measured.as_ref()?.limit).reduce(f64::min);
    let elements: usize = EXTENTS.iter().product();
    let limit = limit.map_or_else(String::new, |nanos| {
        format!("; the machine reads one in {}", three_digits(nanos / elements as f64))
    });
    writeln!(out, "Nanoseconds for each element that is read{limit}.")?;
    writeln!(
        out,
        "A line is an order of the axes a (7), b (64), c (33) and d (128), a column those that are reduced.\n"
    )?;
    write!(out, "    ")?;
    for set in sets() {
        let set: String = letters(&mut (0..4).filter(|axis| set >> axis & 1 == 1));
        write!(out, " {set:>6}")?;
    }
    writeln!(out)?;
    for order in orders() {
        let times: Vec<_> = sets().into_iter().map(|set| time(rows, &name(order, set))).collect();
        if times.iter().all(Option::is_none) {
            continue;
        }
        let order: String = letters(&mut order.into_iter());
        write!(out, "{order}")?;
        for time in times {
            write!(out, " {:>6}", time.map_or_else(|| "-".into(), |time| three_digits(time / elements as f64)))?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

/// The pair that is furthest apart.
fn worst(out: &mut String, rows: &[Row<'_>], kind: &str, pairs: &[[String; 2]]) -> std::fmt::Result {
    let ratio = |[a, b]: &[String; 2]| {
        let (a, b) = (time(rows, a)?, time(rows, b)?);
        Some(a.max(b) / a.min(b))
    };
    let ratios = pairs.iter().filter_map(|pair| Some((ratio(pair)?, pair)));
    match ratios.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((ratio, [a, b])) => writeln!(out, "worst of neighbours, {kind}: {ratio:.2} times between {a} and {b}"),
        None => Ok(()),
    }
}

/// Best time of the case of that name.
fn time(rows: &[Row<'_>], name: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.case.name == name)?;
    Some(row.measured.as_ref()?.prepared.best)
}

/// The names of neighbours, by the exchange of two axes and by one more that is reduced.
fn neighbours() -> (Vec<[String; 2]>, Vec<[String; 2]>) {
    let (mut exchanged, mut widened) = (Vec::new(), Vec::new());
    for order in orders() {
        for set in sets() {
            for axis in 0..order.len() {
                let mut other = order;
                other.swap(axis, (axis + 1) % order.len());
                // Each pair from one of its sides.
                if axis + 1 < order.len() && order < other {
                    exchanged.push([name(order, set), name(other, set)]);
                }
                if set >> axis & 1 == 0 && set | 1 << axis != 15 {
                    widened.push([name(order, set), name(order, set | 1 << axis)]);
                }
            }
        }
    }
    (exchanged, widened)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_orders_and_sets_once_and_all_pairs_of_neighbours() {
        let (orders, sets) = (orders(), sets());
        assert_eq!(orders.iter().collect::<HashSet<_>>().len(), 24);
        assert_eq!(sets.iter().collect::<HashSet<_>>().len(), 14);
        for pair in orders.windows(2) {
            let apart: Vec<_> = (0..4).filter(|&axis| pair[0][axis] != pair[1][axis]).collect();
            assert!(apart.len() == 2 && apart[1] == apart[0] + 1, "{pair:?}");
        }
        assert_eq!(sets.windows(2).filter(|pair| (pair[0] ^ pair[1]).count_ones() != 1).count(), 1);
        let cases = cases();
        let names: HashSet<_> = cases.iter().map(|case| case.name.clone()).collect();
        assert_eq!((cases.len(), names.len()), (24 * 14, 24 * 14));
        // 36 exchanges of neighbours between 24 orders; 32 edges of a cube of four dimensions, less the 8 of two
        // corners.
        let (exchanged, widened) = neighbours();
        assert_eq!((exchanged.len(), widened.len()), (36 * 14, 24 * 24));
        let pairs: HashSet<_> = exchanged.iter().chain(&widened).collect();
        assert_eq!(pairs.len(), exchanged.len() + widened.len());
        assert!(pairs.iter().all(|[a, b]| a != b && names.contains(a) && names.contains(b)));
    }
}
