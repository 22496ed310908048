//! What is defined: every reduction with the types that it takes and gives, by hand.

use stridecast::{BroadcastError, DType, Layout, Options, Over, ReducePlan, Reduction};

use DType::{BF16, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use Reduction::{Max, Mean, Min, Prod, Sum};

const INTEGERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64];
const FLOATS: &[DType] = &[F16, BF16, F32, F64];
const COMPLEX: &[DType] = &[C64, C128];

/// A reduction of elements of a type, or the sum of the product of two operands of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    pub reduction: Reduction,
    pub product: bool,
    pub dtype: DType,
    pub output: DType,
}

impl Signature {
    pub const fn new(reduction: Reduction, dtype: DType, output: DType) -> Self {
        Self { reduction, product: false, dtype, output }
    }

    pub const fn product(dtype: DType, output: DType) -> Self {
        Self { reduction: Sum, product: true, dtype, output }
    }

    pub fn operands(&self) -> usize {
        if self.product { 2 } else { 1 }
    }

    fn is_defined(&self) -> bool {
        let Self { reduction, product, dtype, output } = *self;
        let taken: &[&[DType]] = match reduction {
            Sum | Prod => &[INTEGERS, FLOATS, COMPLEX],
            Mean => &[FLOATS, COMPLEX],
            _ => &[INTEGERS, FLOATS],
        };
        let extends = matches!((dtype, output), (I8 | I16 | I32, I64) | (U8 | U16 | U32, U64));
        let gives = output == dtype
            || (reduction == Sum && !product && extends)
            || (matches!(dtype, F16 | BF16) && output == F32);
        taken.iter().any(|types| types.contains(&dtype)) && gives && (!product || reduction == Sum)
    }
}

/// Every signature that there could be.
fn all() -> Vec<Signature> {
    let mut all = vec![];
    for &dtype in DType::ALL {
        for &output in DType::ALL {
            all.extend(Reduction::ALL.iter().map(|&reduction| Signature::new(reduction, dtype, output)));
            all.push(Signature::product(dtype, output));
        }
    }
    all
}

/// Every signature that is defined.
pub fn signatures() -> Vec<Signature> {
    all().into_iter().filter(Signature::is_defined).collect()
}

/// Some in which every type, every reduction and every conversion occurs.
pub fn samples() -> Vec<Signature> {
    let samples = vec![
        Signature::new(Sum, F32, F32),
        Signature::new(Sum, F64, F64),
        Signature::new(Sum, F16, F16),
        Signature::new(Sum, BF16, F32),
        Signature::new(Sum, C64, C64),
        Signature::new(Sum, C128, C128),
        Signature::new(Sum, U8, U8),
        Signature::new(Sum, I8, I64),
        Signature::new(Sum, U16, U64),
        Signature::new(Sum, I32, I32),
        Signature::new(Mean, BF16, BF16),
        Signature::new(Mean, F16, F32),
        Signature::new(Mean, F64, F64),
        Signature::new(Mean, C64, C64),
        Signature::new(Max, F32, F32),
        Signature::new(Max, I16, I16),
        Signature::new(Min, F16, F16),
        Signature::new(Min, U64, U64),
        Signature::new(Prod, F32, F32),
        Signature::new(Prod, I32, I32),
        Signature::new(Prod, U32, U32),
        Signature::new(Prod, BF16, BF16),
        Signature::new(Prod, C128, C128),
        Signature::product(F32, F32),
        Signature::product(F64, F64),
        Signature::product(F16, F16),
        Signature::product(BF16, F32),
        Signature::product(C64, C64),
        Signature::product(I16, I16),
        Signature::product(U8, U8),
        Signature::product(I64, I64),
    ];
    assert!(samples.iter().all(Signature::is_defined), "a sample is not defined");
    samples
}

#[test]
fn every_reduction_takes_the_types_of_the_table_and_no_others() {
    let layout = Layout::new(&[2]).unwrap();
    let over = Over::Axes { axes: &[0], keep_dims: false };
    let all = all();
    for signature in &all {
        let Signature { reduction, dtype, output, .. } = *signature;
        let given = vec![(dtype, &layout); signature.operands()];
        let out = Layout::new(&[]).unwrap();
        let got = ReducePlan::with_output(reduction, &given, over, output, &out, Options::new());
        let refused = BroadcastError::UndefinedReduction { reduction, operand: dtype, output };
        let wanted = if signature.is_defined() { None } else { Some(&refused) };
        assert_eq!(got.as_ref().err(), wanted, "{signature:?}");
    }
    let defined = signatures().len();
    // 14 types are added and multiplied, halves also to f32, and sums of 6 types of integers to 64 bits. Means are of 6
    // types and halves to f32; the largest and the smallest of 12, and of halves to f32.
    assert_eq!(defined, 3 * 16 + 6 + 8 + 2 * 14, "the table of this test has changed");
}
