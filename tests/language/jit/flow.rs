//! Control flow, calls, and the bounds on both.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::eval;
use shading::hir::build::{CodeBuilder, function, unit};
use shading::hir::{Const, Function, FunctionId, LocalId, Op, Operand, Unit};
use shading::runtime::ReportKind;
use shading::ty::{Base, Type};
use shading::{ClosureRegistry, CompileOptions, HostFunctions, NoHost, ShaderInstance, ShadingContext};

use super::{LEVELS, compile, globals, run};

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
                    let square = b.op(Type::INT, Op::Mul, &[Operand::Local(first), Operand::Local(first)]);
                    let past = b.op(Type::INT, Op::Gt, &[square, fifty]);
                    b.branch(past, |b| b.leave(all), |_| {});
                });
            });
        });
        b
    };
    run(&[LocalId::from_u32(0), LocalId::from_u32(1)], code, |values, reports| {
        assert_eq!(values, [Const::Int(25), Const::Int(8)]);
        assert_eq!(reports, []);
    });
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

/// `f(n, a) = n <= 0 ? a[0] : f(n − 1, a) + 1`, with an array of floats.
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
                instance.run(&globals(), &mut ctx).unwrap();
                assert_eq!(instance.output(0, &ctx).unwrap(), Const::Int(expected), "{depth} {array}");
            }
            let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
            assert_eq!(reports, Vec::from_iter(report));
        }
    }
}

#[test]
fn too_much_memory_is_refused() {
    let mut b = CodeBuilder::default();
    let out = b.local(Type::array(Base::Matrix, u32::MAX));
    let unit = unit("big", &[("out", out)], b, PrimaryMap::new());
    let host = HostFunctions::of(Arc::new(NoHost));
    let error =
        ShaderInstance::compile(&unit, &ClosureRegistry::default(), &host, &CompileOptions::default());
    assert!(error.expect_err("is refused").to_string().contains("274877906880 bytes"));
}
