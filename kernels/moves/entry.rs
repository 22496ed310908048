// What every kernel has: its entry and its row of the inventory.

//# per kernel
/// Enters its instruction set once and runs the tile.
///
/// # Safety
/// The tile contract of `body`, on a CPU that has the instruction set.
#[cfg(level_cfg)]
unsafe fn entry(tile: &Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::level() };
    // SAFETY: the caller vouches for the tile.
    simd.vectorize(
        #[inline(always)]
        || unsafe { body(simd, tile) },
    );
}

/// What is known of it.
#[cfg(level_cfg)]
static ENTRY: Kernel<2> = Kernel {
    info: KernelInfo {
        name: entry_name,
        family: Family::Move,
        pattern: Pattern::ThisPattern,
        stores: Stores::ThisStores,
        width: entry_width,
        isa: Level::ThisLevel,
    },
    run: entry,
};
