//! Arguments of calls, before it is known what is called.

use super::error::CheckError;
use super::place::Place;
use super::types::conversion_rank;
use super::{Checker, Value};
use crate::hir::{Const, Operand};
use crate::source::Span;
use crate::syntax::ast::{Argument, Expr, ExprKind};
use crate::ty::{Base, Type};

/// An argument.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub(super) span: Span,
    kind: Kind<'a>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    /// Something that could be written; it is read only once it is known that it will not be.
    Place(Place, &'a Expr),
    /// A value.
    Value(Value),
    /// `{ a, b }`, whose type is the parameter's.
    Braces(&'a [Expr]),
}

impl<'a> Given<'a> {
    /// A value as an argument.
    pub(super) fn value(value: Value, span: Span) -> Given<'a> {
        Given {
            span,
            kind: Kind::Value(value),
        }
    }

    /// Its type; braces have none.
    pub(super) fn ty(&self) -> Option<Type> {
        match &self.kind {
            Kind::Place(place, _) => Some(place.ty),
            Kind::Value(value) => Some(value.ty),
            Kind::Braces(_) => None,
        }
    }

    /// The place, of an argument that is one and can be written.
    pub(super) fn place(&self) -> Option<(&Place, &'a Expr)> {
        match &self.kind {
            Kind::Place(place, expr) => Some((place, expr)),
            Kind::Value(_) | Kind::Braces(_) => None,
        }
    }

    /// The operand of a value that is no structure.
    pub(super) fn operand(&self) -> Option<Operand> {
        match &self.kind {
            Kind::Value(value) if value.leaves.len() == 1 => Some(value.leaf()),
            _ => None,
        }
    }
}

impl<'a> Checker<'a> {
    /// The arguments, where all of them are known.
    pub(super) fn arguments(&mut self, args: &'a [Argument]) -> Option<Vec<Given<'a>>> {
        let mut list = vec![];
        for arg in args {
            if let Some(name) = &arg.name {
                self.report(name.span, CheckError::NamedArgument);
            }
            list.push(self.argument(&arg.value));
        }
        list.into_iter().collect()
    }

    /// One argument.
    pub(super) fn argument(&mut self, expr: &'a Expr) -> Option<Given<'a>> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Braces(elements) => Kind::Braces(elements),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
                match self.constant_name(expr) {
                    Some(value) => Kind::Value(value),
                    None => Kind::Place(self.place(expr)?, expr),
                }
            }
            _ => Kind::Value(self.value(expr, None)?),
        };
        Some(Given { span, kind })
    }

    /// The value of an argument of known type.
    pub(super) fn given_value(&mut self, given: &Given<'a>) -> Option<Value> {
        match &given.kind {
            Kind::Place(place, expr) => {
                self.mark_read(expr);
                self.read(place, given.span)
            }
            Kind::Value(value) => Some(value.clone()),
            Kind::Braces(_) => {
                self.report(given.span, CheckError::BracesWithoutType);
                None
            }
        }
    }

    /// The value of an argument as the type of its parameter.
    pub(super) fn given_as(&mut self, given: &Given<'a>, ty: Type) -> Option<Value> {
        if let Kind::Braces(elements) = given.kind {
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
        use super::types::rank;
        let Some(own) = given.ty() else {
            let takes_braces =
                ty.is_array() || ty.base.is_triple() || matches!(ty.base, Base::Struct(_) | Base::Matrix);
            return (takes_braces && !output).then_some(rank::EXACT);
        };
        if output {
            // By reference: what is written must fit as it is.
            given.place()?;
            return conversion_rank(own, ty).filter(|r| !matches!(*r, rank::PROMOTION | rank::SPREAD));
        }
        if ty == Type::CLOSURE && own != ty {
            let is_zero = matches!(self.body.known(given.operand()?), Some(Const::Int(0)));
            return is_zero.then_some(rank::SPREAD);
        }
        conversion_rank(own, ty)
    }
}
