//! The doors for runtimes, `raw` and `AnyView`, given everything that a confused caller could send.
//!
//! What can be checked must come back as an error, without a panic, an overflow or a write: sizes and strides up to
//! the ends of `isize`, null pointers, pointers at the end of the address space, operands that overlap. Calls that
//! the checks could not refuse are never made with such pointers; an exact model in `i128` says which those are.
//! The second half uses the doors as they are meant: pointers into the middle of an allocation, interleaved outputs
//! that several threads fill, every dtype.

mod common;

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use common::{Sample, bytes, naive, samples};
use half::{bf16, f16};
use num_complex::Complex;
use stridecast::{
    AnyView, AnyViewMut, BroadcastError, DType, Element, Isa, Layout, Options, Plan, Rule, View, ViewMut,
    broadcast_all_any_into, raw,
};

const MAX: isize = isize::MAX;
const MIN: isize = isize::MIN;

/// Element sizes: none, ordinary ones, and ones that no product survives.
const ELEMS: [usize; 7] = [0, 1, 3, 8, 16, MAX as usize, usize::MAX];

// ---- the model --------------------------------------------------------------------------------------------

/// A layout as three lists, which the crate may or may not take.
#[derive(Clone, Debug)]
struct Raw {
    offset: isize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl Raw {
    fn layout(&self) -> Result<Layout<'_>, BroadcastError> {
        Layout::strided(self.offset, &self.shape, &self.strides)
    }

    fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Lowest and highest element. Sizes up to 2^64 times strides up to 2^63 fit `i128` three times over; more axes
    /// than that with such extremes are not made here.
    fn span(&self) -> (i128, i128) {
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (size as i128 - 1).saturating_mul(stride as i128);
            if reach < 0 { low = low.saturating_add(reach) } else { high = high.saturating_add(reach) }
        }
        (low, high)
    }

    /// Whether some address of it, or the byte behind its last, is no address.
    fn leaves_memory(&self, addr: usize, elem: usize) -> bool {
        let (low, high) = self.span();
        let byte = |at: i128| at.checked_mul(elem as i128).and_then(|at| at.checked_add(addr as i128));
        let start = byte(low).is_none_or(|start| start <= 0);
        addr == 0 || start || byte(high + 1).is_none_or(|end| end > usize::MAX as i128)
    }

    /// Whether elements, indices and the width from the lowest to the highest all fit `isize`.
    fn may_be_accepted(&self) -> bool {
        let count: Option<usize> = self.shape.iter().filter(|&&n| n > 0).try_fold(1, |n: usize, &m| n.checked_mul(m));
        let (low, high) = self.span();
        let inside = low >= MIN as i128 && high <= MAX as i128 && high - low < MAX as i128;
        count.is_some_and(|n| n <= MAX as usize) && (self.is_empty() || inside)
    }
}

/// Every layout of two axes (and of one: the other has size 1) from the ends of the number range.
fn hostile_layouts() -> Vec<Raw> {
    let sizes = [0, 1, 2, 3, 1 << 62, MAX as usize, 1 << 63, usize::MAX];
    // 8-byte elements at a stride of MAX / 4 - 8, starting at -(MAX / 8), fit at both ends but not in between.
    let strides = [0, 1, -1, 3, MAX / 8, MAX / 4 - 8, -(MAX / 4), MAX, MIN, MIN + 1];
    let offsets = [0, 1, -1, MAX / 8, -(MAX / 8), MAX, MIN];
    let mut all = vec![];
    for (outer, inner) in pairs(&sizes) {
        for (s, t) in pairs(&strides) {
            for offset in offsets {
                all.push(Raw { offset, shape: vec![outer, inner], strides: vec![s, t] });
            }
        }
    }
    all
}

fn pairs<T: Copy>(items: &[T]) -> impl Iterator<Item = (T, T)> {
    items.iter().flat_map(|&a| items.iter().map(move |&b| (a, b)))
}

/// The result, or the case that panicked. The message of the panic itself is printed above it.
fn no_panic<R>(case: &dyn std::fmt::Debug, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| panic!("panicked on {case:?}"))
}

// ---- what must be refused ---------------------------------------------------------------------------------

#[test]
fn hostile_layouts_are_errors_or_plain_data() {
    let mut accepted = 0;
    for case in hostile_layouts() {
        let layout = no_panic(&case, || case.layout().map(Layout::into_owned));
        assert_eq!(layout.is_ok(), case.may_be_accepted(), "{case:?}");
        let Ok(layout) = layout else { continue };
        accepted += 1;
        no_panic(&case, || {
            let _ = (layout.permute(&[1, 0]), layout.transpose(), layout.flip(0), layout.flip(1));
            let _ = (layout.slice(0, 0, 1, MIN), layout.slice(1, 1, 2, MAX), layout.slice(1, usize::MAX, 0, 0));
            let _ = (layout.broadcast_to(&[2, case.shape[0], case.shape[1]]), layout.expand_dims(&[0, 3]));
            let _ = layout.broadcast(&[usize::MAX, 2], Rule::Bidirectional);
        });
    }
    assert!(accepted > 1000, "the grid is not all refusals");
}

#[test]
fn views_of_hostile_layouts_are_errors_or_in_bounds() {
    let mut data = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for case in hostile_layouts() {
        let (low, high) = case.span();
        let inside = case.may_be_accepted() && (case.is_empty() || (low >= 0 && high < 8));
        let Ok(offset) = usize::try_from(case.offset) else { continue };
        no_panic(&case, || {
            let view = View::with_strides(&data, offset, &case.shape, &case.strides);
            assert_eq!(view.is_ok(), inside, "{case:?}");
            if let Ok(view) = view {
                view.iter().take(64).for_each(|item| assert!((1..=8).contains(item)));
            }
        });
        no_panic(&case, || {
            let view = ViewMut::with_strides(&mut data, offset, &case.shape, &case.strides);
            assert!(inside || view.is_err(), "{case:?}");
        });
        no_panic(&case, || {
            let layout = case.layout();
            let any = layout.and_then(|layout| AnyView::new(DType::U64, bytemuck::cast_slice(&data), layout));
            assert_eq!(any.is_ok(), inside, "{case:?}");
            let bytes = bytemuck::cast_slice_mut(&mut data);
            let any = case.layout().and_then(|layout| AnyViewMut::new(DType::U64, bytes, layout));
            assert!(inside || any.is_err(), "{case:?}");
        });
    }
    assert_eq!(data, [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Both as the source of a dense output and as the output: a plan or an error, and a plan that refuses slices which
/// are too short, prints itself and cuts itself.
#[test]
fn plans_of_hostile_layouts_never_overflow() {
    for case in hostile_layouts() {
        let Ok(layout) = case.layout() else { continue };
        let dense = Layout::new(&case.shape).unwrap();
        for elem in ELEMS {
            for (source, out) in [(&layout, &dense), (&dense, &layout), (&layout, &layout)] {
                no_panic(&(&case, elem), || {
                    let Ok(plan) = Plan::copy(source, out, elem, Options::new()) else { return };
                    let _ = (plan.to_string(), plan.source_need(), plan.output_bytes());
                    if let Ok(parts) = plan.parts(3) {
                        let last = parts.range(parts.len() - 1);
                        assert_eq!(last.end, plan.output_len());
                    }
                    let fits = plan.output_bytes() <= 64 && plan.source_need().saturating_mul(elem) <= 64;
                    if !fits {
                        let mut room = [7; 64];
                        assert!(plan.run_bytes(&[1; 64], &mut room).is_err());
                        assert_eq!(room, [7; 64]);
                    }
                });
            }
        }
    }
}

/// Pointers from nowhere: whatever the layout says, only calls that the addresses alone refuse are made.
#[test]
fn pointers_that_cannot_hold_the_layout_are_refused() {
    let addresses = [0, 1, 7, 64, 1 << 47, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX - 64, usize::MAX];
    let mut memory = [7_u8; 64];
    let good = memory.as_mut_ptr();
    for case in hostile_layouts().into_iter().filter(|case| case.shape.iter().all(|&size| size < 4)) {
        let Ok(layout) = case.layout() else { continue };
        // Within the 64 bytes for up to 4 bytes an element.
        let small = Layout::new(&case.shape).unwrap();
        for (elem, addr) in [1, 3, 4].into_iter().flat_map(|elem| addresses.map(|addr| (elem, addr))) {
            let bad = ptr::without_provenance_mut::<u8>(addr);
            if !case.is_empty() && case.leaves_memory(addr, elem) {
                no_panic(&(&case, elem, addr), || {
                    // SAFETY: refused for the address before anything is read or written.
                    unsafe {
                        assert!(raw::copy(elem, bad, &layout, good, &small, Options::new()).is_err());
                        assert!(raw::copy(elem, good, &small, bad, &layout, Options::new()).is_err());
                    }
                });
            } else if case.is_empty() {
                no_panic(&(&case, elem, addr), || {
                    // SAFETY: without elements nothing is read or written, wherever the pointers point.
                    unsafe {
                        raw::copy(elem, bad, &layout, bad, &layout, Options::new()).unwrap();
                        raw::copy(elem, good, &small, bad, &layout, Options::new()).unwrap();
                    }
                });
            }
        }
    }
    assert_eq!(memory, [7; 64]);
}

#[test]
fn null_and_the_end_of_memory_name_the_operand() {
    let mut memory = [7_u8; 16];
    let good = memory.as_mut_ptr();
    let four = Layout::new(&[4]).unwrap();
    let back = Layout::strided(0, &[4], &[-1]).unwrap();
    let null = ptr::null_mut::<u8>();
    let high = ptr::without_provenance_mut::<u8>(usize::MAX - 3);
    let low = ptr::without_provenance_mut::<u8>(2);
    for (bad, layout) in [(null, &four), (high, &four), (low, &back), (null, &back)] {
        // SAFETY: refused before anything is read or written.
        let (source, out) = unsafe {
            (
                raw::copy(1, bad, layout, good, &four, Options::new()),
                raw::copy(1, good, &four, bad, layout, Options::new()),
            )
        };
        assert_eq!(source, Err(BroadcastError::BadPointer { what: "source" }), "{bad:?}");
        assert_eq!(out, Err(BroadcastError::BadPointer { what: "output" }), "{bad:?}");
    }
    assert_eq!(memory, [7; 16]);
}

#[test]
fn nothing_to_do_touches_nothing_whatever_the_pointers() {
    let null = ptr::null_mut::<u8>();
    let garbage = Raw { offset: MIN, shape: vec![3, 0, 2], strides: vec![MAX, MIN, MIN] };
    let empty = garbage.layout().unwrap();
    let one = Layout::new(&[3, 1, 2]).unwrap();
    for elem in ELEMS.into_iter().filter(|&elem| elem < 1 << 60) {
        for options in [Options::new(), Options::new().serial()] {
            // SAFETY: the outputs have no elements.
            unsafe {
                raw::copy(elem, null, &empty, null, &empty, options).unwrap();
                raw::broadcast(elem, null, &one, Rule::Numpy, null, &empty, options).unwrap();
            }
        }
    }
    // Elements without bytes, any number of them.
    for size in [1, 2, 1000, MAX as usize] {
        let shape = [size];
        let many = Layout::new(&shape).unwrap();
        let scalar = Layout::new(&[]).unwrap();
        // SAFETY: elements of no bytes.
        unsafe {
            raw::copy(0, null, &many, null, &many, Options::new()).unwrap();
            raw::broadcast(0, null, &scalar, Rule::Numpy, null, &many, Options::new()).unwrap();
        }
    }
}

#[test]
fn huge_elements_are_refused() {
    let mut memory = [7_u8; 8];
    let p = memory.as_mut_ptr();
    let null = ptr::null_mut::<u8>();
    let (scalar, two) = (Layout::new(&[]).unwrap(), Layout::new(&[2]).unwrap());
    for elem in [MAX as usize, MAX as usize + 1, usize::MAX] {
        // SAFETY: refused before anything is read or written; two elements of isize::MAX bytes this close overlap.
        unsafe {
            assert!(raw::copy(elem, p, &scalar, p.add(1), &scalar, Options::new()).is_err(), "{elem}");
            assert!(raw::copy(elem, p, &two, p.add(1), &two, Options::new()).is_err(), "{elem}");
            assert!(raw::broadcast(elem, p, &scalar, Rule::Numpy, null, &two, Options::new()).is_err(), "{elem}");
        }
    }
    assert_eq!(memory, [7; 8]);
}

#[test]
fn outputs_that_touch_an_element_twice_are_refused() {
    let cases: [(&[usize], &[isize]); 9] = [
        (&[2], &[0]),
        (&[2, 3], &[1, 1]),
        (&[2, 3], &[2, 1]),
        (&[2, 3], &[-2, 1]),
        (&[3, 2], &[1, -2]),
        (&[3, 4], &[3, 4]), // 3 * 4 = 4 * 3
        (&[2, 2, 2], &[4, 2, 0]),
        (&[2, 1, 2], &[1, 9, 1]),
        (&[1 << 40, 2], &[0, 1]),
    ];
    let mut memory = [7_u8; 64];
    // SAFETY: the middle of the array.
    let (source, out) = ([1_u8; 64], unsafe { memory.as_mut_ptr().add(32) });
    for (shape, strides) in cases {
        let layout = Layout::strided(0, shape, strides).unwrap();
        let zeros = vec![0; shape.len()];
        let splat = Layout::strided(0, shape, &zeros).unwrap();
        // SAFETY: refused before anything is read or written.
        let result = unsafe { raw::copy(1, source.as_ptr(), &splat, out, &layout, Options::new()) };
        assert!(matches!(result, Err(BroadcastError::SelfOverlap { .. })), "{shape:?} {strides:?}: {result:?}");
    }
    assert_eq!(memory, [7; 64]);
}

/// The ranges from lowest to highest byte may touch, but not share a byte.
#[test]
fn operands_that_overlap_are_refused() {
    let before: Vec<u8> = (0..200).collect();
    let mut memory = before.clone();
    let base = memory.as_mut_ptr();
    let (ten, back) = (Layout::new(&[10]).unwrap(), Layout::strided(9, &[10], &[-1]).unwrap());
    let one = Layout::new(&[]).unwrap();
    for distance in -30_isize..=30 {
        for source in [&ten, &back] {
            // SAFETY: bytes 60..100 + distance of the array, or refused.
            unsafe {
                let out = base.add(100);
                let result = raw::copy(1, out.offset(distance), source, out, &ten, Options::new());
                assert_eq!(result.is_err(), distance.unsigned_abs() < 10, "{distance}");
                assert!(result.is_ok() || result == Err(BroadcastError::Overlap));
                memory_is(base, &before, if result.is_ok() { 100..110 } else { 0..0 });
                ptr::copy_nonoverlapping(before.as_ptr(), base, before.len());
            }
        }
        // SAFETY: as above; the scalar is one byte.
        unsafe {
            let out = base.add(100);
            let result = raw::broadcast(1, out.offset(distance), &one, Rule::Numpy, out, &ten, Options::new());
            assert_eq!(result.is_err(), (0..10).contains(&distance), "{distance}");
            ptr::copy_nonoverlapping(before.as_ptr(), base, before.len());
        }
    }
    // Even and odd elements of one stretch: disjoint, but the check compares ranges. A safe copy needs two buffers.
    let even = Layout::strided(0, &[5], &[2]).unwrap();
    // SAFETY: the first ten bytes, or refused.
    let result = unsafe { raw::copy(1, base, &even, base.add(1), &even, Options::new()) };
    assert_eq!(result, Err(BroadcastError::Overlap));
    assert_eq!(memory, before);
}

/// That the array is as before outside `except`.
///
/// # Safety
/// `base` points to as many bytes as `before` has.
unsafe fn memory_is(base: *const u8, before: &[u8], except: std::ops::Range<usize>) {
    // SAFETY: as the caller says.
    let memory = unsafe { std::slice::from_raw_parts(base, before.len()) };
    for (i, (now, then)) in memory.iter().zip(before).enumerate() {
        assert!(now == then || except.contains(&i), "byte {i} was written");
    }
}

#[test]
fn shapes_that_the_rule_does_not_give_are_refused() {
    let (source, mut out) = ([1_u8; 12], [7_u8; 12]);
    let cases: [(&[usize], Rule, &[usize]); 6] = [
        (&[3], Rule::Numpy, &[2]),
        (&[3, 4], Rule::Numpy, &[4]),
        (&[3, 1], Rule::Bidirectional, &[1, 4]), // gives [3, 4], which is not the output's shape
        (&[3], Rule::AxesMapping(&[2]), &[3, 4]),
        (&[1], Rule::BroadcastAxes(&[0]), &[3, 4]),
        (&[3, 4], Rule::Pdpd { axis: Some(usize::MAX) }, &[3, 4]),
    ];
    for (from, rule, to) in cases {
        let (from, to) = (Layout::new(from).unwrap(), Layout::new(to).unwrap());
        // SAFETY: both arrays cover the layouts, and the call is refused.
        let result = unsafe { raw::broadcast(1, source.as_ptr(), &from, rule, out.as_mut_ptr(), &to, Options::new()) };
        assert!(result.is_err(), "{rule:?}");
    }
    assert_eq!(out, [7; 12]);
}

// ---- what must work ---------------------------------------------------------------------------------------

/// The pointer is the element of index 0, wherever that lies: offset 0 and negative strides, or an offset that takes
/// a pointer from elsewhere in the allocation to it.
#[test]
fn pointers_into_the_middle() {
    fn run<T: Sample>(isa: Isa) {
        let size = size_of::<T>();
        let data = samples::<T>(100);
        let strides = [[-7_isize, 1], [7, -1], [-1, -7], [9, 2], [0, -3]];
        for (s, o) in pairs(&strides).filter(|(_, o)| o[0] != 0) {
            let shape = [4, 5];
            let mut got = samples::<T>(120);
            let mut expected = got.clone();
            for (index, value) in naive::indices(&shape).iter().zip(naive::gather(&data, 50, &shape, &s)) {
                expected[naive::position(60, &o, index)] = value;
            }
            for shift in [0_isize, 13, -13] {
                got.clone_from(&samples::<T>(120));
                let from = Layout::strided(-shift, &shape, &s).unwrap();
                let to = Layout::strided(shift, &shape, &o).unwrap();
                // SAFETY: the strides reach at most 35 elements from elements 50 of 100 and 60 of 120.
                unsafe {
                    let src = data.as_ptr().offset(50 + shift).cast();
                    let dst = got.as_mut_ptr().offset(60 - shift).cast();
                    raw::copy(size, src, &from, dst, &to, Options::new().isa(isa)).unwrap();
                }
                assert!(bytes(&got) == bytes(&expected), "{s:?} -> {o:?}, shift {shift}, {isa}");
            }
        }
    }
    for isa in Isa::available() {
        for_every_type!(run(isa));
    }
}

#[test]
fn sixteen_axes() {
    let shape = [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3];
    let narrow = [1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 3];
    let data = samples::<u32>(48);
    let expected = naive::broadcast(&data, &narrow, &shape);
    for isa in Isa::available() {
        let mut got = vec![0_u32; expected.len()];
        // SAFETY: both buffers hold their layouts' elements, and nobody else has them.
        unsafe {
            raw::broadcast(
                4,
                data.as_ptr().cast(),
                &Layout::new(&narrow).unwrap(),
                Rule::Numpy,
                got.as_mut_ptr().cast(),
                &Layout::new(&shape).unwrap(),
                Options::new().isa(isa),
            )
            .unwrap();
        }
        assert_eq!(got, expected, "{isa}");
    }
    // The same rank with sizes that no machine holds.
    let wide = [1 << 4; 16];
    assert!(matches!(Layout::new(&wide), Err(BroadcastError::TooLarge { .. })));
    assert!(Layout::strided(0, &shape, &[MAX; 16]).is_err());
}

/// Two threads fill interleaved views of one allocation at once. A kernel that reads a gap and writes it back loses
/// the other thread's elements.
#[test]
fn two_threads_fill_interleaved_outputs() {
    #[derive(Clone, Copy)]
    struct Memory(*mut u8);
    // SAFETY: each thread writes its own elements only, and the scope ends before they are read.
    unsafe impl Send for Memory {}
    impl Memory {
        fn start(self) -> *mut u8 {
            self.0
        }
    }

    // (row length, rows): the views are the left and the right half of rows, and even and odd elements.
    for isa in Isa::available() {
        for (cols, rows) in [(1_usize, 4001_usize), (3, 1301), (13, 307), (33, 129), (67, 61), (600, 9)] {
            let halves = [(0, [2 * cols as isize, 1]), (cols as isize, [2 * cols as isize, 1])];
            let combs = [(0, [2 * cols as isize, 2]), (1, [2 * cols as isize, 2])];
            for views in [halves, combs] {
                let mut memory = vec![0_u8; 2 * cols * rows];
                for round in 1..=4 {
                    let base = Memory(memory.as_mut_ptr());
                    std::thread::scope(|scope| {
                        for (k, (offset, strides)) in views.into_iter().enumerate() {
                            scope.spawn(move || {
                                let row: Vec<u8> = (0..cols).map(|i| mark(round, k, i)).collect();
                                let shape = [rows, cols];
                                let to = Layout::strided(offset, &shape, &strides).unwrap();
                                let from = Layout::new(&[cols]).map(Layout::into_owned).unwrap();
                                // SAFETY: the two views share no element, and the memory outlives the scope.
                                unsafe {
                                    let options = Options::new().isa(isa);
                                    raw::broadcast(1, row.as_ptr(), &from, Rule::Numpy, base.start(), &to, options)
                                        .unwrap();
                                }
                            });
                        }
                    });
                    for (k, (offset, strides)) in views.into_iter().enumerate() {
                        let seen = naive::gather(&memory, offset as usize, &[rows, cols], &strides);
                        let right = seen.iter().enumerate().all(|(at, &x)| x == mark(round, k, at % cols));
                        assert!(right, "view {k} of {rows} x {cols}, {strides:?}, round {round}, {isa}");
                    }
                }
            }
        }
    }
}

/// Columns of a matrix to other columns of it: ranges that meet, elements that do not.
#[test]
fn interleaved_operands_of_one_allocation() {
    let before: Vec<u16> = samples(40 * 9);
    let (shape, strides) = ([40, 3], [9, 1]);
    let layout = Layout::strided(0, &shape, &strides).unwrap();
    let column = Layout::strided(0, &shape, &[9, 0]).unwrap();
    let transposed = Layout::strided(0, &shape, &[9, 2]).unwrap();
    for isa in Isa::available() {
        for (source, columns) in [(&layout, [0, 1, 2]), (&column, [0, 0, 0]), (&transposed, [0, 2, 4])] {
            let plan = Plan::copy(source, &layout, 2, Options::new().isa(isa)).unwrap();
            let mut memory = before.clone();
            let base = memory.as_mut_ptr().cast::<u8>();
            // SAFETY: the source is in columns 0 to 4, the output in columns 5 to 7 of 9.
            unsafe {
                assert_eq!(raw::run(&plan, base, base.add(10)), Err(BroadcastError::Overlap));
                raw::run_disjoint(&plan, base, base.add(10)).unwrap();
            }
            let mut expected = before.clone();
            for (row, (to, from)) in (0..40).flat_map(|row| [5, 6, 7].into_iter().zip(columns).map(move |c| (row, c))) {
                expected[row * 9 + to] = before[row * 9 + from];
            }
            assert_eq!(memory, expected, "{columns:?} on {isa}");
        }
    }
    let (none, one) = (Layout::new(&[0]).unwrap(), Layout::new(&[1]).unwrap());
    let null = ptr::null_mut::<u8>();
    // SAFETY: no element, or refused.
    unsafe {
        let plan = Plan::copy(&none, &none, 2, Options::new()).unwrap();
        assert_eq!(raw::run_disjoint(&plan, null, null), Ok(()));
        let plan = Plan::copy(&one, &one, 2, Options::new()).unwrap();
        assert_eq!(raw::run_disjoint(&plan, null, null), Err(BroadcastError::BadPointer { what: "source" }));
    }
}

/// Every element is written by exactly one piece, whatever the output's strides and the number of pieces.
#[test]
fn pieces_of_strided_outputs() {
    fn run<T: Sample>(isa: Isa) {
        let (shape, data) = ([11, 23], samples::<T>(11 * 23));
        for (source, out_offset, out) in
            [([23_isize, 1], 0, [30_isize, 1]), ([0, 1], 0, [46, 2]), ([1, 0], 299, [-27, -1]), ([1, 11], 0, [1, 12])]
        {
            let from = Layout::strided(0, &shape, &source).unwrap();
            let to = Layout::strided(out_offset, &shape, &out).unwrap();
            let plan = Plan::copy(&from, &to, size_of::<T>(), Options::new().isa(isa)).unwrap();
            let before = vec![T::nth(0); 560];
            let mut expected = before.clone();
            for (index, value) in naive::indices(&shape).iter().zip(naive::gather(&data, 0, &shape, &source)) {
                expected[naive::position(out_offset as usize, &out, index)] = value;
            }
            for n in 0..=9 {
                let mut got = before.clone();
                let mut written = 0;
                let count = raw::parts(&plan, n);
                assert!((1..=n.max(1)).contains(&count));
                for index in 0..count {
                    let mut alone = vec![T::nth(usize::MAX); before.len()];
                    let canaries = alone.clone();
                    // SAFETY: both layouts lie inside their vectors.
                    unsafe {
                        let src = data.as_ptr().cast();
                        raw::run_part(&plan, n, index, src, alone.as_mut_ptr().cast()).unwrap();
                        raw::run_part(&plan, n, index, src, got.as_mut_ptr().cast()).unwrap();
                    }
                    written += alone.iter().zip(&canaries).filter(|(a, b)| bytes(&[**a]) != bytes(&[**b])).count();
                }
                assert!(bytes(&got) == bytes(&expected), "{n} pieces, {source:?} -> {out:?}, {isa}");
                assert!(written <= 11 * 23, "an element was written by two pieces");
            }
        }
    }
    for isa in Isa::available() {
        run::<u8>(isa);
        run::<f32>(isa);
        run::<[u8; 3]>(isa);
        run::<[u64; 3]>(isa);
    }
}

#[test]
fn a_piece_is_checked_as_a_whole_run() {
    let mut memory = [7_u8; 64];
    let four = Layout::new(&[4]).unwrap();
    let plan = Plan::copy(&four, &four, 8, Options::new()).unwrap();
    let base = memory.as_mut_ptr();
    // SAFETY: refused, or a panic for an index that does not exist.
    unsafe {
        let null = ptr::null_mut();
        assert_eq!(raw::run_part(&plan, 1, 0, null, base), Err(BroadcastError::BadPointer { what: "source" }));
        assert_eq!(raw::run_part(&plan, 1, 0, base, null), Err(BroadcastError::BadPointer { what: "output" }));
        assert_eq!(raw::run_part(&plan, 1, 0, base, base.add(31)), Err(BroadcastError::Overlap));
        for index in [raw::parts(&plan, 5), usize::MAX] {
            let missing = catch_unwind(AssertUnwindSafe(|| raw::run_part(&plan, 5, index, base, base.add(32))));
            assert!(missing.is_err(), "there is no part {index}");
        }
    }
    assert_eq!(memory, [7; 64]);
}

fn mark(round: usize, view: usize, col: usize) -> u8 {
    (round * 61 + view * 29 + col * 3) as u8
}

// ---- AnyView ----------------------------------------------------------------------------------------------

/// A buffer aligned for every dtype.
#[repr(align(64))]
struct Aligned([u8; 256]);

fn counting() -> Aligned {
    Aligned(std::array::from_fn(|i| (i * 151 % 251) as u8))
}

#[test]
fn every_dtype_is_copied_by_its_size() {
    let (data, shape) = (counting(), [3, 5]);
    for &dtype in DType::ALL {
        let size = dtype.size();
        // A row that repeats, a column that repeats, and a reversed dense source, into padded rows back to front.
        for (offset, strides) in [(1, [0, 1]), (2, [1, 0]), (14, [-5, -1])] {
            let (out_offset, out_strides) = (10, [-5_isize, 1]);
            for isa in Isa::available() {
                let mut got = counting();
                let mut expected = counting();
                for index in naive::indices(&shape) {
                    let from = naive::position(offset, &strides, &index) * size;
                    let to = naive::position(out_offset, &out_strides, &index) * size;
                    expected.0[to..to + size].copy_from_slice(&data.0[from..from + size]);
                }
                let from = Layout::strided(offset as isize, &shape, &strides).unwrap();
                let source = AnyView::new(dtype, &data.0, from).unwrap();
                let to = Layout::strided(out_offset as isize, &shape, &out_strides).unwrap();
                let mut out = AnyViewMut::new(dtype, &mut got.0, to).unwrap();
                assert_eq!((source.dtype(), out.dtype(), source.shape()), (dtype, dtype, out.shape()));
                source.copy_into_with(&mut out, Options::new().isa(isa)).unwrap();
                assert_eq!(got.0, expected.0, "{dtype} {strides:?} {isa}");
            }
        }
    }
}

#[test]
fn another_dtype_or_shape_is_refused_untouched() {
    let data = counting();
    let mut out = Aligned([7; 256]);
    for (&from, &to) in DType::ALL.iter().flat_map(|from| DType::ALL.iter().map(move |to| (from, to))) {
        let source = AnyView::new(from, &data.0, Layout::new(&[2, 3]).unwrap()).unwrap();
        if from != to {
            let mut wrong = AnyViewMut::new(to, &mut out.0, Layout::new(&[2, 3]).unwrap()).unwrap();
            let expected = BroadcastError::DTypeMismatch { expected: from, got: to };
            assert_eq!(source.copy_into(&mut wrong), Err(expected.clone()));
            let (inputs, mut outputs) = ([source.clone(), source.clone()], []);
            let count = BroadcastError::OperandCount { expected: 2, got: 0 };
            assert_eq!(broadcast_all_any_into(&inputs, &mut outputs), Err(count));
            assert_eq!(broadcast_all_any_into(&inputs[..1], &mut [wrong]), Err(expected));
        }
        let mut other = AnyViewMut::new(from, &mut out.0, Layout::new(&[3, 2]).unwrap()).unwrap();
        assert!(matches!(source.copy_into(&mut other), Err(BroadcastError::ShapeMismatch { .. })));
    }
    assert_eq!(out.0, [7; 256]);
}

/// The first output would fit; the second's type is found wrong before the first is written.
#[test]
fn several_outputs_are_checked_before_the_first_is_written() {
    let (a, b) = ([1.0_f32, 2.0], [3_i16, 4]);
    let inputs: [AnyView; 2] = [View::new(&a, &[2, 1]).unwrap().into(), View::new(&b, &[2]).unwrap().into()];
    let (mut x, mut y) = ([7.0_f32; 4], [7_u16; 4]);
    let mut outputs: [AnyViewMut; 2] =
        [ViewMut::new(&mut x, &[2, 2]).unwrap().into(), ViewMut::new(&mut y, &[2, 2]).unwrap().into()];
    assert!(broadcast_all_any_into(&inputs, &mut outputs).is_err());
    assert_eq!((x, y), ([7.0; 4], [7; 4]));
}

#[test]
fn misaligned_bytes_are_refused_unless_there_is_no_element() {
    let mut data = counting();
    for &dtype in DType::ALL {
        for skip in 0..=16 {
            let aligned = skip % dtype.align() == 0;
            let one = Layout::new(&[1]).unwrap();
            let none = Layout::new(&[0]).unwrap();
            let view = AnyView::new(dtype, &data.0[skip..], one.clone());
            assert_eq!(view.is_ok(), aligned, "{dtype} at {skip}");
            assert!(aligned || matches!(view, Err(BroadcastError::Misaligned { dtype: d }) if d == dtype));
            let view = AnyViewMut::new(dtype, &mut data.0[skip..], one);
            assert_eq!(view.is_ok(), aligned, "{dtype} at {skip}");
            assert!(AnyView::new(dtype, &data.0[skip..skip], none.clone()).is_ok());
            assert!(AnyViewMut::new(dtype, &mut data.0[skip..skip], none).is_ok());
        }
    }
}

/// A view without elements may lie anywhere; giving it some must ask for the alignment again.
#[test]
fn another_layout_asks_for_the_alignment_again() {
    let data = counting();
    for &dtype in DType::ALL.iter().filter(|dtype| dtype.align() > 1) {
        let none = AnyView::new(dtype, &data.0[1..], Layout::new(&[0]).unwrap()).unwrap();
        let some = none.with_layout(Layout::new(&[2]).unwrap());
        assert!(matches!(some, Err(BroadcastError::Misaligned { dtype: d }) if d == dtype), "{some:?}");
        assert!(none.with_layout(Layout::new(&[3, 0]).unwrap()).is_ok());
        let one = AnyView::new(dtype, &data.0, Layout::new(&[1]).unwrap()).unwrap();
        assert!(one.with_layout(Layout::new(&[256 / dtype.size()]).unwrap()).is_ok());
        assert!(one.with_layout(Layout::new(&[256 / dtype.size() + 1]).unwrap()).is_err());
    }
}

#[test]
fn the_element_type_is_asked_for_by_its_tag() {
    let data = samples::<f32>(6);
    let view = View::with_strides(&data, 5, &[2, 3], &[-3, -1]).unwrap();
    let any = AnyView::from(view.clone());
    assert_eq!(any.typed::<f32>().unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), bits(&view));
    let wrong = BroadcastError::DTypeMismatch { expected: DType::I32, got: DType::F32 };
    assert_eq!(any.typed::<i32>().unwrap_err(), wrong);
    let (aligned, none) = (counting(), Layout::new(&[4, 0]).unwrap());
    let empty = AnyView::new(DType::F64, &aligned.0[1..], none).unwrap();
    assert_eq!(empty.typed::<f64>().unwrap().shape(), [4, 0]);
}

fn bits(view: &View<'_, f32>) -> Vec<u32> {
    view.iter().map(|x| x.to_bits()).collect()
}

/// By dtype and by typed view: the same bytes, and the same refusals.
#[test]
fn tiles_and_repeats_by_dtype() {
    let data = counting();
    for &dtype in DType::ALL {
        let size = dtype.size();
        let source = AnyView::new(dtype, &data.0, Layout::strided(5, &[2, 3], &[-3, 1]).unwrap()).unwrap();
        for isa in Isa::available() {
            let options = Options::new().isa(isa);
            let element = |row: usize, col: usize| data.0[(5 - 3 * row + col) * size..][..size].to_vec();
            let mut got = vec![[0_u64; 2]; 2 * 6 * 2];
            let room = &mut bytemuck::cast_slice_mut::<_, u8>(&mut got)[..24 * size];
            let shape = Layout::new(&[4, 6]).unwrap();
            let mut out = AnyViewMut::new(dtype, room, shape).unwrap();
            source.tile_into(&[2, 2], &mut out.reborrow(), options).unwrap();
            let tiled: Vec<u8> = (0..24).flat_map(|i| element(i / 6 % 2, i % 3)).collect();
            assert_eq!(&bytes(&got)[..24 * size], tiled, "{dtype} {isa}");
            let room = &mut bytemuck::cast_slice_mut::<_, u8>(&mut got)[..24 * size];
            let mut out = AnyViewMut::new(dtype, room, Layout::new(&[4, 6]).unwrap()).unwrap();
            source.repeat_into(&[2, 2], &mut out.reborrow(), options).unwrap();
            assert!(source.repeat_into(&[4], &mut out.reborrow(), options).is_err());
            assert!(source.repeat_into(&[2, 3], &mut out.reborrow(), options).is_err());
            assert!(source.tile_into(&[3, 2], &mut out, options).is_err());
            let repeated: Vec<u8> = (0..24).flat_map(|i| element(i / 12, i % 6 / 2)).collect();
            assert_eq!(&bytes(&got)[..24 * size], repeated, "{dtype} {isa}");
        }
    }
}

/// Bytes behind the last whole element are no element.
#[test]
fn bounds_are_counted_in_whole_elements() {
    let mut data = counting();
    for &dtype in DType::ALL {
        let size = dtype.size();
        for held in [0, 1, 3] {
            for rest in 0..size {
                let bytes = &mut data.0[..held * size + rest];
                for wanted in 0..=4 {
                    let shape = [wanted];
                    let layout = Layout::new(&shape).unwrap();
                    assert_eq!(AnyView::new(dtype, bytes, layout.clone()).is_ok(), wanted <= held, "{dtype}");
                    assert_eq!(AnyViewMut::new(dtype, bytes, layout).is_ok(), wanted <= held, "{dtype}");
                }
                let before = Layout::strided(-1, &[2], &[1]).unwrap();
                assert!(matches!(AnyView::new(dtype, bytes, before), Err(BroadcastError::OutOfBounds { .. })));
            }
        }
    }
}

#[test]
fn a_mutable_view_that_overlaps_itself_is_refused() {
    let mut data = counting();
    for &dtype in DType::ALL {
        for (shape, strides) in [([2, 3], [0, 1]), ([2, 3], [2, 1]), ([3, 3], [-1, 1]), ([2, 2], [1, -1])] {
            let layout = Layout::strided(4, &shape, &strides).unwrap();
            assert!(AnyView::new(dtype, &data.0, layout.clone()).is_ok());
            let view = AnyViewMut::new(dtype, &mut data.0, layout);
            assert!(matches!(view, Err(BroadcastError::SelfOverlap { .. })), "{dtype} {strides:?}");
        }
        // A broadcast layout is one of them.
        let wide = Layout::new(&[1, 3]).unwrap().broadcast_to(&[2, 3]).unwrap();
        assert!(AnyViewMut::new(dtype, &mut data.0, wide).is_err());
    }
}

#[test]
fn typed_views_convert_and_keep_their_layout() {
    fn run<T: Sample + Element>() {
        let data = samples::<T>(20);
        let view = View::with_strides(&data, 19, &[3, 4], &[-4, -1]).unwrap();
        let any = AnyView::from(view);
        assert_eq!((any.dtype(), any.shape()), (T::DTYPE, &[3, 4][..]));
        let mut room = vec![MaybeUninit::new(0_u8); 12 * size_of::<T>() + 64];
        // SAFETY: 64 bytes of room for at most 63 of alignment.
        let skip = room.as_ptr().align_offset(64);
        let wide = any.permute(&[1, 0]).unwrap();
        let mut out = AnyViewMut::uninit(T::DTYPE, &mut room[skip..], Layout::new(&[4, 3]).unwrap()).unwrap();
        wide.copy_into(&mut out).unwrap();
        let expected = naive::gather(&data, 19, &[4, 3], &[-1, -4]);
        // SAFETY: initialised when it was made.
        let written: Vec<u8> = room[skip..].iter().map(|byte| unsafe { byte.assume_init() }).collect();
        assert_eq!(&written[..12 * size_of::<T>()], bytes(&expected));
    }
    run::<bool>();
    run::<i8>();
    run::<i16>();
    run::<i32>();
    run::<i64>();
    run::<u8>();
    run::<u16>();
    run::<u32>();
    run::<u64>();
    run::<f16>();
    run::<bf16>();
    run::<f32>();
    run::<f64>();
    run::<Complex<f32>>();
    run::<Complex<f64>>();
    assert_eq!(DType::ALL.len(), 15, "a dtype was added: convert it here");
}
