//! A runtime's tensor on stridecast: the element type is a tag, storage is shared, views are strides.
//!
//! Most operators use the safe door ([`AnyView`], [`AnyViewMut`]). A hot one keeps its plans in a cache and runs them
//! through [`raw`]. A runtime with threads of its own cuts a plan into parts and runs those where it likes.
//!
//! `cargo run --example runtime` checks every operator against index arithmetic, for every dtype.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::thread;

use stridecast::{
    AnyView, AnyViewMut, BroadcastError, DType, Element, Layout, Options, Plan, Result, Rule, Shape, View,
    broadcast_all_any, broadcast_shapes, raw,
};

/// Bytes tagged with a dtype, aligned for every one of them. The first `len` bytes are initialised.
struct Storage {
    dtype: DType,
    words: Box<[MaybeUninit<u128>]>,
    len: usize,
}

impl Storage {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are initialised.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }
}

/// A tensor: shared storage seen through a shape and strides. Cloning and every view share the storage.
#[derive(Clone)]
struct Tensor {
    storage: Arc<Storage>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
}

impl Tensor {
    /// The same storage seen through another layout.
    fn with(&self, layout: &Layout<'_>) -> Self {
        Self::over(Arc::clone(&self.storage), layout)
    }

    fn over(storage: Arc<Storage>, layout: &Layout<'_>) -> Self {
        Self { storage, shape: layout.shape().to_vec(), strides: layout.strides().to_vec(), offset: layout.offset() }
    }

    /// A new tensor of `shape` in C order. It is allocated uninitialised, so that `fill` is the only write.
    ///
    /// # Safety
    /// If `fill` returns `Ok`, it initialised every byte.
    unsafe fn filled_by(
        dtype: DType,
        shape: &[usize],
        fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<()>,
    ) -> Result<Self> {
        let layout = Layout::new(shape)?;
        let too_large = BroadcastError::TooLarge { shape: shape.to_vec(), elem_size: dtype.size() };
        let len =
            layout.len().checked_mul(dtype.size()).filter(|&len| isize::try_from(len).is_ok()).ok_or(too_large)?;
        let mut words = Box::new_uninit_slice(len.div_ceil(size_of::<u128>()));
        // SAFETY: the words hold at least `len` bytes, borrowed exclusively; any byte may be uninitialised.
        fill(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), len) })?;
        Ok(Self::over(Arc::new(Storage { dtype, words, len }), &layout))
    }

    /// A copy of typed elements.
    fn new<T: Element>(elements: &[T], shape: &[usize]) -> Result<Self> {
        Self::copy_of(&AnyView::from(View::new(elements, shape)?))
    }

    /// A copy of any view, in C order.
    fn copy_of(view: &AnyView<'_>) -> Result<Self> {
        let (dtype, shape) = (view.dtype(), view.shape());
        let fill =
            |out: &mut [MaybeUninit<u8>]| view.copy_into(&mut AnyViewMut::uninit(dtype, out, Layout::new(shape)?)?);
        // SAFETY: the output has no gaps, so the copy initialises all of it.
        unsafe { Self::filled_by(dtype, shape, fill) }
    }

    fn dtype(&self) -> DType {
        self.storage.dtype
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Layout::strided(self.offset, &self.shape, &self.strides)
    }

    /// The safe door; shape and strides are lent, not copied.
    fn view(&self) -> Result<AnyView<'_>> {
        AnyView::new(self.dtype(), self.storage.bytes(), self.layout()?)
    }

    fn transpose(&self) -> Result<Self> {
        Ok(self.with(&self.layout()?.transpose()))
    }

    fn slice(&self, axis: usize, start: usize, count: usize, step: isize) -> Result<Self> {
        Ok(self.with(&self.layout()?.slice(axis, start, count, step)?))
    }

    /// NumPy's `broadcast_to`: a view, exactly of `shape`.
    fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        Ok(self.with(&self.layout()?.broadcast_to(shape)?))
    }

    /// ONNX Expand: a view whose shape is the common one of both.
    fn expand(&self, shape: &[usize]) -> Result<Self> {
        Ok(self.with(&self.layout()?.broadcast(shape, Rule::Bidirectional)?))
    }

    /// The same elements in C order without gaps: itself if it is that already.
    fn contiguous(&self) -> Result<Self> {
        if self.offset == 0 && self.layout()?.is_contiguous() {
            return Ok(self.clone());
        }
        Self::copy_of(&self.view()?)
    }

    /// NumPy's `tile`; ONNX Tile is the same with as many counts as axes. A plan also says the output's shape.
    fn tile(&self, reps: &[usize]) -> Result<Self> {
        let plan = Plan::tile(&self.layout()?, reps, self.dtype().size(), Options::new())?;
        let fill = |out: &mut [MaybeUninit<u8>]| plan.run_bytes(self.storage.bytes(), out);
        // SAFETY: the plan's output has no gaps, so the run initialises all of it.
        unsafe { Self::filled_by(self.dtype(), plan.output_shape(), fill) }
    }

    /// All tensors stretched to their common shape; dtypes may differ. Views, nothing is copied.
    fn broadcast_all(tensors: &[Self]) -> Result<Vec<Self>> {
        let views = tensors.iter().map(Self::view).collect::<Result<Vec<_>>>()?;
        let wide = broadcast_all_any(&views)?;
        Ok(tensors.iter().zip(&wide).map(|(tensor, view)| tensor.with(view.layout())).collect())
    }

    /// Tensors of one dtype brought to their common shape and stacked along a new axis, in one pass: each lands
    /// in its slot of the output through a strided view.
    fn stack(tensors: &[Self], axis: usize) -> Result<Self> {
        let shapes: Vec<&[usize]> = tensors.iter().map(|tensor| &tensor.shape[..]).collect();
        let common = broadcast_shapes(&shapes)?;
        let mut shape = common.to_vec();
        shape.insert(axis, tensors.len());
        let all = Layout::new(&shape)?;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            for (index, tensor) in tensors.iter().enumerate() {
                let mut strides = all.strides().to_vec();
                let offset = index as isize * strides.remove(axis);
                let slot = Layout::strided(offset, &common, &strides)?;
                // One after the other: the views interleave, so they cannot be borrowed at once.
                let mut slot = AnyViewMut::uninit(tensors[0].dtype(), out, slot)?;
                tensor.view()?.broadcast_to(&common)?.copy_into(&mut slot)?;
            }
            Ok(())
        };
        // SAFETY: the slots together are the whole output.
        unsafe { Self::filled_by(tensors[0].dtype(), &shape, fill) }
    }

    /// Broadcast on `threads` threads of our own, each writing its part of the output.
    fn broadcast_on_threads(&self, shape: &[usize], threads: usize) -> Result<Self> {
        let plan = Plan::broadcast(&self.layout()?, shape, Rule::Numpy, self.dtype().size(), Options::new())?;
        let parts = plan.parts(threads)?;
        let fill = |mut out: &mut [MaybeUninit<u8>]| {
            thread::scope(|scope| {
                let mut running = Vec::new();
                for index in 0..parts.len() {
                    let piece = out.split_off_mut(..parts.byte_range(index).len()).expect("parts cover the output");
                    running.push(scope.spawn(move || parts.run_part_bytes(index, self.storage.bytes(), piece)));
                }
                running.into_iter().try_for_each(|part| part.join().expect("a part does not panic"))
            })
        };
        // SAFETY: together the parts initialise the whole output.
        unsafe { Self::filled_by(self.dtype(), plan.output_shape(), fill) }
    }
}

/// Plans by what they were made from. A plan knows a dtype by its size only, so that f32 and i32 share one; it is
/// made for offset 0 and run from the element of index 0, so that slices of one tensor share one too.
#[derive(Default)]
struct PlanCache {
    plans: HashMap<(usize, Layout<'static>, Shape), Plan>,
    hits: usize,
}

impl PlanCache {
    fn plan(&mut self, source: &Tensor, shape: &[usize]) -> Result<&Plan> {
        let size = source.dtype().size();
        let layout = Layout::strided(0, &source.shape, &source.strides)?.into_owned();
        match self.plans.entry((size, layout, Shape::from(shape))) {
            Entry::Occupied(entry) => {
                self.hits += 1;
                Ok(entry.into_mut())
            }
            Entry::Vacant(entry) => {
                let plan = Plan::broadcast(&entry.key().1, shape, Rule::Numpy, size, Options::new())?;
                Ok(entry.insert(plan))
            }
        }
    }

    /// `broadcast_to` and `contiguous` in one: the hot path.
    fn materialise(&mut self, source: &Tensor, shape: &[usize]) -> Result<Tensor> {
        let plan = self.plan(source, shape)?;
        source.view()?; // the bounds check that the raw door leaves to us
        let fill = |out: &mut [MaybeUninit<u8>]| {
            let first = source.storage.bytes().as_ptr().wrapping_offset(source.offset * plan.elem_size() as isize);
            // SAFETY: the view above is in bounds and its storage initialised, so its elements are readable from the
            // element of index 0 on; `out` is new memory of exactly the output's size.
            unsafe { raw::run(plan, first, out.as_mut_ptr().cast()) }
        };
        // SAFETY: the plan's output is dense, so the run initialises all of it.
        unsafe { Tensor::filled_by(source.dtype(), shape, fill) }
    }
}

/// Every element of `got` against the one that `expected` names: a tensor, and an index into it.
fn check<'t>(got: &Tensor, mut expected: impl FnMut(&[usize]) -> (&'t Tensor, Vec<usize>)) {
    fn element<'t>(tensor: &'t Tensor, index: &[usize]) -> &'t [u8] {
        let steps = index.iter().zip(&tensor.strides).map(|(&i, &stride)| i as isize * stride);
        let (at, size) = ((tensor.offset + steps.sum::<isize>()) as usize, tensor.dtype().size());
        &tensor.storage.bytes()[at * size..][..size]
    }
    for mut rest in 0..got.shape.iter().product() {
        let mut index = vec![0; got.shape.len()];
        for (i, &axis) in index.iter_mut().zip(&got.shape).rev() {
            (*i, rest) = (rest % axis, rest / axis);
        }
        let (source, from) = expected(&index);
        assert_eq!(element(got, &index), element(source, &from), "at {index:?}");
    }
}

/// Elements that differ from their neighbours, valid for every dtype (a bool is 0 or 1).
fn numbered(dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let byte = |i: usize| if dtype == DType::Bool { i.is_multiple_of(3).into() } else { (i * 37 + 11) as u8 };
    let fill = |out: &mut [MaybeUninit<u8>]| {
        out.iter_mut().enumerate().for_each(|(i, slot)| _ = slot.write(byte(i)));
        Ok(())
    };
    // SAFETY: every byte is written.
    unsafe { Tensor::filled_by(dtype, shape, fill) }
}

fn every_operator(dtype: DType, cache: &mut PlanCache) -> Result<()> {
    let x = numbered(dtype, &[3, 4])?;
    let column = x.slice(1, 1, 1, 1)?; // [3, 1], strided, not at the start of its storage

    check(&x.transpose()?.contiguous()?, |i| (&x, vec![i[1], i[0]]));
    check(&x.slice(0, 2, 3, -1)?.slice(1, 1, 2, 2)?.contiguous()?, |i| (&x, vec![2 - i[0], 1 + 2 * i[1]]));
    check(&column.broadcast_to(&[2, 3, 5])?.contiguous()?, |i| (&x, vec![i[1], 1]));
    check(&x.tile(&[2, 1, 3])?, |i| (&x, vec![i[1], i[2] % 4]));

    let wide = column.expand(&[2, 1, 6])?; // neither shape is the result's
    assert_eq!(wide.shape, [2, 3, 6]);
    check(&wide.contiguous()?, |i| (&x, vec![i[1], 1]));

    let last_row = x.slice(0, 2, 1, 1)?;
    check(&Tensor::stack(&[column.clone(), last_row.clone()], 1)?, |i| match i[1] {
        0 => (&x, vec![i[0], 1]),
        _ => (&x, vec![2, i[2]]),
    });
    let flags = numbered(DType::Bool, &[2, 1, 1])?;
    let all = Tensor::broadcast_all(&[column.clone(), last_row, flags.clone()])?;
    assert!(all.iter().all(|tensor| tensor.shape == [2, 3, 4]));
    check(&all[2].contiguous()?, |i| (&flags, vec![i[0], 0, 0]));

    // Hot path: the second column finds the first one's plan, offset and all.
    check(&cache.materialise(&column, &[3, 70])?, |i| (&x, vec![i[0], 1]));
    check(&cache.materialise(&x.slice(1, 3, 1, 1)?, &[3, 70])?, |i| (&x, vec![i[0], 3]));
    check(&cache.materialise(&x.slice(0, 2, 3, -1)?, &[50, 3, 4])?, |i| (&x, vec![2 - i[1], i[2]]));

    check(&x.transpose()?.broadcast_on_threads(&[100, 4, 3], 4)?, |i| (&x, vec![i[2], i[1]]));
    check(&x.slice(0, 0, 0, 1)?.broadcast_on_threads(&[7, 0, 4], 4)?, |_| unreachable!("it has no elements"));
    Ok(())
}

fn main() -> Result<()> {
    let bias = Tensor::new(&[0.5_f32, -1.0], &[2, 1])?.expand(&[2, 3])?.contiguous()?;
    assert_eq!(bytemuck::cast_slice::<u8, f32>(bias.storage.bytes()), [0.5, 0.5, 0.5, -1.0, -1.0, -1.0]);
    println!("refused: {}", bias.broadcast_to(&[2, 4]).err().expect("3 does not stretch to 4"));

    let mut cache = PlanCache::default();
    for &dtype in DType::ALL {
        every_operator(dtype, &mut cache)?;
        println!("{dtype:>5}: transpose, slice, broadcast_to, expand, tile, stack, broadcast_all, cached, threads");
    }
    println!("{} plans, used again {} times", cache.plans.len(), cache.hits);
    println!("the last of them:\n{}", cache.plan(&numbered(DType::C128, &[3, 1])?, &[3, 70])?);
    Ok(())
}
