//! Elementary functions and matrices.

use super::{Lanes, Shim, put, triple};
use crate::builtins::Builtin;
use crate::eval::{lanes, lanes2, math, matrix};

/// A matrix, row-major.
type Matrix = [f32; 16];

/// A built-in of one float: on a float, and on a triple.
pub(crate) fn unary(builtin: Builtin) -> Option<(Shim, Shim)> {
    macro_rules! table {
        ($($name:ident => $f:path,)*) => {
            match builtin {
                $(Builtin::$name => {
                    unsafe extern "C" fn one(x: f32) -> f32 {
                        $f(x)
                    }
                    unsafe extern "C" fn three(out: *mut Lanes, a: *const Lanes) {
                        // SAFETY: compiled code passes the addresses of two triples.
                        unsafe { put(out, lanes($f, triple(a))) }
                    }
                    (Shim::of1(one), Shim::of2(three))
                })*
                _ => return None,
            }
        };
    }
    Some(table! {
        Sin => math::sin,
        Cos => math::cos,
        Tan => math::tan,
        Asin => math::asin,
        Acos => math::acos,
        Atan => math::atan,
        Sinh => math::sinh,
        Cosh => math::cosh,
        Tanh => math::tanh,
        Exp => math::exp,
        Exp2 => math::exp2,
        Expm1 => math::expm1,
        Log => math::log,
        Log2 => math::log2,
        Log10 => math::log10,
        Logb => math::logb,
        Cbrt => math::cbrt,
        Round => f32::round,
        Erf => math::erf,
        Erfc => math::erfc,
    })
}

/// A built-in of two floats: on floats, and on triples.
pub(crate) fn binary(builtin: Builtin) -> Option<(Shim, Shim)> {
    macro_rules! table {
        ($($name:ident => $f:path,)*) => {
            match builtin {
                $(Builtin::$name => {
                    unsafe extern "C" fn one(x: f32, y: f32) -> f32 {
                        $f(x, y)
                    }
                    unsafe extern "C" fn three(out: *mut Lanes, a: *const Lanes, b: *const Lanes) {
                        // SAFETY: compiled code passes the addresses of three triples.
                        unsafe { put(out, lanes2($f, triple(a), triple(b))) }
                    }
                    (Shim::of2(one), Shim::of3(three))
                })*
                _ => return None,
            }
        };
    }
    Some(table! {
        Pow => math::pow,
        Atan2 => math::atan2,
    })
}

/// What is done to matrices out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixFunction {
    /// `(out, a, b)`: matrix product.
    Mul,
    /// `(out, a, b)`: `a` times the inverse of `b`.
    Div,
    /// `(out, a)`.
    Transpose,
    /// `(a) → float`.
    Determinant,
    /// `(out, m, triple)`.
    Point,
    /// `(out, m, triple)`.
    Vector,
    /// `(out, m, triple)`.
    Normal,
}

/// The function of a matrix operation.
pub(crate) fn matrix_function(function: MatrixFunction) -> Shim {
    match function {
        MatrixFunction::Mul => Shim::of3(mul),
        MatrixFunction::Div => Shim::of3(div),
        MatrixFunction::Transpose => Shim::of2(transpose),
        MatrixFunction::Determinant => Shim::of1(determinant),
        MatrixFunction::Point => Shim::of3(point),
        MatrixFunction::Vector => Shim::of3(vector),
        MatrixFunction::Normal => Shim::of3(normal),
    }
}

unsafe extern "C" fn mul(out: *mut Matrix, a: *const Matrix, b: *const Matrix) {
    // SAFETY: compiled code passes the addresses of three matrices; both are read before the result is stored.
    unsafe { out.write(matrix::mul(&a.read(), &b.read())) }
}

unsafe extern "C" fn div(out: *mut Matrix, a: *const Matrix, b: *const Matrix) {
    // SAFETY: as for `mul`.
    unsafe { out.write(matrix::div(&a.read(), &b.read())) }
}

unsafe extern "C" fn transpose(out: *mut Matrix, a: *const Matrix) {
    // SAFETY: as for `mul`.
    unsafe { out.write(matrix::transpose(&a.read())) }
}

unsafe extern "C" fn determinant(a: *const Matrix) -> f32 {
    // SAFETY: as for `mul`.
    unsafe { matrix::determinant(&a.read()) }
}

unsafe extern "C" fn point(out: *mut Lanes, m: *const Matrix, p: *const Lanes) {
    // SAFETY: compiled code passes the addresses of a matrix and two triples.
    unsafe { put(out, matrix::transform_point(&*m, triple(p))) }
}

unsafe extern "C" fn vector(out: *mut Lanes, m: *const Matrix, v: *const Lanes) {
    // SAFETY: as for `point`.
    unsafe { put(out, matrix::transform_vector(&*m, triple(v))) }
}

unsafe extern "C" fn normal(out: *mut Lanes, m: *const Matrix, n: *const Lanes) {
    // SAFETY: as for `point`.
    unsafe { put(out, matrix::transform_normal(&*m, triple(n))) }
}
