//! From a tile to stretches of blocks: what every elementwise function needs around its loop, compiled once per level.
//!
//! Rows are taken together: their blocks are one stretch, which costs less than a loop for each (256 rows of 1 KiB take
//! 3.2 us so, and 4.4 one by one). A block of which only a part is wanted ends with the row, where its first elements
//! are computed a second time, or is copied to the stack and back.

use core::mem::MaybeUninit;

use super::level::Level;
use super::map::{Call, OPERANDS};
use super::tile::Tile;
use super::turn::Wide;

/// Blocks to compute: `inner` of them `step` bytes apart, then `more` bytes further on the next `inner`, for which an
/// input's one block may be laid out anew.
///
/// Read by single numbers: what was written by numbers and is read as a vector waits until all are in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// The first block of each operand.
    pub at: [*mut u8; OPERANDS],
    pub step: [isize; OPERANDS],
    pub more: [isize; OPERANDS],
    pub inner: usize,
    /// How often.
    pub outer: usize,
    /// All ones if they are stored past the caches, else 0. It is turned by a bit for each block: of a flag that stays as
    /// it is LLVM makes two loops, each with the function in it, and one read again from memory is in the stores' way.
    pub stream: usize,
    /// Of an input whose block is one element of a row: this element of the first row, and the bytes to that of the next
    /// row. 0 for other operands.
    pub rows: [*const u8; OPERANDS],
    pub turn: [isize; OPERANDS],
}

/// Computes a stretch of a function's value.
///
/// # Safety
/// As the one function that is one, `blocks` of [`map`](super::map).
type BlocksFn = unsafe fn(*const (), &Stretch);

/// A function's loop and what it takes.
pub(super) struct Blocks {
    run: BlocksFn,
    /// Bytes of an element of each operand, 0 for those that are not there.
    sizes: [usize; OPERANDS],
    /// Bytes of a block of each operand.
    widths: [usize; OPERANDS],
    /// Elements in a block, and as a power of two.
    lanes: usize,
    log: u32,
    /// Rows that there is room for on the stack, for blocks of every operand.
    rows: usize,
    /// Whether it takes zeros beside the elements of a part of a block. A function of the user may not: it divides by
    /// them, say, or they are no value of its type (`NonZeroU32`).
    zeros: bool,
}

/// Bytes of stack for blocks: with more, every call would touch another page first.
const PADS: usize = 3584;

/// Bytes of operands that are computed between one use of the pads and the next, so that they stay in an L1 of 32 KiB.
const NEAR: usize = 16 << 10;

/// Bytes that a row has of its own from which an input's element is laid out when its row begins, rather than those of
/// some rows at once: 128 rows of 256 i64 times one each take 4.7 us so and 5.1 at once, 256 rows of a row of as many f32
/// plus one each 3.8 and 3.5.
const LONG: usize = 2048;

/// Pads begin on multiples of these bytes.
const LINE: usize = 64;

/// Rows that are streamed side by side, if their blocks are two lines at least: DRAM takes four streams of 16 KiB rows of
/// f32 1.15 times as fast as one, and of f16, a line at a time, at two thirds of its rate.
const STREAMS: usize = 4;

impl Blocks {
    /// Of a loop whose blocks have `lanes` elements, any of which may be `zeros`.
    pub const fn new(run: BlocksFn, sizes: [usize; OPERANDS], lanes: usize, zeros: bool) -> Self {
        let bytes = lanes * (sizes[0] + sizes[1] + sizes[2] + sizes[3]);
        let rows = (PADS - OPERANDS * LINE) / bytes;
        assert!(lanes.is_power_of_two());
        // With none, it is of a width that a function is instantiated for and never runs with.
        let widths = [lanes * sizes[0], lanes * sizes[1], lanes * sizes[2], lanes * sizes[3]];
        Self { run, sizes, widths, lanes, log: lanes.trailing_zeros(), rows, zeros }
    }
}

/// Blocks on the stack, of whatever elements.
#[repr(C, align(64))]
struct Pads([MaybeUninit<u8>; PADS]);

/// Rows of an operand: where they begin, the bytes to the next block, to the next row, and of a column.
#[derive(Clone, Copy)]
struct Line {
    at: *mut u8,
    along: isize,
    down: isize,
    col: usize,
    /// Where its elements are, and how far apart, if the rows have one each and one block between them.
    row: *const u8,
    turn: isize,
}

impl Line {
    /// Blocks on the stack, so many bytes from row to row.
    const fn pads(at: *mut u8, down: isize) -> Self {
        Self { at, along: 0, down, col: 0, row: at, turn: 0 }
    }
}

/// Computes a tile.
///
/// # Safety
/// As [`MapFn`](super::map::MapFn), for the function of `blocks` and the level of `S`.
#[inline]
pub(super) unsafe fn run<S: Level>(call: &Call, tile: &mut Tile<OPERANDS>, blocks: &Blocks) {
    let moves = |k: usize| tile.col_stride[k] != 0 || blocks.sizes[k] == 0;
    let whole = !call.stream && tile.cols & (blocks.lanes - 1) == 0;
    // SAFETY: the caller's promise.
    unsafe {
        if !(whole && moves(1) && moves(2) && moves(3)) {
            return pieces::<S>(call, tile, blocks);
        }
        let inner = tile.cols >> blocks.log;
        while tile.planes > 0 {
            let line = |k: usize| tile_line(tile, blocks, tile.ptr, k);
            stretch(call, blocks, [line(0), line(1), line(2), line(3)], 0, [tile.rows, inner], false);
            tile.next_plane();
        }
    }
}

/// The rows of an operand that lies there.
#[inline(always)]
fn tile_line(tile: &Tile<OPERANDS>, blocks: &Blocks, ptr: [*mut u8; OPERANDS], k: usize) -> Line {
    Line {
        at: ptr[k],
        along: blocks.widths[k] as isize,
        down: tile.row_stride[k],
        col: blocks.sizes[k],
        row: ptr[k],
        turn: 0,
    }
}

/// Computes so many blocks of so many rows, from a column on: row by row, or past the caches side by side.
///
/// # Safety
/// As [`run`]; the blocks lie inside the rows, and on vectors of the output where they pass the caches.
#[inline(always)]
unsafe fn stretch(
    call: &Call,
    blocks: &Blocks,
    lines: [Line; OPERANDS],
    col: usize,
    [rows, whole]: [usize; 2],
    stream: bool,
) {
    let inner = if stream { rows } else { whole };
    let steps = |k: usize| if stream { (lines[k].down, lines[k].along) } else { (lines[k].along, lines[k].down) };
    let at = |k: usize| lines[k].at.wrapping_add(col * lines[k].col);
    let step = |k: usize| steps(k).0;
    let more = |k: usize| steps(k).1 - inner as isize * steps(k).0;
    let stretch = Stretch {
        at: [at(0), at(1), at(2), at(3)],
        step: [step(0), step(1), step(2), step(3)],
        more: [more(0), more(1), more(2), more(3)],
        inner,
        outer: if stream { whole } else { rows },
        stream: usize::from(stream).wrapping_neg(),
        rows: [lines[0].row, lines[1].row, lines[2].row, lines[3].row],
        turn: [0, lines[1].turn, lines[2].turn, lines[3].turn],
    };
    // SAFETY: the caller's promise.
    unsafe { (blocks.run)(call.function, &stretch) };
}

/// What a closure takes, which can then be called once only: one that could be called again is called through a shim,
/// which was not inlined, and ran without its level's instructions (80 ns for 8 elements).
struct Once<T>(T);

impl<T> Once<T> {
    #[inline(always)]
    fn take(self) -> T {
        self.0
    }
}

/// As [`run`], of any tile.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn pieces<S: Level>(call: &Call, tile: &mut Tile<OPERANDS>, blocks: &Blocks) {
    // SAFETY: the caller vouches for the CPU.
    let level = unsafe { S::new() };
    let tile = Once(tile);
    level.vectorize(
        #[inline(always)]
        move || {
            let tile = tile.take();
            let mut pads = Pads([MaybeUninit::uninit(); PADS]);
            let pads = pads.0.as_mut_ptr().cast::<u8>();
            // SAFETY: the caller's promise.
            unsafe { pieces_on(level, call, tile, blocks, pads) };
        },
    );
}

/// # Safety
/// As [`run`], inside the level; `pads` are [`PADS`] bytes on a line.
#[inline(always)]
unsafe fn pieces_on<S: Level>(level: S, call: &Call, tile: &mut Tile<OPERANDS>, blocks: &Blocks, pads: *mut u8) {
    let (lanes, cols, vector) = (blocks.lanes, tile.cols, 16 * S::Turned::LANES);
    let varies = |k: usize| tile.col_stride[k] == 0 && tile.row_stride[k] != 0;
    // Whether ends of rows go over the pads.
    let padded = cols < lanes || !call.apart && cols & (lanes - 1) > 0;
    // An output that is an input is in the caches anyway.
    let stream = call.stream && call.apart && blocks.widths[0].is_multiple_of(vector) && cols >= 4 * lanes;
    // Of each operand that has blocks on the stack their bytes.
    let own = |k: usize| if padded || k > 0 && tile.col_stride[k] == 0 { blocks.widths[k] } else { 0 };
    let own = [own(0), own(1), own(2), own(3)];
    let moved = |k: usize| if tile.row_stride[k] != 0 && tile.col_stride[k] != 0 { blocks.sizes[k] } else { 0 };
    let moved = cols * (moved(0) + moved(1) + moved(2) + moved(3));
    let room = if tile.rows <= blocks.rows {
        blocks.rows
    } else {
        ((PADS - OPERANDS * LINE) / own.iter().sum::<usize>().max(1)).min((NEAR / moved.max(1)).max(2))
    };
    let pad = |before: *mut u8, width: usize| before.wrapping_add((room * width).next_multiple_of(LINE));
    let second = pad(pads, own[0]);
    let third = pad(second, own[1]);
    let pads = [pads, second, third, pad(third, own[2])];
    // Long rows that all come from blocks of their own or are there: each lays out its element when it begins.
    let turns = !padded && !stream && cols & (blocks.lanes - 1) == 0 && moved >= LONG;
    let most = match () {
        () if stream && (tile.row_stride[0] % vector as isize != 0 || blocks.widths[0] < 2 * LINE) => 1,
        () if stream => STREAMS.min(room),
        () if turns => usize::MAX,
        () if padded || varies(1) || varies(2) || varies(3) => room,
        () => usize::MAX,
    };
    let mut first = true;
    while tile.planes > 0 {
        let (mut ptr, mut left) = (tile.ptr, tile.rows);
        while left > 0 {
            let rows = left.min(most);
            // SAFETY: blocks lie inside their rows; the pads have blocks for as many rows as go over them; streams
            // begin on a vector.
            unsafe {
                let lines = [
                    tile_line(tile, blocks, ptr, 0),
                    laid::<1>(tile, blocks, ptr, pads[1], rows, [first, turns]),
                    laid::<2>(tile, blocks, ptr, pads[2], rows, [first, turns]),
                    laid::<3>(tile, blocks, ptr, pads[3], rows, [first, turns]),
                ];
                first = false;
                let mut head = 0;
                if stream {
                    let bytes = ptr[0].align_offset(vector);
                    let whole = bytes.is_multiple_of(blocks.sizes[0]);
                    head = if whole { bytes / blocks.sizes[0] } else { 0 };
                    if head > 0 {
                        stretch(call, blocks, lines, 0, [rows, 1], false);
                    }
                    stretch(call, blocks, lines, head, [rows, (cols - head) >> blocks.log], whole);
                } else if cols >= lanes {
                    stretch(call, blocks, lines, 0, [rows, cols >> blocks.log], false);
                }
                let rest = (cols - head) & (lanes - 1);
                if rest > 0 && !padded {
                    stretch(call, blocks, lines, cols - lanes, [rows, 1], false);
                } else if rest > 0 {
                    let lines_in = [
                        Line::pads(pads[0], blocks.widths[0] as isize),
                        ends::<S, 1>(level, blocks, lines[1], pads[1], rows, [cols - rest, rest]),
                        ends::<S, 2>(level, blocks, lines[2], pads[2], rows, [cols - rest, rest]),
                        ends::<S, 3>(level, blocks, lines[3], pads[3], rows, [cols - rest, rest]),
                    ];
                    stretch(call, blocks, lines_in, 0, [rows, 1], false);
                    for row in 0..rows {
                        let to = lines[0].at.wrapping_offset(row as isize * lines[0].down);
                        let to = to.add((cols - rest) * blocks.sizes[0]);
                        level.copy_part(pads[0].add(row * blocks.widths[0]), to, rest * blocks.sizes[0]);
                    }
                }
            }
            for (ptr, stride) in ptr.iter_mut().zip(tile.row_stride) {
                *ptr = ptr.wrapping_offset(rows as isize * stride);
            }
            left -= rows;
        }
        tile.next_plane();
    }
    if stream {
        S::Turned::fence();
    }
}

/// The rows of input `K`: where they lie, or if it stands still along them, the blocks that are laid out for it. One
/// that stands still along everything is laid out if this is the `first` time.
///
/// # Safety
/// As [`pieces_on`]; if it stands still, the pads have blocks for as many rows.
#[inline(always)]
unsafe fn laid<const K: usize>(
    tile: &Tile<OPERANDS>,
    blocks: &Blocks,
    ptr: [*mut u8; OPERANDS],
    pad: *mut u8,
    rows: usize,
    [first, turns]: [bool; 2],
) -> Line {
    let (size, width, down) = (blocks.sizes[K], blocks.widths[K], tile.row_stride[K]);
    if tile.col_stride[K] != 0 || size == 0 {
        return tile_line(tile, blocks, ptr, K);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if turns && down != 0 {
            splat(size, ptr[K], 0, pad, width, 1);
            return Line { row: ptr[K], turn: down, ..Line::pads(pad, 0) };
        } else if down != 0 {
            splat(size, ptr[K], down, pad, width, rows);
        } else if first || tile.plane_stride[K] != 0 {
            splat(size, ptr[K], 0, pad, width, 1);
        }
    }
    Line::pads(pad, if down != 0 { width as isize } else { 0 })
}

/// The last `part` columns of the rows of input `K`, from `col` on, as blocks on the stack; what has blocks there stays.
///
/// # Safety
/// As [`pieces_on`]; the pads have blocks for as many rows.
#[inline(always)]
unsafe fn ends<S: Level, const K: usize>(
    level: S,
    blocks: &Blocks,
    line: Line,
    pad: *mut u8,
    rows: usize,
    [col, part]: [usize; 2],
) -> Line {
    let (size, width) = (blocks.sizes[K], blocks.widths[K]);
    if line.along == 0 {
        return line;
    }
    // SAFETY: the caller's promise.
    unsafe {
        for row in 0..rows {
            let from = line.at.wrapping_offset(row as isize * line.down).add(col * size);
            let to = pad.add(row * width);
            if blocks.zeros {
                level.fill_part(from, part * size, to, width);
            } else {
                // The first of them, as of every operand: what is computed of it besides is computed anyway.
                splat(size, from, 0, to, width, 1);
                level.copy_part(from, to, part * size);
            }
        }
    }
    Line::pads(pad, width as isize)
}

/// Writes, for each of some rows, the element of `size` bytes at `from`, `down` bytes apart, over and over to `width` bytes
/// at `to`, one row behind the other.
///
/// # Safety
/// All are valid and do not overlap; a width is a multiple of 16 elements.
#[inline(always)]
unsafe fn splat(size: usize, from: *const u8, down: isize, to: *mut u8, width: usize, rows: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match (size, width) {
            (1, 16) => splat_rows::<u8, 16>(from, down, to, rows),
            (1, 32) => splat_rows::<u8, 32>(from, down, to, rows),
            (1, 64) => splat_rows::<u8, 64>(from, down, to, rows),
            (1, 128) => splat_rows::<u8, 128>(from, down, to, rows),
            (2, 64) => splat_rows::<u16, 32>(from, down, to, rows),
            (2, 128) => splat_rows::<u16, 64>(from, down, to, rows),
            (4, 128) => splat_rows::<u32, 32>(from, down, to, rows),
            (4, 256) => splat_rows::<u32, 64>(from, down, to, rows),
            (8, 256) => splat_rows::<u64, 32>(from, down, to, rows),
            (16, 256) => splat_rows::<[u64; 2], 16>(from, down, to, rows),
            _ => {
                for row in 0..rows {
                    let from = from.wrapping_offset(row as isize * down);
                    for at in 0..width / size {
                        core::ptr::copy_nonoverlapping(from, to.add(row * width + at * size), size);
                    }
                }
            }
        }
    }
}

/// As [`splat`], of `N` elements of one type: whole vectors, which can be read back before they are written.
///
/// # Safety
/// As [`splat`].
#[inline(always)]
unsafe fn splat_rows<T: Copy, const N: usize>(from: *const u8, down: isize, to: *mut u8, rows: usize) {
    for row in 0..rows {
        // SAFETY: the caller's promise.
        unsafe {
            let element = from.wrapping_offset(row as isize * down).cast::<T>().read_unaligned();
            to.cast::<[T; N]>().add(row).write_unaligned([element; N]);
        }
    }
}
