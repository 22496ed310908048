//! Views that carry their dtype: what they copy, tile and repeat, and their way to typed views and back.
//!
//! Every dtype must move as the bytes that it has.

use std::mem::MaybeUninit;

use half::{bf16, f16};
use num_complex::Complex;
use stridecast::{AnyView, AnyViewMut, BroadcastError, DType, Element, Isa, Layout, Options, View};

use crate::common::{Sample, bytes, naive, samples};
use crate::counting;

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
fn the_element_type_is_asked_for_by_its_tag() {
    let data = samples::<f32>(6);
    let view = View::with_strides(&data, 5, &[2, 3], &[-3, -1]).unwrap();
    let any = AnyView::from(view.clone());
    let read = |view: &View<'_, f32>| view.iter().copied().collect::<Vec<_>>();
    assert_eq!(bytes(&read(&any.typed().unwrap())), bytes(&read(&view)));
    let wrong = BroadcastError::DTypeMismatch { expected: DType::I32, got: DType::F32 };
    assert_eq!(any.typed::<i32>().unwrap_err(), wrong);
    let (aligned, none) = (counting(), Layout::new(&[4, 0]).unwrap());
    let empty = AnyView::new(DType::F64, &aligned.0[1..], none).unwrap();
    assert_eq!(empty.typed::<f64>().unwrap().shape(), [4, 0]);
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
