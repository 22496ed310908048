//! [`Halves`] by the conversions of every AArch64, which our oldest Rust has as instructions only.

use half::f16;

use super::{Halves, plain};

impl Halves for pulp::aarch64::Neon {
    type Stored = core::arch::aarch64::uint8x16_t;

    #[cfg(target_feature = "neon")]
    #[inline(always)]
    fn widen_f16<const L: usize>(self, from: &[f16; L]) -> [f32; L] {
        use core::arch::{aarch64::*, asm};
        let mut to = [0.0; L];
        for (to, from) in to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
            // SAFETY: each chunk is eight elements; NEON has the instructions.
            unsafe {
                let (low, high): (float32x4_t, float32x4_t);
                let eight = vld1q_u16(from.as_ptr().cast());
                asm!("fcvtl {0:v}.4s, {2:v}.4h", "fcvtl2 {1:v}.4s, {2:v}.8h",
                    out(vreg) low, lateout(vreg) high, in(vreg) eight, options(pure, nomem, nostack));
                vst1q_f32(to.as_mut_ptr(), low);
                vst1q_f32(to.as_mut_ptr().add(4), high);
            }
        }
        to
    }

    #[cfg(target_feature = "neon")]
    #[inline(always)]
    fn narrow_f16<const L: usize>(self, from: &[f32; L]) -> [f16; L] {
        use core::arch::{aarch64::*, asm};
        let mut to = [f16::ZERO; L];
        for (to, from) in to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
            // SAFETY: each chunk is eight elements; NEON has the instructions.
            unsafe {
                let eight: uint16x8_t;
                let (low, high) = (vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4)));
                asm!("fcvtn {0:v}.4h, {1:v}.4s", "fcvtn2 {0:v}.8h, {2:v}.4s",
                    out(vreg) eight, in(vreg) low, in(vreg) high, options(pure, nomem, nostack));
                vst1q_u16(to.as_mut_ptr().cast(), eight);
            }
        }
        to
    }

    #[cfg(not(target_feature = "neon"))]
    #[inline(always)]
    fn widen_f16<const L: usize>(self, from: &[f16; L]) -> [f32; L] {
        plain::each(from, plain::widen)
    }

    #[cfg(not(target_feature = "neon"))]
    #[inline(always)]
    fn narrow_f16<const L: usize>(self, from: &[f32; L]) -> [f16; L] {
        plain::each(from, plain::narrow)
    }
}
