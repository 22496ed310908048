//! The door for runtimes that hold pointers: element size, pointers and layouts instead of views.
//!
//! Everything that can be checked is: rules and shapes, sizes and strides up to the address space, null
//! pointers, an output that overlaps itself or an input. What cannot be is the contract below.
//!
//! # Contract
//! For every call, with `p` the operand's pointer and `size` the element size:
//! - for each index of its layout, the `size` bytes at `p + (offset + sum(index * stride)) * size` lie in one
//!   allocation with `p`; they may be read and are initialised (a source), or may be written and read back (an output);
//! - an output is ordinary memory: kernels read back what they wrote, which write-combined mappings make slow and
//!   write-only ones fault on;
//! - elements are plain bytes: they are moved as integers, so a pointer inside one would lose its provenance;
//! - during the call nobody else writes the source's elements, or reads or writes the output's.
//!
//! No alignment is asked for. `p` may point into the middle of the allocation: offsets and strides may be
//! negative. Gaps of a strided output are neither read nor written, so several threads may fill disjoint views
//! of one allocation. A layout without elements touches no memory, and its pointer may be null.
//!
//! ```
//! use stridecast::{Layout, Options, Rule, raw};
//!
//! let src = [1_u16, 2, 3];
//! let mut out = [0_u16; 6];
//! // Safety: both pointers cover their layouts' elements, and `out` is borrowed nowhere else.
//! unsafe {
//!     raw::broadcast(
//!         2,
//!         src.as_ptr().cast(),
//!         &Layout::new(&[3, 1])?,
//!         Rule::Numpy,
//!         out.as_mut_ptr().cast(),
//!         &Layout::new(&[3, 2])?,
//!         Options::new(),
//!     )?;
//! }
//! assert_eq!(out, [1, 1, 2, 2, 3, 3]);
//! # Ok::<(), stridecast::BroadcastError>(())
//! ```

use core::ops::Range;

use crate::engine::{OpPlan, Options, Plan, ReducePlan, check_aligned};
use crate::error::{BroadcastError, Result};
use crate::layout::{Layout, Rule};

/// Broadcasts `source` to the shape of `out_layout` under `rule`, and writes it there.
///
/// # Safety
/// The [contract](self) of this module.
///
/// # Errors
/// If the rule does not give exactly `out_layout`'s shape; as [`copy`].
pub unsafe fn broadcast(
    elem_size: usize,
    source: *const u8,
    source_layout: &Layout<'_>,
    rule: Rule<'_>,
    out: *mut u8,
    out_layout: &Layout<'_>,
    options: Options,
) -> Result<()> {
    let wide = source_layout.broadcast(out_layout.shape(), rule)?;
    // SAFETY: the caller's contract; a broadcast layout reaches only elements of its source.
    unsafe { copy(elem_size, source, &wide, out, out_layout, options) }
}

/// Copies `source` to `out`, which have one shape and any strides; `source` may be a broadcast layout.
///
/// # Safety
/// The [contract](self) of this module.
///
/// # Errors
/// As [`Plan::copy`] and [`run`]. Nothing is written then.
pub unsafe fn copy(
    elem_size: usize,
    source: *const u8,
    source_layout: &Layout<'_>,
    out: *mut u8,
    out_layout: &Layout<'_>,
    options: Options,
) -> Result<()> {
    let plan = Plan::copy(source_layout, out_layout, elem_size, options)?;
    // SAFETY: the caller's contract.
    unsafe { run(&plan, source, out) }
}

/// Runs a plan.
///
/// # Safety
/// The [contract](self) of this module, for the layouts and the element size that the plan was made for.
///
/// # Errors
/// If a pointer is null, if a layout leaves the address space there, or if the output's memory range meets the
/// source's. That test is conservative: it compares the ranges from lowest to highest byte.
pub unsafe fn run(plan: &Plan, source: *const u8, out: *mut u8) -> Result<()> {
    if plan.output_bytes() == 0 {
        return Ok(());
    }
    check_apart(plan, source, out)?;
    // SAFETY: the caller's contract; the ranges do not overlap.
    unsafe { plan.launch(source, out) };
    Ok(())
}

/// As [`run`], for views that lie interleaved in one allocation (columns 0 and 1 of a matrix to columns 2 and 3): the
/// address ranges may meet.
///
/// # Safety
/// The [contract](self) of this module, and no byte of the output's elements belongs to an element of the source.
///
/// # Errors
/// If a pointer is null, or if a layout leaves the address space there.
pub unsafe fn run_disjoint(plan: &Plan, source: *const u8, out: *mut u8) -> Result<()> {
    if plan.output_bytes() == 0 {
        return Ok(());
    }
    addresses(plan, source, out)?;
    // SAFETY: the caller's contract, disjoint elements included.
    unsafe { plan.launch(source, out) };
    Ok(())
}

/// Number of pieces that [`run_part`] cuts a plan's output into when asked for `parts`: at least 1, and fewer than
/// asked for where the output has fewer cache lines.
pub fn parts(plan: &Plan, parts: usize) -> usize {
    plan.pieces(parts).len()
}

/// Runs piece `index` of `parts` on the calling thread, of any plan: unlike [`Plan::parts`] also where the output has
/// gaps. Pieces are runs of elements in the order of the output's memory; together they write the output once.
///
/// # Safety
/// The [contract](self) of this module for the source and for the piece's elements; `out` is the pointer of the
/// **whole** output. Pieces of one run may be written by different threads at once.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// If `index` is not below [`parts`]`(plan, parts)`.
pub unsafe fn run_part(plan: &Plan, parts: usize, index: usize, source: *const u8, out: *mut u8) -> Result<()> {
    let range = plan.pieces(parts).range(index);
    if range.is_empty() || plan.output_bytes() == 0 {
        return Ok(());
    }
    check_apart(plan, source, out)?;
    // SAFETY: the caller's contract; pieces are cut on lines.
    unsafe { plan.launch_piece(range, source, out) };
    Ok(())
}

/// That both operands lie in the address space, and apart.
fn check_apart(plan: &Plan, source: *const u8, out: *mut u8) -> Result<()> {
    let (from, to) = addresses(plan, source, out)?;
    if from.start < to.end && to.start < from.end {
        return Err(BroadcastError::Overlap);
    }
    Ok(())
}

/// The addresses that source and output touch.
fn addresses(plan: &Plan, source: *const u8, out: *mut u8) -> Result<(Range<usize>, Range<usize>)> {
    let (source_span, output_span) = plan.byte_spans();
    Ok((address_range("source", source.addr(), source_span)?, address_range("output", out.addr(), output_span)?))
}

/// The addresses that an operand touches.
fn address_range(what: &'static str, addr: usize, span: Range<isize>) -> Result<Range<usize>> {
    if addr != 0
        && let (Some(start), Some(end)) = (addr.checked_add_signed(span.start), addr.checked_add_signed(span.end))
        && start != 0
    {
        return Ok(start..end);
    }
    Err(BroadcastError::BadPointer { what })
}

/// Runs an elementwise plan on pointers, in the order of the function's operands.
///
/// The output may be exactly one of the operands, if the plan gives that operand the output's type and layout.
///
/// # Safety
/// The [contract](self) of this module, for each operand and the output with the layouts and types that the plan was made
/// for. A `bool` operand may hold any byte: all but 0 are true.
///
/// # Errors
/// If there are not as many pointers as operands; if a pointer is null or not aligned for its element type, or a layout
/// leaves the address space there; if the output's memory range meets that of an operand which it is not exactly (the
/// test compares the ranges from lowest to highest byte); if an integer is divided by zero or raised to a negative
/// integer. Nothing is written then.
///
/// ```
/// use stridecast::{DType, Layout, Op, OpPlan, Options, raw};
///
/// let (a, b) = (Layout::new(&[2, 2])?, Layout::new(&[2])?);
/// let plan = OpPlan::new(Op::Sub, &[(DType::F32, &a), (DType::F32, &b)], DType::F32, Options::new())?;
/// let (mut x, y) = ([1.0_f32, 2.0, 3.0, 4.0], [1.0_f32, 2.0]);
/// let p: *mut u8 = x.as_mut_ptr().cast();
/// // Safety: both pointers cover their layouts' elements, and `x` is used nowhere else.
/// unsafe { raw::apply(&plan, &[p.cast_const(), y.as_ptr().cast()], p)? };
/// assert_eq!(x, [0.0, 0.0, 2.0, 2.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub unsafe fn apply(plan: &OpPlan, operands: &[*const u8], out: *mut u8) -> Result<()> {
    if operands.len() != plan.operands() {
        return Err(BroadcastError::OperandCount { expected: plan.operands(), got: operands.len() });
    }
    if plan.output_len() == 0 {
        return Ok(());
    }
    check_aligned(out, plan.output_dtype(), false)?;
    let to = address_range("output", out.addr(), plan.output_bytes_range())?;
    let mut apart = true;
    for (k, &operand) in operands.iter().enumerate() {
        check_aligned(operand, plan.dtype_of(k), false)?;
        let from = address_range("operand", operand.addr(), plan.operand_bytes(k))?;
        let meets = from.start < to.end && to.start < from.end;
        if meets && !(operand.addr() == out.addr() && plan.may_be_output(k)) {
            return Err(BroadcastError::Overlap);
        }
        apart &= !meets;
    }
    // SAFETY: the caller's contract; an operand that meets the output is the output.
    unsafe { plan.run_raw(operands, out, apart) }
}

/// Runs a reduction on pointers, of one operand or, for the sum of a product, of two; if `onto`, joined with what the
/// output holds.
///
/// # Safety
/// The [contract](self) of this module, for each operand and the output with the layouts and types that the plan was made
/// for; if `onto`, the output's elements are initialised.
///
/// # Errors
/// If there are not as many pointers as operands; if a pointer is null or not aligned for its element type, or a layout
/// leaves the address space there; if the output's memory range meets an operand's (the test compares the ranges from
/// lowest to highest byte). Nothing is written then.
///
/// ```
/// use stridecast::{DType, Layout, Options, Over, ReducePlan, Reduction, raw};
///
/// let (grad, mut bias) = ([1.0_f32, 2.0, 3.0, 4.0], [0.0_f32; 2]);
/// let layout = Layout::new(&[2, 2])?;
/// let plan = ReducePlan::new(Reduction::Sum, (DType::F32, &layout), Over::To(&[2]), DType::F32, Options::new())?;
/// // Safety: both pointers cover their layouts' elements, and `bias` is used nowhere else.
/// unsafe { raw::reduce(&plan, &[grad.as_ptr().cast()], bias.as_mut_ptr().cast(), false)? };
/// assert_eq!(bias, [4.0, 6.0]);
/// # Ok::<(), stridecast::BroadcastError>(())
/// ```
pub unsafe fn reduce(plan: &ReducePlan, operands: &[*const u8], out: *mut u8, onto: bool) -> Result<()> {
    if operands.len() != plan.operands() {
        return Err(BroadcastError::OperandCount { expected: plan.operands(), got: operands.len() });
    }
    if plan.output_len() == 0 {
        return Ok(());
    }
    check_aligned(out, plan.output_dtype(), false)?;
    let to = address_range("output", out.addr(), plan.output_bytes_range())?;
    let mut ptrs = [out.cast_const(); 2];
    for (k, &operand) in operands.iter().enumerate() {
        let reached = plan.operand_bytes(k);
        if reached.is_empty() {
            continue;
        }
        check_aligned(operand, plan.operand_dtype(), false)?;
        let from = address_range("operand", operand.addr(), reached)?;
        if from.start < to.end && to.start < from.end {
            return Err(BroadcastError::Overlap);
        }
        ptrs[k] = operand;
    }
    // SAFETY: the caller's contract; nothing overlaps.
    unsafe { plan.launch(ptrs, out, onto) };
    Ok(())
}
