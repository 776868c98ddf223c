//! Calls: what a name followed by parentheses means.
//!
//! The user's functions come first, then the forms that need more than a signature, then the closures of the registry,
//! then the overloads of the prelude and the built-ins.

use super::argument::Given;
use super::error::CheckError;
use super::types::near;
use super::warning::Warning;
use super::{Checker, Value};
use crate::builtins::{self, Builtin, Global};
use crate::hir::{Op, Operand, Stmt};
use crate::source::Span;
use crate::syntax::ast::{Argument, Name};
use crate::ty::{Base, Length, Type};

/// Names of the forms below, for hints.
pub(super) const SPECIAL_NAMES: [&str; 15] = [
    "noise",
    "snoise",
    "cellnoise",
    "texture",
    "texture3d",
    "environment",
    "gettextureinfo",
    "transform",
    "getattribute",
    "arraylength",
    "Dx",
    "Dy",
    "Dz",
    "transformu",
    "filterwidth",
];

/// Functions of the specification that a later version brings.
const NOT_YET: [&str; 41] = [
    "pnoise",
    "psnoise",
    "hashnoise",
    "hash",
    "gabor",
    "spline",
    "splineinverse",
    "blackbody",
    "wavelength_color",
    "setmessage",
    "getmessage",
    "trace",
    "isconnected",
    "isconstant",
    "istexture",
    "exists",
    "dict_find",
    "dict_next",
    "dict_value",
    "pointcloud_search",
    "pointcloud_get",
    "pointcloud_write",
    "regex_search",
    "regex_match",
    "split",
    "stoi",
    "stof",
    "getchar",
    "fprintf",
    "getmatrix",
    "displace",
    "bump",
    "iscameraray",
    "isdiffuseray",
    "isglossyray",
    "isshadowray",
    "getlightattribute",
    "nlightgroups",
    "typeof",
    "transformn",
    "area",
];

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        name: &'a Name,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<Value> {
        let text = name.text.as_str();
        let is_users = self
            .scopes
            .find_functions(self.scope, text)
            .iter()
            .any(|i| self.functions[*i].ast.body.is_some() && !self.functions[*i].is_prelude);
        if is_users {
            let given = self.arguments(args)?;
            return self.call_named(text, given, expected, span);
        }
        if let Some(index) = self.scopes.find_struct(self.scope, text) {
            return self.construct_struct(Type::single(Base::Struct(index)), args, span);
        }
        if self.closures.find(text).is_some() {
            return self.closure(name, args, span);
        }
        match text {
            "noise" | "snoise" | "cellnoise" => self.noise(text, args, expected, span),
            "texture" => self.texture(args, expected, span),
            "texture3d" => self.texture3d(args, expected, span),
            "environment" => self.environment(args, expected, span),
            "gettextureinfo" => self.texture_info(args, span),
            "transform" | "transformu" => self.transform(text, args, span),
            "getattribute" => self.attribute(args, span),
            "arraylength" => self.array_length_call(args, span),
            "Dx" | "Dy" | "Dz" | "filterwidth" => self.derivative(text, args, span),
            "calculatenormal" => self.calculate_normal(args, span),
            "exit" => self.exit(args, span),
            _ if NOT_YET.contains(&text) && !self.is_callable(text) => {
                self.arguments(args);
                self.report(
                    name.span,
                    CheckError::NotYet {
                        what: format!("`{text}`"),
                    },
                );
                None
            }
            _ => {
                let given = self.arguments(args)?;
                self.call_named(text, given, expected, span)
            }
        }
    }

    /// TSL's forms with a name in angle brackets.
    pub(super) fn template(
        &mut self,
        name: &'a Name,
        template: &'a Name,
        args: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        match name.text.as_str() {
            "make_closure" => self.closure(template, args, span),
            "global_value" => self.global_value(template),
            _ => self.sample(template, args, name.text == "texture2d_sample_alpha", span),
        }
    }

    /// A global by its OSL name or by the name that TSL's hosts give it.
    fn global_value(&mut self, name: &Name) -> Option<Value> {
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
            Some(global) => Some(Value::new(
                global.ty(),
                Operand::Local(self.global(global, name.span)),
            )),
            None => {
                let mut known: Vec<&str> = Global::ALL.iter().map(|g| g.name()).collect();
                known.extend(["position", "normal", "gnormal", "uvw"]);
                let near = near(&name.text, &known);
                self.report(
                    name.span,
                    CheckError::UnknownGlobal {
                        name: name.text.clone(),
                        near,
                    },
                );
                None
            }
        }
    }

    /// `noise("kind", …)`, `noise(…)`, `snoise(…)`, `cellnoise(…)`
    fn noise(
        &mut self,
        name: &str,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<Value> {
        let mut given = self.arguments(args)?;
        if given.first().and_then(Given::ty) != Some(Type::STRING) {
            return self.call_named(name, given, expected, span);
        }
        let kind = given.remove(0);
        let Some(text) = self.given_string(&kind) else {
            self.report(kind.span, CheckError::NoiseNotConstant);
            return None;
        };
        let name = match builtins::noise_kind(&text) {
            Some(Builtin::Perlin) => "snoise",
            Some(Builtin::UPerlin) => "noise",
            Some(_) => "cellnoise",
            None => {
                let later = ["simplex", "usimplex", "hash", "gabor", "null", "unull"].contains(&&*text);
                let near = near(&text, &["perlin", "uperlin", "snoise", "noise", "cell"]);
                self.report(
                    kind.span,
                    CheckError::UnknownNoise {
                        name: text.to_string(),
                        later,
                        near,
                    },
                );
                return None;
            }
        };
        // What follows the coordinates is options by name, which these kinds have none of.
        if let Some(first) = given.iter().position(|g| g.ty() == Some(Type::STRING)) {
            given.truncate(first);
        }
        self.call_named(name, given, expected, span)
    }

    /// `getattribute(name, value)` and `getattribute(object, name, value)`
    fn attribute(&mut self, args: &'a [Argument], span: Span) -> Option<Value> {
        let mut given = self.arguments(args)?;
        let is_string = |g: &Given<'_>| g.ty() == Some(Type::STRING);
        let fits = (given.len() == 2 || given.len() == 3) && given[..given.len() - 1].iter().all(is_string);
        let target = given.pop();
        let Some((place, expr)) = target.as_ref().and_then(Given::place).filter(|_| fits) else {
            self.report(
                span,
                CheckError::BadForm {
                    form: "getattribute(\"name\", variable) or getattribute(\"object\", \"name\", variable)",
                },
            );
            return None;
        };
        let place = place.clone();
        self.mark_written(expr);
        if !self.check_writable(&place, expr.span) {
            return None;
        }
        let is_simple =
            !place.ty.is_array() && !matches!(place.ty.base, Base::Struct(_) | Base::Closure | Base::Void);
        if !is_simple {
            let found = self.show(place.ty);
            self.report(
                expr.span,
                CheckError::NotYet {
                    what: format!("an attribute of type {found}"),
                },
            );
            return None;
        }
        let mut names = vec![];
        if given.len() == 1 {
            names.push(self.string(""));
        }
        for given in &given {
            names.push(self.given_as(given, Type::STRING)?.leaf());
        }
        let found = self.emit_builtin(Builtin::HasAttribute, names.clone(), Type::INT, span);
        let then = self.block(span, |c| {
            let value = c.emit_value(Op::AttributeValue, names, place.ty, span);
            c.write(&place, value, span);
        });
        self.push(
            Stmt::If {
                condition: found.leaf(),
                then,
                otherwise: vec![],
            },
            span,
        );
        Some(found)
    }

    fn array_length_call(&mut self, args: &'a [Argument], span: Span) -> Option<Value> {
        let given = self.arguments(args)?;
        let length = match given.as_slice() {
            [only] => match only.ty()?.length {
                Length::Array(n) => Some(n as i32),
                Length::Unsized => Some(1),
                Length::Single => None,
            },
            _ => None,
        };
        if let Some((_, expr)) = given.first().and_then(Given::place) {
            self.mark_written(expr);
            self.mark_read(expr);
        }
        match length {
            Some(length) => Some(Value::new(Type::INT, self.int(length))),
            None => {
                self.report(
                    span,
                    CheckError::BadForm {
                        form: "arraylength(array)",
                    },
                );
                None
            }
        }
    }

    /// Derivatives are zero until they are computed; that is said where they are asked for.
    fn derivative(&mut self, name: &str, args: &'a [Argument], span: Span) -> Option<Value> {
        let given = self.arguments(args)?;
        let [of] = given.as_slice() else {
            self.report(
                span,
                CheckError::BadForm {
                    form: "Dx(value), Dy(value), Dz(value) or filterwidth(value)",
                },
            );
            return None;
        };
        let value = self.given_value(of)?;
        let result = match value.ty {
            Type::INT | Type::FLOAT => Type::FLOAT,
            Type::POINT | Type::NORMAL | Type::VECTOR => Type::VECTOR,
            Type::COLOR => Type::COLOR,
            ty => {
                let found = self.show(ty);
                self.report(of.span, CheckError::NoDerivative { found });
                return None;
            }
        };
        self.warn(
            span,
            Warning::NoDerivativesYet {
                name: name.to_owned(),
            },
        );
        Some(self.zero(result))
    }

    fn calculate_normal(&mut self, args: &'a [Argument], span: Span) -> Option<Value> {
        let given = self.arguments(args)?;
        let [of] = given.as_slice() else {
            self.report(
                span,
                CheckError::BadForm {
                    form: "calculatenormal(point)",
                },
            );
            return None;
        };
        self.given_as(of, Type::POINT)?;
        self.warn(
            span,
            Warning::NoDerivativesYet {
                name: "calculatenormal".to_owned(),
            },
        );
        Some(Value::new(
            Type::VECTOR,
            Operand::Local(self.global(Global::Ng, span)),
        ))
    }

    /// `exit()` ends the unit.
    fn exit(&mut self, args: &'a [Argument], span: Span) -> Option<Value> {
        if !args.is_empty() {
            self.report(span, CheckError::BadForm { form: "exit()" });
        }
        let is_reachable = !self.body.in_default && !self.is_apart;
        match self.unit_scope.filter(|_| is_reachable) {
            Some(scope) => self.push(Stmt::Leave(scope), span),
            None if self.alone.is_some() => {}
            None => self.report(
                span,
                CheckError::NotYet {
                    what: "`exit` here".to_owned(),
                },
            ),
        }
        Some(Value::void())
    }
}
