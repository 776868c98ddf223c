//! Conversion of statements.

use super::super::ast::{Expr, ExprKind, Stmt, StmtKind, Variable};
use super::super::error::SyntaxError;
use super::{Lowerer, MAX_DEPTH, Pair, Rule, inner};
use crate::source::Span;

impl Lowerer {
    /// Lowers the statements of a block.
    pub(super) fn block(&mut self, pair: Pair<'_>) -> Vec<Stmt> {
        inner(pair).map(|p| self.stmt(p)).collect()
    }

    fn stmt(&mut self, pair: Pair<'_>) -> Stmt {
        let span = self.span(&pair);
        if self.stmt_depth == MAX_DEPTH {
            self.errors.push((span, SyntaxError::TooComplex));
            return Stmt {
                kind: StmtKind::Empty,
                span,
            };
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

    fn if_stmt(&mut self, pair: Pair<'_>) -> StmtKind {
        let span = self.span(&pair);
        let mut parts = inner(pair);
        let condition = self.sequence_or_zero(parts.next(), span);
        let then = self.body(parts.next(), span);
        let otherwise = parts.next().map(|p| self.body(Some(p), span));
        StmtKind::If {
            condition,
            then,
            otherwise,
        }
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
                        init = Some(Box::new(Stmt {
                            kind: StmtKind::Expr(expr),
                            span,
                        }));
                    }
                }
                Rule::for_condition => condition = part_inner(Rule::sequence).map(|p| self.sequence(p)),
                Rule::missing => self.missing(&part),
                Rule::for_step => step = part_inner(Rule::sequence).map(|p| self.sequence(p)),
                _ => body = Some(part),
            }
        }
        let body = self.body(body, span);
        StmtKind::For {
            init,
            condition,
            step,
            body,
        }
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
            None => Stmt {
                kind: StmtKind::Empty,
                span,
            },
        })
    }

    fn sequence_or_zero(&mut self, pair: Option<Pair<'_>>, span: Span) -> Expr {
        match pair {
            Some(pair) => self.sequence(pair),
            None => Expr {
                kind: ExprKind::Int(0),
                span,
            },
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
            Some(ty) => StmtKind::Declare {
                constant,
                ty,
                variables,
            },
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
