//! Every layout of the hostile grid through every door: an error, or plain data that stays in bounds.
//!
//! Which of the two the model says. A panic names the case that it happened on.

use std::ptr;

use stridecast::{AnyView, AnyViewMut, DType, Layout, Options, Plan, Rule, View, ViewMut, raw};

use crate::model::{hostile_layouts, no_panic};
use crate::{ELEMS, MAX, MIN};

#[test]
fn hostile_layouts_are_errors_or_plain_data() {
    let mut accepted = 0;
    for case in hostile_layouts() {
        let layout = no_panic(&case, || case.layout().map(Layout::into_owned));
        assert_eq!(layout.is_ok(), case.may_be_accepted(), "{case:?}");
        let Ok(layout) = layout else { continue };
        accepted += 1;
        no_panic(&case, || {
            let _ = (layout.permute(&[1, 0]), layout.transpose(), layout.flip(0), layout.flip(1));
            let _ = (layout.slice(0, 0, 1, MIN), layout.slice(1, 1, 2, MAX), layout.slice(1, usize::MAX, 0, 0));
            let _ = (layout.broadcast_to(&[2, case.shape[0], case.shape[1]]), layout.expand_dims(&[0, 3]));
            let _ = layout.broadcast(&[usize::MAX, 2], Rule::Bidirectional);
        });
    }
    assert!(accepted > 1000, "the grid is not all refusals");
}

#[test]
fn views_of_hostile_layouts_are_errors_or_in_bounds() {
    let mut data = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for case in hostile_layouts() {
        let (low, high) = case.span();
        let inside = case.may_be_accepted() && (case.is_empty() || (low >= 0 && high < 8));
        let Ok(offset) = usize::try_from(case.offset) else { continue };
        no_panic(&case, || {
            let view = View::with_strides(&data, offset, &case.shape, &case.strides);
            assert_eq!(view.is_ok(), inside, "{case:?}");
            if let Ok(view) = view {
                view.iter().take(64).for_each(|item| assert!((1..=8).contains(item)));
            }
        });
        no_panic(&case, || {
            let view = ViewMut::with_strides(&mut data, offset, &case.shape, &case.strides);
            assert!(inside || view.is_err(), "{case:?}");
        });
        no_panic(&case, || {
            let layout = case.layout();
            let any = layout.and_then(|layout| AnyView::new(DType::U64, bytemuck::cast_slice(&data), layout));
            assert_eq!(any.is_ok(), inside, "{case:?}");
            let bytes = bytemuck::cast_slice_mut(&mut data);
            let any = case.layout().and_then(|layout| AnyViewMut::new(DType::U64, bytes, layout));
            assert!(inside || any.is_err(), "{case:?}");
        });
    }
    assert_eq!(data, [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Both as the source of a dense output and as the output: a plan or an error, and a plan that refuses slices which
/// are too short, prints itself and cuts itself.
#[test]
fn plans_of_hostile_layouts_never_overflow() {
    for case in hostile_layouts() {
        let Ok(layout) = case.layout() else { continue };
        let dense = Layout::new(&case.shape).unwrap();
        for elem in ELEMS {
            for (source, out) in [(&layout, &dense), (&dense, &layout), (&layout, &layout)] {
                no_panic(&(&case, elem), || {
                    let Ok(plan) = Plan::copy(source, out, elem, Options::new()) else { return };
                    let _ = (plan.to_string(), plan.source_need(), plan.output_bytes());
                    if let Ok(parts) = plan.parts(3) {
                        let last = parts.range(parts.len() - 1);
                        assert_eq!(last.end, plan.output_len());
                    }
                    let fits = plan.output_bytes() <= 64 && plan.source_need().saturating_mul(elem) <= 64;
                    if !fits {
                        let mut room = [7; 64];
                        assert!(plan.run_bytes(&[1; 64], &mut room).is_err());
                        assert_eq!(room, [7; 64]);
                    }
                });
            }
        }
    }
}

/// Pointers from nowhere: whatever the layout says, only calls that the addresses alone refuse are made.
#[test]
fn pointers_that_cannot_hold_the_layout_are_refused() {
    let addresses = [0, 1, 7, 64, 1 << 47, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX - 64, usize::MAX];
    let mut memory = [7_u8; 64];
    let good = memory.as_mut_ptr();
    for case in hostile_layouts().into_iter().filter(|case| case.shape.iter().all(|&size| size < 4)) {
        let Ok(layout) = case.layout() else { continue };
        // Within the 64 bytes for up to 4 bytes an element.
        let small = Layout::new(&case.shape).unwrap();
        for (elem, addr) in [1, 3, 4].into_iter().flat_map(|elem| addresses.map(|addr| (elem, addr))) {
            let bad = ptr::without_provenance_mut::<u8>(addr);
            if !case.is_empty() && case.leaves_memory(addr, elem) {
                no_panic(&(&case, elem, addr), || {
                    // SAFETY: refused for the address before anything is read or written.
                    unsafe {
                        assert!(raw::copy(elem, bad, &layout, good, &small, Options::new()).is_err());
                        assert!(raw::copy(elem, good, &small, bad, &layout, Options::new()).is_err());
                    }
                });
            } else if case.is_empty() {
                no_panic(&(&case, elem, addr), || {
                    // SAFETY: without elements nothing is read or written, wherever the pointers point.
                    unsafe {
                        raw::copy(elem, bad, &layout, bad, &layout, Options::new()).unwrap();
                        raw::copy(elem, good, &small, bad, &layout, Options::new()).unwrap();
                    }
                });
            }
        }
    }
    assert_eq!(memory, [7; 64]);
}
