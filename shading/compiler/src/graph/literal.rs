//! Constant defaults of parameters, evaluated without compilation.

use crate::eval::matrix::diagonal;
use crate::hir::Const;
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};

/// Evaluates a literal as a value of type `ty`; `None` if it is not a literal, or does not have that type.
pub(super) fn literal(expr: &Expr, ty: Type) -> Option<Const> {
    if ty.is_array() {
        return array(expr, ty);
    }
    match ty.base {
        Base::Int => match expr.kind {
            ExprKind::Bool(value) => Some(Const::Int(value.into())),
            _ => whole(expr).map(Const::Int),
        },
        Base::Float => number(expr).map(Const::Float),
        Base::String => match &expr.kind {
            ExprKind::String(text) => Some(Const::String(text.as_str().into())),
            _ => None,
        },
        Base::Matrix => matrix(expr).map(Const::Matrix),
        base if base.is_triple() => triple(expr, base).map(Const::Triple),
        _ => None,
    }
}

/// Evaluates a literal for an input of type `ty`: any literal for void, a list of any length for an unsized array. Returns
/// its value and type.
pub(super) fn literal_for(expr: &Expr, ty: Type) -> Option<(Const, Type)> {
    if ty == Type::VOID {
        return plain(expr);
    }
    let value = literal(expr, ty)?;
    let ty = match &value {
        Const::Array(list) => Type::array(ty.base, list.len() as u32),
        _ => ty,
    };
    Some((value, ty))
}

/// Evaluates a literal without an expected type; returns its value and type.
pub(super) fn plain(expr: &Expr) -> Option<(Const, Type)> {
    let ty = match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => Type::INT,
        ExprKind::Float(_) => Type::FLOAT,
        ExprKind::String(_) => Type::STRING,
        ExprKind::Unary { op: UnaryOp::Neg, operand } => plain(operand)?.1,
        ExprKind::List(list) | ExprKind::Braces(list) => {
            let types = list.iter().map(|expr| Some(plain(expr)?.1));
            let types: Vec<Type> = types.collect::<Option<_>>()?;
            let first = *types.first()?;
            let is_number = |ty: &Type| matches!(*ty, Type::INT | Type::FLOAT);
            let element = if types.iter().all(|ty| *ty == first) {
                first
            } else {
                types.iter().all(is_number).then_some(Type::FLOAT)?
            };
            if element.is_array() {
                return None;
            }
            Type::array(element.base, types.len() as u32)
        }
        ExprKind::Tuple(list) => match list.len() {
            3 => Type::COLOR,
            16 => Type::MATRIX,
            _ => return None,
        },
        ExprKind::Construct { ty, .. } => match ty.kind {
            TypeKind::Color => Type::COLOR,
            TypeKind::Point => Type::POINT,
            TypeKind::Vector => Type::VECTOR,
            TypeKind::Normal => Type::NORMAL,
            _ => return None,
        },
        _ => return None,
    };
    literal(expr, ty).map(|value| (value, ty))
}

fn whole(expr: &Expr) -> Option<i32> {
    match &expr.kind {
        ExprKind::Int(value) => i32::try_from(*value).ok(),
        ExprKind::Unary { op: UnaryOp::Neg, operand } => whole(operand)?.checked_neg(),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<f32> {
    let value = real(expr)? as f32;
    value.is_finite().then_some(value)
}

/// Evaluates a number, or an expression of numbers only. If a float is expected, integer literals are floats: they do
/// not wrap, and division is not integer division.
fn real(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value as f64),
        ExprKind::Float(value) => Some(f64::from(*value)),
        ExprKind::Unary { op, operand } => match op {
            UnaryOp::Neg => Some(-real(operand)?),
            UnaryOp::Plus => real(operand),
            UnaryOp::Not | UnaryOp::BitNot => None,
        },
        ExprKind::Binary { op, left, right } => {
            let (a, b) = (real(left)?, real(right)?);
            match op {
                BinaryOp::Add => Some(a + b),
                BinaryOp::Sub => Some(a - b),
                BinaryOp::Mul => Some(a * b),
                // Division by zero gives zero, as in the language.
                BinaryOp::Div => Some(if b == 0.0 { 0.0 } else { a / b }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `f`, `(a, b, c)`, `color(a, b, c)`, `color(f)`.
fn triple(expr: &Expr, base: Base) -> Option<[f32; 3]> {
    let numbers = |list: Vec<&Expr>| -> Option<[f32; 3]> {
        let list: Vec<f32> = list.into_iter().map(number).collect::<Option<_>>()?;
        match list[..] {
            [f] => Some([f; 3]),
            _ => list.try_into().ok(),
        }
    };
    match &expr.kind {
        ExprKind::Tuple(list) => numbers(list.iter().collect()),
        ExprKind::Construct { ty, args } if constructs(&ty.kind, base) => {
            numbers(args.iter().map(|arg| &arg.value).collect())
        }
        _ => number(expr).map(|f| [f; 3]),
    }
}

/// Sixteen numbers in row-major order, or one for the diagonal.
fn matrix(expr: &Expr) -> Option<[f32; 16]> {
    let list: Vec<&Expr> = match &expr.kind {
        ExprKind::Tuple(list) => list.iter().collect(),
        ExprKind::Construct { ty, args } if matches!(ty.kind, TypeKind::Matrix) => {
            args.iter().map(|arg| &arg.value).collect()
        }
        _ => vec![expr],
    };
    let numbers: Vec<f32> = list.into_iter().map(number).collect::<Option<_>>()?;
    match numbers[..] {
        [x] => Some(diagonal(x)),
        _ => numbers.try_into().ok(),
    }
}

/// Evaluates a list whose length equals that of the array; a list of any positive length for an array of any length.
fn array(expr: &Expr, ty: Type) -> Option<Const> {
    let (ExprKind::List(list) | ExprKind::Braces(list)) = &expr.kind else {
        return None;
    };
    let length = match ty.length {
        Length::Array(length) => length,
        Length::Unsized if !list.is_empty() => list.len() as u32,
        Length::Unsized | Length::Single => return None,
    };
    let elements = list.iter().map(|expr| literal(expr, ty.element()));
    let elements: Vec<Const> = elements.collect::<Option<_>>()?;
    (elements.len() as u32 == length).then_some(Const::Array(elements))
}

fn constructs(kind: &TypeKind, base: Base) -> bool {
    matches!(
        (kind, base),
        (TypeKind::Color, Base::Color)
            | (TypeKind::Point, Base::Point)
            | (TypeKind::Vector, Base::Vector)
            | (TypeKind::Normal, Base::Normal)
    )
}
