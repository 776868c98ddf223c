//! Values of keys: constant expressions, given a type when a key asks for one.

use std::fmt;

use glam::{DAffine3, DMat3, DMat4, DVec3, Vec2, Vec3};
use shading::Span;
use shading::syntax::ast::{BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};

use super::context::Context;
use super::transform;
use crate::color::Rgb;

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Number(f64),
    Tuple(Vec<f64>),
    String(String),
    /// A name, or names joined by dots.
    Name(String),
    Transform(DAffine3),
    /// A call of something that is no transform: `gaussian(2)`, with its numbers.
    Call(String, Vec<Value>),
}

impl fmt::Display for Value {
    /// What it is, for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "`{b}`"),
            Value::Number(n) => write!(f, "the number {n}"),
            Value::Tuple(list) => write!(f, "a tuple of {} numbers", list.len()),
            Value::String(_) => f.write_str("a string"),
            Value::Name(name) => write!(f, "the name `{name}`"),
            Value::Transform(_) => f.write_str("a transform"),
            Value::Call(name, _) => write!(f, "a call of `{name}`"),
        }
    }
}

/// What numbers a key takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Any,
    /// At least zero.
    NotNegative,
    /// More than zero.
    Positive,
    /// More than the first, less than the second.
    Between(f64, f64),
}

impl Range {
    fn contains(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Any => true,
                Range::NotNegative => x >= 0.0,
                Range::Positive => x > 0.0,
                Range::Between(low, high) => x > low && x < high,
            }
    }

    fn describe(self) -> String {
        match self {
            Range::Any => "finite".to_owned(),
            Range::NotNegative => "at least 0".to_owned(),
            Range::Positive => "more than 0".to_owned(),
            Range::Between(low, high) => format!("more than {low} and less than {high}"),
        }
    }
}

impl Context {
    /// The value of an expression; `None`, with a message, where it has none.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Int(i) => Some(Value::Number(*i as f64)),
            // The number as people read it: 0.1 is not 0.10000000149.
            ExprKind::Float(x) => Some(Value::Number(x.to_string().parse().unwrap_or(f64::from(*x)))),
            ExprKind::Bool(b) => Some(Value::Bool(*b)),
            ExprKind::String(text) => Some(Value::String(text.clone())),
            ExprKind::Name(_) | ExprKind::Member { .. } => self.name(expr).map(Value::Name),
            ExprKind::Tuple(list) | ExprKind::List(list) | ExprKind::Braces(list) => self.tuple(list),
            ExprKind::Unary { op, operand } => {
                let value = self.value(operand)?;
                self.unary(expr.span, *op, value)
            }
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(left), self.value(right));
                self.binary(expr.span, *op, left?, right?)
            }
            ExprKind::Call { name, template: None, args } => {
                let mut positional = vec![];
                for arg in args {
                    if let Some(name) = &arg.name {
                        self.error(name.span, format!("`{}`: this takes no named arguments", name.text));
                        return None;
                    }
                    positional.push(&arg.value);
                }
                self.call(expr.span, &name.text, &positional)
            }
            ExprKind::Construct { ty, args } => {
                let list: Vec<&Expr> = args.iter().map(|arg| &arg.value).collect();
                match ty.kind {
                    TypeKind::Matrix => self.call(expr.span, "matrix", &list),
                    TypeKind::Color | TypeKind::Point | TypeKind::Vector | TypeKind::Normal => {
                        let list: Vec<Expr> = list.into_iter().cloned().collect();
                        self.tuple(&list)
                    }
                    _ => self.no_value(expr.span),
                }
            }
            ExprKind::Assign { .. }
            | ExprKind::Step { .. }
            | ExprKind::Ternary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Call { .. }
            | ExprKind::Index { .. } => self.no_value(expr.span),
        }
    }

    fn no_value(&mut self, span: Span) -> Option<Value> {
        let diagnostic = self
            .error_at(span, "not a constant value")
            .hint("a key takes numbers, tuples, strings, names, transforms, and + - * / of these");
        self.push(diagnostic);
        None
    }

    /// `ball."Body"` as `ball.Body`.
    pub(super) fn name(&mut self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::String(text) => Some(text.clone()),
            ExprKind::Member { object, name } => Some(format!("{}.{}", self.name(object)?, name.text)),
            _ => {
                self.error(expr.span, "not a name");
                None
            }
        }
    }

    fn tuple(&mut self, list: &[Expr]) -> Option<Value> {
        let mut numbers = vec![];
        let mut whole = true;
        for item in list {
            match self.value(item) {
                Some(Value::Number(x)) => numbers.push(x),
                Some(other) => {
                    self.error(item.span, format!("expected a number, found {other}"));
                    whole = false;
                }
                None => whole = false,
            }
        }
        match (whole, numbers.as_slice()) {
            (false, _) => None,
            (true, &[single]) => Some(Value::Number(single)),
            (true, _) => Some(Value::Tuple(numbers)),
        }
    }

    fn unary(&mut self, span: Span, op: UnaryOp, value: Value) -> Option<Value> {
        match (op, value) {
            (UnaryOp::Plus, value @ (Value::Number(_) | Value::Tuple(_))) => Some(value),
            (UnaryOp::Neg, Value::Number(x)) => Some(Value::Number(-x)),
            (UnaryOp::Neg, Value::Tuple(list)) => Some(Value::Tuple(list.into_iter().map(|x| -x).collect())),
            (UnaryOp::Not, Value::Bool(b)) => Some(Value::Bool(!b)),
            (_, value) => {
                self.error(span, format!("`{}` cannot be applied to {value}", op.symbol()));
                None
            }
        }
    }

    fn binary(&mut self, span: Span, op: BinaryOp, left: Value, right: Value) -> Option<Value> {
        let f = match op {
            BinaryOp::Add => |a, b| a + b,
            BinaryOp::Sub => |a, b| a - b,
            BinaryOp::Mul => |a, b| a * b,
            // As in the language: x/0 is 0.
            BinaryOp::Div => |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b },
            _ => {
                self.error(span, format!("`{}` is not an operation of constant values", op.symbol()));
                return None;
            }
        };
        match (left, right) {
            (Value::Number(a), Value::Number(b)) => Some(Value::Number(f(a, b))),
            (Value::Tuple(a), Value::Number(b)) => Some(Value::Tuple(a.into_iter().map(|a| f(a, b)).collect())),
            (Value::Number(a), Value::Tuple(b)) => Some(Value::Tuple(b.into_iter().map(|b| f(a, b)).collect())),
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                Some(Value::Tuple(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()))
            }
            (Value::Transform(a), Value::Transform(b)) if op == BinaryOp::Mul => Some(Value::Transform(a * b)),
            (left, right) => {
                self.error(span, format!("`{}` cannot combine {left} and {right}", op.symbol()));
                None
            }
        }
    }

    fn call(&mut self, span: Span, name: &str, args: &[&Expr]) -> Option<Value> {
        let mut values = vec![];
        for arg in args {
            values.push(self.value(arg)?);
        }
        match transform::from_call(name, &values) {
            None => Some(Value::Call(name.to_owned(), values)),
            Some(Ok(matrix)) => Some(Value::Transform(matrix)),
            Some(Err(message)) => {
                self.error(span, message);
                None
            }
        }
    }
}

/// The value of a key, and the key for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) expr: &'a Expr,
}

/// The typed readers: each gives `None`, with a message, when the value is not what the key takes.
impl Field<'_> {
    pub(super) fn span(&self) -> Span {
        self.expr.span
    }

    pub(super) fn mismatch(&self, context: &mut Context, expected: &str, found: &Value) {
        context.error(self.span(), format!("`{}` takes {expected}, found {found}", self.key));
    }

    pub(super) fn boolean(&self, context: &mut Context) -> Option<bool> {
        match context.value(self.expr)? {
            Value::Bool(b) => Some(b),
            Value::Number(0.0) => Some(false),
            Value::Number(1.0) => Some(true),
            other => {
                self.mismatch(context, "true or false", &other);
                None
            }
        }
    }

    /// A number within `range`.
    pub(super) fn number(&self, context: &mut Context, range: Range) -> Option<f32> {
        match context.value(self.expr)? {
            Value::Number(x) => self.in_range(context, x, range),
            other => {
                self.mismatch(context, "a number", &other);
                None
            }
        }
    }

    pub(super) fn in_range(&self, context: &mut Context, x: f64, range: Range) -> Option<f32> {
        let narrow = x as f32;
        // A number can be in range as written and not as kept: 1e99 is infinite, 1e-99 is zero.
        if range.contains(x) && range.contains(f64::from(narrow)) {
            return Some(narrow);
        }
        context.error(self.span(), format!("`{}` is {x}, but must be {}", self.key, range.describe()));
        None
    }

    /// A whole number of `low` to `high`.
    pub(super) fn integer(&self, context: &mut Context, low: u64, high: u64) -> Option<u64> {
        match context.value(self.expr)? {
            Value::Number(x) => self.whole(context, x, low, high),
            other => {
                self.mismatch(context, "a whole number", &other);
                None
            }
        }
    }

    fn whole(&self, context: &mut Context, x: f64, low: u64, high: u64) -> Option<u64> {
        if x.fract() == 0.0 && x >= low as f64 && x <= high as f64 {
            return Some(x as u64);
        }
        let message = format!("`{}` is {x}, but must be a whole number from {low} to {high}", self.key);
        context.error(self.span(), message);
        None
    }

    /// Exactly `N` numbers; `like` shows what is meant.
    pub(super) fn numbers<const N: usize>(&self, context: &mut Context, range: Range, like: &str) -> Option<[f32; N]> {
        let list = match context.value(self.expr)? {
            Value::Tuple(list) => list,
            other => {
                self.mismatch(context, &format!("{N} numbers, as {like}"), &other);
                return None;
            }
        };
        let Ok(list) = <[f64; N]>::try_from(list.as_slice()) else {
            self.mismatch(context, &format!("{N} numbers, as {like}"), &Value::Tuple(list));
            return None;
        };
        let mut numbers = [0.0; N];
        for (slot, x) in numbers.iter_mut().zip(list) {
            *slot = self.in_range(context, x, range)?;
        }
        Some(numbers)
    }

    /// Exactly `N` whole numbers of `low` to `high`.
    pub(super) fn integers<const N: usize>(&self, context: &mut Context, low: u64, high: u64, like: &str) -> Option<[u32; N]> {
        let mut numbers = [0u32; N];
        match context.value(self.expr)? {
            Value::Tuple(list) if list.len() == N => {
                for (slot, x) in numbers.iter_mut().zip(list) {
                    *slot = self.whole(context, x, low, high.min(u64::from(u32::MAX)))? as u32;
                }
                Some(numbers)
            }
            other => {
                self.mismatch(context, &format!("{N} whole numbers, as {like}"), &other);
                None
            }
        }
    }

    pub(super) fn point(&self, context: &mut Context) -> Option<Vec3> {
        self.numbers(context, Range::Any, "(0, 1, 0)").map(Vec3::from_array)
    }

    /// A vector that is not zero, made unit length.
    pub(super) fn direction(&self, context: &mut Context) -> Option<Vec3> {
        let v = self.point(context)?;
        let unit = v.as_dvec3().try_normalize().map(|v| v.as_vec3());
        if unit.is_none() {
            context.error(self.span(), format!("`{}` is the zero vector, which has no direction", self.key));
        }
        unit
    }

    /// A number, or a tuple of as many as there are axes.
    pub(super) fn size2(&self, context: &mut Context) -> Option<Vec2> {
        match context.value(self.expr)? {
            Value::Number(x) => self.in_range(context, x, Range::Positive).map(Vec2::splat),
            _ => self.numbers(context, Range::Positive, "(2, 1)").map(Vec2::from_array),
        }
    }

    /// A number, or a tuple of as many as there are axes.
    pub(super) fn size3(&self, context: &mut Context) -> Option<Vec3> {
        match context.value(self.expr)? {
            Value::Number(x) => self.in_range(context, x, Range::Positive).map(Vec3::splat),
            _ => self.numbers(context, Range::Positive, "(2, 1, 3)").map(Vec3::from_array),
        }
    }

    /// Three numbers from zero up, or one for a grey.
    pub(super) fn color(&self, context: &mut Context) -> Option<Rgb> {
        match context.value(self.expr)? {
            Value::Number(x) => self.in_range(context, x, Range::NotNegative).map(Rgb::splat),
            _ => self.numbers(context, Range::NotNegative, "(0.8, 0.7, 0.6)").map(Rgb::from),
        }
    }

    pub(super) fn string(&self, context: &mut Context) -> Option<String> {
        match context.value(self.expr)? {
            Value::String(text) => Some(text),
            other => {
                self.mismatch(context, "a string in quotes", &other);
                None
            }
        }
    }

    /// One of a few names, quoted or not.
    pub(super) fn choice<T: Copy>(&self, context: &mut Context, options: &[(&str, T)]) -> Option<T> {
        let list = || options.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        match context.value(self.expr)? {
            Value::Name(name) | Value::String(name) => {
                let found = options.iter().find(|(option, _)| *option == name);
                if found.is_none() {
                    let message = format!("`{}` is `{name}`, but must be one of {}", self.key, list().join(", "));
                    let diagnostic = context.error_at(self.span(), message).nearest(&name, list());
                    context.push(diagnostic);
                }
                found.map(|(_, value)| *value)
            }
            other => {
                self.mismatch(context, &format!("one of {}", list().join(", ")), &other);
                None
            }
        }
    }

    /// An invertible transform.
    pub(super) fn transform(&self, context: &mut Context) -> Option<glam::Affine3A> {
        match context.value(self.expr)? {
            Value::Transform(matrix) => {
                let narrow = transform::narrow(matrix);
                if narrow.is_none() {
                    let message = format!("`{}` is singular: it squashes space, or has infinite numbers", self.key);
                    context.error(self.span(), message);
                }
                narrow
            }
            other => {
                self.mismatch(context, "a transform, as translate(0, 1, 0) * rotate((0, 1, 0), 45)", &other);
                None
            }
        }
    }
}

/// A matrix from its sixteen numbers, row by row.
pub(super) fn matrix_from_rows(rows: [f64; 16]) -> Option<DAffine3> {
    let matrix = DMat4::from_cols_array(&rows).transpose();
    let affine = rows[12..] == [0.0, 0.0, 0.0, 1.0];
    affine.then(|| DAffine3 {
        matrix3: DMat3::from_mat4(matrix),
        translation: DVec3::new(rows[3], rows[7], rows[11]),
    })
}
