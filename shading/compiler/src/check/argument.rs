//! Arguments of calls before overload resolution.

use super::conversion::conversion_rank;
use super::error::CheckError;
use super::lvalue::Lvalue;
use super::{Checker, TypedValue};
use crate::hir::{Const, Operand, Stmt};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{Argument, Expr, ExprKind};
use shading_syntax::source::Span;

/// An argument.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub(super) span: Span,
    kind: GivenKind<'a>,
}

#[derive(Clone, Debug)]
enum GivenKind<'a> {
    /// Something that could be written; it is read only once it is known that it will not be.
    Lvalue(Lvalue, &'a Expr),
    /// A value.
    Value(TypedValue),
    /// `{ a, b }`, whose type is the parameter's, with the shape that decides among overloads.
    Braces(&'a [Expr], Vec<Shape>),
}

/// What an element of `{ … }` is.
#[derive(Clone, Debug)]
enum Shape {
    /// An expression of that type; `None` where it has a mistake.
    Value(Option<Type>),
    /// `{ … }` itself.
    Braces(Vec<Shape>),
}

impl<'a> Given<'a> {
    /// A value as an argument.
    pub(super) fn value(value: TypedValue, span: Span) -> Given<'a> {
        Given {
            span,
            kind: GivenKind::Value(value),
        }
    }

    /// Its type; braces have none.
    pub(super) fn ty(&self) -> Option<Type> {
        match &self.kind {
            GivenKind::Lvalue(place, _) => Some(place.ty),
            GivenKind::Value(value) => Some(value.ty),
            GivenKind::Braces(..) => None,
        }
    }

    /// The place, of an argument that is one and can be written.
    pub(super) fn place(&self) -> Option<(&Lvalue, &'a Expr)> {
        match &self.kind {
            GivenKind::Lvalue(place, expr) => Some((place, expr)),
            GivenKind::Value(_) | GivenKind::Braces(..) => None,
        }
    }

    /// The operand of a value that is no structure.
    pub(super) fn operand(&self) -> Option<Operand> {
        match &self.kind {
            GivenKind::Value(value) if value.leaves.len() == 1 => Some(value.leaf()),
            _ => None,
        }
    }
}

impl<'a> Checker<'a> {
    /// The variable that a call answers in, with its expression; `form` is how such a call is written.
    pub(super) fn answered(
        &mut self,
        target: Option<&Given<'a>>,
        form: &'static str,
        span: Span,
    ) -> Option<(Lvalue, &'a Expr)> {
        let Some((place, expr)) = target.and_then(Given::place) else {
            self.report(span, CheckError::BadForm { form });
            return None;
        };
        self.mark_written(expr);
        self.check_writable(place, expr.span)
            .then(|| (place.clone(), expr))
    }

    /// Writes the answer of a call to its variable where there is one; gives whether there is, as the call does.
    pub(super) fn answer(
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

    /// Pushes statements that run where `condition` is not 0.
    pub(super) fn push_if(&mut self, condition: Operand, span: Span, then: impl FnOnce(&mut Self)) {
        let then = self.block(span, then);
        let otherwise = vec![];
        self.push(
            Stmt::If {
                condition,
                then,
                otherwise,
            },
            span,
        );
    }

    /// The arguments of a call of which a type is expected. As in OSL it is expected of the arguments too: in
    /// `color c = sin(noise(P))` the noise is a colour. Where no function takes them so, they are what they are alone.
    pub(super) fn arguments_of(
        &mut self,
        name: &str,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<Vec<Given<'a>>> {
        if expected.is_none() || !args.iter().any(|arg| has_call(&arg.value)) {
            return self.arguments(args);
        }
        let mut given = None;
        let block = self.block(span, |c| given = c.arguments_as(args, expected));
        let fits = given
            .as_ref()
            .is_none_or(|given| takes_any(name) || self.fits_function(name, given));
        if !fits {
            return self.arguments(args);
        }
        self.body.block.extend(block);
        given
    }

    /// The arguments, where all of them are known.
    pub(super) fn arguments(&mut self, args: &'a [Argument]) -> Option<Vec<Given<'a>>> {
        self.arguments_as(args, None)
    }

    fn arguments_as(&mut self, args: &'a [Argument], expected: Option<Type>) -> Option<Vec<Given<'a>>> {
        let mut list = vec![];
        for arg in args {
            if let Some(name) = &arg.name {
                self.report(name.span, CheckError::NamedArgument);
            }
            list.push(self.argument(&arg.value, expected));
        }
        list.into_iter().collect()
    }

    /// One argument.
    fn argument(&mut self, expr: &'a Expr, expected: Option<Type>) -> Option<Given<'a>> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Braces(elements) => GivenKind::Braces(elements, self.shapes(elements)),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
                match self.constant_name(expr) {
                    Some(value) => GivenKind::Value(value),
                    None => GivenKind::Lvalue(self.place(expr)?, expr),
                }
            }
            _ => GivenKind::Value(self.value(expr, expected)?),
        };
        Some(Given { span, kind })
    }

    /// The shapes of elements. Their types are found by making code that is thrown away.
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

    /// The type of an expression. Says nothing.
    pub(super) fn type_of(&mut self, expr: &'a Expr) -> Option<Type> {
        let failed = self.failed.take();
        let mut ty = None;
        self.quiet += 1;
        self.block(expr.span, |c| ty = c.value(expr, None).map(|value| value.ty));
        self.quiet -= 1;
        self.failed = failed;
        ty
    }

    /// Whether `{ … }` with elements of these shapes can make a value of a type.
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
            // What is wrong is reported when the call is made.
            Shape::Value(None) => true,
            Shape::Value(Some(own)) => conversion_rank(*own, ty).is_some(),
        }
    }

    /// The value of an argument of known type.
    pub(super) fn given_value(&mut self, given: &Given<'a>) -> Option<TypedValue> {
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

    /// The value of an argument as the type of its parameter.
    pub(super) fn given_as(&mut self, given: &Given<'a>, ty: Type) -> Option<TypedValue> {
        if let GivenKind::Braces(elements, _) = given.kind {
            return self.braces(elements, ty, given.span);
        }
        let value = self.given_value(given)?;
        self.fit(&value, ty, given.span)
    }

    /// The text of an argument that is a constant string.
    pub(super) fn given_string(&self, given: &Given<'a>) -> Option<std::sync::Arc<str>> {
        self.body.known_string(given.operand()?)
    }

    /// How well an argument does for a parameter.
    pub(super) fn argument_rank(&self, given: &Given<'a>, ty: Type, output: bool) -> Option<u32> {
        use super::conversion::rank;
        if let GivenKind::Braces(_, shapes) = &given.kind {
            return (!output && self.takes_braces(shapes, ty)).then_some(rank::EXACT);
        }
        let own = given.ty()?;
        if output {
            // By reference: what is written must fit as it is.
            return conversion_rank(own, ty).filter(|r| !matches!(*r, rank::PROMOTION | rank::SPREAD));
        }
        if ty == Type::CLOSURE && own != ty {
            let is_zero = matches!(self.body.known(given.operand()?), Some(Const::Int(0)));
            return is_zero.then_some(rank::SPREAD);
        }
        // A shorter array is only assigned.
        let is_longer = matches!((own.length, ty.length), (Length::Array(n), Length::Array(m)) if n < m);
        conversion_rank(own, ty).filter(|_| !is_longer)
    }
}

/// Whether a form of the language has no signatures to be compared with.
fn takes_any(name: &str) -> bool {
    matches!(name, "transform" | "Dx" | "Dy" | "Dz") || is_noise(name)
}

/// Whether an expression calls a function, which may be chosen by its result.
fn has_call(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Call { .. });
    expr.for_each_operand(&mut |operand| found |= has_call(operand));
    found
}

/// Whether a name is that of a noise.
pub(super) fn is_noise(name: &str) -> bool {
    matches!(
        name,
        "noise" | "snoise" | "cellnoise" | "hashnoise" | "pnoise" | "psnoise"
    )
}
