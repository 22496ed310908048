//! [`Function`]: what is computed, element by element, by the crate's own functions and by yours alike.

use core::mem::size_of;

use bytemuck::{NoUninit, Zeroable};
use pulp::Simd;

use super::level::Level;

/// A function of one, two or three operands, computed element by element: `I` is a tuple of their types.
///
/// Closures are functions, so most need no implementation. What [`Function::call`] does is done for blocks of elements
/// inside code that is compiled for the instruction set in use, so plain arithmetic without branches becomes vector
/// code. Everything it calls should be `#[inline(always)]`: what is not inlined is compiled without those instructions.
///
/// A function should give the same result wherever an element stands: blocks at the end of a row are computed with
/// other elements beside them, and elements may be computed twice.
///
/// ```
/// use stridecast::{View, map};
///
/// let (x, scale) = ([1.0_f32, -2.0, 3.0, -4.0], [10.0, 100.0]);
/// let leaky = |x: f32, scale: f32| if x > 0.0 { x } else { x * scale };
/// let y = map(&leaky, (&View::new(&x, &[2, 2])?, &View::new(&scale, &[2])?))?;
/// assert_eq!(y.as_slice(), [1.0, -200.0, 3.0, -400.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub trait Function<I: Operands>: Sync {
    /// What it gives.
    type Output: NoUninit + Zeroable + Send + Sync;

    /// Whether an element costs much more than reading and writing it, as a power does: then fewer elements are worth a
    /// thread.
    const HEAVY: bool = false;

    /// Whether it gives halves by the level's conversions, which are stored best as they come.
    #[doc(hidden)]
    const HALVES: bool = false;

    /// One element.
    fn call(&self, operands: I) -> Self::Output;

    /// `L` elements at once, a multiple of every vector of their types; each operand is an array of as many. The
    /// default calls [`Function::call`] for each. Override it where explicit lanes are faster: [`Simd::as_simd_f32s`],
    /// [`Simd::as_mut_simd_f32s`] and the like turn arrays into lanes of `simd`, the level that runs.
    ///
    /// An override must be `#[inline(always)]`, and give each element what [`Function::call`] gives it.
    #[inline(always)]
    fn block<S: Simd, const L: usize>(&self, simd: S, operands: I::Blocks<'_, L>) -> [Self::Output; L] {
        let _ = simd;
        I::each(
            operands,
            #[inline(always)]
            |elements| self.call(elements),
        )
    }

    /// As [`Function::block`], with all that a level can do: for the crate's own functions.
    #[doc(hidden)]
    #[inline(always)]
    fn block_on<S: Level, const L: usize>(&self, level: S, operands: I::Blocks<'_, L>) -> [Self::Output; L] {
        self.block(level.simd(), operands)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The operands of a [`Function`]: `(A,)`, `(A, B)` or `(A, B, C)`. Any thread may read them and be handed copies.
pub trait Operands: Copy + sealed::Sealed {
    /// Their number.
    #[doc(hidden)]
    const COUNT: usize;
    /// Their bytes; 0 for those that are not there.
    #[doc(hidden)]
    const SIZES: [usize; 3];
    /// As many arrays of `L` elements.
    type Blocks<'a, const L: usize>: Copy;

    /// What `of` gives for one element of each, for all of them.
    ///
    /// An implementation takes the blocks apart in its parameters: as references of its own they are known not to be the
    /// array that is written, without which the loop is compiled twice and the array kept in memory.
    #[doc(hidden)]
    fn each<O: Copy + Zeroable, const L: usize>(blocks: Self::Blocks<'_, L>, of: impl Fn(Self) -> O) -> [O; L];

    /// # Safety
    /// `L` elements of operand `k` are readable at `from[k]` and aligned for their type, and nobody writes them while
    /// the result is in use.
    #[doc(hidden)]
    unsafe fn blocks<'a, const L: usize>(from: [*const u8; 3]) -> Self::Blocks<'a, L>;

    /// Writes operand `k`'s element at `from` to all `L` places at `to`.
    ///
    /// # Safety
    /// The element is readable and `L` places are writable, both aligned for the type of operand `k`, which is below
    /// the number of operands.
    #[doc(hidden)]
    unsafe fn splat<const L: usize>(k: usize, from: *const u8, to: *mut u8);
}

/// # Safety
/// As [`Operands::splat`].
#[inline(always)]
unsafe fn splat<T: Copy, const L: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { *to.cast::<[T; L]>() = [*from.cast::<T>(); L] }
}

impl<A: NoUninit + Send + Sync> sealed::Sealed for (A,) {}

impl<A: NoUninit + Send + Sync> Operands for (A,) {
    const COUNT: usize = 1;
    const SIZES: [usize; 3] = [size_of::<A>(), 0, 0];
    type Blocks<'a, const L: usize> = (&'a [A; L],);

    #[inline(always)]
    fn each<O: Copy + Zeroable, const L: usize>((a,): (&[A; L],), of: impl Fn(Self) -> O) -> [O; L] {
        let mut out = [O::zeroed(); L];
        for i in 0..L {
            out[i] = of((a[i],));
        }
        out
    }

    #[inline(always)]
    unsafe fn blocks<'a, const L: usize>(from: [*const u8; 3]) -> Self::Blocks<'a, L> {
        // SAFETY: the caller's promise.
        unsafe { (&*from[0].cast(),) }
    }

    #[inline(always)]
    unsafe fn splat<const L: usize>(_: usize, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { splat::<A, L>(from, to) }
    }
}

impl<A: NoUninit + Send + Sync, B: NoUninit + Send + Sync> sealed::Sealed for (A, B) {}

impl<A: NoUninit + Send + Sync, B: NoUninit + Send + Sync> Operands for (A, B) {
    const COUNT: usize = 2;
    const SIZES: [usize; 3] = [size_of::<A>(), size_of::<B>(), 0];
    type Blocks<'a, const L: usize> = (&'a [A; L], &'a [B; L]);

    #[inline(always)]
    fn each<O: Copy + Zeroable, const L: usize>((a, b): (&[A; L], &[B; L]), of: impl Fn(Self) -> O) -> [O; L] {
        let mut out = [O::zeroed(); L];
        for i in 0..L {
            out[i] = of((a[i], b[i]));
        }
        out
    }

    #[inline(always)]
    unsafe fn blocks<'a, const L: usize>(from: [*const u8; 3]) -> Self::Blocks<'a, L> {
        // SAFETY: the caller's promise.
        unsafe { (&*from[0].cast(), &*from[1].cast()) }
    }

    #[inline(always)]
    unsafe fn splat<const L: usize>(k: usize, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { if k == 0 { splat::<A, L>(from, to) } else { splat::<B, L>(from, to) } }
    }
}

impl<A: NoUninit + Send + Sync, B: NoUninit + Send + Sync, C: NoUninit + Send + Sync> sealed::Sealed for (A, B, C) {}

impl<A: NoUninit + Send + Sync, B: NoUninit + Send + Sync, C: NoUninit + Send + Sync> Operands for (A, B, C) {
    const COUNT: usize = 3;
    const SIZES: [usize; 3] = [size_of::<A>(), size_of::<B>(), size_of::<C>()];
    type Blocks<'a, const L: usize> = (&'a [A; L], &'a [B; L], &'a [C; L]);

    #[inline(always)]
    fn each<O: Copy + Zeroable, const L: usize>(
        (a, b, c): (&[A; L], &[B; L], &[C; L]),
        of: impl Fn(Self) -> O,
    ) -> [O; L] {
        let mut out = [O::zeroed(); L];
        for i in 0..L {
            out[i] = of((a[i], b[i], c[i]));
        }
        out
    }

    #[inline(always)]
    unsafe fn blocks<'a, const L: usize>(from: [*const u8; 3]) -> Self::Blocks<'a, L> {
        // SAFETY: the caller's promise.
        unsafe { (&*from[0].cast(), &*from[1].cast(), &*from[2].cast()) }
    }

    #[inline(always)]
    unsafe fn splat<const L: usize>(k: usize, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match k {
                0 => splat::<A, L>(from, to),
                1 => splat::<B, L>(from, to),
                _ => splat::<C, L>(from, to),
            }
        }
    }
}

impl<F, A, O> Function<(A,)> for F
where
    F: Fn(A) -> O + Sync,
    A: NoUninit + Send + Sync,
    O: NoUninit + Zeroable + Send + Sync,
{
    type Output = O;

    #[inline(always)]
    fn call(&self, (a,): (A,)) -> O {
        self(a)
    }
}

impl<F, A, B, O> Function<(A, B)> for F
where
    F: Fn(A, B) -> O + Sync,
    A: NoUninit + Send + Sync,
    B: NoUninit + Send + Sync,
    O: NoUninit + Zeroable + Send + Sync,
{
    type Output = O;

    #[inline(always)]
    fn call(&self, (a, b): (A, B)) -> O {
        self(a, b)
    }
}

impl<F, A, B, C, O> Function<(A, B, C)> for F
where
    F: Fn(A, B, C) -> O + Sync,
    A: NoUninit + Send + Sync,
    B: NoUninit + Send + Sync,
    C: NoUninit + Send + Sync,
    O: NoUninit + Zeroable + Send + Sync,
{
    type Output = O;

    #[inline(always)]
    fn call(&self, (a, b, c): (A, B, C)) -> O {
        self(a, b, c)
    }
}
