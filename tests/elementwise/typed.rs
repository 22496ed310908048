//! The typed calls: each gives what the plan of its function, its types and its shapes gives, in all its forms.

use bytemuck::{CheckedBitPattern, NoUninit};
use stridecast::{DType, Element, Op, Options, Out, Result, Tensor as Owned, Tolerance, View, ViewMut, apply_any, ops};

use crate::defined::Signature;
use crate::lab::{Call, any};
use crate::tensor::{Place, Tensor};

/// An element type of typed calls.
pub trait Typed: Element + CheckedBitPattern + NoUninit {}

impl<T: Element + CheckedBitPattern + NoUninit> Typed for T {}

pub fn view<T: Typed>(tensor: &Tensor) -> View<'_, T> {
    let data = bytemuck::checked::cast_slice(tensor.memory.bytes());
    View::with_strides(data, tensor.offset, &tensor.shape, &tensor.strides).unwrap()
}

pub fn view_mut<T: Typed>(tensor: &mut Tensor) -> ViewMut<'_, T> {
    let data = bytemuck::checked::cast_slice_mut(tensor.memory.bytes_mut());
    ViewMut::with_strides(data, tensor.offset, &tensor.shape, &tensor.strides).unwrap()
}

/// Makes the bytes of a tensor of bool what Rust takes for one.
fn made_valid(tensor: &mut Tensor) {
    if tensor.dtype == DType::Bool {
        tensor.memory.bytes_mut().iter_mut().for_each(|byte| *byte &= 1);
    }
}

/// A call and what its plan writes, with which every other door is compared.
struct Doors {
    call: Call,
    room: Tensor,
    planned: Vec<u8>,
    bits: Vec<u128>,
}

impl Doors {
    fn new(mut call: Call) -> Self {
        call.inputs.iter_mut().for_each(made_valid);
        made_valid(&mut call.out);
        let (room, wants) = (call.out.clone(), call.wants());
        call.run(Options::new()).unwrap();
        call.compare(&wants, &room, &"a plan");
        let planned = call.canonical_bytes();
        let bits = call.out.elements(&call.out.shape);
        call.out = room.clone();
        Self { call, room, planned, bits }
    }

    /// Compares what `run` writes into the room.
    fn writes(&mut self, what: &str, run: impl FnOnce(&[Tensor], &mut Tensor) -> Result<()>) {
        self.call.out = self.room.clone();
        run(&self.call.inputs, &mut self.call.out).unwrap_or_else(|error| panic!("{what}: {:?}: {error}", self.call));
        assert!(self.call.canonical_bytes() == self.planned, "{what} and the plan differ: {:?}", self.call);
    }

    /// Compares a new tensor.
    fn tensor<T: Typed>(&self, what: &str, run: impl FnOnce(&[Tensor]) -> Result<Owned<T>>) {
        let given = run(&self.call.inputs).unwrap_or_else(|error| panic!("{what}: {:?}: {error}", self.call));
        assert_eq!(given.shape(), self.call.out.shape);
        let mut own = Tensor::room(T::DTYPE, given.shape(), &Place::PLAIN);
        own.memory.bytes_mut().copy_from_slice(bytemuck::cast_slice(given.as_slice()));
        let room = Call { out: own, ..self.call.clone() };
        let mut planned = room.clone();
        planned.out = Tensor::room(T::DTYPE, given.shape(), &Place::PLAIN).filled(|n| self.bits[n as usize]);
        assert!(room.canonical_bytes() == planned.canonical_bytes(), "{what} and the plan differ: {:?}", self.call);
    }

    /// By tags.
    fn any(&mut self) {
        let (op, tolerance) = (self.call.op, self.call.tolerance);
        self.writes("apply_any", |inputs, out| {
            let views: Vec<_> = inputs.iter().map(any).collect();
            let views: Vec<_> = views.iter().collect();
            out.with_any(|to| match views[..] {
                [a, b] if op == Op::ApproxEq => ops::approx_eq_any(&[a, b], tolerance, to, Options::new()),
                _ => apply_any(op, &views, to, Options::new()),
            })
        });
    }

    /// Runs the call in place of operand `k` and compares.
    fn assign(&mut self, what: &str, k: usize, run: impl FnOnce(&[Tensor], &mut Tensor) -> Result<()>) {
        let mut call = self.call.clone();
        call.out = call.inputs[k].clone();
        call.run(Options::new()).unwrap();
        let planned = call.canonical_bytes();
        call.out = call.inputs[k].clone();
        run(&self.call.inputs, &mut call.out).unwrap_or_else(|error| panic!("{what}: {call:?}: {error}"));
        assert!(call.canonical_bytes() == planned, "{what} and the plan differ: {call:?}");
    }
}

/// Shapes and places of up to three operands, and the output's place.
type Laid = ([(&'static [usize], Place); 3], Place);

fn shapes() -> Vec<Laid> {
    let plain = || Place::PLAIN;
    vec![
        ([(&[70], plain()), (&[70], plain()), (&[1], plain())], plain()),
        ([(&[4, 33], plain()), (&[33], plain()), (&[4, 1], plain())], Place::padded(1)),
        ([(&[5, 1, 3], plain()), (&[7, 3], Place::stepped(2)), (&[1], plain())], plain()),
        ([(&[20, 9], Place::turned()), (&[20, 1], plain()), (&[], plain())], Place::backwards()),
        ([(&[2, 0], plain()), (&[1], plain()), (&[2, 1], plain())], plain()),
    ]
}

fn doors(op: Op, inputs: &[DType], output: DType) -> Vec<Doors> {
    let signature = Signature { op, inputs: inputs.to_vec(), output };
    let of = |(i, (operands, out)): (usize, Laid)| {
        let operands: Vec<_> = operands.iter().take(inputs.len()).map(|(shape, place)| (*shape, place)).collect();
        let mut doors = Doors::new(Call::new(&signature, &operands, &out, 40 + i as u64));
        doors.any();
        doors
    };
    shapes().into_iter().enumerate().map(of).collect()
}

type ToTensor<'f, A, B, O> = &'f dyn Fn(&View<'_, A>, &View<'_, B>) -> Result<Owned<O>>;
type IntoOut<'f, A, B, O> = &'f dyn Fn(&View<'_, A>, &View<'_, B>, Out<'_, O>) -> Result<()>;
type Assign<'f, A, B> = &'f dyn Fn(ViewMut<'_, A>, &View<'_, B>) -> Result<()>;

/// A call of operands of the types `A` and `B`, its forms behind pointers so that little is compiled.
struct Binary<'f, A, B, O> {
    op: Op,
    tensor: ToTensor<'f, A, B, O>,
    into: IntoOut<'f, A, B, O>,
    assign: Option<Assign<'f, A, B>>,
    reversed: Option<Assign<'f, B, A>>,
}

impl<A: Typed, B: Typed, O: Typed> Binary<'_, A, B, O> {
    fn check(&self) {
        for mut doors in doors(self.op, &[A::DTYPE, B::DTYPE], O::DTYPE) {
            doors.tensor("a new tensor", |inputs| (self.tensor)(&view(&inputs[0]), &view(&inputs[1])));
            doors.writes("into a view", |inputs, out| {
                (self.into)(&view(&inputs[0]), &view(&inputs[1]), view_mut::<O>(out).into())
            });
            let len = doors.bits.len();
            doors.tensor("into a buffer", |inputs| {
                let zero: O = bytemuck::checked::pod_read_unaligned(&vec![0; size_of::<O>()]);
                let mut tensor = Owned::from_slice(&vec![zero; len], &doors.call.out.shape)?;
                (self.into)(&view(&inputs[0]), &view(&inputs[1]), tensor.as_mut_slice().into())?;
                Ok(tensor)
            });
            let is_whole = |k: usize| doors.call.inputs[k].shape == doors.call.out.shape;
            let (left, right) = (is_whole(0), is_whole(1));
            if let Some(assign) = self.assign.filter(|_| left) {
                doors.assign("in place", 0, |inputs, out| assign(view_mut(out), &view(&inputs[1])));
            }
            if let Some(reversed) = self.reversed.filter(|_| right && A::DTYPE == B::DTYPE) {
                doors.assign("in place, reversed", 1, |inputs, out| reversed(view_mut(out), &view(&inputs[0])));
            }
        }
    }
}

/// Calls on `$ty` of the functions with these names: the tag, the call, and its other forms.
macro_rules! on {
    ($ty:ty: $($op:ident $call:ident $into:ident $assign:ident $reversed:ident;)*) => {
        $(Binary::<$ty, $ty, $ty> {
            op: Op::$op,
            tensor: &|a, b| ops::$call(a, b),
            into: &|a, b, out| ops::$into(a, b, out),
            assign: Some(&|a, b| ops::$assign(a, b)),
            reversed: Some(&|a, b| ops::$reversed(a, b)),
        }.check();)*
    };
}

/// The same of tests: with a result of bool, and with one of the operands' type.
macro_rules! tests_on {
    ($ty:ty: $($op:ident $call:ident $into:ident $kind:ident $assign:ident $reversed:ident;)*) => {
        $(Binary::<$ty, $ty, bool> {
            op: Op::$op,
            tensor: &|a, b| ops::$call(a, b),
            into: &|a, b, out| ops::$into(a, b, out),
            assign: None,
            reversed: None,
        }.check();
        Binary::<$ty, $ty, u8> {
            op: Op::$op,
            tensor: &|a, b| {
                let truths = ops::$call(a, b)?;
                let bytes: Vec<_> = truths.as_slice().iter().map(|&truth| u8::from(truth)).collect();
                Owned::from_slice(&bytes, truths.shape())
            },
            into: &|a, b, out| ops::$into(a, b, out),
            assign: None,
            reversed: None,
        }.check();
        Binary::<$ty, $ty, $ty> {
            op: Op::$op,
            tensor: &|a, b| ops::$kind(a, b),
            into: &|a, b, out| ops::$into(a, b, out),
            assign: Some(&|a, b| ops::$assign(a, b)),
            reversed: Some(&|a, b| ops::$reversed(a, b)),
        }.check();)*
    };
}

/// Calls a macro for each of some types.
macro_rules! each {
    ($($ty:ty)*: $what:ident $rows:tt) => { $(each!(@ $ty, $what $rows);)* };
    (@ $ty:ty, $what:ident { $($rows:tt)* }) => { $what!($ty: $($rows)*) };
}

use half::{bf16, f16};
use num_complex::Complex;

#[test]
fn arithmetic() {
    each!(i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64: on {
        Add add add_into add_assign add_assign_reversed;
        Sub sub sub_into sub_assign sub_assign_reversed;
        Mul mul mul_into mul_assign mul_assign_reversed;
        Minimum minimum minimum_into minimum_assign minimum_assign_reversed;
        Maximum maximum maximum_into maximum_assign maximum_assign_reversed;
    });
    each!(Complex<f32> Complex<f64>: on {
        Add add add_into add_assign add_assign_reversed;
        Sub sub sub_into sub_assign sub_assign_reversed;
        Mul mul mul_into mul_assign mul_assign_reversed;
        Div div div_into div_assign div_assign_reversed;
        Pow pow pow_into pow_assign pow_assign_reversed;
    });
}

#[test]
fn divisions_and_remainders() {
    // In place the other way round, what is divided by must not be 0 either: floats.
    each!(f16 bf16 f32 f64: on {
        Div div div_into div_assign div_assign_reversed;
        Fmod fmod fmod_into fmod_assign fmod_assign_reversed;
        Remainder remainder remainder_into remainder_assign remainder_assign_reversed;
    });
    each!(i8 i16 i32 i64 u8 u16 u32 u64: on {
        Div div div_into div_assign div_assign_reversed;
        Fmod fmod fmod_into fmod_assign fmod_assign_reversed;
        Remainder remainder remainder_into remainder_assign remainder_assign_reversed;
    });
}

#[test]
fn functions_of_floats_and_of_bits() {
    each!(f16 bf16 f32 f64: on {
        Fmin fmin fmin_into fmin_assign fmin_assign_reversed;
        Fmax fmax fmax_into fmax_assign fmax_assign_reversed;
        Atan2 atan2 atan2_into atan2_assign atan2_assign_reversed;
        Hypot hypot hypot_into hypot_assign hypot_assign_reversed;
        Pow pow pow_into pow_assign pow_assign_reversed;
    });
    each!(i8 u16 i32 u64: on {
        Shl shl shl_into shl_assign shl_assign_reversed;
        Shr shr shr_into shr_assign shr_assign_reversed;
        Pow pow pow_into pow_assign pow_assign_reversed;
    });
    each!(bool i8 u16 i32 u64: on {
        And and and_into and_assign and_assign_reversed;
        Or or or_into or_assign or_assign_reversed;
        Xor xor xor_into xor_assign xor_assign_reversed;
    });
}

#[test]
fn tests_of_two_operands() {
    each!(i8 u16 i32 u64 f16 bf16 f32 f64: tests_on {
        Lt lt lt_into lt_kind lt_assign lt_assign_reversed;
        Le le le_into le_kind le_assign le_assign_reversed;
        Gt gt gt_into gt_kind gt_assign gt_assign_reversed;
        Ge ge ge_into ge_kind ge_assign ge_assign_reversed;
    });
    each!(bool u8 i16 f16 f32 Complex<f32> Complex<f64>: tests_on {
        Eq eq eq_into eq_kind eq_assign eq_assign_reversed;
        Ne ne ne_into ne_kind ne_assign ne_assign_reversed;
    });
}

#[test]
fn powers_of_mixed_types() {
    fn check<B: Typed + ops::Exponent<E>, E: Typed>() {
        let power = Binary::<B, E, B> {
            op: Op::Pow,
            tensor: &|a, b| ops::pow(a, b),
            into: &|a, b, out| ops::pow_into(a, b, out),
            assign: Some(&|a, b| ops::pow_assign(a, b)),
            reversed: None,
        };
        power.check();
    }
    check::<f32, i32>();
    check::<f16, f64>();
    check::<bf16, u8>();
    check::<f64, f32>();
    check::<i32, f32>();
    check::<i8, u64>();
    check::<u64, i16>();
    check::<i64, f16>();
}

#[test]
fn three_operands_and_tolerances() {
    fn check<T>()
    where
        T: Typed + ops::Defined<ops::fun::MulAdd> + ops::Defined<ops::fun::Clamp> + ops::Defined<ops::fun::Where>,
    {
        for mut doors in doors(Op::MulAdd, &[T::DTYPE; 3], T::DTYPE) {
            doors.tensor("mul_add", |v| ops::mul_add::<T>(&view(&v[0]), &view(&v[1]), &view(&v[2])));
            doors.writes("mul_add_into", |v, out| {
                ops::mul_add_into::<T>(&view(&v[0]), &view(&v[1]), &view(&v[2]), view_mut::<T>(out))
            });
        }
        for mut doors in doors(Op::Clamp, &[T::DTYPE; 3], T::DTYPE) {
            doors.tensor("clamp", |v| ops::clamp::<T>(&view(&v[0]), &view(&v[1]), &view(&v[2])));
            doors.writes("clamp_into", |v, out| {
                ops::clamp_into::<T>(&view(&v[0]), &view(&v[1]), &view(&v[2]), view_mut::<T>(out))
            });
        }
        choose::<T, bool>();
        choose::<T, u8>();
    }
    fn choose<T: Typed + ops::Defined<ops::fun::Where>, M: Typed + ops::Mask>() {
        for mut doors in doors(Op::Where, &[M::DTYPE, T::DTYPE, T::DTYPE], T::DTYPE) {
            doors.tensor("where_", |v| ops::where_::<T, M>(&view(&v[0]), &view(&v[1]), &view(&v[2])));
            doors.writes("where_into", |v, out| {
                ops::where_into::<T, M>(&view(&v[0]), &view(&v[1]), &view(&v[2]), view_mut::<T>(out))
            });
        }
    }
    check::<i8>();
    check::<u64>();
    check::<f16>();
    check::<f32>();
    check::<f64>();
    choose::<bool, bool>();
    choose::<Complex<f32>, bool>();
    choose::<Complex<f64>, u8>();

    fn approx<T: Typed + ops::Defined<ops::fun::ApproxEq>>() {
        for tolerance in [Tolerance::default(), Tolerance { atol: 0.3, rtol: 0.5 }] {
            for doors in doors(Op::ApproxEq, &[T::DTYPE; 2], DType::Bool) {
                let mut doors = Doors::new(Call { tolerance, out: doors.room, ..doors.call });
                doors.any();
                doors.tensor("approx_eq", |v| ops::approx_eq::<T>(&view(&v[0]), &view(&v[1]), tolerance));
                doors.writes("approx_eq_into", |v, out| {
                    ops::approx_eq_into::<T>(&view(&v[0]), &view(&v[1]), tolerance, view_mut::<bool>(out))
                });
            }
        }
    }
    approx::<f16>();
    approx::<bf16>();
    approx::<f32>();
    approx::<f64>();
}

/// Two f32 need not lie as one word of eight bytes would.
#[test]
fn complex_numbers_are_chosen_wherever_they_lie() {
    let mut floats = [0.0_f32; 207];
    floats.iter_mut().enumerate().for_each(|(i, float)| *float = i as f32);
    for first in [0, 1] {
        let numbers: &[Complex<f32>] = bytemuck::cast_slice(&floats[first..][..206]);
        let mask: Vec<bool> = (0..103).map(|i| i % 3 == 0).collect();
        for len in [1, 40, 64, 103] {
            let (shape, a, other) = ([len], &numbers[..len], View::scalar(&numbers[102]));
            let (choice, some) = (View::new(&mask[..len], &shape).unwrap(), View::new(a, &shape).unwrap());
            let given = ops::where_(&choice, &some, &other).unwrap();
            let expected: Vec<_> = (0..len).map(|i| if mask[i] { a[i] } else { numbers[102] }).collect();
            assert_eq!(given.as_slice(), expected);
        }
    }
}
