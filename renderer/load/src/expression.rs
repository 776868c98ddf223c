//! Evaluation of constant expressions in scene files.

use shading::Span;
use shading::syntax::ast::{BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};

use super::context::LoadContext;
use super::value::SceneValue;
use super::{function, transform};

impl LoadContext {
    /// Evaluates a constant expression; returns `None` after reporting an error.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<SceneValue> {
        match &expr.kind {
            ExprKind::Missing => None,
            ExprKind::Int(i) => Some(SceneValue::Number(*i as f64)),
            // Shortest decimal that denotes the literal: 0.1, not 0.10000000149.
            ExprKind::Float(x) => Some(SceneValue::Number(x.to_string().parse().unwrap_or(f64::from(*x)))),
            ExprKind::Bool(b) => Some(SceneValue::Bool(*b)),
            ExprKind::String(text) => Some(SceneValue::String(text.clone())),
            ExprKind::Name(_) | ExprKind::Member { .. } => self.name(expr).map(SceneValue::Name),
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

    fn no_value(&mut self, span: Span) -> Option<SceneValue> {
        let diagnostic = self
            .error_at(span, "not a constant value")
            .hint("a key takes numbers, tuples, strings, names, transforms, and + - * / of these");
        self.push(diagnostic);
        None
    }

    /// Reads a dotted name: `ball."Body"` is `ball.Body`.
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

    fn tuple(&mut self, list: &[Expr]) -> Option<SceneValue> {
        let mut numbers = vec![];
        let mut whole = true;
        for item in list {
            match self.value(item) {
                Some(SceneValue::Number(x)) => numbers.push(x),
                Some(other) => {
                    self.error(item.span, format!("expected a number, found {other}"));
                    whole = false;
                }
                None => whole = false,
            }
        }
        match (whole, numbers.as_slice()) {
            (false, _) => None,
            (true, &[single]) => Some(SceneValue::Number(single)),
            (true, _) => Some(SceneValue::Tuple(numbers)),
        }
    }

    fn unary(&mut self, span: Span, op: UnaryOp, value: SceneValue) -> Option<SceneValue> {
        match (op, value) {
            (UnaryOp::Plus, value @ (SceneValue::Number(_) | SceneValue::Tuple(_))) => Some(value),
            (UnaryOp::Neg, SceneValue::Number(x)) => Some(SceneValue::Number(-x)),
            (UnaryOp::Neg, SceneValue::Tuple(list)) => {
                Some(SceneValue::Tuple(list.into_iter().map(|x| -x).collect()))
            }
            (UnaryOp::Not, SceneValue::Bool(b)) => Some(SceneValue::Bool(!b)),
            (_, value) => {
                self.error(span, format!("`{}` cannot be applied to {value}", op.symbol()));
                None
            }
        }
    }

    fn binary(
        &mut self,
        span: Span,
        op: BinaryOp,
        left: SceneValue,
        right: SceneValue,
    ) -> Option<SceneValue> {
        let f = match op {
            BinaryOp::Add => |a, b| a + b,
            BinaryOp::Sub => |a, b| a - b,
            BinaryOp::Mul => |a, b| a * b,
            // As in the shading language, x/0 is 0.
            BinaryOp::Div => |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b },
            _ => {
                self.error(span, format!("`{}` is not an operation of constant values", op.symbol()));
                return None;
            }
        };
        match (left, right) {
            (SceneValue::Number(a), SceneValue::Number(b)) => Some(SceneValue::Number(f(a, b))),
            (SceneValue::Tuple(a), SceneValue::Number(b)) => {
                Some(SceneValue::Tuple(a.into_iter().map(|a| f(a, b)).collect()))
            }
            (SceneValue::Number(a), SceneValue::Tuple(b)) => {
                Some(SceneValue::Tuple(b.into_iter().map(|b| f(a, b)).collect()))
            }
            (SceneValue::Tuple(a), SceneValue::Tuple(b)) if a.len() == b.len() => {
                Some(SceneValue::Tuple(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()))
            }
            (SceneValue::Transform(a), SceneValue::Transform(b)) if op == BinaryOp::Mul => {
                Some(SceneValue::Transform(a * b))
            }
            (left, right) => {
                self.error(span, format!("`{}` cannot combine {left} and {right}", op.symbol()));
                None
            }
        }
    }

    fn call(&mut self, span: Span, name: &str, args: &[&Expr]) -> Option<SceneValue> {
        let mut values = vec![];
        for arg in args {
            values.push(self.value(arg)?);
        }
        if let Some(made) = function::call(name, &values) {
            return match made {
                Ok(numbers) => Some(SceneValue::Tuple(numbers)),
                Err(message) => {
                    self.error(span, message);
                    None
                }
            };
        }
        match transform::from_call(name, &values) {
            None => Some(SceneValue::Call(name.to_owned(), values)),
            Some(Ok(matrix)) => Some(SceneValue::Transform(matrix)),
            Some(Err(message)) => {
                self.error(span, message);
                None
            }
        }
    }
}
