//! Expressions for values in scene declarations: numbers in single precision, colours, transforms.

use glam::{DMat4, DVec3};
use shading::syntax::ast::{Argument, Expr};

/// Number in single precision; an integer if it is whole and not large.
pub(crate) fn number(value: f64) -> Expr {
    let value = value as f32;
    if value == value.trunc() && value.abs() < 1e6 {
        (value as i64).into()
    } else {
        value.into()
    }
}

pub(crate) fn triple(value: DVec3) -> Expr {
    value.to_array().map(number).into()
}

/// Colour; one number if it is grey.
pub(crate) fn color([r, g, b]: [f64; 3]) -> Expr {
    if r == g && g == b { number(r) } else { triple(DVec3::new(r, g, b)) }
}

/// Transform: a translation, or a full matrix.
pub(crate) fn transform(matrix: &DMat4) -> Expr {
    let shift = matrix.w_axis.truncate();
    if *matrix == DMat4::from_translation(shift) {
        return call("translate", shift.to_array().map(number));
    }
    Expr::matrix(matrix.transpose().to_cols_array().map(number))
}

/// Call with positional arguments.
pub(crate) fn call<const N: usize>(name: &str, args: [Expr; N]) -> Expr {
    Expr::call(name, args.map(Argument::positional).into())
}
