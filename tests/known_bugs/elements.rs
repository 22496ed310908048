//! Elements of odd sizes and of every type.

use bytemuck::NoUninit;
use num_complex::Complex;
use stridecast::{Isa, Layout, Options, Plan, Rule, View, broadcast, broadcast_nibbles_into};

use crate::common::{bytes, naive};
use crate::distinct_bytes;

/// OpenVINO's u2: elements of an odd size were copied as if they had a usual one. All element sizes up to 33 bytes,
/// with odd row lengths, through the path that knows only the size.
#[test]
fn odd_element_sizes() {
    let cases: [(&[usize], &[usize]); 5] =
        [(&[5], &[3, 5]), (&[5, 1], &[5, 3]), (&[1], &[11]), (&[3, 1, 2], &[3, 5, 2]), (&[7, 3], &[7, 3])];
    for size in (1..=33).chain([48, 64, 100]) {
        for (source, target) in cases {
            let len: usize = source.iter().product();
            let bytes = distinct_bytes(len, size);
            let positions: Vec<usize> = (0..len).collect();
            let picked = naive::broadcast(&positions, source, target);
            let want: Vec<u8> = picked.iter().flat_map(|&at| bytes[at * size..][..size].to_vec()).collect();
            for isa in Isa::available() {
                let options = Options::new().isa(isa);
                let plan = Plan::broadcast(&Layout::new(source).unwrap(), target, Rule::Numpy, size, options).unwrap();
                let mut out = vec![0; want.len()];
                plan.run_bytes(&bytes, &mut out).unwrap();
                assert_eq!(out, want, "{size} bytes, {source:?} to {target:?}, {}", isa.name());
            }
        }
    }
}

/// The same bug in the form that fits here: packed 4-bit elements with odd row lengths, where a row starts inside a
/// byte.
#[test]
fn packed_nibbles_copied_as_bytes() {
    let cases: [(&[usize], &[usize]); 9] = [
        (&[3], &[2, 3]),
        (&[3], &[3, 3]),
        (&[3, 1], &[3, 5]),
        (&[1], &[7]),
        (&[], &[1]),
        (&[5, 1, 3], &[5, 3, 3]),
        (&[0], &[4, 0]),
        (&[63, 1], &[63, 131]),
        (&[129], &[67, 129]),
    ];
    for (source, target) in cases {
        let elements: Vec<u8> = distinct_bytes(source.iter().product(), 1).iter().map(|byte| byte & 15).collect();
        let want = pack(&naive::broadcast(&elements, source, target));
        let mut out = vec![0xEE; want.len()];
        broadcast_nibbles_into(&pack(&elements), source, target, Rule::Numpy, &mut out).unwrap();
        assert_eq!(out, want, "{source:?} to {target:?}");
        let mut longer = vec![0; want.len() + 1];
        assert!(broadcast_nibbles_into(&pack(&elements), source, target, Rule::Numpy, &mut longer).is_err());
    }
}

/// Two elements a byte, the first in the low half.
fn pack(elements: &[u8]) -> Vec<u8> {
    elements.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 4)).collect()
}

/// Elements without a size: the result has a shape and no bytes.
#[test]
fn elements_of_no_size() {
    let out = broadcast(&View::new(&[(); 3], &[3]).unwrap(), &[2, 3], Rule::Numpy).unwrap();
    assert_eq!((out.shape(), out.as_slice().len()), (&[2, 3][..], 6));
}

/// Owl: the broadcast path of complex32 called the complex64 kernel, which no test of equal shapes noticed. Every
/// element type through the broadcast path, with all bits kept.
#[test]
fn kernel_of_another_type() {
    check_type([0_u8, 1, 254, 255]);
    check_type([i8::MIN, -1, 0, i8::MAX]);
    check_type([0_u16, 1, 0x1234, u16::MAX]);
    check_type([i16::MIN, -1, 0, i16::MAX]);
    check_type([0_u32, 1, 0x1234_5678, u32::MAX]);
    check_type([i32::MIN, -1, 0, i32::MAX]);
    check_type([0_u64, 1, 0x0123_4567_89AB_CDEF, u64::MAX]);
    check_type([i64::MIN, -1, 0, i64::MAX]);
    check_type([false, true, true, false]);
    check_type([0x7C01_u16, 0xFE00, 0x8000, 1].map(half::f16::from_bits));
    check_type([0x7F81_u16, 0xFFC0, 0x8000, 1].map(half::bf16::from_bits));
    // A signalling NaN, a quiet one with a payload, minus zero, a subnormal.
    check_type(SINGLES.map(f32::from_bits));
    check_type(DOUBLES.map(f64::from_bits));
    check_type(SINGLES.map(|bits| Complex::new(f32::from_bits(bits), f32::from_bits(!bits))));
    check_type(DOUBLES.map(|bits| Complex::new(f64::from_bits(bits), f64::from_bits(!bits))));
}

const SINGLES: [u32; 4] = [0x7F80_0001, 0xFFC1_2345, 0x8000_0000, 1];
const DOUBLES: [u64; 4] = [0x7FF0_0000_0000_0001, 0xFFF8_1234_5678_9ABC, 0x8000_0000_0000_0000, 1];

fn check_type<T: NoUninit>(values: [T; 4]) {
    let cases: [(&[usize], &[usize]); 5] =
        [(&[4], &[9, 4]), (&[4, 1], &[4, 19]), (&[2, 1, 2], &[2, 3, 2]), (&[4], &[4]), (&[1, 4, 1], &[2, 4, 2])];
    for (source, target) in cases {
        let want = naive::broadcast(&values, source, target);
        let got = broadcast(&View::new(&values, source).unwrap(), target, Rule::Numpy).unwrap();
        assert_eq!(bytes(got.as_slice()), bytes(&want), "{}", std::any::type_name::<T>());
    }
}
