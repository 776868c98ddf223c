//! Closure calls: components of the registry.

use super::argument::CallArgument;
use super::conversion::near;
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::{ClosureId, ClosureNote, ClosureSignature, Const, Op};
use crate::ty::Type;
use shading_syntax::ast::{Argument, Name};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// `name(args)` or `make_closure<name>(args)`: positional arguments, then `"keyword", value` pairs.
    pub(super) fn closure(&mut self, name: &'a Name, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let given = self.arguments(args);
        let closures = self.closures;
        let overloads: Vec<(ClosureId, &'a ClosureSignature)> = closures.overloads(&name.text).collect();
        let Some(first) = overloads.first() else {
            let known: Vec<&str> = closures.iter().map(|(_, s)| s.name).collect();
            let near = near(&name.text, &known);
            self.report(name.span, CheckError::UnknownClosure(name.text.clone(), near));
            return None;
        };
        let given = given?;
        let fitting = overloads.iter().find(|(_, signature)| self.closure_fits(signature, &given));
        // Some closures have closure parameters.
        if fitting.is_none() {
            let unlabelled = self.without_label(&given);
            if self.fits_function(&name.text, unlabelled) {
                let label = given.last().filter(|_| unlabelled.len() < given.len()).cloned();
                let given = unlabelled.to_vec();
                let closure = self.call_named(&name.text, given, Some(Type::CLOSURE), span)?;
                let label = label.and_then(|label| self.given_as(&label, Type::STRING));
                return Some(self.labelled(closure, label, span));
            }
            // The closure is one of another renderer that the file declares.
            if self.declaration_fits(&name.text, &given) {
                return self.declared_closure(name, &given, span);
            }
        }
        let (id, signature) = fitting.unwrap_or(first);
        self.make_closure(*id, signature, &given, fitting.is_none().then_some(&overloads), span)
    }

    fn without_label<'g>(&self, given: &'g [CallArgument<'a>]) -> &'g [CallArgument<'a>] {
        match given {
            [before @ .., key, _] if self.given_string(key).as_deref() == Some("label") => before,
            _ => given,
        }
    }

    fn positional(&self, signature: &ClosureSignature, given: &[CallArgument<'a>]) -> usize {
        let required = signature.params.iter().filter(|p| p.default.is_none()).count();
        let is_keyword = |i: usize| {
            i >= required && (given.len() - i).is_multiple_of(2) && self.given_string(&given[i]).is_some()
        };
        (0..given.len()).find(|i| is_keyword(*i)).unwrap_or(given.len())
    }

    fn closure_fits(&self, signature: &ClosureSignature, given: &[CallArgument<'a>]) -> bool {
        let count = self.positional(signature, given);
        let required = signature.required();
        (required..=signature.params.len()).contains(&count)
            && signature
                .params
                .iter()
                .zip(&given[..count])
                .all(|(param, given)| self.argument_rank(given, param.ty, false).is_some())
    }

    fn make_closure(
        &mut self,
        id: ClosureId,
        signature: &'a ClosureSignature,
        given: &[CallArgument<'a>],
        failed: Option<&Vec<(ClosureId, &'a ClosureSignature)>>,
        span: Span,
    ) -> Option<TypedValue> {
        if let Some(overloads) = failed {
            self.closure_mismatch(signature, given, overloads, span);
            return None;
        }
        let count = self.positional(signature, given);
        let mut label = None;
        let mut values = vec![None; signature.params.len()];
        let mut is_whole = true;
        for (i, given) in given[..count].iter().enumerate() {
            let value = self.given_as(given, signature.params[i].ty);
            is_whole &= value.is_some();
            values[i] = value;
        }
        for pair in given[count..].chunks(2) {
            let [key, value] = pair else {
                continue;
            };
            let Some(name) = self.given_string(key) else {
                self.report(key.span, CheckError::OptionNotConstant);
                continue;
            };
            match signature.params.iter().position(|p| p.name == &*name) {
                Some(i) => {
                    let value = self.given_as(value, signature.params[i].ty);
                    is_whole &= value.is_some();
                    values[i] = value;
                }
                None if &*name == "label" => label = self.given_as(value, Type::STRING),
                None => {
                    let known: Vec<&str> = signature
                        .params
                        .iter()
                        .filter(|p| p.default.is_some())
                        .map(|p| p.name)
                        .collect();
                    let near = near(&name, &known);
                    let closure = signature.name.to_owned();
                    self.warn(key.span, Warning::UnknownKeyword { closure, name: name.to_string(), near });
                }
            }
        }
        if !is_whole {
            return None;
        }
        if let Some(note) = self.closures.note_of(id).filter(|note| self.applies(note, signature, &values)) {
            let (name, note) = (signature.name, note.text);
            self.warn(span, Warning::StandIn(name, note));
        }
        let mut args = vec![];
        for (value, param) in values.iter().zip(&signature.params) {
            args.push(match (value, &param.default) {
                (Some(value), _) => value.leaf(),
                (None, Some(default)) => self.body.constant(default.clone()),
                (None, None) => return None,
            });
        }
        let closure = self.emit_value(Op::MakeClosure(id), args, Type::CLOSURE, span);
        Some(self.labelled(closure, label, span))
    }

    /// Adds a label to a closure if the renderer has the closure for labels. Most closures have no label parameter.
    fn labelled(&mut self, closure: TypedValue, label: Option<TypedValue>, span: Span) -> TypedValue {
        match (self.closures.find("labelled"), label) {
            (Some(id), Some(label)) => {
                let args = vec![closure.leaf(), label.leaf()];
                self.emit_value(Op::MakeClosure(id), args, Type::CLOSURE, span)
            }
            _ => closure,
        }
    }

    /// Returns whether a closure's note applies to a call with these arguments.
    fn applies(
        &self,
        note: &ClosureNote,
        signature: &ClosureSignature,
        values: &[Option<TypedValue>],
    ) -> bool {
        let position = |name| signature.params.iter().position(|p| p.name == name);
        let value = note.unless_zero.and_then(position).and_then(|i| values[i].as_ref());
        !value.is_some_and(|value| self.is_zero(value))
    }

    /// Returns whether a number or triple is constant zero.
    fn is_zero(&self, value: &TypedValue) -> bool {
        match self.body.known(value.leaf()) {
            Some(Const::Int(i)) => *i == 0,
            Some(Const::Float(f)) => *f == 0.0,
            Some(Const::Triple(t)) => *t == [0.0; 3],
            _ => false,
        }
    }

    fn closure_mismatch(
        &mut self,
        signature: &'a ClosureSignature,
        given: &[CallArgument<'a>],
        overloads: &[(ClosureId, &'a ClosureSignature)],
        span: Span,
    ) {
        let candidates: Vec<String> = overloads.iter().map(|(_, s)| show_signature(s)).collect();
        let name = signature.name.to_owned();
        let found: Vec<String> = given.iter().map(|g| self.show_given(g)).collect();
        if overloads.len() == 1 {
            let count = self.positional(signature, given);
            let required = signature.required();
            if !(required..=signature.params.len()).contains(&count) {
                let expected = if count < required { required } else { signature.params.len() };
                self.report(span, CheckError::ArgumentCount { name, expected, found: count, candidates });
                return;
            }
            for (i, (param, given)) in signature.params.iter().zip(&given[..count]).enumerate() {
                if self.argument_rank(given, param.ty, false).is_none() {
                    let error = CheckError::BadArgument {
                        name,
                        number: i + 1,
                        expected: self.show(param.ty),
                        found: found[i].clone(),
                        output: false,
                        candidates,
                    };
                    self.report(given.span, error);
                    return;
                }
            }
        }
        self.report(span, CheckError::NoOverload { name, found, candidates });
    }
}

fn show_signature(signature: &ClosureSignature) -> String {
    let params: Vec<String> = signature
        .params
        .iter()
        .map(|p| {
            let optional = if p.default.is_some() { " (optional)" } else { "" };
            format!("{} {}{optional}", p.ty, p.name)
        })
        .collect();
    format!("closure color {}({})", signature.name, params.join(", "))
}
