//! Index of a text: definitions, and targets of references.

mod code;
mod directive;
mod group;
mod indexer;
mod scene;
mod table;
mod unparsed;

use crate::token::Token;
use indexer::Indexer;
use shading_syntax::ast;

pub use table::Index;

pub(crate) fn index(text: &str, tokens: &[Token], file: &ast::File) -> Index {
    let mut indexer = Indexer::new(text);
    indexer.directives(tokens);
    indexer.declare(file);
    indexer.declare_unparsed(tokens);
    indexer.bodies(file);
    indexer.finish()
}
