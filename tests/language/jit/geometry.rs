//! Vectors, matrices and noises.

use shading::builtins::Builtin;
use shading::eval;
use shading::hir::{Const, Op};
use shading::ty::Type;

use super::check::check_op;

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
            check_op(Type::FLOAT, Op::Builtin(Builtin::Dot), &args, &Const::Float(math::dot(a, b)));
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

pub(crate) const MATRIX: [f32; 16] =
    [2.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 4.0, 5.0, 6.0, 1.0];

#[test]
fn matrices() {
    use eval::matrix;
    let other: [f32; 16] = std::array::from_fn(|i| (i as f32 * 1.7).sin());
    let (a, b) = (Const::Matrix(MATRIX), Const::Matrix(other));
    let check = |op, expected: [f32; 16]| {
        check_op(Type::MATRIX, op, &[a.clone(), b.clone()], &Const::Matrix(expected));
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
    check(Builtin::Perlin, &line, n::perlin([x]), n::perlin_triple([x]));
    check(Builtin::UPerlin, &plane, n::uperlin([x, w]), n::uperlin_triple([x, w]));
    check(Builtin::Cell, &point, n::cell_noise(p), n::cell_triple(p));
    check(
        Builtin::Perlin,
        &space_time,
        n::perlin([p[0], p[1], p[2], w]),
        n::perlin_triple([p[0], p[1], p[2], w]),
    );
}
