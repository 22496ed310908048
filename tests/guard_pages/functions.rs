//! Every kernel of an elementwise function at the guard pages: each operand and the output end, or begin, at a page that
//! faults. What must come out is what plain Rust gives on ordinary memory, whose meaning `tests/elementwise` checks.

use std::collections::BTreeSet;

use stridecast::{DType, Isa, Layout, Op, OpPlan, Options, Stores, function_kernels, raw};

use crate::harness::{CANARY, Edge, Guarded};

/// Bytes of each operand's pages: rows of two blocks of the widest elements, with gaps.
pub const ROOM: usize = 16 << 10;

/// Values that no function refuses, and of which few are special: small numbers in every type.
pub fn content(dtype: DType, len: usize) -> Vec<u8> {
    let number = |i: usize| (i * 5 % 11 + 1) as u8;
    let float = |i: usize| f32::from(number(i)) * 0.75;
    (0..len)
        .flat_map(|i| match dtype {
            DType::Bool => vec![number(i) % 2],
            DType::F16 => half::f16::from_f32(float(i)).to_le_bytes().to_vec(),
            DType::BF16 => half::bf16::from_f32(float(i)).to_le_bytes().to_vec(),
            DType::F32 => float(i).to_le_bytes().to_vec(),
            DType::F64 => f64::from(float(i)).to_le_bytes().to_vec(),
            DType::C64 => [float(i).to_le_bytes(), float(i + 1).to_le_bytes()].concat(),
            DType::C128 => [f64::from(float(i)).to_le_bytes(), f64::from(float(i + 1)).to_le_bytes()].concat(),
            integer => u64::from(number(i)).to_le_bytes()[..integer.size()].to_vec(),
        })
        .collect()
}

/// An operand: its shape and strides, in elements, none of them negative.
pub struct Operand {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
}

impl Operand {
    pub fn dense(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        Self { shape: shape.to_vec(), strides }
    }

    pub fn rows(rows: usize, cols: usize, apart: usize) -> Self {
        Self { shape: vec![rows, cols], strides: vec![apart as isize, 1] }
    }

    /// Elements from the first to the last.
    pub fn span(&self) -> usize {
        if self.shape.contains(&0) {
            return 0;
        }
        1 + self.shape.iter().zip(&self.strides).map(|(size, stride)| (size - 1) * *stride as usize).sum::<usize>()
    }

    pub fn layout(&self) -> Layout<'_> {
        Layout::strided(0, &self.shape, &self.strides).unwrap()
    }
}

/// The pages, and the kernels that ran.
struct Lab {
    pages: Pages,
    ran: BTreeSet<&'static str>,
}

impl Lab {
    fn new() -> Self {
        Self { pages: Pages::new(), ran: BTreeSet::new() }
    }

    /// Runs a function on every level, with stores through and past the caches, at both edges.
    fn run(&mut self, op: Op, dtypes: &[DType], output: DType, operands: &[Operand], out: &Operand) {
        let layouts: Vec<_> = operands.iter().map(Operand::layout).collect();
        let inputs: Vec<_> = dtypes.iter().copied().zip(&layouts).collect();
        let out_layout = out.layout();
        let plan = |options| OpPlan::with_output(op, &inputs, output, &out_layout, options).unwrap();
        let bytes: Vec<_> =
            operands.iter().zip(dtypes).map(|(operand, dtype)| content(*dtype, operand.span())).collect();
        let size = out.span() * output.size();
        // In words, which are aligned for every type.
        let mut expected = vec![u128::from_ne_bytes([CANARY; 16]); size.div_ceil(16)];
        let copies: Vec<Vec<u128>> = bytes.iter().map(|bytes| words(bytes)).collect();
        let pointers: Vec<_> = copies.iter().map(|copy| copy.as_ptr().cast::<u8>()).collect();
        // SAFETY: each copy holds its operand's elements, and `expected` the output's.
        unsafe { raw::apply(&plan(Options::new().isa(Isa::SCALAR)), &pointers, expected.as_mut_ptr().cast()).unwrap() };
        let expected = &bytemuck::cast_slice::<_, u8>(&expected)[..size];
        for isa in Isa::available() {
            for stores in [Stores::Cached, Stores::Streaming] {
                let plan = plan(Options::new().isa(isa).stores(stores));
                self.ran.insert(plan.kernel_name());
                self.at(&plan, &bytes, expected, Edge::End);
                if stores == Stores::Cached {
                    self.at(&plan, &bytes, expected, Edge::Begin);
                }
            }
        }
    }

    fn at(&mut self, plan: &OpPlan, bytes: &[Vec<u8>], expected: &[u8], edge: Edge) {
        self.pages.run(bytes, expected, edge, plan, |pointers, out| {
            // SAFETY: each operand's pages hold its elements, the output's its own.
            unsafe { raw::apply(plan, pointers, out).unwrap() };
        });
    }
}

/// The pages of the output and of three operands, and as many canaries as each holds.
pub struct Pages([Guarded; 4], Vec<u8>);

impl Pages {
    pub fn new() -> Self {
        let pages = [(); 4].map(|()| Guarded::new(ROOM));
        let canaries = vec![CANARY; pages[0].bytes];
        Self(pages, canaries)
    }

    /// Makes a call with operands of these bytes at an edge, and an output of canaries that must become `expected`.
    pub fn run(
        &mut self,
        bytes: &[Vec<u8>],
        expected: &[u8],
        edge: Edge,
        what: &dyn std::fmt::Display,
        call: impl FnOnce(&[*const u8], *mut u8),
    ) {
        let (out_pages, pages) = self.0.split_first_mut().unwrap();
        let mut pointers = vec![];
        for (pages, bytes) in pages.iter_mut().zip(bytes) {
            let range = pages.place(edge, 0, bytes.len());
            pointers.push(pages.fill(range, bytes).cast_const());
        }
        let range = out_pages.place(edge, 0, expected.len());
        let out = out_pages.fill(range.clone(), &self.1[..expected.len()]);
        call(&pointers, out);
        let memory = out_pages.memory();
        assert!(memory[range.clone()] == *expected, "wrong bytes or a gap written at {edge:?}\n{what}");
        // By whole slices: the pages are compared a hundred thousand times.
        let untouched = |part: &[u8]| *part == self.1[..part.len()];
        let outside = untouched(&memory[..range.start]) && untouched(&memory[range.end..]);
        assert!(outside, "written outside the output at {edge:?}\n{what}");
    }
}

/// In words, which are aligned for every type.
pub fn words(bytes: &[u8]) -> Vec<u128> {
    let mut words = vec![0_u128; bytes.len().div_ceil(16)];
    bytemuck::cast_slice_mut::<_, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

/// Every function with the types that it is defined on: operands, and result.
fn signatures() -> Vec<(Op, Vec<DType>, DType)> {
    let scalar = Layout::new(&[]).unwrap();
    let mut all = vec![];
    for &op in Op::ALL {
        for &dtype in DType::ALL {
            let mut inputs = vec![dtype; op.arity()];
            if op == Op::Where {
                inputs[0] = DType::Bool;
            }
            for output in BTreeSet::from([OpPlan::output_of(op, &inputs).name(), dtype.name()]) {
                let output: DType = output.parse().unwrap();
                let operands: Vec<_> = inputs.iter().map(|dtype| (*dtype, &scalar)).collect();
                if OpPlan::new(op, &operands, output, Options::new()).is_ok() {
                    all.push((op, inputs.clone(), output));
                }
            }
        }
    }
    all
}

/// Rows of every length around two blocks, dense or standing still, one and several, with and without gaps.
#[test]
fn every_function_at_every_length() {
    let mut lab = Lab::new();
    for (op, inputs, output) in signatures() {
        let widest = inputs.iter().map(|dtype| dtype.size()).max().unwrap();
        // Two blocks, of 64, 32 or 16 elements, and one more.
        let most = if widest > 8 {
            33
        } else if widest > 4 {
            65
        } else {
            129
        };
        for n in (0..=most).filter(|n| *n < 9 || n % 16 < 2 || n % 16 == 15 || n % 11 == 3) {
            let row = || Operand::dense(&[n]);
            let one = || Operand::dense(&[1]);
            let arity = op.arity();
            let still = n % arity;
            let operands: Vec<_> = (0..arity).map(|k| if n % 2 == 0 && k == still { one() } else { row() }).collect();
            let shape = if arity == 1 || n != 1 { n } else { 1 };
            lab.run(op, &inputs, output, &operands, &Operand::dense(&[shape]));
        }
        for n in [5, 33, 64, 66] {
            let gaps: Vec<_> = (0..op.arity()).map(|k| Operand::rows(3, n, n + k)).collect();
            lab.run(op, &inputs, output, &gaps, &Operand::rows(3, n, n + 2));
            let mut short: Vec<_> = gaps;
            short[op.arity() - 1] = Operand::dense(&[n]);
            short[0] = if op.arity() > 1 { Operand::dense(&[3, 1]) } else { Operand::rows(3, n, n) };
            lab.run(op, &inputs, output, &short, &Operand::dense(&[3, n]));
        }
    }
    // What takes f32 for one of its halves needs more elements.
    for op in [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Minimum, Op::Maximum] {
        for wide in 0..2 {
            let operands: Vec<_> =
                (0..2).map(|k| Operand::dense(if k == wide { &[1, 1031] } else { &[2, 1031] })).collect();
            lab.run(op, &[DType::F16, DType::F16], DType::F16, &operands, &Operand::dense(&[2, 1031]));
        }
    }
    let levels: BTreeSet<_> = Isa::available().map(Isa::name).collect();
    for (name, _) in function_kernels().filter(|(_, level)| levels.contains(level)) {
        assert!(lab.ran.contains(name), "{name} never ran");
    }
}
