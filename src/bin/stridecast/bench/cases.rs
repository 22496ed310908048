//! The cases: lists of shapes to broadcast, the built-in ones and those of a file.
//!
//! `bench` measures them and `benches/materialise.rs` includes this file, so
//! that both speak of the same work.  A list is JSON: `{"version": 1, "cases":
//! [..]}`, a case an operation, an element type and shapes: the operands' in C
//! order (`in`) and the result's (`out`).  A broadcast may have `perm`, which
//! permutes the stored source's axes before it is stretched, and `axes`, the
//! output axis of each source axis then.  Lists also hold operations that do
//! not exist yet; those are reported as skipped.
//!
//! Invariant: every broadcast handed out has a plan, and fits [`MAX_BYTES`].

use std::collections::HashSet;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use stridecast::{DType, Layout, Options, Plan, Rule};

const BUILT_IN: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/cases.json"));
/// Source and output of one case together; a typing error, or a swapping machine, beyond.
const MAX_BYTES: u64 = 4 << 30;
/// What [`sweep`] sweeps over: one element type per element size.
pub const SWEEP_DTYPES: [DType; 5] = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];
/// Output bytes of a sweep's case: in the second-level cache of every machine this is meant for.
const SWEEP_BYTES: usize = 256 << 10;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// A heading of the list; nothing here depends on it.
    #[serde(rename = "group")]
    _group: String,
    #[serde(rename = "cls")]
    pub class: Class,
    pub op: String,
    #[serde(deserialize_with = "dtype")]
    pub dtype: DType,
    /// The operands' shapes; a broadcast has one.
    #[serde(rename = "in")]
    pub inputs: Vec<Vec<usize>>,
    pub out: Vec<usize>,
    pub axes: Option<Vec<usize>>,
    pub perm: Option<Vec<usize>>,
}

/// What a case is measured for: the cost of a call, or bandwidth.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Tiny,
    Cache,
    Large,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    version: u64,
    // Not yet cases, so that what is wrong with one is said with its name.
    cases: Vec<Value>,
}

/// The list that is compiled in.
pub fn built_in() -> Result<Vec<Case>, String> {
    parse(BUILT_IN)
}

/// The list in `text`; a reason that names the case otherwise.
pub fn parse(text: &[u8]) -> Result<Vec<Case>, String> {
    let list: List = serde_json::from_slice(text).map_err(|e| format!("not a list of cases: {e}"))?;
    if list.version != 1 {
        return Err(format!("a list of version {}, only 1 is known", list.version));
    }
    if list.cases.is_empty() {
        return Err("there are no cases in the list".into());
    }
    let mut names = HashSet::new();
    let mut cases = Vec::with_capacity(list.cases.len());
    for (i, value) in list.cases.into_iter().enumerate() {
        let name = match value.get("name") {
            Some(Value::String(name)) => format!("case '{name}'"),
            _ => format!("case number {}", i + 1),
        };
        let case = Case::deserialize(value).map_err(|e| e.to_string()).and_then(|case: Case| {
            case.check()?;
            if names.insert(case.name.clone()) { Ok(case) } else { Err("a second case of that name".into()) }
        });
        cases.push(case.map_err(|what| format!("{name}: {what}"))?);
    }
    Ok(cases)
}

/// `s_row{n}_{dtype}`, rows of n elements, and `s_up{n}_{dtype}`, every element n times.
pub fn sweep() -> Vec<Case> {
    let one = |name: &str, n: usize, dtype: DType| {
        let times = SWEEP_BYTES / (n * dtype.size());
        let (source, out) = if name == "row" { ([1, n], [times, n]) } else { ([times, 1], [times, n]) };
        Case {
            name: format!("s_{name}{n}_{dtype}"),
            _group: "sweep".into(),
            class: Class::Cache,
            op: "broadcast".into(),
            dtype,
            inputs: vec![source.into()],
            out: out.into(),
            axes: None,
            perm: None,
        }
    };
    let counts = |name| (2..=40).flat_map(move |n| SWEEP_DTYPES.map(|dtype| one(name, n, dtype)));
    counts("row").chain(counts("up")).collect()
}

fn dtype<'de, D: Deserializer<'de>>(value: D) -> Result<DType, D::Error> {
    let name = String::deserialize(value)?;
    DType::from_str(&name).map_err(|e| serde::de::Error::custom(format!("'{name}': {e}")))
}

impl Case {
    /// Whether this version has the operation.
    pub fn exists(&self) -> bool {
        self.op == "broadcast"
    }

    fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.contains(char::is_control) {
            return Err("a name has at least one character, and none that controls a terminal".into());
        }
        if !self.exists() {
            return Ok(());
        }
        if self.inputs.len() != 1 {
            return Err(format!("a broadcast has one shape in 'in', not {}", self.inputs.len()));
        }
        let plan = self.plan().map_err(|e| e.to_string())?;
        let source = plan.source_need().checked_mul(self.dtype.size());
        match source.and_then(|source| source.checked_add(plan.output_bytes())) {
            Some(bytes) if bytes as u64 <= MAX_BYTES => Ok(()),
            _ => Err(format!("source and output hold more than {} GiB", MAX_BYTES >> 30)),
        }
    }

    /// The source as it lies in memory.
    pub fn stored(&self) -> &[usize] {
        &self.inputs[0]
    }

    /// The source as it is seen: with its axes permuted.
    pub fn layout(&self) -> stridecast::Result<Layout<'_>> {
        let stored = Layout::new(self.stored())?;
        match &self.perm {
            Some(perm) => stored.permute(perm),
            None => Ok(stored),
        }
    }

    pub fn rule(&self) -> Rule<'_> {
        self.axes.as_deref().map_or(Rule::Numpy, Rule::AxesMapping)
    }

    pub fn plan(&self) -> stridecast::Result<Plan> {
        Plan::broadcast(&self.layout()?, &self.out, self.rule(), self.dtype.size(), Options::new())
    }

    /// Bytes of the source, each of them counted once.
    pub fn read(&self) -> usize {
        self.stored().iter().product::<usize>() * self.dtype.size()
    }

    /// Bytes of the output.
    pub fn written(&self) -> usize {
        self.out.iter().product::<usize>() * self.dtype.size()
    }
}
