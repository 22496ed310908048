//! The steps of a chain with types and shapes: what is wrong with them is known before anything is computed.
//!
//! A result that is larger than a batch is computed in pieces, boxes of the last step's output, each of them through
//! all steps: a step is given the part of its operands that the piece needs, so that what it does not stretch along is
//! not computed more often than once a piece.
//!
//! Invariant: memory use is the inputs and a few batches, however large the output.

#![forbid(unsafe_code)]

use std::ops::Range;

use stridecast::{AnyView, AnyViewMut, BroadcastError, DType, Fold, Layout, OpPlan, Options, Tolerance, fold_any};

use super::chain::{Chain, Function, Operand};
use crate::memory::Bytes;

/// A file's element type and layout.
pub struct Input<'i> {
    pub name: String,
    pub dtype: DType,
    pub layout: Layout<'i>,
}

/// A step whose operands have types and shapes.
pub struct Stage {
    pub function: Function,
    pub operands: Vec<Operand>,
    /// What it is said to be in a message.
    name: String,
    dtypes: Vec<DType>,
    /// Of whole operands.
    layouts: Vec<Layout<'static>>,
    pub output: DType,
    pub shape: Vec<usize>,
    tolerance: Tolerance,
}

/// What the stages may be told.
pub struct Wishes<'w> {
    pub out_dtype: Option<DType>,
    pub rule: Option<stridecast::Rule<'w>>,
    pub tolerance: Tolerance,
}

impl Stage {
    /// The plan of the whole of it, unless it is a fold, which has none.
    pub fn plan(&self) -> Result<Option<OpPlan>, BroadcastError> {
        match self.function {
            Function::Op(_) => self.plan_of(&self.layouts).map(Some),
            Function::Fold(_) => Ok(None),
        }
    }

    /// Of some part of its operands.
    fn plan_of(&self, layouts: &[Layout<'_>]) -> Result<OpPlan, BroadcastError> {
        let Function::Op(op) = self.function else { unreachable!("a fold has no plan") };
        let inputs: Vec<_> = self.dtypes.iter().copied().zip(layouts).collect();
        Ok(OpPlan::new(op, &inputs, self.output, Options::new())?.tolerance(self.tolerance))
    }

    /// In a line: what of which types, and what comes out.
    pub fn describe(&self) -> String {
        let dtypes: Vec<_> = self.dtypes.iter().map(DType::to_string).collect();
        let shape = crate::report::shape_text(&self.shape);
        format!("function {} of {} to {}, shape {shape}", self.function, dtypes.join(" "), self.output)
    }

    fn run(&self, layouts: &[Layout<'_>], operands: &[&[u8]], out: &mut [u8], shape: &[usize]) -> Result<(), String> {
        let ran = match self.function {
            Function::Op(_) => self.plan_of(layouts).and_then(|plan| plan.run_any(operands, out)),
            Function::Fold(fold) => fold_bytes(fold, &self.dtypes, layouts, operands, (self.output, out, shape)),
        };
        ran.map_err(|e| self.refusal(&e))
    }

    fn refusal(&self, error: &BroadcastError) -> String {
        match (self.function, error) {
            // The library's message names the function that joins two operands.
            (Function::Fold(fold), BroadcastError::Undefined { .. }) => {
                let dtypes: Vec<_> = self.dtypes.iter().map(DType::to_string).collect();
                let of = if fold == Fold::Mean { "floats" } else { "real numbers" };
                format!(
                    "{}: it takes {of} of one type and gives that type, here {} to {}; convert an operand first",
                    self.name,
                    dtypes.join(", "),
                    self.output
                )
            }
            _ => format!("{}: {error}", self.name),
        }
    }
}

fn fold_bytes(
    fold: Fold,
    dtypes: &[DType],
    layouts: &[Layout<'_>],
    operands: &[&[u8]],
    (dtype, out, shape): (DType, &mut [u8], &[usize]),
) -> Result<(), BroadcastError> {
    let view = |k: usize| AnyView::new(dtypes[k], operands[k], layouts[k].clone());
    let views = (0..operands.len()).map(view).collect::<Result<Vec<_>, _>>()?;
    let views: Vec<_> = views.iter().collect();
    fold_any(fold, &views, &mut AnyViewMut::new(dtype, out, Layout::new(shape)?)?, Options::new())
}

/// Gives every step its types and shapes.
pub fn stages(chain: &Chain, inputs: &[Input<'_>], wishes: &Wishes<'_>) -> Result<Vec<Stage>, String> {
    let mut stages: Vec<Stage> = Vec::new();
    for (number, step) in chain.steps.iter().enumerate() {
        let before = stages.last();
        let mut names = Vec::new();
        let mut dtypes = Vec::new();
        let mut layouts: Vec<Layout<'static>> = Vec::new();
        for &operand in &step.operands {
            let (name, dtype, layout) = match (operand, before) {
                (Operand::File(file), _) => (&*inputs[file].name, inputs[file].dtype, inputs[file].layout.clone()),
                (Operand::Result, Some(stage)) => {
                    let layout = Layout::new(&stage.shape).map_err(|e| e.to_string())?;
                    ("the result so far", stage.output, layout)
                }
                (Operand::Result, None) => unreachable!("the first step has files only"),
            };
            let mut layout = layout.into_owned();
            if let (Some(rule), Some(first)) = (wishes.rule, layouts.first()) {
                if operand == Operand::Result {
                    return Err("with --rule the result so far is the first operand".into());
                }
                layout = layout.broadcast(first.shape(), rule).map_err(|e| format!("{name}: {e}"))?;
            }
            names.push(name);
            dtypes.push(dtype);
            layouts.push(layout);
        }
        let is_last = number + 1 == chain.steps.len();
        let usual = match step.function {
            Function::Op(op) => OpPlan::output_of(op, &dtypes),
            Function::Fold(_) => dtypes[0],
        };
        let output = wishes.out_dtype.filter(|_| is_last).unwrap_or(usual);
        let name = format!("{} of {}", step.function, names.join(", "));
        let shapes: Vec<_> = layouts.iter().map(Layout::shape).collect();
        let shape = stridecast::broadcast_shapes(&shapes).map_err(|e| format!("{name}: {e}"))?.to_vec();
        let (function, operands) = (step.function, step.operands.clone());
        let tolerance = wishes.tolerance;
        let stage = Stage { function, operands, name, dtypes, layouts, output, shape, tolerance };
        check(&stage)?;
        stages.push(stage);
    }
    Ok(stages)
}

/// That the function is defined on these types, and its output not too large.
fn check(stage: &Stage) -> Result<(), String> {
    let bytes = stage.shape.iter().filter(|&&size| size != 0).try_fold(stage.output.size(), |n, &s| n.checked_mul(s));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(format!("{}: the result of shape {:?} is too large", stage.name, stage.shape));
    }
    let tried = match stage.function {
        Function::Op(_) => stage.plan().map(drop),
        Function::Fold(fold) => {
            // On nothing: a fold looks at its types first.
            let nothing: Vec<_> = stage.dtypes.iter().filter_map(|_| Layout::new(&[0]).ok()).collect();
            fold_bytes(fold, &stage.dtypes, &nothing, &vec![&[][..]; nothing.len()], (stage.output, &mut [], &[0]))
        }
    };
    tried.map_err(|e| stage.refusal(&e))
}

/// A box of an output: a range of every axis.
pub type Piece = Vec<Range<usize>>;

/// The output of `shape` in boxes of at most `most` elements, in the order of memory, without a gap.
pub fn pieces(shape: &[usize], most: usize) -> impl Iterator<Item = Piece> {
    // The outermost axis of which whole indices fit.
    let mut axis = shape.len();
    let mut inner = 1;
    while axis > 0 && inner * shape[axis - 1] <= most {
        axis -= 1;
        inner *= shape[axis];
    }
    // Along the next one as many as fit; the axes before it one index at a time.
    let (outer, cut) = shape[..axis].split_at(axis.saturating_sub(1));
    let per = (most / inner.max(1)).max(1);
    let cuts = cut.first().map_or(1, |size| size.div_ceil(per));
    let count = if shape.contains(&0) { 0 } else { outer.iter().product::<usize>() * cuts };
    let shape = shape.to_vec();
    (0..count).map(move |number| {
        let mut piece: Piece = shape.iter().map(|&size| 0..size).collect();
        let mut rest = number;
        if axis > 0 {
            let start = rest % cuts * per;
            piece[axis - 1] = start..(start + per).min(shape[axis - 1]);
            rest /= cuts;
        }
        for at in (0..axis.saturating_sub(1)).rev() {
            piece[at] = rest % shape[at]..rest % shape[at] + 1;
            rest /= shape[at];
        }
        piece
    })
}

/// The part of a layout that a box of `shape`, which it broadcasts to, needs.
fn part<'l>(layout: &'l Layout<'_>, shape: &[usize], piece: &Piece) -> Result<Layout<'l>, BroadcastError> {
    let lead = shape.len() - layout.rank();
    let mut part = layout.clone();
    for axis in 0..layout.rank() {
        let range = &piece[lead + axis];
        if layout.shape()[axis] != 1 && range.len() != shape[lead + axis] {
            part = part.slice(axis, range.start, range.len(), 1)?;
        }
    }
    Ok(part)
}

/// Carries all stages out for a box of the last one's output; `files` are the inputs' data, `results` room for what the
/// stages give, which the next call uses again. The last of them is the box's output.
pub fn run(stages: &[Stage], piece: &Piece, files: &[Bytes], results: &mut [Bytes]) -> Result<(), String> {
    let Some(last) = stages.last() else { return Ok(()) };
    for (number, stage) in stages.iter().enumerate() {
        let (before, rest) = results.split_at_mut(number);
        let so_far = before.last().map_or(&[][..], |bytes| bytes);
        let whole = part(&Layout::new(&stage.shape).map_err(|e| stage.refusal(&e))?, &last.shape, piece)
            .map_err(|e| stage.refusal(&e))?
            .into_owned();
        let bytes = whole.len() * stage.output.size();
        let out = &mut rest[0];
        out.resize(bytes).ok_or_else(|| format!("not enough memory for a batch of {bytes} bytes"))?;
        let mut layouts = Vec::with_capacity(stage.operands.len());
        let mut operands = Vec::with_capacity(stage.operands.len());
        for (layout, &operand) in stage.layouts.iter().zip(&stage.operands) {
            let part = part(layout, &last.shape, piece).map_err(|e| stage.refusal(&e))?;
            match operand {
                Operand::File(file) => {
                    layouts.push(part);
                    operands.push(&files[file][..]);
                }
                // What there is of it is the part.
                Operand::Result => {
                    layouts.push(Layout::new(part.shape()).map_err(|e| stage.refusal(&e))?.into_owned());
                    operands.push(so_far);
                }
            }
        }
        stage.run(&layouts, &operands, out, whole.shape())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes follow each other in memory, none is too large, and none is much smaller than it could be.
    #[test]
    fn pieces_are_the_output_in_order() {
        let shapes: [&[usize]; 8] = [&[], &[1], &[7], &[3, 5], &[4, 1, 6], &[2, 3, 4, 5], &[5, 0, 3], &[1, 1, 9]];
        for shape in shapes {
            let len: usize = shape.iter().product();
            for most in [1, 2, 3, 4, 7, 20, 60, 1000] {
                let mut next = 0;
                for piece in pieces(shape, most) {
                    let first = piece.iter().zip(shape).fold(0, |at, (range, &size)| at * size + range.start);
                    let elements: usize = piece.iter().map(Range::len).product();
                    let last = piece.iter().zip(shape).fold(0, |at, (range, &size)| at * size + range.end - 1);
                    assert!(elements > 0 && elements <= most, "{shape:?} by {most}: {piece:?}");
                    assert_eq!((first, last), (next, next + elements - 1), "{shape:?} by {most}: {piece:?}");
                    next += elements;
                }
                assert_eq!(next, len, "{shape:?} by {most}");
            }
            assert!(len == 0 || pieces(shape, 1000).count() == 1, "{shape:?}");
        }
    }
}
