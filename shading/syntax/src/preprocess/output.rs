//! Output text of the preprocessor with its provenance map.

use super::token::{Token, need_space, unspliced};
use crate::source::{FileIndex, Origin};
use crate::token::TokenKind;

#[derive(Debug, Default)]
pub(super) struct Output {
    text: String,
    pub(super) origin: Origin,
    /// True if the text ends with the expansion of a macro.
    after_expansion: bool,
    /// Start of the text in which warnings are suppressed, set once the next line begins.
    quiet: Option<u32>,
}

impl Output {
    /// Discards the text, but keeps the files.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.origin.forget_text();
    }

    /// Appends a token of a file unchanged.
    pub(super) fn text(&mut self, token: &Token) {
        if token.kind == TokenKind::Splice {
            return self.text.push(' ');
        }
        let source = self.origin.source(token.file).clone();
        let mut text = &source.text[token.range.start as usize..token.range.end as usize];
        if token.kind == TokenKind::Comment && text.starts_with("//") && text.contains('\n') {
            // Later steps end an unclosed line comment at its line end.
            text = "";
        }
        self.separate(text);
        self.origin.add_text(self.len(), token.file, token.range.start);
        match token.kind {
            TokenKind::String => self.text.push_str(&unspliced(text)),
            _ => self.text.push_str(text),
        }
        if token.kind == TokenKind::Newline
            && let Some(start) = self.quiet
            && !self.text[start as usize..].trim().is_empty()
        {
            self.quiet = None;
            self.origin.add_quiet(start..self.len());
        }
    }

    /// Appends a part of a file unchanged.
    pub(super) fn copy(&mut self, file: FileIndex, range: std::ops::Range<u32>) {
        let source = self.origin.source(file).clone();
        let text = &source.text[range.start as usize..range.end as usize];
        self.separate(text);
        self.origin.add_text(self.len(), file, range.start);
        self.text.push_str(text);
    }

    /// Inserts a space before a text that follows the expansion of a macro, if the tokens would merge.
    fn separate(&mut self, text: &str) {
        if std::mem::take(&mut self.after_expansion)
            && need_space(self.text.chars().next_back(), text.chars().next())
        {
            self.text.push(' ');
        }
    }

    /// Returns whether line ends are significant in the output.
    pub(super) fn wants_lines(&self) -> bool {
        self.quiet.is_some()
    }

    /// Appends the expansion of a macro used at the given location.
    pub(super) fn expansion(
        &mut self,
        name: &str,
        file: FileIndex,
        range: std::ops::Range<u32>,
        tokens: &[Token],
    ) {
        let expansion = self.origin.add_expansion(name, file, range);
        let mut previous: Option<&Token> = None;
        for token in tokens {
            let was_adjacent =
                previous.is_some_and(|p| p.file == token.file && p.range.end == token.range.start);
            let spaced = previous.is_some() && token.spaced;
            if spaced || !was_adjacent && need_space(self.text.chars().next_back(), token.text.chars().next())
            {
                self.text.push(' ');
            }
            self.origin.add_token(self.len(), token.file, token.range.clone(), expansion);
            self.text.push_str(&token.text);
            previous = Some(token);
        }
        self.after_expansion = true;
    }

    /// Suppresses warnings on the next line.
    pub(super) fn quiet_next_line(&mut self) {
        self.quiet = Some(self.len());
    }

    fn len(&self) -> u32 {
        self.text.len() as u32
    }

    pub(super) fn finish(mut self) -> (String, Origin) {
        if let Some(start) = self.quiet {
            self.origin.add_quiet(start..self.len());
        }
        (self.text, self.origin)
    }
}
