//! `setmessage` and `getmessage`.

use super::error::CheckError;
use super::{Checker, TypedValue};
use crate::builtins::Builtin;
use crate::hir::{Kind, Op, Operand};
use crate::ty::{Base, Type};
use shading_syntax::ast::Argument;
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// `setmessage(name, value)`
    pub(super) fn set_message(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        const FORM: &str = "setmessage(\"name\", value)";
        let given = self.arguments(args)?;
        let [name, value] = given.as_slice() else {
            self.report(span, CheckError::BadForm(FORM));
            return None;
        };
        let name = self.given_as(name, Type::STRING)?.leaf();
        let of = value.span;
        let value = self.given_value(value)?;
        if !is_message(value.ty) {
            let found = self.show(value.ty);
            self.report(of, CheckError::NotMessage(found));
            return None;
        }
        let [ty, place] = self.message_origin(value.ty, span);
        self.assign(
            None,
            Op::Builtin(Builtin::SetMessage),
            vec![name, ty, place, value.leaf()],
            span,
        );
        Some(TypedValue::void())
    }

    /// `getmessage(name, variable)` and `getmessage(source, name, variable)`
    pub(super) fn get_message(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        const FORM: &str = "getmessage(\"name\", variable) or getmessage(\"source\", \"name\", variable)";
        let mut given = self.arguments(args)?;
        let target = given.pop();
        let fits = matches!(given.len(), 1 | 2);
        let (place, expr) = self.result_variable(target.filter(|_| fits).as_ref(), FORM, span)?;
        if !is_message(place.ty) {
            let found = self.show(place.ty);
            self.report(expr.span, CheckError::NotMessage(found));
            return None;
        }
        let source = if given.len() == 2 {
            let source = given.remove(0);
            self.given_as(&source, Type::STRING)?.leaf()
        } else {
            self.string("")
        };
        let name = self.given_as(given.first()?, Type::STRING)?.leaf();
        let [ty, origin] = self.message_origin(place.ty, span);
        let kind = Kind::of(place.ty).unwrap_or(Kind::CLOSURE);
        let kind = self.int(kind.code());
        let found =
            self.emit_builtin(Builtin::HasMessage, vec![source, name, ty, origin, kind], Type::INT, span);
        Some(self.write_result(found, &place, span, |c| {
            c.emit_builtin(Builtin::MessageValue, vec![source, name, kind], place.ty, span)
        }))
    }

    /// Returns the name of a type, and the location as `file:line`.
    fn message_origin(&mut self, ty: Type, span: Span) -> [Operand; 2] {
        let place = self.place_text(span);
        let ty = self.show(ty);
        [self.string(&ty), self.string(&place)]
    }

    /// `file:line`
    pub(super) fn place_text(&self, span: Span) -> String {
        let source = self.sources.get(span.source);
        let (line, _) = source.line_column(span.start);
        format!("{}:{line}", source.name)
    }
}

/// Returns whether messages can hold values of a type.
fn is_message(ty: Type) -> bool {
    !matches!(ty.base, Base::Void | Base::Struct(_))
}
