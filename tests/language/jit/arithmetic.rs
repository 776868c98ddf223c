//! Numbers and triples: operators, and functions of one and two.

use shading::builtins::Builtin;
use shading::eval;
use shading::hir::{Const, Op};
use shading::ty::Type;

use super::check::{FLOATS, INTS, check_op, check_pairs};

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
        check_op(Type::FLOAT, Op::IntToFloat, &[Const::Int(a)], &Const::Float(a as f32));
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
        check_pairs(&FLOATS, Const::Float, op, Type::FLOAT, |a, b| Const::Float(f(a, b)));
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
    for builtin in [Builtin::Min, Builtin::Max, Builtin::Fmod, Builtin::Pow, Builtin::Atan2] {
        check(Op::Builtin(builtin), eval::math::binary(builtin).expect("a function of two"));
    }
    let test = |op, f: fn(f32, f32) -> bool| {
        check_pairs(&FLOATS, Const::Float, op, Type::INT, |a, b| Const::Int(i32::from(f(a, b))));
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
        check(Type::INT, Op::FloatToInt, Const::Int(eval::float_to_int(x)));
        check(Type::INT, Op::Truth, Const::Int(i32::from(x != 0.0)));
        check(Type::FLOAT, Op::Neg, Const::Float(-x));
        check(Type::COLOR, Op::Splat, Const::Triple([x; 3]));
        check(Type::MATRIX, Op::Diagonal, Const::Matrix(eval::matrix::diagonal(x)));
        check(Type::INT, Op::Builtin(B::IsNan), Const::Int(i32::from(x.is_nan())));
        check(Type::INT, Op::Builtin(B::IsInf), Const::Int(i32::from(x.is_infinite())));
        check(Type::INT, Op::Builtin(B::IsFinite), Const::Int(i32::from(x.is_finite())));
        let lanes = [0.0, x, -0.0];
        check_op(
            Type::INT,
            Op::Truth,
            &[Const::Triple(lanes)],
            &Const::Int(i32::from(lanes != [0.0; 3])),
        );
    }
}
