//! Elements that are not whole plain bytes: `Clone` types by the plain path, and packed 4-bit ones.

mod common;

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use common::naive;
use stridecast::{Rule, View, broadcast_nibbles_into, nibble_bytes};

#[test]
fn strings_of_any_view_are_cloned_in_c_order() {
    let words: Vec<String> = (0..24).map(|n| format!("word {n}")).collect();
    let views: [(usize, &[usize], &[isize]); 5] = [
        (0, &[2, 3, 4], &[12, 4, 1]),
        (0, &[4, 3], &[1, 4]),
        (23, &[5, 2], &[-1, -10]),
        (7, &[3, 0, 2], &[5, 5, 5]),
        (9, &[], &[]),
    ];
    for (offset, shape, strides) in views {
        let view = View::with_strides(&words, offset, shape, strides).unwrap();
        let picked: Vec<_> =
            naive::indices(shape).iter().map(|i| words[naive::position(offset, strides, i)].clone()).collect();
        assert_eq!(view.cloned().unwrap(), picked);
        let mut into = vec!["old".to_owned(); picked.len()];
        view.clone_into(&mut into).unwrap();
        assert_eq!(into, picked);
        assert!(view.clone_into(&mut vec![String::new(); picked.len() + 1]).is_err());
    }
    let column = View::new(&words[..3], &[3, 1]).unwrap();
    let wide = column.broadcast_to(&[2, 3, 2]).unwrap();
    assert_eq!(wide.iter().len(), 12);
    assert_eq!(wide.iter().filter(|word| *word == "word 1").count(), 4);
}

/// An axis of size 1 may have any stride; walking over it must not use it.
#[test]
fn an_axis_of_one_with_an_absurd_stride_is_walked() {
    let data = ["a", "b", "c"];
    let view = View::with_strides(&data, 0, &[3, 1], &[1, isize::MAX]).unwrap();
    assert_eq!(view.cloned().unwrap(), data);
    let view = View::with_strides(&data, 0, &[1, 3, 1], &[isize::MIN, 1, isize::MIN]).unwrap();
    assert_eq!(view.cloned().unwrap(), data);
    assert_eq!(view.get(&[0, 2, 0]), Some(&"c"));
}

/// Counts its live clones, and panics at a chosen one.
struct Counted {
    live: Rc<Cell<isize>>,
    fuse: Rc<Cell<usize>>,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        assert!(self.fuse.get() > 0, "the fuse is burnt");
        self.fuse.set(self.fuse.get() - 1);
        self.live.set(self.live.get() + 1);
        Self { live: self.live.clone(), fuse: self.fuse.clone() }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.live.set(self.live.get() - 1);
    }
}

#[test]
fn a_panicking_clone_drops_nothing_twice() {
    for fuse in 0..6 {
        let (live, fuse) = (Rc::new(Cell::new(1)), Rc::new(Cell::new(fuse)));
        let source = [Counted { live: live.clone(), fuse: fuse.clone() }];
        let view = View::scalar(&source[0]).broadcast_to(&[6]).unwrap();

        let mut uninit: [MaybeUninit<Counted>; 6] = [const { MaybeUninit::uninit() }; 6];
        let burnt = fuse.get();
        assert!(catch_unwind(AssertUnwindSafe(|| view.clone_into_uninit(&mut uninit))).is_err());
        // The clones made so far are leaked: still live, dropped by nobody.
        assert_eq!(live.get(), 1 + burnt as isize);

        fuse.set(burnt);
        live.set(1);
        assert!(catch_unwind(AssertUnwindSafe(|| view.cloned())).is_err());
        assert_eq!(live.get(), 1, "a vector drops what it had");
    }
}

#[test]
fn clones_into_uninitialised_memory_are_all_there() {
    let data = [Rc::new(1), Rc::new(2)];
    let view = View::new(&data, &[2, 1]).unwrap().broadcast_to(&[2, 2]).unwrap();
    let mut out: [MaybeUninit<Rc<i32>>; 4] = [const { MaybeUninit::uninit() }; 4];
    view.clone_into_uninit(&mut out).unwrap();
    // SAFETY: after an `Ok` all elements are initialised; each is taken out once.
    let values: Vec<_> = out.iter().map(|slot| unsafe { slot.assume_init_read() }).collect();
    assert_eq!(values.iter().map(|value| **value).collect::<Vec<_>>(), [1, 1, 2, 2]);
    assert_eq!(Rc::strong_count(&data[0]), 3);
}

/// Two elements a byte, the first in the low nibble.
fn pack(elements: &[u8]) -> Vec<u8> {
    elements.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 4)).collect()
}

#[test]
fn nibbles_with_odd_extents_in_every_axis() {
    let cases: [(&[usize], &[usize]); 12] = [
        (&[], &[]),
        (&[], &[5]),
        (&[3], &[2, 3]),
        (&[3], &[5, 3]),
        (&[1, 7], &[3, 7]),
        (&[5, 1], &[5, 3]),
        (&[3, 1, 5], &[3, 7, 5]),
        (&[1], &[0, 3]),
        (&[0], &[4, 0]),
        (&[1, 1, 3], &[1111, 5, 3]),
        (&[4097], &[3, 4097]),
        (&[101, 1], &[101, 99]),
    ];
    for (source, out) in cases {
        let elements: Vec<u8> = (0..source.iter().product::<usize>()).map(|n| (n * 7 + n / 16) as u8 & 15).collect();
        let expected = pack(&naive::broadcast(&elements, source, out));
        let mut got = vec![0xEE; expected.len()];
        broadcast_nibbles_into(&pack(&elements), source, out, Rule::Numpy, &mut got).unwrap();
        assert_eq!(got, expected, "{source:?} -> {out:?}");
        assert_eq!(got.len(), nibble_bytes(out.iter().product()));
    }
}

#[test]
fn nibbles_follow_every_rule_and_refuse_wrong_lengths() {
    let mut out = [0; 3];
    broadcast_nibbles_into(&[0x21], &[2], &[2, 3], Rule::AxesMapping(&[0]), &mut out).unwrap();
    assert_eq!(out, [0x11, 0x21, 0x22]);
    broadcast_nibbles_into(&[0x21], &[2, 1], &[3], Rule::Bidirectional, &mut out).unwrap();
    assert_eq!(out, [0x11, 0x21, 0x22]);
    let before = out;
    assert!(broadcast_nibbles_into(&[0x21], &[2], &[2, 3], Rule::Numpy, &mut out).is_err());
    assert!(broadcast_nibbles_into(&[0x21, 0], &[2], &[3, 2], Rule::Numpy, &mut out).is_err());
    assert!(broadcast_nibbles_into(&[0x21], &[2], &[4, 2], Rule::Numpy, &mut out).is_err());
    assert_eq!(out, before);
}
