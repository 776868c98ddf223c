//! Resolution of type names, structures and conversions.

use super::conversion::{TYPE_NAMES, conversion_rank, near};
use super::error::CheckError;
use super::struct_info::StructInfo;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::eval::float_to_int;
use crate::hir::{Const, LocalId, Op, Operand};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{self, ArrayLength, BinaryOp, ExprKind, TypeKind};
use shading_syntax::source::Span;

/// Maximum length of an array.
const MAX_LENGTH: i64 = 1 << 16;

impl<'a> Checker<'a> {
    /// Returns a type as displayed in messages.
    pub(super) fn show(&self, ty: Type) -> String {
        let Base::Struct(index) = ty.base else {
            return ty.to_string();
        };
        let name = &self.structs[index as usize].name;
        match ty.length {
            Length::Single => name.clone(),
            Length::Array(n) => format!("{name}[{n}]"),
            Length::Unsized => format!("{name}[]"),
        }
    }

    pub(super) fn structure(&self, base: Base) -> Option<&StructInfo> {
        match base {
            Base::Struct(index) => self.structs.get(index as usize),
            _ => None,
        }
    }

    /// Returns paths and types of a type's leaves; a type that is not a structure has one leaf with an empty path.
    pub(super) fn leaves(&self, ty: Type) -> Vec<(String, Type)> {
        match self.structure(ty.base) {
            None if ty == Type::VOID => vec![],
            None => vec![(String::new(), ty)],
            Some(info) => {
                let array = |leaf: &Type| match ty.length {
                    Length::Single => *leaf,
                    length => Type { base: leaf.base, length },
                };
                info.leaves.iter().map(|(path, leaf)| (path.clone(), array(leaf))).collect()
            }
        }
    }

    /// Resolves `typeof(…)` of an expression.
    fn resolve_of(
        &mut self,
        ty: &ast::TypeName,
        expr: &'a ast::Expr,
        array: Option<&'a ArrayLength>,
    ) -> Option<Type> {
        let found = self.checked_type_of(expr)?;
        if array.is_some() {
            self.report(ty.span, CheckError::ArrayOfTypeof);
            return None;
        }
        Some(found)
    }

    pub(super) fn resolve(&mut self, ty: &'a ast::TypeName, array: Option<&'a ArrayLength>) -> Option<Type> {
        let base = match &ty.kind {
            TypeKind::Void => Base::Void,
            TypeKind::Int | TypeKind::Bool => Base::Int,
            TypeKind::Float => Base::Float,
            TypeKind::Double => {
                self.warn(ty.span, Warning::DoubleIsFloat);
                Base::Float
            }
            TypeKind::Color => Base::Color,
            TypeKind::Point => Base::Point,
            TypeKind::Vector => Base::Vector,
            TypeKind::Normal => Base::Normal,
            TypeKind::Matrix => Base::Matrix,
            TypeKind::String | TypeKind::Texture2d => Base::String,
            TypeKind::Closure => Base::Closure,
            TypeKind::Of(expr) => return self.resolve_of(ty, expr, array),
            TypeKind::Named(name) => match self.scopes.find_struct(self.scope, name) {
                Some(index) => Base::Struct(index),
                None if name == super::adaptive::ANY => {
                    self.report(ty.span, CheckError::MisplacedAny);
                    return None;
                }
                None => {
                    let mut known = self.scopes.struct_names(self.scope);
                    known.extend(TYPE_NAMES);
                    let near = near(name, &known);
                    self.report(ty.span, CheckError::UnknownType(name.clone(), near));
                    return None;
                }
            },
        };
        let length = match array {
            None => Length::Single,
            Some(ArrayLength::Unsized) => Length::Unsized,
            Some(ArrayLength::Sized(expr)) => Length::Array(self.array_length(expr)?),
        };
        let nested = self.structure(base).is_some_and(|s| s.leaves.iter().any(|(_, t)| t.is_array()));
        if length != Length::Single && (nested || base == Base::Void) {
            let element = self.show(Type::single(base));
            self.report(ty.span, CheckError::BadElementType(element));
            return None;
        }
        Some(Type { base, length })
    }

    fn array_length(&mut self, expr: &ast::Expr) -> Option<u32> {
        match constant_int(expr) {
            Some(n @ 1..=MAX_LENGTH) => Some(n as u32),
            Some(n) => {
                self.report(expr.span, CheckError::BadLength { length: n, limit: MAX_LENGTH });
                None
            }
            None => {
                self.report(expr.span, CheckError::LengthNotConstant);
                None
            }
        }
    }

    /// Converts as an assignment does; `None` if that is not allowed. Reports no errors.
    pub(super) fn coerce(&mut self, value: &TypedValue, to: Type, span: Span) -> Option<TypedValue> {
        if to == Type::CLOSURE && value.ty != to {
            let is_zero = value.leaves.len() == 1 && is_zero(self.body.known(value.leaf())?);
            return is_zero.then(|| TypedValue::new(to, self.body.constant(Const::NullClosure)));
        }
        conversion_rank(value.ty, to)?;
        if value.ty.is_array() && value.ty.count() < to.count() {
            let longer = self.lengthened(value, to.count(), span);
            return Some(self.convert(&longer, to, span));
        }
        Some(self.convert(value, to, span))
    }

    /// Extends an array to a greater length with zeros.
    fn lengthened(&mut self, value: &TypedValue, length: u32, span: Span) -> TypedValue {
        let ty = Type::array(value.ty.base, length);
        let locals = self.locals("", ty);
        for (local, zero) in locals.iter().zip(self.zero(ty).leaves) {
            self.store(*local, zero, span);
        }
        self.copy_elements(&locals, value, span);
        let leaves = locals.into_iter().map(Operand::Local).collect();
        TypedValue { ty, leaves }
    }

    /// Copies the elements of an array to the first elements of another.
    pub(super) fn copy_elements(&mut self, to: &[LocalId], from: &TypedValue, span: Span) {
        for ((local, leaf), (_, ty)) in to.iter().zip(&from.leaves).zip(self.leaves(from.ty)) {
            for i in 0..from.ty.count() {
                let index = self.int(i as i32);
                let element = self.emit(Op::ArrayGet, vec![*leaf, index], ty.element(), span);
                let args = vec![Operand::Local(*local), index, element];
                self.assign(Some(*local), Op::ArraySet, args, span);
            }
        }
    }

    /// Converts a value, explicitly if needed. Values of types without a conversion are returned unchanged.
    pub(super) fn convert(&mut self, value: &TypedValue, to: Type, span: Span) -> TypedValue {
        let length = match to.length {
            Length::Unsized => value.ty.length,
            length => length,
        };
        let to = Type { base: to.base, length };
        if value.ty == to
            || value.ty.is_array()
            || value.leaves.len() != 1
            || (value.ty.is_triple() && to.is_triple())
        {
            return TypedValue { ty: to, leaves: value.leaves.clone() };
        }
        let leaf = value.leaf();
        let leaf = match (value.ty.base, to.base) {
            (Base::Int, Base::Float) => self.int_to_float(leaf, span),
            (Base::Float, Base::Int) => match self.body.known(leaf) {
                Some(Const::Float(f)) => {
                    let int = float_to_int(*f);
                    self.int(int)
                }
                _ => self.emit(Op::FloatToInt, vec![leaf], to, span),
            },
            (Base::Int | Base::Float, base) if base.is_triple() => {
                let leaf = self.as_float(value, span);
                match self.body.known(leaf) {
                    Some(Const::Float(f)) => {
                        let triple = Const::Triple([*f; 3]);
                        self.body.constant(triple)
                    }
                    _ => self.emit(Op::Splat, vec![leaf], to, span),
                }
            }
            (Base::Int | Base::Float, Base::Matrix) => {
                let leaf = self.as_float(value, span);
                match self.body.known(leaf) {
                    Some(Const::Float(f)) => {
                        let mut matrix = [0.0; 16];
                        for i in 0..4 {
                            matrix[i * 5] = *f;
                        }
                        self.body.constant(Const::Matrix(matrix))
                    }
                    _ => self.emit(Op::Diagonal, vec![leaf], to, span),
                }
            }
            _ => leaf,
        };
        TypedValue::new(to, leaf)
    }

    /// Converts an int or float to float.
    fn as_float(&mut self, value: &TypedValue, span: Span) -> Operand {
        match value.ty.base {
            Base::Int => self.int_to_float(value.leaf(), span),
            _ => value.leaf(),
        }
    }

    fn int_to_float(&mut self, leaf: Operand, span: Span) -> Operand {
        match self.body.known_int(leaf) {
            Some(int) => self.float(int as f32),
            None => self.emit(Op::IntToFloat, vec![leaf], Type::FLOAT, span),
        }
    }
}

fn is_zero(value: &Const) -> bool {
    match value {
        Const::Int(i) => *i == 0,
        Const::Float(f) => *f == 0.0,
        _ => false,
    }
}

pub(super) fn constant_int(expr: &ast::Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Binary { op, left, right } => {
            let (a, b) = (constant_int(left)?, constant_int(right)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Mod => a.checked_rem(b),
                _ => None,
            }
        }
        _ => None,
    }
}
