//! Preprocessor directives: lines that begin with `#`.

use std::ops::Range;
use std::sync::Arc;

use super::error::{Failure, PreprocessError};
use super::macros::Macro;
use super::reader::Condition;
use super::run::{MAX_BYTES, Run};
use super::token::Token;
use crate::diagnostic::nearest;
use crate::source::{FileIndex, Source};
use crate::token::TokenKind;

/// Names of directives, for hints.
const DIRECTIVES: [&str; 15] = [
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "line", "error", "warning", "pragma",
];

impl Run<'_> {
    /// Executes the directive whose `#` is at the given bytes of the current file.
    pub(super) fn directive(&mut self, hash: Range<u32>) -> Result<(), Failure> {
        let line = self.rest_of_line();
        // A lone `#` is a null directive.
        let Some((word, rest)) = line.split_first() else {
            return Ok(());
        };
        let whole = DirectivePlace {
            file: word.file,
            range: hash.start..line.last().map_or(hash.end, |last| last.range.end),
        };
        match &*word.text {
            "include" | "include_next" | "import" => self.include_line(word, rest, &whole),
            "define" => self.define(word, rest),
            "undef" => self.undefine(word, rest),
            "if" => {
                let is_true = self.condition(word, rest);
                self.begin(&whole, is_true)
            }
            "ifdef" | "ifndef" => {
                let is_defined = self.is_defined(word, rest);
                self.begin(&whole, is_defined.map(|is| is == (&*word.text == "ifdef")))
            }
            "elif" | "elifdef" | "elifndef" | "else" => self.branch(word, &whole),
            "endif" => {
                let open = self.files.last_mut().and_then(|reader| reader.conditions.pop());
                match open {
                    Some(_) => Ok(()),
                    None => Err(whole.failure(PreprocessError::NoIf("endif".to_owned()))),
                }
            }
            "line" => self.line_directive(rest, &whole),
            "error" => Err(whole.failure(PreprocessError::Custom(self.rest_text(word, &whole)))),
            "warning" => {
                let text = self.rest_text(word, &whole);
                self.report(whole.file, whole.range, PreprocessError::CustomWarning(text));
                Ok(())
            }
            "pragma" => self.pragma(rest, &whole),
            // `# 12 "file"`: the line markers of other preprocessors.
            _ if word.kind == TokenKind::Number => self.line_directive(&line, &whole),
            text => Err(Failure::at(
                word,
                PreprocessError::UnknownDirective {
                    word: text.to_owned(),
                    near: nearest(text, DIRECTIVES).map(str::to_owned),
                },
            )),
        }
    }

    /// Returns the tokens up to the end of the line, with their texts.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let mut line = vec![];
        let mut spaced = false;
        while let Some(reader) = self.files.last_mut() {
            let start = reader.at;
            let Some((kind, range)) = reader.scan() else { break };
            if kind == TokenKind::Newline {
                // The end of the line remains in the output.
                reader.at = start;
                break;
            }
            let token = self.token(kind, range);
            if token.is_space() {
                spaced = true;
                continue;
            }
            let mut token = self.with_text(token);
            token.spaced = std::mem::take(&mut spaced);
            line.push(token);
        }
        line
    }

    /// Returns the text after the directive's name, as written.
    fn rest_text(&self, word: &Token, whole: &DirectivePlace) -> String {
        let source = self.output.origin.source(whole.file);
        let text = &source.text[word.range.end as usize..whole.range.end as usize];
        text.trim().trim_matches('"').to_owned()
    }

    fn include_line(&mut self, word: &Token, rest: &[Token], whole: &DirectivePlace) -> Result<(), Failure> {
        let name = match rest.first() {
            Some(first) if first.kind == TokenKind::String || first.is("<") => rest.to_vec(),
            Some(_) => self.expand(rest.to_vec(), None)?,
            None => return Err(Failure::at(word, PreprocessError::BadInclude)),
        };
        let (name, quoted) = match name.first() {
            Some(first) if first.kind == TokenKind::String => {
                (first.text[1..first.text.len() - 1].to_owned(), true)
            }
            Some(open) if open.is("<") => {
                let close = name.iter().position(|token| token.is(">"));
                let close = close.ok_or_else(|| Failure::at(open, PreprocessError::BadInclude))?;
                let mut text = String::new();
                for (i, token) in name[1..close].iter().enumerate() {
                    if i > 0 && token.spaced {
                        text.push(' ');
                    }
                    text.push_str(&token.text);
                }
                (text, false)
            }
            _ => return Err(whole.failure(PreprocessError::BadInclude)),
        };
        if name.is_empty() {
            return Err(whole.failure(PreprocessError::BadInclude));
        }
        self.include(&name, quoted, whole.file, whole.range.clone())
    }

    fn define(&mut self, word: &Token, rest: &[Token]) -> Result<(), Failure> {
        let made = Macro::read(word, rest)?;
        if let Some(old) = self.macros.get(&made.name)
            && let Some(place) = &old.place
            && !old.is_same(&made)
        {
            let error = PreprocessError::Redefined { name: made.name.to_string(), place: place.clone() };
            self.report(rest[0].file, rest[0].range.clone(), error);
        }
        self.macros.insert(made.name.clone(), Arc::new(made));
        Ok(())
    }

    fn undefine(&mut self, word: &Token, rest: &[Token]) -> Result<(), Failure> {
        let name = macro_name(word, rest)?;
        self.macros.remove(&name.text);
        Ok(())
    }

    fn is_defined(&mut self, word: &Token, rest: &[Token]) -> Result<bool, Failure> {
        Ok(self.macros.contains_key(&macro_name(word, rest)?.text))
    }

    /// Begins a conditional (`#if`, `#ifdef`, `#ifndef`). A condition with an error counts as false.
    fn begin(&mut self, whole: &DirectivePlace, is_true: Result<bool, Failure>) -> Result<(), Failure> {
        let (is_true, failure) = match is_true {
            Ok(is_true) => (is_true, None),
            Err(failure) => (false, Some(failure)),
        };
        if let Some(reader) = self.files.last_mut() {
            reader
                .conditions
                .push(Condition { range: whole.range.clone(), taken: is_true, has_else: false });
        }
        if !is_true {
            self.skip();
        }
        failure.map_or(Ok(()), Err)
    }

    /// Begins a branch after one that was taken, which ends here.
    fn branch(&mut self, word: &Token, whole: &DirectivePlace) -> Result<(), Failure> {
        self.check_branch(word, whole)?;
        self.skip();
        Ok(())
    }

    /// Checks that a branch is allowed here: inside an `#if`, and not after `#else`.
    fn check_branch(&mut self, word: &Token, whole: &DirectivePlace) -> Result<(), Failure> {
        let condition = self.files.last_mut().and_then(|reader| reader.conditions.last_mut());
        let Some(condition) = condition else {
            let word = word.text.to_string();
            return Err(whole.failure(PreprocessError::NoIf(word)));
        };
        if condition.has_else {
            let word = word.text.to_string();
            return Err(whole.failure(PreprocessError::AfterElse(word)));
        }
        condition.has_else = word.is("else");
        Ok(())
    }

    /// Skips text up to the branch that is taken, or past the `#endif`.
    fn skip(&mut self) {
        let mut depth = 0;
        loop {
            let Some(reader) = self.files.last_mut() else {
                return;
            };
            let at_line_start = reader.is_at_line_start();
            let Some((kind, range)) = reader.scan() else {
                return;
            };
            if !at_line_start || kind != TokenKind::Punctuation || reader.slice(&range) != "#" {
                continue;
            }
            let line = self.rest_of_line();
            let Some((word, rest)) = line.split_first() else {
                continue;
            };
            let whole = DirectivePlace {
                file: word.file,
                range: range.start..line.last().map_or(range.end, |last| last.range.end),
            };
            match &*word.text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    if let Some(reader) = self.files.last_mut() {
                        reader.conditions.pop();
                    }
                    return;
                }
                "elif" | "elifdef" | "elifndef" | "else" if depth == 0 => {
                    if let Err(failure) = self.check_branch(word, &whole) {
                        self.fail(failure);
                        continue;
                    }
                    if self.is_taken() {
                        continue;
                    }
                    let is_true = match &*word.text {
                        "elif" => self.condition(word, rest),
                        "else" => Ok(true),
                        kind => self.is_defined(word, rest).map(|is| is == (kind == "elifdef")),
                    };
                    match is_true {
                        Ok(true) => {
                            if let Some(reader) = self.files.last_mut()
                                && let Some(condition) = reader.conditions.last_mut()
                            {
                                condition.taken = true;
                            }
                            return;
                        }
                        Ok(false) => {}
                        Err(failure) => self.fail(failure),
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns whether a branch of the innermost conditional was taken.
    fn is_taken(&self) -> bool {
        let condition = self.files.last().and_then(|reader| reader.conditions.last());
        condition.is_some_and(|condition| condition.taken)
    }

    /// `#line number "file"`: sets file name and line number of the following text.
    fn line_directive(&mut self, rest: &[Token], whole: &DirectivePlace) -> Result<(), Failure> {
        let rest = self.expand(rest.to_vec(), None)?;
        let number = rest.first().and_then(|token| token.text.parse::<u32>().ok());
        let name = match rest.get(1) {
            None => Some(self.output.origin.source(whole.file).name.clone()),
            Some(name) if name.kind == TokenKind::String => {
                Some(name.text[1..name.text.len() - 1].to_owned())
            }
            Some(_) => None,
        };
        let (Some(number), Some(name)) = (number, name) else {
            return Err(whole.failure(PreprocessError::BadLine));
        };
        let Some(reader) = self.files.last_mut() else {
            return Ok(());
        };
        let start = reader.source.text[reader.at..]
            .find('\n')
            .map_or(reader.source.text.len(), |n| reader.at + n);
        // The rest of the text is copied, so it is charged like a file.
        let text = reader.source.text[start..].to_owned();
        self.bytes += text.len();
        if self.bytes > MAX_BYTES {
            return Err(whole.failure(PreprocessError::TooMuch));
        }
        // The directive's own line end comes first.
        self.continue_as(Source::part(name, text, number.saturating_sub(1)));
        Ok(())
    }

    fn pragma(&mut self, rest: &[Token], whole: &DirectivePlace) -> Result<(), Failure> {
        let words: Vec<&str> = rest.iter().map(|token| &*token.text).collect();
        match words.as_slice() {
            ["once", ..] => {
                if let Some(reader) = self.files.last() {
                    let source = reader.source.clone();
                    self.once.push(source);
                }
                Ok(())
            }
            ["osl", "nowarn", ..] => {
                self.output.quiet_next_line();
                Ok(())
            }
            ["error", ..] => Err(whole.failure(PreprocessError::Custom(self.rest_text(&rest[0], whole)))),
            ["warning", ..] => {
                let text = self.rest_text(&rest[0], whole);
                self.report(whole.file, whole.range.clone(), PreprocessError::CustomWarning(text));
                Ok(())
            }
            // Pragmas of other compilers are ignored.
            _ => Ok(()),
        }
    }
}

/// Returns the macro name after `#ifdef`, `#ifndef` or `#undef`.
fn macro_name<'t>(word: &Token, rest: &'t [Token]) -> Result<&'t Token, Failure> {
    match rest.first() {
        Some(name) if name.is_name() => Ok(name),
        Some(other) => Err(Failure::at(other, PreprocessError::BadMacroName(other.text.to_string()))),
        None => Err(Failure::at(word, PreprocessError::NoMacroName)),
    }
}

/// Source location of a directive.
struct DirectivePlace {
    file: FileIndex,
    range: Range<u32>,
}

impl DirectivePlace {
    fn failure(&self, error: PreprocessError) -> Failure {
        Failure { file: self.file, range: self.range.clone(), error }
    }
}
