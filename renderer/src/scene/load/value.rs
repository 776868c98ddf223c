//! Constant values of scene files.

use std::fmt;

use glam::DAffine3;

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Number(f64),
    Tuple(Vec<f64>),
    String(String),
    /// A name, or names joined by dots.
    Name(String),
    Transform(DAffine3),
    /// A call of something that is no transform: `gaussian(2)`, with its numbers.
    Call(String, Vec<Value>),
}

impl fmt::Display for Value {
    /// What it is, for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "`{b}`"),
            Value::Number(n) => write!(f, "the number {n}"),
            Value::Tuple(list) => write!(f, "a tuple of {} numbers", list.len()),
            Value::String(_) => f.write_str("a string"),
            Value::Name(name) => write!(f, "the name `{name}`"),
            Value::Transform(_) => f.write_str("a transform"),
            Value::Call(name, _) => write!(f, "a call of `{name}`"),
        }
    }
}
