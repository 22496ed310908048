use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use half::{bf16, f16};
use num_complex::Complex;

use super::take::Number;
use super::*;
use crate::engine::Isa;
use crate::engine::isa::token;

#[derive(Clone, Copy, Default)]
struct Sum;
#[derive(Clone, Copy, Default)]
struct Times;
#[derive(Clone, Copy, Default)]
struct Most;
/// Of which operands cannot be exchanged.
#[derive(Clone, Copy, Default)]
struct Minus;

/// The functions, one line for each type.
macro_rules! function {
    ($($name:ident $of:ident: |$a:ident, $b:ident| $what:expr;)*) => {$(
        impl Function<($of, $of)> for $name {
            type Output = $of;

            #[inline(always)]
            fn call(&self, ($a, $b): ($of, $of)) -> $of {
                $what
            }
        }
    )*};
}

type C32 = Complex<f32>;
type C64 = Complex<f64>;

function! {
    Sum f32: |a, b| a + b;
    Sum f64: |a, b| a + b;
    Sum C32: |a, b| a + b;
    Sum C64: |a, b| a + b;
    Sum u8: |a, b| a.wrapping_add(b);
    Sum u16: |a, b| a.wrapping_add(b);
    Sum u32: |a, b| a.wrapping_add(b);
    Sum u64: |a, b| a.wrapping_add(b);
    Times f32: |a, b| a * b;
    Times u64: |a, b| a.wrapping_mul(b);
    Times C32: |a, b| a * b;
    Minus f32: |a, b| a - b;
    Most f32: |a, b| if a.is_nan() | b.is_nan() { a + b } else if b > a { b } else { a };
}

/// What the definitions are stated in: elements to numbers, and numbers to bits, of which all NaNs have the same.
trait Value: Copy + Debug + 'static {
    fn of(seed: u32) -> Self;
}

trait Bits: Copy {
    fn bits(self) -> u128;
}

macro_rules! value {
    ($($of:ident: |$seed:ident| $value:expr;)*) => {$(
        impl Value for $of {
            fn of($seed: u32) -> Self {
                $value
            }
        }
    )*};
}

/// Thirds: sums of them round at every step, so that another order gives other bits.
fn third(seed: u32) -> f64 {
    (f64::from(seed % 2000) - 900.0) / 3.0
}

value! {
    f32: |seed| if seed % 61 == 7 { f32::NAN } else { third(seed) as f32 };
    f64: |seed| third(seed);
    f16: |seed| f16::from_f64(third(seed));
    bf16: |seed| bf16::from_f64(third(seed));
    C32: |seed| C32::new(1.0 + third(seed) as f32 / 4e4, third(seed / 7) as f32 / 1e5);
    C64: |seed| C64::new(third(seed), third(seed / 7));
    u16: |seed| seed as u16;
    i8: |seed| seed as i8;
    u8: |seed| seed as u8;
    i16: |seed| seed.wrapping_mul(77) as i16;
    i32: |seed| seed.wrapping_mul(7_777_777) as i32;
}

impl Bits for f32 {
    fn bits(self) -> u128 {
        if self.is_nan() { u128::MAX } else { self.to_bits().into() }
    }
}

impl Bits for f64 {
    fn bits(self) -> u128 {
        if self.is_nan() { u128::MAX } else { self.to_bits().into() }
    }
}

impl Bits for C32 {
    fn bits(self) -> u128 {
        self.re.bits() << 64 | self.im.bits() & u128::from(u64::MAX)
    }
}

impl Bits for C64 {
    fn bits(self) -> u128 {
        self.re.bits() << 64 | self.im.bits() & u128::from(u64::MAX)
    }
}

impl Bits for u16 {
    fn bits(self) -> u128 {
        self.into()
    }
}

impl Bits for u8 {
    fn bits(self) -> u128 {
        self.into()
    }
}

impl Bits for u64 {
    fn bits(self) -> u128 {
        self.into()
    }
}

/// A reduction: its kernels, and what they are to compute.
struct Case<T, A> {
    kernels: Vec<ReduceKernel>,
    operands: usize,
    /// Of an element of each operand.
    read: fn(T, T) -> A,
    join: fn(A, A) -> A,
}

fn case<T, X: Take, F: Join<X>, const L: usize, const W: usize, const N: usize>(
    name: &'static str,
    read: fn(T, T) -> X::Acc,
) -> Case<T, X::Acc> {
    let (sizes, acc) = (X::SIZES, size_of::<X::Acc>());
    assert_eq!((L, W, N), (lanes(acc), columns(sizes[0], acc, true), few_columns(acc)));
    let mut kernels = Vec::new();
    for isa in Isa::available() {
        let isa = isa.level();
        let (down, along): (DownFn, AlongFn) = match isa {
            IsaLevel::Scalar => (down::<pulp::Scalar, X, F, W, N>, along::<pulp::Scalar, X, F, L>),
            #[cfg(target_arch = "x86_64")]
            IsaLevel::Avx2 => (down::<token::V3Half, X, F, W, N>, along::<token::V3Half, X, F, L>),
            #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
            IsaLevel::Avx512 => (down::<pulp::x86::V4, X, F, W, N>, along::<pulp::x86::V4, X, F, L>),
            #[cfg(target_arch = "aarch64")]
            IsaLevel::Neon => (down::<pulp::aarch64::Neon, X, F, W, N>, along::<pulp::aarch64::Neon, X, F, L>),
            #[allow(unreachable_patterns, reason = "levels that compute nothing")]
            _ => continue,
        };
        kernels.push(ReduceKernel { name, isa, down, along, sizes, acc });
    }
    let operands = if sizes[1] > 0 { 2 } else { 1 };
    Case { kernels, operands, read, join: |a, b| F::default().call((a, b)) }
}

/// Numbers of which no two stretches are alike.
fn seeds() -> impl FnMut() -> u32 {
    let mut state = 1_u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 12
    }
}

impl<T: Value, A: Number + Bits> Case<T, A> {
    /// One call of `down`, every row in a vector of its own.
    fn down(&self, cols: usize, rows: usize, under: usize, planes: usize) {
        let mut next = seeds();
        let mut row = || (0..cols).map(|_| T::of(next())).collect::<Vec<T>>();
        let data: Vec<Vec<Vec<T>>> =
            (0..2).map(|_| (0..rows).map(|_| (0..planes).flat_map(|_| row()).collect()).collect()).collect();
        let finished: Vec<Vec<A>> =
            (0..under).map(|_| row().into_iter().zip(row()).map(|(a, b)| (self.read)(a, b)).collect()).collect();
        let mut expected = Vec::new();
        for i in 0..cols * planes {
            let element = |row: usize| (self.read)(data[0][row][i], data[1][row][i]);
            let sum = (1..rows).fold(element(0), |sum, row| (self.join)(sum, element(row)));
            expected.push(finished.iter().fold(sum, |sum, under| (self.join)(under[i], sum)).bits());
        }
        let at = [0, 1].map(|k| data[k][0].as_ptr().cast::<u8>());
        let offset = |k: usize, row: usize| (data[k][row].as_ptr().addr() as isize).wrapping_sub(at[k].addr() as isize);
        let offsets: Vec<[isize; 2]> = (0..rows).map(|row| [offset(0, row), offset(1, row)]).collect();
        let under: Vec<*const u8> = finished.iter().map(|row| row.as_ptr().cast()).collect();
        let (step, to_step) = ([(cols * size_of::<T>()) as isize; 2], (cols * size_of::<A>()) as isize);
        for kernel in &self.kernels {
            let mut out = self.unwritten(cols * planes);
            let to = out.as_mut_ptr().cast();
            let down = Down { at, rows: &offsets, cols, under: &under, to, planes, step, to_step };
            // SAFETY: the vectors hold what it says, and the level is available.
            unsafe { (kernel.down)(&down) };
            assert!(self.wrote(out, &expected), "{} {:?}: {cols} {rows} {under:?} {planes}", kernel.name, kernel.isa);
        }
    }

    /// One call of `along`, with runs that end where the vector does.
    fn along(&self, n: usize, keep: usize, runs: usize) {
        let mut next = seeds();
        let data: [Vec<T>; 2] = [0, 1].map(|_| (0..n * runs).map(|_| T::of(next())).collect());
        let all: Vec<A> = (0..n * runs).map(|i| (self.read)(data[0][i], data[1][i])).collect();
        let mut expected = Vec::new();
        for run in all.chunks(n) {
            expected.extend(self.joined(run, keep).into_iter().map(A::bits));
        }
        let at = [0, 1].map(|k| data[k].as_ptr().cast());
        let (step, to_step) = ([(n * size_of::<T>()) as isize; 2], (keep * size_of::<A>()) as isize);
        for kernel in &self.kernels {
            let mut out = self.unwritten(keep * runs);
            let along = Along { at, runs, step, n, keep, to: out.as_mut_ptr().cast(), to_step };
            // SAFETY: the vectors hold what it says, and the level is available.
            unsafe { (kernel.along)(&along) };
            assert!(self.wrote(out, &expected), "{} {:?}: {n} {keep} {runs}", kernel.name, kernel.isa);
        }
    }

    /// Room for `n` numbers, and more that must stay as they are.
    fn unwritten(&self, n: usize) -> Vec<A> {
        vec![(self.read)(T::of(999), T::of(999)); n + lanes(size_of::<A>())]
    }

    /// Whether these are there, and nothing behind them.
    fn wrote(&self, out: Vec<A>, expected: &[u128]) -> bool {
        let out: Vec<u128> = out.into_iter().map(A::bits).collect();
        let (numbers, more) = out.split_at(expected.len());
        let untouched = self.unwritten(0).into_iter().map(A::bits);
        numbers == expected && more.iter().copied().eq(untouched)
    }

    /// A run as its definition says: blocks of steps of lanes by a tree that splits at the largest power of two, then
    /// the tail, then lanes.
    fn joined(&self, run: &[A], keep: usize) -> Vec<A> {
        let lanes = lanes(size_of::<A>());
        let each = |a: &[A], b: &[A]| -> Vec<A> { a.iter().zip(b).map(|(&a, &b)| (self.join)(a, b)).collect() };
        if run.len() < lanes {
            // Steps of what is kept, in blocks, one after another.
            let block = |block: &[A]| block.chunks(keep).map(<[A]>::to_vec).reduce(|a, b| each(&a, &b)).unwrap();
            return run.chunks(BLOCK * keep).map(block).reduce(|a, b| each(&a, &b)).unwrap();
        }
        let (whole, tail) = run.split_at(run.len() / lanes * lanes);
        let blocks: Vec<Vec<A>> = whole
            .chunks(BLOCK * lanes)
            .map(|block| block.chunks(lanes).map(<[A]>::to_vec).reduce(|a, b| each(&a, &b)).unwrap())
            .collect();
        let mut acc = tree(&blocks, &each);
        let first = lanes - tail.len();
        for (lane, &x) in acc[first..].iter_mut().zip(tail) {
            *lane = (self.join)(*lane, x);
        }
        while acc.len() > keep {
            let half = acc.len().next_power_of_two() / 2;
            let upper = acc.split_off(half);
            for (low, high) in acc.iter_mut().zip(upper) {
                *low = (self.join)(*low, high);
            }
        }
        acc
    }

    /// Everything, with `W` columns in a block and `L` lanes.
    fn check(&self) {
        assert_eq!(self.operands, if self.kernels[0].sizes[1] > 0 { 2 } else { 1 });
        let lanes = lanes(size_of::<A>());
        for cols in 1..=2 * lanes + 1 {
            self.down(cols, 1 + cols % BLOCK, cols % 4, 1);
            self.down(cols, 1 + cols / 2 % BLOCK, 0, 1 + cols % 3);
        }
        for rows in 1..=BLOCK {
            for cols in [3, lanes - 1, lanes, 4 * lanes, 5 * lanes + 3] {
                (0..4).for_each(|under| self.down(cols, rows, under, 1));
                (1..4).for_each(|planes| self.down(cols, rows, 0, planes));
            }
        }
        for n in (1..=4 * lanes + 1).chain([
            lanes * 8 - 1,
            lanes * 8,
            lanes * 19 + 5,
            lanes * 40,
            lanes * 63 + 7,
            lanes * 64,
        ]) {
            for keep in [1, 2, 4, 8, 16] {
                if n % keep == 0 {
                    self.along(n, keep, 1 + n % 3);
                }
            }
        }
    }
}

/// Blocks joined by halves, of which the first is the largest power of two.
fn tree<A: Clone>(blocks: &[Vec<A>], each: &impl Fn(&[A], &[A]) -> Vec<A>) -> Vec<A> {
    match blocks {
        [block] => block.clone(),
        _ => {
            let (first, second) = blocks.split_at(blocks.len().next_power_of_two() / 2);
            each(&tree(first, each), &tree(second, each))
        }
    }
}

#[test]
fn sums_of_floats() {
    case::<_, Same<f32>, Sum, 64, 64, 16>("f32", |a, _| a).check();
    case::<_, Same<f64>, Sum, 32, 32, 16>("f64", |a, _| a).check();
}

#[test]
fn sums_of_halves() {
    case::<_, Halves<f16>, Sum, 64, 32, 16>("f16", |a: f16, _| a.to_f32()).check();
    case::<_, Halves<bf16>, Sum, 64, 32, 16>("bf16", |a: bf16, _| a.to_f32()).check();
}

#[test]
fn sums_of_integers() {
    case::<_, Same<u8>, Sum, 256, 256, 64>("u8", |a, _| a).check();
    case::<_, Same<u16>, Sum, 128, 128, 32>("u16", |a, _| a).check();
    case::<_, Integers<i8>, Sum, 32, 32, 16>("i8", |a: i8, _| i64::from(a) as u64).check();
    case::<_, Integers<i16>, Sum, 32, 16, 16>("i16", |a: i16, _| i64::from(a) as u64).check();
    case::<_, Integers<i32>, Sum, 32, 16, 16>("i32", |a: i32, _| i64::from(a) as u64).check();
}

#[test]
fn sums_of_complex_numbers() {
    case::<_, Same<C32>, Sum, 32, 32, 16>("complex", |a, _| a).check();
    case::<_, Same<C64>, Sum, 16, 16, 16>("complex of f64", |a, _| a).check();
}

#[test]
fn the_most_with_nans() {
    case::<_, Same<f32>, Most, 64, 64, 16>("most", |a, _| a).check();
}

#[test]
fn earlier_elements_come_first() {
    case::<_, Same<f32>, Minus, 64, 64, 16>("f32", |a, _| a).check();
}

#[test]
fn products() {
    case::<_, Same<C32>, Times, 32, 32, 16>("complex", |a, _| a).check();
    case::<_, Product<Same<f32>, Times>, Sum, 64, 64, 16>("f32 products", |a: f32, b: f32| a * b).check();
    case::<_, Product<Halves<f16>, Times>, Sum, 64, 32, 16>("f16 products", |a: f16, b: f16| a.to_f32() * b.to_f32())
        .check();
    case::<_, Product<Same<C32>, Times>, Sum, 32, 32, 16>("complex products", |a: C32, b: C32| a * b).check();
    case::<_, Product<Integers<i8>, Times>, Sum, 32, 32, 16>("i8 products", |a: i8, b: i8| {
        (i64::from(a) * i64::from(b)) as u64
    })
    .check();
}
