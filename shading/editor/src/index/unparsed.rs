//! Definitions of items that do not parse, found by tokens.

use rustc_hash::FxHashSet;

use super::indexer::{Indexer, NewDefinition};
use crate::definition::DefinitionKind;
use crate::token::{Token, TokenKind};
use shading_syntax::ast::UnitKind;

impl Indexer<'_> {
    /// Defines the items at the starts of lines that the parser has dropped.
    pub(super) fn declare_unparsed(&mut self, tokens: &[Token]) {
        let definitions = self.index.definitions();
        let known: FxHashSet<usize> = definitions.map(|(_, known)| known.name_range.start).collect();
        let words: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::Comment).collect();
        for pair in words.windows(2) {
            let [keyword, name] = pair else { continue };
            let text = self.text;
            let (before, word) = (&text[..keyword.range.start], &text[keyword.range.clone()]);
            let begins_line = before.is_empty() || before.ends_with('\n');
            let Some(kind) = kind_of(word).filter(|_| begins_line && name.kind == TokenKind::Word) else {
                continue;
            };
            if !known.contains(&name.range.start) {
                self.define(NewDefinition {
                    name: &text[name.range.clone()],
                    kind,
                    name_range: name.range.clone(),
                    range: keyword.range.start..name.range.end,
                    ty: word.to_owned(),
                    container: None,
                    metadata: &[],
                    default: None,
                });
            }
        }
    }
}

/// Returns the kind of definition that a keyword at the start of a line begins.
fn kind_of(word: &str) -> Option<DefinitionKind> {
    match word {
        "camera" | "material" | "shape" | "light" => Some(DefinitionKind::Object),
        "group" => Some(DefinitionKind::Group),
        "struct" => Some(DefinitionKind::Struct),
        _ => UnitKind::from_name(word).map(|_| DefinitionKind::Unit),
    }
}
