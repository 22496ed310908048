//! Reductions that once went wrong, or could.

use stridecast::{Over, Reduction, Tensor, View, reduce};

/// The second operand of a product stands still along the groups of the first one: a block of eight rows of a group has
/// to be laid out, of up to 2 KiB each.
#[test]
fn wide_groups_of_a_product_are_laid_out_only_where_a_block_of_their_rows_fits() {
    for rows in [7, 8, 16, 17] {
        for run in [85, 86, 100, 128, 170] {
            let (a, b) = ([rows, 4, run, 3], [rows, 1, run, 3]);
            let x: Vec<f32> = (0..a.iter().product()).map(|i: usize| (i % 5) as f32).collect();
            let y: Vec<f32> = (0..b.iter().product()).map(|i: usize| (i % 7) as f32).collect();
            let over = Over::Axes { axes: &[0, 2], keep_dims: false };
            let (x_view, y_view) = (View::new(&x, &a).unwrap(), View::new(&y, &b).unwrap());
            let got: Tensor<f32> = reduce::sum_of_product(&x_view, &y_view, over).unwrap();
            let mut want = [0.0; 12];
            for (i, x) in x.iter().enumerate() {
                let (row, group, rest) = (i / (4 * run * 3), i / (run * 3) % 4, i % (run * 3));
                want[group * 3 + rest % 3] += x * y[row * run * 3 + rest];
            }
            // Whole numbers below 2^24: exact in any order.
            assert_eq!(got.as_slice(), want, "{rows} rows of runs of {run}");
        }
    }
}

/// A thread that waits for its half of a reduction takes up the next one, on top of it.
#[cfg(feature = "rayon")]
#[test]
fn reductions_inside_a_pool_wait_on_little_stack() {
    use rayon::prelude::*;
    // One on its own takes 72 KiB and some calls.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).stack_size(192 << 10).build().unwrap();
    let x = vec![1.0_f32; 5120 * 64];
    pool.install(|| {
        (0..2000).into_par_iter().with_max_len(1).for_each(|_| {
            let x = View::new(&x, &[5120, 64]).unwrap();
            let sum: Tensor<f32> = reduce::reduce(Reduction::Sum, &x, Over::To(&[64])).unwrap();
            assert_eq!(sum.as_slice(), [5120.0; 64]);
        });
    });
}
