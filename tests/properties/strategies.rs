//! What the properties are tried on: shapes, how a tensor lies in memory, and what a run is told.
//!
//! Numbers that belong to an axis come as lists with one entry for each axis that there could be, so that a case
//! shrinks to a smaller shape without changing what its other axes do.

use proptest::array::uniform24;
use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{Isa, Options};

/// Entries of a list with one for each axis: a shape has up to 16 and may be given more, and the last ones are coins.
pub const AXES: usize = 24;

/// Elements of a tensor: enough for the vector loops, few enough for thousands of cases.
pub const MOST: usize = 1500;

/// Ranks 0 to 6 of small sizes, some with a long innermost axis, and some of up to 16 axes.
pub fn shapes() -> impl Strategy<Value = Vec<usize>> {
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
pub struct Memory {
    plain: bool,
    order: [u8; AXES],
    back: [bool; AXES],
    pad: [usize; AXES],
    /// Axes that already are broadcasts.
    still: [bool; AXES],
    lead: usize,
}

pub fn memories() -> impl Strategy<Value = Memory> {
    let back = proptest::bool::weighted(0.3);
    let still = proptest::bool::weighted(0.1);
    let pad = prop_oneof![3 => Just(0_usize), 1 => 1..=3_usize];
    (proptest::bool::weighted(0.3), uniform24(0..4_u8), uniform24(back), uniform24(pad), uniform24(still), 0..=5_usize)
        .prop_map(|(plain, order, back, pad, still, lead)| Memory { plain, order, back, pad, still, lead })
}

/// Strides over a buffer of `len` elements.
#[derive(Clone, Debug)]
pub struct Placed {
    pub offset: usize,
    pub strides: Vec<isize>,
    pub len: usize,
}

impl Memory {
    pub fn place(&self, shape: &[usize], broadcasts: bool) -> Placed {
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

/// What a run is told besides its operands.
#[derive(Clone, Debug)]
pub struct How {
    pub element: usize,
    isa: usize,
    serial: bool,
    pub seed: usize,
}

pub fn hows() -> impl Strategy<Value = How> {
    (0..14_usize, 0..8_usize, any::<bool>(), 1..1000_usize).prop_map(|(element, isa, serial, seed)| How {
        element,
        isa,
        serial,
        seed,
    })
}

impl How {
    pub fn options(&self) -> Options {
        let levels: Vec<_> = Isa::available().collect();
        let options = Options::new().isa(levels[self.isa % levels.len()]);
        if self.serial { options.serial() } else { options }
    }
}
