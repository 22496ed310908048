//! Typed calls without a plan, which small ones of a tensor in C order do not make: the bits of a plan, and what may
//! come out.

use bytemuck::AnyBitPattern;
use half::{bf16, f16};
use num_complex::Complex;
use stridecast::{DType, Element, Options, Tensor, View, ViewMut, reduce};

use crate::common::tensor::Place;
use crate::defined::{Signature, signatures};
use crate::lab::{Call, Which, levels};
use crate::values::hash;

/// The bytes that a buffer, a view and a tensor get, the last on the default level.
fn given<T: Element + AnyBitPattern, O: Element + AnyBitPattern>(call: &Call, options: Options) -> [Vec<u8>; 3] {
    let (reduction, over, input) = (call.signature.reduction, call.which.over(), &call.inputs[0]);
    let view: View<'_, T> = View::from_layout(bytemuck::cast_slice(input.memory.bytes()), input.layout()).unwrap();
    let mut buffer = vec![O::zeroed(); call.out.shape.iter().product()];
    let mut room = buffer.clone();
    reduce::reduce_into_with(reduction, &view, over, &mut buffer, options).unwrap();
    let place = ViewMut::new(&mut room, &call.out.shape).unwrap();
    reduce::reduce_into_with(reduction, &view, over, place, options).unwrap();
    let tensor: Tensor<O> = reduce::reduce(reduction, &view, over).unwrap();
    assert_eq!(tensor.shape(), call.out.shape);
    [&buffer[..], &room, tensor.as_slice()].map(|items| bytemuck::cast_slice(items).to_vec())
}

fn given_any(call: &Call, options: Options) -> [Vec<u8>; 3] {
    use DType::{BF16, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let run = match (call.signature.dtype, call.signature.output) {
        (I8, I8) => given::<i8, i8>,
        (I16, I16) => given::<i16, i16>,
        (I32, I32) => given::<i32, i32>,
        (I64, I64) => given::<i64, i64>,
        (U8, U8) => given::<u8, u8>,
        (U16, U16) => given::<u16, u16>,
        (U32, U32) => given::<u32, u32>,
        (U64, U64) => given::<u64, u64>,
        (F16, F16) => given::<f16, f16>,
        (BF16, BF16) => given::<bf16, bf16>,
        (F32, F32) => given::<f32, f32>,
        (F64, F64) => given::<f64, f64>,
        (C64, C64) => given::<Complex<f32>, Complex<f32>>,
        (C128, C128) => given::<Complex<f64>, Complex<f64>>,
        (I8, I64) => given::<i8, i64>,
        (I16, I64) => given::<i16, i64>,
        (I32, I64) => given::<i32, i64>,
        (U8, U64) => given::<u8, u64>,
        (U16, U64) => given::<u16, u64>,
        (U32, U64) => given::<u32, u64>,
        (F16, F32) => given::<f16, f32>,
        (BF16, F32) => given::<bf16, f32>,
        pair => panic!("no call for {pair:?}"),
    };
    run(call, options)
}

fn check(signature: &Signature, shape: &[usize], which: Which, seed: u64) {
    let place = Place::off_line(seed as usize % 4);
    let mut call = Call::new(signature, &[(shape, &place)], which, &Place::PLAIN, seed);
    let wants = call.wants();
    let before = call.out.clone();
    for (i, isa) in levels().into_iter().enumerate() {
        let options = Options::new().isa(isa);
        call.run(options).unwrap();
        let planned = call.canonical_bytes();
        for (way, bytes) in ["buffer", "view", "tensor"].into_iter().zip(given_any(&call, options)) {
            call.out.memory.bytes_mut().copy_from_slice(&bytes);
            assert!(call.canonical_bytes() == planned, "{call:?} into a {way} on {isa}");
            if i == 0 {
                call.compare(&wants, &before, &way);
            }
        }
    }
}

/// Axes that are reduced or kept together or in turn, among axes of one.
#[test]
fn small_tensors_in_c_order() {
    let shapes: [&[usize]; 18] = [
        &[],
        &[1],
        &[7],
        &[64],
        &[100],
        &[1000],
        &[2, 3],
        &[1, 40, 1],
        &[3, 1, 50],
        &[8, 33],
        &[9, 33],
        &[5, 200],
        &[300, 4],
        &[2, 4, 16],
        &[4, 1, 2, 20],
        &[2, 3, 2, 17],
        &[1, 1, 6, 1, 9, 1],
        &[0, 5],
    ];
    for (seed, signature) in signatures().iter().filter(|signature| !signature.product).enumerate() {
        for (i, shape) in shapes.iter().enumerate() {
            for set in 0..1_usize << shape.len() {
                let n = hash((seed * 1000 + i * 64 + set) as u64);
                if shape.len() > 3 && !n.is_multiple_of(3) {
                    continue;
                }
                let mut axes: Vec<_> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
                let ones: Vec<_> = (0..shape.len()).map(|k| if axes.contains(&k) { 1 } else { shape[k] }).collect();
                let lead = (0..shape.len()).take_while(|axis| axes.contains(axis)).count();
                axes.sort_by_key(|axis| hash(n + *axis as u64));
                let which = match n % 4 {
                    0 => Which::To(ones),
                    1 => Which::To(ones[lead..].to_vec()),
                    turn => Which::Axes(axes, turn == 2),
                };
                let left: usize = which.shape(shape).iter().product();
                let chooses = matches!(signature.reduction.name(), "max" | "min");
                if !(chooses && shape.contains(&0) && left > 0) {
                    check(signature, shape, which, n % 1000);
                }
            }
        }
    }
}

/// Rows and columns of every length up to where a call is no longer small for its kernel.
#[test]
fn every_length() {
    for (seed, signature) in signatures().iter().filter(|signature| !signature.product).enumerate() {
        let long = [255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 2049];
        // A quarter is left to the other signatures.
        for n in (1..=140).chain(long).filter(|n| (n + seed) % 4 > 0) {
            let turn = (n / 4 + n + seed) % 4;
            check(signature, &[n], Which::To(vec![]), n as u64);
            match turn {
                0 => check(signature, &[3, n], Which::To(vec![3, 1]), n as u64),
                1 => check(signature, &[1 + n % 9, n], Which::To(vec![n]), n as u64),
                2 => check(signature, &[n, 6], Which::Axes(vec![0], false), n as u64),
                _ => check(signature, &[8, n], Which::Axes(vec![0], true), n as u64),
            }
        }
    }
}
