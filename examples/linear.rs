//! A linear layer without a matrix, `y = x * scale + bias`, trained by hand: the loss is the mean of `(y - t)^2`.
//!
//! Run it with `cargo run --example linear`.

use stridecast::{Result, Tensor, View, ViewMut, map, ops, reduce};

const ROWS: usize = 64;
const COLS: usize = 3;
const RATE: f32 = 0.4;

fn main() -> Result<()> {
    let x: Vec<f32> = (0..ROWS * COLS).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    let x = View::new(&x, &[ROWS, COLS])?;
    // What is to be found.
    let (wanted_scale, wanted_bias) = ([2.0_f32, -1.0, 0.5], [0.25_f32, 0.0, -3.0]);
    let target = forward(&x, &wanted_scale, &wanted_bias)?;

    let (mut scale, mut bias) = ([0.0_f32; COLS], [0.0_f32; COLS]);
    let mut losses = Vec::new();
    for _ in 0..50 {
        let error = ops::sub(&forward(&x, &scale, &bias)?.view(), &target.view())?;
        losses.push(error.as_slice().iter().map(|e| e * e).sum::<f32>() / x.len() as f32);

        // The gradient of the loss by y. Both parameters were broadcast over the rows, so theirs are sums over rows.
        let g = map(&|e: f32| e * (2.0 / (ROWS * COLS) as f32), (&error.view(),))?;
        let to_bias = reduce::sum_to(&g.view(), &[COLS])?;
        let to_scale = reduce::sum_of_product_to(&g.view(), &x, &[COLS])?; // g * x is written nowhere
        step(&mut bias, &to_bias)?;
        step(&mut scale, &to_scale)?;
    }

    println!("loss {:.4} before, {:.1e} after {} steps", losses[0], losses[losses.len() - 1], losses.len());
    println!("scale {scale:.3?}, bias {bias:.3?}");
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "the loss falls at every step: {losses:?}");
    assert!(scale.iter().zip(&wanted_scale).all(|(got, wanted)| (got - wanted).abs() < 0.05));
    assert!(bias.iter().zip(&wanted_bias).all(|(got, wanted)| (got - wanted).abs() < 0.05));
    Ok(())
}

/// `x * scale + bias` in one pass.
fn forward(x: &View<'_, f32>, scale: &[f32; COLS], bias: &[f32; COLS]) -> Result<Tensor<f32>> {
    ops::mul_add(x, &View::new(scale, &[COLS])?, &View::new(bias, &[COLS])?)
}

/// A step of a parameter against its gradient.
fn step(parameter: &mut [f32; COLS], gradient: &Tensor<f32>) -> Result<()> {
    let scaled = map(&|g: f32| RATE * g, (&gradient.view(),))?;
    ops::sub_assign(ViewMut::new(parameter, &[COLS])?, &scaled.view())
}
