//! Every way to call a reduction of floats, into C order.

use std::mem::MaybeUninit;

use bytemuck::AnyBitPattern;
use half::{bf16, f16};
use num_complex::Complex;
use stridecast::{DType, Element, Options, Over, ReducePlan, Reduction, Tensor, View, ViewMut, raw, reduce};

use crate::common::tensor;
use crate::lab::{Call, any};

/// The bytes that each way gives, by its name.
pub type Given = Vec<(&'static str, Vec<u8>)>;

/// All ways to make a call, whose own output's place is not looked at.
pub fn every_door(call: &Call, options: Options) -> Given {
    use DType::{BF16, C64, F16, F32, F64};
    match (call.signature.dtype, call.signature.output) {
        (F32, F32) => doors::<f32, f32>(call, options, number::<f32>),
        (F64, F64) => doors::<f64, f64>(call, options, number::<f64>),
        (F16, F16) => doors::<f16, f16>(call, options, f16::from_f32),
        (F16, F32) => doors::<f16, f32>(call, options, number::<f32>),
        (BF16, BF16) => doors::<bf16, bf16>(call, options, bf16::from_f32),
        (BF16, F32) => doors::<bf16, f32>(call, options, number::<f32>),
        (C64, C64) => doors::<Complex<f32>, Complex<f32>>(call, options, |x| Complex::new(x, 0.0)),
        pair => panic!("no door for {pair:?}"),
    }
}

fn number<T: From<f32>>(x: f32) -> T {
    x.into()
}

fn view<T: Element + AnyBitPattern>(tensor: &tensor::Tensor) -> View<'_, T> {
    View::from_layout(elements(tensor), tensor.layout()).unwrap()
}

fn elements<T: Element + AnyBitPattern>(tensor: &tensor::Tensor) -> &[T] {
    bytemuck::cast_slice(tensor.memory.bytes())
}

/// What an accumulator is joined with that it stays as it is.
fn neutral(reduction: Reduction) -> f32 {
    match reduction {
        Reduction::Prod => 1.0,
        Reduction::Max => f32::NEG_INFINITY,
        Reduction::Min => f32::INFINITY,
        _ => 0.0,
    }
}

fn doors<T, O>(call: &Call, options: Options, of: fn(f32) -> O) -> Given
where
    T: Element + AnyBitPattern,
    O: Element + AnyBitPattern,
{
    let reduction = call.signature.reduction;
    let (over, shape) = (call.which.over(), &call.out.shape[..]);
    let len = shape.iter().product();
    let neutral = of(neutral(reduction));
    let views: Vec<View<'_, T>> = call.inputs.iter().map(view).collect();
    let mut given: Given = vec![];
    let mut add = |name: &'static str, items: &[O]| given.push((name, bytemuck::cast_slice(items).to_vec()));
    let fresh = || vec![of(7.5); len];

    let mut uninit = vec![MaybeUninit::<O>::uninit(); len];
    let (mut buffer, mut room, mut onto) = (fresh(), fresh(), vec![neutral; len]);
    let place = ViewMut::new(&mut room, shape).unwrap();
    let target = ViewMut::new(&mut onto, shape).unwrap();
    let tensor: Tensor<O> = match &views[..] {
        [x] => {
            reduce::reduce_into(reduction, x, over, &mut buffer).unwrap();
            reduce::reduce_into_with(reduction, x, over, place, options).unwrap();
            reduce::reduce_into::<T, O>(reduction, x, over, &mut uninit[..]).unwrap();
            reduce::reduce_onto(reduction, x, over, target).unwrap();
            reduce::reduce(reduction, x, over).unwrap()
        }
        [a, b] => {
            reduce::sum_of_product_into(a, b, over, &mut buffer).unwrap();
            reduce::sum_of_product_into(a, b, over, place).unwrap();
            reduce::sum_of_product_into::<T, O>(a, b, over, &mut uninit[..]).unwrap();
            reduce::sum_of_product_onto(a, b, over, target).unwrap();
            reduce::sum_of_product(a, b, over).unwrap()
        }
        _ => unreachable!("one or two operands"),
    };
    assert_eq!(tensor.shape(), shape);
    add("a tensor", tensor.as_slice());
    add("a buffer", &buffer);
    add("a view", &room);
    add("onto nothing", &onto);
    // SAFETY: an `Ok` means that every element was written.
    let written: Vec<O> = uninit.iter().map(|item| unsafe { item.assume_init() }).collect();
    add("fresh memory", &written);
    plans(call, options, over, neutral, &fresh, &mut add);

    let mut room = call.clone();
    room.out = tensor::Tensor::room(O::DTYPE, shape, &tensor::Place::PLAIN);
    room.run_any(options).unwrap();
    add("tags", bytemuck::cast_slice(room.out.memory.bytes()));
    given
}

/// The same by plans.
fn plans<O: Element + AnyBitPattern>(
    call: &Call,
    options: Options,
    over: Over<'_>,
    neutral: O,
    fresh: &dyn Fn() -> Vec<O>,
    add: &mut dyn FnMut(&'static str, &[O]),
) {
    let layouts: Vec<_> = call.inputs.iter().map(tensor::Tensor::layout).collect();
    let dtype = call.signature.dtype;
    let plan = match &layouts[..] {
        [x] => ReducePlan::new(call.signature.reduction, (dtype, x), over, O::DTYPE, options),
        [a, b] => ReducePlan::sum_of_product([(dtype, a), (dtype, b)], over, O::DTYPE, options),
        _ => unreachable!("one or two operands"),
    };
    let plan = plan.unwrap();
    assert_eq!((plan.output_shape(), plan.output_dtype()), (&call.out.shape[..], O::DTYPE));
    assert_eq!((plan.operands(), plan.operand_dtype()), (layouts.len(), dtype));
    let bytes: Vec<_> = call.inputs.iter().map(|tensor| any(tensor).bytes()).collect();
    let (mut one, mut two) = (fresh(), vec![neutral; plan.output_len()]);
    plan.run_any(&bytes, bytes_of(&mut one), false).unwrap();
    add("a plan on bytes", &one);
    plan.run_any(&bytes, bytes_of(&mut two), true).unwrap();
    add("a plan onto bytes", &two);

    let pointers: Vec<_> = bytes.iter().map(|bytes| bytes.as_ptr()).collect();
    for (name, onto, mut out) in
        [("pointers", false, fresh()), ("onto pointers", true, vec![neutral; plan.output_len()])]
    {
        // SAFETY: the operands' memories hold their layouts, the output has its own.
        unsafe { raw::reduce(&plan, &pointers, out.as_mut_ptr().cast(), onto).unwrap() };
        add(name, &out);
    }
    let (mut three, mut four) = (fresh(), vec![neutral; plan.output_len()]);
    match dtype {
        DType::F32 => slices::<f32, O>(call, &plan, &mut three, &mut four),
        DType::F64 => slices::<f64, O>(call, &plan, &mut three, &mut four),
        DType::F16 => slices::<f16, O>(call, &plan, &mut three, &mut four),
        DType::BF16 => slices::<bf16, O>(call, &plan, &mut three, &mut four),
        _ => slices::<Complex<f32>, O>(call, &plan, &mut three, &mut four),
    }
    add("a plan on slices", &three);
    add("a plan onto slices", &four);
}

fn slices<T: Element + AnyBitPattern, O: Element>(call: &Call, plan: &ReducePlan, into: &mut Vec<O>, onto: &mut [O]) {
    match &call.inputs[..] {
        [x] => {
            plan.run((elements::<T>(x),), into).unwrap();
            plan.run_onto((elements::<T>(x),), onto).unwrap();
        }
        [a, b] => {
            plan.run((elements::<T>(a), elements::<T>(b)), into).unwrap();
            plan.run_onto((elements::<T>(a), elements::<T>(b)), onto).unwrap();
        }
        _ => unreachable!("one or two operands"),
    }
}

fn bytes_of<O: Element + AnyBitPattern>(items: &mut [O]) -> &mut [u8] {
    bytemuck::cast_slice_mut(items)
}
