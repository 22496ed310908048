//! Casts of stretches: what computing in another type needs, such as `pow` with an exponent of its own type.
//!
//! The semantics are those of Rust's `as`: to nearest with ties to even, float to integer truncated and saturated, NaN
//! to 0. Halves pass through f32, which holds them all. A stretch is a few KiB, so a call enters its level once and
//! loops inside; LLVM makes vectors of the loops.

use core::mem::MaybeUninit;
use core::ptr::{read_unaligned, write_unaligned};

use half::{bf16, f16};
use pulp::Simd;

use super::halves::Halves;
use super::isa::{Level, token};
use crate::element::DType;

/// Casts `n` elements from one pointer to the other.
///
/// # Safety
/// The CPU passed the check of the level; `n` elements are readable and as many writable, and they do not overlap. The
/// pointers need no alignment.
pub(crate) type CastFn = unsafe fn(Level, *const u8, *mut u8, usize);

/// The cast from one type to another, if there is one: from a half, an integer or a float to f32 and f64, from f32 to
/// the halves, from f64 to the integers, and between u64 and the other integers, by their low bits. A type has none to
/// itself.
pub(crate) fn cast_kernel(from: DType, to: DType) -> Option<CastFn> {
    Some(match to {
        DType::F32 => match from {
            DType::F16 => blocks::<f16, f32>,
            DType::BF16 => blocks::<bf16, f32>,
            DType::F64 => each::<f64, f32>,
            _ => from_integer::<f32>(from)?,
        },
        DType::F64 => match from {
            DType::F16 => blocks::<f16, f64>,
            DType::BF16 => blocks::<bf16, f64>,
            DType::F32 => each::<f32, f64>,
            _ => from_integer::<f64>(from)?,
        },
        DType::F16 if from == DType::F32 => blocks::<f32, f16>,
        DType::BF16 if from == DType::F32 => blocks::<f32, bf16>,
        DType::U64 if from != DType::F64 => from_integer::<u64>(from).filter(|_| from != DType::U64)?,
        _ if from == DType::U64 => match to {
            DType::I8 => each::<u64, i8>,
            DType::I16 => each::<u64, i16>,
            DType::I32 => each::<u64, i32>,
            DType::I64 => each::<u64, i64>,
            DType::U8 => each::<u64, u8>,
            DType::U16 => each::<u64, u16>,
            DType::U32 => each::<u64, u32>,
            _ => return None,
        },
        _ if from == DType::F64 => match to {
            DType::I8 => each::<f64, i8>,
            DType::I16 => each::<f64, i16>,
            DType::I32 => each::<f64, i32>,
            DType::I64 => each::<f64, i64>,
            DType::U8 => each::<f64, u8>,
            DType::U16 => each::<f64, u16>,
            DType::U32 => each::<f64, u32>,
            DType::U64 => each::<f64, u64>,
            _ => return None,
        },
        _ => return None,
    })
}

/// To a float, from an integer of the type `from`.
fn from_integer<B: Copy>(from: DType) -> Option<CastFn>
where
    i8: As<B>,
    i16: As<B>,
    i32: As<B>,
    i64: As<B>,
    u8: As<B>,
    u16: As<B>,
    u32: As<B>,
    u64: As<B>,
{
    Some(match from {
        DType::I8 => each::<i8, B>,
        DType::I16 => each::<i16, B>,
        DType::I32 => each::<i32, B>,
        DType::I64 => each::<i64, B>,
        DType::U8 => each::<u8, B>,
        DType::U16 => each::<u16, B>,
        DType::U32 => each::<u32, B>,
        DType::U64 => each::<u64, B>,
        _ => return None,
    })
}

/// `as`, which is not a trait.
trait As<B>: Copy {
    fn cast(self) -> B;
}

/// From each of the types before the arrow to each of those after it.
macro_rules! casts {
    ($($from:ident)* => $to:tt) => { $(casts!(@ $from => $to);)* };
    (@ $from:ident => [$($to:ident)*]) => {
        $(impl As<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        })*
    };
}

casts!(i8 i16 i32 i64 u8 u16 u32 u64 => [f32 f64 u64]);
casts!(u64 => [i8 i16 i32 i64 u8 u16 u32]);
casts!(f32 => [f64]);
casts!(f64 => [f32 i8 i16 i32 i64 u8 u16 u32 u64]);

/// What runs inside a level's function.
pub(crate) trait Work {
    /// Must be inlined, and all that it calls; it is handed the level's token.
    fn run<S: Halves>(self, simd: S);
}

/// Runs `work` with the instructions of the level.
///
/// # Safety
/// The CPU passed the level's check.
#[inline(always)]
pub(crate) unsafe fn enter(level: Level, work: impl Work) {
    // SAFETY: the caller's promise, in every arm.
    unsafe {
        match level {
            Level::Scalar => {
                let simd = token::scalar();
                simd.vectorize(
                    #[inline(always)]
                    || work.run(simd),
                );
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                let simd = token::avx2();
                simd.vectorize(
                    #[inline(always)]
                    || work.run(simd),
                );
            }
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Level::Avx512 => {
                let simd = token::avx512();
                simd.vectorize(
                    #[inline(always)]
                    || work.run(simd),
                );
            }
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            Level::Avx512Vbmi => {
                let simd = token::avx512vbmi();
                simd.vectorize(
                    #[inline(always)]
                    || work.run(simd),
                );
            }
            #[cfg(target_arch = "aarch64")]
            Level::Neon => {
                let simd = token::neon();
                simd.vectorize(
                    #[inline(always)]
                    || work.run(simd),
                );
            }
        }
    }
}

/// Element by element.
struct Each<A, B> {
    from: *const A,
    to: *mut B,
    n: usize,
}

impl<A: As<B>, B> Work for Each<A, B> {
    #[inline(always)]
    fn run<S: Halves>(self, _: S) {
        for i in 0..self.n {
            // SAFETY: `each`'s caller vouches for `n` elements.
            unsafe { write_unaligned(self.to.add(i), read_unaligned(self.from.add(i)).cast()) };
        }
    }
}

/// # Safety
/// As [`CastFn`].
unsafe fn each<A: As<B>, B>(level: Level, from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { enter(level, Each::<A, B> { from: from.cast(), to: to.cast(), n }) }
}

/// Elements of a block.
const BLOCK: usize = 32;

/// A cast of halves, which is done by blocks.
trait BlockAs<B>: Copy {
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [B; BLOCK];
}

impl BlockAs<f32> for f16 {
    #[inline(always)]
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [f32; BLOCK] {
        simd.widen_f16(from)
    }
}

impl BlockAs<f32> for bf16 {
    #[inline(always)]
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [f32; BLOCK] {
        simd.widen_bf16(from)
    }
}

/// Both halves reach f64 by way of f32.
impl<A: BlockAs<f32>> BlockAs<f64> for A {
    #[inline(always)]
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [f64; BLOCK] {
        let single = <A as BlockAs<f32>>::cast(simd, from);
        let mut double = [0.0; BLOCK];
        for i in 0..BLOCK {
            double[i] = f64::from(single[i]);
        }
        double
    }
}

impl BlockAs<f16> for f32 {
    #[inline(always)]
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [f16; BLOCK] {
        simd.narrow_f16(from)
    }
}

impl BlockAs<bf16> for f32 {
    #[inline(always)]
    fn cast<S: Halves>(simd: S, from: &[Self; BLOCK]) -> [bf16; BLOCK] {
        simd.narrow_bf16(from)
    }
}

/// Block by block.
struct Blocks<A, B> {
    from: *const A,
    to: *mut B,
    n: usize,
}

impl<A: BlockAs<B>, B: Copy> Work for Blocks<A, B> {
    #[inline(always)]
    fn run<S: Halves>(self, simd: S) {
        let Self { from, to, n } = self;
        let whole = n / BLOCK * BLOCK;
        for at in (0..whole).step_by(BLOCK) {
            // SAFETY: `blocks`' caller vouches for `n` elements, of which these are some.
            unsafe {
                let cast = A::cast(simd, &read_unaligned(from.add(at).cast()));
                write_unaligned(to.add(at).cast(), cast);
            }
        }
        if whole < n {
            // The block that the stretch ends in goes on with zeros.
            let mut last = MaybeUninit::<[A; BLOCK]>::zeroed();
            // SAFETY: as above; zeros are a number of every type here.
            unsafe {
                let bytes = (n - whole) * size_of::<A>();
                last.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.add(whole).cast(), bytes);
                let cast = A::cast(simd, last.assume_init_ref());
                let bytes = (n - whole) * size_of::<B>();
                to.add(whole).cast::<u8>().copy_from_nonoverlapping(cast.as_ptr().cast(), bytes);
            }
        }
    }
}

/// # Safety
/// As [`CastFn`].
unsafe fn blocks<A: BlockAs<B>, B: Copy>(level: Level, from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { enter(level, Blocks::<A, B> { from: from.cast(), to: to.cast(), n }) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::fmt::Debug;

    use bytemuck::{AnyBitPattern, NoUninit};

    use super::*;
    use crate::element::Element;
    use crate::engine::Isa;

    /// Lengths around a block, from addresses that are not aligned.
    fn check<A: Element + AnyBitPattern, B: Element + AnyBitPattern + PartialOrd + Debug>(
        values: &[A],
        oracle: impl Fn(A) -> B,
    ) {
        let cast = cast_kernel(A::DTYPE, B::DTYPE).expect("listed");
        for isa in Isa::available() {
            for n in (0..=67).chain([values.len()]) {
                let from: Vec<A> = values.iter().copied().cycle().take(n).collect();
                let mut bytes = alloc::vec![0; 1];
                bytes.extend_from_slice(bytemuck::cast_slice(&from));
                let mut to = alloc::vec![0xA5_u8; n * size_of::<B>() + 2];
                // SAFETY: the level is available, and both stretches hold `n` elements.
                unsafe { cast(isa.level(), bytes.as_ptr().add(1), to.as_mut_ptr().add(1), n) };
                assert_eq!((to[0], to[to.len() - 1]), (0xA5, 0xA5), "{} writes past its ends", isa.name());
                for (i, &x) in from.iter().enumerate() {
                    let at = 1 + i * size_of::<B>();
                    let got: B = bytemuck::pod_read_unaligned(&to[at..at + size_of::<B>()]);
                    let want = oracle(x);
                    // NaNs are one.
                    let is_nan = |x: &B| x.partial_cmp(x).is_none();
                    let same = bytemuck::bytes_of(&got) == bytemuck::bytes_of(&want) || is_nan(&got) && is_nan(&want);
                    assert!(same, "{} {} to {}: {i}: {got:?} for {want:?}", isa.name(), A::DTYPE, B::DTYPE);
                }
            }
        }
    }

    /// Bit patterns of the type: its ends, and a spread between them.
    fn patterns<A: AnyBitPattern + NoUninit>() -> Vec<A> {
        let mut state = 1_u64;
        let ends = [0, 1, 2, u64::MAX, u64::MAX >> 1, u64::MAX << 63, 1 << 31, (1 << 31) - 1, 1 << 15, 1 << 7];
        let near = [(1 << 24) + 1, (1 << 24) + 3, (1 << 53) + 1, (1 << 53) + 3, (1_u64 << 40) + (1 << 16)];
        let spread = (0..3000).map(|i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state ^ state >> 29) >> (i % 64)
        });
        let all = ends.into_iter().chain(near).chain(spread);
        all.map(|bits| bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size_of::<A>()])).collect()
    }

    #[test]
    fn integers_round_to_the_nearest_float() {
        check(&patterns::<i8>(), |x| x as f32);
        check(&patterns::<i16>(), |x| x as f32);
        check(&patterns::<i32>(), |x| x as f32);
        check(&patterns::<i64>(), |x| x as f32);
        check(&patterns::<u8>(), |x| x as f32);
        check(&patterns::<u16>(), |x| x as f32);
        check(&patterns::<u32>(), |x| x as f32);
        check(&patterns::<u64>(), |x| x as f32);
        check(&patterns::<i8>(), |x| x as f64);
        check(&patterns::<i16>(), |x| x as f64);
        check(&patterns::<i32>(), |x| x as f64);
        check(&patterns::<i64>(), |x| x as f64);
        check(&patterns::<u8>(), |x| x as f64);
        check(&patterns::<u16>(), |x| x as f64);
        check(&patterns::<u32>(), |x| x as f64);
        check(&patterns::<u64>(), |x| x as f64);
        // Ties go to the even one, by one rounding.
        check(&[16_777_217_i64, 16_777_219, (1 << 60) + (1 << 36), i64::MIN], |x| {
            [
                (16_777_217, 16_777_216.0),
                (16_777_219, 16_777_220.0),
                ((1 << 60) + (1 << 36), 1_152_921_504_606_846_976.0),
            ]
            .iter()
            .find(|known| known.0 == x)
            .map_or(-9_223_372_036_854_775_808.0_f32, |known| known.1)
        });
    }

    #[test]
    fn floats_saturate_to_integers() {
        let mut values = patterns::<f64>();
        let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| (bits as f64).exp2());
        values.extend(
            ends.iter().flat_map(|&x| [x, x - 1.0, x - 0.5, -x, -x - 1.0, -x - 0.5, x.next_down(), x.next_up()]),
        );
        values.extend([0.5, -0.5, -0.0, 0.999, -0.999, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        check(&values, |x| x as i8);
        check(&values, |x| x as i16);
        check(&values, |x| x as i32);
        check(&values, |x| x as i64);
        check(&values, |x| x as u8);
        check(&values, |x| x as u16);
        check(&values, |x| x as u32);
        check(&values, |x| x as u64);
        check(&[300.7, -300.7, f64::NAN], |x| {
            if x > 0.0 {
                127_i8
            } else if x < 0.0 {
                -128
            } else {
                0
            }
        });
        check(&values, |x| x as f32);
        check(&patterns::<f32>(), |x| x as f64);
    }

    #[test]
    fn halves_are_exact_in_wider_floats_and_rounded_from_them() {
        let halves: Vec<u16> = (0..=u16::MAX).collect();
        check(bytemuck::cast_slice::<u16, f16>(&halves), |x| x.to_f32());
        check(bytemuck::cast_slice::<u16, f16>(&halves), |x| x.to_f64());
        check(bytemuck::cast_slice::<u16, bf16>(&halves), |x| x.to_f32());
        check(bytemuck::cast_slice::<u16, bf16>(&halves), |x| x.to_f64());
        check(&patterns::<f32>(), f16::from_f32);
        check(&patterns::<f32>(), bf16::from_f32);
    }

    #[test]
    fn there_are_no_others() {
        let count = DType::ALL.iter().flat_map(|&from| DType::ALL.iter().filter_map(move |&to| cast_kernel(from, to)));
        assert_eq!(count.count(), 16 + 4 + 2 + 2 + 8 + 7 + 7);
        assert!(DType::ALL.iter().all(|&dtype| cast_kernel(dtype, dtype).is_none()));
    }
}
