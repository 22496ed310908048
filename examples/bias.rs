//! One bias per channel, written out over a batch of images in two memory orders.
//!
//! Run it with `cargo run --example bias`.

use stridecast::{Layout, Options, Plan, Result, Rule, View, ViewMut, broadcast_into};

fn main() -> Result<()> {
    let values = [0.5_f32, -1.0, 2.0];
    let (batch, channels, height, width) = (2, values.len(), 4, 5);
    let nchw = [batch, channels, height, width];

    // The channel axis is not the last one, so NumPy's rule needs the bias as [3, 1, 1]; naming the axis needs nothing.
    let bias_shape = [channels];
    let bias = View::new(&values, &bias_shape)?;
    let mut out = vec![0.0_f32; nchw.iter().product()];
    broadcast_into(&bias, &nchw, Rule::AxesMapping(&[1]), &mut out)?;
    assert!(out.chunks(height * width).zip(values.iter().cycle()).all(|(plane, b)| plane.iter().all(|x| x == b)));

    // The same tensor laid out as NHWC: the strides of the output say so, the call does not change.
    let strides = Layout::new(&[batch, height, width, channels])?.permute(&[0, 3, 1, 2])?.strides();
    let mut out = vec![0.0_f32; out.len()];
    let target = ViewMut::with_strides(&mut out, 0, &nchw, &strides)?;
    broadcast_into(&bias, &nchw, Rule::AxesMapping(&[1]), target)?;
    assert!(out.chunks(channels).all(|pixel| pixel == values));

    // Many calls of one shape: decide once. A plan prints what it decided.
    let plan = Plan::broadcast(bias.layout(), &nchw, Rule::AxesMapping(&[1]), size_of::<f32>(), Options::new())?;
    for step in 0..3 {
        plan.run(&[step as f32; 3], &mut out)?;
        assert_eq!(out[0], step as f32);
    }
    println!("{plan}");
    Ok(())
}
