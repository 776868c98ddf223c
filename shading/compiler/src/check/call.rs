//! Calls: user functions, special forms, closures, built-ins.
//!
//! Lookup order: user functions, special forms (which signatures cannot describe), closures of the registry, overloads of
//! prelude and built-ins.

use super::argument::{CallArgument, is_noise};
use super::conversion::near;
use super::error::CheckError;
use super::frame::Formal;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::hir::{Axis, Op, Operand, Stmt};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{Argument, Name};
use shading_syntax::source::Span;

/// Names of the special forms, for hints.
pub(super) const SPECIAL_NAMES: [&str; 22] = [
    "noise",
    "snoise",
    "cellnoise",
    "hashnoise",
    "pnoise",
    "psnoise",
    "texture",
    "texture3d",
    "environment",
    "gettextureinfo",
    "transform",
    "getattribute",
    "attribute",
    "dict_value",
    "trace",
    "setmessage",
    "getmessage",
    "arraylength",
    "sample",
    "Dx",
    "Dy",
    "Dz",
];

/// Valid positions of `with { … }`, for messages.
const WITH: &str = "`with { … }` in `sample(input, with { P = …; })` only";

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        name: &'a Name,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let text = name.text.as_str();
        if self.is_osl(name.span) && self.scopes.is_hidden_function(self.scope, text) {
            self.arguments(args);
            self.report(name.span, CheckError::NotAFunction(text.to_owned()));
            return None;
        }
        let is_users = self
            .functions_named(self.scope, text)
            .iter()
            .any(|i| self.functions[*i].ast.body.is_some() && !self.functions[*i].is_prelude);
        if Self::is_sample(text, args, is_users) {
            return self.input_sample(args, span);
        }
        if let Some(name) = args.iter().find_map(|arg| arg.name.as_ref()).filter(|_| !self.in_group) {
            self.report(name.span, CheckError::BadForm(WITH));
            return None;
        }
        if is_users && (!self.has_other_meaning(text) || self.user_function_accepts(name, args)) {
            let given = self.arguments_of(text, args, expected, span)?;
            // Users may overload special forms for their own types.
            return match text {
                "transform" if !self.fits_function(text, &given) => self.transform(given, span),
                _ if is_noise(text) && !self.fits_function(text, &given) => {
                    self.noise(text, given, expected, span)
                }
                _ => self.call_named(text, given, expected, span),
            };
        }
        if let Some(index) = self.scopes.find_struct(self.scope, text) {
            return self.construct_struct(Type::single(Base::Struct(index)), args, span);
        }
        if self.closures.find(text).is_some() {
            return self.closure(name, args, span);
        }
        if !self.declared_closures(text).is_empty() {
            let given = self.arguments(args)?;
            return self.declared_closure(name, &given, span);
        }
        match text {
            _ if is_noise(text) => {
                let given = self.arguments_of(text, args, expected, span)?;
                self.noise(text, given, expected, span)
            }
            "texture" => self.texture(args, expected, span),
            "transform" => {
                let given = self.arguments_of(text, args, expected, span)?;
                self.transform(given, span)
            }
            "texture3d" => self.texture3d(args, expected, span),
            "environment" => self.environment(args, expected, span),
            "gettextureinfo" => self.texture_info(args, span),
            "getattribute" => self.attribute(args, span),
            "attribute" if !self.is_callable(text) => self.attribute_value(args, expected, span),
            "dict_value" => self.dict_value(args, span),
            "trace" => self.trace(args, span),
            "pointcloud_search" => self.cloud_search(args, span),
            "pointcloud_get" => self.cloud_get(args, span),
            "pointcloud_write" => self.cloud_write(args, span),
            "setmessage" => self.set_message(args, span),
            "getmessage" => self.get_message(args, span),
            "arraylength" => self.array_length_call(args, span),
            "Dx" | "Dy" | "Dz" => self.derivative(text, args, expected, span),
            "exit" => self.exit(args, span),
            _ if Self::is_query(text) && !self.is_callable(text) => self.query(text, args, span),
            _ => {
                let given = self.arguments_of(text, args, expected, span)?;
                self.call_named(text, given, expected, span)
            }
        }
    }

    /// Returns whether a name has a meaning other than the file's functions: a special form or a closure.
    fn has_other_meaning(&mut self, name: &str) -> bool {
        SPECIAL_NAMES.contains(&name)
            || self.closures.find(name).is_some()
            || !self.declared_closures(name).is_empty()
    }

    /// Returns whether anything of that name can be called.
    pub(super) fn is_known_callee(&mut self, name: &str) -> bool {
        self.is_callable(name)
            || SPECIAL_NAMES.contains(&name)
            || self.scopes.find_struct(self.scope, name).is_some()
            || !self.functions_named(self.scope, name).is_empty()
    }

    /// Returns the parameters of closures of that name that the file declares without a definition.
    fn declared_closures(&mut self, name: &str) -> Vec<Vec<Formal>> {
        let functions = self.functions_named(self.scope, name);
        let infos = functions.iter().map(|index| &self.functions[*index]);
        infos
            .filter(|info| info.ast.body.is_none() && info.result == Type::CLOSURE)
            .map(|info| info.formals.clone())
            .collect()
    }

    /// Returns whether a closure that the file declares accepts these arguments; keyword arguments may follow.
    pub(super) fn declaration_fits(&mut self, name: &str, given: &[CallArgument<'a>]) -> bool {
        self.declared_closures(name).iter().any(|formals| {
            formals.len() <= given.len()
                && (given.len() - formals.len()).is_multiple_of(2)
                && formals
                    .iter()
                    .zip(given)
                    .all(|(formal, given)| self.argument_rank(given, formal.ty, formal.output).is_some())
        })
    }

    /// A closure that is declared but not in the registry: evaluates to the null closure.
    pub(super) fn declared_closure(
        &mut self,
        name: &Name,
        given: &[CallArgument<'a>],
        span: Span,
    ) -> Option<TypedValue> {
        for given in given {
            if given.ty().is_some() {
                self.given_value(given);
            }
        }
        self.warn(span, Warning::UnknownClosure(name.text.clone()));
        Some(self.zero(Type::CLOSURE))
    }

    /// TSL's special forms with a name in angle brackets.
    pub(super) fn template(
        &mut self,
        name: &'a Name,
        template: &'a Name,
        args: &'a [Argument],
        span: Span,
    ) -> Option<TypedValue> {
        match name.text.as_str() {
            "make_closure" => self.closure(template, args, span),
            "global_value" => self.global_value(template),
            _ => self.sample(template, args, name.text == "texture2d_sample_alpha", span),
        }
    }

    /// Reads a global by its OSL name, or by the name used by TSL's hosts.
    fn global_value(&mut self, name: &Name) -> Option<TypedValue> {
        let global = match name.text.as_str() {
            "position" => Some(Global::P),
            "normal" => Some(Global::N),
            "gnormal" => Some(Global::Ng),
            "uvw" => {
                let mut args = [Global::U, Global::V]
                    .map(|g| Operand::Local(self.global(g, name.span)))
                    .to_vec();
                args.push(self.float(0.0));
                return Some(self.emit_value(Op::MakeTriple, args, Type::VECTOR, name.span));
            }
            text => Global::from_name(text),
        };
        match global {
            Some(global) => {
                Some(TypedValue::new(global.ty(), Operand::Local(self.global(global, name.span))))
            }
            None => {
                let mut known: Vec<&str> = Global::ALL.iter().map(|g| g.name()).collect();
                known.extend(["position", "normal", "gnormal", "uvw"]);
                let near = near(&name.text, &known);
                self.report(name.span, CheckError::UnknownGlobal(name.text.clone(), near));
                None
            }
        }
    }

    fn array_length_call(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let given = self.arguments(args)?;
        let length = match given.as_slice() {
            [only] => match only.ty()?.length {
                Length::Array(n) => Some(n as i32),
                Length::Unsized => Some(1),
                Length::Single => None,
            },
            _ => None,
        };
        if let Some((_, expr)) = given.first().and_then(CallArgument::place) {
            self.mark_written(expr);
            self.mark_read(expr);
        }
        match length {
            Some(length) => Some(TypedValue::new(Type::INT, self.int(length))),
            None => {
                self.report(span, CheckError::BadForm("arraylength(array)"));
                None
            }
        }
    }

    /// `Dx(value)`, `Dy(value)`, `Dz(value)`. Shading points are on surfaces, so the derivative in z is zero.
    fn derivative(
        &mut self,
        name: &str,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let given = self.arguments_of(name, args, expected, span)?;
        let [of] = given.as_slice() else {
            self.report(span, CheckError::BadForm("Dx(value), Dy(value) or Dz(value)"));
            return None;
        };
        let value = self.given_value(of)?;
        let result = match value.ty {
            Type::INT => return Some(self.zero(Type::FLOAT)),
            Type::FLOAT => Type::FLOAT,
            Type::POINT | Type::NORMAL | Type::VECTOR => Type::VECTOR,
            Type::COLOR => Type::COLOR,
            ty => {
                let found = self.show(ty);
                self.report(of.span, CheckError::NoDerivative(found));
                return None;
            }
        };
        let axis = match name {
            "Dx" => Axis::X,
            "Dy" => Axis::Y,
            _ => return Some(self.zero(result)),
        };
        Some(self.emit_value(Op::Derivative(axis), vec![value.leaf()], result, span))
    }

    /// `exit()` ends the unit.
    fn exit(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        if !args.is_empty() {
            self.report(span, CheckError::BadForm("exit()"));
        }
        match self.unit_scope.filter(|_| !self.is_apart) {
            Some(scope) => {
                if self.body.in_default {
                    let flag = match self.body.exited {
                        Some(flag) => flag,
                        None => self.body.local("", Type::INT),
                    };
                    self.body.exited = Some(flag);
                    let one = self.int(1);
                    self.store(flag, one, span);
                }
                self.push(Stmt::Leave(scope), span);
            }
            None if self.alone.is_some() => {}
            None => self.report(span, CheckError::NotYet("`exit` here".to_owned())),
        }
        Some(TypedValue::void())
    }
}
