//! Cost of shaders: nanoseconds per run, and compile time by number of operations.
//!
//! `cargo bench -p benches --bench shade`

use std::sync::Arc;

use divan::{Bencher, black_box};
use shading::builtins::{Builtin, Global};
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::{ClosureId, Op, Operand, Unit};
use shading::interp::{self, RunOptions};
use shading::ty::Type;
use shading::{
    ClosureParam, ClosureRegistry, ClosureSignature, CompileOptions, HostFunctions, NoHost, OptLevel,
    ShaderGlobals, ShaderInstance, ShadingContext,
};

const LEVELS: [OptLevel; 3] = [OptLevel::Fast, OptLevel::Plain, OptLevel::Full];
const OPS: [usize; 4] = [10, 100, 300, 1000];

fn main() {
    divan::main();
}

/// Time to compile, by operations and level.
#[divan::bench(args = cases())]
fn compile(bencher: Bencher, case: Case) {
    let unit = arithmetic(case.ops);
    bencher
        .counter(divan::counter::ItemsCount::new(case.ops))
        .bench(|| instance(black_box(&unit), case.level));
}

/// Time of a run, by operations and level.
#[divan::bench(args = cases())]
fn run(bencher: Bencher, case: Case) {
    bench_run(bencher, &instance(&arithmetic(case.ops), case.level));
}

/// The smallest surface: one closure.
#[divan::bench(args = levels())]
fn run_matte(bencher: Bencher, case: Case) {
    bench_run(bencher, &instance(&matte(), case.level));
}

/// Octaves of noise: calls of Rust functions in a loop.
#[divan::bench(args = levels())]
fn run_fbm(bencher: Bencher, case: Case) {
    bench_run(bencher, &instance(&fbm(), case.level));
}

/// Octaves of noise in the interpreter.
#[divan::bench]
fn interpret_fbm(bencher: Bencher) {
    let unit = fbm();
    let globals = globals();
    bencher.bench(|| interp::run(black_box(&unit), &RunOptions::new(&globals)));
}

/// A number of operations and a level of optimisation.
#[derive(Clone, Copy, Debug)]
struct Case {
    level: OptLevel,
    ops: usize,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:4} ops, {:?}", self.ops, self.level)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    OPS.into_iter().flat_map(|ops| LEVELS.map(|level| Case { level, ops }))
}

fn levels() -> impl Iterator<Item = Case> {
    LEVELS.into_iter().map(|level| Case { level, ops: 0 })
}

fn bench_run(bencher: Bencher, instance: &ShaderInstance) {
    let globals = globals();
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    bencher.bench_local(move || {
        black_box(instance.run(black_box(&globals), &mut ctx).unwrap().root().is_some())
    });
}

fn instance(unit: &Unit, level: OptLevel) -> ShaderInstance {
    let host = HostFunctions::of(Arc::new(NoHost));
    let options = CompileOptions { level, ..CompileOptions::default() };
    ShaderInstance::compile(unit, &registry(), &host, &options).expect("the unit is good")
}

fn registry() -> ClosureRegistry {
    let mut registry = ClosureRegistry::default();
    registry
        .register(ClosureSignature {
            name: "diffuse",
            params: vec![ClosureParam::new("n", Type::NORMAL)],
        })
        .unwrap();
    registry
}

const DIFFUSE: ClosureId = ClosureId(0);

fn globals() -> ShaderGlobals {
    ShaderGlobals {
        p: [0.1, 0.7, -0.3].into(),
        n: [0.0, 1.0, 0.0].into(),
        u: 0.3,
        v: 0.6,
        ..ShaderGlobals::default()
    }
}

/// `Ci = color * diffuse(N)`.
fn surface(mut b: CodeBuilder, color: Operand) -> Unit {
    let ci = b.local(Type::CLOSURE);
    let n = b.op(Type::NORMAL, Op::Global(Global::N), &[]);
    let diffuse = b.op(Type::CLOSURE, Op::MakeClosure(DIFFUSE), &[n]);
    b.set(ci, Op::ClosureMul, &[diffuse, color]);
    unit("bench", &[("Ci", ci)], b, Default::default())
}

fn matte() -> Unit {
    let mut b = CodeBuilder::default();
    let color = b.triple([0.8, 0.5, 0.3]);
    surface(b, color)
}

/// Source with `ops` operations typical of patterns: sums and products of floats and triples, quotients, minima, a
/// root, and occasional branches.
fn arithmetic(ops: usize) -> Unit {
    let mut b = CodeBuilder::default();
    let mut x = b.op(Type::FLOAT, Op::Global(Global::U), &[]);
    let mut p = b.op(Type::POINT, Op::Global(Global::P), &[]);
    let (k, t) = (b.float(1.01), b.triple([0.9, 0.8, 0.7]));
    for i in 0..ops.saturating_sub(5) {
        let float = |b: &mut CodeBuilder, op, args: &[Operand]| b.op(Type::FLOAT, op, args);
        match i % 10 {
            0 => x = float(&mut b, Op::Mul, &[x, k]),
            1 => p = b.op(Type::COLOR, Op::Mul, &[p, t]),
            2 => x = float(&mut b, Op::Add, &[x, k]),
            3 => p = b.op(Type::COLOR, Op::Add, &[p, t]),
            4 => x = float(&mut b, Op::Div, &[k, x]),
            5 => p = b.op(Type::COLOR, Op::Builtin(Builtin::Min), &[p, t]),
            6 => x = float(&mut b, Op::Builtin(Builtin::Dot), &[p, t]),
            7 => x = float(&mut b, Op::Builtin(Builtin::Sqrt), &[x]),
            8 => {
                let s = b.op(Type::COLOR, Op::Splat, &[x]);
                p = b.op(Type::COLOR, Op::Sub, &[s, p]);
            }
            _ => {
                let test = b.op(Type::INT, Op::Lt, &[x, k]);
                let y = b.local(Type::FLOAT);
                b.set(y, Op::Copy, &[x]);
                b.branch(test, |b| b.set(y, Op::Mul, &[x, k]), |_| {});
                x = Operand::Local(y);
            }
        }
    }
    surface(b, p)
}

fn fbm() -> Unit {
    let mut b = CodeBuilder::default();
    let (sum, weight, p) = (b.local(Type::FLOAT), b.local(Type::FLOAT), b.local(Type::POINT));
    b.set(p, Op::Global(Global::P), &[]);
    let (one, half, octaves, two) = (b.float(1.0), b.float(0.5), b.int(4), b.triple([2.0; 3]));
    b.set(weight, Op::Copy, &[one]);
    b.count(octaves, |b, _| {
        let noise = b.op(Type::FLOAT, Op::Builtin(Builtin::Perlin), &[Operand::Local(p)]);
        let noise = b.op(Type::FLOAT, Op::Mul, &[noise, Operand::Local(weight)]);
        b.set(sum, Op::Add, &[Operand::Local(sum), noise]);
        b.set(weight, Op::Mul, &[Operand::Local(weight), half]);
        b.set(p, Op::Mul, &[Operand::Local(p), two]);
    });
    let color = b.op(Type::COLOR, Op::Splat, &[Operand::Local(sum)]);
    surface(b, color)
}
