//! What a reduction of nothing gives: 0, 1 or NaN.

use half::{bf16, f16};

use crate::dims::Strides;
use crate::element::DType;
use crate::engine::isa::Isa;
use crate::engine::lay::choose_move;
use crate::engine::walk::walk;
use crate::layout::Layout;
use crate::nest::LoopNest;
use crate::reduction::Reduction;

/// An output of nothing.
#[derive(Clone, Debug)]
pub(super) struct Nothing {
    nest: LoopNest<2>,
    identity: Identity,
}

impl Nothing {
    /// Of a reduction that gives something, into an output of this layout.
    pub fn of(reduction: Reduction, output: DType, target: &Layout<'_>) -> Option<Self> {
        let identity = Identity::of(reduction, output)?;
        let (own, still) = (target.strides(), Strides::filled(target.rank(), 0));
        let nest = LoopNest::new(target.shape(), [(&own, target.offset()), (&still, 0)], output.size());
        Some(Self { nest, identity })
    }

    /// Writes what a reduction of nothing gives.
    ///
    /// # Safety
    /// The elements of the layout at `out` are writable, aligned for the type, and nobody else touches them.
    pub unsafe fn fill(&self, out: *mut u8, onto: bool, isa: Isa) {
        // What is added to or multiplied with stays.
        if onto && !self.identity.nan {
            return;
        }
        let mut nest = self.nest.clone();
        let kernel = choose_move(&mut nest, isa);
        let from = self.identity.bytes.as_ptr().cast::<u8>().cast_mut();
        // SAFETY: the caller's promise; every element is that of the identity, which a kernel only reads.
        unsafe { walk(&nest, kernel.run, [out, from], 0..nest.units) }
    }
}

/// An element of the output: 0 or 1 or NaN.
#[derive(Clone, Copy, Debug)]
struct Identity {
    bytes: [u8; 16],
    nan: bool,
}

impl Identity {
    /// Of a reduction that has one.
    fn of(reduction: Reduction, output: DType) -> Option<Self> {
        use DType as D;
        let number = |one: f32| match output {
            D::F16 => [u64::from(f16::from_f32(one).to_bits()), 0],
            D::BF16 => [u64::from(bf16::from_f32(one).to_bits()), 0],
            D::F32 => [u64::from(one.to_bits()), 0],
            D::F64 => [f64::from(one).to_bits(), 0],
            D::C64 => [u64::from(one.to_bits()), 0],
            D::C128 => [f64::from(one).to_bits(), 0],
            _ => [one as u64, 0],
        };
        let words = match reduction {
            Reduction::Sum => [0, 0],
            Reduction::Prod => number(1.0),
            Reduction::Mean => number(f32::NAN),
            Reduction::Max | Reduction::Min => return None,
        };
        // Both parts of a complex mean are 0 / 0.
        let words = match (reduction, output) {
            (Reduction::Mean, D::C64) => [words[0] << 32 | words[0], 0],
            (Reduction::Mean, D::C128) => [words[0]; 2],
            _ => words,
        };
        let mut bytes = [0; 16];
        let size = output.size().min(8);
        for (part, word) in bytes.chunks_exact_mut(8).zip(words) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        if cfg!(target_endian = "big") {
            for part in bytes.chunks_exact_mut(size) {
                part.reverse();
            }
        }
        Some(Self { bytes, nan: reduction == Reduction::Mean })
    }
}
