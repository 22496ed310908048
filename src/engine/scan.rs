//! Looks for values that a function is not defined on, before anything is written: integer divisors of 0, negative
//! exponents of integers.

use core::cell::Cell;

use super::resolve::{is_integer, is_signed};
use super::tile::Tile;
use super::walk::{Run, walk};
use crate::element::DType;
use crate::error::BroadcastError;
use crate::layout::Layout;
use crate::nest::LoopNest;
use crate::op::Op;

/// What an operand's elements must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Not 0.
    NonZero,
    /// Not negative, as signed integers.
    NotNegative,
}

impl Need {
    /// What a function needs of its second operand, if all are of one type.
    pub fn of(op: Op, dtype: DType) -> Option<Self> {
        match op {
            Op::Div | Op::Fmod | Op::Remainder if is_integer(dtype) => Some(Self::NonZero),
            _ => Self::of_exponent(op, dtype, dtype),
        }
    }

    /// What a power of an integer needs of its exponent.
    pub fn of_exponent(op: Op, base: DType, exponent: DType) -> Option<Self> {
        (op == Op::Pow && is_integer(base) && is_signed(exponent)).then_some(Self::NotNegative)
    }

    /// Why an operand does not do.
    pub fn error(self, op: Op) -> BroadcastError {
        match self {
            Self::NonZero => BroadcastError::DivisionByZero { op },
            Self::NotNegative => BroadcastError::NegativeExponent,
        }
    }

    /// Whether every element of a layout, of `size` bytes each, is what is needed. Each is looked at once, however often
    /// it is seen.
    ///
    /// # Safety
    /// The elements of the layout at `ptr` are initialised integers, and nobody writes them meanwhile.
    pub unsafe fn holds(self, ptr: *const u8, layout: &Layout<'_>, size: usize) -> bool {
        let strides = layout.strides();
        let own = layout.shape().iter().zip(&strides).map(|(&n, &stride)| if stride == 0 { n.min(1) } else { n });
        let shape: crate::dims::Shape = own.collect();
        // Any order will do, so long as it follows the memory.
        let nest = LoopNest::of_elements(&shape, [(&strides, layout.offset())], [size]);
        let found = Cell::new(false);
        let scan = Scan { need: self, size, found: &found };
        // SAFETY: the nest is the layout's, less what stands still.
        unsafe { walk(&nest, scan, [ptr.cast_mut()], 0..nest.units) };
        !found.get()
    }
}

/// Looks through tiles.
#[derive(Clone, Copy)]
struct Scan<'f> {
    need: Need,
    size: usize,
    found: &'f Cell<bool>,
}

impl Run<1> for Scan<'_> {
    unsafe fn run(self, tile: &mut Tile<'_, 1>) {
        // SAFETY: the caller's promise.
        let bad = unsafe {
            match self.size {
                1 => self.any::<i8>(tile),
                2 => self.any::<i16>(tile),
                4 => self.any::<i32>(tile),
                _ => self.any::<i64>(tile),
            }
        };
        if bad {
            self.found.set(true);
        }
    }
}

impl Scan<'_> {
    /// Whether some element of a tile, of type `T`, is not what is needed.
    ///
    /// # Safety
    /// As [`Need::holds`].
    unsafe fn any<T: Copy + PartialOrd + Default>(self, tile: &mut Tile<'_, 1>) -> bool {
        let zero = T::default();
        let mut bad = false;
        while tile.planes > 0 && !self.found.get() {
            for row in 0..tile.rows as isize {
                let row = tile.ptr[0].wrapping_offset(row * tile.row_stride[0]);
                for col in 0..tile.cols as isize {
                    // SAFETY: the element lies inside the tile.
                    let x = unsafe { row.wrapping_offset(col * tile.col_stride[0]).cast::<T>().read_unaligned() };
                    bad |= if self.need == Need::NonZero { x == zero } else { x < zero };
                }
            }
            tile.next_plane();
        }
        bad
    }
}
