//! The command line of stridecast: broadcasts the arrays of `.npy` files, and computes with them.
//!
//! `args` describes the command line, `npy` (with `literal` and `descr`) reads
//! and writes headers, `output` computes and writes, `apply` does functions,
//! `sum_to` reductions, `info` describes the machine, `bench` measures it,
//! `memory` is where data lies, `report` and `signals` are how a run ends
//! early.  This file parses, dispatches and turns the outcome into an exit code: 0, 2 for anything
//! refused, 128 plus the signal for a run that was interrupted.
//!
//! Invariant: a failure is one line on standard error starting `stridecast: `.

#![forbid(unsafe_code)]

mod apply;
mod args;
mod bench;
mod descr;
mod info;
mod literal;
mod memory;
mod npy;
mod output;
mod report;
mod signals;
mod sum_to;

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;
use std::sync::OnceLock;

use args::{Cli, Command, Dry, DryRun, Operation, Run};
use clap::Parser;
use clap::error::ErrorKind;
use npy::Source;
use output::Target;
use rayon::{ThreadPool, ThreadPoolBuilder};
use report::Failure;
use signals::Stop;
use stridecast::{Isa, Options, Plan};

/// What the first panic said, for the one line that is printed about it.
static PANIC: OnceLock<String> = OnceLock::new();

fn main() -> ExitCode {
    // A panic is our mistake; the user still gets one line, not a backtrace.
    panic::set_hook(Box::new(|info| drop(PANIC.set(info.to_string()))));
    let outcome = panic::catch_unwind(run).unwrap_or_else(|_| {
        let what = PANIC.get().map_or("", String::as_str);
        Err(Failure::Refused(format!("internal error, please report it: {what}")))
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nobody is left to tell if standard error is closed.
            let _ = writeln!(io::stderr(), "{}", failure.line());
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run() -> Result<(), Failure> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return print(&e.render().to_string());
        }
        Err(e) => return Err(Failure::Refused(usage_line(&e.render().to_string()))),
    };
    // Read first, so that a wrong STRIDECAST_ISA is refused by every command.
    let isa = Isa::chosen().map_err(|e| Failure::Refused(format!("STRIDECAST_ISA: {e}")))?;
    match cli.command {
        Command::Expand(job) => execute(&job),
        Command::Tile(job) => execute(&job),
        Command::Repeat(job) => execute(&job),
        Command::Plan(Dry::Expand(job)) => show(&job),
        Command::Plan(Dry::Tile(job)) => show(&job),
        Command::Plan(Dry::Repeat(job)) => show(&job),
        Command::Apply(job) => apply::run(&job),
        Command::Plan(Dry::Apply(job)) => apply::show(&job),
        Command::SumTo(job) => sum_to::run(&job),
        Command::Plan(Dry::SumTo(job)) => sum_to::show(&job),
        Command::Info => print(&info::text(isa)),
        Command::Bench(job) => bench::run(&job, isa),
    }
}

/// Reads, computes, writes.
fn execute<T: clap::Args + Operation + Sync>(job: &Run<T>) -> Result<(), Failure> {
    let stop = Stop::install()?;
    let pool = pool(job.input.threads)?;
    pool.install(|| {
        let source = Source::open(&job.input.path)?;
        let plan = plan(&job.operation, &source)?;
        let target = Target::new(&job.output)?;
        let (header, data) = source.read(&stop)?;
        target.write_plan(&plan, &header, &data, &stop)
    })
}

/// Reads the header, prints the plan.
fn show<T: clap::Args + Operation + Sync>(job: &DryRun<T>) -> Result<(), Failure> {
    // In the pool of the run, because its size is part of the plan.
    let text = pool(job.input.threads)?.install(|| {
        let source = Source::open(&job.input.path)?;
        let plan = plan(&job.operation, &source)?;
        Ok(format!(
            "input    {source}\n{}\nthreads  {}\nfile     {}\n",
            plan.to_string().trim_end(),
            rayon::current_num_threads(),
            output::describe(&plan),
        ))
    })?;
    print(&text)
}

fn plan(operation: &impl Operation, source: &Source) -> Result<Plan, Failure> {
    let header = &source.header;
    header
        .layout()
        .and_then(|layout| operation.plan(&layout, header.item_size, Options::new()))
        .map_err(|e| Failure::refused(source.path(), e))
}

pub(crate) fn pool(threads: Option<usize>) -> Result<ThreadPool, Failure> {
    // 0 is rayon's own choice: one thread per core.
    ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Refused(format!("cannot start the threads: {e}")))
}

/// To standard output; a reader that has gone away has had enough.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Refused(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// clap's message on one line: the reason and its tips, without the usage.
fn usage_line(rendered: &str) -> String {
    let text = rendered.strip_prefix("error: ").unwrap_or(rendered);
    let wanted = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let mut line = wanted.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    line.push_str(" (see --help)");
    line
}
