use alloc::vec::Vec;

use super::*;
use crate::engine::Isa;
use crate::engine::cast::{Work, enter};

const L: usize = 32;

/// Narrows all of `from` in every way; a block that ends early is filled up with ones.
struct Narrow<'a> {
    from: &'a [f32],
    f16: &'a mut Vec<f16>,
    /// In order, and in the level's own.
    bf16: [&'a mut Vec<bf16>; 2],
}

impl Work for Narrow<'_> {
    #[inline(always)]
    fn run<S: Halves>(self, simd: S) {
        let [ordered, own] = self.bf16;
        for some in self.from.chunks(L) {
            let mut block = [1.0; L];
            block[..some.len()].copy_from_slice(some);
            self.f16.extend(&simd.narrow_f16(&block)[..some.len()]);
            ordered.extend(&simd.narrow_bf16(&block)[..some.len()]);
            own.extend(&simd.join_bf16(&own_order(simd, &block))[..some.len()]);
        }
    }
}

/// The block in the order of `split_bf16`, found out by splitting the numbers of the places.
#[inline(always)]
fn own_order<S: Halves>(simd: S, block: &[f32; L]) -> [f32; L] {
    let places: [bf16; L] = core::array::from_fn(|i| bf16::from_f32(i as f32));
    simd.split_bf16(&places).map(|place| block[place as usize])
}

/// What every level makes of `from` must be what `half` does, NaNs apart: they are quiet and keep their sign.
fn narrows(from: &[f32]) {
    for isa in Isa::available() {
        let (mut f16s, mut ordered, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let work = Narrow { from, f16: &mut f16s, bf16: [&mut ordered, &mut own] };
        // SAFETY: the level is available.
        unsafe { enter(isa.level(), work) };
        assert_eq!((f16s.len(), ordered.len(), own.len()), (from.len(), from.len(), from.len()));
        for (i, &x) in from.iter().enumerate() {
            let name = isa.name();
            let (half, brains) = (f16s[i].to_bits(), [ordered[i].to_bits(), own[i].to_bits()]);
            if x.is_nan() {
                let sign = (x.to_bits() >> 16 & 0x8000) as u16;
                assert_eq!(half & 0xFE00, sign | 0x7E00, "{name}: {:08x}", x.to_bits());
                for brain in brains {
                    assert_eq!(brain & 0xFFC0, sign | 0x7FC0, "{name}: {:08x}", x.to_bits());
                }
            } else {
                assert_eq!(half, f16::from_f32(x).to_bits(), "{name}: {x:e}");
                assert_eq!(brains, [bf16::from_f32(x).to_bits(); 2], "{name}: {x:e}");
            }
        }
    }
}

/// Widens every half, and narrows what comes of it.
struct RoundTrip;

impl Work for RoundTrip {
    #[inline(always)]
    fn run<S: Halves>(self, simd: S) {
        for first in (0..1 << 16).step_by(L) {
            let f16s: [f16; L] = core::array::from_fn(|i| f16::from_bits((first + i) as u16));
            let bf16s: [bf16; L] = core::array::from_fn(|i| bf16::from_bits((first + i) as u16));
            let (wide, brain) = (simd.widen_f16(&f16s), simd.widen_bf16(&bf16s));
            let own = simd.split_bf16(&bf16s);
            let back = (simd.narrow_f16(&wide), simd.narrow_bf16(&brain), simd.join_bf16(&own));
            let arithmetic = (simd.narrow_bf16_of_arithmetic(&brain), simd.join_bf16_of_arithmetic(&own));
            for i in 0..L {
                let (half, bits) = (f16s[i], first + i);
                assert_eq!(wide[i].is_nan(), half.is_nan(), "{bits:04x}");
                assert!(half.is_nan() || wide[i].to_bits() == half.to_f32().to_bits(), "{bits:04x}");
                assert!(half.is_nan() && back.0[i].is_nan() || back.0[i].to_bits() == half.to_bits(), "{bits:04x}");
                let half = bf16s[i];
                assert_eq!(brain[i].to_bits(), (bits as u32) << 16);
                let quiet = if half.is_nan() { half.to_bits() | 0x40 } else { half.to_bits() };
                assert_eq!([back.1[i].to_bits(), back.2[i].to_bits()], [quiet; 2], "{bits:04x}");
                assert_eq!([arithmetic.0[i].to_bits(), arithmetic.1[i].to_bits()], [half.to_bits(); 2]);
            }
        }
    }
}

#[test]
fn every_half_survives_being_widened() {
    for isa in Isa::available() {
        // SAFETY: the level is available.
        unsafe { enter(isa.level(), RoundTrip) };
    }
}

/// A float, the floats next to it, and all of them with the other sign.
fn around(x: f32) -> [f32; 6] {
    [x, x.next_down(), x.next_up(), -x, -x.next_down(), -x.next_up()]
}

#[test]
fn halfway_cases_go_to_the_even_one() {
    let mut from = Vec::new();
    for bits in 0..0x7C00 {
        let (x, next) = (f16::from_bits(bits).to_f32(), f16::from_bits(bits + 1).to_f32());
        // Beyond the greatest half is infinity, as if 65536 were one.
        let next = next.min(65536.0);
        from.extend(around(x + (next - x) / 2.0));
    }
    for bits in 0..0x7F80_u32 {
        from.extend(around(f32::from_bits(bits << 16 | 0x8000)));
    }
    narrows(&from);
}

#[test]
fn ends_of_the_range() {
    let mut from = alloc::vec![0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
    let power = |exponent: u32| f32::from_bits((exponent + 127) << 23);
    let small = |exponent: u32| f32::from_bits((127 - exponent) << 23);
    for edge in [65504.0, 65520.0, 65536.0, power(17), small(14), small(15), small(24), small(25), small(26)] {
        from.extend(around(edge));
    }
    // The greatest bf16, and what rounds past it; f32's own subnormals.
    for bits in [0x7F7F_0000, 0x7F7F_7FFF, 0x7F7F_8000, 0x0080_0000, 0x007F_8000, 0x007F_FFFF, 0x8000, 0x18000, 1] {
        from.extend(around(f32::from_bits(bits)));
    }
    narrows(&from);
    assert_eq!(f16::from_f32(65519.996), f16::MAX, "the oracle knows the threshold");
    assert_eq!(f16::from_f32(65520.0), f16::INFINITY);
}

#[test]
fn nans_stay_nans() {
    let mut from = Vec::new();
    for shift in 0..23 {
        for payload in [1 << shift, 1 << shift | 1 << 22, (2 << shift) - 1, !0 << shift & 0x7F_FFFF] {
            from.extend([0x7F80_0000 | payload, 0xFF80_0000 | payload].map(f32::from_bits));
        }
    }
    assert!(from.iter().all(|x| x.is_nan()));
    narrows(&from);
}

#[test]
fn every_exponent() {
    let mut state = 12345_u32;
    let mut from = Vec::new();
    for exponent in 0..512 {
        for _ in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            from.push(f32::from_bits(exponent << 23 | state >> 9));
        }
    }
    narrows(&from);
}

/// The four operations on two blocks in the level's order.
struct Arithmetic<'a>(&'a [bf16], &'a mut Vec<bf16>);

impl Work for Arithmetic<'_> {
    #[inline(always)]
    fn run<S: Halves>(self, simd: S) {
        for &one in self.0 {
            let left = simd.split_bf16(&[one; L]);
            for some in self.0.chunks_exact(L) {
                let some: &[bf16; L] = some.try_into().expect("a whole block");
                let right = simd.split_bf16(some);
                let ops: [fn(f32, f32) -> f32; 4] = [|a, b| a + b, |a, b| a - b, |a, b| a * b, |a, b| a / b];
                for op in ops {
                    let result: [f32; L] = core::array::from_fn(|i| op(left[i], right[i]));
                    self.1.extend(&simd.join_bf16_of_arithmetic(&result));
                }
            }
        }
    }
}

#[test]
fn arithmetic_needs_no_test_for_nan() {
    let mut values: Vec<bf16> = (0..=u16::MAX).step_by(293).map(bf16::from_bits).collect();
    for bits in [0, 1, 0x7F7F, 0x7F80, 0x7F81, 0x7FBF, 0x7FC0, 0x7FFF, 0x3F80, 0x0080] {
        values.extend([bits, bits | 0x8000].map(bf16::from_bits));
    }
    values.resize(values.len().next_multiple_of(L), bf16::NAN);
    for isa in Isa::available() {
        let mut results = Vec::new();
        // SAFETY: the level is available.
        unsafe { enter(isa.level(), Arithmetic(&values, &mut results)) };
        let mut results = results.chunks_exact(L);
        for &one in &values {
            for some in values.chunks_exact(L) {
                let ops: [fn(f32, f32) -> f32; 4] = [|a, b| a + b, |a, b| a - b, |a, b| a * b, |a, b| a / b];
                for op in ops {
                    for (&got, &other) in results.next().expect("as many").iter().zip(some) {
                        let want = bf16::from_f32(op(one.to_f32(), other.to_f32()));
                        let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                        assert!(same, "{}: {one} {other}: {got} for {want}", isa.name());
                    }
                }
            }
        }
    }
}
