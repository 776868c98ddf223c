//! Arguments of calls before overload resolution.

use super::conversion::conversion_rank;
use super::error::CheckError;
use super::frame::ANY_TYPE;
use super::lvalue::Lvalue;
use super::{Checker, TypedValue};
use crate::hir::{Const, Operand, Stmt};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{Argument, Expr, ExprKind};
use shading_syntax::source::Span;

/// An argument whose parameter is not yet known.
#[derive(Clone, Debug)]
pub(super) struct CallArgument<'a> {
    pub(super) span: Span,
    kind: GivenKind<'a>,
}

#[derive(Clone, Debug)]
enum GivenKind<'a> {
    /// An argument that could be passed by reference. It is read only once the parameter is known to be an input.
    Lvalue(Lvalue, &'a Expr),
    /// A value.
    Value(TypedValue),
    /// `{ a, b }`, whose type is that of the parameter. The shapes of its elements are used in overload resolution.
    Braces(&'a [Expr], Vec<Shape>),
}

/// Shape of an element of `{ … }`.
#[derive(Clone, Debug)]
enum Shape {
    /// An expression of that type; `None` if it has an error.
    Value(Option<Type>),
    /// A nested `{ … }`.
    Braces(Vec<Shape>),
}

impl<'a> CallArgument<'a> {
    pub(super) fn value(value: TypedValue, span: Span) -> CallArgument<'a> {
        CallArgument { span, kind: GivenKind::Value(value) }
    }

    /// Type of the argument; `None` for braces.
    pub(super) fn ty(&self) -> Option<Type> {
        match &self.kind {
            GivenKind::Lvalue(place, _) => Some(place.ty),
            GivenKind::Value(value) => Some(value.ty),
            GivenKind::Braces(..) => None,
        }
    }

    /// Returns the lvalue of an argument that can be written.
    pub(super) fn place(&self) -> Option<(&Lvalue, &'a Expr)> {
        match &self.kind {
            GivenKind::Lvalue(place, expr) => Some((place, expr)),
            GivenKind::Value(_) | GivenKind::Braces(..) => None,
        }
    }

    pub(super) fn operand(&self) -> Option<Operand> {
        match &self.kind {
            GivenKind::Value(value) if value.leaves.len() == 1 => Some(value.leaf()),
            _ => None,
        }
    }
}

impl<'a> Checker<'a> {
    /// Returns the variable that receives the result of a call, with its expression; `form` is the syntax of the call,
    /// for messages.
    pub(super) fn result_variable(
        &mut self,
        target: Option<&CallArgument<'a>>,
        form: &'static str,
        span: Span,
    ) -> Option<(Lvalue, &'a Expr)> {
        let Some((place, expr)) = target.and_then(CallArgument::place) else {
            self.report(span, CheckError::BadForm(form));
            return None;
        };
        self.mark_written(expr);
        self.check_writable(place, expr.span).then(|| (place.clone(), expr))
    }

    /// Writes the result of a call to its variable if the result exists. The value of the call is whether it exists.
    pub(super) fn write_result(
        &mut self,
        found: TypedValue,
        place: &Lvalue,
        span: Span,
        value: impl FnOnce(&mut Self) -> TypedValue,
    ) -> TypedValue {
        self.push_if(found.leaf(), span, |c| {
            let value = value(c);
            c.write(place, value, span);
        });
        found
    }

    /// Pushes statements that are executed if `condition` is not 0.
    pub(super) fn push_if(&mut self, condition: Operand, span: Span, then: impl FnOnce(&mut Self)) {
        let then = self.block(span, then);
        let otherwise = vec![];
        self.push(Stmt::If { condition, then, otherwise }, span);
    }

    /// Checks the arguments of a call with an expected result type. Like OSL, first checks the arguments with that type: in
    /// `color c = sin(noise(P))` the noise is a colour. If no function accepts these arguments, they are checked without an
    /// expected type.
    pub(super) fn arguments_of(
        &mut self,
        name: &str,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<Vec<CallArgument<'a>>> {
        if expected.is_none() || !args.iter().any(|arg| has_call(&arg.value)) {
            return self.arguments(args);
        }
        if self.are_unfit(name, args, expected) {
            return self.arguments(args);
        }
        let mut given = None;
        let block = self.block(span, |c| given = c.arguments_as(args, expected));
        let fits = given.as_ref().is_none_or(|given| self.takes_arguments(name, given));
        if !fits {
            self.note_unfit(args);
            return self.arguments(args);
        }
        self.body.block.extend(block);
        given
    }

    /// Checks all arguments; `None` if any has an error.
    pub(super) fn arguments(&mut self, args: &'a [Argument]) -> Option<Vec<CallArgument<'a>>> {
        self.arguments_as(args, None)
    }

    /// Returns whether a function accepts the arguments, or accepts any arguments.
    pub(super) fn takes_arguments(&mut self, name: &str, given: &[CallArgument<'a>]) -> bool {
        takes_any(name) || self.fits_function(name, given)
    }

    pub(super) fn arguments_as(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
    ) -> Option<Vec<CallArgument<'a>>> {
        let mut list = vec![];
        for arg in args {
            if let Some(name) = &arg.name {
                self.report(name.span, CheckError::NamedArgument);
            }
            list.push(self.argument(&arg.value, expected));
        }
        list.into_iter().collect()
    }

    fn argument(&mut self, expr: &'a Expr, expected: Option<Type>) -> Option<CallArgument<'a>> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Braces(elements) => GivenKind::Braces(elements, self.shapes(elements)),
            ExprKind::List(elements) if self.in_group => GivenKind::Braces(elements, self.shapes(elements)),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
                match self.constant_name(expr) {
                    Some(value) => GivenKind::Value(value),
                    None => GivenKind::Lvalue(self.place(expr)?, expr),
                }
            }
            _ => GivenKind::Value(self.value(expr, expected)?),
        };
        Some(CallArgument { span, kind })
    }

    /// Returns the shapes of elements. Their types are found by code that is generated and discarded.
    fn shapes(&mut self, elements: &'a [Expr]) -> Vec<Shape> {
        let mut list = vec![];
        for element in elements {
            list.push(match &element.kind {
                ExprKind::Braces(inner) => Shape::Braces(self.shapes(inner)),
                ExprKind::Int(_) => Shape::Value(Some(Type::INT)),
                ExprKind::Float(_) => Shape::Value(Some(Type::FLOAT)),
                ExprKind::String(_) => Shape::Value(Some(Type::STRING)),
                _ => Shape::Value(self.type_of(element)),
            });
        }
        list
    }

    /// Returns whether `{ … }` with elements of these shapes can initialise a value of a type.
    fn takes_braces(&self, shapes: &[Shape], ty: Type) -> bool {
        let all_take = |element: Type| shapes.iter().all(|shape| self.takes_shape(shape, element));
        match ty.length {
            Length::Array(n) => return shapes.len() <= n as usize && all_take(ty.element()),
            Length::Unsized => return all_take(ty.element()),
            Length::Single => {}
        }
        if let Some(info) = self.structure(ty.base) {
            let mut pairs = shapes.iter().zip(&info.fields);
            return shapes.len() == info.fields.len()
                && pairs.all(|(shape, field)| self.takes_shape(shape, field.ty));
        }
        let in_space = matches!(shapes.first(), Some(Shape::Value(Some(Type::STRING))));
        let count = shapes.len() - usize::from(in_space);
        let floats = &shapes[usize::from(in_space)..];
        let are_floats = floats.iter().all(|shape| self.takes_shape(shape, Type::FLOAT));
        match ty.base {
            base if base.is_triple() => are_floats && (count == 3 || count == 1 && !in_space),
            Base::Matrix => are_floats && (count == 16 || count == 1),
            _ => false,
        }
    }

    fn takes_shape(&self, shape: &Shape, ty: Type) -> bool {
        match shape {
            Shape::Braces(shapes) => self.takes_braces(shapes, ty),
            // Errors are reported when the call is lowered.
            Shape::Value(None) => true,
            Shape::Value(Some(own)) => conversion_rank(*own, ty).is_some(),
        }
    }

    pub(super) fn given_value(&mut self, given: &CallArgument<'a>) -> Option<TypedValue> {
        match &given.kind {
            GivenKind::Lvalue(place, expr) => {
                self.mark_read(expr);
                self.read(place, given.span)
            }
            GivenKind::Value(value) => Some(value.clone()),
            GivenKind::Braces(..) => {
                self.report(given.span, CheckError::BracesWithoutType);
                None
            }
        }
    }

    /// Returns the value of an argument, converted to the type of its parameter, if that has one.
    pub(super) fn given_as(&mut self, given: &CallArgument<'a>, ty: Type) -> Option<TypedValue> {
        if let GivenKind::Braces(elements, _) = given.kind {
            return match ty {
                ANY_TYPE => self.open_list(elements, given.span),
                ty => self.braces(elements, ty, given.span),
            };
        }
        let value = self.given_value(given)?;
        if ty == ANY_TYPE {
            return Some(value);
        }
        self.fit(&value, ty, given.span)
    }

    /// Returns the text of an argument that is a constant string.
    pub(super) fn given_string(&self, given: &CallArgument<'a>) -> Option<std::sync::Arc<str>> {
        self.body.known_string(given.operand()?)
    }

    /// Returns the conversion rank of an argument for a parameter type.
    pub(super) fn argument_rank(&self, given: &CallArgument<'a>, ty: Type, output: bool) -> Option<u32> {
        use super::conversion::rank;
        if let GivenKind::Braces(_, shapes) = &given.kind {
            if ty == ANY_TYPE {
                return (!output && is_list(shapes)).then_some(rank::ANY);
            }
            return (!output && self.takes_braces(shapes, ty)).then_some(rank::EXACT);
        }
        let own = given.ty()?;
        if ty == ANY_TYPE {
            return Some(rank::ANY);
        }
        if output {
            // The argument is passed by reference, so its type must be able to hold the result without conversion.
            return conversion_rank(own, ty).filter(|r| !matches!(*r, rank::PROMOTION | rank::SPREAD));
        }
        if ty == Type::CLOSURE && own != ty {
            let is_zero = matches!(self.body.known(given.operand()?), Some(Const::Int(0)));
            return is_zero.then_some(rank::SPREAD);
        }
        // A shorter array fits in assignments only.
        let is_longer = matches!((own.length, ty.length), (Length::Array(n), Length::Array(m)) if n < m);
        conversion_rank(own, ty).filter(|_| !is_longer)
    }
}

/// Returns whether elements of these shapes form an array: at least one, and none in braces.
fn is_list(shapes: &[Shape]) -> bool {
    !shapes.is_empty() && shapes.iter().all(|shape| matches!(shape, Shape::Value(_)))
}

/// Returns whether a special form accepts arguments of all types.
fn takes_any(name: &str) -> bool {
    matches!(name, "transform" | "Dx" | "Dy" | "Dz") || is_noise(name)
}

/// Returns whether an expression contains a call, whose overload may depend on the expected type.
fn has_call(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Call { .. });
    expr.for_each_operand(&mut |operand| found |= has_call(operand));
    found
}

pub(super) fn is_noise(name: &str) -> bool {
    matches!(name, "noise" | "snoise" | "cellnoise" | "hashnoise" | "pnoise" | "psnoise")
}
