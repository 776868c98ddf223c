//! Names in preprocessor directives: macros and included files.

use super::indexer::{Indexer, NewDefinition};
use crate::definition::{DefinitionKind, Import};
use crate::token::{Token, TokenKind, is_word};

impl Indexer<'_> {
    /// Adds macros, and files that are included or imported.
    pub(super) fn directives(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Directive => self.directive(token),
                TokenKind::Word if &self.text[token.range.clone()] == "import" => {
                    if let Some(name) = tokens.get(at + 1).filter(|next| next.kind == TokenKind::Text) {
                        self.import(name.range.start, '"');
                    }
                }
                _ => {}
            }
        }
    }

    fn directive(&mut self, token: &Token) {
        let line = &self.text[token.range.clone()];
        let rest = line[1..].trim_start();
        let start = token.range.end - rest.len();
        if let Some(rest) = rest.strip_prefix("define") {
            let trimmed = rest.trim_start();
            let name = &trimmed[..trimmed.find(|c| !is_word(c)).unwrap_or(trimmed.len())];
            if name.is_empty() {
                return;
            }
            let at = token.range.end - trimmed.len();
            let value = self.slice(at + name.len()..token.range.end);
            self.define(NewDefinition {
                name,
                kind: DefinitionKind::Macro,
                name_range: at..at + name.len(),
                range: token.range.clone(),
                ty: value,
                container: None,
                metadata: &[],
                default: None,
            });
        } else if let Some(name) = rest.strip_prefix("include") {
            let at = start + "include".len() + (name.len() - name.trim_start().len());
            let close = if name.trim_start().starts_with('<') { '>' } else { '"' };
            self.import(at, close);
        }
    }

    /// Adds the import of a file whose opening quote is at `at`.
    fn import(&mut self, at: usize, close: char) {
        let Some(rest) = self.text.get(at + 1..) else {
            return;
        };
        let Some(end) = rest.find([close, '\n']) else {
            return;
        };
        let name = rest[..end].to_owned();
        if rest[end..].starts_with(close) {
            let range = at + 1..at + 1 + end;
            self.index.imports.push(Import { range, name });
        }
    }
}
