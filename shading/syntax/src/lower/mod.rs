//! Conversion of Pest's parse pairs to the AST. Only this folder uses pest.
//!
//! Pest's spans may include trailing white space, so the span of a node is computed from its tokens, whose spans are
//! exact.

mod expr;
mod grammar;
mod item;
mod message;
mod scene;
mod stmt;

use std::ops::Range;

use pest::Parser as _;
use pest::iterators::Pair as PestPair;

use super::ast::{Item, MAX_DEPTH, Name};
use super::error::SyntaxError;
use crate::diagnostic::MAX_ERRORS;
use crate::source::{SourceId, Span};
use grammar::{Grammar, Rule};

type Pair<'a> = PestPair<'a, Rule>;

/// Dialect: decides the meaning of forms that code and scenes share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Code: units and functions.
    Code,
    /// Groups and scenes, in which `f(a = 1)` names an argument.
    Scene,
}

/// Builder of the items of one file.
pub(super) struct Lowerer {
    source: SourceId,
    /// Byte offset of the current item.
    base: usize,
    context: Dialect,
    /// Depth of the deepest expression since the innermost [`Lowerer::nested`] began.
    deepest: usize,
    /// Number of expressions that enclose the current one.
    expr_depth: usize,
    /// Number of statements that enclose the current one.
    stmt_depth: usize,
    items: Vec<Item>,
    errors: Vec<(Span, SyntaxError)>,
}

impl Lowerer {
    /// Creates a lowerer for the given source.
    pub(super) fn new(source: SourceId) -> Lowerer {
        Lowerer {
            source,
            base: 0,
            context: Dialect::Code,
            deepest: 0,
            expr_depth: 0,
            stmt_depth: 0,
            items: vec![],
            errors: vec![],
        }
    }

    /// Parses the item at the given bytes.
    pub(super) fn item(&mut self, text: &str, range: Range<usize>) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        self.base = range.start;
        match Grammar::parse(Rule::file, &text[range.clone()]) {
            Ok(pairs) => {
                for pair in pairs.flat_map(|file| file.into_inner()) {
                    if let Some(item) = self.lower_item(pair) {
                        self.items.push(item);
                    }
                }
            }
            Err(error) => {
                let (range, error) = message::explain(&error, text, &range);
                self.error(range, error);
            }
        }
    }

    /// Records an error at the given bytes of the source.
    pub(super) fn error(&mut self, range: Range<usize>, error: SyntaxError) {
        let span = Span {
            source: self.source,
            start: range.start as u32,
            end: range.end as u32,
        };
        self.errors.push((span, error));
    }

    /// Returns the items and the errors.
    pub(super) fn finish(self) -> (Vec<Item>, Vec<(Span, SyntaxError)>) {
        (self.items, self.errors)
    }

    fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        let length = pair.as_str().trim_end().len();
        let start = self.base + span.start();
        Span {
            source: self.source,
            start: start as u32,
            end: (start + length) as u32,
        }
    }

    fn name(&self, pair: &Pair<'_>) -> Name {
        Name {
            text: pair.as_str().to_owned(),
            span: self.span(pair),
        }
    }

    /// Returns the name inside a rule such as `kind` that wraps an identifier.
    fn inner_name(&self, pair: Pair<'_>) -> Option<Name> {
        pair.into_inner()
            .find(|p| matches!(p.as_rule(), Rule::word | Rule::name))
            .map(|p| self.name(&p))
    }

    fn missing_name(&self, span: Span) -> Name {
        Name {
            text: String::new(),
            span,
        }
    }
}

/// Returns whether a pair is punctuation or a keyword, which have no node in the tree.
fn is_mark(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::semi
            | Rule::comma
            | Rule::lparen
            | Rule::rparen
            | Rule::lbrace
            | Rule::rbrace
            | Rule::rbracket
            | Rule::colon
            | Rule::equals
            | Rule::EOI
            | Rule::kw_struct
            | Rule::kw_closure
            | Rule::kw_color
            | Rule::kw_group
            | Rule::kw_with
            | Rule::kw_as
            | Rule::kw_if
            | Rule::kw_else
            | Rule::kw_for
            | Rule::kw_while
            | Rule::kw_do
            | Rule::kw_break
            | Rule::kw_continue
            | Rule::kw_return
    )
}

/// Iterates over the inner pairs that have nodes in the tree.
fn inner(pair: Pair<'_>) -> impl Iterator<Item = Pair<'_>> {
    pair.into_inner().filter(|p| !is_mark(p.as_rule()))
}
