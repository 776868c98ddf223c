//! Stack frame of a function: its variables.

use cranelift_entity::SecondaryMap;

use super::closure::Value;
use shading_compiler::hir::{Code, Const, Kind, LocalId, Operand};

/// Variables of an active function call.
pub(super) struct CallFrame<'a> {
    pub(super) code: &'a Code,
    pub(super) locals: SecondaryMap<LocalId, Value>,
}

impl<'a> CallFrame<'a> {
    pub(super) fn new(code: &'a Code) -> CallFrame<'a> {
        let mut locals = SecondaryMap::with_default(Value::Closure(None));
        for (id, local) in &code.locals {
            locals[id] = Kind::of(local.ty).map_or(Value::Closure(None), Value::zero);
        }
        CallFrame { code, locals }
    }

    pub(super) fn get(&self, operand: Operand) -> Value {
        match operand {
            Operand::Local(id) => self.locals[id].clone(),
            Operand::Const(id) => Value::of(&self.code.consts[id]),
        }
    }

    pub(super) fn closure(&self, operand: Operand) -> Option<u32> {
        match self.get(operand) {
            Value::Closure(closure) => closure,
            Value::Plain(_) | Value::Closures(_) => None,
        }
    }

    /// Returns the value of an operand that is not a closure.
    pub(super) fn plain(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Const(id) => Some(&self.code.consts[id]),
            Operand::Local(id) => match &self.locals[id] {
                Value::Plain(value) => Some(value),
                Value::Closure(_) | Value::Closures(_) => None,
            },
        }
    }

    pub(super) fn int(&self, operand: Operand) -> i32 {
        match self.plain(operand) {
            Some(Const::Int(a)) => *a,
            _ => 0,
        }
    }

    pub(super) fn float(&self, operand: Operand) -> f32 {
        match self.plain(operand) {
            Some(Const::Float(a)) => *a,
            _ => 0.0,
        }
    }

    pub(super) fn triple(&self, operand: Operand) -> [f32; 3] {
        match self.plain(operand) {
            Some(Const::Triple(t)) => *t,
            _ => [0.0; 3],
        }
    }

    pub(super) fn text(&self, operand: Operand) -> &str {
        match self.plain(operand) {
            Some(Const::String(a)) => a,
            _ => "",
        }
    }

    pub(super) fn kind(&self, dst: LocalId) -> Kind {
        Kind::of(self.code.locals[dst].ty).unwrap_or(Kind::INT)
    }
}
