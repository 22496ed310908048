// What every kernel has: its entry and its row of the inventory.

//# once
/// What an entry gives to its closure, which can then be called once only. One that could be called again is called
/// through a shim that need not be inlined, and a large kernel was not: it ran without its level's instructions.
struct Once<T>(T);

impl<T> Once<T> {
    #[inline(always)]
    fn take(self) -> T {
        self.0
    }
}

//# per kernel
/// Enters its instruction set once and runs the tile plane by plane; a body may run several.
///
/// # Safety
/// The tile contract of `body`, on a CPU that has the instruction set.
#[cfg(level_cfg)]
unsafe fn entry(tile: &mut Tile<2>) {
    // SAFETY: the caller vouches for the CPU.
    let simd = unsafe { token::level() };
    let tile = Once(tile);
    simd.vectorize(
        #[inline(always)]
        || {
            let tile = tile.take();
            while tile.planes > 0 {
                // SAFETY: the caller vouches for every plane.
                unsafe { body(simd, tile) };
                tile.next_plane();
            }
        },
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
