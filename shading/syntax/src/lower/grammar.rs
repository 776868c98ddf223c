//! Pest's generated parser.

use pest_derive::Parser;

/// Pest's parser of `grammar.pest`.
#[derive(Parser)]
#[grammar = "grammar.pest"]
pub(super) struct Grammar;
