//! Literals and predefined constants.

use super::argument::CallArgument;
use super::error::CheckError;
use super::named_constant::named_constant;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::eval::color_system::ColorSystem;
use crate::hir::{Const, Op, Operand};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{Expr, ExprKind};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Returns the value of a named constant. The prelude computes the constants that depend on the colour system.
    pub(super) fn constant_named(&mut self, name: &str) -> Option<TypedValue> {
        if let Some(value) = named_constant(name) {
            return Some(TypedValue::new(Type::FLOAT, self.float(value)));
        }
        if self.prelude_call.is_none() || !name.starts_with("__") {
            return None;
        }
        if name == "__P" {
            // The shading point itself, even if the unit has assigned to `P`.
            let span = self.prelude_call.unwrap_or_default();
            return Some(self.emit_value(Op::Global(Global::P), vec![], Type::POINT, span));
        }
        let (system, plain) = (self.color_system, ColorSystem::Rec709);
        let (ty, value) = match name {
            "__SYSTEM" => (Type::INT, Const::Int(system.number())),
            "__SYSTEM_NAME" => (Type::STRING, Const::String(system.name().into())),
            "__LUMINANCE" => (Type::VECTOR, Const::Triple(system.luminance())),
            "__XYZ_FROM_RGB" => (Type::MATRIX, Const::Matrix(system.xyz_from_rgb())),
            "__RGB_FROM_XYZ" => (Type::MATRIX, Const::Matrix(system.rgb_from_xyz())),
            "__XYZ_FROM_709" => (Type::MATRIX, Const::Matrix(plain.xyz_from_rgb())),
            "__709_FROM_XYZ" => (Type::MATRIX, Const::Matrix(plain.rgb_from_xyz())),
            _ => return None,
        };
        Some(TypedValue::new(ty, self.body.constant(value)))
    }

    pub(super) fn int_literal(&mut self, value: i64, span: Span) -> TypedValue {
        if i32::try_from(value).is_err() {
            // A number of a scene or a group is an int only if an int is expected. If it is then out of range, it is an
            // error.
            if self.in_group {
                return TypedValue::new(Type::FLOAT, self.float(value as f32));
            }
            // 2147483648 may be the operand of a negation, and many texts use it for its bits.
            if value == 1 << 31 {
                let wrapped = value as i32;
                self.warn(span, Warning::IntOverflow { value, wrapped });
            } else {
                self.report(span, CheckError::IntOverflow(value));
            }
        }
        TypedValue::new(Type::INT, self.int(value as i32))
    }

    /// `{ a, b }` as a value of the expected type.
    pub(super) fn braces(&mut self, elements: &'a [Expr], ty: Type, span: Span) -> Option<TypedValue> {
        if elements.is_empty() && !self.body.in_default && self.is_osl(span) {
            self.report(span, CheckError::EmptyBraces);
            return None;
        }
        if ty.is_array() {
            return self.array_value(elements, ty, span);
        }
        if let Some(info) = self.structure(ty.base) {
            let fields = info.fields.clone();
            self.check_count(elements, fields.len(), ty)?;
            let mut leaves = Some(vec![]);
            for (i, field) in fields.iter().enumerate() {
                let value = match elements.get(i) {
                    Some(element) => self.initial(element, field.ty),
                    None => Some(self.zero(field.ty)),
                };
                append(&mut leaves, value);
            }
            return Some(TypedValue { ty, leaves: leaves? });
        }
        if let Some((first, rest)) = elements.split_first()
            && (ty.base.is_triple() || ty.base == Base::Matrix)
            && (matches!(first.kind, ExprKind::String(_))
                || elements.len() == 4 && self.type_of(first) == Some(Type::STRING))
        {
            return self.braces_in_space(first, rest, ty, span);
        }
        let wanted = match ty.base {
            base if base.is_triple() => 3,
            Base::Matrix => 16,
            _ => 1,
        };
        if let [only] = elements {
            return self.initial(only, ty);
        }
        if elements.len() != wanted {
            self.wrong_count(elements.len(), wanted, ty, span);
            return None;
        }
        let mut leaves = Some(vec![]);
        for element in elements {
            let value = self.initial(element, Type::FLOAT);
            append(&mut leaves, value);
        }
        Some(self.build(ty, leaves?, span))
    }

    /// `{ "space", x, y, z }`
    fn braces_in_space(
        &mut self,
        first: &'a Expr,
        rest: &'a [Expr],
        ty: Type,
        span: Span,
    ) -> Option<TypedValue> {
        let space = self.initial(first, Type::STRING)?;
        let mut given = vec![CallArgument::value(space, first.span)];
        for expr in rest {
            given.push(CallArgument::value(self.value(expr, Some(Type::FLOAT))?, expr.span));
        }
        if ty.base == Base::Matrix {
            self.matrix_in_space(&given, span)
        } else {
            self.triple_in_space(ty, &given, span)
        }
    }

    fn array_value(&mut self, elements: &'a [Expr], ty: Type, span: Span) -> Option<TypedValue> {
        let length = match ty.length {
            Length::Array(n) => n as usize,
            Length::Single | Length::Unsized => elements.len().max(1),
        };
        self.check_count(elements, length, ty)?;
        let ty = Type::array(ty.base, length as u32);
        let element_ty = ty.element();
        let mut values = vec![];
        let mut is_whole = true;
        for element in elements {
            match self.initial(element, element_ty) {
                Some(value) => values.push(value),
                None => is_whole = false,
            }
        }
        if !is_whole {
            return None;
        }
        values.resize_with(length, || self.zero(element_ty));
        let mut leaves = vec![];
        for (i, (_, leaf)) in self.leaves(ty).iter().enumerate() {
            let column: Vec<Operand> = values.iter().map(|v| v.leaves[i]).collect();
            leaves.push(self.make_array(column, *leaf, span));
        }
        Some(TypedValue { ty, leaves })
    }

    fn make_array(&mut self, elements: Vec<Operand>, ty: Type, span: Span) -> Operand {
        let known: Option<Vec<Const>> = elements.iter().map(|e| self.body.known(*e).cloned()).collect();
        match known {
            Some(known) => self.body.constant(Const::Array(known)),
            None => self.emit(Op::MakeArray, elements, ty, span),
        }
    }

    fn check_count(&mut self, elements: &[Expr], max_count: usize, ty: Type) -> Option<()> {
        match elements.get(max_count) {
            Some(extra) => {
                self.wrong_count(elements.len(), max_count, ty, extra.span);
                None
            }
            None => Some(()),
        }
    }

    fn wrong_count(&mut self, found: usize, expected: usize, ty: Type, span: Span) {
        let ty = self.show(ty);
        self.report(span, CheckError::ElementCount { ty, expected, found });
    }
}

/// Appends the leaves of a value; clears the list if the value has an error.
fn append(leaves: &mut Option<Vec<Operand>>, value: Option<TypedValue>) {
    match (leaves.as_mut(), value) {
        (Some(list), Some(value)) => list.extend(value.leaves),
        _ => *leaves = None,
    }
}
