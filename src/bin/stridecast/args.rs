//! The arguments: what clap parses, and the lists and rules inside them.
//!
//! `main` parses into [`Cli`] and hands every operation on through
//! [`Operation`], so that running and planning share one description of each.
//! Text that is no list or rule is refused here; shapes and axes that do not
//! fit the input are refused by the library, which knows why.

use std::fmt::Debug;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, value_parser};
use stridecast::{Layout, Options, Plan, Result, Rule};

use crate::{apply, sum_to};

/// Broadcasts, tiles and repeats the arrays of .npy files, applies functions to them, and sums them.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP, arg_required_else_help = false)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
The environment variable STRIDECAST_ISA forces an instruction set, by a name
that `stridecast info` lists: scalar, avx2, avx512, avx512vbmi, neon.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Broadcast an array to a shape
    Expand(Run<Expand>),
    /// Repeat a whole array along its axes, as numpy.tile
    Tile(Run<Tile>),
    /// Repeat every element along its axes
    Repeat(Run<Repeat>),
    /// Apply functions to arrays that broadcast against each other
    Apply(apply::Run),
    /// Sum an array down to a shape or over axes, or take its mean, maximum, minimum or product
    SumTo(Run<sum_to::SumTo>),
    /// Say what an operation would do, without doing it
    #[command(subcommand, arg_required_else_help = false)]
    Plan(Dry),
    /// Describe this machine and the kernels chosen for it
    Info,
    /// Time broadcasts, functions and reductions on this machine, beside its own fill, copy and reading
    Bench(Bench),
}

#[derive(Debug, Subcommand)]
pub enum Dry {
    /// Plan a broadcast
    Expand(DryRun<Expand>),
    /// Plan a tile
    Tile(DryRun<Tile>),
    /// Plan a repeat
    Repeat(DryRun<Repeat>),
    /// Plan functions
    Apply(apply::DryRun),
    /// Plan a reduction
    SumTo(DryRun<sum_to::SumTo>),
}

#[derive(Debug, Args)]
pub struct Run<T: Args> {
    #[command(flatten)]
    pub operation: T,
    #[command(flatten)]
    pub input: Input,
    /// The .npy file to write; replaced at once when complete
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct DryRun<T: Args> {
    #[command(flatten)]
    pub operation: T,
    #[command(flatten)]
    pub input: Input,
    /// Accepted so that a command line can be tried as it is; not used
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Input {
    /// The .npy file to read
    #[arg(value_name = "IN.npy")]
    pub path: PathBuf,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = BENCH_HELP)]
pub struct Bench {
    /// The cases: a JSON file, 'sweep' for rows of, repeats by and subtractions of every number up to 40, or
    /// 'sweep-axes' for sums over every set of the axes of a shape in every order [default: built in]
    #[arg(long, value_name = "FILE")]
    pub cases: Option<PathBuf>,
    /// Only the cases whose name contains S
    #[arg(long, value_name = "S")]
    pub filter: Option<String>,
    /// Threads to use
    #[arg(long, value_name = "N", value_parser = threads, default_value = "1", allow_hyphen_values = true)]
    pub threads: usize,
    /// Write the times, the limits and the machine to a JSON file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw the table as bars into an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Least length of a batch, in milliseconds [default: 20, sweep-axes 2]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..=10_000))]
    pub batch_ms: Option<u64>,
}

const BENCH_HELP: &str = "\
A time is the least of eleven batches of calls into memory that was written
before; the files hold the median batch too. Every result is compared in full
with index arithmetic; pow, atan2 and hypot may be off by a unit in the last
place (f64: two, one of them the system library's). Reductions get numbers whose
sums are exact in any order.

'% limit' sets beside each time what its bytes take at the best speed of this
machine's own fill and copy: every source byte read once, every output byte
written once, with the same memory, threads and working set; what a function or
a reduction reads beyond what it writes is set beside a loop that only reads and
adds. Fill and copy are libc's and plain vector loops, at their best in the whole
run: a yardstick and no proof, so a few points above 100 are possible. On a
machine that is busy with other things the times are too long and the shares too
small.";

/// What turns an input layout into a plan.
pub trait Operation {
    fn plan(&self, source: &Layout<'_>, item_size: usize, options: Options) -> Result<Plan>;
}

#[derive(Debug, Args)]
pub struct Expand {
    /// Target shape: sizes with commas between them; '' is rank 0
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    shape: List,
    /// How the axes of the input find those of the shape:
    ///   numpy                  from the right, sizes of 1 stretch (the default)
    ///   bidirectional          the same, and sizes of 1 in the shape give way
    ///   axes:LIST              input axis i is axis LIST[i]
    ///   broadcast-axes:LIST    the axes that the input lacks, nothing stretches
    ///   broadcast-like[:LIST]  the same; without LIST from the left
    ///   pdpd[:AXIS]            input axis 0 is axis AXIS; without, from the right
    #[arg(long, value_name = "RULE", default_value = "numpy", allow_hyphen_values = true)]
    #[arg(verbatim_doc_comment, hide_default_value = true)]
    rule: RuleArg,
}

#[derive(Debug, Args)]
pub struct Tile {
    /// Copies along each axis; the shorter of this and the shape gets ones in front
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    reps: List,
}

#[derive(Debug, Args)]
pub struct Repeat {
    /// Copies of each element along each axis, one number per axis
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    reps: List,
}

impl Bench {
    /// Enough for a clock's steps and a scheduler's tick not to show.
    pub const BATCH_MS: u64 = 20;
}

impl Operation for Expand {
    fn plan(&self, source: &Layout<'_>, item_size: usize, options: Options) -> Result<Plan> {
        Plan::broadcast(source, &self.shape.0, self.rule.as_rule(), item_size, options)
    }
}

impl Operation for Tile {
    fn plan(&self, source: &Layout<'_>, item_size: usize, options: Options) -> Result<Plan> {
        Plan::tile(source, &self.reps.0, item_size, options)
    }
}

impl Operation for Repeat {
    fn plan(&self, source: &Layout<'_>, item_size: usize, options: Options) -> Result<Plan> {
        Plan::repeat(source, &self.reps.0, item_size, options)
    }
}

/// `1,16,50,50`; the empty text is the empty list.
#[derive(Debug, Clone, PartialEq)]
pub struct List(pub Vec<usize>);

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<List, String> {
        if text.trim().is_empty() {
            return Ok(List(Vec::new()));
        }
        text.split(',').map(|entry| whole(entry.trim())).collect::<Result<_, _>>().map(List)
    }
}

/// A number of 0 or more, with a reason when it is none.
fn whole(text: &str) -> Result<usize, String> {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        _ if text.is_empty() => Err("a number is missing".into()),
        Ok(number) if digits(text) => Ok(number),
        _ if digits(text) => Err(format!("{text} is too large")),
        _ if text.strip_prefix('-').is_some_and(digits) => Err(format!("{text} is negative")),
        _ => Err(format!("'{text}' is not a whole number")),
    }
}

/// More threads than any machine this is meant for; a typing error beyond.
const MAX_THREADS: usize = 1024;

pub fn threads(text: &str) -> Result<usize, String> {
    match whole(text)? {
        0 => Err("at least one thread is needed".into()),
        n if n > MAX_THREADS => Err(format!("at most {MAX_THREADS} threads")),
        n => Ok(n),
    }
}

/// [`Rule`], owning its axes.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleArg {
    Numpy,
    Bidirectional,
    AxesMapping(List),
    BroadcastAxes(List),
    BroadcastLike(List),
    Pdpd(Option<usize>),
}

impl RuleArg {
    pub fn as_rule(&self) -> Rule<'_> {
        match self {
            RuleArg::Numpy => Rule::Numpy,
            RuleArg::Bidirectional => Rule::Bidirectional,
            RuleArg::AxesMapping(axes) => Rule::AxesMapping(&axes.0),
            RuleArg::BroadcastAxes(axes) => Rule::BroadcastAxes(&axes.0),
            RuleArg::BroadcastLike(axes) => Rule::BroadcastLike(&axes.0),
            RuleArg::Pdpd(axis) => Rule::Pdpd { axis: *axis },
        }
    }
}

impl FromStr for RuleArg {
    type Err = String;

    fn from_str(text: &str) -> Result<RuleArg, String> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let axes = |rest: &str| rest.parse::<List>();
        match (name, rest) {
            ("numpy", None) => Ok(RuleArg::Numpy),
            ("bidirectional", None) => Ok(RuleArg::Bidirectional),
            ("axes", Some(rest)) => axes(rest).map(RuleArg::AxesMapping),
            ("broadcast-axes", Some(rest)) => axes(rest).map(RuleArg::BroadcastAxes),
            ("broadcast-like", rest) => axes(rest.unwrap_or_default()).map(RuleArg::BroadcastLike),
            ("pdpd", None) => Ok(RuleArg::Pdpd(None)),
            ("pdpd", Some(axis)) => whole(axis.trim()).map(|axis| RuleArg::Pdpd(Some(axis))),
            ("axes" | "broadcast-axes", None) => Err(format!("{name} needs its axes, as {name}:1,2")),
            ("numpy" | "bidirectional", Some(_)) => Err(format!("{name} takes no axes")),
            _ => Err("the rules are numpy, bidirectional, axes:LIST, broadcast-axes:LIST, \
                      broadcast-like[:LIST] and pdpd[:AXIS]"
                .into()),
        }
    }
}
