//! The memory of the guard pages: pages that can be used between two that fault, and canaries in them.
//!
//! An operand is put at one of the two faulting pages, or some bytes off it.

use std::ops::Range;
use std::ptr;

/// What the pages hold outside the operands. No source byte has this value.
pub const CANARY: u8 = 0xA5;

/// Readable and writable pages between two that are neither.
pub struct Guarded {
    map: *mut u8,
    page: usize,
    pub bytes: usize,
}

/// Which faulting page an operand touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The operand begins right behind it.
    Begin,
    /// The operand ends right before it.
    End,
}

impl Guarded {
    pub fn new(bytes: usize) -> Self {
        // SAFETY: a question about the system.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page size");
        let bytes = bytes.next_multiple_of(page);
        // SAFETY: new anonymous pages, which nobody else holds.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            libc::mmap(ptr::null_mut(), bytes + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(map, libc::MAP_FAILED, "no address space");
        let map = map.cast::<u8>();
        // SAFETY: whole pages inside the mapping just made.
        let opened = unsafe { libc::mprotect(map.add(page).cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "no memory");
        Self { map, page, bytes }
    }

    /// The pages that may be touched.
    pub fn memory(&mut self) -> &mut [u8] {
        // SAFETY: mapped, readable, writable and zeroed until `self` is dropped; borrowed as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.page), self.bytes) }
    }

    /// The place of `len` bytes, `gap` bytes away from the faulting page.
    pub fn place(&self, edge: Edge, gap: usize, len: usize) -> Range<usize> {
        assert!(len + gap <= self.bytes, "{len} bytes and {gap} do not fit the room");
        match edge {
            Edge::Begin => gap..gap + len,
            Edge::End => self.bytes - gap - len..self.bytes - gap,
        }
    }

    /// Canaries everywhere but in `range`, which gets `content`.
    pub fn fill(&mut self, range: Range<usize>, content: &[u8]) -> *mut u8 {
        let memory = self.memory();
        memory.fill(CANARY);
        memory[range.clone()].copy_from_slice(content);
        memory[range.start..].as_mut_ptr()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; nothing borrows it any more.
        unsafe { libc::munmap(self.map.cast(), self.bytes + 2 * self.page) };
    }
}

/// Where both operands are put: at one edge, each some bytes off it.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub edge: Edge,
    pub source_gap: usize,
    pub out_gap: usize,
}

pub const SHARP: [Placement; 2] = [
    Placement { edge: Edge::End, source_gap: 0, out_gap: 0 },
    Placement { edge: Edge::Begin, source_gap: 0, out_gap: 0 },
];

/// Both edges exactly, and both at an alignment that differs from case to case.
pub fn placements(salt: usize) -> [Placement; 4] {
    let (source_gap, out_gap) = (salt * 7 % 65, salt * 11 % 65);
    let off = |edge| Placement { edge, source_gap, out_gap };
    [SHARP[0], SHARP[1], off(Edge::End), off(Edge::Begin)]
}
