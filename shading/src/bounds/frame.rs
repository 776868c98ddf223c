//! Variables of a function during its evaluation.

use std::sync::Arc;

use shading_compiler::hir::{Code, Kind, LocalId, Operand, ScopeId};

use super::number::Symbols;
use super::value::{self, Value};

/// Values of the variables at a place.
pub(super) type State = Vec<Value>;

/// A function during its evaluation.
pub(super) struct Frame<'a> {
    pub(super) code: &'a Code,
    /// `None` if no run gets to the current place.
    pub(super) state: Option<State>,
    /// States at jumps to the ends of scopes.
    pub(super) exits: Vec<(ScopeId, State)>,
    /// True in the unit itself, whose outputs an abort leaves as they are.
    pub(super) is_outer: bool,
}

pub(super) fn kind(code: &Code, local: LocalId) -> Kind {
    Kind::of(code.locals[local].ty).unwrap_or(Kind::INT)
}

pub(super) fn value(code: &Code, state: &[Value], operand: Operand, symbols: &Symbols) -> Value {
    match operand {
        Operand::Local(local) => state[local.as_u32() as usize].clone(),
        Operand::Const(id) => Value::of(&code.consts[id], symbols),
    }
}

/// The value after an abort, which leaves no closures.
pub(super) fn without_closures(value: &Value) -> Value {
    match value {
        Value::Closure(closure) => Value::Closure(value::optional(closure).or(Some(Default::default()))),
        Value::Array(list) => Value::Array(Arc::new(list.iter().map(without_closures).collect())),
        other => other.clone(),
    }
}
