//! Single calls that must be refused, each for one reason: the pointer, the element size, an output that overlaps
//! itself, operands that overlap each other, a shape that the rule does not give.
//!
//! Nothing may be written by them. Calls with nothing to do are here too: they must take any pointer.

use std::ptr;

use stridecast::{BroadcastError, Layout, Options, Rule, raw};

use crate::model::Raw;
use crate::{ELEMS, MAX, MIN};

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
