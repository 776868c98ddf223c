//! Conversion of Pest's parse pairs to the AST. Only this folder uses pest.
//!
//! Pest's spans may include trailing white space, so the span of a node is computed from its tokens, whose spans are
//! exact.

mod expr;
mod foreign_syntax;
mod grammar;
mod item;
mod lexeme;
mod message;
mod recovery;
mod scene;
mod stmt;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use pest::Parser as _;
use pest::iterators::Pair as PestPair;

use super::ast::{Item, MAX_DEPTH, MAX_ELSE_DEPTH, Name};
use super::error::SyntaxError;
use super::scan::ScannedItem;
use crate::diagnostic::MAX_ERRORS;
use crate::source::{SourceId, Span};
use grammar::{Grammar, Rule};
use recovery::Recovery;

/// Stack size in bytes for recursion over nested brackets, independent of the calling thread's stack.
pub(super) const STACK: usize = 16 << 20;

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
    /// Byte offset of the current item, and of its end.
    base: usize,
    end: usize,
    /// Offsets of the marks in the current item that error recovery has made.
    marks: Vec<usize>,
    context: Dialect,
    /// Depth of the deepest expression since the innermost [`Lowerer::nested`] began.
    deepest: usize,
    /// Number of expressions that enclose the current one.
    expr_depth: usize,
    /// Number of statements that enclose the current one; a chain of `else if` counts once.
    stmt_depth: usize,
    /// Number of `else` branches that enclose the current statement.
    else_depth: usize,
    pub(super) items: Vec<Item>,
    errors: Vec<(Span, SyntaxError)>,
    /// Names in text that could not be parsed.
    unparsed: BTreeSet<String>,
    /// Bytes that may still be parsed after errors; `None` before the first item.
    budget: Option<usize>,
}

impl Lowerer {
    pub(super) fn new(source: SourceId) -> Lowerer {
        Lowerer {
            source,
            base: 0,
            end: usize::MAX,
            marks: vec![],
            context: Dialect::Code,
            deepest: 0,
            expr_depth: 0,
            stmt_depth: 0,
            else_depth: 0,
            items: vec![],
            errors: vec![],
            unparsed: BTreeSet::new(),
            budget: None,
        }
    }

    /// Parses an item. After a syntax error, the parser continues with the rest of the item (see [`recovery`]).
    pub(super) fn item(&mut self, text: &str, item: &ScannedItem) {
        let range = item.range.clone();
        (self.base, self.end) = (range.start, range.end);
        let mut piece = Cow::Borrowed(&text[range.clone()]);
        if item.unclosed > 0 {
            piece.to_mut().push_str(&"}".repeat(item.unclosed));
        }
        let budget = self.budget.unwrap_or(Recovery::budget_of(text));
        let mut recovery = Recovery::new(piece, &item.marks, budget);
        while self.errors.len() < MAX_ERRORS {
            match Grammar::parse(Rule::file, recovery.text()) {
                Ok(pairs) => {
                    self.marks = recovery.marks();
                    for pair in pairs.flat_map(|file| file.into_inner()) {
                        if let Some(item) = self.lower_item(pair) {
                            self.items.push(item);
                        }
                    }
                    break;
                }
                Err(error) => {
                    let explained = message::explain(&error, recovery.text());
                    let repair = if matches!(explained.error, SyntaxError::TooComplex) {
                        recovery.give_up()
                    } else {
                        recovery.repair(explained.at, explained.missing)
                    };
                    if !repair.is_consequence {
                        let Range { start, end } = explained.range;
                        let end = (range.start + end).min(range.end);
                        self.error((range.start + start).min(end)..end, explained.error);
                    }
                    if !repair.can_continue {
                        break;
                    }
                }
            }
        }
        self.budget = Some(recovery.budget());
        self.unparsed.append(&mut recovery.into_names());
    }

    /// Returns a number that grows with each error.
    pub(super) fn error_count(&self) -> usize {
        self.errors.len() + self.unparsed.len()
    }

    /// Stores the names in the header of an item that is not parsed.
    pub(super) fn skip_item(&mut self, text: &str) {
        let header = text.split('{').next().unwrap_or_default();
        self.unparsed.extend(recovery::words(header));
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

    /// Returns the items, the names in text that could not be parsed, and the errors.
    pub(super) fn finish(self) -> (Vec<Item>, BTreeSet<String>, Vec<(Span, SyntaxError)>) {
        (self.items, self.unparsed, self.errors)
    }

    /// Reports a mark that is a character of the source.
    fn missing(&mut self, pair: &Pair<'_>) {
        if !self.marks.contains(&pair.as_span().start()) {
            let error = SyntaxError::Expected {
                expected: "an expression".to_owned(),
                after: None,
                found: Some("a control character".to_owned()),
                hint: None,
            };
            self.errors.push((self.span(pair), error));
        }
    }

    fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        let length = pair.as_str().trim_end().len();
        let start = self.base + span.start();
        Span {
            source: self.source,
            start: start.min(self.end) as u32,
            end: (start + length).min(self.end) as u32,
        }
    }

    fn name(&self, pair: &Pair<'_>) -> Name {
        Name { text: pair.as_str().to_owned(), span: self.span(pair) }
    }

    /// Returns the name inside a rule such as `kind` that wraps an identifier.
    fn inner_name(&self, pair: Pair<'_>) -> Option<Name> {
        pair.into_inner()
            .find(|p| matches!(p.as_rule(), Rule::word | Rule::name))
            .map(|p| self.name(&p))
    }

    fn missing_name(&self, span: Span) -> Name {
        Name { text: String::new(), span }
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
