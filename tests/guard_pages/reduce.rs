//! Reductions at the guard pages: operands and output end, or begin, at a page that faults. What must come out is what
//! the level without vectors gives on ordinary memory, whose meaning `tests/reduce` checks.

use stridecast::{DType, Isa, Layout, Options, Over, ReducePlan, Reduction, raw};

use crate::common::naive;
use crate::functions::{Operand, Pages, content, words};
use crate::harness::{CANARY, Edge};

/// A reduction of one operand, or the sum of the product of two.
#[derive(Clone, Copy, Debug)]
struct Signature {
    reduction: Reduction,
    operands: usize,
    dtype: DType,
    output: DType,
}

/// Every reduction with the types that it is defined on.
fn signatures() -> Vec<Signature> {
    let layout = Layout::new(&[]).unwrap();
    let mut all = vec![];
    for (&dtype, &output) in DType::ALL.iter().flat_map(|dtype| DType::ALL.iter().map(move |output| (dtype, output))) {
        for (&reduction, operands) in
            Reduction::ALL.iter().map(|reduction| (reduction, 1)).chain([(&Reduction::Sum, 2)])
        {
            let given = vec![(dtype, &layout); operands];
            let over = Over::To(&[]);
            if ReducePlan::with_output(reduction, &given, over, output, &layout, Options::new()).is_ok() {
                all.push(Signature { reduction, operands, dtype, output });
            }
        }
    }
    all
}

/// What lies where: the operands, the axes that go, and the output, which has gaps of as many elements.
struct Case<'a> {
    operands: [&'a Operand; 2],
    /// An axis of the first along which it runs backwards.
    back: Option<usize>,
    axes: &'a [usize],
    gap: usize,
}

/// The output of a case: rows of one element and a gap, or of all that is left of the last axis and one.
fn output(shape: &[usize], axes: &[usize], gap: usize) -> Operand {
    let left: Vec<_> = (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
    let mut out = Operand::dense(&left);
    match &mut out.strides[..] {
        [only] => *only += gap as isize,
        [first, .., _] => *first += gap as isize,
        [] => {}
    }
    out
}

/// The bytes of an output between its elements.
fn gaps<'a>(out: &Operand, bytes: &'a [u8], size: usize) -> impl Iterator<Item = u8> + 'a {
    let mut written = vec![false; out.span()];
    naive::for_each_index(&out.shape, |index| written[naive::position(0, &out.strides, index)] = true);
    let gaps = bytes.chunks(size).zip(written).filter(|(_, written)| !written);
    gaps.flat_map(|(bytes, _)| bytes.iter().copied())
}

fn run(pages: &mut Pages, signature: &Signature, case: &Case<'_>) {
    let Signature { reduction, operands, dtype, output: out_type } = *signature;
    let given = &case.operands[..operands];
    let mut layouts: Vec<_> = given.iter().map(|operand| operand.layout()).collect();
    if let Some(axis) = case.back {
        layouts[0] = layouts[0].flip(axis).unwrap();
    }
    let inputs: Vec<_> = layouts.iter().map(|layout| (dtype, layout)).collect();
    let bytes: Vec<_> = given.iter().map(|operand| content(dtype, operand.span())).collect();
    let out = output(&case.operands[0].shape, case.axes, case.gap);
    let (out_layout, over) = (out.layout(), Over::Axes { axes: case.axes, keep_dims: false });
    let plan = |isa| {
        let options = Options::new().isa(isa);
        ReducePlan::with_output(reduction, &inputs, over, out_type, &out_layout, options).unwrap()
    };
    let copies: Vec<Vec<u128>> = bytes.iter().map(|bytes| words(bytes)).collect();
    let pointers: Vec<_> = copies.iter().map(|copy| copy.as_ptr().cast::<u8>()).collect();
    let size = out.span() * out_type.size();
    for onto in [false, true] {
        let mut expected = vec![u128::from_ne_bytes([CANARY; 16]); size.div_ceil(16)];
        // SAFETY: each copy holds its operand's elements, and `expected` the output's.
        unsafe { raw::reduce(&plan(Isa::SCALAR), &pointers, expected.as_mut_ptr().cast(), onto).unwrap() };
        let expected = &bytemuck::cast_slice::<_, u8>(&expected)[..size];
        assert!(gaps(&out, expected, out_type.size()).all(|byte| byte == CANARY), "{signature:?} over {:?}", case.axes);
        for isa in Isa::available() {
            let plan = plan(isa);
            for edge in [Edge::End, Edge::Begin] {
                let what = format!("{signature:?} of {layouts:?} over {:?} on {isa}, onto: {onto}", case.axes);
                pages.run(&bytes, expected, edge, &what, |pointers, out| {
                    // SAFETY: each operand's pages hold its elements, the output's its own.
                    unsafe { raw::reduce(&plan, pointers, out, onto).unwrap() };
                });
            }
        }
    }
}

/// Lengths around vectors and blocks, some of those between.
fn lengths(most: usize) -> impl Iterator<Item = usize> {
    (1..=most).filter(|n| *n < 9 || n % 16 < 2 || n % 16 == 15 || n % 11 == 3)
}

#[test]
fn rows_and_columns_of_every_length() {
    let mut pages = Pages::new();
    for signature in signatures() {
        for n in lengths(if signature.dtype.size() > 8 { 66 } else { 130 }) {
            let (row, few, column) = (Operand::dense(&[n]), Operand::dense(&[3, n]), Operand::dense(&[n, 5]));
            let (narrow, still) = (Operand::dense(&[n, 3]), Operand { shape: vec![3, n], strides: vec![0, 1] });
            let mut case = |operands, axes: &[usize], gap| {
                run(&mut pages, &signature, &Case { operands, back: None, axes, gap });
            };
            case([&row, &row], &[0], 0);
            case([&few, &row], &[1], n % 3);
            case([&few, &still], &[0], n % 2);
            match n % 3 {
                0 => case([&column, &column], &[0], 0),
                1 => case([&narrow, &narrow], &[0], 1),
                _ => case([&narrow, &Operand::dense(&[n, 1])], &[1], n % 2),
            }
        }
    }
}

/// Rows apart, turned and backwards, whose last element is the last of the page.
#[test]
fn operands_with_gaps_turned_and_backwards() {
    let mut pages = Pages::new();
    for signature in signatures() {
        for (i, n) in [2, 5, 17, 33, 64, 66].into_iter().enumerate() {
            let rows = Operand::rows(5, n, n + 3);
            let turned = Operand { shape: vec![5, n], strides: vec![1, 5] };
            let stepped = Operand { shape: vec![5, n], strides: vec![2 * n as isize, 2] };
            let plain = Operand::dense(&[5, n]);
            for (k, first) in [&rows, &turned, &stepped, &plain].into_iter().enumerate() {
                let second = [&plain, &rows, &turned, &stepped][(i + k) % 4];
                let back = [None, Some(0), Some(1)][(i + k / 2) % 3];
                for axes in [&[0][..], &[1], &[0, 1]] {
                    run(&mut pages, &signature, &Case { operands: [first, second], back, axes, gap: k % 3 });
                }
            }
        }
        let (cube, deep) = (Operand::dense(&[3, 4, 7]), Operand::dense(&[4, 5, 2, 3]));
        run(&mut pages, &signature, &Case { operands: [&cube, &cube], back: Some(2), axes: &[0, 2], gap: 1 });
        run(&mut pages, &signature, &Case { operands: [&cube, &cube], back: None, axes: &[1], gap: 2 });
        run(&mut pages, &signature, &Case { operands: [&deep, &deep], back: Some(1), axes: &[1, 3], gap: 1 });
        run(&mut pages, &signature, &Case { operands: [&deep, &deep], back: None, axes: &[0, 2], gap: 0 });
    }
}

/// Long enough for several blocks, and for columns that are gathered.
#[test]
fn several_blocks() {
    let mut pages = Pages::new();
    for signature in signatures() {
        for n in [255, 256, 257, 511, 513, 1000] {
            let (row, column) = (Operand::dense(&[n]), Operand::dense(&[n, 1]));
            let wide = Operand::dense(&[2, n / 2]);
            run(&mut pages, &signature, &Case { operands: [&row, &row], back: Some(0), axes: &[0], gap: 0 });
            run(&mut pages, &signature, &Case { operands: [&column, &column], back: None, axes: &[0], gap: 1 });
            run(&mut pages, &signature, &Case { operands: [&wide, &wide], back: None, axes: &[0], gap: 0 });
        }
    }
}
