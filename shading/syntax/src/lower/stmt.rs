//! Conversion of statements.

use super::super::ast::{Expr, ExprKind, Stmt, StmtKind, Variable};
use super::super::error::SyntaxError;
use super::{Lowerer, MAX_DEPTH, MAX_ELSE_DEPTH, Pair, Rule, inner, is_mark};
use crate::source::Span;

/// A condition of an `if` statement and the statement executed if it holds.
struct Branch {
    /// From its `if` to the end of the chain.
    span: Span,
    condition: Expr,
    then: Box<Stmt>,
}

impl Lowerer {
    /// Lowers the statements of a block.
    pub(super) fn block(&mut self, pair: Pair<'_>) -> Vec<Stmt> {
        inner(pair).map(|p| self.stmt(p)).collect()
    }

    fn stmt(&mut self, pair: Pair<'_>) -> Stmt {
        let span = self.span(&pair);
        if self.stmt_depth == MAX_DEPTH {
            self.errors.push((span, SyntaxError::TooComplex));
            return Stmt { kind: StmtKind::Empty, span };
        }
        self.stmt_depth += 1;
        let kind = self.stmt_kind(pair);
        self.stmt_depth -= 1;
        Stmt { kind, span }
    }

    fn stmt_kind(&mut self, pair: Pair<'_>) -> StmtKind {
        match pair.as_rule() {
            Rule::block => StmtKind::Block(self.block(pair)),
            Rule::if_stmt => self.if_stmt(pair),
            Rule::for_stmt => self.for_stmt(pair),
            Rule::while_stmt => {
                let (condition, body) = self.condition_and_body(pair);
                StmtKind::While { condition, body }
            }
            Rule::do_stmt => {
                let (condition, body) = self.condition_and_body(pair);
                StmtKind::DoWhile { body, condition }
            }
            Rule::break_stmt => StmtKind::Break,
            Rule::continue_stmt => StmtKind::Continue,
            Rule::return_stmt => StmtKind::Return(inner(pair).next().map(|p| self.sequence(p))),
            Rule::local_function => match inner(pair).find(|p| p.as_rule() == Rule::function) {
                Some(function) => StmtKind::Function(self.function(function)),
                None => StmtKind::Empty,
            },
            Rule::declare => self.declare(pair),
            Rule::expr_stmt => match inner(pair).next() {
                Some(sequence) => StmtKind::Expr(self.sequence(sequence)),
                None => StmtKind::Empty,
            },
            Rule::missing_stmt => {
                inner(pair).for_each(|pair| self.missing(&pair));
                StmtKind::Missing
            }
            _ => StmtKind::Empty,
        }
    }

    /// `if … else if … else …`: each `else` branch contains the rest of the chain.
    fn if_stmt(&mut self, pair: Pair<'_>) -> StmtKind {
        let whole = self.span(&pair);
        let outer_depth = self.else_depth;
        let mut branches: Vec<Branch> = vec![];
        let (mut start, mut condition, mut otherwise) = (whole, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::kw_if => start = self.span(&part),
                Rule::sequence => condition = Some(self.sequence(part)),
                rule if is_mark(rule) => {}
                _ => match condition.take() {
                    Some(condition) if self.else_depth < MAX_ELSE_DEPTH => {
                        let then = self.body(Some(part), whole);
                        let end = whole.end;
                        let span = Span { end, ..start };
                        branches.push(Branch { span, condition, then });
                        self.else_depth += 1;
                    }
                    Some(_) => {
                        self.errors.push((start, SyntaxError::TooComplex));
                        break;
                    }
                    None => otherwise = Some(self.body(Some(part), whole)),
                },
            }
        }
        self.else_depth = outer_depth;
        for branch in branches.into_iter().rev() {
            let span = branch.span;
            let kind = StmtKind::If { condition: branch.condition, then: branch.then, otherwise };
            otherwise = Some(Box::new(Stmt { kind, span }));
        }
        otherwise.map_or(StmtKind::Empty, |first| first.kind)
    }

    fn for_stmt(&mut self, pair: Pair<'_>) -> StmtKind {
        let span = self.span(&pair);
        let (mut init, mut condition, mut step, mut body) = (None, None, None, None);
        for part in inner(pair) {
            let part_inner = |rule| inner(part.clone()).find(|p| p.as_rule() == rule);
            match part.as_rule() {
                Rule::for_init => {
                    if let Some(declare) = part_inner(Rule::declare) {
                        init = Some(Box::new(self.stmt(declare)));
                    } else if let Some(sequence) = part_inner(Rule::sequence) {
                        let expr = self.sequence(sequence);
                        let span = expr.span;
                        init = Some(Box::new(Stmt { kind: StmtKind::Expr(expr), span }));
                    }
                }
                Rule::for_condition => condition = part_inner(Rule::sequence).map(|p| self.sequence(p)),
                Rule::missing => self.missing(&part),
                Rule::for_step => step = part_inner(Rule::sequence).map(|p| self.sequence(p)),
                _ => body = Some(part),
            }
        }
        let body = self.body(body, span);
        StmtKind::For { init, condition, step, body }
    }

    /// Lowers the condition and the body of a loop, in either order.
    fn condition_and_body(&mut self, pair: Pair<'_>) -> (Expr, Box<Stmt>) {
        let span = self.span(&pair);
        let (mut condition, mut body) = (None, None);
        for part in inner(pair) {
            match part.as_rule() {
                Rule::sequence => condition = Some(part),
                _ => body = Some(part),
            }
        }
        (self.sequence_or_zero(condition, span), self.body(body, span))
    }

    fn body(&mut self, pair: Option<Pair<'_>>, span: Span) -> Box<Stmt> {
        Box::new(match pair {
            Some(pair) => self.stmt(pair),
            None => Stmt { kind: StmtKind::Empty, span },
        })
    }

    fn sequence_or_zero(&mut self, pair: Option<Pair<'_>>, span: Span) -> Expr {
        match pair {
            Some(pair) => self.sequence(pair),
            None => Expr::new(ExprKind::Int(0), span),
        }
    }

    pub(super) fn declare(&mut self, pair: Pair<'_>) -> StmtKind {
        let mut constant = false;
        let mut ty = None;
        let mut variables = vec![];
        for part in inner(pair) {
            match part.as_rule() {
                Rule::kw_const => constant = true,
                Rule::r#type | Rule::basic_type => ty = Some(self.type_name(part)),
                Rule::variable => variables.push(self.variable(part)),
                _ => {}
            }
        }
        match ty {
            Some(ty) => StmtKind::Declare { constant, ty, variables },
            None => StmtKind::Empty,
        }
    }

    fn variable(&mut self, pair: Pair<'_>) -> Variable {
        let mut variable = Variable {
            name: self.missing_name(self.span(&pair)),
            array: None,
            init: None,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name | Rule::soft_name => variable.name = self.name(&part),
                Rule::array => variable.array = Some(self.array(part)),
                Rule::expr => variable.init = Some(self.expr(part)),
                _ => {}
            }
        }
        variable
    }
}
