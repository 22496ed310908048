//! The words of `apply`: functions and the files they are applied to, one after the other.
//!
//! `sub A B then div C` is two steps; the result of the first is the first operand of the second. A dash says that it
//! is another one: `then where MASK - B`. `args` parses into [`Apply`], `stages` carries [`Step`]s out.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use stridecast::{DType, Fold, Op, Tolerance};

use crate::args::{RuleArg, threads};

#[derive(Debug, Args)]
#[command(override_usage = "stridecast apply [OPTIONS] OP FILE... [then OP FILE...]... -o <OUT.npy>")]
#[command(after_help = HELP)]
pub struct Apply {
    /// A function, then the .npy files of its operands; 'then', and what to do with the result
    #[arg(value_name = "OP FILE", required = true, num_args = 1..)]
    pub words: Vec<OsString>,
    /// What raw elements of two bytes ('V2', as ml_dtypes saves them) are
    #[arg(long, value_name = "TYPE", value_parser = ["bf16"])]
    pub dtype: Option<String>,
    /// Element type of the result: a comparison gives bool [default], u8 or its operands' type
    #[arg(long, value_name = "TYPE", value_parser = dtype, hide_default_value = true)]
    pub out_dtype: Option<DType>,
    /// Broadcast the other operands to the shape of the first, by a rule of 'expand' (pdpd:1 and the like)
    #[arg(long, value_name = "RULE", allow_hyphen_values = true)]
    pub rule: Option<RuleArg>,
    /// approx_eq: how far apart numbers may be [default: 1e-8]
    #[arg(long, value_name = "X", value_parser = distance, allow_hyphen_values = true)]
    pub atol: Option<f64>,
    /// approx_eq: how far apart they may be for each unit of the second one's size [default: 1e-5]
    #[arg(long, value_name = "X", value_parser = distance, allow_hyphen_values = true)]
    pub rtol: Option<f64>,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
}

const HELP: &str = "\
Functions: add sub mul div pow minimum maximum fmin fmax atan2 hypot fmod
remainder and or xor shl shr, eq ne lt le gt ge approx_eq, of two operands;
mul_add (a * b + c), where (b where a, else c) and clamp (a within b and c), of
three; sum mean minimum maximum, of any number. Operands broadcast against each
other by NumPy's rule and have one element type; the exponent of pow may have
another, and the first operand of where is bool or u8.

After 'then' the result so far is the first operand; a dash puts it elsewhere:
  apply sub data.npy mean.npy then div std.npy -o out.npy
  apply gt a.npy b.npy then where - a.npy b.npy -o larger.npy";

fn dtype(name: &str) -> Result<DType, String> {
    name.parse().map_err(|e| format!("{e}"))
}

fn distance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 => Ok(x),
        Ok(_) => Err("a number of 0 or more is needed".into()),
        Err(_) => Err(format!("'{text}' is not a number")),
    }
}

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Op(Op),
    Fold(Fold),
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Function::Op(op) => op.name().trim_end_matches('_'),
            Function::Fold(fold) => fold.name(),
        })
    }
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The file of that number.
    File(usize),
    /// The step before.
    Result,
}

#[derive(Debug, PartialEq)]
pub struct Step {
    pub function: Function,
    pub operands: Vec<Operand>,
}

/// A chain of steps, and its files.
#[derive(Debug)]
pub struct Chain {
    pub steps: Vec<Step>,
    pub files: Vec<PathBuf>,
}

impl Apply {
    /// The steps; a reason that says what to change otherwise.
    pub fn chain(&self) -> Result<Chain, String> {
        let mut chain = Chain { steps: Vec::new(), files: Vec::new() };
        for words in self.words.split(|word| word == "then") {
            let Some((name, files)) = words.split_first() else {
                return Err("'then' stands between two functions, as in 'sub A B then div C'".into());
            };
            chain.push(&name.to_string_lossy(), files)?;
        }
        let approximate = |step: &Step| step.function == Function::Op(Op::ApproxEq);
        if (self.atol.is_some() || self.rtol.is_some()) && !chain.steps.iter().any(approximate) {
            return Err("--atol and --rtol are for approx_eq".into());
        }
        Ok(chain)
    }

    pub fn tolerance(&self) -> Tolerance {
        let usual = Tolerance::default();
        Tolerance { atol: self.atol.unwrap_or(usual.atol), rtol: self.rtol.unwrap_or(usual.rtol) }
    }
}

impl Chain {
    fn push(&mut self, name: &str, words: &[OsString]) -> Result<(), String> {
        let mut operands = Vec::new();
        if !self.steps.is_empty() && !words.iter().any(|word| word == "-") {
            operands.push(Operand::Result);
        }
        for word in words {
            if word != "-" {
                operands.push(Operand::File(self.files.len()));
                self.files.push(Path::new(word).into());
            } else if self.steps.is_empty() {
                return Err("a dash is the result so far, and there is none before the first function".into());
            } else {
                operands.push(Operand::Result);
            }
        }
        let function = function(name, operands.len())?;
        let (least, most) = match function {
            Function::Op(op) => (op.arity(), op.arity()),
            Function::Fold(_) => (1, usize::MAX),
        };
        if !(least..=most).contains(&operands.len()) {
            let so_far = if operands.contains(&Operand::Result) { ", the result so far among them" } else { "" };
            return Err(format!("{function} takes {least} operands, {} were given{so_far}", operands.len()));
        }
        self.steps.push(Step { function, operands });
        Ok(())
    }
}

/// The function of that name; `minimum` and `maximum` of two operands are plain functions.
fn function(name: &str, operands: usize) -> Result<Function, String> {
    let folds = [Fold::Sum, Fold::Mean, Fold::Minimum, Fold::Maximum];
    match (folds.iter().find(|fold| fold.name() == name), Op::from_str(name)) {
        (Some(_), Ok(op)) if operands == 2 => Ok(Function::Op(op)),
        (Some(fold), _) => Ok(Function::Fold(*fold)),
        (None, Ok(op)) => Ok(Function::Op(op)),
        (None, Err(e)) => Err(format!("'{name}': {e} sum mean")),
    }
}
