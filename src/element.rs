//! Element types: the runtime tag [`DType`] and the sealed trait [`Element`] that ties it to a Rust type.
//!
//! Both are rendered from `kernels/manifest.rs`. Only the dtype-erased doors and computing need a tag;
//! materialising takes any [`bytemuck::NoUninit`] type of any size.

use core::fmt;
use core::mem::{align_of, size_of};
use core::str::FromStr;

mod sealed {
    /// Keeps [`super::Element`] to the types of the manifest.
    pub trait Sealed {}
}

/// A Rust type with a [`DType`] tag. Sealed: the list is `kernels/manifest.rs`.
///
/// # Safety
/// `DTYPE` has exactly this type's size, and an alignment that is at least this type's.
pub unsafe trait Element: sealed::Sealed + bytemuck::NoUninit + Send + Sync {
    /// The tag.
    const DTYPE: DType;
}

include!(concat!(env!("OUT_DIR"), "/dtypes.rs"));

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        Self::ALL.iter().copied().find(|d| d.name() == name).ok_or(UnknownDType)
    }
}

/// No element type of that name; see [`DType::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDType;

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown element type; known are")?;
        for dtype in DType::ALL {
            write!(f, " {dtype}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownDType {}
