//! The rules: which pairs of shapes each takes, and what every way into the crate reads by it.
//!
//! The pairs fit their rule or are one slip away from such; small shapes are tried without exception.

use std::fmt::Debug;

use proptest::array::uniform24;
use proptest::prelude::*;
use stridecast::{Plan, View, broadcast_into_with, broadcast_with};

use crate::common::{Sample, bytes, naive, samples};
use crate::oracle::{Logical, Owned};
use crate::strategies::{AXES, How, Memory, hows, memories, shapes};
use crate::{cases, check_strided_output, numbered};

#[derive(Clone, Debug)]
struct RuleCase {
    rule: Owned,
    source: Vec<usize>,
    target: Vec<usize>,
}

/// Pairs that the rule takes, and, one time in three, pairs that are a slip away from such.
fn rule_cases() -> impl Strategy<Value = RuleCase> {
    let coin = proptest::bool::weighted(0.4);
    let twist = proptest::option::weighted(0.33, (0..6_usize, 0..16_usize, 0..4_usize));
    (0..6_usize, shapes(), uniform24(coin), uniform24(coin), 0..=3_usize, twist).prop_map(
        |(kind, shape, mask, other, lead, twist)| {
            let mut case = fitting_case(kind, &shape, &mask, &other, lead.min(shape.len()));
            if let Some(twist) = twist {
                case.twist(twist);
            }
            case
        },
    )
}

fn fitting_case(kind: usize, shape: &[usize], mask: &[bool; AXES], other: &[bool; AXES], lead: usize) -> RuleCase {
    let rank = shape.len();
    let stretched = |axes: &[usize], mask: &[bool; AXES]| -> Vec<usize> {
        axes.iter().map(|&axis| if mask[axis] { 1 } else { shape[axis] }).collect()
    };
    let all: Vec<_> = (0..rank).collect();
    let (chosen, rest): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&axis| mask[axis]);
    let target = shape.to_vec();
    match kind {
        0 => RuleCase { rule: Owned::Numpy, source: stretched(&all[lead..], mask), target },
        1 => {
            let (a, b) = (stretched(&all[lead..], mask), stretched(&all, other));
            let (source, target) = if mask[AXES - 1] { (a, b) } else { (b, a) };
            RuleCase { rule: Owned::Bidirectional, source, target }
        }
        2 => RuleCase { source: stretched(&chosen, other), rule: Owned::AxesMapping(chosen), target },
        3 => RuleCase { source: stretched(&rest, &[false; AXES]), rule: Owned::BroadcastAxes(chosen), target },
        4 if mask[AXES - 1] => {
            RuleCase { rule: Owned::BroadcastLike(vec![]), source: shape[..rank - lead].to_vec(), target }
        }
        4 => RuleCase { source: stretched(&rest, &[false; AXES]), rule: Owned::BroadcastLike(chosen), target },
        _ if other[AXES - 1] => RuleCase { rule: Owned::Pdpd(None), source: stretched(&all[lead..], mask), target },
        _ => {
            let end = if other[AXES - 2] { rank } else { lead + (rank - lead) / 2 };
            let source = [stretched(&all[lead..end], mask), vec![1; usize::from(other[AXES - 3])]].concat();
            RuleCase { rule: Owned::Pdpd(Some(lead)), source, target }
        }
    }
}

impl RuleCase {
    fn twist(&mut self, (kind, at, number): (usize, usize, usize)) {
        let axes = match &mut self.rule {
            Owned::AxesMapping(axes) | Owned::BroadcastAxes(axes) | Owned::BroadcastLike(axes) => Some(axes),
            _ => None,
        };
        let place = |len: usize| at % len.max(1);
        match (kind, axes) {
            (0, _) if !self.source.is_empty() => {
                let at = place(self.source.len());
                self.source[at] = number;
            }
            (1, _) if !self.target.is_empty() => {
                let at = place(self.target.len());
                self.target[at] = number;
            }
            (2, _) => self.source.insert(at % (self.source.len() + 1), number.min(1)),
            (3, Some(axes)) => axes.insert(at % (axes.len() + 1), number),
            (4, Some(axes)) if !axes.is_empty() => {
                let at = place(axes.len());
                axes[at] = number;
            }
            (5, Some(axes)) => axes.reverse(),
            (_, None) => {
                if let Owned::Pdpd(axis) = &mut self.rule {
                    *axis = Some(number);
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    /// Shape, refusal and values of every rule, by every way into the crate.
    #[test]
    fn a_broadcast_reads_what_its_rule_says(
        case in rule_cases(), source in memories(), out in memories(), how in hows(), n in 1..=9_usize,
    ) {
        with_type!(how.element, check_broadcast(&case, &source, &out, &how, n));
    }
}

fn check_broadcast<T: Sample + PartialEq + Debug>(case: &RuleCase, source: &Memory, out: &Memory, how: &How, n: usize) {
    let from = source.place(&case.source, true);
    let data = numbered::<T>(from.len, how.seed);
    let view = View::with_strides(&data, from.offset, &case.source, &from.strides).unwrap();
    let logical = Logical::strided(&case.source, from.offset, &from.strides);
    let (rule, target, options) = (case.rule.rule(), &case.target[..], how.options());
    let size = size_of::<T>();

    let Some(expected) = case.rule.broadcast(&logical, target) else {
        assert!(rule.output_shape(&case.source, target).is_err(), "the rule refuses this");
        assert!(view.broadcast(target, rule).is_err());
        assert!(Plan::broadcast(view.layout(), target, rule, size, options).is_err());
        let mut room = samples::<T>(target.iter().product::<usize>().min(5000));
        let before = room.clone();
        assert!(broadcast_into_with(&view, target, rule, &mut room, options).is_err());
        assert_eq!(bytes(&room), bytes(&before));
        return;
    };
    assert_eq!(rule.output_shape(&case.source, target).unwrap(), expected.shape[..]);
    let values = expected.values(&data);

    // The view itself: shape, iteration, every single index, none beyond.
    let wide = view.broadcast(target, rule).unwrap();
    assert_eq!((wide.shape(), wide.len()), (&expected.shape[..], values.len()));
    assert!(wide.iter().map(ptr_of).eq(expected.ids.iter().map(|&id| ptr_of(&data[id]))));
    let mut at = 0;
    naive::for_each_index(&expected.shape, |index| {
        assert_eq!(wide.get(index).map(ptr_of), Some(ptr_of(&data[expected.ids[at]])));
        at += 1;
    });
    assert_eq!(wide.get(&expected.shape).is_some(), expected.shape.is_empty());
    assert_eq!(bytes(&wide.cloned().unwrap()), bytes(&values));

    // One-shot, plan, plan on bytes, pieces of a plan.
    let tensor = broadcast_with(&view, target, rule, options).unwrap();
    assert_eq!(tensor.shape(), expected.shape);
    let plan = Plan::broadcast(view.layout(), target, rule, size, options).unwrap();
    assert_eq!((plan.output_shape(), plan.output_len()), (&expected.shape[..], values.len()));
    let mut run = numbered::<T>(values.len(), 3);
    plan.run(&data, &mut run).unwrap();
    let mut run_bytes = vec![0x5A; values.len() * size];
    plan.run_bytes(bytes(&data), &mut run_bytes).unwrap();
    let parts = plan.parts(n).unwrap();
    let mut pieces = numbered::<T>(values.len(), 5);
    for part in (0..parts.len()).rev() {
        let piece = &mut pieces[parts.range(part)];
        parts.run_part(part, &data, piece).unwrap();
    }
    for got in [bytes(tensor.as_slice()), bytes(&run), &run_bytes, bytes(&pieces)] {
        assert!(got == bytes(&values), "wrong values\n{plan}");
    }
    check_strided_output(&expected, &values, out, |out| broadcast_into_with(&view, target, rule, out, options));
}

fn ptr_of<T>(item: &T) -> *const T {
    item
}

/// Every pair of shapes up to rank 3 with sizes 0 to 2, every list of up to 3 axes, every rule.
#[test]
fn small_shapes_are_taken_and_refused_exactly() {
    let shapes = lists(3, 3);
    let axes = lists(3, 4);
    let mut rules = vec![Owned::Numpy, Owned::Bidirectional, Owned::Pdpd(None)];
    rules.extend((0..5).map(|axis| Owned::Pdpd(Some(axis))));
    for list in axes {
        rules.push(Owned::AxesMapping(list.clone()));
        rules.push(Owned::BroadcastAxes(list.clone()));
        rules.push(Owned::BroadcastLike(list));
    }
    let mut taken = 0;
    for (source, target) in shapes.iter().flat_map(|source| shapes.iter().map(move |target| (source, target))) {
        for rule in &rules {
            let expected = rule.verdict(source, target).map(|(shape, _)| shape);
            let got = rule.rule().output_shape(source, target).ok().map(|shape| shape.to_vec());
            assert_eq!(got, expected, "{rule:?}: {source:?} -> {target:?}");
            taken += usize::from(got.is_some());
        }
    }
    assert!(taken > 3000, "{taken}");
}

/// Every list of up to `longest` numbers below `below`.
fn lists(longest: u32, below: usize) -> Vec<Vec<usize>> {
    let digits = |len: u32, n: usize| (0..len).map(|i| n / below.pow(i) % below).collect();
    (0..=longest).flat_map(|len| (0..below.pow(len)).map(move |n| digits(len, n))).collect()
}
