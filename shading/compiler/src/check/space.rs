//! Named coordinate and colour spaces: `transform`, and constructors with a space's name.

use super::argument::CallArgument;
use super::conversion::near;
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Builtin;
use crate::hir::{Op, Operand};
use crate::ty::{Base, Type};
use shading_syntax::source::Span;

const SPACES: [&str; 9] =
    ["common", "world", "camera", "object", "shader", "screen", "NDC", "raster", "model"];

impl<'a> Checker<'a> {
    /// `transform(matrix, p)`, `transform("to", p)`, `transform("from", "to", p)`
    pub(super) fn transform(&mut self, given: Vec<CallArgument<'a>>, span: Span) -> Option<TypedValue> {
        let is_string = |g: &CallArgument<'a>| g.ty() == Some(Type::STRING);
        let (from, to, of) = match given.as_slice() {
            [to, of] if is_string(to) => (None, to, of),
            [from, to, of] if is_string(from) && is_string(to) => (Some(from), to, of),
            _ => return self.call_named("transform", given, None, span),
        };
        let from = match from {
            Some(from) => self.given_as(from, Type::STRING)?.leaf(),
            None => self.string("common"),
        };
        let to = self.given_as(to, Type::STRING)?.leaf();
        let value = self.given_value(of)?;
        self.transform_value(from, to, &value, of.span)
    }

    /// Transforms a point, vector or normal from one space to another.
    fn transform_value(
        &mut self,
        from: Operand,
        to: Operand,
        value: &TypedValue,
        span: Span,
    ) -> Option<TypedValue> {
        let builtin = match value.ty {
            Type::POINT => Builtin::TransformPoint,
            Type::VECTOR => Builtin::TransformVector,
            Type::NORMAL => Builtin::TransformNormal,
            ty => {
                let found = self.show(ty);
                self.report(span, CheckError::NotTransformable(found));
                return None;
            }
        };
        if from == to {
            return Some(value.clone());
        }
        let matrix = self.space_matrix(from, to, span);
        Some(self.emit_builtin(builtin, vec![matrix, value.leaf()], value.ty, span))
    }

    fn space_matrix(&mut self, from: Operand, to: Operand, span: Span) -> Operand {
        for space in [from, to] {
            self.check_space(space, span);
        }
        self.emit_builtin(Builtin::SpaceMatrix, vec![from, to], Type::MATRIX, span)
            .leaf()
    }

    /// Warns of a constant name that is nearly that of a space. Others may be spaces of the renderer.
    fn check_space(&mut self, space: Operand, span: Span) {
        let Some(name) = self.body.known_string(space) else {
            return;
        };
        if !SPACES.contains(&&*name)
            && let Some(near) = near(&name, &SPACES)
        {
            let (name, near) = (name.to_string(), Some(near));
            self.warn(span, Warning::UnknownSpace(name, near));
        }
    }

    /// `point("space", x, y, z)`, `color("hsv", h, s, v)`
    pub(super) fn triple_in_space(
        &mut self,
        ty: Type,
        given: &[CallArgument<'a>],
        span: Span,
    ) -> Option<TypedValue> {
        let (space, floats) = given.split_first()?;
        if floats.len() != 3 {
            let (name, found) = (self.show(ty), given.len());
            self.report(span, CheckError::BadConstructor(name, found));
            return None;
        }
        let value = self.build_from(ty, floats, span)?;
        let space_value = self.given_as(space, Type::STRING)?;
        if ty.base == Base::Color {
            let given = vec![CallArgument::value(space_value, space.span), CallArgument::value(value, span)];
            return self.call_named("__color_from", given, Some(Type::COLOR), span);
        }
        let common = self.string("common");
        self.transform_value(space_value.leaf(), common, &value, span)
    }

    /// `matrix("from", "to")`, `matrix("space", f)`, `matrix("space", 16 floats)`
    pub(super) fn matrix_in_space(&mut self, given: &[CallArgument<'a>], span: Span) -> Option<TypedValue> {
        let (space, rest) = given.split_first()?;
        let from = self.given_as(space, Type::STRING)?.leaf();
        let common = self.string("common");
        let inner = match rest {
            [to] if to.ty() == Some(Type::STRING) => {
                let to = self.given_as(to, Type::STRING)?.leaf();
                return Some(TypedValue::new(Type::MATRIX, self.space_matrix(from, to, span)));
            }
            [only] => self.given_as(only, Type::MATRIX)?,
            floats if floats.len() == 16 => self.build_from(Type::MATRIX, floats, span)?,
            _ => {
                self.report(span, CheckError::BadConstructor("matrix".to_owned(), given.len()));
                return None;
            }
        };
        let space = self.space_matrix(from, common, span);
        // Same order as in OSL.
        Some(self.emit_value(Op::Mul, vec![space, inner.leaf()], Type::MATRIX, span))
    }
}
