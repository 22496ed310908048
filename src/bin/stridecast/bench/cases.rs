//! The cases: lists of shapes to broadcast or to compute with, the built-in ones and those of a file.
//!
//! `bench` measures them, and `benches/{materialise,elementwise,reduce}.rs`
//! include this file, so that all speak of the same work.  A list is JSON:
//! `{"version": 1, "cases": [..]}`, a case an operation, an element type and
//! shapes: the operands' in C order (`in`) and the result's (`out`).  An operation is
//! `broadcast`, an elementwise function of the library or a reduction; a
//! comparison gives bytes, and so is the mask of `where`.  A reduction has one
//! operand, which it reduces to what NumPy's rule stretches to it, or two if it
//! is `sum_of_product`, and perhaps a wider `out_dtype`.  A broadcast may have
//! `perm`, which permutes the stored source's axes before it is stretched, and
//! `axes`, the output axis of each source axis then.  Lists also hold operations
//! that do not exist yet; those are reported as skipped.
//!
//! Invariant: every case handed out that exists has a plan, and fits [`MAX_BYTES`].

use std::collections::HashSet;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use stridecast::{DType, Layout, Op, OpPlan, Options, Over, Plan, ReducePlan, Reduction, Rule};

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
    /// Of a reduction; the operands' if there is none.
    #[serde(default, deserialize_with = "some_dtype")]
    out_dtype: Option<DType>,
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

/// What [`sweep`] sweeps over: its name, what a line of its table is headed by, and the element types.
pub const SWEEPS: [(&str, &str, &[DType]); 4] = [
    ("row", "rows of", &SWEEP_DTYPES),
    ("up", "each times", &SWEEP_DTYPES),
    ("subrow", "minus rows of", &SUB_DTYPES),
    ("subcol", "columns minus rows of", &SUB_DTYPES),
];
/// Without complex numbers, which a subtraction takes for pairs of floats.
const SUB_DTYPES: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::F64];

/// `s_row{n}_{dtype}`, rows of n elements, and `s_up{n}_{dtype}`, every element n times; then subtractions in rows of n
/// elements: `s_subrow{n}_{dtype}`, of one row from all, and `s_subcol{n}_{dtype}`, of rows from a column.
pub fn sweep() -> Vec<Case> {
    let one = |name: &str, n: usize, dtype: DType| {
        let times = SWEEP_BYTES / (n * dtype.size());
        let (row, column, out) = (vec![1, n], vec![times, 1], vec![times, n]);
        let (op, inputs) = match name {
            "row" => ("broadcast", vec![row]),
            "up" => ("broadcast", vec![column]),
            "subrow" => ("sub", vec![out.clone(), row]),
            _ => ("sub", vec![column, out.clone()]),
        };
        Case::new(format!("s_{name}{n}_{dtype}"), Class::Cache, op, dtype, (inputs, out))
    };
    let least = |name: &str| if name.starts_with("sub") { 1 } else { 2 };
    let counts = |(name, _, dtypes): (&'static str, _, &'static [DType])| {
        (least(name)..=40).flat_map(move |n| dtypes.iter().map(move |&dtype| one(name, n, dtype)))
    };
    SWEEPS.into_iter().flat_map(counts).collect()
}

fn dtype<'de, D: Deserializer<'de>>(value: D) -> Result<DType, D::Error> {
    let name = String::deserialize(value)?;
    DType::from_str(&name).map_err(|e| serde::de::Error::custom(format!("'{name}': {e}")))
}

fn some_dtype<'de, D: Deserializer<'de>>(value: D) -> Result<Option<DType>, D::Error> {
    dtype(value).map(Some)
}

impl Case {
    /// Of operands' shapes and an output's.
    pub fn new(
        name: String,
        class: Class,
        op: &str,
        dtype: DType,
        (inputs, out): (Vec<Vec<usize>>, Vec<usize>),
    ) -> Case {
        let (axes, perm, out_dtype) = (None, None, None);
        Case { name, _group: String::new(), class, op: op.into(), dtype, inputs, out, axes, perm, out_dtype }
    }

    /// Whether this version has the operation.
    pub fn exists(&self) -> bool {
        self.is_broadcast() || self.function().is_some() || self.reduction().is_some()
    }

    pub fn is_broadcast(&self) -> bool {
        self.op == "broadcast"
    }

    /// The elementwise function that it is, by its name or ONNX's.
    pub fn function(&self) -> Option<Op> {
        match &*self.op {
            _ if self.reduction().is_some() => None,
            "max" => Some(Op::Maximum),
            "min" => Some(Op::Minimum),
            "equal" => Some(Op::Eq),
            "less" => Some(Op::Lt),
            name => name.parse().ok(),
        }
    }

    /// The reduction that it is; `max` and `min` are one of one operand, a function of two.
    pub fn reduction(&self) -> Option<Reduction> {
        match &*self.op {
            "sum_of_product" => Some(Reduction::Sum),
            "max" | "min" if self.inputs.len() != 1 => None,
            name => name.parse().ok(),
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.contains(char::is_control) {
            return Err("a name has at least one character, and none that controls a terminal".into());
        }
        if !self.exists() {
            return Ok(());
        }
        if self.out_dtype.is_some() && self.reduction().is_none() {
            return Err("'out_dtype' is for reductions".into());
        }
        let read = if self.is_broadcast() { self.check_broadcast() } else { self.check_numbers() }?;
        let written = self.out.iter().try_fold(self.output_dtype().size(), |n, &size| n.checked_mul(size));
        match read.zip(written).and_then(|(read, written)| read.checked_add(written)) {
            Some(bytes) if bytes as u64 <= MAX_BYTES => Ok(()),
            _ => Err(format!("operands and output hold more than {} GiB", MAX_BYTES >> 30)),
        }
    }

    /// Bytes of the source, if they are a number.
    fn check_broadcast(&self) -> Result<Option<usize>, String> {
        if self.inputs.len() != 1 {
            return Err(format!("a broadcast has one shape in 'in', not {}", self.inputs.len()));
        }
        let plan = self.plan().map_err(|e| e.to_string())?;
        Ok(plan.source_need().checked_mul(self.dtype.size()))
    }

    /// Bytes of all operands, if they are a number.
    fn check_numbers(&self) -> Result<Option<usize>, String> {
        if self.perm.is_some() || self.axes.is_some() {
            return Err("'perm' and 'axes' are for broadcasts".into());
        }
        if matches!(self.dtype, DType::Bool | DType::C64 | DType::C128) {
            return Err("functions of bool and of complex numbers are not measured".into());
        }
        if self.reduction().is_some() {
            let count = if self.op == "sum_of_product" { 2 } else { 1 };
            if self.inputs.len() != count {
                return Err(format!("a {} has {count} shapes in 'in', not {}", self.op, self.inputs.len()));
            }
            self.reduce_plan().map_err(|e| e.to_string())?;
        } else {
            let plan = self.op_plan().map_err(|e| e.to_string())?;
            if *plan.output_shape() != *self.out {
                return Err(format!("the output's shape is {:?}, not {:?}", plan.output_shape(), self.out));
            }
        }
        let bytes = |k: usize| {
            let sizes = self.inputs[k].iter();
            sizes.copied().try_fold(self.input_dtype(k).size(), usize::checked_mul)
        };
        Ok((0..self.inputs.len()).try_fold(0_usize, |sum, k| sum.checked_add(bytes(k)?)))
    }

    /// The element type of operand `k`.
    pub fn input_dtype(&self, k: usize) -> DType {
        if k == 0 && self.function() == Some(Op::Where) { DType::U8 } else { self.dtype }
    }

    pub fn output_dtype(&self) -> DType {
        if let Some(dtype) = self.out_dtype {
            return dtype;
        }
        let usual = self.function().map(|op| OpPlan::output_of(op, &[self.dtype, self.dtype, self.dtype]));
        if usual == Some(DType::Bool) { DType::U8 } else { self.dtype }
    }

    /// Of a case that is an elementwise function.
    pub fn op_plan(&self) -> stridecast::Result<OpPlan> {
        let layouts = self.inputs.iter().map(|shape| Layout::new(shape)).collect::<stridecast::Result<Vec<_>>>()?;
        let inputs: Vec<_> = layouts.iter().enumerate().map(|(k, layout)| (self.input_dtype(k), layout)).collect();
        let unknown = stridecast::BroadcastError::OperandCount { expected: 0, got: inputs.len() };
        OpPlan::new(self.function().ok_or(unknown)?, &inputs, self.output_dtype(), Options::new())
    }

    /// Of a case that is a reduction.
    pub fn reduce_plan(&self) -> stridecast::Result<ReducePlan> {
        let (over, output, options) = (Over::To(&self.out), self.output_dtype(), Options::new());
        let first = (self.dtype, &Layout::new(&self.inputs[0])?);
        match (self.inputs.get(1), self.reduction()) {
            (Some(second), _) => {
                ReducePlan::sum_of_product([first, (self.dtype, &Layout::new(second)?)], over, output, options)
            }
            (None, reduction) => ReducePlan::new(reduction.unwrap_or(Reduction::Sum), first, over, output, options),
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

    /// Bytes of operand `k`.
    pub fn operand(&self, k: usize) -> usize {
        self.inputs[k].iter().product::<usize>() * self.input_dtype(k).size()
    }

    /// Bytes of the operands, each of them counted once.
    pub fn read(&self) -> usize {
        (0..self.inputs.len()).map(|k| self.operand(k)).sum()
    }

    /// What a case is as large as: the bytes that a reduction reads, and other cases write.
    pub fn size(&self) -> usize {
        if self.reduction().is_some() { self.read() } else { self.written() }
    }

    /// Bytes of the output.
    pub fn written(&self) -> usize {
        self.out.iter().product::<usize>() * self.output_dtype().size()
    }
}
