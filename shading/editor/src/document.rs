//! A parsed text.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::index::{Index, index};
use crate::lines::Lines;
use crate::token::{Token, TokenKind, tokens};
use shading_syntax::ParsedText;
use shading_syntax::source::Source;

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Shader source: `.ksl`, `.osl`, `.tsl`, and included files.
    Shader,
    /// A scene: `.kiln`.
    Scene,
}

/// A parsed text. Macros are not expanded, so all offsets refer to the text as written.
#[derive(Debug)]
pub struct Document {
    /// Path of the file; texts that are not files have an invented path.
    pub path: PathBuf,
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: Lines,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Its syntax tree.
    pub parsed: ParsedText,
    /// Its definitions and references.
    pub index: Index,
}

impl Document {
    /// Parses a text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Document> {
        Document::parsed(path.into(), text.into(), ParsedText::new)
    }

    /// Parses the changed text; reuses the unchanged declarations of this document.
    #[must_use]
    pub fn changed(&self, text: impl Into<String>) -> Arc<Document> {
        Document::parsed(self.path.clone(), text.into(), |source| self.parsed.changed(source))
    }

    fn parsed(
        path: PathBuf,
        mut text: String,
        parse: impl FnOnce(Arc<Source>) -> ParsedText,
    ) -> Arc<Document> {
        // The parser removes a byte order mark, which would shift its offsets.
        if let Some(rest) = text.strip_prefix('\u{feff}') {
            text = format!(" {rest}");
        }
        let tokens = tokens(&text);
        let parsed = parse(Source::new(path.display().to_string(), text.clone()));
        let index = index(&text, &tokens, &parsed.file);
        Arc::new(Document { lines: Lines::new(&text), path, text, tokens, parsed, index })
    }

    /// Language by the name of the file.
    pub fn language(&self) -> Language {
        language_of(&self.path)
    }

    /// The text of a token.
    pub fn slice(&self, token: &Token) -> &str {
        &self.text[token.range.clone()]
    }

    /// Returns the token that contains the offset or ends at it, comments included.
    pub fn token_at(&self, offset: usize) -> Option<&Token> {
        let after = self.tokens.partition_point(|token| token.range.start <= offset);
        let token = self.tokens[..after].last()?;
        // At the start of a sign, the preceding word is preferred.
        let before = after.checked_sub(2).map(|at| &self.tokens[at]);
        match before {
            Some(before)
                if token.kind == TokenKind::Sign
                    && before.range.end == offset
                    && before.kind != TokenKind::Sign =>
            {
                Some(before)
            }
            _ => (offset <= token.range.end).then_some(token),
        }
    }
}

/// Language of a file by its name.
pub fn language_of(path: &Path) -> Language {
    match path.extension().and_then(OsStr::to_str) {
        Some(extension) if extension.eq_ignore_ascii_case("kiln") => Language::Scene,
        _ => Language::Shader,
    }
}
