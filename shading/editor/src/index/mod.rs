//! Index of a text: its definitions, and what each name refers to.

mod code;
mod directive;
mod group;
mod indexer;
mod lost;
mod scene;
mod table;

use crate::token::Token;
use indexer::Indexer;
use shading_syntax::ast;

pub use table::Index;

/// Makes the index of a parsed text.
pub(crate) fn index(text: &str, tokens: &[Token], file: &ast::File) -> Index {
    let mut indexer = Indexer::new(text);
    indexer.directives(tokens);
    indexer.declare(file);
    indexer.declare_lost(tokens);
    indexer.bodies(file);
    indexer.finish()
}
