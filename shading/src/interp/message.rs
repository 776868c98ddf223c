//! Messages between layers and of traced rays, and dictionaries.

use super::closure::Value;
use super::frame::CallFrame;
use super::machine::Machine;
use crate::runtime::Sink;
use crate::runtime::messages::MessageQuery;
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{Const, Kind, Op, Operand};

impl<'a> Machine<'a> {
    /// Evaluates messages between layers.
    pub(super) fn eval_messages(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        op: Op,
        args: &[Operand],
    ) -> Option<Value> {
        match op {
            Op::Builtin(Builtin::HasMessage) => {
                let found = match frame.text(args[0]) {
                    "trace" => Ok(self.traced(frame, args[1], args[4]).is_some()),
                    _ => self.messages.query(message_query(frame, &args[1..])),
                };
                let found = found.unwrap_or_else(|error| {
                    self.printed.push(Sink::Error, &error);
                    false
                });
                Some(Value::Plain(Const::Int(i32::from(found))))
            }
            Op::Builtin(Builtin::MessageValue) => {
                let value = match frame.text(args[0]) {
                    "trace" => self.traced(frame, args[1], args[2]).map(|value| Value::of(&value)),
                    _ => self.messages.value(frame.text(args[1])).cloned(),
                };
                Some(value.unwrap_or_else(|| Value::zero(kind)))
            }
            Op::Builtin(builtin) => {
                let value = self.eval_dictionaries(frame, kind, builtin, args)?;
                Some(Value::Plain(value))
            }
            _ => None,
        }
    }

    /// Returns a message about the last traced ray as a value of a kind.
    pub(super) fn traced(&self, frame: &CallFrame<'a>, name: Operand, kind: Operand) -> Option<Const> {
        let kind = Kind::of_code(frame.int(kind));
        self.last_trace.message(self.options.host, frame.text(name), kind)
    }

    pub(super) fn eval_dictionaries(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        builtin: Builtin,
        args: &[Operand],
    ) -> Option<Const> {
        let all = &mut self.dictionaries;
        let host = self.options.host;
        let found = match builtin {
            Builtin::DictFind => {
                all.find(frame.text(args[0]), frame.text(args[1]), |name| host.read_text(name))
            }
            Builtin::DictFindBelow => all.find_below(frame.int(args[0]), frame.text(args[1])),
            Builtin::DictNext => Ok(all.next(frame.int(args[0]))),
            Builtin::HasDictValue | Builtin::DictValue => {
                let wanted = Kind::of_code(frame.int(args[2]));
                let value = all.value(frame.int(args[0]), frame.text(args[1]), wanted);
                if builtin == Builtin::DictValue {
                    return Some(value.unwrap_or_else(|| kind.zero()));
                }
                Ok(i32::from(value.is_some()))
            }
            _ => return None,
        };
        let found = found.unwrap_or_else(|mistake| {
            self.printed.push(Sink::Error, &mistake.message);
            mistake.result
        });
        Some(Const::Int(found))
    }
}

/// Returns name, type and source location of a message query.
pub(super) fn message_query<'f>(frame: &'f CallFrame<'_>, args: &[Operand]) -> MessageQuery<'f> {
    let text = |i: usize| frame.text(args[i]);
    MessageQuery { name: text(0), ty: text(1), place: text(2) }
}
