//! Sources, diagnostics, preprocessor and parser of Kiln's shading language and scene files. It compiles nothing: an
//! importer, a formatter or a language server needs no more than this crate.
//!
//! ```
//! use shading_syntax::{parse, source::Source};
//!
//! let (file, errors) = parse(Source::new("rings.ksl", "shader rings(float count = 4) {}"));
//! assert!(!errors.has_errors());
//! assert_eq!(file.items.len(), 1);
//! ```
//!
//! 1. [`source`]: texts, spans, and where preprocessed text came from.
//! 2. [`preprocess`] includes files and expands macros.
//! 3. [`parse`] makes a syntax tree ([`ast`]). It reports the syntax errors of all top-level items, since each is parsed
//!    on its own. `grammar.pest` is the one grammar of units, functions, groups and the declarations of scene files.
//! 4. [`diagnostic`]: errors and warnings with their place, the line and a hint.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod ast;
pub mod diagnostic;
mod error;
mod lower;
pub mod preprocess;
mod scan;
pub mod source;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::source::{Source, SourceId, SourceMap};

/// Stack for the recursion that nested brackets cause, whatever thread this runs on.
const STACK: usize = 16 << 20;

/// Parses a source. The tree holds what could be read; it is whole when there is no error.
pub fn parse(source: Arc<Source>) -> (ast::File, Diagnostics) {
    parse_into(SourceMap::default(), source)
}

/// Parses a source that joins others: the tree's sources are those of `sources` and the new one, so that the spans of
/// several files can be told apart.
pub fn parse_into(mut sources: SourceMap, source: Arc<Source>) -> (ast::File, Diagnostics) {
    let id = sources.add(source.clone());
    let mut diagnostics = Diagnostics::default();
    let scan = scan::scan(&source.text);
    let mut lowerer = lower::Lowerer::new(id);
    for (range, error) in scan.errors {
        lowerer.error(range, error);
    }
    stacker::maybe_grow(STACK / 2, STACK, || {
        for range in scan.items {
            lowerer.item(&scan.text, range);
        }
    });
    let (items, mut errors) = lowerer.finish();
    errors.sort_by_key(|(span, _)| span.start);
    for (span, error) in errors {
        diagnostics.push(error.diagnostic(&sources, span));
    }
    (ast::File { sources, items }, diagnostics)
}

/// The bytes of each item of a text without mistakes.
pub fn items(text: &str) -> Vec<Range<usize>> {
    scan::scan(text).items
}

/// Parses one item of a text; `None` after a mistake.
pub fn parse_item(text: &str, item: Range<usize>, source: SourceId) -> Option<ast::Item> {
    let mut lowerer = lower::Lowerer::new(source);
    stacker::maybe_grow(STACK / 2, STACK, || lowerer.item(text, item));
    lowerer.finish().0.pop()
}
