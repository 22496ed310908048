//! Rows into one: columns do not meet, so that a block of them stays in registers from the first row to the last.

use core::mem::MaybeUninit;

use super::take::{Take, part, whole};
use super::{Join, join};
use crate::engine::level::Level;
use crate::engine::turn::{MOST, Wide};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Up to [`BLOCK`](super::BLOCK) rows of each plane, and finished rows under them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Down<'a> {
    /// First column of each operand in the first plane.
    pub at: [*const u8; 2],
    /// Bytes from there to each row.
    pub rows: &'a [[isize; 2]],
    /// Elements of a row, one beside the other.
    pub cols: usize,
    /// Finished rows, which are joined in one after another, each before what there is.
    pub under: &'a [*const u8],
    /// The row that comes out.
    pub to: *mut u8,
    /// With more than one, `under` is empty.
    pub planes: usize,
    /// Bytes from plane to plane, of each operand and of what comes out.
    pub step: [isize; 2],
    pub to_step: isize,
}

/// Joins the rows of each plane.
///
/// # Safety
/// - There is a column, a plane and a row, and not more rows than [`BLOCK`](super::BLOCK);
/// - the `cols` elements of every row of every plane and operand are readable, initialised and aligned for their type,
///   and those of each row of `under` for what is accumulated;
/// - as many are writable at `to` of every plane, aligned likewise, and none of their bytes is one of the above;
/// - the CPU passed the check of the entry's level.
pub(crate) type DownFn = unsafe fn(&Down<'_>);

/// Joins the rows of each plane on a level, `W` columns at a time and at the end `N`.
///
/// # Safety
/// As [`DownFn`].
pub(crate) unsafe fn down<S: Level, X: Take, F: Join<X>, const W: usize, const N: usize>(down: &Down<'_>) {
    // SAFETY: the caller vouches for the CPU.
    let level = unsafe { S::new() };
    level.vectorize(
        #[inline(always)]
        move || {
            let mut down = *down;
            let cols = down.cols;
            while down.planes > 0 {
                if cols < N {
                    // SAFETY: there are fewer columns than `N`.
                    unsafe { short::<S, X, F, N>(level, &down) };
                } else {
                    let mut col = 0;
                    // Up to a cache line in the first row: vectors that cross lines cost where L1 is missed (16 Mi f32
                    // by panels of 1024 columns take 4.4 ms, and 3.3 so; 1024 columns in L2 4.6 us, and 3.5).
                    let mut before = if cols >= 4 * W { to_line(down.at[0], down.rows, X::SIZES[0]) } else { 0 };
                    while col < cols {
                        if before == 0 {
                            while cols - col >= W {
                                // SAFETY: there are `W` columns from here on.
                                unsafe { block::<S, X, F, W>(level, &down, col) };
                                col += W;
                            }
                            if col == cols {
                                break;
                            }
                            col = col.min(cols - N);
                        }
                        // SAFETY: there are `N` columns from here on.
                        unsafe { block::<S, X, F, N>(level, &down, col) };
                        let done = if before > 0 { before.min(N) } else { N };
                        col += done;
                        before = before.saturating_sub(done);
                    }
                }
                down.planes -= 1;
                for k in 0..2 {
                    // Wrapping: after the last plane there is none.
                    down.at[k] = down.at[k].wrapping_offset(down.step[k]);
                }
                down.to = down.to.wrapping_offset(down.to_step);
            }
        },
    );
}

/// Elements from the first one of the first row to the next cache line.
#[inline(always)]
fn to_line(at: *const u8, rows: &[[isize; 2]], size: usize) -> usize {
    let first = rows.first().map_or(0, |row| row[0]);
    (at.addr().wrapping_add_signed(first).wrapping_neg() % LINE) / size
}

/// `L` columns from `col` on.
///
/// # Safety
/// As [`DownFn`], and there are as many.
#[inline(always)]
unsafe fn block<S: Level, X: Take, F: Join<X>, const L: usize>(level: S, down: &Down<'_>, col: usize) {
    let Some((&first, rest)) = down.rows.split_first() else { return };
    let at = [0, 1].map(|k| down.at[k].wrapping_add(col * X::SIZES[k]));
    let acc_at = col * size_of::<X::Acc>();
    // SAFETY: the caller's promise.
    unsafe {
        let mut parts = X::take::<S, L>(level, moved(at, first));
        for &offset in rest {
            parts = join::<S, F, _, L>(level, &parts, &X::take::<S, L>(level, moved(at, offset)));
        }
        let mut acc = X::whole(parts);
        for &under in down.under {
            acc = join::<S, F, _, L>(level, &*under.add(acc_at).cast(), &acc);
        }
        *down.to.add(acc_at).cast() = acc;
    }
}

/// All columns, fewer than `N`.
///
/// # Safety
/// As [`DownFn`], and there are fewer.
#[inline(always)]
unsafe fn short<S: Level, X: Take, F: Join<X>, const N: usize>(level: S, down: &Down<'_>) {
    let Some((&first, rest)) = down.rows.split_first() else { return };
    let (cols, size) = (down.cols, size_of::<X::Acc>());
    // AVX-512 alone has masks for all.
    // SAFETY: the caller's promise.
    unsafe {
        if S::Turned::LANES == MOST {
            let mut parts = part::<S, X, N>(level, moved(down.at, first), cols);
            for &offset in rest {
                parts = join::<S, F, _, N>(level, &parts, &part::<S, X, N>(level, moved(down.at, offset), cols));
            }
            let mut acc = X::whole(parts);
            for &under in down.under {
                let mut block = MaybeUninit::<[X::Acc; N]>::uninit();
                level.fill_part(under, cols * size, block.as_mut_ptr().cast(), N * size);
                acc = join::<S, F, _, N>(level, block.assume_init_ref(), &acc);
            }
            level.copy_part((&raw const acc).cast(), down.to, cols * size);
        } else {
            for col in 0..cols {
                let at = [0, 1].map(|k| down.at[k].wrapping_add(col * X::SIZES[k]));
                let mut part = X::one(level, moved(at, first));
                for &offset in rest {
                    part = F::default().call((part, X::one(level, moved(at, offset))));
                }
                let mut acc = whole::<X>(part);
                for &under in down.under {
                    acc = F::default().call((*under.cast::<X::Acc>().add(col), acc));
                }
                *down.to.cast::<X::Acc>().add(col) = acc;
            }
        }
    }
}

/// Both, moved by as many bytes; one that is not there may be moved anywhere.
#[inline(always)]
fn moved(at: [*const u8; 2], by: [isize; 2]) -> [*const u8; 2] {
    [at[0].wrapping_offset(by[0]), at[1].wrapping_offset(by[1])]
}
