//! Strides and offsets of the source and the output: strided, flipped, overlapping, empty, at the end of a buffer.

use std::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, NoUninit};
use num_complex::Complex;
use stridecast::{
    AnyViewMut, BroadcastError, DType, Isa, Layout, Options, Plan, Rule, View, ViewMut, broadcast_into, repeat, tile,
};

use crate::common::{bytes, naive};
use crate::distinct_bytes;

/// Elements made of [`distinct_bytes`], which repeat later than the samples of `[u8; 3]` do.
fn distinct<T: AnyBitPattern>(len: usize) -> Vec<T> {
    distinct_bytes(len, size_of::<T>()).chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// One way to lay a source of shape (3, 4, 5) over a buffer.
struct Arrangement {
    name: &'static str,
    offset: usize,
    strides: [isize; 3],
}

const SOURCE: [usize; 3] = [3, 4, 5];
const BUFFER: usize = 400;

/// candle #3744 and #3253, TransformerEngine PR 623, numpy #6491: strided input was read as if it were contiguous.
/// numexpr #63, pytorch #39224, ndarray #1085: negative strides were read as positive ones, or as lengths.
const ARRANGEMENTS: [Arrangement; 12] = [
    Arrangement { name: "contiguous", offset: 0, strides: [20, 5, 1] },
    Arrangement { name: "with an offset", offset: 13, strides: [20, 5, 1] },
    Arrangement { name: "transposed", offset: 0, strides: [1, 3, 12] },
    Arrangement { name: "swapped inner axes", offset: 0, strides: [20, 1, 4] },
    Arrangement { name: "padded rows", offset: 2, strides: [28, 7, 1] },
    Arrangement { name: "every second element", offset: 1, strides: [120, 20, 2] },
    Arrangement { name: "stride 0 outside", offset: 0, strides: [0, 5, 1] },
    Arrangement { name: "stride 0 inside", offset: 0, strides: [4, 1, 0] },
    Arrangement { name: "stride 0 everywhere", offset: 9, strides: [0, 0, 0] },
    Arrangement { name: "flipped inside", offset: 4, strides: [20, 5, -1] },
    Arrangement { name: "flipped outside", offset: 40, strides: [-20, 5, 1] },
    Arrangement { name: "flipped everywhere, transposed, step 2", offset: 150, strides: [-2, -6, -24] },
];

#[test]
fn strided_input_taken_for_contiguous() {
    check_arrangements::<u8>();
    check_arrangements::<u16>();
    check_arrangements::<[u8; 3]>();
    check_arrangements::<u32>();
    check_arrangements::<f64>();
    check_arrangements::<[u32; 3]>();
    check_arrangements::<Complex<f64>>();
}

fn check_arrangements<T: NoUninit + AnyBitPattern + PartialEq>() {
    let data: Vec<T> = distinct(BUFFER);
    let targets: [&[usize]; 4] = [&[3, 4, 5], &[2, 3, 4, 5], &[17, 3, 4, 5], &[2, 1, 3, 4, 5]];
    for arrangement in &ARRANGEMENTS {
        for target in targets {
            for isa in Isa::available() {
                check_arrangement(&data, arrangement, target, isa);
            }
        }
    }
}

/// Compared as bytes: a float's bits must come through whatever they are.
fn check_arrangement<T: NoUninit>(data: &[T], from: &Arrangement, target: &[usize], isa: Isa) {
    let want = naive::broadcast_strided(data, from.offset, &SOURCE, &from.strides, target);
    let layout = Layout::strided(from.offset as isize, &SOURCE, &from.strides).unwrap();
    let options = Options::new().isa(isa);
    let plan = Plan::broadcast(&layout, target, Rule::Numpy, size_of::<T>(), options).unwrap();
    let mut out = vec![data[0]; want.len()];
    plan.run(data, &mut out).unwrap();
    assert!(bytes(&out) == bytes(&want), "{}, {target:?}, {}, {}", from.name, isa.name(), size_of::<T>());
}

/// pytorch #23063 and #4718, cupy #2405, numpy #2705, burn #2091: a broadcast view could be written, so one write
/// changed several elements. Here a `View` has no way to write, and a `ViewMut` over such a layout is refused.
#[test]
fn broadcast_view_written() {
    let cases: [(&[usize], &[isize]); 6] = [
        (&[2, 3], &[0, 1]),
        (&[3, 2], &[1, 0]),
        (&[2], &[0]),
        (&[2, 2], &[1, 1]),
        (&[3, 3], &[2, 1]),
        (&[2, 2, 2], &[4, 0, 1]),
    ];
    for (shape, strides) in cases {
        let mut data = [0_u32; 16];
        let got = ViewMut::with_strides(&mut data, 0, shape, strides);
        assert!(matches!(got, Err(BroadcastError::SelfOverlap { .. })), "{shape:?} {strides:?}: {got:?}");
        let mut bytes = [MaybeUninit::<u8>::uninit(); 16];
        let layout = Layout::strided(0, shape, strides).unwrap();
        let got = AnyViewMut::uninit(DType::U8, &mut bytes, layout);
        assert!(matches!(got, Err(BroadcastError::SelfOverlap { .. })), "{shape:?} {strides:?}: {got:?}");
    }
    let mut data = [0_u32; 3];
    let wide = Layout::new(&[3]).unwrap().broadcast_to(&[2, 3]).unwrap();
    assert!(ViewMut::from_layout(&mut data, wide).is_err());
}

/// A stretched axis of size 1 is no overlap, and a plan does not write through an overlapping output either.
#[test]
fn overlapping_output_of_a_plan() {
    let mut data = [0_u32; 3];
    assert!(ViewMut::with_strides(&mut data, 0, &[1, 3], &[0, 1]).is_ok());
    let source = Layout::new(&[2, 3]).unwrap();
    let out = Layout::strided(0, &[2, 3], &[0, 1]).unwrap();
    assert!(matches!(Plan::copy(&source, &out, 4, Options::new()), Err(BroadcastError::SelfOverlap { .. })));
}

/// ONNX Runtime #21558: a vector load read past the end of a small buffer. Sources are boxes of exactly their length
/// (so that Miri and sanitizers see an over-read); around every output lie canaries.
#[test]
fn access_past_the_end_of_a_small_buffer() {
    check_small_buffers::<u8>(130);
    check_small_buffers::<u16>(80);
    check_small_buffers::<[u8; 3]>(60);
    check_small_buffers::<u32>(40);
    check_small_buffers::<u64>(24);
    check_small_buffers::<[u64; 2]>(12);
}

fn check_small_buffers<T: NoUninit + AnyBitPattern>(longest: usize) {
    let longest = if cfg!(miri) { 5 } else { longest };
    for len in 0..=longest {
        let source: Box<[T]> = distinct(len).into();
        for isa in Isa::available() {
            check_small_buffer(&source, &[len], &[len], isa);
            check_small_buffer(&source, &[len], &[3, len], isa);
            check_small_buffer(&source, &[len, 1], &[len, 2], isa);
            check_small_buffer(&source, &[len, 1], &[len, 3], isa);
            check_small_buffer(&source, &[len, 1], &[len, 7], isa);
        }
        if len > 0 {
            let one: Box<[T]> = source[..1].into();
            Isa::available().for_each(|isa| check_small_buffer(&one, &[1], &[len], isa));
        }
    }
}

fn check_small_buffer<T: NoUninit>(source: &[T], shape: &[usize], target: &[usize], isa: Isa) {
    const MARGIN: usize = 128;
    let want = naive::broadcast(source, shape, target);
    let size = size_of::<T>();
    let options = Options::new().isa(isa);
    let plan = Plan::broadcast(&Layout::new(shape).unwrap(), target, Rule::Numpy, size, options).unwrap();
    let len = want.len() * size;
    let mut room = vec![0xA5_u8; len + 2 * MARGIN];
    plan.run_bytes(bytes(source), &mut room[MARGIN..MARGIN + len]).unwrap();
    let what = format!("{shape:?} to {target:?}, {size} bytes, {}", isa.name());
    assert!(room[MARGIN..MARGIN + len] == *bytes(&want), "{what}");
    assert!(room[..MARGIN].iter().chain(&room[MARGIN + len..]).all(|&byte| byte == 0xA5), "{what}: canary");
}

/// rust-numpy #527, ndarray #1609, Paddle PR 78565 and 74812: empty views were refused for their strides, or formed a
/// pointer from them. No element means that no stride and no offset matters.
#[test]
fn empty_view_refused_for_its_strides() {
    let strides = [isize::MIN, -1, 0, 1, isize::MAX];
    for shape in [[2, 0], [1, 0], [0, 1], [0, 2], [0, 0]] {
        for a in strides {
            for b in strides {
                for offset in [0, 3, isize::MAX as usize] {
                    check_empty_view(&shape, &[a, b], offset);
                }
            }
        }
    }
}

fn check_empty_view(shape: &[usize], strides: &[isize], offset: usize) {
    let view = View::<u32>::with_strides(&[], offset, shape, strides).unwrap();
    assert!(view.is_empty() && view.get(&[0, 0]).is_none());
    let target = [&[3], shape].concat();
    let out = view.broadcast_to(&target).unwrap().to_tensor().unwrap();
    assert_eq!((out.shape(), out.as_slice().len()), (&target[..], 0));
    let turned = view.permute(&[1, 0]).unwrap().flip(0).unwrap().flip(1).unwrap();
    assert!(turned.to_tensor().unwrap().as_slice().is_empty());
    assert!(turned.cloned().unwrap().is_empty());
    assert!(tile(&view, &[2, 2]).unwrap().as_slice().is_empty());
    assert!(repeat(&view, &[2, 2]).unwrap().as_slice().is_empty());

    let mut nothing: [u32; 0] = [];
    let out = ViewMut::with_strides(&mut nothing, offset, shape, strides).unwrap();
    broadcast_into(&view, shape, Rule::Numpy, out).unwrap();
}
