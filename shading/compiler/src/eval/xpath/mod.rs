//! XPath 1.0: queries of XML documents.
//!
//! Clark and DeRose 1999, "XML Path Language (XPath) Version 1.0". As in OSL, whose parser is pugixml, names are compared
//! with their prefixes, comments are not nodes, and nodes are in the order in which the query visits them: reverse order on
//! reverse axes, and the left operand of `|` first.
//!
//! Nested predicates make the work of a query exponential in its length. Therefore each query has a budget of nodes visited
//! and bytes read, and fails if the budget is exhausted.

mod ast;
mod axis;
mod document;
mod function;
mod parse;
mod value;

pub(crate) use document::{Document, NodeId};

use rustc_hash::FxHashSet;

use ast::{Binary, Expr, Start, Step, ValueType};
use value::{Value, compare};

/// Evaluation context of an expression: node, position and size.
#[derive(Clone, Copy)]
struct Context<'a> {
    document: &'a Document,
    node: NodeId,
    /// Position of the node in the node set, from 1.
    position: usize,
    /// Size of the node set.
    size: usize,
}

/// Returns the nodes that a query selects, and subtracts its work from `budget` [nodes visited and bytes read].
///
/// # Errors
/// If the query is invalid, or the budget is exhausted.
pub(crate) fn select(
    document: &Document,
    from: NodeId,
    query: &str,
    budget: &mut u64,
) -> Result<Vec<NodeId>, &'static str> {
    let expr = parse::parse(query)?;
    if expr.ty() != ValueType::Nodes {
        return Err("Expression does not evaluate to node set");
    }
    let context = Context { document, node: from, position: 1, size: 1 };
    document.budget.set(*budget);
    document.spend(query.len());
    let nodes = context.nodes(&expr);
    *budget = document.budget.get();
    match *budget {
        0 => Err("Exceeded maximum allowed work of queries"),
        _ => Ok(nodes),
    }
}

impl Context<'_> {
    fn value(&self, expr: &Expr) -> Value {
        match expr {
            Expr::Number(number) => Value::Number(*number),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Negated(inner) => Value::Number(-self.number(inner)),
            Expr::Binary(operator, a, b) => self.binary(*operator, a, b),
            Expr::Call(function, args) => self.call(*function, args),
            Expr::Path(start, steps) => Value::Nodes(self.path(start, steps)),
        }
    }

    fn number(&self, expr: &Expr) -> f64 {
        self.value(expr).number(self.document)
    }

    fn text(&self, expr: &Expr) -> String {
        let text = self.value(expr).text(self.document);
        self.document.spend(text.len());
        text
    }

    fn nodes(&self, expr: &Expr) -> Vec<NodeId> {
        match self.value(expr) {
            Value::Nodes(nodes) => nodes,
            Value::Number(_) | Value::Text(_) | Value::Truth(_) => vec![],
        }
    }

    fn binary(&self, operator: Binary, a: &Expr, b: &Expr) -> Value {
        let numbers = |f: fn(f64, f64) -> f64| Value::Number(f(self.number(a), self.number(b)));
        match operator {
            Binary::Or => Value::Truth(self.value(a).truth() || self.value(b).truth()),
            Binary::And => Value::Truth(self.value(a).truth() && self.value(b).truth()),
            Binary::Add => numbers(|a, b| a + b),
            Binary::Subtract => numbers(|a, b| a - b),
            Binary::Multiply => numbers(|a, b| a * b),
            Binary::Divide => numbers(|a, b| a / b),
            Binary::Modulo => numbers(|a, b| a % b),
            Binary::Union => {
                let mut nodes = self.nodes(a);
                nodes.extend(self.nodes(b));
                Value::Nodes(without_duplicates(nodes))
            }
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => {
                let (a, b) = (self.value(a), self.value(b));
                Value::Truth(compare(self.document, operator, &a, &b))
            }
        }
    }

    fn path(&self, start: &Start, steps: &[Step]) -> Vec<NodeId> {
        let start = match start {
            Start::Here => vec![self.node],
            Start::Root => vec![NodeId::ROOT],
            Start::Nodes(expr, predicates) => {
                let mut nodes = self.nodes(expr);
                if predicates.iter().any(Expr::is_positional) {
                    nodes.sort_unstable();
                }
                self.keep(nodes, predicates)
            }
        };
        steps.iter().fold(start, |nodes, step| {
            let reached = nodes.iter().flat_map(|&node| self.step(node, step));
            without_duplicates(reached.collect())
        })
    }

    fn step(&self, from: NodeId, step: &Step) -> Vec<NodeId> {
        let nodes = axis::nodes(self.document, from, step.axis);
        let passes = |&node: &NodeId| axis::passes(self.document, node, step.axis, &step.test);
        self.keep(nodes.into_iter().filter(passes).collect(), &step.predicates)
    }

    /// Returns the nodes for which all predicates hold. The positions in a predicate count the nodes that the previous
    /// predicates have left.
    fn keep(&self, mut nodes: Vec<NodeId>, predicates: &[Expr]) -> Vec<NodeId> {
        for predicate in predicates {
            let size = nodes.len();
            let mut position = 0;
            nodes.retain(|&node| {
                if !self.document.spend(1) {
                    return false;
                }
                position += 1;
                let context = Context { document: self.document, node, position, size };
                match context.value(predicate) {
                    Value::Number(number) => number == position as f64,
                    other => other.truth(),
                }
            });
        }
        nodes
    }
}

fn without_duplicates(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut seen = FxHashSet::default();
    nodes.retain(|&node| seen.insert(node));
    nodes
}
