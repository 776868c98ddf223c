//! Compiled code against expected values: each family of operations, control flow, closures, bounds and threads.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::builtins::{Builtin, Global};
use shading::eval;
use shading::hir::build::{CodeBuilder, function, unit};
use shading::hir::{
    ClosureId, Const, Function, FunctionId, LocalId, Op, Operand, Stmt, TextureOptions, Unit,
};
use shading::runtime::ReportKind;
use shading::ty::{Base, Type};
use shading::{
    ClosureNode, ClosureParam, ClosureRegistry, ClosureSignature, CompileOptions, HostFunctions, NoHost,
    OptLevel, ShaderGlobals, ShaderHost, ShaderInstance, ShadingContext, Source, SourceMap, TextureHandle,
};

const LEVELS: [OptLevel; 3] = [OptLevel::Fast, OptLevel::Plain, OptLevel::Full];

fn compile(unit: &Unit, registry: &ClosureRegistry, level: OptLevel) -> ShaderInstance {
    let options = CompileOptions {
        level,
        ..CompileOptions::default()
    };
    ShaderInstance::compile(unit, registry, &HostFunctions::of(Arc::new(NoHost)), &options).expect("compiles")
}

/// Runs code at each level; `check` gets the outputs and what was reported.
fn run(outputs: &[LocalId], code: impl Fn() -> CodeBuilder, check: impl Fn(&[Const], &[ReportKind])) {
    for level in LEVELS {
        let names: Vec<String> = (0..outputs.len()).map(|i| format!("o{i}")).collect();
        let outputs: Vec<(&str, LocalId)> =
            names.iter().zip(outputs).map(|(n, l)| (n.as_str(), *l)).collect();
        let unit = unit("test", &outputs, code(), PrimaryMap::new());
        let instance = compile(&unit, &ClosureRegistry::default(), level);
        let mut ctx = ShadingContext::new(Arc::new(NoHost));
        instance.run(&globals(), &mut ctx);
        let values: Vec<Const> = (0..outputs.len()).map(|i| instance.output(i, &ctx)).collect();
        let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
        check(&values, &reports);
    }
}

fn globals() -> ShaderGlobals {
    ShaderGlobals {
        p: [1.0, 2.0, 3.0].into(),
        u: 0.25,
        v: 0.75,
        backfacing: 1,
        ..ShaderGlobals::default()
    }
}

/// Whether values are the same to the bit, all NaNs being the same.
fn same(a: &Const, b: &Const) -> bool {
    let float = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    match (a, b) {
        (Const::Float(a), Const::Float(b)) => float(*a, *b),
        (Const::Triple(a), Const::Triple(b)) => a.iter().zip(b).all(|(a, b)| float(*a, *b)),
        (Const::Matrix(a), Const::Matrix(b)) => a.iter().zip(b).all(|(a, b)| float(*a, *b)),
        _ => a == b,
    }
}

/// `op` on operands hidden from the code generator in variables, and on the operands as constants.
fn check_op(ty: Type, op: Op, args: &[Const], expected: &Const) {
    for hidden in [true, false] {
        let code = || {
            let mut b = CodeBuilder::default();
            let out = b.local(ty);
            let args: Vec<Operand> = args
                .iter()
                .map(|arg| {
                    let value = b.constant(arg.clone());
                    if !hidden {
                        return value;
                    }
                    b.op(type_of(arg), Op::Copy, &[value])
                })
                .collect();
            b.set(out, op, &args);
            b
        };
        run(&[LocalId::from_u32(0)], code, |values, _| {
            assert!(
                same(&values[0], expected),
                "{op:?} of {args:?} is {:?}, not {expected:?}",
                values[0]
            );
        });
    }
}

fn type_of(value: &Const) -> Type {
    match value {
        Const::Int(_) => Type::INT,
        Const::Float(_) => Type::FLOAT,
        Const::Triple(_) => Type::COLOR,
        Const::Matrix(_) => Type::MATRIX,
        Const::String(_) => Type::STRING,
        Const::NullClosure => Type::CLOSURE,
        Const::Array(elements) => Type::array(type_of(&elements[0]).base, elements.len() as u32),
    }
}

const FLOATS: [f32; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.75,
    3.0,
    1e-40,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];
const INTS: [i32; 8] = [0, 1, -1, 7, -7, 33, i32::MIN, i32::MAX];

/// Code that applies an operation to all pairs of values, as elements of arrays, and the results.
fn check_pairs<A: Copy>(
    values: &[A],
    make: impl Fn(A) -> Const,
    op: Op,
    result: Type,
    expected: impl Fn(A, A) -> Const,
) {
    let arity = match op {
        Op::Builtin(builtin) if eval::math::unary(builtin).is_some() => 1,
        _ => 2,
    };
    let pairs: Vec<(A, A)> = values
        .iter()
        .flat_map(|&a| values.iter().map(move |&b| (a, b)))
        .collect();
    let out: Vec<LocalId> = (0..pairs.len() as u32).map(LocalId::from_u32).collect();
    let code = || {
        let mut b = CodeBuilder::default();
        for _ in &pairs {
            b.local(result);
        }
        for ((x, y), out) in pairs.iter().zip(&out) {
            let args = [*x, *y].map(|v| {
                let v = b.constant(make(v));
                let ty = type_of(&make(*x));
                b.op(ty, Op::Copy, &[v])
            });
            b.set(*out, op, &args[..arity]);
        }
        b
    };
    run(&out, code, |got, _| {
        for ((x, y), got) in pairs.iter().zip(got) {
            let expected = expected(*x, *y);
            assert!(
                same(got, &expected),
                "{op:?} of {:?} and {:?} is {got:?}, not {expected:?}",
                make(*x),
                make(*y)
            );
        }
    });
}

#[test]
fn integers() {
    let check = |op, f: fn(i32, i32) -> i32| {
        check_pairs(&INTS, Const::Int, op, Type::INT, |a, b| Const::Int(f(a, b)));
    };
    check(Op::Add, i32::wrapping_add);
    check(Op::Sub, i32::wrapping_sub);
    check(Op::Mul, i32::wrapping_mul);
    check(Op::Div, eval::div_int);
    check(Op::Mod, eval::rem_int);
    check(Op::BitAnd, |a, b| a & b);
    check(Op::BitOr, |a, b| a | b);
    check(Op::BitXor, |a, b| a ^ b);
    check(Op::Shl, |a, b| a.wrapping_shl(b as u32));
    check(Op::Shr, |a, b| a.wrapping_shr(b as u32));
    check(Op::Eq, |a, b| i32::from(a == b));
    check(Op::Ne, |a, b| i32::from(a != b));
    check(Op::Lt, |a, b| i32::from(a < b));
    check(Op::Ge, |a, b| i32::from(a >= b));
    check(Op::Builtin(Builtin::Min), eval::math::min_int);
    check(Op::Builtin(Builtin::Max), eval::math::max_int);
    for a in INTS {
        let unary = |op, expected| check_op(Type::INT, op, &[Const::Int(a)], &Const::Int(expected));
        unary(Op::Neg, a.wrapping_neg());
        unary(Op::BitNot, !a);
        unary(Op::Not, i32::from(a == 0));
        unary(Op::Truth, i32::from(a != 0));
        unary(Op::Builtin(Builtin::Abs), eval::math::abs_int(a));
        check_op(
            Type::FLOAT,
            Op::IntToFloat,
            &[Const::Int(a)],
            &Const::Float(a as f32),
        );
        for b in [0, -1, 3, i32::MIN] {
            let args = [Const::Int(a), Const::Int(b)];
            check_op(Type::INT, Op::Div, &args, &Const::Int(eval::div_int(a, b)));
            check_op(Type::INT, Op::Mod, &args, &Const::Int(eval::rem_int(a, b)));
        }
    }
}

#[test]
fn floats_and_triples() {
    let check = |op, f: fn(f32, f32) -> f32| {
        check_pairs(&FLOATS, Const::Float, op, Type::FLOAT, |a, b| {
            Const::Float(f(a, b))
        });
        let triple = |x: f32| [x, 2.0, -x];
        check_pairs(
            &FLOATS,
            |x| Const::Triple(triple(x)),
            op,
            Type::COLOR,
            |a, b| Const::Triple(eval::lanes2(f, triple(a), triple(b))),
        );
    };
    check(Op::Add, |a, b| a + b);
    check(Op::Sub, |a, b| a - b);
    check(Op::Mul, |a, b| a * b);
    check(Op::Div, eval::div_float);
    for builtin in [
        Builtin::Min,
        Builtin::Max,
        Builtin::Fmod,
        Builtin::Pow,
        Builtin::Atan2,
    ] {
        check(
            Op::Builtin(builtin),
            eval::math::binary(builtin).expect("a function of two"),
        );
    }
    let test = |op, f: fn(f32, f32) -> bool| {
        check_pairs(&FLOATS, Const::Float, op, Type::INT, |a, b| {
            Const::Int(i32::from(f(a, b)))
        });
    };
    test(Op::Eq, |a, b| a == b);
    test(Op::Ne, |a, b| a != b);
    test(Op::Lt, |a, b| a < b);
    test(Op::Le, |a, b| a <= b);
    test(Op::Gt, |a, b| a > b);
    test(Op::Ge, |a, b| a >= b);
    let triple = |x: f32| [1.0, x, 3.0];
    check_pairs(
        &FLOATS,
        |x| Const::Triple(triple(x)),
        Op::Eq,
        Type::INT,
        |a, b| Const::Int(i32::from(triple(a) == triple(b))),
    );
    check_pairs(
        &FLOATS,
        |x| Const::Triple(triple(x)),
        Op::Ne,
        Type::INT,
        |a, b| Const::Int(i32::from(triple(a) != triple(b))),
    );
}

#[test]
fn functions_of_one_float() {
    use Builtin as B;
    for builtin in [
        B::Sin,
        B::Cos,
        B::Tan,
        B::Asin,
        B::Acos,
        B::Atan,
        B::Sinh,
        B::Cosh,
        B::Tanh,
        B::Exp,
        B::Exp2,
        B::Expm1,
        B::Log,
        B::Log2,
        B::Log10,
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
        B::Erf,
        B::Erfc,
    ] {
        let f = eval::math::unary(builtin).expect("a function of one");
        let op = Op::Builtin(builtin);
        check_pairs(&FLOATS, Const::Float, op, Type::FLOAT, |a, _| Const::Float(f(a)));
        check_pairs(
            &FLOATS,
            |x| Const::Triple([2.5, x, -x]),
            op,
            Type::COLOR,
            |a, _| Const::Triple(eval::lanes(f, [2.5, a, -a])),
        );
    }
    for x in FLOATS {
        let check = |ty, op, expected: Const| check_op(ty, op, &[Const::Float(x)], &expected);
        check(Type::INT, Op::FloatToInt, Const::Int(x as i32));
        check(Type::INT, Op::Truth, Const::Int(i32::from(x != 0.0)));
        check(Type::FLOAT, Op::Neg, Const::Float(-x));
        check(Type::COLOR, Op::Splat, Const::Triple([x; 3]));
        check(
            Type::MATRIX,
            Op::Diagonal,
            Const::Matrix(eval::matrix::diagonal(x)),
        );
        check(
            Type::INT,
            Op::Builtin(B::IsNan),
            Const::Int(i32::from(x.is_nan())),
        );
        check(
            Type::INT,
            Op::Builtin(B::IsInf),
            Const::Int(i32::from(x.is_infinite())),
        );
        check(
            Type::INT,
            Op::Builtin(B::IsFinite),
            Const::Int(i32::from(x.is_finite())),
        );
        let lanes = [0.0, x, -0.0];
        check_op(
            Type::INT,
            Op::Truth,
            &[Const::Triple(lanes)],
            &Const::Int(i32::from(lanes != [0.0; 3])),
        );
    }
}

#[test]
fn geometry() {
    use eval::math;
    let triples = [
        [1.0, 2.0, 3.0],
        [0.1, -0.7, 0.3],
        [0.0; 3],
        [f32::NAN, 0.0, 1.0],
        [1e30, 1e30, 0.0],
        [1e-30; 3],
    ];
    for a in triples {
        for b in triples {
            let args = [Const::Triple(a), Const::Triple(b)];
            check_op(
                Type::FLOAT,
                Op::Builtin(Builtin::Dot),
                &args,
                &Const::Float(math::dot(a, b)),
            );
            check_op(
                Type::VECTOR,
                Op::Builtin(Builtin::Cross),
                &args,
                &Const::Triple(math::cross(a, b)),
            );
        }
        let a_arg = [Const::Triple(a)];
        check_op(
            Type::FLOAT,
            Op::Builtin(Builtin::Length),
            &a_arg,
            &Const::Float(math::length(a)),
        );
        check_op(
            Type::VECTOR,
            Op::Builtin(Builtin::Normalize),
            &a_arg,
            &Const::Triple(math::normalize(a)),
        );
    }
}

const MATRIX: [f32; 16] = [
    2.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 4.0, 5.0, 6.0, 1.0,
];

#[test]
fn matrices() {
    use eval::matrix;
    let other: [f32; 16] = std::array::from_fn(|i| (i as f32 * 1.7).sin());
    let (a, b) = (Const::Matrix(MATRIX), Const::Matrix(other));
    let check = |op, expected: [f32; 16]| {
        check_op(
            Type::MATRIX,
            op,
            &[a.clone(), b.clone()],
            &Const::Matrix(expected),
        );
    };
    check(Op::Add, std::array::from_fn(|i| MATRIX[i] + other[i]));
    check(Op::Sub, std::array::from_fn(|i| MATRIX[i] - other[i]));
    check(Op::Mul, matrix::mul(&MATRIX, &other));
    check(Op::Div, matrix::div(&MATRIX, &other));
    check_op(
        Type::MATRIX,
        Op::Neg,
        std::slice::from_ref(&a),
        &Const::Matrix(MATRIX.map(|x| -x)),
    );
    check_op(
        Type::MATRIX,
        Op::Builtin(Builtin::Transpose),
        std::slice::from_ref(&a),
        &Const::Matrix(matrix::transpose(&MATRIX)),
    );
    check_op(
        Type::FLOAT,
        Op::Builtin(Builtin::Determinant),
        std::slice::from_ref(&a),
        &Const::Float(matrix::determinant(&MATRIX)),
    );
    check_op(Type::INT, Op::Eq, &[a.clone(), a.clone()], &Const::Int(1));
    check_op(Type::INT, Op::Ne, &[a.clone(), b], &Const::Int(1));
    check_op(Type::INT, Op::Truth, &[Const::Matrix([0.0; 16])], &Const::Int(0));
    let p = [0.3, 0.2, -4.0];
    for (builtin, expected) in [
        (Builtin::TransformPoint, matrix::transform_point(&MATRIX, p)),
        (Builtin::TransformVector, matrix::transform_vector(&MATRIX, p)),
        (Builtin::TransformNormal, matrix::transform_normal(&MATRIX, p)),
    ] {
        let args = [a.clone(), Const::Triple(p)];
        check_op(Type::POINT, Op::Builtin(builtin), &args, &Const::Triple(expected));
    }
    let args = [a.clone(), Const::Int(1), Const::Int(3)];
    check_op(Type::FLOAT, Op::MatrixGet, &args, &Const::Float(0.5));
    let args = [a, Const::Int(3), Const::Int(9), Const::Float(7.0)];
    let mut changed = MATRIX;
    changed[15] = 7.0;
    check_op(Type::MATRIX, Op::MatrixSet, &args, &Const::Matrix(changed));
    let elements: Vec<Const> = MATRIX.iter().map(|x| Const::Float(*x)).collect();
    check_op(Type::MATRIX, Op::MakeMatrix, &elements, &Const::Matrix(MATRIX));
}

#[test]
fn noises() {
    use eval::noise as n;
    let (p, w, x) = ([0.3, 11.7, -4.2], 0.6, 2.4);
    let point = [Const::Triple(p)];
    let space_time = [Const::Triple(p), Const::Float(w)];
    let plane = [Const::Float(x), Const::Float(w)];
    let line = [Const::Float(x)];
    let check = |builtin, args: &[Const], one: f32, three: [f32; 3]| {
        check_op(Type::FLOAT, Op::Builtin(builtin), args, &Const::Float(one));
        check_op(Type::COLOR, Op::Builtin(builtin), args, &Const::Triple(three));
    };
    check(Builtin::Perlin, &line, n::perlin1(x), n::perlin1_triple(x));
    check(
        Builtin::UPerlin,
        &plane,
        n::uperlin2(x, w),
        n::uperlin2_triple(x, w),
    );
    check(Builtin::Cell, &point, n::cell3(p), n::cell3_triple(p));
    check(
        Builtin::Perlin,
        &space_time,
        n::perlin4(p, w),
        n::perlin4_triple(p, w),
    );
}

#[test]
fn lanes_and_elements() {
    let t = Const::Triple([1.0, 2.0, 3.0]);
    for (lane, expected) in [(0, 1.0), (1, 2.0), (2, 3.0), (3, 3.0), (-1, 1.0), (i32::MIN, 1.0)] {
        check_op(
            Type::FLOAT,
            Op::TripleGet,
            &[t.clone(), Const::Int(lane)],
            &Const::Float(expected),
        );
    }
    let set = [t, Const::Int(1), Const::Float(9.0)];
    check_op(Type::COLOR, Op::TripleSet, &set, &Const::Triple([1.0, 9.0, 3.0]));
    let make = [1.0, 2.0, 3.0].map(Const::Float);
    check_op(
        Type::COLOR,
        Op::MakeTriple,
        &make,
        &Const::Triple([1.0, 2.0, 3.0]),
    );

    for elements in [
        [1, 2, 3].map(Const::Int),
        [1.0, 2.0, 3.0].map(Const::Float),
        [1.0, 2.0, 3.0].map(|x| Const::Triple([x, 0.0, -x])),
        [1.0, 2.0, 3.0].map(|x| Const::Matrix([x; 16])),
        ["a", "b", ""].map(|s| Const::String(s.into())),
    ] {
        let array = Const::Array(elements.to_vec());
        let element = type_of(&elements[0]);
        for (index, expected) in [(0, 0), (2, 2), (3, 2), (-5, 0)] {
            let args = [array.clone(), Const::Int(index)];
            check_op(element, Op::ArrayGet, &args, &elements[expected]);
        }
        check_op(type_of(&array), Op::MakeArray, &elements, &array);
        check_op(type_of(&array), Op::Copy, std::slice::from_ref(&array), &array);
        let changed = Const::Array(vec![
            elements[0].clone(),
            elements[0].clone(),
            elements[2].clone(),
        ]);
        let args = [array.clone(), Const::Int(1), elements[0].clone()];
        check_op(type_of(&array), Op::ArraySet, &args, &changed);
    }
}

#[test]
fn clamped_indices_are_reported_once() {
    let code = || {
        let mut b = CodeBuilder::default();
        let out = b.local(Type::INT);
        let array = b.local(Type::array(Base::Int, 5));
        let (ten, value) = (b.int(10), b.int(42));
        b.count(ten, |b, i| {
            b.set(array, Op::ArraySet, &[Operand::Local(array), i, value]);
        });
        let last = b.int(4);
        b.set(out, Op::ArrayGet, &[Operand::Local(array), last]);
        b
    };
    run(&[LocalId::from_u32(0)], code, |values, reports| {
        assert_eq!(values[0], Const::Int(42));
        assert_eq!(reports, [ReportKind::IndexOutOfRange]);
    });
}

#[test]
fn strings() {
    let s = |text: &str| Const::String(text.into());
    let check = |ty, op, args: &[Const], expected: Const| check_op(ty, op, args, &expected);
    check(Type::INT, Op::Eq, &[s("ab"), s("ab")], Const::Int(1));
    check(Type::INT, Op::Ne, &[s("ab"), s("ac")], Const::Int(1));
    check(Type::INT, Op::Truth, &[s("")], Const::Int(0));
    check(Type::INT, Op::Truth, &[s("x")], Const::Int(1));
    check(
        Type::STRING,
        Op::Builtin(Builtin::Concat),
        &[s("ab"), s("é")],
        s("abé"),
    );
    check(
        Type::INT,
        Op::Builtin(Builtin::Strlen),
        &[s("abé")],
        Const::Int(4),
    );
    check(
        Type::INT,
        Op::Builtin(Builtin::Startswith),
        &[s("abc"), s("ab")],
        Const::Int(1),
    );
    check(
        Type::INT,
        Op::Builtin(Builtin::Endswith),
        &[s("abc"), s("ab")],
        Const::Int(0),
    );
    let args = [s("hello"), Const::Int(1), Const::Int(3)];
    check(Type::STRING, Op::Builtin(Builtin::Substr), &args, s("ell"));
    let args = [
        s("%d %g|%g|%s|%g"),
        Const::Int(-3),
        Const::Float(1.5),
        Const::Triple([1.0, 2.0, 3.0]),
        s("x"),
        Const::Array([0.5, 0.25].map(Const::Float).to_vec()),
    ];
    check(
        Type::STRING,
        Op::Builtin(Builtin::Format),
        &args,
        s("-3 1.5|1 2 3|x|0.5 0.25"),
    );
    check(
        Type::INT,
        Op::Builtin(Builtin::RayType),
        &[s("camera")],
        Const::Int(0),
    );
    check(Type::INT, Op::Builtin(Builtin::Backfacing), &[], Const::Int(1));
}

#[test]
fn made_strings_compare_by_content() {
    let code = || {
        let mut b = CodeBuilder::default();
        let out = b.local(Type::INT);
        let (x, y) = (b.string("bri"), b.string("ck"));
        let made = b.op(Type::STRING, Op::Builtin(Builtin::Concat), &[x, y]);
        let brick = b.string("brick");
        b.set(out, Op::Eq, &[made, brick]);
        b
    };
    run(&[LocalId::from_u32(0)], code, |values, _| {
        assert_eq!(values[0], Const::Int(1));
    });
}

#[test]
fn variables_begin_as_zero() {
    let types = [
        Type::INT,
        Type::FLOAT,
        Type::COLOR,
        Type::MATRIX,
        Type::STRING,
        Type::array(Base::Int, 100),
        Type::array(Base::String, 3),
        Type::array(Base::Color, 2000),
    ];
    let code = || {
        let mut b = CodeBuilder::default();
        for ty in types {
            b.local(ty);
        }
        b
    };
    let out: Vec<LocalId> = (0..types.len() as u32).map(LocalId::from_u32).collect();
    run(&out, code, |values, reports| {
        let array = |value: Const, n| Const::Array(vec![value; n]);
        let expected = [
            Const::Int(0),
            Const::Float(0.0),
            Const::Triple([0.0; 3]),
            Const::Matrix([0.0; 16]),
            Const::String("".into()),
            array(Const::Int(0), 100),
            array(Const::String("".into()), 3),
            array(Const::Triple([0.0; 3]), 2000),
        ];
        assert_eq!(values, expected);
        assert_eq!(reports, []);
    });
}

#[test]
fn control_flow() {
    // The sum of odd numbers below 10 by `continue`, and the first i with i² > 50 by `break` out of two loops.
    let code = || {
        let mut b = CodeBuilder::default();
        let (sum, first) = (b.local(Type::INT), b.local(Type::INT));
        let (one, ten, fifty) = (b.int(1), b.int(10), b.int(50));
        b.count(ten, |b, i| {
            b.scope(|b, turn| {
                let odd = b.op(Type::INT, Op::BitAnd, &[i, one]);
                b.branch(odd, |_| {}, |b| b.leave(turn));
                b.set(sum, Op::Add, &[Operand::Local(sum), i]);
            });
        });
        b.scope(|b, all| {
            b.repeat(|b| {
                b.repeat(|b| {
                    b.set(first, Op::Add, &[Operand::Local(first), one]);
                    let square = b.op(
                        Type::INT,
                        Op::Mul,
                        &[Operand::Local(first), Operand::Local(first)],
                    );
                    let past = b.op(Type::INT, Op::Gt, &[square, fifty]);
                    b.branch(past, |b| b.leave(all), |_| {});
                });
            });
        });
        b
    };
    run(
        &[LocalId::from_u32(0), LocalId::from_u32(1)],
        code,
        |values, reports| {
            assert_eq!(values, [Const::Int(25), Const::Int(8)]);
            assert_eq!(reports, []);
        },
    );
}

#[test]
fn globals_are_read() {
    let code = || {
        let mut b = CodeBuilder::default();
        let (p, u) = (b.local(Type::POINT), b.local(Type::FLOAT));
        b.set(p, Op::Global(Global::P), &[]);
        b.set(u, Op::Global(Global::V), &[]);
        b
    };
    run(
        &[LocalId::from_u32(0), LocalId::from_u32(1)],
        code,
        |values, _| {
            assert_eq!(values, [Const::Triple([1.0, 2.0, 3.0]), Const::Float(0.75)]);
        },
    );
    let unit = unit("test", &[], code(), PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Plain);
    let reads = instance.statistics().reads_globals;
    assert!(reads.contains(Global::P) && !reads.contains(Global::N));
}

#[test]
fn endless_loops_end() {
    let code = || {
        let mut b = CodeBuilder::default();
        let out = b.local(Type::INT);
        let one = b.int(1);
        b.repeat(|b| b.set(out, Op::Add, &[Operand::Local(out), one]));
        b
    };
    run(&[LocalId::from_u32(0)], code, |values, reports| {
        assert_eq!(values, [Const::Int(eval::DEFAULT_FUEL as i32)]);
        assert_eq!(reports, [ReportKind::OutOfFuel]);
    });
}

/// `f(n, a) = n <= 0 ? a[0] : f(n − 1, a) + 1`, with an array of so many floats.
fn recursive(depth: i32, array: u32) -> Unit {
    let mut functions: PrimaryMap<FunctionId, Function> = PrimaryMap::new();
    let id = functions.next_key();
    let mut b = CodeBuilder::default();
    let (n, result) = (b.local(Type::INT), b.local(Type::INT));
    let a = b.local(Type::array(Base::Int, array));
    let (zero, one) = (b.int(0), b.int(1));
    let deep = b.op(Type::INT, Op::Gt, &[Operand::Local(n), zero]);
    b.branch(
        deep,
        |b| {
            let next = b.op(Type::INT, Op::Sub, &[Operand::Local(n), one]);
            b.call(id, &[next, Operand::Local(a)], &[result]);
            b.set(result, Op::Add, &[Operand::Local(result), one]);
        },
        |b| b.set(result, Op::ArrayGet, &[Operand::Local(a), zero]),
    );
    functions.push(function("f", vec![n, a], vec![result], b));

    let mut b = CodeBuilder::default();
    let (out, a) = (b.local(Type::INT), b.local(Type::array(Base::Int, array)));
    let (depth, zero, five) = (b.int(depth), b.int(0), b.int(5));
    b.set(a, Op::ArraySet, &[Operand::Local(a), zero, five]);
    b.call(id, &[depth, Operand::Local(a)], &[out]);
    unit("recursive", &[("out", out)], b, functions)
}

#[test]
fn recursion_is_bounded() {
    // Depth, array length, what comes out, what is reported.
    for (depth, array, expected, report) in [
        (10, 4, 15, None),
        (20, 1000, 25, None),
        (60, 20_000, 65, None),
        (1_000_000, 4, 0, Some(ReportKind::TooDeep)),
        (1_000_000, 200_000, 0, Some(ReportKind::OutOfMemory)),
    ] {
        for level in LEVELS {
            let instance = compile(&recursive(depth, array), &ClosureRegistry::default(), level);
            let mut ctx = ShadingContext::new(Arc::new(NoHost));
            for _ in 0..3 {
                instance.run(&globals(), &mut ctx);
                assert_eq!(instance.output(0, &ctx), Const::Int(expected), "{depth} {array}");
            }
            let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
            assert_eq!(reports, Vec::from_iter(report));
        }
    }
}

fn registry() -> (ClosureRegistry, ClosureId, ClosureId) {
    let mut registry = ClosureRegistry::default();
    let diffuse = registry.register(ClosureSignature {
        name: "diffuse",
        params: vec![ClosureParam::new("n", Type::NORMAL)],
    });
    let coat = registry.register(ClosureSignature {
        name: "coat",
        params: vec![
            ClosureParam::new("ior", Type::FLOAT),
            ClosureParam::new("tint", Type::COLOR),
            ClosureParam::new("mode", Type::INT),
            ClosureParam::new("base", Type::CLOSURE),
            ClosureParam::new("label", Type::STRING),
            ClosureParam::new("frame", Type::MATRIX),
        ],
    });
    (registry, diffuse, coat)
}

#[test]
fn closures_hold_their_parameters() {
    let (registry, diffuse, coat) = registry();
    let mut b = CodeBuilder::default();
    let ci = b.local(Type::CLOSURE);
    let n = b.triple([0.0, 1.0, 0.0]);
    let base = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[n]);
    let red = b.triple([0.8, 0.1, 0.2]);
    let base = b.op(Type::CLOSURE, Op::ClosureMul, &[base, red]);
    let p = b.op(Type::POINT, Op::Global(Global::P), &[]);
    let args = [
        b.float(1.5),
        p,
        b.int(-7),
        base,
        b.string("label"),
        b.constant(Const::Matrix(MATRIX)),
    ];
    let coated = b.op(Type::CLOSURE, Op::MakeClosure(coat), &args);
    let again = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[p]);
    let sum = b.op(Type::CLOSURE, Op::ClosureAdd, &[coated, again]);
    let half = b.float(0.5);
    b.set(ci, Op::ClosureMul, &[sum, half]);
    let unit = unit("closures", &[("Ci", ci)], b, PrimaryMap::new());
    let (offsets, _) = registry.get(coat).layout();

    for level in LEVELS {
        let instance = compile(&unit, &registry, level);
        assert_eq!(instance.statistics().closures.len(), 2);
        let mut ctx = ShadingContext::new(Arc::new(NoHost));
        let tree = instance.run(&globals(), &mut ctx);
        let Some(ClosureNode::Mul { weight, closure }) = tree.root().map(|r| r.node()) else {
            panic!("a product");
        };
        assert_eq!(weight, [0.5; 3]);
        let Some(ClosureNode::Add {
            a: Some(a),
            b: Some(b),
        }) = closure.map(|c| c.node())
        else {
            panic!("a sum");
        };
        let ClosureNode::Component { id, weight, params } = a.node() else {
            panic!("a component");
        };
        assert_eq!((id, weight), (coat, [1.0; 3]));
        assert_eq!(params.float(offsets[0]), 1.5);
        assert_eq!(params.triple(offsets[1]), [1.0, 2.0, 3.0]);
        assert_eq!(params.int(offsets[2]), -7);
        assert_eq!(params.string(offsets[4]), "label");
        assert_eq!(params.matrix(offsets[5]), MATRIX);
        let Some(ClosureNode::Component { id, weight, params }) =
            params.closure(offsets[3]).map(|c| c.node())
        else {
            panic!("a component with its weight folded in");
        };
        assert_eq!((id, weight), (diffuse, [0.8, 0.1, 0.2]));
        assert_eq!(params.triple(0), [0.0, 1.0, 0.0]);
        let ClosureNode::Component { params, .. } = b.node() else {
            panic!("a component");
        };
        assert_eq!(params.triple(0), [1.0, 2.0, 3.0]);
    }
}

/// The sum of many closures, made in a loop.
fn many_closures(registry: &ClosureRegistry, diffuse: ClosureId, count: i32) -> ShaderInstance {
    let mut b = CodeBuilder::default();
    let ci = b.local(Type::CLOSURE);
    let (n, count) = (b.triple([0.0, 1.0, 0.0]), b.int(count));
    b.count(count, |b, _| {
        let one = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[n]);
        b.set(ci, Op::ClosureAdd, &[Operand::Local(ci), one]);
    });
    let unit = unit("many", &[("Ci", ci)], b, PrimaryMap::new());
    compile(&unit, registry, OptLevel::Plain)
}

#[test]
fn huge_trees_are_bounded() {
    let (registry, diffuse, _) = registry();
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    let some = many_closures(&registry, diffuse, 50_000);
    for _ in 0..3 {
        let tree = some.run(&globals(), &mut ctx);
        // Each turn makes a component and a sum, but for the first, which adds to null.
        assert_eq!(format!("{tree:?}"), "ClosureTree(99999 nodes)");
    }
    assert_eq!(ctx.take_reports(), []);
    ctx.set_fuel(i32::MAX as u32);
    let many = many_closures(&registry, diffuse, 1_000_000);
    many.run(&globals(), &mut ctx);
    assert!(
        ctx.take_reports()
            .iter()
            .all(|r| r.kind == ReportKind::OutOfMemory)
    );
    ctx.set_fuel(eval::DEFAULT_FUEL);
    let endless = many_closures(&registry, diffuse, i32::MAX);
    assert!(endless.run(&globals(), &mut ctx).root().is_none());
}

/// A host with one texture, for `x.exr`.
struct TestHost;

impl ShaderHost for TestHost {
    fn texture_handle(&self, name: &str, _: TextureOptions) -> Option<TextureHandle> {
        (name == "x.exr").then_some(TextureHandle(7))
    }

    fn texture(&self, handle: TextureHandle, st: [f32; 2], _: [f32; 4], _: TextureOptions) -> [f32; 4] {
        [handle.0 as f32, st[0], st[1], 0.5]
    }

    fn matrix(&self, _: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        (from == "world" && to == "camera").then_some(MATRIX)
    }

    fn attribute(&self, globals: &ShaderGlobals, _: &str, name: &str) -> Option<[f32; 4]> {
        (name == "uv").then_some([globals.u, globals.v, 9.0, 0.0])
    }
}

#[test]
fn the_host_is_asked() {
    let mut b = CodeBuilder::default();
    let types = [
        Type::COLOR,
        Type::FLOAT,
        Type::COLOR,
        Type::COLOR,
        Type::MATRIX,
        Type::MATRIX,
        Type::INT,
        Type::COLOR,
        Type::INT,
    ];
    let out = types.map(|ty| b.local(ty));
    let (s, t) = (b.float(0.25), b.float(0.5));
    let options = TextureOptions::default();
    let (known, unknown) = (b.string("x.exr"), b.string("y.exr"));
    let (known_var, unknown_var) = (
        b.op(Type::STRING, Op::Copy, &[known]),
        b.op(Type::STRING, Op::Copy, &[unknown]),
    );
    b.set(out[0], Op::Texture(options), &[known, s, t]);
    b.set(out[1], Op::TextureAlpha(options), &[known_var, s, t]);
    b.set(out[2], Op::Texture(options), &[unknown, s, t]);
    b.set(out[3], Op::Texture(options), &[unknown_var, s, t]);
    let (common, camera, nowhere) = (b.string("common"), b.string("camera"), b.string("nowhere"));
    let space = Op::Builtin(Builtin::SpaceMatrix);
    b.set(out[4], space, &[common, camera]);
    b.set(out[5], space, &[common, nowhere]);
    let (object, uv, none) = (b.string(""), b.string("uv"), b.string("none"));
    b.set(out[6], Op::Builtin(Builtin::HasAttribute), &[object, uv]);
    b.set(out[7], Op::AttributeValue, &[object, uv]);
    b.set(out[8], Op::Builtin(Builtin::HasAttribute), &[object, none]);
    let names: Vec<String> = (0..out.len()).map(|i| i.to_string()).collect();
    let outputs: Vec<(&str, LocalId)> = names.iter().map(String::as_str).zip(out).collect();
    let unit = unit("host", &outputs, b, PrimaryMap::new());

    let host = Arc::new(TestHost);
    let options = CompileOptions::default();
    let registry = ClosureRegistry::default();
    let instance = ShaderInstance::compile(&unit, &registry, &HostFunctions::of(host.clone()), &options)
        .expect("compiles");
    assert_eq!(instance.statistics().missing_textures, ["y.exr"]);
    let mut ctx = ShadingContext::new(host);
    instance.run(&globals(), &mut ctx);
    let values: Vec<Const> = (0..out.len()).map(|i| instance.output(i, &ctx)).collect();
    let expected = [
        Const::Triple([7.0, 0.25, 0.5]),
        Const::Float(0.5),
        Const::Triple([0.0; 3]),
        Const::Triple([0.0; 3]),
        Const::Matrix(MATRIX),
        Const::Matrix(eval::matrix::IDENTITY),
        Const::Int(1),
        Const::Triple([0.25, 0.75, 9.0]),
        Const::Int(0),
    ];
    assert_eq!(values, expected);
    let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
    assert_eq!(reports, [ReportKind::MissingTexture, ReportKind::UnknownSpace]);
}

#[test]
#[should_panic(expected = "another type of host")]
fn a_context_of_another_host_is_refused() {
    let unit = unit("test", &[], CodeBuilder::default(), PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Fast);
    instance.run(&globals(), &mut ShadingContext::new(Arc::new(TestHost)));
}

#[test]
fn output_is_printed() {
    let mut b = CodeBuilder::default();
    let format = b.string("%d\n");
    let three = b.int(3);
    b.count(three, |b, i| b.effect(Op::Builtin(Builtin::Printf), &[format, i]));
    let unit = unit("print", &[], b, PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Plain);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    instance.run(&globals(), &mut ctx);
    assert_eq!(ctx.take_printed(), "0\n1\n2\n");
    assert_eq!(ctx.take_printed(), "");
}

#[test]
fn reports_name_the_line() {
    let mut sources = SourceMap::default();
    sources.add(Source::new("a.ksl", "shader a()\n{ while (1); }\n"));
    let mut b = CodeBuilder::default();
    b.repeat(|_| {});
    let mut unit = unit("a", &[], b, PrimaryMap::new());
    if let Stmt::Loop { span, .. } = &mut unit.code.body[0] {
        (span.start, span.end) = (13, 23);
    }
    let options = CompileOptions {
        sources: Some(&sources),
        ..CompileOptions::default()
    };
    let host = HostFunctions::of(Arc::new(NoHost));
    let instance = ShaderInstance::compile(&unit, &ClosureRegistry::default(), &host, &options);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    instance.expect("compiles").run(&globals(), &mut ctx);
    let reports = ctx.take_reports();
    assert!(!ctx.finished());
    assert!(
        reports[0]
            .to_string()
            .starts_with("a.ksl:2:3: a: the shader takes"),
        "{}",
        reports[0]
    );
}

#[test]
#[should_panic(expected = "no closure parameter of that type at offset 0")]
fn numbers_are_not_read_as_text() {
    let (registry, diffuse, _) = registry();
    let instance = many_closures(&registry, diffuse, 1);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    let tree = instance.run(&globals(), &mut ctx);
    if let Some(ClosureNode::Component { params, .. }) = tree.root().map(|r| r.node()) {
        params.string(0);
    }
}

#[test]
fn too_much_memory_is_refused() {
    let mut b = CodeBuilder::default();
    let out = b.local(Type::array(Base::Matrix, u32::MAX));
    let unit = unit("big", &[("out", out)], b, PrimaryMap::new());
    let host = HostFunctions::of(Arc::new(NoHost));
    let error = ShaderInstance::compile(
        &unit,
        &ClosureRegistry::default(),
        &host,
        &CompileOptions::default(),
    );
    assert!(
        error
            .expect_err("is refused")
            .to_string()
            .contains("274877906880 bytes")
    );
}

#[test]
fn threads_compile_and_run_at_once() {
    let (registry, diffuse, _) = registry();
    let shared = many_closures(&registry, diffuse, 10);
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (registry, shared) = (&registry, &shared);
            scope.spawn(move || {
                let mut ctx = ShadingContext::new(Arc::new(NoHost));
                for turn in 0..8 {
                    let own = many_closures(registry, diffuse, thread + turn);
                    let tree = own.run(&globals(), &mut ctx);
                    assert_eq!(
                        format!("{tree:?}"),
                        format!("ClosureTree({} nodes)", (2 * (thread + turn) - 1).max(0))
                    );
                    let tree = shared.run(&globals(), &mut ctx);
                    assert_eq!(format!("{tree:?}"), "ClosureTree(19 nodes)");
                }
            });
        }
    });
}
