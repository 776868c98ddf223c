//! Tokens of the innermost open file; execution of its directives.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::error::{Failure, PreprocessError};
use super::reader::FileReader;
use super::run::{MAX_BYTES, MAX_FILES, MAX_NESTING, Run};
use super::token::{Token, unspliced};
use crate::source::{FileIndex, Source};
use crate::token::{TokenKind, is_space, scan};

type HiddenText = (Arc<str>, Arc<[Arc<str>]>);

fn no_text() -> HiddenText {
    static NO_TEXT: LazyLock<HiddenText> = LazyLock::new(|| ("".into(), [].into()));
    NO_TEXT.clone()
}

impl Run<'_> {
    pub(super) fn enter(&mut self, source: Arc<Source>, included: Option<(FileIndex, Range<u32>)>) {
        let index = self.output.origin.add_file(source.clone(), included);
        self.files.push(FileReader::new(index, source));
    }

    /// Continues reading the current file, from byte `at` on, as `source`.
    pub(super) fn continue_as(&mut self, source: Arc<Source>) {
        let Some(mut old) = self.files.pop() else { return };
        let index = self.output.origin.continue_file(old.index, source.clone());
        let mut reader = FileReader::new(index, source);
        reader.conditions = std::mem::take(&mut old.conditions);
        self.files.push(reader);
    }

    /// Copies the tokens of the current file up to one that may need further processing. This is the fast path for most
    /// text.
    pub(super) fn copy_plain(&mut self) {
        let Some(reader) = self.files.last_mut().filter(|_| self.pending.is_empty()) else {
            return;
        };
        if self.output.wants_lines() {
            return;
        }
        let start = reader.at;
        loop {
            let (at, at_line_start) = (reader.at, reader.at_line_start);
            let Some((kind, range)) = reader.scan() else { break };
            let text = reader.slice(&range);
            let is_plain = match kind {
                TokenKind::Name => !(self.macros.contains_key(text) || at_line_start && text == "import"),
                TokenKind::Punctuation => !(at_line_start && text == "#"),
                TokenKind::Comment => !text.starts_with("//") || !text.contains('\n'),
                TokenKind::String => !text.contains('\n'),
                TokenKind::Splice => false,
                TokenKind::Space
                | TokenKind::Newline
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::Directive
                | TokenKind::Nothing => true,
            };
            if !is_plain {
                (reader.at, reader.at_line_start) = (at, at_line_start);
                break;
            }
        }
        let range = start as u32..reader.at as u32;
        let file = reader.index;
        if !range.is_empty() {
            self.output.copy(file, range);
        }
    }

    /// Returns the next token that is not a directive, from any open file.
    pub(super) fn next(&mut self) -> Option<Token> {
        if let Some(token) = self.pending.pop() {
            return Some(token);
        }
        loop {
            let reader = self.files.last_mut()?;
            let at_line_start = reader.at_line_start;
            let Some((kind, range)) = reader.scan() else {
                self.leave();
                continue;
            };
            if at_line_start && kind == TokenKind::Punctuation && reader.slice(&range) == "#" {
                if let Err(failure) = self.directive(range) {
                    self.fail(failure);
                }
                continue;
            }
            if at_line_start
                && kind == TokenKind::Name
                && reader.slice(&range) == "import"
                && let Some((end, name)) = import(&reader.source.text, range.end as usize)
            {
                let (file, range) = (reader.index, range.start..end as u32);
                reader.at = end;
                if let Err(failure) = self.import(&name, file, range) {
                    self.fail(failure);
                }
                continue;
            }
            return Some(self.token(kind, range));
        }
    }

    /// Creates a token of the current file. Only macro names carry their text.
    pub(super) fn token(&self, kind: TokenKind, range: Range<u32>) -> Token {
        let (mut text, hidden) = no_text();
        let mut file = None;
        if let Some(reader) = self.files.last() {
            file = Some(reader.index);
            if kind == TokenKind::Name
                && let Some((name, _)) = self.macros.get_key_value(reader.slice(&range))
            {
                text = name.clone();
            }
        }
        Token {
            kind,
            text,
            file: file.unwrap_or_default(),
            range,
            spaced: false,
            hidden,
        }
    }

    /// Returns a token of a file with its text.
    pub(super) fn with_text(&self, mut token: Token) -> Token {
        if token.text.is_empty() {
            let source = self.output.origin.source(token.file);
            let text = &source.text[token.range.start as usize..token.range.end as usize];
            token.text = match token.kind {
                TokenKind::String => unspliced(text).into(),
                _ => text.into(),
            };
        }
        token
    }

    /// Closes the current file.
    fn leave(&mut self) {
        if let Some(reader) = self.files.pop()
            && let Some(condition) = reader.conditions.into_iter().next_back()
        {
            self.report(reader.index, condition.range, PreprocessError::NoEndif);
        }
    }

    /// Includes a file by name, as written at the given location.
    pub(super) fn include(
        &mut self,
        name: &str,
        quoted: bool,
        file: FileIndex,
        range: Range<u32>,
    ) -> Result<(), Failure> {
        if let Some(source) = self.find_file(name, quoted, file, &range)?
            && !self.once.iter().any(|known| known.text == source.text)
        {
            self.enter_included(source, file, range)?;
        }
        Ok(())
    }

    /// Includes a shader file, once.
    fn import(&mut self, name: &str, file: FileIndex, range: Range<u32>) -> Result<(), Failure> {
        let Some(source) = self.find_file(name, true, file, &range)? else {
            return Ok(());
        };
        let is_known = |list: &[Arc<Source>]| list.iter().any(|known| known.text == source.text);
        if !is_known(&self.once) && !is_known(&self.imported) {
            self.imported.push(source.clone());
            self.enter_included(source, file, range)?;
        }
        Ok(())
    }

    fn enter_included(
        &mut self,
        source: Arc<Source>,
        file: FileIndex,
        range: Range<u32>,
    ) -> Result<(), Failure> {
        self.entered += 1;
        let error = if self.files.len() >= MAX_NESTING {
            PreprocessError::IncludesTooDeep(MAX_NESTING)
        } else if self.entered > MAX_FILES {
            PreprocessError::TooManyFiles(MAX_FILES)
        } else {
            self.bytes += source.text.len();
            if self.bytes <= MAX_BYTES {
                self.enter(source, Some((file, range)));
                return Ok(());
            }
            PreprocessError::TooMuch
        };
        Err(Failure { file, range, error })
    }

    fn find_file(
        &mut self,
        name: &str,
        quoted: bool,
        file: FileIndex,
        range: &Range<u32>,
    ) -> Result<Option<Arc<Source>>, Failure> {
        let from = self.output.origin.source(file).clone();
        let key = (from.name.clone(), name.to_owned(), quoted);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (found, error) = match self.look_up(name, quoted, &from) {
            Ok(Some(source)) => (Some(source), None),
            Ok(None) => (None, Some(PreprocessError::NoFile(name.to_owned()))),
            Err(reason) => {
                let name = name.to_owned();
                (None, Some(PreprocessError::Unreadable { name, reason }))
            }
        };
        self.known.insert(key, found.clone());
        match error {
            None => Ok(found),
            Some(error) => Err(Failure { file, range: range.clone(), error }),
        }
    }

    /// Looks up an included file. The language's own headers come last, except the one that declares the built-in
    /// functions.
    pub(super) fn look_up(
        &self,
        name: &str,
        quoted: bool,
        from: &Source,
    ) -> Result<Option<Arc<Source>>, String> {
        use super::header;
        if header::is_built_in(name) {
            return Ok(header::find(name));
        }
        let found = match self.includes {
            Some(includes) => includes.find(name, quoted, from)?,
            None => None,
        };
        Ok(found.or_else(|| header::find(name)))
    }
}

/// Parses the rest of an `import` statement that imports shader source. Returns the end of the statement and the file
/// name.
fn import(text: &str, mut at: usize) -> Option<(usize, String)> {
    let mut next = || {
        while at < text.len() {
            let (kind, end) = scan(text, at);
            let token = (kind, &text[at..end]);
            at = end;
            if !is_space(kind) {
                return Some((token, end));
            }
        }
        None
    };
    let ((TokenKind::String, name), _) = next()? else {
        return None;
    };
    let ((_, ";"), end) = next()? else { return None };
    let name = name[1..name.len() - 1].to_owned();
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    matches!(extension.as_str(), "ksl" | "osl" | "tsl" | "h").then_some((end, name))
}
