//! Elements are moved as bits: a float that is loaded and stored as a float may come back as another NaN.
//!
//! Rows, columns, reversed rows and tiles of such bit patterns, on every level.

use half::{bf16, f16};
use num_complex::Complex;
use stridecast::{Isa, Options, Rule, View, broadcast_with, tile};

use crate::common::{Sample, bytes};

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
