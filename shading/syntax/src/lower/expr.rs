//! Operator precedence: sequences of operands and operators to expression trees.

use std::sync::LazyLock;

use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::super::ast::{Argument, BinaryOp, Expr, ExprKind, MAX_EXPR_DEPTH, Name, UnaryOp};
use super::super::error::SyntaxError;
use super::{Dialect, Lowerer, MAX_DEPTH, Pair, Rule, inner};
use crate::diagnostic::MAX_ERRORS;
use crate::source::Span;

/// Operator precedence from the loosest to the tightest, as in the language specification.
static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(Op::infix(Rule::assign_op, Assoc::Right))
        .op(Op::infix(Rule::ternary_op, Assoc::Right))
        .op(left(Rule::or_op))
        .op(left(Rule::and_op))
        .op(left(Rule::bit_or_op))
        .op(left(Rule::bit_xor_op))
        .op(left(Rule::bit_and_op))
        .op(left(Rule::equal_op))
        .op(left(Rule::relation_op))
        .op(left(Rule::shift_op))
        .op(left(Rule::add_op))
        .op(left(Rule::mul_op))
        .op(Op::prefix(Rule::prefix_op) | Op::prefix(Rule::cast))
        .op(Op::postfix(Rule::postfix_op) | Op::postfix(Rule::member) | Op::postfix(Rule::index))
});

/// An expression with the depth of its operator tree.
struct ExprWithDepth {
    expr: Expr,
    depth: usize,
}

impl Lowerer {
    /// `a, b, c`: a tuple if there are several expressions.
    pub(super) fn sequence(&mut self, pair: Pair<'_>) -> Expr {
        let mut list: Vec<Expr> = inner(pair.clone()).map(|p| self.expr(p)).collect();
        match (list.pop(), list.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                let span = list[0].span.to(last.span);
                list.push(last);
                Expr::new(ExprKind::Tuple(list), span)
            }
            (None, _) => Expr::new(ExprKind::Int(0), self.span(&pair)),
        }
    }

    pub(super) fn expr(&mut self, pair: Pair<'_>) -> Expr {
        let span = self.span(&pair);
        if recursion(&pair) > MAX_DEPTH || self.expr_depth > MAX_DEPTH {
            self.errors.push((span, SyntaxError::TooComplex));
            return Expr::new(ExprKind::Int(0), span);
        }
        self.expr_depth += 1;
        // The three closures share the mutable lowerer; only one runs at a time.
        let cell = std::cell::RefCell::new(self);
        let deep = PRATT
            .map_primary(|pair| {
                let (expr, depth) = cell.borrow_mut().nested(|lowerer| lowerer.primary(pair));
                ExprWithDepth { expr, depth }
            })
            .map_prefix(|op, operand| cell.borrow_mut().prefix(op, operand))
            .map_postfix(|operand, op| cell.borrow_mut().postfix(operand, op))
            .map_infix(|left, op, right| cell.borrow_mut().infix(left, op, right))
            .parse(pair.into_inner());
        let lowerer = cell.into_inner();
        lowerer.expr_depth -= 1;
        lowerer.deepest = lowerer.deepest.max(deep.depth + 1);
        deep.expr
    }

    /// Runs `lower` and returns the depth of the deepest expression it made.
    fn nested<T>(&mut self, lower: impl FnOnce(&mut Lowerer) -> T) -> (T, usize) {
        let outer = std::mem::take(&mut self.deepest);
        let value = lower(self);
        (value, std::mem::replace(&mut self.deepest, outer))
    }

    /// Builds a node above operands of the given depth. A tree deeper than later steps can recurse through is cut off
    /// and reported.
    fn node(&mut self, kind: ExprKind, span: Span, depth: usize) -> ExprWithDepth {
        if depth == MAX_EXPR_DEPTH + 1 {
            self.errors.push((span, SyntaxError::TooComplex));
        }
        let kind = if depth > MAX_EXPR_DEPTH { ExprKind::Int(0) } else { kind };
        ExprWithDepth { expr: Expr::new(kind, span), depth }
    }

    fn prefix(&mut self, op: Pair<'_>, operand: ExprWithDepth) -> ExprWithDepth {
        let span = self.span(&op).to(operand.expr.span);
        let depth = operand.depth + 1;
        let operand = Box::new(operand.expr);
        let unary = |op, operand| ExprKind::Unary { op, operand };
        let kind = match (op.as_rule(), op.as_str()) {
            (Rule::cast, _) => match op.into_inner().next() {
                Some(ty) => ExprKind::Cast { ty: self.type_name(ty), operand },
                None => operand.kind,
            },
            (_, "-") => match operand.kind {
                // A negative literal is one constant.
                ExprKind::Int(value) => ExprKind::Int(-value),
                ExprKind::Float(value) => ExprKind::Float(-value),
                _ => unary(UnaryOp::Neg, operand),
            },
            (_, "+") => unary(UnaryOp::Plus, operand),
            (_, "~") => unary(UnaryOp::BitNot, operand),
            (_, "++" | "--") => ExprKind::Step {
                increment: op.as_str() == "++",
                prefix: true,
                target: operand,
            },
            _ => unary(UnaryOp::Not, operand),
        };
        self.node(kind, span, depth)
    }

    fn postfix(&mut self, operand: ExprWithDepth, op: Pair<'_>) -> ExprWithDepth {
        let span = operand.expr.span.to(self.span(&op));
        let mut depth = operand.depth + 1;
        let object = Box::new(operand.expr);
        let kind = match op.as_rule() {
            Rule::member => match inner(op).next() {
                Some(part) => {
                    let part = self.path_part(part);
                    if part.quoted && self.context == Dialect::Code {
                        self.errors.push((
                            part.span,
                            SyntaxError::Misplaced {
                                what: "a quoted name is not allowed here",
                                hint: "a field or a component is named without quotes",
                            },
                        ));
                    }
                    let name = Name { text: part.text, span: part.span };
                    ExprKind::Member { object, name }
                }
                None => object.kind,
            },
            Rule::index => match inner(op).next() {
                Some(index) => {
                    let (index, inner) = self.nested(|lowerer| lowerer.sequence(index));
                    depth = depth.max(inner + 1);
                    ExprKind::Index { object, index: Box::new(index) }
                }
                None => object.kind,
            },
            _ => ExprKind::Step {
                increment: op.as_str() == "++",
                prefix: false,
                target: object,
            },
        };
        self.node(kind, span, depth)
    }

    fn infix(&mut self, left: ExprWithDepth, op: Pair<'_>, right: ExprWithDepth) -> ExprWithDepth {
        let span = left.expr.span.to(right.expr.span);
        let mut depth = 1 + left.depth.max(right.depth);
        if op.as_rule() == Rule::assign_op {
            // The value may be placed inside the remainder of the left side.
            depth = 1 + left.depth + right.depth;
        }
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        let kind = match op.as_rule() {
            Rule::assign_op => assignment(binary_op(op.as_str().trim_end_matches('=')), *left, right),
            Rule::ternary_op => match inner(op).next() {
                Some(then) => {
                    let (then, inner) = self.nested(|lowerer| lowerer.expr(then));
                    depth = depth.max(inner + 1);
                    ExprKind::Ternary { condition: left, then: Box::new(then), otherwise: right }
                }
                None => left.kind,
            },
            _ => match binary_op(op.as_str()) {
                Some(op) => ExprKind::Binary { op, left, right },
                None => left.kind,
            },
        };
        self.node(kind, span, depth)
    }

    fn primary(&mut self, pair: Pair<'_>) -> Expr {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::int => self.int(pair.as_str(), span),
            Rule::float => self.float(pair.as_str(), span),
            Rule::string => ExprKind::String(self.string(pair)),
            Rule::bool => ExprKind::Bool(pair.as_str() == "true"),
            Rule::named => return self.named(pair),
            Rule::soft_name => ExprKind::Name(pair.as_str().to_owned()),
            Rule::paren => match inner(pair).next() {
                // Parentheses are part of the span of a tuple, but not of another expression.
                Some(sequence) => match self.sequence(sequence) {
                    Expr { kind: kind @ ExprKind::Tuple(_), .. } => kind,
                    other => return other,
                },
                None => ExprKind::Int(0),
            },
            Rule::braces => ExprKind::Braces(inner(pair).map(|p| self.expr(p)).collect()),
            Rule::list => ExprKind::List(inner(pair).map(|p| self.expr(p)).collect()),
            Rule::construct | Rule::template => self.call(pair),
            Rule::missing => {
                self.missing(&pair);
                ExprKind::Missing
            }
            _ => ExprKind::Int(0),
        };
        Expr::new(kind, span)
    }

    fn named(&mut self, pair: Pair<'_>) -> Expr {
        let parts: Vec<_> = inner(pair.clone()).collect();
        match &parts[..] {
            [name] => Expr::new(ExprKind::Name(name.as_str().to_owned()), self.span(name)),
            _ => Expr { span: self.span(&pair), kind: self.call(pair) },
        }
    }

    fn call(&mut self, pair: Pair<'_>) -> ExprKind {
        let mut name = self.missing_name(self.span(&pair));
        let mut construct = None;
        let mut template = None;
        let mut args = vec![];
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name | Rule::template_name => name = self.name(&part),
                Rule::basic_type => construct = Some(self.type_name(part)),
                Rule::word => template = Some(self.name(&part)),
                Rule::args => args = self.args(part),
                _ => {}
            }
        }
        match construct {
            Some(ty) => ExprKind::Construct { ty, args },
            None => ExprKind::Call { name, template, args },
        }
    }

    pub(super) fn args(&mut self, pair: Pair<'_>) -> Vec<Argument> {
        let mut list = vec![];
        for pair in inner(pair) {
            let is_override = |part: &Pair<'_>| part.as_rule() == Rule::group_assign;
            if pair.as_str().starts_with("with") && pair.clone().into_inner().any(|part| is_override(&part)) {
                list.extend(inner(pair).filter(is_override).map(|part| self.overridden(part)));
            } else {
                list.push(self.arg(pair));
            }
        }
        list
    }

    /// An argument by the name of a global, in code too: one of `with { … }`.
    fn overridden(&mut self, pair: Pair<'_>) -> Argument {
        let assign = self.group_assign(pair);
        let (text, span) = (assign.target.joined(), assign.target.span);
        Argument {
            name: Some(Name { text, span }),
            value: assign.value,
            overrides: false,
        }
    }

    fn arg(&mut self, pair: Pair<'_>) -> Argument {
        let span = self.span(&pair);
        let mut name = None;
        let mut value = Expr::new(ExprKind::Int(0), span);
        for part in inner(pair) {
            match part.as_rule() {
                Rule::word => name = Some(self.name(&part)),
                Rule::expr => value = self.expr(part),
                _ => {}
            }
        }
        match name {
            Some(name) if self.context == Dialect::Code => {
                let span = name.span.to(value.span);
                let target = Expr::new(ExprKind::Name(name.text), name.span);
                let kind = ExprKind::Assign { op: None, target: Box::new(target), value: Box::new(value) };
                Argument { name: None, value: Expr::new(kind, span), overrides: false }
            }
            name => Argument { name, value, overrides: false },
        }
    }

    fn int(&mut self, text: &str, span: Span) -> ExprKind {
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            // Hexadecimal digits give the bits of an int; in scenes, a number.
            Some(digits) => i64::from_str_radix(digits, 16).map(|bits| match u32::try_from(bits) {
                Ok(bits) if self.context == Dialect::Code => i64::from(bits as i32),
                _ => bits,
            }),
            None if self.context == Dialect::Scene && text.parse::<i64>().is_err() => {
                return self.float(text, span);
            }
            None => text.parse(),
        };
        ExprKind::Int(value.unwrap_or_else(|_| {
            self.errors.push((span, SyntaxError::BadNumber(text.to_owned())));
            // A value that is in range nearly everywhere, so that the error is reported only once.
            1
        }))
    }

    fn float(&mut self, text: &str, span: Span) -> ExprKind {
        match text.trim_end_matches(['f', 'd']).parse::<f32>() {
            Ok(value) if value.is_finite() => ExprKind::Float(value),
            Ok(value) if self.context == Dialect::Code => {
                let text = text.to_owned();
                self.errors.push((span, SyntaxError::Infinite(text)));
                ExprKind::Float(value)
            }
            _ => {
                self.errors.push((span, SyntaxError::BadNumber(text.to_owned())));
                // See the integer case.
                ExprKind::Float(1.0)
            }
        }
    }

    /// Returns the contents of adjacent string literals, joined, with escapes resolved.
    pub(super) fn string(&mut self, pair: Pair<'_>) -> String {
        let mut text = String::new();
        for piece in pair.into_inner() {
            let span = self.span(&piece);
            let quoted = piece.as_str();
            let body = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
            self.unescape(body, span, &mut text);
        }
        text
    }

    fn unescape(&mut self, body: &str, span: Span, text: &mut String) {
        let mut chars = body.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('a') => text.push('\x07'),
                Some('b') => text.push('\x08'),
                Some('f') => text.push('\x0c'),
                Some('v') => text.push('\x0b'),
                Some(c @ ('\\' | '"')) => text.push(c),
                // Line continuation.
                Some('\n') => {}
                Some(c @ '0'..='7') => {
                    let mut code = c as u32 - '0' as u32;
                    for _ in 0..2 {
                        if let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) {
                            code = code * 8 + digit;
                            chars.next();
                        }
                    }
                    text.extend(char::from_u32(code));
                }
                other => {
                    let escape: String = ['\\'].into_iter().chain(other).collect();
                    // Warnings must leave room for errors.
                    if self.errors.len() < MAX_ERRORS / 2 {
                        self.errors.push((span, SyntaxError::UnknownEscape(escape)));
                    }
                    // The escape is kept as written, as in OSL.
                    text.push('\\');
                    text.extend(other);
                }
            }
        }
    }
}

/// `target = value`. As in OSL, the assignment applies to the variable directly left of the operator: `a ? b = 1 : c =
/// 2` assigns `b` or `c`.
fn assignment(assign: Option<BinaryOp>, target: Expr, value: Box<Expr>) -> ExprKind {
    let Expr { kind, span } = target;
    let inner = |target: Box<Expr>, value: Box<Expr>| {
        let span = target.span.to(value.span);
        let kind = assignment(assign, *target, value);
        Box::new(Expr::new(kind, span))
    };
    match kind {
        ExprKind::Ternary { condition, then, otherwise } => {
            ExprKind::Ternary { condition, then, otherwise: inner(otherwise, value) }
        }
        ExprKind::Binary { op, left, right } => ExprKind::Binary { op, left, right: inner(right, value) },
        ExprKind::Unary { op, operand } => ExprKind::Unary { op, operand: inner(operand, value) },
        ExprKind::Cast { ty, operand } => ExprKind::Cast { ty, operand: inner(operand, value) },
        kind => ExprKind::Assign { op: assign, target: Box::new(Expr::new(kind, span)), value },
    }
}

/// Upper bound on the recursion depth of precedence climbing: the number of right-associative operators.
fn recursion(pair: &Pair<'_>) -> usize {
    let binds_right =
        |rule| matches!(rule, Rule::prefix_op | Rule::cast | Rule::assign_op | Rule::ternary_op);
    pair.clone().into_inner().filter(|p| binds_right(p.as_rule())).count()
}

fn binary_op(symbol: &str) -> Option<BinaryOp> {
    Some(match symbol {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Mod,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "&&" | "and" => BinaryOp::And,
        "||" | "or" => BinaryOp::Or,
        _ => return None,
    })
}
