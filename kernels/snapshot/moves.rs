// Rendered by build.rs from kernels/; see kernels/README.md.
use core::mem::size_of;
use core::ptr::{read_unaligned, write_unaligned};
use pulp::Simd;

/// Bytes that one call of `fill` repeats: the widest vector, so that a fill is whole vectors on every level.
const BLOCK: usize = 64;

/// A short row is doubled inside the output until it fills this many bytes, which are then copied on:
/// small enough for L1, large enough that the call per block no longer shows.
const REPLICATE_BLOCK: usize = 4096;

/// Copies `bytes` < 64 bytes with at most two overlapping moves per size class.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap.
#[inline(always)]
unsafe fn copy_short(out: *mut u8, src: *const u8, bytes: usize) {
    /// Two moves of `N` bytes that meet or overlap: covers N..=2N bytes.
    ///
    /// # Safety
    /// As `copy_short`, and `N <= bytes <= 2 * N`.
    #[inline(always)]
    unsafe fn pair<const N: usize>(out: *mut u8, src: *const u8, bytes: usize) {
        // SAFETY: N <= bytes, so both N-byte windows lie inside the ranges the caller vouches for.
        unsafe {
            let head = read_unaligned(src.cast::<[u8; N]>());
            let tail = read_unaligned(src.add(bytes - N).cast::<[u8; N]>());
            write_unaligned(out.cast::<[u8; N]>(), head);
            write_unaligned(out.add(bytes - N).cast::<[u8; N]>(), tail);
        }
    }
    // SAFETY: each arm's N fits `bytes` as its pattern says; the one-byte arm stays inside too.
    unsafe {
        match bytes {
            32.. => pair::<32>(out, src, bytes),
            16.. => pair::<16>(out, src, bytes),
            8.. => pair::<8>(out, src, bytes),
            4.. => pair::<4>(out, src, bytes),
            2.. => pair::<2>(out, src, bytes),
            1 => *out = *src,
            0 => {}
        }
    }
}

/// Copies `bytes` bytes, four vectors a turn, the last vector overlapping.
///
/// # Safety
/// `src` is readable and `out` writable for `bytes`; they do not overlap.
#[inline(always)]
unsafe fn copy_row<S: Simd>(_simd: S, out: *mut u8, src: *const u8, bytes: usize) {
    let vector = size_of::<S::u64s>();
    // SAFETY: every access below is `vector` bytes at an offset of at most `bytes - vector`.
    unsafe {
        if bytes < vector {
            return copy_short(out, src, bytes);
        }
        let mut at = 0;
        while at + 4 * vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::u64s>());
            let b = read_unaligned(src.add(at + vector).cast::<S::u64s>());
            let c = read_unaligned(src.add(at + 2 * vector).cast::<S::u64s>());
            let d = read_unaligned(src.add(at + 3 * vector).cast::<S::u64s>());
            write_unaligned(out.add(at).cast::<S::u64s>(), a);
            write_unaligned(out.add(at + vector).cast::<S::u64s>(), b);
            write_unaligned(out.add(at + 2 * vector).cast::<S::u64s>(), c);
            write_unaligned(out.add(at + 3 * vector).cast::<S::u64s>(), d);
            at += 4 * vector;
        }
        while at + vector <= bytes {
            let a = read_unaligned(src.add(at).cast::<S::u64s>());
            write_unaligned(out.add(at).cast::<S::u64s>(), a);
            at += vector;
        }
        if at < bytes {
            let a = read_unaligned(src.add(bytes - vector).cast::<S::u64s>());
            write_unaligned(out.add(bytes - vector).cast::<S::u64s>(), a);
        }
    }
}

/// Writes `bytes` >= 64 bytes of the 64-byte `block` over and over.
///
/// # Safety
/// `out` is writable for `bytes`, and the block's content has a period that divides 64 and `bytes`.
#[inline(always)]
unsafe fn fill<S: Simd>(_simd: S, out: *mut u8, block: &[u8; BLOCK], bytes: usize) {
    let vector = size_of::<S::u64s>();
    let from = block.as_ptr();
    // SAFETY: every store is `vector` bytes inside a 64-byte window that ends at or before `bytes`; every
    // load is inside the block. The last window starts at `bytes - 64`, a multiple of the period.
    unsafe {
        let mut at = 0;
        while at + BLOCK <= bytes {
            let mut lane = 0;
            while lane < BLOCK {
                let v = read_unaligned(from.add(lane).cast::<S::u64s>());
                write_unaligned(out.add(at + lane).cast::<S::u64s>(), v);
                lane += vector;
            }
            at += BLOCK;
        }
        if at < bytes {
            let mut lane = 0;
            while lane < BLOCK {
                let v = read_unaligned(from.add(lane).cast::<S::u64s>());
                write_unaligned(out.add(bytes - BLOCK + lane).cast::<S::u64s>(), v);
                lane += vector;
            }
        }
    }
}

/// Rows of contiguous bytes on both sides; rows may lie anywhere.
///
/// # Safety
/// The tile contract with one byte per column and column strides of 1.
#[inline(always)]
unsafe fn contiguous_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so both rows lie inside the tile.
        unsafe {
            copy_row(simd, out.offset(row * tile.row_stride[0]), src.offset(row * tile.row_stride[1]), tile.cols);
        }
    }
}

/// One long source row into every output row: it stays in L1 or L2 while it is written out.
///
/// # Safety
/// The tile contract with one byte per column, column strides of 1 and a source row stride of 0.
#[inline(always)]
unsafe fn replicate_long_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    // SAFETY: the same contract; the source row stride of 0 is a case of it.
    unsafe { contiguous_w1(simd, tile) }
}

/// One short source row into every row of a dense output.
///
/// The first rows are doubled in place up to a block, and the block is copied on: a row of 12 bytes then
/// costs its stores and not a call.
///
/// # Safety
/// As `replicate_long_w1`, and the output's row stride is `cols`.
#[inline(always)]
unsafe fn replicate_short_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    let (row, total) = (tile.cols, tile.cols * tile.rows);
    let block = total.min(row * (REPLICATE_BLOCK / row).max(1));
    // SAFETY: the output is dense, so its rows are `total` bytes from `out`. Every copy below reads bytes
    // [0, n) that were written before and writes [at, at + n) with n <= at, inside `total`.
    unsafe {
        copy_row(simd, out, src, row);
        let mut at = row;
        while at < block {
            let n = at.min(block - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
        while at < total {
            let n = block.min(total - at);
            copy_row(simd, out.add(at), out, n);
            at += n;
        }
    }
}

/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u8` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w1<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<u8>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<u8>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<u8>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<u8>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[u8; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u8` columns.
#[inline(always)]
unsafe fn strided_w1<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u8>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u8>(),
                    x,
                );
            }
        }
    }
}

/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u16` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w2<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<u16>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<u16>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<u16>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<u16>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[u16; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u16` columns.
#[inline(always)]
unsafe fn strided_w2<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u16>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u16>(),
                    x,
                );
            }
        }
    }
}

/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u32` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w4<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<u32>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<u32>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<u32>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<u32>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[u32; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u32` columns.
#[inline(always)]
unsafe fn strided_w4<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u32>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u32>(),
                    x,
                );
            }
        }
    }
}

/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u64` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w8<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<u64>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<u64>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<u64>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<u64>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[u64; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u64` columns.
#[inline(always)]
unsafe fn strided_w8<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u64>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u64>(),
                    x,
                );
            }
        }
    }
}

/// One source element per row, repeated along it.
///
/// # Safety
/// The tile contract with `u128` columns and an output column stride of one element.
#[inline(always)]
unsafe fn splat_w16<S: Simd>(simd: S, tile: &Tile<2>) {
    const PER_BLOCK: usize = BLOCK / size_of::<u128>();
    let [out, src] = tile.ptr;
    let bytes = tile.cols * size_of::<u128>();
    for row in 0..tile.rows as isize {
        // SAFETY: row < rows, so the row and its source element lie inside the tile. The block's period is one
        // element, which divides 64 and the row.
        unsafe {
            let out = out.offset(row * tile.row_stride[0]);
            let x = read_unaligned(src.offset(row * tile.row_stride[1]).cast::<u128>());
            if bytes < BLOCK {
                for col in 0..tile.cols {
                    write_unaligned(out.cast::<u128>().add(col), x);
                }
            } else {
                let block = bytemuck::cast::<[u128; PER_BLOCK], [u8; BLOCK]>([x; PER_BLOCK]);
                fill(simd, out, &block, bytes);
            }
        }
    }
}

/// Elements at any stride on both sides, one at a time.
///
/// # Safety
/// The tile contract with `u128` columns.
#[inline(always)]
unsafe fn strided_w16<S: Simd>(_simd: S, tile: &Tile<2>) {
    let [out, src] = tile.ptr;
    for row in 0..tile.rows as isize {
        for col in 0..tile.cols as isize {
            // SAFETY: row < rows and col < cols, so both elements lie inside the tile.
            unsafe {
                let x = read_unaligned(
                    src.offset(row * tile.row_stride[1] + col * tile.col_stride[1]).cast::<u128>(),
                );
                write_unaligned(
                    out.offset(row * tile.row_stride[0] + col * tile.col_stride[0]).cast::<u128>(),
                    x,
                );
            }
        }
    }
}

/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `contiguous_w1`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn contiguous_w1_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { contiguous_w1(simd, tile) });
}

#[cfg(all())]
static CONTIGUOUS_W1_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "contiguous_w1_scalar",
        family: Family::Move,
        pattern: Pattern::Contiguous,
        width: 1,
        isa: Level::Scalar,
    },
    run: contiguous_w1_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `contiguous_w1`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn contiguous_w1_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { contiguous_w1(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static CONTIGUOUS_W1_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "contiguous_w1_avx2",
        family: Family::Move,
        pattern: Pattern::Contiguous,
        width: 1,
        isa: Level::Avx2,
    },
    run: contiguous_w1_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `contiguous_w1`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn contiguous_w1_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { contiguous_w1(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static CONTIGUOUS_W1_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "contiguous_w1_avx512",
        family: Family::Move,
        pattern: Pattern::Contiguous,
        width: 1,
        isa: Level::Avx512,
    },
    run: contiguous_w1_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `contiguous_w1`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn contiguous_w1_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { contiguous_w1(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static CONTIGUOUS_W1_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "contiguous_w1_neon",
        family: Family::Move,
        pattern: Pattern::Contiguous,
        width: 1,
        isa: Level::Neon,
    },
    run: contiguous_w1_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_short_w1`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn replicate_short_w1_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_short_w1(simd, tile) });
}

#[cfg(all())]
static REPLICATE_SHORT_W1_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_short_w1_scalar",
        family: Family::Move,
        pattern: Pattern::ReplicateShort,
        width: 1,
        isa: Level::Scalar,
    },
    run: replicate_short_w1_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_short_w1`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn replicate_short_w1_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_short_w1(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static REPLICATE_SHORT_W1_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_short_w1_avx2",
        family: Family::Move,
        pattern: Pattern::ReplicateShort,
        width: 1,
        isa: Level::Avx2,
    },
    run: replicate_short_w1_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_short_w1`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn replicate_short_w1_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_short_w1(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static REPLICATE_SHORT_W1_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_short_w1_avx512",
        family: Family::Move,
        pattern: Pattern::ReplicateShort,
        width: 1,
        isa: Level::Avx512,
    },
    run: replicate_short_w1_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_short_w1`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn replicate_short_w1_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_short_w1(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static REPLICATE_SHORT_W1_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_short_w1_neon",
        family: Family::Move,
        pattern: Pattern::ReplicateShort,
        width: 1,
        isa: Level::Neon,
    },
    run: replicate_short_w1_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_long_w1`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn replicate_long_w1_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_long_w1(simd, tile) });
}

#[cfg(all())]
static REPLICATE_LONG_W1_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_long_w1_scalar",
        family: Family::Move,
        pattern: Pattern::ReplicateLong,
        width: 1,
        isa: Level::Scalar,
    },
    run: replicate_long_w1_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_long_w1`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn replicate_long_w1_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_long_w1(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static REPLICATE_LONG_W1_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_long_w1_avx2",
        family: Family::Move,
        pattern: Pattern::ReplicateLong,
        width: 1,
        isa: Level::Avx2,
    },
    run: replicate_long_w1_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_long_w1`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn replicate_long_w1_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_long_w1(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static REPLICATE_LONG_W1_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_long_w1_avx512",
        family: Family::Move,
        pattern: Pattern::ReplicateLong,
        width: 1,
        isa: Level::Avx512,
    },
    run: replicate_long_w1_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `replicate_long_w1`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn replicate_long_w1_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { replicate_long_w1(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static REPLICATE_LONG_W1_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "replicate_long_w1_neon",
        family: Family::Move,
        pattern: Pattern::ReplicateLong,
        width: 1,
        isa: Level::Neon,
    },
    run: replicate_long_w1_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w1`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn splat_w1_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w1(simd, tile) });
}

#[cfg(all())]
static SPLAT_W1_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w1_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 1,
        isa: Level::Scalar,
    },
    run: splat_w1_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w1`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w1_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w1(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static SPLAT_W1_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w1_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 1,
        isa: Level::Avx2,
    },
    run: splat_w1_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w1`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w1_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w1(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W1_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w1_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 1,
        isa: Level::Avx512,
    },
    run: splat_w1_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w1`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w1_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w1(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static SPLAT_W1_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w1_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 1,
        isa: Level::Neon,
    },
    run: splat_w1_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w2`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn splat_w2_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w2(simd, tile) });
}

#[cfg(all())]
static SPLAT_W2_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w2_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 2,
        isa: Level::Scalar,
    },
    run: splat_w2_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w2`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w2_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w2(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static SPLAT_W2_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w2_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 2,
        isa: Level::Avx2,
    },
    run: splat_w2_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w2`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w2_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w2(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W2_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w2_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 2,
        isa: Level::Avx512,
    },
    run: splat_w2_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w2`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w2_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w2(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static SPLAT_W2_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w2_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 2,
        isa: Level::Neon,
    },
    run: splat_w2_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn splat_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w4(simd, tile) });
}

#[cfg(all())]
static SPLAT_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Scalar,
    },
    run: splat_w4_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w4_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w4(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static SPLAT_W4_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Avx2,
    },
    run: splat_w4_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w4_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w4(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W4_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Avx512,
    },
    run: splat_w4_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w4`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w4_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w4(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static SPLAT_W4_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w4_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 4,
        isa: Level::Neon,
    },
    run: splat_w4_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w8`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn splat_w8_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w8(simd, tile) });
}

#[cfg(all())]
static SPLAT_W8_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w8_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 8,
        isa: Level::Scalar,
    },
    run: splat_w8_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w8`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w8_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w8(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static SPLAT_W8_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w8_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 8,
        isa: Level::Avx2,
    },
    run: splat_w8_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w8`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w8_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w8(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W8_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w8_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 8,
        isa: Level::Avx512,
    },
    run: splat_w8_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w8`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w8_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w8(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static SPLAT_W8_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w8_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 8,
        isa: Level::Neon,
    },
    run: splat_w8_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w16`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn splat_w16_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w16(simd, tile) });
}

#[cfg(all())]
static SPLAT_W16_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w16_scalar",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 16,
        isa: Level::Scalar,
    },
    run: splat_w16_scalar,
};
/// Enters the avx2 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w16`, on a CPU that passed the avx2's check.
#[cfg(target_arch = "x86_64")]
unsafe fn splat_w16_avx2(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx2() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w16(simd, tile) });
}

#[cfg(target_arch = "x86_64")]
static SPLAT_W16_AVX2: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w16_avx2",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 16,
        isa: Level::Avx2,
    },
    run: splat_w16_avx2,
};
/// Enters the avx512 once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w16`, on a CPU that passed the avx512's check.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
unsafe fn splat_w16_avx512(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::avx512() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w16(simd, tile) });
}

#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static SPLAT_W16_AVX512: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w16_avx512",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 16,
        isa: Level::Avx512,
    },
    run: splat_w16_avx512,
};
/// Enters the neon once and runs the tile.
///
/// # Safety
/// The tile contract of `splat_w16`, on a CPU that passed the neon's check.
#[cfg(target_arch = "aarch64")]
unsafe fn splat_w16_neon(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::neon() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { splat_w16(simd, tile) });
}

#[cfg(target_arch = "aarch64")]
static SPLAT_W16_NEON: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "splat_w16_neon",
        family: Family::Move,
        pattern: Pattern::Splat,
        width: 16,
        isa: Level::Neon,
    },
    run: splat_w16_neon,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w1`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn strided_w1_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { strided_w1(simd, tile) });
}

#[cfg(all())]
static STRIDED_W1_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w1_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 1,
        isa: Level::Scalar,
    },
    run: strided_w1_scalar,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w2`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn strided_w2_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { strided_w2(simd, tile) });
}

#[cfg(all())]
static STRIDED_W2_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w2_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 2,
        isa: Level::Scalar,
    },
    run: strided_w2_scalar,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w4`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn strided_w4_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { strided_w4(simd, tile) });
}

#[cfg(all())]
static STRIDED_W4_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w4_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 4,
        isa: Level::Scalar,
    },
    run: strided_w4_scalar,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w8`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn strided_w8_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { strided_w8(simd, tile) });
}

#[cfg(all())]
static STRIDED_W8_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w8_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 8,
        isa: Level::Scalar,
    },
    run: strided_w8_scalar,
};
/// Enters the scalar once and runs the tile.
///
/// # Safety
/// The tile contract of `strided_w16`, on a CPU that passed the scalar's check.
#[cfg(all())]
unsafe fn strided_w16_scalar(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::scalar() };
    // SAFETY: the caller vouches for the tile.
    Simd::vectorize(simd, #[inline(always)] || unsafe { strided_w16(simd, tile) });
}

#[cfg(all())]
static STRIDED_W16_SCALAR: Kernel<2> = Kernel {
    info: KernelInfo {
        name: "strided_w16_scalar",
        family: Family::Move,
        pattern: Pattern::Strided,
        width: 16,
        isa: Level::Scalar,
    },
    run: strided_w16_scalar,
};

/// Every move kernel of this build.
pub(crate) static MOVE_KERNELS: &[&Kernel<2>] = &[
    #[cfg(all())]
    &CONTIGUOUS_W1_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &CONTIGUOUS_W1_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &CONTIGUOUS_W1_AVX512,
    #[cfg(target_arch = "aarch64")]
    &CONTIGUOUS_W1_NEON,
    #[cfg(all())]
    &REPLICATE_SHORT_W1_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &REPLICATE_SHORT_W1_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &REPLICATE_SHORT_W1_AVX512,
    #[cfg(target_arch = "aarch64")]
    &REPLICATE_SHORT_W1_NEON,
    #[cfg(all())]
    &REPLICATE_LONG_W1_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &REPLICATE_LONG_W1_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &REPLICATE_LONG_W1_AVX512,
    #[cfg(target_arch = "aarch64")]
    &REPLICATE_LONG_W1_NEON,
    #[cfg(all())]
    &SPLAT_W1_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &SPLAT_W1_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &SPLAT_W1_AVX512,
    #[cfg(target_arch = "aarch64")]
    &SPLAT_W1_NEON,
    #[cfg(all())]
    &SPLAT_W2_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &SPLAT_W2_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &SPLAT_W2_AVX512,
    #[cfg(target_arch = "aarch64")]
    &SPLAT_W2_NEON,
    #[cfg(all())]
    &SPLAT_W4_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &SPLAT_W4_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &SPLAT_W4_AVX512,
    #[cfg(target_arch = "aarch64")]
    &SPLAT_W4_NEON,
    #[cfg(all())]
    &SPLAT_W8_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &SPLAT_W8_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &SPLAT_W8_AVX512,
    #[cfg(target_arch = "aarch64")]
    &SPLAT_W8_NEON,
    #[cfg(all())]
    &SPLAT_W16_SCALAR,
    #[cfg(target_arch = "x86_64")]
    &SPLAT_W16_AVX2,
    #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
    &SPLAT_W16_AVX512,
    #[cfg(target_arch = "aarch64")]
    &SPLAT_W16_NEON,
    #[cfg(all())]
    &STRIDED_W1_SCALAR,
    #[cfg(all())]
    &STRIDED_W2_SCALAR,
    #[cfg(all())]
    &STRIDED_W4_SCALAR,
    #[cfg(all())]
    &STRIDED_W8_SCALAR,
    #[cfg(all())]
    &STRIDED_W16_SCALAR,
];

/// Kernels of one level by pattern and width; its own, else those it falls back to.
#[cfg(all())]
static MOVES_SCALAR: [[Option<&Kernel<2>>; 5]; 5] = [
    [Some(&CONTIGUOUS_W1_SCALAR), None, None, None, None, ],
    [Some(&REPLICATE_SHORT_W1_SCALAR), None, None, None, None, ],
    [Some(&REPLICATE_LONG_W1_SCALAR), None, None, None, None, ],
    [Some(&SPLAT_W1_SCALAR), Some(&SPLAT_W2_SCALAR), Some(&SPLAT_W4_SCALAR), Some(&SPLAT_W8_SCALAR), Some(&SPLAT_W16_SCALAR), ],
    [Some(&STRIDED_W1_SCALAR), Some(&STRIDED_W2_SCALAR), Some(&STRIDED_W4_SCALAR), Some(&STRIDED_W8_SCALAR), Some(&STRIDED_W16_SCALAR), ],
];

/// Kernels of one level by pattern and width; its own, else those it falls back to.
#[cfg(target_arch = "x86_64")]
static MOVES_AVX2: [[Option<&Kernel<2>>; 5]; 5] = [
    [Some(&CONTIGUOUS_W1_AVX2), None, None, None, None, ],
    [Some(&REPLICATE_SHORT_W1_AVX2), None, None, None, None, ],
    [Some(&REPLICATE_LONG_W1_AVX2), None, None, None, None, ],
    [Some(&SPLAT_W1_AVX2), Some(&SPLAT_W2_AVX2), Some(&SPLAT_W4_AVX2), Some(&SPLAT_W8_AVX2), Some(&SPLAT_W16_AVX2), ],
    [Some(&STRIDED_W1_SCALAR), Some(&STRIDED_W2_SCALAR), Some(&STRIDED_W4_SCALAR), Some(&STRIDED_W8_SCALAR), Some(&STRIDED_W16_SCALAR), ],
];

/// Kernels of one level by pattern and width; its own, else those it falls back to.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static MOVES_AVX512: [[Option<&Kernel<2>>; 5]; 5] = [
    [Some(&CONTIGUOUS_W1_AVX512), None, None, None, None, ],
    [Some(&REPLICATE_SHORT_W1_AVX512), None, None, None, None, ],
    [Some(&REPLICATE_LONG_W1_AVX512), None, None, None, None, ],
    [Some(&SPLAT_W1_AVX512), Some(&SPLAT_W2_AVX512), Some(&SPLAT_W4_AVX512), Some(&SPLAT_W8_AVX512), Some(&SPLAT_W16_AVX512), ],
    [Some(&STRIDED_W1_SCALAR), Some(&STRIDED_W2_SCALAR), Some(&STRIDED_W4_SCALAR), Some(&STRIDED_W8_SCALAR), Some(&STRIDED_W16_SCALAR), ],
];

/// Kernels of one level by pattern and width; its own, else those it falls back to.
#[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
static MOVES_AVX512VBMI: [[Option<&Kernel<2>>; 5]; 5] = [
    [Some(&CONTIGUOUS_W1_AVX512), None, None, None, None, ],
    [Some(&REPLICATE_SHORT_W1_AVX512), None, None, None, None, ],
    [Some(&REPLICATE_LONG_W1_AVX512), None, None, None, None, ],
    [Some(&SPLAT_W1_AVX512), Some(&SPLAT_W2_AVX512), Some(&SPLAT_W4_AVX512), Some(&SPLAT_W8_AVX512), Some(&SPLAT_W16_AVX512), ],
    [Some(&STRIDED_W1_SCALAR), Some(&STRIDED_W2_SCALAR), Some(&STRIDED_W4_SCALAR), Some(&STRIDED_W8_SCALAR), Some(&STRIDED_W16_SCALAR), ],
];

/// Kernels of one level by pattern and width; its own, else those it falls back to.
#[cfg(target_arch = "aarch64")]
static MOVES_NEON: [[Option<&Kernel<2>>; 5]; 5] = [
    [Some(&CONTIGUOUS_W1_NEON), None, None, None, None, ],
    [Some(&REPLICATE_SHORT_W1_NEON), None, None, None, None, ],
    [Some(&REPLICATE_LONG_W1_NEON), None, None, None, None, ],
    [Some(&SPLAT_W1_NEON), Some(&SPLAT_W2_NEON), Some(&SPLAT_W4_NEON), Some(&SPLAT_W8_NEON), Some(&SPLAT_W16_NEON), ],
    [Some(&STRIDED_W1_SCALAR), Some(&STRIDED_W2_SCALAR), Some(&STRIDED_W4_SCALAR), Some(&STRIDED_W8_SCALAR), Some(&STRIDED_W16_SCALAR), ],
];

/// The kernel for a pattern and width (bytes per column) on a level; `None` where none was rendered.
pub(crate) fn move_kernel(level: Level, pattern: Pattern, width: usize) -> Option<&'static Kernel<2>> {
    let table = match level {
        #[cfg(all())]
        Level::Scalar => &MOVES_SCALAR,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => &MOVES_AVX2,
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Level::Avx512 => &MOVES_AVX512,
        #[cfg(all(target_arch = "x86_64", feature = "x86-v4"))]
        Level::Avx512Vbmi => &MOVES_AVX512VBMI,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => &MOVES_NEON,
    };
    let row = match pattern {
        Pattern::Contiguous => 0,
        Pattern::ReplicateShort => 1,
        Pattern::ReplicateLong => 2,
        Pattern::Splat => 3,
        Pattern::Strided => 4,
    };
    table[row][width.trailing_zeros() as usize]
}
