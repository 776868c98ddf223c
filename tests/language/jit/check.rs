//! Checks of single operations.

use shading::eval;
use shading::hir::build::CodeBuilder;
use shading::hir::{Const, LocalId, Op, Operand};
use shading::ty::Type;

use super::run;

/// Returns whether values are bit-identical, all NaNs being equal.
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
pub(crate) fn check_op(ty: Type, op: Op, args: &[Const], expected: &Const) {
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

pub(crate) fn type_of(value: &Const) -> Type {
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

pub(crate) const FLOATS: [f32; 12] = [
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

pub(crate) const INTS: [i32; 8] = [0, 1, -1, 7, -7, 33, i32::MIN, i32::MAX];

/// Code that applies an operation to all pairs of values, as elements of arrays, and the results.
pub(crate) fn check_pairs<A: Copy>(
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
    let pairs: Vec<(A, A)> = values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect();
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
