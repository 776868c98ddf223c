//! Sources, diagnostics, preprocessor and parser of Kiln's shading language and scene files. It does not compile:
//! importers, formatters and language servers need only this crate.
//!
//! ```
//! use shading_syntax::{parse, source::Source};
//!
//! let (file, errors) = parse(Source::new("rings.ksl", "shader rings(float count = 4) {}"));
//! assert!(!errors.has_errors());
//! assert_eq!(file.items.len(), 1);
//! ```
//!
//! 1. [`source`]: texts, spans, and the origin of preprocessed text. [`token`]: tokens of a text as written.
//! 2. [`preprocess`] includes files and expands macros.
//! 3. [`parse`] returns a syntax tree ([`ast`]) and all syntax errors. Each top-level item is parsed separately, and incorrect
//!    parts of an item are omitted from the tree. `grammar.pest` is the grammar of units, functions, groups and scene
//!    declarations.
//! 4. [`diagnostic`]: errors and warnings with their location, the source line and a hint.

#![deny(unsafe_code, missing_docs)]
#![warn(rustdoc::broken_intra_doc_links)]
// Results must have the same bits on all machines, so they must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod ast;
pub mod diagnostic;
mod error;
mod lower;
mod parsed_text;
pub mod preprocess;
mod scan;
pub mod source;
pub mod token;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::lower::STACK;
use crate::source::{Source, SourceId, SourceMap};

pub use parsed_text::ParsedText;

/// Parses a source. The tree is complete if there are no errors. After a syntax error, the parser continues with the next
/// argument or statement.
pub fn parse(source: Arc<Source>) -> (ast::File, Diagnostics) {
    parse_into(SourceMap::default(), source)
}

/// Parses a source into an existing source map: the tree's sources are those of `sources` and the new one, so that
/// spans of several files are distinct.
pub fn parse_into(mut sources: SourceMap, source: Arc<Source>) -> (ast::File, Diagnostics) {
    let id = sources.add(source.clone());
    let mut diagnostics = Diagnostics::default();
    let scan = scan::scan(&source.text);
    let mut lowerer = lower::Lowerer::new(id);
    for (range, error) in scan.errors {
        lowerer.error(range, error);
    }
    stacker::maybe_grow(STACK / 2, STACK, || {
        for item in &scan.items {
            lowerer.item(&scan.text, item);
        }
    });
    for range in scan.unparsed {
        lowerer.skip_item(&scan.text[range]);
    }
    let (items, unparsed, mut errors) = lowerer.finish();
    errors.sort_by_key(|(span, _)| span.start);
    for (span, error) in errors {
        diagnostics.push(error.diagnostic(&sources, span));
    }
    let file = ast::File {
        sources,
        items,
        unparsed,
        declaration_index: ast::DeclarationIndex::default(),
    };
    (file, diagnostics)
}

/// Returns the byte range of each item of a text without syntax errors.
pub fn items(text: &str) -> Vec<Range<usize>> {
    let items = scan::scan(text).items.into_iter();
    items.map(|item| item.range).collect()
}

/// Bytes of a text for each thread that parses it.
const BYTES_PER_THREAD: usize = 1 << 16;

/// Returns whether a text has no syntax errors: [`parse`] without a tree, on several threads if the text is long.
pub fn parses(text: &str) -> bool {
    let scan = scan::scan(text);
    if !scan.errors.is_empty() || !scan.unparsed.is_empty() {
        return false;
    }
    let threads = match text.len() / BYTES_PER_THREAD {
        0 => 1,
        wanted => std::thread::available_parallelism().map_or(1, |there_are| wanted.min(there_are.get())),
    };
    let part = scan.items.len().div_ceil(threads).max(1);
    let parses = |items: &[scan::ScannedItem]| {
        let mut lowerer = lower::Lowerer::new(SourceId::default());
        stacker::maybe_grow(STACK / 2, STACK, || {
            for item in items {
                lowerer.item(&scan.text, item);
            }
        });
        lowerer.finish().2.is_empty()
    };
    std::thread::scope(|scope| {
        let mut parts = scan.items.chunks(part);
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|items| scope.spawn(|| parses(items))).collect();
        let first = parses(first);
        others.into_iter().all(|other| other.join().unwrap_or(false)) && first
    })
}

/// Parses one item of a text; returns `None` after a syntax error.
pub fn parse_item(text: &str, item: Range<usize>, source: SourceId) -> Option<ast::Item> {
    let mut lowerer = lower::Lowerer::new(source);
    let item = scan::ScannedItem { range: item, unclosed: 0, marks: vec![] };
    stacker::maybe_grow(STACK / 2, STACK, || lowerer.item(text, &item));
    let (mut items, _, errors) = lowerer.finish();
    items.pop().filter(|_| errors.is_empty())
}
