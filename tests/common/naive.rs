//! The oracle: index arithmetic and nothing clever. It shares no code with the crate.

/// Every index of a shape, in C order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all.iter().flat_map(|index| (0..size).map(|i| [&index[..], &[i]].concat())).collect();
    }
    all
}

/// C-order strides, in elements.
pub fn c_strides(shape: &[usize]) -> Vec<isize> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as isize).collect()
}

/// The element that `index` falls on.
pub fn position(offset: usize, strides: &[isize], index: &[usize]) -> usize {
    let steps: isize = index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum();
    usize::try_from(offset as isize + steps).expect("inside the buffer")
}

/// The index of the source that output index `index` reads, sizes aligned on the right.
pub fn source_index(source: &[usize], index: &[usize]) -> Vec<usize> {
    let lead = index.len() - source.len();
    source.iter().zip(&index[lead..]).map(|(&size, &i)| if size == 1 { 0 } else { i }).collect()
}

/// A C-order source broadcast to a C-order output, right-aligned.
pub fn broadcast<T: Copy>(data: &[T], source: &[usize], out: &[usize]) -> Vec<T> {
    let strides = c_strides(source);
    indices(out).iter().map(|index| data[position(0, &strides, &source_index(source, index))]).collect()
}

/// A strided view in C order.
pub fn gather<T: Copy>(data: &[T], offset: usize, shape: &[usize], strides: &[isize]) -> Vec<T> {
    indices(shape).iter().map(|index| data[position(offset, strides, index)]).collect()
}

/// Calls `visit` with every index of a shape, in C order; for shapes whose indices are too many to keep.
pub fn for_each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        visit(&index);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// A strided operand broadcast to a C-order output, right-aligned.
pub fn broadcast_strided<T: Copy>(
    data: &[T],
    offset: usize,
    source: &[usize],
    strides: &[isize],
    out: &[usize],
) -> Vec<T> {
    let lead = out.len() - source.len();
    let strides: Vec<isize> = source.iter().zip(strides).map(|(&size, &n)| if size == 1 { 0 } else { n }).collect();
    let mut found = Vec::new();
    for_each_index(out, |index| found.push(data[position(offset, &strides, &index[lead..])]));
    found
}
