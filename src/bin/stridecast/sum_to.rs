//! `stridecast sum-to`: the sum of a `.npy` file down to a shape or over axes, and the other reductions.
//!
//! `main` calls [`run`], or [`show`] for `plan sum-to`. A result is computed as a whole and not in batches: the bits of
//! a sum depend on the shape that is reduced, and a result is seldom larger than what it is made of.
//!
//! Invariant: what can be refused by the headers is, before any data is read.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use stridecast::{BroadcastError, DType, Layout, Options, Over, Plan, ReducePlan, Reduction};

use crate::apply::{Input, input};
use crate::args::{DryRun, List, RuleArg, Run};
use crate::memory::Bytes;
use crate::npy::Source;
use crate::output::{self, Array, Target};
use crate::report::Failure;
use crate::signals::Stop;
use crate::{descr, pool, print};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("over").required(true).args(["shape", "axes"]), after_help = HELP)]
pub struct SumTo {
    /// The shape that is left: sizes with commas between them; '' is rank 0
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    shape: Option<List>,
    /// The rule of 'expand' that takes that shape to the input's (pdpd:1 and the like) [default: numpy]
    #[arg(long, value_name = "RULE", conflicts_with = "axes", allow_hyphen_values = true)]
    rule: Option<RuleArg>,
    /// The axes to reduce, instead of --shape: numbers with commas between them; '' is none
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    axes: Option<List>,
    /// Leave the reduced axes as sizes of 1
    #[arg(long, conflicts_with = "shape")]
    keep_dims: bool,
    /// What the elements become: sum [default], mean, max, min or prod
    #[arg(long, value_name = "NAME", default_value = "sum", hide_default_value = true)]
    reduction: Reduction,
    /// Sum the products with the elements of another array, which broadcasts against the input
    #[arg(long, value_name = "X.npy")]
    times: Option<PathBuf>,
    /// Join the result with an array of its shape and type: a sum is added to it
    #[arg(long, value_name = "ACC.npy")]
    onto: Option<PathBuf>,
    /// A wider result: 64 bits with their sign for a sum of integers, f32 for anything of f16 and bf16
    #[arg(long)]
    wide: bool,
    /// What raw elements of two bytes ('V2', as ml_dtypes saves them) are
    #[arg(long, value_name = "TYPE", value_parser = ["bf16"])]
    dtype: Option<String>,
}

const HELP: &str = "\
--shape undoes 'expand': the sum is the gradient of what was broadcast.
  sum-to grad.npy --shape 64,1,1 -o bias.npy
  sum-to grad.npy --times x.npy --axes 0,2,3 --onto scale.npy -o scale.npy

f16 and bf16 are computed as f32 and rounded once, integers wrap. A sum of
nothing is 0, a product 1, a mean NaN; max and min of nothing are refused.";

/// What is to be done.
struct Job {
    /// The operands.
    sources: Vec<Source>,
    plan: ReducePlan,
    /// What the result is joined with, and how it becomes C order.
    onto: Option<(Source, Plan)>,
    /// What it is said to be in a message.
    name: String,
}

/// Reads, computes, writes.
pub fn run(job: &Run<SumTo>) -> Result<(), Failure> {
    let stop = Stop::install()?;
    pool(job.input.threads)?.install(|| {
        let Job { sources, plan, onto, name } = prepare(&job.operation, &job.input.path)?;
        let target = Target::new(&job.output)?;
        let files = sources.into_iter().map(|source| Ok(source.read(&stop)?.1));
        let files = files.collect::<Result<Vec<_>, Failure>>()?;
        let onto = onto.map(|(source, copy)| Ok((source.read(&stop)?.1, copy))).transpose()?;
        let (shape, dtype) = (plan.output_shape(), plan.output_dtype());
        let bytes = plan.output_len() * dtype.size();
        let array = Array { version: 1, descr: descr::of(dtype), shape, bytes };
        target.write(&array, &stop, |write| {
            let no_memory = || Failure::Refused(format!("not enough memory for a result of {bytes} bytes"));
            let mut out = Bytes::zeroed(bytes).ok_or_else(no_memory)?;
            let refuse = |e| refusal(&name, &e);
            if let Some((data, copy)) = &onto {
                copy.run_bytes(data, &mut out[..]).map_err(refuse)?;
            }
            let operands: Vec<&[u8]> = files.iter().map(|bytes| &bytes[..]).collect();
            plan.run_any(&operands, &mut out, onto.is_some()).map_err(refuse)?;
            stop.check()?;
            write(&out)
        })
    })
}

/// Reads the headers, prints the plan.
pub fn show(job: &DryRun<SumTo>) -> Result<(), Failure> {
    let text = pool(job.input.threads)?.install(|| {
        let Job { sources, plan, onto, .. } = prepare(&job.operation, &job.input.path)?;
        let mut text = String::new();
        // Writing to a String cannot fail.
        for source in &sources {
            let _ = writeln!(text, "input    {source}");
        }
        if let Some((source, _)) = &onto {
            let _ = writeln!(text, "onto     {source}");
        }
        let _ = writeln!(text, "{plan}");
        let batches = usize::from(plan.output_len() > 0);
        let _ = writeln!(text, "threads  {}\nfile     {}", rayon::current_num_threads(), output::in_batches(batches));
        Ok(text)
    })?;
    print(&text)
}

/// Opens the files, and finds out what is to be done with them.
fn prepare(job: &SumTo, path: &Path) -> Result<Job, Failure> {
    let files = [Some(path), job.times.as_deref()];
    let sources = files.into_iter().flatten().map(Source::open).collect::<Result<Vec<_>, _>>()?;
    let onto = job.onto.as_deref().map(Source::open).transpose()?;
    let raw_is_bf16 = job.dtype.is_some();
    let inputs = sources.iter().map(|source| input(source, raw_is_bf16)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<_> = inputs.iter().map(|input| &*input.name).collect();
    let name = format!("{} of {}", job.reduction, names.join(" times "));
    if job.times.is_some() && job.reduction != Reduction::Sum {
        return Err(Failure::Refused(format!("{name}: --times is for a sum")));
    }
    let dtype = inputs[0].dtype;
    let output = match widened(dtype).filter(|_| job.wide) {
        None if job.wide => return Err(Failure::Refused(format!("{name}: --wide is not for {dtype}"))),
        wide => wide.unwrap_or(dtype),
    };
    let plan = job.plan(&inputs, output).map_err(|e| refusal(&name, &e))?;
    let onto = onto.map(|source| Ok((copy(&input(&source, raw_is_bf16)?, &plan)?, source))).transpose()?;
    drop(inputs);
    Ok(Job { sources, plan, onto: onto.map(|(copy, source)| (source, copy)), name })
}

impl SumTo {
    fn plan(&self, inputs: &[Input<'_>], output: DType) -> stridecast::Result<ReducePlan> {
        let over = match (&self.shape, &self.rule, &self.axes) {
            (Some(shape), Some(rule), _) => Over::Rule { shape: &shape.0, rule: rule.as_rule() },
            (Some(shape), None, _) => Over::To(&shape.0),
            (None, _, axes) => {
                let axes = axes.as_ref().map_or(&[][..], |axes| &axes.0);
                Over::Axes { axes, keep_dims: self.keep_dims }
            }
        };
        let operands: Vec<_> = inputs.iter().map(|input| (input.dtype, &input.layout)).collect();
        match *operands {
            [a, b] => ReducePlan::sum_of_product([a, b], over, output, Options::new()),
            _ => ReducePlan::new(self.reduction, operands[0], over, output, Options::new()),
        }
    }
}

/// The result of `--wide`, for types that have one.
fn widened(dtype: DType) -> Option<DType> {
    match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Some(DType::I64),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Some(DType::U64),
        DType::F16 | DType::BF16 => Some(DType::F32),
        _ => None,
    }
}

/// How what a result is joined with becomes C order; it must be what the result is.
fn copy(onto: &Input<'_>, plan: &ReducePlan) -> Result<Plan, Failure> {
    let (shape, dtype) = (plan.output_shape(), plan.output_dtype());
    let copied = if onto.layout.shape() != shape {
        Err(BroadcastError::ShapeMismatch { expected: shape.to_vec(), got: onto.layout.shape().to_vec() })
    } else if onto.dtype != dtype {
        Err(BroadcastError::DTypeMismatch { expected: dtype, got: onto.dtype })
    } else {
        Layout::new(shape).and_then(|out| Plan::copy(&onto.layout, &out, dtype.size(), Options::new()))
    };
    copied.map_err(|e| refusal(&onto.name, &e))
}

fn refusal(name: &str, error: &BroadcastError) -> Failure {
    Failure::Refused(format!("{name}: {error}"))
}
