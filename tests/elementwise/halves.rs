//! All halves against their ends and corners, on both sides. All of them are tried where tests may be large.

use stridecast::{DType, Op};

use crate::defined::{Signature, signatures};
use crate::lab::Call;
use crate::tensor::{Place, Tensor};
use crate::values::specials;
use crate::{is_heavy, large};

/// Every half, or every so many of them, other ones for each function.
fn halves(dtype: DType, from: usize, op: Op) -> Tensor {
    let step = match (large(), is_heavy(op)) {
        (true, _) => 1,
        (_, true) => 307,
        (_, false) => 61,
    };
    let len = 65536_usize.div_ceil(step);
    Tensor::room(dtype, &[len], &Place::PLAIN).filled(|n| (n as usize * step + from) as u128 & 0xFFFF)
}

fn is_of_halves(signature: &Signature) -> bool {
    signature.inputs.len() == 2 && signature.inputs.iter().all(|dtype| matches!(dtype, DType::F16 | DType::BF16))
}

#[test]
fn every_function_of_halves() {
    for (i, signature) in signatures().iter().filter(|signature| is_of_halves(signature)).enumerate() {
        let Signature { op, inputs, output } = signature;
        for (side, &dtype) in inputs.iter().enumerate() {
            let corners = specials(inputs[1 - side]);
            let corner = Tensor::room(inputs[1 - side], &[corners.len(), 1], &Place::PLAIN);
            let corner = corner.filled(|n| corners[n as usize]);
            let mut operands = vec![halves(dtype, i * 7 + side, *op), corner];
            if side == 1 {
                operands.reverse();
            }
            Call::of(*op, operands, *output, &Place::PLAIN).check();
        }
    }
}
