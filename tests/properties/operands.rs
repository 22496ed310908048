//! Several operands: their common shape, and each of them broadcast to it.
//!
//! Both doors are tried, views of one element type and views that carry a dtype each.

use proptest::array::uniform24;
use proptest::collection::vec;
use proptest::prelude::*;
use stridecast::{
    AnyView, AnyViewMut, DType, Layout, View, broadcast_all, broadcast_all_any_into, broadcast_arrays, broadcast_shapes,
};

use crate::common::bytes;
use crate::oracle::{Logical, Owned, common_shape};
use crate::strategies::{AXES, memories, shapes};
use crate::{cases, numbered};

/// Shapes that have a common one, most of the time.
fn operand_shapes() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let operand = (uniform24(proptest::bool::weighted(0.4)), 0..=4_usize);
    let slip = proptest::option::weighted(0.25, (0..8_usize, 0..16_usize, 0..4_usize));
    (shapes(), vec(operand, 0..=6), slip).prop_map(|(common, operands, slip)| {
        let narrow = |(mask, lead): &([bool; AXES], usize)| -> Vec<usize> {
            let sizes = common.iter().enumerate().map(|(axis, &size)| if mask[axis] { 1 } else { size });
            sizes.skip((*lead).min(common.len())).collect()
        };
        let mut shapes: Vec<_> = operands.iter().map(narrow).collect();
        if let Some((which, axis, size)) = slip
            && !shapes.is_empty()
        {
            let at = which % shapes.len();
            let rank = shapes[at].len();
            if rank > 0 {
                shapes[at][axis % rank] = size;
            }
        }
        shapes
    })
}

/// A buffer aligned for every dtype.
fn aligned(len: usize, seed: usize) -> Vec<u128> {
    numbered(len.div_ceil(16), seed)
}

proptest! {
    #![proptest_config(cases(1200))]

    #[test]
    fn operands_meet_in_their_common_shape(
        shapes in operand_shapes(), memory in memories(), out in memories(), dtypes in uniform24(0..100_usize),
    ) {
        let slices: Vec<&[usize]> = shapes.iter().map(|shape| &shape[..]).collect();
        let expected = common_shape(&shapes);
        prop_assert_eq!(broadcast_shapes(&slices).ok().map(|shape| shape.to_vec()), expected.clone());

        // One element type.
        let placed: Vec<_> = shapes.iter().map(|shape| memory.place(shape, true)).collect();
        let data: Vec<Vec<u16>> = placed.iter().enumerate().map(|(i, p)| numbered(p.len, i + 1)).collect();
        let views: Vec<_> = (0..shapes.len())
            .map(|i| View::with_strides(&data[i], placed[i].offset, &shapes[i], &placed[i].strides).unwrap())
            .collect();
        let wide = broadcast_all(&views);
        prop_assert_eq!(wide.is_ok(), expected.is_some());
        if let [a, b, ..] = &views[..] {
            let pair = broadcast_arrays([a.clone(), b.clone()]);
            prop_assert_eq!(pair.is_ok(), common_shape(&shapes[..2]).is_some());
        }

        // A type of its own for each.
        let dtypes: Vec<_> = dtypes.iter().map(|&n| DType::ALL[n % DType::ALL.len()]).collect();
        let buffers: Vec<_> = placed.iter().enumerate().map(|(i, p)| aligned(p.len * 16, i + 2)).collect();
        let inputs: Vec<_> = (0..shapes.len())
            .map(|i| {
                let layout = Layout::strided(placed[i].offset as isize, &shapes[i], &placed[i].strides).unwrap();
                AnyView::new(dtypes[i], bytemuck::cast_slice(&buffers[i]), layout).unwrap()
            })
            .collect();
        let common = expected.clone().unwrap_or_else(|| vec![2, 3]);
        let to = out.place(&common, false);
        let mut rooms: Vec<_> = inputs.iter().map(|_| aligned(to.len * 16, 99)).collect();
        let before = rooms.clone();
        let mut outputs: Vec<_> = rooms
            .iter_mut()
            .zip(&dtypes)
            .map(|(room, &dtype)| {
                let layout = Layout::strided(to.offset as isize, &common, &to.strides).unwrap();
                AnyViewMut::new(dtype, bytemuck::cast_slice_mut(room), layout).unwrap()
            })
            .collect();
        let result = broadcast_all_any_into(&inputs, &mut outputs);
        prop_assert_eq!(result.is_ok(), expected.is_some());
        let Some(expected) = expected else {
            prop_assert_eq!(rooms, before);
            return Ok(());
        };

        for (i, wide) in wide.unwrap().iter().enumerate() {
            let logical = Logical::strided(&shapes[i], placed[i].offset, &placed[i].strides);
            let stretched = Owned::Numpy.broadcast(&logical, &expected).unwrap();
            prop_assert_eq!(wide.shape(), &expected[..]);
            prop_assert!(wide.iter().copied().eq(stretched.values(&data[i])));

            let size = dtypes[i].size();
            let mut wanted = before[i].clone();
            let (source, wanted_bytes) = (bytes(&buffers[i]), bytemuck::cast_slice_mut::<_, u8>(&mut wanted));
            let places = Logical::strided(&expected, to.offset, &to.strides);
            for (&from, &to) in stretched.ids.iter().zip(&places.ids) {
                wanted_bytes[to * size..][..size].copy_from_slice(&source[from * size..][..size]);
            }
            prop_assert_eq!(&rooms[i], &wanted, "operand {} of {}", i, dtypes[i]);
        }
    }
}
