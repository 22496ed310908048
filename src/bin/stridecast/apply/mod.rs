//! `stridecast apply`: elementwise functions of `.npy` files that broadcast against each other.
//!
//! `main` calls [`run`], or [`show`] for `plan apply`. `chain` reads the words of the command line, `stages` gives them
//! types and shapes and carries them out, piece by piece where the output is large; `output` writes.

#![forbid(unsafe_code)]

mod chain;
mod stages;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use stridecast::{DType, Layout};

pub use chain::Apply;
pub use stages::Input;
use stages::{Stage, Wishes, pieces, stages};

use crate::memory::Bytes;
use crate::npy::Source;
use crate::output::{self, Array, BATCH_BYTES, Target};
use crate::report::Failure;
use crate::signals::Stop;
use crate::{descr, pool, print};

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    apply: Apply,
    /// The .npy file to write; replaced at once when complete
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,
}

#[derive(Debug, Args)]
pub struct DryRun {
    #[command(flatten)]
    apply: Apply,
    /// Accepted so that a command line can be tried as it is; not used
    #[arg(short, long, value_name = "OUT.npy")]
    output: Option<PathBuf>,
}

/// Reads, computes, writes.
pub fn run(job: &Run) -> Result<(), Failure> {
    let stop = Stop::install()?;
    let pool = pool(job.apply.threads)?;
    pool.install(|| {
        let (sources, stages) = prepare(&job.apply)?;
        let target = Target::new(&job.output)?;
        let mut files = Vec::with_capacity(sources.len());
        for source in sources {
            files.push(source.read(&stop)?.1);
        }
        let Some(last) = stages.last() else { return Ok(()) };
        let bytes = last.shape.iter().product::<usize>() * last.output.size();
        let array = Array { version: 1, descr: descr::of(last.output), shape: &last.shape, bytes };
        let mut results: Vec<_> = stages.iter().map(|_| Bytes::default()).collect();
        target.write(&array, &stop, |write| {
            for piece in pieces(&last.shape, most(&stages)) {
                stop.check()?;
                stages::run(&stages, &piece, &files, &mut results).map_err(Failure::Refused)?;
                write(results.last().map_or(&[], |bytes| bytes))?;
            }
            Ok(())
        })
    })
}

/// Reads the headers, prints the plans.
pub fn show(job: &DryRun) -> Result<(), Failure> {
    let text = pool(job.apply.threads)?.install(|| {
        let (sources, stages) = prepare(&job.apply)?;
        let mut text = String::new();
        for source in &sources {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "input    {source}");
        }
        for stage in &stages {
            let plan = stage.plan().map_err(|e| Failure::Refused(e.to_string()))?;
            let plan = plan.map_or_else(|| stage.describe(), |plan| plan.to_string());
            let _ = writeln!(text, "{}", plan.trim_end());
        }
        let count = stages.last().map_or(0, |last| pieces(&last.shape, most(&stages)).count());
        let _ = writeln!(text, "threads  {}\nfile     {}", rayon::current_num_threads(), output::in_batches(count));
        Ok(text)
    })?;
    print(&text)
}

/// Elements of a piece: a batch of the widest step's.
fn most(stages: &[Stage]) -> usize {
    let widest = stages.iter().map(|stage| stage.output.size()).max();
    BATCH_BYTES / widest.unwrap_or(1)
}

/// Opens the files, and finds out what is to be done with them.
fn prepare(job: &Apply) -> Result<(Vec<Source>, Vec<Stage>), Failure> {
    let chain = job.chain().map_err(Failure::Refused)?;
    let sources = chain.files.iter().map(|path| Source::open(path)).collect::<Result<Vec<_>, _>>()?;
    let inputs = sources.iter().map(|source| input(source, job.dtype.is_some())).collect::<Result<Vec<_>, _>>()?;
    let rule = job.rule.as_ref().map(|rule| rule.as_rule());
    let wishes = Wishes { out_dtype: job.out_dtype, rule, tolerance: job.tolerance() };
    let stages = stages(&chain, &inputs, &wishes).map_err(Failure::Refused)?;
    drop(inputs);
    Ok((sources, stages))
}

/// A file as an operand, if its elements are numbers.
pub fn input(source: &Source, raw_is_bf16: bool) -> Result<Input<'_>, Failure> {
    let refuse = |what: String| Failure::refused(source.path(), what);
    let dtype: DType = descr::dtype(&source.header.descr, raw_is_bf16).map_err(refuse)?;
    let layout = source.header.layout().map_err(|e| refuse(e.to_string()))?;
    Ok(Input { name: source.path().display().to_string(), dtype, layout: Layout::into_owned(layout) })
}
