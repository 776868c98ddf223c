//! Values: their components and elements, strings, variables before they are assigned, globals.

use cranelift_entity::PrimaryMap;
use shading::builtins::{Builtin, Global};
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::{Const, LocalId, Op, Operand};
use shading::runtime::ReportKind;
use shading::ty::{Base, Type};
use shading::{ClosureRegistry, OptLevel};

use super::check::{check_op, type_of};
use super::{compile, run};

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
    check_op(Type::COLOR, Op::MakeTriple, &make, &Const::Triple([1.0, 2.0, 3.0]));

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
        let changed = Const::Array(vec![elements[0].clone(), elements[0].clone(), elements[2].clone()]);
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
    check(Type::STRING, Op::Builtin(Builtin::Concat), &[s("ab"), s("é")], s("abé"));
    check(Type::INT, Op::Builtin(Builtin::Strlen), &[s("abé")], Const::Int(4));
    check(Type::INT, Op::Builtin(Builtin::Startswith), &[s("abc"), s("ab")], Const::Int(1));
    check(Type::INT, Op::Builtin(Builtin::Endswith), &[s("abc"), s("ab")], Const::Int(0));
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
    check(Type::STRING, Op::Builtin(Builtin::Format), &args, s("-3 1.5|1 2 3|x|0.5 0.25"));
    check(Type::INT, Op::Builtin(Builtin::RayType), &[s("camera")], Const::Int(0));
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
fn globals_are_read() {
    let code = || {
        let mut b = CodeBuilder::default();
        let (p, u) = (b.local(Type::POINT), b.local(Type::FLOAT));
        b.set(p, Op::Global(Global::P), &[]);
        b.set(u, Op::Global(Global::V), &[]);
        b
    };
    run(&[LocalId::from_u32(0), LocalId::from_u32(1)], code, |values, _| {
        assert_eq!(values, [Const::Triple([1.0, 2.0, 3.0]), Const::Float(0.75)]);
    });
    let unit = unit("test", &[], code(), PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Plain);
    let reads = instance.statistics().reads_globals;
    assert!(reads.contains(Global::P) && !reads.contains(Global::N));
}
