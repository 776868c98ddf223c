//! Shims for elementary functions and matrices.

use super::{Lanes, Shim, put, triple};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::{lanes, lanes2, matrix};

/// A matrix, row-major.
type Matrix = [f32; 16];

/// Applies a macro to the built-ins of one number that are called out of line, with the function of each.
macro_rules! unary_table {
    ($table:ident) => {
        $table! {
            Sin => shading_compiler::eval::math::sin,
            Cos => shading_compiler::eval::math::cos,
            Tan => shading_compiler::eval::math::tan,
            Asin => shading_compiler::eval::math::asin,
            Acos => shading_compiler::eval::math::acos,
            Atan => shading_compiler::eval::math::atan,
            Sinh => shading_compiler::eval::math::sinh,
            Cosh => shading_compiler::eval::math::cosh,
            Tanh => shading_compiler::eval::math::tanh,
            Exp => shading_compiler::eval::math::exp,
            Exp2 => shading_compiler::eval::math::exp2,
            Expm1 => shading_compiler::eval::math::expm1,
            Log => shading_compiler::eval::math::log,
            Log2 => shading_compiler::eval::math::log2,
            Log10 => shading_compiler::eval::math::log10,
            Logb => shading_compiler::eval::math::logb,
            Cbrt => shading_compiler::eval::math::cbrt,
            Round => f32::round,
            Erf => shading_compiler::eval::math::erf,
            Erfc => shading_compiler::eval::math::erfc,
        }
    };
}

/// Applies a macro to the built-ins of two numbers that are called out of line, with the function of each.
macro_rules! binary_table {
    ($table:ident) => {
        $table! {
            Pow => shading_compiler::eval::math::pow,
            Atan2 => shading_compiler::eval::math::atan2,
        }
    };
}

pub(super) use {binary_table, unary_table};

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
    Some(unary_table!(table))
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
    Some(binary_table!(table))
}

/// Matrix functions called out of line.
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
    // SAFETY: compiled code passes the addresses of three matrices; the result is stored after both are read.
    unsafe { out.write(matrix::mul(&*a, &*b)) }
}

unsafe extern "C" fn div(out: *mut Matrix, a: *const Matrix, b: *const Matrix) {
    // SAFETY: as for `mul`.
    unsafe { out.write(matrix::div(&*a, &*b)) }
}

unsafe extern "C" fn transpose(out: *mut Matrix, a: *const Matrix) {
    // SAFETY: as for `mul`.
    unsafe { out.write(matrix::transpose(&a.read())) }
}

unsafe extern "C" fn determinant(a: *const Matrix) -> f32 {
    // SAFETY: as for `mul`.
    unsafe { matrix::determinant(&*a) }
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
