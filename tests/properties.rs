//! Random rules, shapes, strides, element types and levels against index arithmetic.
//!
//! Every rule is stated a second time here, as plainly as it can be said: which pairs of shapes it takes, and which
//! source index an output index reads. The oracles use nothing of the crate. `PROPTEST_CASES` sets the number of
//! cases; without it each property takes as many as keep the whole file within seconds without optimisation.

mod common;

use std::fmt::Debug;

use common::{Sample, bytes, samples};
use half::{bf16, f16};
use num_complex::Complex;
use proptest::array::uniform24;
use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{
    AnyView, AnyViewMut, DType, Isa, Layout, Options, Plan, Rule, Side, View, ViewMut, broadcast_all,
    broadcast_all_any_into, broadcast_arrays, broadcast_into_with, broadcast_shapes, broadcast_with, repeat,
    repeat_axis, repeat_into, tile, tile_into,
};

/// Cases of a property, unless the environment says otherwise. Failures are printed, not filed.
fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases, ..default } }
}

/// Calls a generic function for the element type of that number.
macro_rules! with_type {
    ($number:expr, $function:ident($($argument:expr),*)) => {
        match $number % 14 {
            0 => $function::<u8>($($argument),*),
            1 => $function::<[u8; 3]>($($argument),*),
            2 => $function::<u16>($($argument),*),
            3 => $function::<f16>($($argument),*),
            4 => $function::<bf16>($($argument),*),
            5 => $function::<f32>($($argument),*),
            6 => $function::<f64>($($argument),*),
            7 => $function::<i64>($($argument),*),
            8 => $function::<bool>($($argument),*),
            9 => $function::<Complex<f32>>($($argument),*),
            10 => $function::<Complex<f64>>($($argument),*),
            11 => $function::<[f32; 3]>($($argument),*),
            12 => $function::<[u64; 3]>($($argument),*),
            _ => $function::<[u8; 7]>($($argument),*),
        }
    };
}

// ---- the oracles ------------------------------------------------------------------------------------------

/// Calls `visit` with every index of a shape, in C order.
fn for_each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    if shape.contains(&0) {
        return;
    }
    loop {
        visit(&index);
        let Some(axis) = (0..shape.len()).rev().find(|&axis| index[axis] + 1 < shape[axis]) else { return };
        index[axis] += 1;
        index[axis + 1..].fill(0);
    }
}

/// A tensor as it means: a shape, and which element of some list each index shows, in C order.
#[derive(Clone, Debug, PartialEq)]
struct Logical {
    shape: Vec<usize>,
    ids: Vec<usize>,
}

impl Logical {
    /// Index 0 shows element `offset`, neighbours lie `strides` apart.
    fn strided(shape: &[usize], offset: usize, strides: &[isize]) -> Self {
        let mut ids = vec![];
        for_each_index(shape, |index| {
            let steps: isize = index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum();
            ids.push((offset as isize + steps) as usize);
        });
        Self { shape: shape.to_vec(), ids }
    }

    fn at(&self, index: &[usize]) -> usize {
        self.ids[index.iter().zip(&self.shape).fold(0, |at, (i, size)| at * size + i)]
    }

    /// The tensor of `shape` whose element at an index is this one's at `read(index)`.
    fn remap(&self, shape: Vec<usize>, read: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let mut ids = vec![];
        for_each_index(&shape, |index| ids.push(self.at(&read(index))));
        Self { shape, ids }
    }

    fn values<T: Copy>(&self, data: &[T]) -> Vec<T> {
        self.ids.iter().map(|&id| data[id]).collect()
    }
}

/// A rule that owns its lists.
#[derive(Clone, Debug)]
enum Owned {
    Numpy,
    Bidirectional,
    AxesMapping(Vec<usize>),
    BroadcastAxes(Vec<usize>),
    BroadcastLike(Vec<usize>),
    Pdpd(Option<usize>),
}

impl Owned {
    fn rule(&self) -> Rule<'_> {
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
    fn verdict(&self, source: &[usize], target: &[usize]) -> Option<(Vec<usize>, Vec<Option<usize>>)> {
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

    fn broadcast(&self, source: &Logical, target: &[usize]) -> Option<Logical> {
        let (shape, axes) = self.verdict(&source.shape, target)?;
        Some(source.remap(shape, |index| {
            let read = |(&size, to): (&usize, &Option<usize>)| if size == 1 { 0 } else { to.map_or(0, |to| index[to]) };
            source.shape.iter().zip(&axes).map(read).collect()
        }))
    }
}

/// The common shape of any number of operands: on each axis, counted from the right, all sizes but 1 are one.
fn common_shape(shapes: &[Vec<usize>]) -> Option<Vec<usize>> {
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

// ---- the strategies ---------------------------------------------------------------------------------------

/// Entries of a list with one for each axis: a shape has up to 16 and may be given more, and the last ones are coins.
const AXES: usize = 24;

/// Elements of a tensor: enough for the vector loops, few enough for thousands of cases.
const MOST: usize = 1500;

/// Ranks 0 to 6 of small sizes, some with a long innermost axis, and some of up to 16 axes.
fn shapes() -> impl Strategy<Value = Vec<usize>> {
    let size = prop_oneof![1 => Just(0_usize), 5 => Just(1), 20 => 2..=5_usize];
    let long = (vec(1..=4_usize, 0..=3), 1..=300_usize).prop_map(|(shape, inner)| [shape, vec![inner]].concat());
    prop_oneof![4 => vec(size, 0..=6), 3 => long, 1 => vec(1..=2_usize, 7..=16)].prop_map(capped)
}

/// Sizes from where the product gets too large on become 1, from the right.
fn capped(mut shape: Vec<usize>) -> Vec<usize> {
    let mut product = 1;
    for size in shape.iter_mut().rev() {
        if product * *size > MOST {
            *size = 1;
        }
        product *= (*size).max(1);
    }
    shape
}

/// How a tensor lies in memory: which axes are fastest, which run backwards, what lies between their rows.
#[derive(Clone, Debug)]
struct Memory {
    plain: bool,
    order: [u8; AXES],
    back: [bool; AXES],
    pad: [usize; AXES],
    /// Axes that already are broadcasts.
    still: [bool; AXES],
    lead: usize,
}

fn memories() -> impl Strategy<Value = Memory> {
    let back = proptest::bool::weighted(0.3);
    let still = proptest::bool::weighted(0.1);
    let pad = prop_oneof![3 => Just(0_usize), 1 => 1..=3_usize];
    (proptest::bool::weighted(0.3), uniform24(0..4_u8), uniform24(back), uniform24(pad), uniform24(still), 0..=5_usize)
        .prop_map(|(plain, order, back, pad, still, lead)| Memory { plain, order, back, pad, still, lead })
}

/// Strides over a buffer of `len` elements.
#[derive(Clone, Debug)]
struct Placed {
    offset: usize,
    strides: Vec<isize>,
    len: usize,
}

impl Memory {
    fn place(&self, shape: &[usize], broadcasts: bool) -> Placed {
        let c_order = (0..shape.len()).rev();
        let mut axes: Vec<_> = c_order.collect();
        if !self.plain {
            axes.sort_by_key(|&axis| self.order[axis]);
        }
        let (mut offset, mut step) = (self.lead, 1 + if self.plain { 0 } else { self.pad[0] / 3 });
        let mut last = self.lead;
        let mut strides = vec![0; shape.len()];
        for axis in axes {
            let reach = shape[axis].saturating_sub(1) * step;
            if shape[axis] == 1 {
                // A stride that is never walked along says nothing.
                strides[axis] = if self.back[axis] { isize::MIN } else { step as isize };
            } else if !(broadcasts && self.still[axis]) {
                let back = self.back[axis] && !self.plain;
                strides[axis] = if back { -(step as isize) } else { step as isize };
                offset += if back { reach } else { 0 };
                last += reach;
                step = reach + step + if self.plain { 0 } else { self.pad[axis] };
            }
        }
        let len = if shape.contains(&0) { self.lead } else { last + 1 + self.lead };
        Placed { offset, strides, len }
    }
}

/// Distinct elements, a different list for each seed.
fn numbered<T: Sample>(len: usize, seed: usize) -> Vec<T> {
    (0..len).map(|n| T::nth(n.wrapping_mul(seed | 1).wrapping_add(seed))).collect()
}

/// What a run is told besides its operands.
#[derive(Clone, Debug)]
struct How {
    element: usize,
    isa: usize,
    serial: bool,
    seed: usize,
}

fn hows() -> impl Strategy<Value = How> {
    (0..14_usize, 0..8_usize, any::<bool>(), 1..1000_usize).prop_map(|(element, isa, serial, seed)| How {
        element,
        isa,
        serial,
        seed,
    })
}

impl How {
    fn options(&self) -> Options {
        let levels: Vec<_> = Isa::available().collect();
        let options = Options::new().isa(levels[self.isa % levels.len()]);
        if self.serial { options.serial() } else { options }
    }
}

// ---- the rules --------------------------------------------------------------------------------------------

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
    for_each_index(&expected.shape, |index| {
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

/// Writes into a strided output: its elements are `values`, and everything between them is as before.
fn check_strided_output<T: Sample>(
    expected: &Logical,
    values: &[T],
    memory: &Memory,
    write: impl FnOnce(ViewMut<'_, T>) -> stridecast::Result<()>,
) {
    let to = memory.place(&expected.shape, false);
    let mut room = numbered::<T>(to.len, 7);
    let mut wanted = room.clone();
    for (&id, &value) in Logical::strided(&expected.shape, to.offset, &to.strides).ids.iter().zip(values) {
        wanted[id] = value;
    }
    write(ViewMut::with_strides(&mut room, to.offset, &expected.shape, &to.strides).unwrap()).unwrap();
    assert!(bytes(&room) == bytes(&wanted), "strides {:?} from {}", to.strides, to.offset);
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

// ---- copies, tilings --------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(cases(1500))]

    /// Any strides to any strides.
    #[test]
    fn a_copy_moves_each_element_once(
        shape in shapes(), source in memories(), out in memories(), how in hows(),
    ) {
        with_type!(how.element, check_copy(&shape, &source, &out, &how));
    }

    #[test]
    fn tile_and_repeat_read_what_their_counts_say(
        shape in shapes(), reps in vec(0..=3_usize, 0..=7), axis in 0..8_usize,
        source in memories(), out in memories(), how in hows(),
    ) {
        with_type!(how.element, check_tilings(&shape, &reps, axis, &source, &out, &how));
    }
}

fn check_copy<T: Sample>(shape: &[usize], source: &Memory, out: &Memory, how: &How) {
    let (from, to) = (source.place(shape, true), out.place(shape, false));
    let data = numbered::<T>(from.len, how.seed);
    let logical = Logical::strided(shape, from.offset, &from.strides);
    let values = logical.values(&data);
    let view = View::with_strides(&data, from.offset, shape, &from.strides).unwrap();
    let layout = Layout::strided(to.offset as isize, shape, &to.strides).unwrap();
    let plan = Plan::copy(view.layout(), &layout, size_of::<T>(), how.options()).unwrap();

    let mut room = numbered::<T>(to.len, 7);
    let mut wanted = room.clone();
    for (&id, &value) in Logical::strided(shape, to.offset, &to.strides).ids.iter().zip(&values) {
        wanted[id] = value;
    }
    plan.run(&data, &mut room).unwrap();
    assert!(bytes(&room) == bytes(&wanted), "{plan}");
    check_strided_output(&logical, &values, out, |out| view.copy_into(out));
}

fn check_tilings<T: Sample>(shape: &[usize], reps: &[usize], axis: usize, source: &Memory, out: &Memory, how: &How) {
    let reps = tamed(shape, reps);
    let from = source.place(shape, true);
    let data = numbered::<T>(from.len, how.seed);
    let logical = Logical::strided(shape, from.offset, &from.strides);
    let view = View::with_strides(&data, from.offset, shape, &from.strides).unwrap();
    let size = size_of::<T>();

    let rank = shape.len().max(reps.len());
    let padded = |list: &[usize]| [vec![1; rank - list.len()], list.to_vec()].concat();
    let (sizes, counts) = (padded(shape), padded(&reps));
    let tiled = logical.remap(product(&sizes, &counts), |index| {
        (rank - shape.len()..rank).map(|axis| index[axis] % sizes[axis]).collect()
    });
    let got = tile(&view, &reps).unwrap();
    let values = tiled.values(&data);
    assert_eq!((got.shape(), bytes(got.as_slice())), (&tiled.shape[..], bytes(&values)));
    check_plan(&Plan::tile(view.layout(), &reps, size, how.options()).unwrap(), &data, &values);
    check_strided_output(&tiled, &values, out, |out| tile_into(&view, &reps, out));

    if reps.len() == shape.len() {
        let repeated =
            logical.remap(product(shape, &reps), |index| index.iter().zip(&reps).map(|(i, count)| i / count).collect());
        let got = repeat(&view, &reps).unwrap();
        let values = repeated.values(&data);
        assert_eq!((got.shape(), bytes(got.as_slice())), (&repeated.shape[..], bytes(&values)));
        check_plan(&Plan::repeat(view.layout(), &reps, size, how.options()).unwrap(), &data, &values);
        check_strided_output(&repeated, &values, out, |out| repeat_into(&view, &reps, out));
    } else {
        assert!(repeat(&view, &reps).is_err());
    }

    let count = reps.first().copied().unwrap_or(2);
    let got = repeat_axis(&view, count, axis);
    assert_eq!(got.is_ok(), axis < shape.len());
    if let Ok(got) = got {
        let mut wide = shape.to_vec();
        wide[axis] *= count;
        let repeated = logical.remap(wide, |index| {
            index.iter().enumerate().map(|(a, &i)| if a == axis { i / count } else { i }).collect()
        });
        assert_eq!((got.shape(), bytes(got.as_slice())), (&repeated.shape[..], bytes(&repeated.values(&data))));
    }
}

/// As many counts as axes most of the time, and not too large a product.
fn tamed(shape: &[usize], reps: &[usize]) -> Vec<usize> {
    let wanted = if reps.len().is_multiple_of(3) { reps.len() } else { shape.len() };
    let mut left = (6 * MOST / shape.iter().product::<usize>().max(1)).min(100);
    let count = |i: usize| {
        let count = reps.get(i).copied().unwrap_or(1);
        let count = if count > left { 1 } else { count };
        left /= count.max(1);
        count
    };
    (0..wanted).map(count).collect()
}

fn product(sizes: &[usize], counts: &[usize]) -> Vec<usize> {
    sizes.iter().zip(counts).map(|(size, count)| size * count).collect()
}

fn check_plan<T: Sample>(plan: &Plan, data: &[T], values: &[T]) {
    let mut run = numbered::<T>(values.len(), 3);
    plan.run(data, &mut run).unwrap();
    assert!(bytes(&run) == bytes(values), "{plan}");
    for n in [2, 5] {
        let parts = plan.parts(n).unwrap();
        let mut pieces = numbered::<T>(values.len(), 5);
        for part in 0..parts.len() {
            parts.run_part(part, data, &mut pieces[parts.range(part)]).unwrap();
        }
        assert!(bytes(&pieces) == bytes(values), "{n} parts of\n{plan}");
    }
}

// ---- views ------------------------------------------------------------------------------------------------

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

// ---- several operands -------------------------------------------------------------------------------------

/// Shapes that have a common one, most of the time.
fn operand_shapes() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let operand = (uniform24(proptest::bool::weighted(0.4)), 0..=4_usize);
    let slip = proptest::option::weighted(0.25, (0..8_usize, 0..16_usize, 0..4_usize));
    (shapes(), vec(operand, 0..=6), slip).prop_map(|(common, operands, slip)| {
        let narrow = |(mask, lead): &([bool; AXES], usize)| -> Vec<usize> {
            let sizes = common.iter().enumerate().map(|(axis, &size)| if mask[axis] { 1 } else { size });
            sizes.skip((*lead).min(common.len())).collect()
        };
        let mut shapes: Vec<_> = operands.iter().map(narrow).collect();
        if let Some((which, axis, size)) = slip
            && !shapes.is_empty()
        {
            let at = which % shapes.len();
            let rank = shapes[at].len();
            if rank > 0 {
                shapes[at][axis % rank] = size;
            }
        }
        shapes
    })
}

/// A buffer aligned for every dtype.
fn aligned(len: usize, seed: usize) -> Vec<u128> {
    numbered(len.div_ceil(16), seed)
}

proptest! {
    #![proptest_config(cases(1200))]

    #[test]
    fn operands_meet_in_their_common_shape(
        shapes in operand_shapes(), memory in memories(), out in memories(), dtypes in uniform24(0..100_usize),
    ) {
        let slices: Vec<&[usize]> = shapes.iter().map(|shape| &shape[..]).collect();
        let expected = common_shape(&shapes);
        prop_assert_eq!(broadcast_shapes(&slices).ok().map(|shape| shape.to_vec()), expected.clone());

        // One element type.
        let placed: Vec<_> = shapes.iter().map(|shape| memory.place(shape, true)).collect();
        let data: Vec<Vec<u16>> = placed.iter().enumerate().map(|(i, p)| numbered(p.len, i + 1)).collect();
        let views: Vec<_> = (0..shapes.len())
            .map(|i| View::with_strides(&data[i], placed[i].offset, &shapes[i], &placed[i].strides).unwrap())
            .collect();
        let wide = broadcast_all(&views);
        prop_assert_eq!(wide.is_ok(), expected.is_some());
        if let [a, b, ..] = &views[..] {
            let pair = broadcast_arrays([a.clone(), b.clone()]);
            prop_assert_eq!(pair.is_ok(), common_shape(&shapes[..2]).is_some());
        }

        // A type of its own for each.
        let dtypes: Vec<_> = dtypes.iter().map(|&n| DType::ALL[n % DType::ALL.len()]).collect();
        let buffers: Vec<_> = placed.iter().enumerate().map(|(i, p)| aligned(p.len * 16, i + 2)).collect();
        let inputs: Vec<_> = (0..shapes.len())
            .map(|i| {
                let layout = Layout::strided(placed[i].offset as isize, &shapes[i], &placed[i].strides).unwrap();
                AnyView::new(dtypes[i], bytemuck::cast_slice(&buffers[i]), layout).unwrap()
            })
            .collect();
        let common = expected.clone().unwrap_or_else(|| vec![2, 3]);
        let to = out.place(&common, false);
        let mut rooms: Vec<_> = inputs.iter().map(|_| aligned(to.len * 16, 99)).collect();
        let before = rooms.clone();
        let mut outputs: Vec<_> = rooms
            .iter_mut()
            .zip(&dtypes)
            .map(|(room, &dtype)| {
                let layout = Layout::strided(to.offset as isize, &common, &to.strides).unwrap();
                AnyViewMut::new(dtype, bytemuck::cast_slice_mut(room), layout).unwrap()
            })
            .collect();
        let result = broadcast_all_any_into(&inputs, &mut outputs);
        prop_assert_eq!(result.is_ok(), expected.is_some());
        let Some(expected) = expected else {
            prop_assert_eq!(rooms, before);
            return Ok(());
        };

        for (i, wide) in wide.unwrap().iter().enumerate() {
            let logical = Logical::strided(&shapes[i], placed[i].offset, &placed[i].strides);
            let stretched = Owned::Numpy.broadcast(&logical, &expected).unwrap();
            prop_assert_eq!(wide.shape(), &expected[..]);
            prop_assert!(wide.iter().copied().eq(stretched.values(&data[i])));

            let size = dtypes[i].size();
            let mut wanted = before[i].clone();
            let (source, wanted_bytes) = (bytes(&buffers[i]), bytemuck::cast_slice_mut::<_, u8>(&mut wanted));
            let places = Logical::strided(&expected, to.offset, &to.strides);
            for (&from, &to) in stretched.ids.iter().zip(&places.ids) {
                wanted_bytes[to * size..][..size].copy_from_slice(&source[from * size..][..size]);
            }
            prop_assert_eq!(&rooms[i], &wanted, "operand {} of {}", i, dtypes[i]);
        }
    }
}

// ---- bits and threads -------------------------------------------------------------------------------------

/// Quiet and signalling NaNs of every sign and payload shape, infinities, zeros, subnormals: no bit may change.
#[test]
fn every_bit_of_a_nan_is_kept() {
    fn check<T: Sample>(items: &[T]) {
        let (n, all) = (items.len(), bytes(items));
        let shape = [n];
        let size = size_of::<T>();
        let pick = |ids: &[usize]| ids.iter().flat_map(|&id| all[id * size..][..size].to_vec()).collect::<Vec<_>>();
        for options in Isa::available().map(|isa| Options::new().isa(isa)) {
            for k in [1, 2, 3, 7, 40] {
                let row = View::new(items, &shape).unwrap();
                let column = row.expand_dims(&[1]).unwrap();
                let wide = broadcast_with(&column, &[n, k], Rule::Numpy, options).unwrap();
                assert_eq!(bytes(wide.as_slice()), pick(&(0..n * k).map(|i| i / k).collect::<Vec<_>>()));
                let wide = broadcast_with(&row, &[k, n], Rule::Numpy, options).unwrap();
                assert_eq!(bytes(wide.as_slice()), pick(&(0..n * k).map(|i| i % n).collect::<Vec<_>>()));
                let back = row.flip(0).unwrap().broadcast_to(&[k, n]).unwrap().transpose();
                let ids: Vec<_> = (0..n * k).map(|i| n - 1 - i / k).collect();
                assert_eq!(bytes(back.to_tensor().unwrap().as_slice()), pick(&ids));
                assert_eq!(bytes(tile(&row, &[k]).unwrap().as_slice()), all.repeat(k));
            }
        }
    }
    let f32s = [0x7F80_0001, 0xFF80_0001, 0x7FBF_FFFF, 0x7FC0_0000, 0xFFFF_FFFF, 0x7F80_0000, 0x8000_0000, 1_u32];
    let f64s = f32s.map(|bits| u64::from(bits) << 32 | 1);
    let f16s = [0x7C01, 0xFC01, 0x7DFF, 0x7E00, 0xFFFF, 0x7C00, 0x8000, 1_u16];
    let bf16s = [0x7F81, 0xFF81, 0x7FBF, 0x7FC0, 0xFFFF, 0x7F80, 0x8000, 1_u16];
    check(&f32s.map(f32::from_bits));
    check(&f64s.map(f64::from_bits));
    check(&f16s.map(f16::from_bits));
    check(&bf16s.map(bf16::from_bits));
    check(&f32s.map(|bits| Complex::new(f32::from_bits(bits), f32::from_bits(!bits))));
    check(&f64s.map(|bits| Complex::new(f64::from_bits(bits), f64::from_bits(!bits))));
}

/// Outputs a little above the grain, their sizes prime or a prime times three: every pool gives the serial bytes.
#[cfg(feature = "rayon")]
#[test]
fn any_pool_gives_the_serial_bytes() {
    let pools: Vec<_> =
        [1, 2, 3, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()).into_iter().collect();
    let check = |shape: &[usize], source: &[isize], out: &[isize], element: usize| {
        with_type!(element, check_threads(shape, source, out, &pools));
    };
    // u8: 1 MiB is 1_048_576 elements.
    check(&[1_048_583], &[0], &[1], 0);
    check(&[1_048_583], &[1], &[1], 0);
    check(&[1_048_583], &[-1], &[-1], 0);
    check(&[3, 349_529], &[0, 1], &[349_529, 1], 0);
    check(&[3, 349_529], &[1, 0], &[349_529, 1], 0);
    check(&[3, 349_529], &[1, 3], &[349_529, 1], 0);
    check(&[349_529, 3], &[1, 0], &[3, 1], 0);
    check(&[349_529, 3], &[0, -1], &[3, 1], 0);
    // Rows with gaps, and an output that is its own transpose.
    check(&[1021, 1031], &[0, 1], &[1033, 1], 0);
    check(&[1021, 1031], &[1, 0], &[-1031, 1], 0);
    check(&[1021, 1031], &[1031, 1], &[1, 1021], 0);
    // [u8; 3], f32, f16, Complex<f64>, [f32; 3].
    for (element, size) in [(1, 349_529), (5, 262_147), (3, 524_309), (10, 65_537), (11, 87_383)] {
        check(&[size], &[0], &[1], element);
        check(&[2, size], &[0, 1], &[size as isize, 1], element);
        check(&[size, 2], &[1, 0], &[2, 1], element);
    }
}

#[cfg(feature = "rayon")]
fn check_threads<T: Sample>(shape: &[usize], source: &[isize], out: &[isize], pools: &[rayon::ThreadPool]) {
    let reach = |strides: &[isize], sign: isize| -> usize {
        let reaches = shape.iter().zip(strides).map(|(&size, &stride)| (size as isize - 1) * stride * sign);
        reaches.map(|reach| reach.max(0) as usize).sum()
    };
    let (source_offset, out_offset) = (reach(source, -1), reach(out, -1));
    let data = numbered::<T>(source_offset + reach(source, 1) + 1, 11);
    let room = numbered::<T>(out_offset + reach(out, 1) + 1, 13);
    let from = Layout::strided(source_offset as isize, shape, source).unwrap();
    let to = Layout::strided(out_offset as isize, shape, out).unwrap();
    let plan = |options| Plan::copy(&from, &to, size_of::<T>(), options).unwrap();
    let mut serial = room.clone();
    plan(Options::new().serial()).run(&data, &mut serial).unwrap();
    // Some elements by index arithmetic: the serial run itself has its own tests.
    for at in (0..shape.iter().product::<usize>()).step_by(997) {
        let index = |axis: usize| at / shape[axis + 1..].iter().product::<usize>() % shape[axis];
        let place = |offset: usize, strides: &[isize]| {
            let steps: isize = strides.iter().enumerate().map(|(axis, stride)| index(axis) as isize * stride).sum();
            (offset as isize + steps) as usize
        };
        assert_eq!(bytes(&serial[place(out_offset, out)..][..1]), bytes(&data[place(source_offset, source)..][..1]));
    }
    let parallel = plan(Options::new());
    for pool in pools {
        let mut got = room.clone();
        pool.install(|| parallel.run(&data, &mut got)).unwrap();
        assert!(bytes(&got) == bytes(&serial), "{} threads\n{parallel}", pool.current_num_threads());
    }
}
