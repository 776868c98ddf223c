//! Side effects of functions: printing, and setting of messages; formatting of values.

use super::closure::{NodeId, Value};
use super::frame::CallFrame;
use super::machine::Machine;
use super::message::message_query;
use crate::runtime::Sink;
use crate::runtime::closure_text::closure_text;
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::operation::{self, Printable};
use shading_compiler::hir::{Const, Operand};
use shading_syntax::source::Span;

impl<'a> Machine<'a> {
    /// Executes a function without a result; returns whether the operation is one.
    pub(super) fn effect(
        &mut self,
        frame: &CallFrame<'a>,
        builtin: Builtin,
        args: &[Operand],
        span: Span,
    ) -> bool {
        let (sink, skip) = match builtin {
            Builtin::Printf => (Sink::Output, 0),
            Builtin::Warning => (Sink::Warning, 0),
            Builtin::Error => (Sink::Error, 0),
            Builtin::Fprintf => (Sink::File(frame.text(args[0]).to_owned()), 1),
            Builtin::SetMessage => {
                let message_query = message_query(frame, &args[..3]);
                let value = frame.get(args[3]);
                if let Err(error) = self.messages.set(message_query, value) {
                    self.printed.push(Sink::Error, &error);
                }
                return true;
            }
            _ => return false,
        };
        let text = self.format(frame, &args[skip..], span);
        self.printed.push(sink, &text);
        true
    }

    /// Returns a value with closures replaced by text.
    pub(super) fn shown(&self, value: Value) -> Const {
        let text = |closure: NodeId| {
            let listing = self.closures.list(closure);
            let text = match self.options.closures {
                Some(registry) => closure_text(&listing, registry),
                None => "closure".repeat(usize::from(closure.is_some())),
            };
            Const::String(text.into())
        };
        match value {
            Value::Plain(value) => value,
            Value::Closure(closure) => text(closure),
            Value::Closures(list) => Const::Array(list.into_iter().map(text).collect()),
        }
    }

    pub(super) fn format(&mut self, frame: &CallFrame<'a>, args: &[Operand], span: Span) -> String {
        let Some((&format, values)) = args.split_first() else {
            return String::new();
        };
        let values: Vec<Const> = values.iter().map(|&a| self.shown(frame.get(a))).collect();
        let values: Vec<Printable<'_>> = values.iter().map(Printable::of).collect();
        let mut problem = None;
        let text = operation::format(frame.text(format), &values, &mut problem);
        self.problem(problem, span);
        text
    }
}
