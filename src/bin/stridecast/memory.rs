//! [`Bytes`]: memory of a file or a result, aligned for every element type.

#![forbid(unsafe_code)]

use std::ops::{Deref, DerefMut};

/// Some bytes, at an address that suits every element type.
#[derive(Debug, Default)]
pub struct Bytes {
    words: Vec<u128>,
    len: usize,
}

impl Bytes {
    /// As many zeros; `None` if there is no memory for them.
    pub fn zeroed(len: usize) -> Option<Bytes> {
        let mut bytes = Bytes::default();
        bytes.resize(len)?;
        Some(bytes)
    }

    /// As many bytes, what was there before among them; `None` if there is no memory for them.
    pub fn resize(&mut self, len: usize) -> Option<()> {
        let words = len.div_ceil(size_of::<u128>());
        if words > self.words.len() {
            self.words.try_reserve_exact(words - self.words.len()).ok()?;
            self.words.resize(words, 0);
        }
        self.len = len;
        Some(())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }
}
