//! Compiled code against the interpreter, bit for bit, on units made at random: values, closures, what is printed, and
//! what is reported.

use std::collections::BTreeSet;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::builtins::{Builtin, Global};
use shading::hir::build::{CodeBuilder, function, unit};
use shading::hir::verify::verify;
use shading::hir::{ClosureId, Const, Function, FunctionId, LocalId, Op, Operand, ScopeId, Unit};
use shading::interp::{self, Component, Listing, Param, RunOptions, Value};
use shading::ty::{Base, Type};
use shading::{
    ClosureNode, ClosureParam, ClosureRegistry, ClosureSignature, ClosureTree, CompileOptions, HostFunctions,
    NoHost, OptLevel, ReportKind, ShaderGlobals, ShaderInstance, ShadingContext,
};

const FUEL: u32 = 300;

#[test]
fn compiled_code_equals_the_interpreter() {
    let registry = registry();
    let host = HostFunctions::of(Arc::new(NoHost));
    let (mut ended, mut lit, mut reported) = (0, 0, 0);
    const UNITS: u64 = 400;
    for seed in 0..UNITS {
        let unit = Generator::unit(seed);
        let violations = verify(&unit, Some(&registry));
        assert!(violations.is_empty(), "seed {seed}: {}", violations[0]);
        let globals = globals(seed);
        let expected = interp::run(
            &unit,
            &RunOptions {
                fuel: FUEL,
                ..RunOptions::new(&globals)
            },
        );
        for level in [OptLevel::Fast, OptLevel::Plain, OptLevel::Full] {
            let options = CompileOptions {
                level,
                ..CompileOptions::default()
            };
            let instance = ShaderInstance::compile(&unit, &registry, &host, &options).expect("compiles");
            let mut ctx = ShadingContext::new(Arc::new(NoHost));
            ctx.set_fuel(FUEL);
            instance.run(&globals, &mut ctx);
            let context = format!("seed {seed}, {level:?}");
            check(&context, &instance, &mut ctx, &expected, &registry);
        }
        ended += u32::from(!expected.finished);
        lit += u32::from(!expected.listing("ci").lists[0].is_empty());
        reported += u32::from(!expected.reports.is_empty());
    }
    // A generator whose units all end early, or make nothing, would prove little.
    assert!(
        (5..UNITS as u32 / 2).contains(&ended) && lit > 20 && reported > 50,
        "{ended} {lit} {reported}"
    );
}

fn check(
    context: &str,
    instance: &ShaderInstance,
    ctx: &mut ShadingContext,
    expected: &interp::Outcome,
    registry: &ClosureRegistry,
) {
    let reports = ctx.take_reports();
    // Strings can double until compiled code runs out of the memory of a run, a bound that the interpreter has not.
    if reports.iter().any(|r| r.kind == ReportKind::OutOfMemory) {
        return;
    }
    assert_eq!(ctx.finished(), expected.finished, "{context}");
    for (i, (name, value)) in expected.outputs.iter().enumerate() {
        match value {
            Value::Plain(value) => {
                let got = instance.output(i, ctx);
                assert!(got.same(value), "{context}: {name} is {got:?}, not {value:?}");
            }
            Value::Closure(root) => {
                let got = listing(instance.closure(i, ctx), registry);
                let listed = expected.closures.list(*root);
                assert!(got.same(&listed), "{context}: {name} is {got:?}, not {listed:?}");
            }
            // Closures in arrays are reached through single ones.
            Value::Closures(_) => {}
        }
    }
    assert_eq!(ctx.take_printed(), expected.printed, "{context}");
    let got: BTreeSet<String> = reports.iter().map(|r| format!("{:?}", r.kind)).collect();
    let wanted: BTreeSet<String> = expected.reports.iter().map(|r| format!("{:?}", r.kind)).collect();
    assert_eq!(got, wanted, "{context}");
}

/// A tree as the interpreter lists closures.
fn listing(tree: ClosureTree<'_>, registry: &ClosureRegistry) -> Listing {
    let mut listing = Listing::default();
    let mut roots = vec![tree.root()];
    let mut count = 0;
    while let Some(&root) = roots.get(listing.lists.len()) {
        let mut list = vec![];
        let mut open: Vec<_> = root.map(|r| (r, [1.0f32; 3])).into_iter().collect();
        while let Some((closure, weight)) = open.pop() {
            let scaled = |w: [f32; 3]| std::array::from_fn(|i| weight[i] * w[i]);
            match closure.node() {
                ClosureNode::Mul { weight, closure } => {
                    open.extend(closure.map(|c| (c, scaled(weight))));
                }
                ClosureNode::Add { a, b } => {
                    open.extend([b, a].into_iter().flatten().map(|c| (c, weight)));
                }
                ClosureNode::Component {
                    id,
                    weight: own,
                    params,
                } => {
                    let weight = scaled(own);
                    if weight == [0.0; 3] {
                        continue;
                    }
                    let signature = registry.get(id);
                    let (offsets, _) = signature.layout();
                    let params = signature.params.iter().zip(offsets).map(|(param, at)| {
                        Param::Value(match param.ty.base {
                            Base::Int => Const::Int(params.int(at)),
                            Base::Float => Const::Float(params.float(at)),
                            Base::Matrix => Const::Matrix(params.matrix(at)),
                            Base::String => Const::String(params.string(at).into()),
                            Base::Closure => {
                                roots.push(params.closure(at));
                                return Param::Closure(roots.len() - 1);
                            }
                            _ => Const::Triple(params.triple(at)),
                        })
                    });
                    list.push(Component {
                        id,
                        weight,
                        params: params.collect(),
                    });
                }
            }
            count += 1;
            if count > 10_000 {
                listing.truncated = true;
                break;
            }
        }
        listing.lists.push(list);
    }
    listing
}

const PLAIN: ClosureId = ClosureId(0);
const COAT: ClosureId = ClosureId(1);

fn registry() -> ClosureRegistry {
    let mut registry = ClosureRegistry::default();
    let param = ClosureParam::new;
    registry.register(ClosureSignature {
        name: "plain",
        params: vec![param("n", Type::NORMAL)],
    });
    registry.register(ClosureSignature {
        name: "coat",
        params: vec![
            param("x", Type::FLOAT),
            param("tint", Type::COLOR),
            param("i", Type::INT),
            param("base", Type::CLOSURE),
            param("frame", Type::MATRIX),
            param("label", Type::STRING),
        ],
    });
    registry
}

fn globals(seed: u64) -> ShaderGlobals {
    let mut random = Random(seed ^ 0x5555);
    let mut triple = || [random.float(), random.float(), random.float()].into();
    ShaderGlobals {
        p: triple(),
        n: triple(),
        i: triple(),
        dpdu: triple(),
        u: 0.3,
        v: -0.0,
        ray_kind: shading::RayKind::SHADOW,
        ..ShaderGlobals::default()
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Ordinary numbers mostly, and all kinds of odd ones.
    fn float(&mut self) -> f32 {
        match self.below(12) {
            0 => self.pick(&[
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::MAX,
                1e-40,
                f32::MIN_POSITIVE,
            ]),
            1 => 0.0,
            2 => self.pick(&[1.0, -1.0, -0.0, 2.0, 0.5]),
            _ => (self.below(20_001) as f32 - 10_000.0) / 1024.0,
        }
    }

    fn int(&mut self) -> i32 {
        match self.below(8) {
            0 => self.pick(&[i32::MIN, i32::MAX, 0, -1, 32, 31]),
            _ => self.below(9) as i32 - 2,
        }
    }
}

const INT: Type = Type::INT;
const FLOAT: Type = Type::FLOAT;
const TRIPLE: Type = Type::COLOR;
const MATRIX: Type = Type::MATRIX;
const STRING: Type = Type::STRING;
const CLOSURE: Type = Type::CLOSURE;

const TYPES: [Type; 12] = [
    INT,
    FLOAT,
    TRIPLE,
    MATRIX,
    STRING,
    CLOSURE,
    Type::array(Base::Int, 5),
    Type::array(Base::Float, 7),
    Type::array(Base::Color, 3),
    Type::array(Base::Matrix, 2),
    Type::array(Base::String, 3),
    Type::array(Base::Closure, 2),
];

/// Makes code at random over a few variables of each type.
struct Generator {
    random: Random,
    b: CodeBuilder,
    locals: Vec<(Type, Vec<LocalId>)>,
    scopes: Vec<ScopeId>,
    /// The function that can be called.
    callee: Option<FunctionId>,
    budget: i32,
}

impl Generator {
    fn new(seed: u64, callee: Option<FunctionId>) -> Generator {
        let mut b = CodeBuilder::default();
        let locals = TYPES
            .iter()
            .map(|&ty| (ty, (0..3).map(|_| b.local(ty)).collect()))
            .collect();
        Generator {
            random: Random(seed),
            b,
            locals,
            scopes: vec![],
            callee,
            budget: 60,
        }
    }

    /// A unit with a recursive function.
    fn unit(seed: u64) -> Unit {
        let mut functions: PrimaryMap<FunctionId, Function> = PrimaryMap::new();
        let id = functions.next_key();
        let mut g = Generator::new(seed * 2, Some(id));
        g.budget = 20;
        g.block();
        let params: Vec<LocalId> = g.locals.iter().map(|(_, l)| l[0]).collect();
        let outputs: Vec<LocalId> = g.locals.iter().map(|(_, l)| l[1]).collect();
        functions.push(function("f", params, outputs, g.b));

        let mut g = Generator::new(seed * 2 + 1, Some(id));
        g.block();
        let names: Vec<String> = (0..TYPES.len()).map(|i| format!("o{i}")).collect();
        let closures = TYPES.iter().position(|&ty| ty == CLOSURE);
        let ci = g.locals[closures.expect("listed")].1[1];
        let mut outputs: Vec<(&str, LocalId)> = vec![("ci", ci)];
        for ((_, locals), name) in g.locals.iter().zip(&names) {
            outputs.push((name, locals[0]));
        }
        unit("random", &outputs, g.b, functions)
    }

    fn local(&mut self, ty: Type) -> LocalId {
        let (_, locals) = self
            .locals
            .iter()
            .find(|(t, _)| *t == ty)
            .expect("a type of the list");
        let i = self.random.below(locals.len());
        locals[i]
    }

    fn operand(&mut self, ty: Type) -> Operand {
        if self.random.below(3) > 0 {
            return Operand::Local(self.local(ty));
        }
        let value = self.value(ty);
        self.b.constant(value)
    }

    fn value(&mut self, ty: Type) -> Const {
        if ty.is_array() {
            return Const::Array((0..ty.count()).map(|_| self.value(ty.element())).collect());
        }
        let r = &mut self.random;
        match ty.base {
            Base::Int => Const::Int(r.int()),
            Base::Float => Const::Float(r.float()),
            Base::Matrix => Const::Matrix(std::array::from_fn(|_| r.float())),
            Base::String => Const::String(r.pick(&["", "a", "shadow", "é", "%d %g", "brick"]).into()),
            Base::Closure => Const::NullClosure,
            _ => Const::Triple([r.float(), r.float(), r.float()]),
        }
    }

    fn block(&mut self) {
        for _ in 0..2 + self.random.below(12) {
            if self.budget <= 0 {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }

    /// A block within the builder's innermost one.
    fn inside(&mut self, b: &mut CodeBuilder) {
        std::mem::swap(&mut self.b, b);
        self.block();
        std::mem::swap(&mut self.b, b);
    }

    fn statement(&mut self) {
        // The builder is taken out while its closures run.
        let mut b = CodeBuilder::default();
        match self.random.below(24) {
            0 => {
                let condition = self.operand(INT);
                std::mem::swap(&mut self.b, &mut b);
                let this = std::cell::RefCell::new(&mut *self);
                b.branch(
                    condition,
                    |b| this.borrow_mut().inside(b),
                    |b| this.borrow_mut().inside(b),
                );
                std::mem::swap(&mut self.b, &mut b);
            }
            1 => {
                let turns = self.random.below(5) as i32;
                std::mem::swap(&mut self.b, &mut b);
                let turns = b.int(turns);
                b.count(turns, |b, _| self.inside(b));
                std::mem::swap(&mut self.b, &mut b);
            }
            2 => {
                std::mem::swap(&mut self.b, &mut b);
                b.scope(|b, scope| {
                    self.scopes.push(scope);
                    self.inside(b);
                    self.scopes.pop();
                });
                std::mem::swap(&mut self.b, &mut b);
            }
            3 => {
                if let Some(&scope) = self.scopes.last() {
                    let condition = self.operand(INT);
                    self.b.branch(condition, |b| b.leave(scope), |_| {});
                }
            }
            4 => self.call(),
            5 => self.print(),
            6 if self.random.below(4) == 0 => {
                std::mem::swap(&mut self.b, &mut b);
                b.repeat(|b| self.inside(b));
                std::mem::swap(&mut self.b, &mut b);
            }
            _ => self.operation(),
        }
    }

    fn call(&mut self) {
        let Some(callee) = self.callee else { return };
        let args: Vec<Operand> = TYPES.iter().map(|&ty| self.operand(ty)).collect();
        let results: Vec<LocalId> = TYPES.iter().map(|&ty| self.local(ty)).collect();
        self.b.call(callee, &args, &results);
    }

    fn print(&mut self) {
        let builtin = self.random.pick(&[Builtin::Printf, Builtin::Warning]);
        let args = self.format_args();
        self.b.effect(Op::Builtin(builtin), &args);
    }

    fn format_args(&mut self) -> Vec<Operand> {
        let format = self
            .random
            .pick(&["%d %g\n", "%s", "%f|%s|%d\n", "%g %%", "none", "%q"]);
        let mut args = vec![self.b.string(format)];
        for _ in 0..self.random.below(4) {
            let ty = self.random.pick(&TYPES);
            args.push(self.operand(ty));
        }
        args
    }

    fn operation(&mut self) {
        let ty = self.random.pick(&TYPES);
        let (op, args) = self.operation_of(ty);
        let dst = self.local(ty);
        let mut args: Vec<Operand> = args.iter().map(|&ty| self.operand(ty)).collect();
        match op {
            Op::ArraySet => args[0] = Operand::Local(dst),
            Op::Builtin(Builtin::Format) => args = self.format_args(),
            _ => {}
        }
        self.b.set(dst, op, &args);
    }

    /// An operation that gives a type, and the types that it takes.
    fn operation_of(&mut self, ty: Type) -> (Op, Vec<Type>) {
        if ty.is_array() {
            let element = ty.element();
            return match self.random.below(4) {
                0 => (Op::Copy, vec![ty]),
                1 => (Op::MakeArray, vec![element; ty.count() as usize]),
                _ => (Op::ArraySet, vec![ty, INT, element]),
            };
        }
        if self.random.below(10) == 0 {
            let array = TYPES[6 + TYPES.iter().position(|&t| t == ty).expect("listed")];
            return (Op::ArrayGet, vec![array, INT]);
        }
        let r = &mut self.random;
        match ty {
            INT => int_operation(r),
            FLOAT => float_operation(r),
            TRIPLE => triple_operation(r),
            MATRIX => matrix_operation(r),
            STRING => match r.below(3) {
                0 => (Op::Builtin(Builtin::Concat), vec![STRING; 2]),
                1 => (Op::Builtin(Builtin::Substr), vec![STRING, INT, INT]),
                _ => (Op::Builtin(Builtin::Format), vec![]),
            },
            _ => match r.below(6) {
                0 | 1 => (Op::MakeClosure(PLAIN), vec![TRIPLE]),
                2 => (
                    Op::MakeClosure(COAT),
                    vec![FLOAT, TRIPLE, INT, CLOSURE, MATRIX, STRING],
                ),
                3 => (Op::ClosureAdd, vec![CLOSURE; 2]),
                4 => (Op::ClosureMul, vec![CLOSURE, FLOAT]),
                _ => (Op::ClosureMul, vec![CLOSURE, TRIPLE]),
            },
        }
    }
}

fn int_operation(r: &mut Random) -> (Op, Vec<Type>) {
    use Builtin as B;
    match r.below(10) {
        0..=2 => (
            r.pick(&[
                Op::Add,
                Op::Sub,
                Op::Mul,
                Op::Div,
                Op::Mod,
                Op::BitAnd,
                Op::BitOr,
                Op::BitXor,
                Op::Shl,
                Op::Shr,
                Op::Builtin(B::Min),
                Op::Builtin(B::Max),
            ]),
            vec![INT; 2],
        ),
        3 => (
            r.pick(&[Op::Neg, Op::BitNot, Op::Not, Op::Builtin(B::Abs)]),
            vec![INT],
        ),
        4 => {
            let ty = r.pick(&[INT, FLOAT]);
            (r.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge]), vec![ty; 2])
        }
        5 => {
            let ty = r.pick(&[INT, FLOAT, TRIPLE, MATRIX, STRING]);
            (r.pick(&[Op::Eq, Op::Ne]), vec![ty; 2])
        }
        6 => (
            Op::Truth,
            vec![r.pick(&[INT, FLOAT, TRIPLE, MATRIX, STRING, CLOSURE])],
        ),
        7 => (Op::FloatToInt, vec![FLOAT]),
        8 => (
            r.pick(&[B::IsNan, B::IsInf, B::IsFinite].map(Op::Builtin)),
            vec![FLOAT],
        ),
        _ => {
            let builtin = r.pick(&[B::Strlen, B::RayType, B::Startswith, B::Endswith]);
            let one = matches!(builtin, B::Strlen | B::RayType);
            (Op::Builtin(builtin), vec![STRING; if one { 1 } else { 2 }])
        }
    }
}

/// Operations on floats, and lane by lane on triples.
fn numeric(r: &mut Random, ty: Type) -> (Op, Vec<Type>) {
    use Builtin as B;
    match r.below(4) {
        0 => (r.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div]), vec![ty; 2]),
        1 => (
            r.pick(&[B::Pow, B::Atan2, B::Fmod, B::Min, B::Max].map(Op::Builtin)),
            vec![ty; 2],
        ),
        2 => {
            let all = [
                B::Sin,
                B::Acos,
                B::Tanh,
                B::Exp,
                B::Log,
                B::Logb,
                B::Sqrt,
                B::InverseSqrt,
                B::Cbrt,
                B::Abs,
                B::Sign,
                B::Floor,
                B::Ceil,
                B::Round,
                B::Trunc,
            ];
            (r.pick(&all.map(Op::Builtin)), vec![ty])
        }
        _ => (r.pick(&[Op::Neg, Op::Copy]), vec![ty]),
    }
}

fn noise(r: &mut Random) -> (Op, Vec<Type>) {
    let op = r.pick(&[Builtin::Perlin, Builtin::UPerlin, Builtin::Cell].map(Op::Builtin));
    let args = r.pick(&[&[FLOAT][..], &[FLOAT, FLOAT], &[TRIPLE], &[TRIPLE, FLOAT]]);
    (op, args.to_vec())
}

fn float_operation(r: &mut Random) -> (Op, Vec<Type>) {
    use Builtin as B;
    match r.below(10) {
        0..=4 => numeric(r, FLOAT),
        5 => (Op::IntToFloat, vec![INT]),
        6 => (Op::TripleGet, vec![TRIPLE, INT]),
        7 => match r.below(3) {
            0 => (Op::Builtin(B::Dot), vec![TRIPLE; 2]),
            1 => (Op::Builtin(B::Length), vec![TRIPLE]),
            _ => (Op::Builtin(B::Erf), vec![FLOAT]),
        },
        8 => (Op::MatrixGet, vec![MATRIX, INT, INT]),
        _ => match r.below(3) {
            0 => noise(r),
            1 => (Op::Global(Global::U), vec![]),
            _ => (Op::Builtin(B::Determinant), vec![MATRIX]),
        },
    }
}

fn triple_operation(r: &mut Random) -> (Op, Vec<Type>) {
    use Builtin as B;
    match r.below(12) {
        0..=4 => numeric(r, TRIPLE),
        5 => (Op::Splat, vec![FLOAT]),
        6 => (Op::MakeTriple, vec![FLOAT; 3]),
        7 => (Op::TripleSet, vec![TRIPLE, INT, FLOAT]),
        8 => (Op::Builtin(B::Cross), vec![TRIPLE; 2]),
        9 => (Op::Builtin(B::Normalize), vec![TRIPLE]),
        10 => noise(r),
        _ => match r.below(2) {
            0 => (Op::Global(r.pick(&[Global::P, Global::N, Global::I])), vec![]),
            _ => {
                let of = [B::TransformPoint, B::TransformVector, B::TransformNormal];
                (Op::Builtin(r.pick(&of)), vec![MATRIX, TRIPLE])
            }
        },
    }
}

fn matrix_operation(r: &mut Random) -> (Op, Vec<Type>) {
    match r.below(7) {
        0 => (Op::Diagonal, vec![FLOAT]),
        1 | 2 => (r.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div]), vec![MATRIX; 2]),
        3 => (r.pick(&[Op::Neg, Op::Copy]), vec![MATRIX]),
        4 => (Op::MakeMatrix, vec![FLOAT; 16]),
        5 => (Op::Builtin(Builtin::Transpose), vec![MATRIX]),
        _ => (Op::MatrixSet, vec![MATRIX, INT, INT, FLOAT]),
    }
}
