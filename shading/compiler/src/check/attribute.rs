//! `getattribute` of the host and of the shader itself; `trace` with its options.
//!
//! `getattribute` fills an array of two to four floats from any attribute of up to four floats.

use super::argument::CallArgument;
use super::error::CheckError;
use super::lvalue::{Access, Lvalue};
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Builtin;
use crate::eval::FAR;
use crate::hir::kind::Element;
use crate::hir::{Kind, Op, Operand, Stmt};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::Argument;
use shading_syntax::preprocess::OSL_VERSION;
use shading_syntax::source::Span;

const ATTRIBUTE: &str = "getattribute(\"name\", variable) or getattribute(\"object\", \"name\", variable), with an \
                         index before the variable if wanted";
const VALUE: &str = "attribute(\"name\") or attribute(\"name\", value where there is none)";
/// Options of `trace` with their types, in the order of the operands of [`Builtin::Trace`].
const TRACE_OPTIONS: [(&str, Type); 4] = [
    ("mindist", Type::FLOAT),
    ("maxdist", Type::FLOAT),
    ("shade", Type::INT),
    ("traceset", Type::STRING),
];
const DICT_VALUE: &str = "dict_value(node, \"attribute\", variable)";

impl<'a> Checker<'a> {
    /// `getattribute(name, value)`, `getattribute(object, name, value)`, and both forms with an index before the value.
    pub(super) fn attribute(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let target = given.pop();
        let index = match given.last().and_then(CallArgument::ty) {
            Some(Type::INT) => given.pop(),
            _ => None,
        };
        let is_string = |g: &CallArgument<'_>| g.ty() == Some(Type::STRING);
        let fits = matches!(given.len(), 1 | 2) && given.iter().all(is_string);
        let (place, expr) = self.result_variable(target.filter(|_| fits).as_ref(), ATTRIBUTE, span)?;
        if place.ty.base == Base::Closure {
            self.warn(expr.span, Warning::NoClosureAttributes);
            return Some(TypedValue::new(Type::INT, self.int(0)));
        }
        let Some(kind) = Kind::of(place.ty) else {
            let found = self.show(place.ty);
            self.report(expr.span, CheckError::NotAttribute(found));
            return None;
        };
        let own = given.last().and_then(|name| self.given_string(name));
        let own = own.filter(|_| index.is_none() && given.len() == 1);
        let known = match (own.as_deref(), place.ty) {
            (Some("shader:shadername"), Type::STRING) => {
                self.unit_name.clone().map(|unit| self.string(&unit))
            }
            (Some("osl:version"), Type::INT) => Some(self.int(OSL_VERSION)),
            _ => None,
        };
        if let Some(known) = known {
            self.write(&place, TypedValue::new(place.ty, known), span);
            return Some(TypedValue::new(Type::INT, self.int(1)));
        }
        let mut names = vec![];
        if given.len() == 1 {
            names.push(self.string(""));
        }
        for given in &given {
            names.push(self.given_as(given, Type::STRING)?.leaf());
        }
        let index = match index {
            Some(index) => Some(self.given_as(&index, Type::INT)?.leaf()),
            None => None,
        };
        Some(self.read_attribute(names, kind, index, &place, span))
    }

    /// `attribute("name")`, `attribute("name", otherwise)`: an attribute of the geometry as a value. Its type is that of
    /// `otherwise`, or else the expected type, or else color. An int `otherwise` is converted to float unless an int is
    /// expected.
    pub(super) fn attribute_value(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let (name, otherwise) = match args {
            [name] => (name, None),
            [name, otherwise] => (name, Some(otherwise)),
            _ => {
                self.report(span, CheckError::BadForm(VALUE));
                return None;
            }
        };
        let name = self
            .value(&name.value, Some(Type::STRING))
            .and_then(|value| self.fit(&value, Type::STRING, span))?;
        let has_default = otherwise.is_some();
        let otherwise = match otherwise {
            Some(otherwise) => {
                let value = self.value(&otherwise.value, expected)?;
                let expects_float = expected.is_some_and(|ty| !ty.is_array() && ty != Type::INT);
                let is_whole = self.is_whole_number(&value) && expected != Some(Type::INT);
                if value.ty == Type::INT && (expects_float || is_whole) {
                    self.convert(&value, Type::FLOAT, span)
                } else {
                    value
                }
            }
            None => {
                let is_open = |ty: &Type| ty.length == Length::Unsized;
                let ty = expected.filter(|ty| !is_open(ty)).unwrap_or(Type::COLOR);
                self.zero(ty)
            }
        };
        let ty = otherwise.ty;
        let Some(kind) = Kind::of(ty).filter(|_| ty.base != Base::Closure) else {
            let found = self.show(ty);
            self.report(span, CheckError::NotAttribute(found));
            return None;
        };
        let locals = self.locals("", ty);
        let place = Lvalue::whole(ty, locals, Access::Writable);
        let names = vec![self.string(""), name.leaf()];
        // A separate branch for the default marks the attribute as optional.
        let default = self.block(span, |c| {
            c.write(&place, otherwise, span);
        });
        let is_short = matches!(kind, Kind::Array(Element::Float, 2..=4));
        if is_short || !has_default {
            self.body.block.extend(default);
            self.read_attribute(names, kind, None, &place, span);
            return self.read(&place, span);
        }
        self.read_attribute(names, kind, None, &place, span);
        if let Some(Stmt::If { otherwise, .. }) = self.body.block.last_mut() {
            *otherwise = default;
        }
        self.read(&place, span)
    }

    /// Returns the value of a global of the embedder, which is read-only.
    pub(super) fn host_global(&mut self, name: &str, span: Span) -> Option<Lvalue> {
        let ty = self.host_globals.iter().find(|global| global.name() == name)?.ty();
        let names = vec![self.string(""), self.string(name)];
        let mut place = match Kind::of(ty) {
            Some(Kind::INT | Kind::FLOAT | Kind::TRIPLE) => {
                let value = self.emit_value(Op::AttributeValue, names, ty, span);
                self.materialise(value, span)
            }
            kind => self.large_attribute(names, kind?, ty, span),
        };
        place.access = Access::Constant(name.to_owned());
        Some(place)
    }

    /// Reads an attribute other than an int, float or triple into a new variable, which is zero if the attribute does not
    /// exist.
    pub(super) fn large_attribute(
        &mut self,
        names: Vec<Operand>,
        kind: Kind,
        ty: Type,
        span: Span,
    ) -> Lvalue {
        let locals = self.locals("", ty);
        let place = Lvalue::whole(ty, locals, Access::Writable);
        let zero = self.zero(ty);
        self.write(&place, zero, span);
        self.read_attribute(names, kind, None, &place, span);
        place
    }

    /// Reads an attribute into a variable, if it exists; returns whether it does.
    fn read_attribute(
        &mut self,
        names: Vec<Operand>,
        kind: Kind,
        index: Option<Operand>,
        place: &Lvalue,
        span: Span,
    ) -> TypedValue {
        let is_small = matches!(kind, Kind::INT | Kind::FLOAT | Kind::TRIPLE) && index.is_none();
        if is_small {
            return self.found_attribute(
                [Op::Builtin(Builtin::HasAttribute), Op::AttributeValue],
                names,
                place,
                span,
            );
        }
        let few = match kind {
            Kind::Array(Element::Float, count @ 2..=4) if index.is_none() => Some(count),
            _ => None,
        };
        let index = index.unwrap_or_else(|| self.int(-1));
        let any = [Builtin::HasAnyAttribute, Builtin::AnyAttribute].map(Op::Builtin);
        let query = [&names[..], &[index, self.int(kind.code())]].concat();
        match few {
            None => self.found_attribute(any, query, place, span),
            Some(count) => self.short_float_array(count, names, (any, query), place, span),
        }
    }

    /// Reads an array of two to four floats from an attribute of up to four floats, or else from an array attribute of this
    /// length.
    fn short_float_array(
        &mut self,
        count: u32,
        names: Vec<Operand>,
        (any, query): ([Op; 2], Vec<Operand>),
        place: &Lvalue,
        span: Span,
    ) -> TypedValue {
        let found = self.body.local("found", Type::INT);
        let small = self.emit_value(Op::Builtin(Builtin::HasAttribute), names.clone(), Type::INT, span);
        self.store(found, small.leaf(), span);
        let then = self.block(span, |c| {
            let lanes = c.lanes_of_attribute(count, names, place.ty, span);
            c.write(place, lanes, span);
        });
        let otherwise = self.block(span, |c| {
            let whole = c.found_attribute(any, query, place, span);
            c.store(found, whole.leaf(), span);
        });
        let condition = Operand::Local(found);
        self.push(Stmt::If { condition, then, otherwise }, span);
        TypedValue::new(Type::INT, Operand::Local(found))
    }

    /// Reads the first floats of an attribute of up to four floats; the first three have derivatives.
    fn lanes_of_attribute(&mut self, count: u32, names: Vec<Operand>, ty: Type, span: Span) -> TypedValue {
        let triple = self.emit(Op::AttributeValue, names.clone(), Type::VECTOR, span);
        let mut lanes = vec![];
        for i in 0..count {
            let index = self.int(i as i32);
            lanes.push(if i < 3 {
                self.emit(Op::TripleGet, vec![triple, index], Type::FLOAT, span)
            } else {
                let four = Type::array(Base::Float, 4);
                let all = self.emit(Op::AttributeValue, names.clone(), four, span);
                self.emit(Op::ArrayGet, vec![all, index], Type::FLOAT, span)
            });
        }
        self.emit_value(Op::MakeArray, lanes, ty, span)
    }

    /// `dict_value(node, attribute, variable)`
    pub(super) fn dict_value(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let given = self.arguments(args)?;
        let [node, name, target] = given.as_slice() else {
            self.report(span, CheckError::BadForm(DICT_VALUE));
            return None;
        };
        let (place, expr) = self.result_variable(Some(target), DICT_VALUE, span)?;
        let Some(kind) = Kind::of(place.ty).filter(|_| place.ty.base != Base::Closure) else {
            let found = self.show(place.ty);
            self.report(expr.span, CheckError::NotAttribute(found));
            return None;
        };
        let node = self.given_as(node, Type::INT)?.leaf();
        let name = self.given_as(name, Type::STRING)?.leaf();
        let operands = vec![node, name, self.int(kind.code())];
        let ops = [Builtin::HasDictValue, Builtin::DictValue].map(Op::Builtin);
        Some(self.found_attribute(ops, operands, &place, span))
    }

    /// `trace(point, direction, options…)`
    pub(super) fn trace(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let fits = given.len() >= 2 && given.len().is_multiple_of(2);
        if !fits {
            let form = "trace(point, direction, \"option\", value, …)";
            self.report(span, CheckError::BadForm(form));
            return None;
        }
        let options = given.split_off(2);
        let origin = self.given_as(&given[0], Type::POINT)?.leaf();
        let direction = self.given_as(&given[1], Type::VECTOR)?.leaf();
        let defaults = [self.float(0.0), self.float(FAR), self.int(0), self.string("")];
        let mut values: [TypedValue; 4] =
            std::array::from_fn(|i| TypedValue::new(TRACE_OPTIONS[i].1, defaults[i]));
        self.options(&TRACE_OPTIONS, &options, &mut values, |name, near| {
            Warning::TraceOption(name, near)
        })?;
        let mut operands = vec![origin, direction];
        operands.extend(values.iter().map(TypedValue::leaf));
        Some(self.emit_builtin(Builtin::Trace, operands, Type::INT, span))
    }

    /// Tests whether an attribute exists, and reads it if so.
    fn found_attribute(
        &mut self,
        [has, value]: [Op; 2],
        operands: Vec<Operand>,
        place: &Lvalue,
        span: Span,
    ) -> TypedValue {
        let found = self.emit_value(has, operands.clone(), Type::INT, span);
        self.write_result(found, place, span, |c| c.emit_value(value, operands, place.ty, span))
    }
}
