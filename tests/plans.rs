//! What plans decide: shapes that differ only in how they were written down end in one plan.

use stridecast::{Layout, Options, Pattern, Plan, Rule, View, ViewMut, broadcast_into};

/// All orders of the axes.
fn permutations(rank: usize) -> Vec<Vec<usize>> {
    (0..rank).fold(vec![vec![]], |shorter, axis| {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, axis);
                longer
            })
        };
        shorter.iter().flat_map(insert).collect()
    })
}

/// The plan of broadcasting `source` to `out` with the axes of both in another order.
fn permuted(source: &[usize], out: &[usize], order: &[usize]) -> Plan {
    let from = Layout::new(source).unwrap().broadcast_to(out).unwrap().permute(order).unwrap();
    let to = Layout::new(out).unwrap().permute(order).unwrap();
    Plan::copy(&from, &to, 4, Options::new()).unwrap()
}

/// Channels broadcast over batch rows and pixels. N and X cannot fold into the tile (the source moves along N, stands
/// along X, and moves along C again), so the tile of C x Y*Z is the two-level nest, and N and X walk it.
#[test]
fn channel_broadcasts_end_in_one_tile_in_every_axis_order() {
    let (n, x, c, y, z) = (2, 3, 4, 5, 6);
    let (source, out) = ([n, 1, c, 1, 1], [n, x, c, y, z]);
    let plain = Plan::broadcast(&Layout::new(&source).unwrap(), &out, Rule::Numpy, 4, Options::new()).unwrap();
    assert_eq!(plain.loop_sizes().collect::<Vec<_>>(), [n, x, c, y * z]);
    assert_eq!(plain.pattern(), Pattern::Splat);
    for order in permutations(5) {
        let plan = permuted(&source, &out, &order);
        assert!(plan.loop_sizes().eq(plain.loop_sizes()), "{order:?}\n{plan}");
        assert_eq!((plan.pattern(), plan.kernel()), (plain.pattern(), plain.kernel()), "{order:?}");
    }
}

/// Without a batch, or with one that the channels follow densely, two loops are all there is.
#[test]
fn two_loops_are_enough_where_axes_fold() {
    let cases: [(&[usize], &[usize]); 5] = [
        (&[1, 1, 16, 1, 1], &[1, 1, 16, 5, 7]),
        (&[16, 1, 1], &[16, 5, 7]),
        (&[1, 16, 1, 1], &[1, 16, 7, 5]),
        (&[4, 4, 1, 1], &[4, 4, 5, 7]),
        (&[2, 1, 8, 1, 1], &[2, 1, 8, 7, 5]),
    ];
    for (source, out) in cases {
        for order in permutations(out.len()) {
            let plan = permuted(source, out, &order);
            assert_eq!(plan.loop_sizes().collect::<Vec<_>>(), [16, 35], "{source:?} -> {out:?} in {order:?}\n{plan}");
            assert_eq!(plan.pattern(), Pattern::Splat);
        }
    }
}

/// Rows over a stretched batch fold to one replicated row whatever the batch's axes are.
#[test]
fn row_broadcasts_fold_their_batch() {
    for (out, rows) in [(&[6, 3][..], 6), (&[2, 3, 3], 6), (&[3, 1, 2, 3], 6)] {
        let plan = Plan::broadcast(&Layout::new(&[3]).unwrap(), out, Rule::Numpy, 4, Options::new()).unwrap();
        // Moved as bytes: three elements of four.
        assert_eq!(plan.loop_sizes().collect::<Vec<_>>(), [rows, 12], "{out:?}");
        assert_eq!(plan.pattern(), Pattern::ReplicateShort);
    }
}

#[test]
fn a_plain_copy_in_any_axis_order_is_one_loop() {
    for order in permutations(4) {
        let plan = permuted(&[2, 3, 5, 7], &[2, 3, 5, 7], &order);
        assert_eq!(plan.loop_sizes().collect::<Vec<_>>(), [2 * 3 * 5 * 7 * 4], "{order:?}");
        assert_eq!(plan.pattern(), Pattern::Contiguous);
    }
}

/// A call that runs at once makes no plan; it takes and refuses what the plan would.
#[test]
fn a_call_decides_as_a_plan_does() {
    const HALF: usize = isize::MAX as usize / 2;
    let shapes: [&[usize]; 12] = [
        &[],
        &[1],
        &[3],
        &[0],
        &[2, 3],
        &[2, 1],
        &[3, 1, 1],
        &[1, 3, 2, 2],
        &[4, 1, 6],
        &[0, HALF],
        &[HALF],
        &[HALF, 9],
    ];
    let data = [7.0_f32; 24];
    for source in shapes {
        let Some(data) = Layout::new(source).ok().and_then(|layout| data.get(..layout.len())) else { continue };
        for target in shapes {
            for rule in [Rule::Numpy, Rule::Bidirectional, Rule::BroadcastLike(&[]), Rule::Pdpd { axis: Some(0) }] {
                let context = format!("{source:?} -> {target:?} by {rule:?}");
                let layout = Layout::new(source).unwrap();
                let plan = Plan::broadcast(&layout, target, rule, 4, Options::new());
                let len = plan.as_ref().map_or(0, Plan::output_len);
                if len > 1000 {
                    continue;
                }
                let (mut planned, mut called) = (vec![0.0; len], vec![0.0; len]);
                let planned_or = plan.as_ref().map_err(Clone::clone).and_then(|plan| plan.run(data, &mut planned));
                let view = View::new(data, source).unwrap();
                assert_eq!(broadcast_into(&view, target, rule, &mut called), planned_or, "{context}");
                assert_eq!(called, planned, "{context}");

                // A view in C order has the rule's shape exactly, and its memory may go on behind it.
                let Ok(out_layout) = Layout::new(target).map(Layout::into_owned) else { continue };
                if out_layout.len() > 1000 {
                    continue;
                }
                let mut longer = vec![0.0; out_layout.len() + 5];
                let out = ViewMut::from_layout(&mut longer, out_layout.clone()).unwrap();
                let copied =
                    layout.broadcast(target, rule).and_then(|wide| Plan::copy(&wide, &out_layout, 4, Options::new()));
                assert_eq!(broadcast_into(&view, target, rule, out), copied.map(drop), "{context}");
                assert!(longer[out_layout.len()..].iter().all(|&x| x == 0.0), "{context}");
            }
        }
    }
}
