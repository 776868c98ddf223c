//! Constructors: `color(…)`, `matrix(…)`, `float(…)`, structures.

use super::argument::CallArgument;
use super::conversion::{can_cast, conversion_rank};
use super::error::CheckError;
use super::{Checker, TypedValue};
use crate::hir::{Const, Op, Operand};
use crate::ty::{Base, Type};
use shading_syntax::ast::{Argument, TypeName};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// `type(args)`
    pub(super) fn construct(
        &mut self,
        ty: &'a TypeName,
        args: &'a [Argument],
        span: Span,
    ) -> Option<TypedValue> {
        let ty = self.resolve(ty, None);
        // Each of several arguments is a float, which selects the noise overload.
        let expected = if args.len() == 1 { ty } else { Some(Type::FLOAT) };
        let mut given = vec![];
        for arg in args {
            if let Some(name) = &arg.name {
                self.report(name.span, CheckError::NamedArgument);
            }
            given.push(self.value(&arg.value, expected).map(|v| CallArgument::value(v, arg.value.span)));
        }
        let given: Vec<CallArgument<'a>> = given.into_iter().collect::<Option<_>>()?;
        let ty = ty?;
        let named = given.first().and_then(CallArgument::ty) == Some(Type::STRING);
        match ty.base {
            base if base.is_triple() && named => self.triple_in_space(ty, &given, span),
            Base::Matrix if named => self.matrix_in_space(&given, span),
            base if base.is_triple() && given.len() == 3 => self.build_from(ty, &given, span),
            Base::Matrix if given.len() == 16 => self.build_from(ty, &given, span),
            _ => self.convert_one(ty, &given, span),
        }
    }

    /// Builds a triple or matrix from floats.
    pub(super) fn build_from(
        &mut self,
        ty: Type,
        given: &[CallArgument<'a>],
        span: Span,
    ) -> Option<TypedValue> {
        let mut leaves = vec![];
        let mut is_whole = true;
        for given in given {
            match self.given_as(given, Type::FLOAT) {
                Some(value) => leaves.push(value.leaf()),
                None => is_whole = false,
            }
        }
        is_whole.then(|| self.build(ty, leaves, span))
    }

    /// Builds a triple or matrix from float operands; a constant if all operands are.
    pub(super) fn build(&mut self, ty: Type, leaves: Vec<Operand>, span: Span) -> TypedValue {
        let known: Option<Vec<f32>> = leaves
            .iter()
            .map(|leaf| match self.body.known(*leaf) {
                Some(Const::Float(f)) => Some(*f),
                _ => None,
            })
            .collect();
        let constant = match known.as_deref() {
            Some(&[x, y, z]) => Some(Const::Triple([x, y, z])),
            Some(known) => <[f32; 16]>::try_from(known).ok().map(Const::Matrix),
            None => None,
        };
        if let Some(constant) = constant {
            return TypedValue::new(ty, self.body.constant(constant));
        }
        let op = if ty.base == Base::Matrix { Op::MakeMatrix } else { Op::MakeTriple };
        self.emit_value(op, leaves, ty, span)
    }

    /// `float(x)`, `color(x)`: a conversion.
    fn convert_one(&mut self, ty: Type, given: &[CallArgument<'a>], span: Span) -> Option<TypedValue> {
        let [only] = given else {
            let (name, found) = (self.show(ty), given.len());
            self.report(span, CheckError::BadConstructor(name, found));
            return None;
        };
        let value = self.given_value(only)?;
        if conversion_rank(value.ty, ty).is_some() || can_cast(value.ty, ty) {
            return Some(self.convert(&value, ty, span));
        }
        let (from, to) = (self.show(value.ty), self.show(ty));
        self.report(only.span, CheckError::NoCast { from, to });
        None
    }

    /// `structure(a, b)`
    pub(super) fn construct_struct(
        &mut self,
        ty: Type,
        args: &'a [Argument],
        span: Span,
    ) -> Option<TypedValue> {
        let fields = self.structure(ty.base)?.fields.clone();
        if args.len() != fields.len() {
            let (name, expected, found) = (self.show(ty), fields.len(), args.len());
            let shown: Vec<String> =
                fields.iter().map(|f| format!("{} {}", self.show(f.ty), f.name)).collect();
            let candidates = vec![format!("{name}({})", shown.join(", "))];
            self.report(span, CheckError::ArgumentCount { name, expected, found, candidates });
            return None;
        }
        let mut leaves = vec![];
        let mut is_whole = true;
        for (arg, field) in args.iter().zip(&fields) {
            match self.initial(&arg.value, field.ty) {
                Some(value) => leaves.extend(value.leaves),
                None => is_whole = false,
            }
        }
        is_whole.then_some(TypedValue { ty, leaves })
    }
}
