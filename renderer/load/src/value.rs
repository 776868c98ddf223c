//! Constant values of scene files.

use std::fmt;

use glam::DAffine3;
use shading::syntax::ast::{Expr, ExprKind};

/// Elements of a list in braces, or the expression alone.
pub(super) fn items(expr: &Expr) -> &[Expr] {
    match &expr.kind {
        ExprKind::Braces(list) => list,
        _ => std::slice::from_ref(expr),
    }
}

/// Value of a constant expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SceneValue {
    Bool(bool),
    Number(f64),
    Tuple(Vec<f64>),
    String(String),
    /// Name, or several names joined by dots.
    Name(String),
    Transform(DAffine3),
    /// Call of another function, with its arguments: `gaussian(2)`.
    Call(String, Vec<SceneValue>),
}

impl fmt::Display for SceneValue {
    /// Writes a description for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SceneValue::Bool(b) => write!(f, "`{b}`"),
            SceneValue::Number(n) => write!(f, "the number {n}"),
            SceneValue::Tuple(list) => write!(f, "a tuple of {} numbers", list.len()),
            SceneValue::String(_) => f.write_str("a string"),
            SceneValue::Name(name) => write!(f, "the name `{name}`"),
            SceneValue::Transform(_) => f.write_str("a transform"),
            SceneValue::Call(name, _) => write!(f, "a call of `{name}`"),
        }
    }
}
