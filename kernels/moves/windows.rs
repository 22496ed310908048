// Choosing bytes by vectors: from windows of the source.

//# once
/// How vectors make a [`Choice`]: each lane of the output is chosen from one or two windows of source bytes.
#[repr(align(64))]
struct Windows {
    /// The place in the windows that each byte comes from, as each of the two tables wants it.
    places: [[MaybeUninit<u8>; CHOICE]; 2],
    /// Where the windows of each lane are.
    offsets: [[MaybeUninit<usize>; CHOICE / 16]; 2],
    /// Vectors of a group.
    vectors: usize,
    /// How many windows a lane has at most; 0 if all have the same one, at the start of the source, 3 if all have that
    /// one and another, which ends with it.
    number: usize,
    /// Source bytes that the windows of a group reach over.
    reach: usize,
}

impl Windows {
    const EMPTY: Self = Self {
        places: [[MaybeUninit::uninit(); CHOICE]; 2],
        offsets: [[MaybeUninit::uninit(); CHOICE / 16]; 2],
        vectors: 0,
        number: 0,
        reach: 0,
    };

    /// `false` if a lane has bytes from more than two windows. The last vector of a group that is no whole vectors ends
    /// with it.
    #[inline(always)]
    fn make<S: Choose>(&mut self, choice: &Choice) -> bool {
        let (vector, window) = (size_of::<S::Vector>(), S::WINDOW as u16);
        self.vectors = choice.bytes.div_ceil(vector);
        self.reach = choice.source.max(S::WINDOW);
        // No window need begin further on: this one ends with the source, or is all of it.
        let furthest = self.reach as u16 - window;
        // Two windows hold all of a short source, once for all lanes. 281 KiB of 36 of each 4 elements of 4 bytes take
        // 5.6 us by windows of their own and 3.2 so (AVX2 on Zen 4), rows of 80 bytes four times 8.0 and 3.9 (VBMI).
        let shared = choice.source <= 2 * S::WINDOW;
        if shared {
            self.number = if choice.source > S::WINDOW { 3 } else { 0 };
        }
        for lane in 0..self.vectors * (vector / S::WINDOW) {
            let at = lane * S::WINDOW;
            let first = (at / vector * vector).min(choice.bytes - vector) + at % vector;
            let from = &choice.from[first..first + S::WINDOW];
            let low = if shared { 0 } else { from.iter().fold(furthest, |low, &from| low.min(from)) };
            let others = from.iter().map(|&from| if from - low < window { u16::MAX } else { from });
            let high = others.fold(u16::MAX, |high, from| high.min(from));
            let last = if shared || high != u16::MAX { high.min(furthest) } else { low };
            let mut inside = true;
            let [first, second] = &mut self.places;
            let tables = first[at..at + S::WINDOW].iter_mut().zip(&mut second[at..at + S::WINDOW]);
            for (&from, (first, second)) in from.iter().zip(tables) {
                // What both windows hold is taken from the first.
                let in_first = from - low < window;
                inside &= in_first | (from.wrapping_sub(last) < window);
                let place = if in_first { from - low } else { from.wrapping_sub(last) + window } as u8;
                first.write(place.wrapping_add(S::BIAS[0]));
                second.write(place.wrapping_add(S::BIAS[1]));
            }
            if !inside {
                return false;
            }
            if !shared {
                self.number = self.number.max(if high != u16::MAX { 2 } else { 1 });
            }
            self.offsets[0][lane].write(usize::from(low));
            self.offsets[1][lane].write(usize::from(last));
        }
        true
    }

    /// Writes groups of `choice` from `src` on, each `step` further.
    ///
    /// # Safety
    /// The windows were made for `choice` and the level's vectors; from the source of each group on `reach` bytes are
    /// readable, and `out` is writable for all groups.
    #[inline(always)]
    unsafe fn write<S: Choose>(
        &self,
        simd: S,
        choice: &Choice,
        out: *mut u8,
        src: *const u8,
        groups: usize,
        step: usize,
    ) {
        // SAFETY: the same contract, by the number of windows.
        unsafe {
            match self.number {
                0 => self.write_few::<S, 0>(simd, choice, out, src, groups, step),
                1 => self.write_few::<S, 1>(simd, choice, out, src, groups, step),
                3 => self.write_few::<S, 3>(simd, choice, out, src, groups, step),
                _ => self.write_groups::<S, 2, 0>(simd, choice, out, src, groups, step),
            }
        }
    }

    /// As `write`, for `NUMBER` windows: with the number of a group's vectors as a constant, if it is small.
    ///
    /// # Safety
    /// As `write`, with windows as the constant says.
    #[inline(always)]
    unsafe fn write_few<S: Choose, const NUMBER: usize>(
        &self,
        simd: S,
        choice: &Choice,
        out: *mut u8,
        src: *const u8,
        groups: usize,
        step: usize,
    ) {
        // SAFETY: the same contract.
        unsafe {
            match self.vectors {
                1 => self.write_groups::<S, NUMBER, 1>(simd, choice, out, src, groups, step),
                2 => self.write_groups::<S, NUMBER, 2>(simd, choice, out, src, groups, step),
                3 => self.write_groups::<S, NUMBER, 3>(simd, choice, out, src, groups, step),
                4 => self.write_groups::<S, NUMBER, 4>(simd, choice, out, src, groups, step),
                5 => self.write_groups::<S, NUMBER, 5>(simd, choice, out, src, groups, step),
                6 => self.write_groups::<S, NUMBER, 6>(simd, choice, out, src, groups, step),
                7 => self.write_groups::<S, NUMBER, 7>(simd, choice, out, src, groups, step),
                8 => self.write_groups::<S, NUMBER, 8>(simd, choice, out, src, groups, step),
                9 => self.write_groups::<S, NUMBER, 9>(simd, choice, out, src, groups, step),
                _ => self.write_groups::<S, NUMBER, 0>(simd, choice, out, src, groups, step),
            }
        }
    }

    /// As `write`, for `NUMBER` windows and `VECTORS` vectors a group, or any if that is 0: a constant keeps places in
    /// registers.
    ///
    /// # Safety
    /// As `write`, with windows and vectors as the constants say; two windows serve where there is one for each lane.
    #[inline(always)]
    unsafe fn write_groups<S: Choose, const NUMBER: usize, const VECTORS: usize>(
        &self,
        simd: S,
        choice: &Choice,
        mut out: *mut u8,
        mut src: *const u8,
        groups: usize,
        step: usize,
    ) {
        let vector = size_of::<S::Vector>();
        let last = if VECTORS == 0 { self.vectors } else { VECTORS } - 1;
        for _ in 0..groups {
            // SAFETY: all vectors of a group were made; the reach is a window at least, and the vectors are inside the
            // group.
            unsafe {
                let first = simd.windows(
                    #[inline(always)]
                    |_| src,
                );
                let second = simd.windows(
                    #[inline(always)]
                    |_| src.add(self.reach - S::WINDOW),
                );
                for i in 0..last {
                    let chosen = self.chosen::<S, NUMBER>(simd, src, [first, second], i);
                    write_unaligned(out.add(i * vector).cast::<S::Vector>(), chosen);
                }
                let chosen = self.chosen::<S, NUMBER>(simd, src, [first, second], last);
                write_unaligned(out.add(choice.bytes - vector).cast::<S::Vector>(), chosen);
            }
            (out, src) = (out.wrapping_add(choice.bytes), src.wrapping_add(step));
        }
    }

    /// Vector `i` of the group at `src`, whose first and last windows are `shared`.
    ///
    /// # Safety
    /// As `write_groups`, and `i` is less than the number of vectors.
    #[inline(always)]
    unsafe fn chosen<S: Choose, const NUMBER: usize>(
        &self,
        simd: S,
        src: *const u8,
        shared: [S::Vector; 2],
        i: usize,
    ) -> S::Vector {
        let (vector, lanes) = (size_of::<S::Vector>(), size_of::<S::Vector>() / S::WINDOW);
        // SAFETY: places and offsets of the vector were made, and its windows lie within the reach.
        unsafe {
            let (first, second) = (self.places[0].as_ptr().add(i * vector), self.places[1].as_ptr().add(i * vector));
            let places = [read_unaligned(first.cast::<S::Vector>()), read_unaligned(second.cast::<S::Vector>())];
            let (first, second) = (self.offsets[0].as_ptr().add(i * lanes), self.offsets[1].as_ptr().add(i * lanes));
            match NUMBER {
                0 => return simd.one(shared[0], places[0]),
                3 => return simd.two(shared, places),
                _ => {}
            }
            let low = simd.windows(
                #[inline(always)]
                |lane| src.add((*first.add(lane)).assume_init()),
            );
            if NUMBER == 1 {
                return simd.one(low, places[0]);
            }
            let high = simd.windows(
                #[inline(always)]
                |lane| src.add((*second.add(lane)).assume_init()),
            );
            simd.two([low, high], places)
        }
    }
}
