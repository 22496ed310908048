//! Raw calls as they are meant, against index arithmetic.
//!
//! Pointers into the middle of an allocation, all the axes there can be, and outputs or operands that lie interleaved
//! in one allocation, where a kernel that touches a gap would change what another one wrote.

use std::ptr;

use stridecast::{BroadcastError, Isa, Layout, Options, Plan, Rule, raw};

use crate::common::{Sample, bytes, naive, samples};
use crate::{MAX, for_every_type, pairs};

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

fn mark(round: usize, view: usize, col: usize) -> u8 {
    (round * 61 + view * 29 + col * 3) as u8
}
