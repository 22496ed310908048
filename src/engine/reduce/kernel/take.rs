//! [`Take`]: what a reduction reads, as a block of what it computes in.

use core::mem::MaybeUninit;

use bytemuck::{NoUninit, Zeroable};
use half::{bf16, f16};

use super::join;
use crate::engine::function::Function;
use crate::engine::level::Level;

/// A number that is accumulated.
pub(crate) trait Number: NoUninit + Zeroable + Send + Sync {}
impl<T: NoUninit + Zeroable + Send + Sync> Number for T {}

/// One or two operands, read as blocks of numbers.
///
/// `Part` is what up to [`BLOCK`](super::BLOCK) elements are joined in, and `Acc` what the rest is: the same, but for
/// sums of small integers, whose parts are as narrow as holds them exactly.
pub(crate) trait Take: 'static {
    type Part: Number;
    type Acc: Number;

    /// Bytes of an element of each operand; 0 for one that is not there.
    const SIZES: [usize; 2];

    /// `L` elements, a multiple of 16.
    ///
    /// # Safety
    /// They are readable and initialised at each operand's `at`, and aligned for their type.
    unsafe fn take<S: Level, const L: usize>(level: S, at: [*const u8; 2]) -> [Self::Part; L];

    /// One element. A few that are filled up to a vector in memory are read back across several writes, which must be
    /// waited for: 7 rows of 3 f32 took 75 ns so under AVX2, and take 6.5 element by element.
    ///
    /// # Safety
    /// As [`Take::take`], for one.
    unsafe fn one<S: Level>(level: S, at: [*const u8; 2]) -> Self::Part;

    /// What parts are, as numbers.
    fn whole<const L: usize>(parts: [Self::Part; L]) -> [Self::Acc; L];
}

/// Elements as they are.
pub(crate) struct Same<T>(T);

impl<T: Number + 'static> Take for Same<T> {
    type Part = T;
    type Acc = T;
    const SIZES: [usize; 2] = [size_of::<T>(), 0];

    #[inline(always)]
    unsafe fn take<S: Level, const L: usize>(_: S, at: [*const u8; 2]) -> [T; L] {
        // SAFETY: the caller's promise.
        unsafe { *at[0].cast() }
    }

    #[inline(always)]
    unsafe fn one<S: Level>(_: S, at: [*const u8; 2]) -> T {
        // SAFETY: the caller's promise.
        unsafe { *at[0].cast() }
    }

    #[inline(always)]
    fn whole<const L: usize>(parts: [T; L]) -> [T; L] {
        parts
    }
}

/// Halves as f32.
pub(crate) struct Halves<T>(T);

impl Take for Halves<f16> {
    type Part = f32;
    type Acc = f32;
    const SIZES: [usize; 2] = [2, 0];

    #[inline(always)]
    unsafe fn take<S: Level, const L: usize>(level: S, at: [*const u8; 2]) -> [f32; L] {
        // SAFETY: the caller's promise.
        level.widen_f16(unsafe { &*at[0].cast() })
    }

    #[inline(always)]
    unsafe fn one<S: Level>(level: S, at: [*const u8; 2]) -> f32 {
        // SAFETY: the caller's promise.
        level.widen_f16(&[unsafe { *at[0].cast::<f16>() }; 16])[0]
    }

    #[inline(always)]
    fn whole<const L: usize>(parts: [f32; L]) -> [f32; L] {
        parts
    }
}

impl Take for Halves<bf16> {
    type Part = f32;
    type Acc = f32;
    const SIZES: [usize; 2] = [2, 0];

    #[inline(always)]
    unsafe fn take<S: Level, const L: usize>(level: S, at: [*const u8; 2]) -> [f32; L] {
        // SAFETY: the caller's promise.
        level.widen_bf16(unsafe { &*at[0].cast() })
    }

    #[inline(always)]
    unsafe fn one<S: Level>(level: S, at: [*const u8; 2]) -> f32 {
        // SAFETY: the caller's promise.
        level.widen_bf16(&[unsafe { *at[0].cast::<bf16>() }; 16])[0]
    }

    #[inline(always)]
    fn whole<const L: usize>(parts: [f32; L]) -> [f32; L] {
        parts
    }
}

/// An integer that is summed in 64 bits, as the words that the crate adds integers by, whatever their sign.
pub(crate) trait Integer: Copy + 'static {
    /// Holds the sum of [`BLOCK`](super::BLOCK) of them.
    type Part: Number;

    /// Extended by its sign, if it has one.
    fn part(self) -> Self::Part;

    /// Extended likewise.
    fn whole(part: Self::Part) -> u64;
}

impl Integer for i8 {
    type Part = u16;

    #[inline(always)]
    fn part(self) -> u16 {
        i16::from(self) as u16
    }

    #[inline(always)]
    fn whole(part: u16) -> u64 {
        i64::from(part as i16) as u64
    }
}

impl Integer for u8 {
    type Part = u16;

    #[inline(always)]
    fn part(self) -> u16 {
        self.into()
    }

    #[inline(always)]
    fn whole(part: u16) -> u64 {
        part.into()
    }
}

impl Integer for i16 {
    type Part = u32;

    #[inline(always)]
    fn part(self) -> u32 {
        i32::from(self) as u32
    }

    #[inline(always)]
    fn whole(part: u32) -> u64 {
        i64::from(part as i32) as u64
    }
}

impl Integer for u16 {
    type Part = u32;

    #[inline(always)]
    fn part(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn whole(part: u32) -> u64 {
        part.into()
    }
}

impl Integer for i32 {
    type Part = u64;

    #[inline(always)]
    fn part(self) -> u64 {
        i64::from(self) as u64
    }

    #[inline(always)]
    fn whole(part: u64) -> u64 {
        part
    }
}

impl Integer for u32 {
    type Part = u64;

    #[inline(always)]
    fn part(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn whole(part: u64) -> u64 {
        part
    }
}

/// Integers that are summed in 64 bits; those that have 64 are taken by [`Same`].
pub(crate) struct Integers<T>(T);

impl<T: Integer> Take for Integers<T> {
    type Part = T::Part;
    type Acc = u64;
    const SIZES: [usize; 2] = [size_of::<T>(), 0];

    #[inline(always)]
    unsafe fn take<S: Level, const L: usize>(_: S, at: [*const u8; 2]) -> [T::Part; L] {
        // SAFETY: the caller's promise.
        each(unsafe { &*at[0].cast::<[T; L]>() }, T::part)
    }

    #[inline(always)]
    unsafe fn one<S: Level>(_: S, at: [*const u8; 2]) -> T::Part {
        // SAFETY: the caller's promise.
        unsafe { *at[0].cast::<T>() }.part()
    }

    #[inline(always)]
    fn whole<const L: usize>(parts: [T::Part; L]) -> [u64; L] {
        each(&parts, T::whole)
    }
}

/// `f` of each element.
#[inline(always)]
fn each<T: Copy, U: Number, const L: usize>(from: &[T; L], f: impl Fn(T) -> U) -> [U; L] {
    let mut to = [U::zeroed(); L];
    for i in 0..L {
        to[i] = f(from[i]);
    }
    to
}

/// Products of two operands' elements by `M`, each widened before.
pub(crate) struct Product<X, M>(X, M);

impl<X, M> Take for Product<X, M>
where
    X: Take,
    M: Function<(X::Acc, X::Acc), Output = X::Acc> + Default + 'static,
{
    type Part = X::Acc;
    type Acc = X::Acc;
    const SIZES: [usize; 2] = [X::SIZES[0]; 2];

    #[inline(always)]
    unsafe fn take<S: Level, const L: usize>(level: S, at: [*const u8; 2]) -> [X::Acc; L] {
        // SAFETY: the caller's promise, of one operand at a time.
        let [a, b] = unsafe { [X::take::<S, L>(level, [at[0]; 2]), X::take::<S, L>(level, [at[1]; 2])] };
        join::<S, M, _, L>(level, &X::whole(a), &X::whole(b))
    }

    #[inline(always)]
    unsafe fn one<S: Level>(level: S, at: [*const u8; 2]) -> X::Acc {
        // SAFETY: the caller's promise, of one operand at a time.
        let [a, b] = at.map(|at| whole::<X>(unsafe { X::one(level, [at; 2]) }));
        M::default().call((a, b))
    }

    #[inline(always)]
    fn whole<const L: usize>(parts: [X::Acc; L]) -> [X::Acc; L] {
        parts
    }
}

/// The first `n` elements at `from`, and others that do not matter.
///
/// # Safety
/// As [`Take::take`], for `n` elements, fewer than `N`.
#[inline(always)]
pub(super) unsafe fn part<S: Level, X: Take, const N: usize>(level: S, from: [*const u8; 2], n: usize) -> [X::Part; N] {
    // Elements are not wider than what they become.
    let mut blocks = [const { MaybeUninit::<[X::Acc; N]>::uninit() }; 2];
    // SAFETY: the caller's promise.
    unsafe {
        for k in 0..2 {
            if X::SIZES[k] > 0 {
                level.fill_part(from[k], n * X::SIZES[k], blocks[k].as_mut_ptr().cast(), N * X::SIZES[k]);
            }
        }
        X::take::<S, N>(level, [blocks[0].as_ptr().cast(), blocks[1].as_ptr().cast()])
    }
}

/// One part, as a number.
#[inline(always)]
pub(super) fn whole<X: Take>(part: X::Part) -> X::Acc {
    X::whole([part])[0]
}
