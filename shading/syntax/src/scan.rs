//! Pre-scan of a source text: finds the ends of top-level items for error recovery, and bounds nesting.
//!
//! - Strings, comments and brackets are matched here, so errors in them get their own messages.
//! - Brackets may be nested up to [`MAX_DEPTH`], which bounds the recursion of all later steps.
//! - Preprocessor lines are replaced by spaces, and a string without an end by a [`mark`].

use std::borrow::Cow;
use std::ops::Range;

use super::error::SyntaxError;
use crate::diagnostic::MAX_ERRORS;
use crate::token::ITEM_WORDS;

/// Maximum nesting depth of brackets.
pub(super) const MAX_DEPTH: usize = 256;

/// Maximum length of a text in bytes, so that offsets fit a [`crate::source::Span`].
pub(super) const MAX_BYTES: usize = 1 << 28;

/// Character that replaces a part that could not be parsed: the grammar's rule `missing`.
const MARK: char = '\u{1}';

/// Returns a mark that replaces a text, with the same lines and the same length.
pub(super) fn mark(text: &str) -> String {
    let rest = text.bytes().skip(1);
    let blank = rest.map(|byte| if byte == b'\n' { '\n' } else { ' ' });
    std::iter::once(MARK).chain(blank).collect()
}

/// A text cut into items.
pub(super) struct Scan<'a> {
    /// The text with preprocessor lines blanked; offsets are those of the source.
    pub(super) text: Cow<'a, str>,
    pub(super) items: Vec<ScannedItem>,
    /// Byte ranges of the items with errors that make parsing them pointless.
    pub(super) unparsed: Vec<Range<usize>>,
    pub(super) errors: Vec<(Range<usize>, SyntaxError)>,
}

pub(super) struct ScannedItem {
    /// Bytes of the item.
    pub(super) range: Range<usize>,
    /// Number of braces that are missing at its end.
    pub(super) unclosed: usize,
    /// Offsets of marks that replace strings without an end.
    pub(super) marks: Vec<usize>,
}

pub(super) fn scan(text: &str) -> Scan<'_> {
    if text.len() > MAX_BYTES {
        let errors = vec![(0..0, SyntaxError::TooLong)];
        return Scan {
            text: Cow::Borrowed(""),
            items: vec![],
            unparsed: vec![],
            errors,
        };
    }
    let mut scanner = Scanner {
        text: Cow::Borrowed(text),
        bytes: text.as_bytes(),
        at: 0,
        start: None,
        broken: false,
        marks: vec![],
        open: vec![],
        excess_depth: 0,
        items: vec![],
        unparsed: vec![],
        errors: vec![],
    };
    scanner.run();
    Scan {
        text: scanner.text,
        items: scanner.items,
        unparsed: scanner.unparsed,
        errors: scanner.errors,
    }
}

struct Scanner<'a> {
    text: Cow<'a, str>,
    bytes: &'a [u8],
    at: usize,
    /// Start of the current item.
    start: Option<usize>,
    /// True if the current item has an error that makes parsing it pointless.
    broken: bool,
    /// Offsets of the marks in the current item.
    marks: Vec<usize>,
    /// Open brackets of the current item.
    open: Vec<(usize, u8)>,
    /// Number of open brackets beyond the maximum depth.
    excess_depth: usize,
    items: Vec<ScannedItem>,
    unparsed: Vec<Range<usize>>,
    errors: Vec<(Range<usize>, SyntaxError)>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at)
            && self.errors.len() < MAX_ERRORS
        {
            match byte {
                b'/' if self.next_is(b'/') => self.line_end(),
                b'/' if self.next_is(b'*') => self.block_comment(),
                b'#' if self.at_line_start(true) => self.directive(),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ if !self.open.is_empty() && self.begins_item() => {
                    // The previous item lacks a closing bracket; this one can still be parsed.
                    self.report_open();
                    self.end_item(self.at);
                }
                _ => {
                    self.start.get_or_insert(self.at);
                    self.token(byte);
                }
            }
        }
        self.broken |= self.at < self.bytes.len();
        self.report_open();
        self.end_item(self.bytes.len());
    }

    fn token(&mut self, byte: u8) {
        let at = self.at;
        match byte {
            b'"' => return self.string(),
            // Brackets beyond the maximum depth are only counted until they are closed.
            b'(' | b'[' | b'{' if self.open.len() > MAX_DEPTH => self.excess_depth += 1,
            b')' | b']' | b'}' if self.excess_depth > 0 => self.excess_depth -= 1,
            b'(' | b'[' | b'{' => {
                self.open.push((at, byte));
                if self.open.len() == MAX_DEPTH + 1 {
                    self.errors.push((at..at + 1, SyntaxError::TooDeep(MAX_DEPTH)));
                    self.broken = true;
                }
            }
            b')' | b']' | b'}' => return self.close(byte),
            b';' if self.open.is_empty() => return self.end_item(at + 1),
            _ => {}
        }
        self.at += 1;
    }

    fn close(&mut self, byte: u8) {
        let at = self.at;
        self.at += 1;
        let opener = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        match self.open.last() {
            Some((_, open)) if *open == opener => {
                self.open.pop();
            }
            // A brace closes a block with unclosed parentheses: the parser finds the location.
            Some(_) if byte == b'}' && self.open.iter().any(|(_, open)| *open == b'{') => {
                while self.open.pop().is_some_and(|(_, open)| open != b'{') {}
            }
            Some(_) => {}
            None => {
                self.errors.push((at..at + 1, SyntaxError::NothingToClose(byte as char)));
                if self.start == Some(at) {
                    self.start = None;
                    return;
                }
                self.broken = true;
            }
        }
        if byte == b'}' && self.open.is_empty() {
            self.end_block_item();
        }
    }

    /// Ends an item at its closing brace. A structure includes the semicolon after it, and a scene block includes its
    /// remaining tokens.
    fn end_block_item(&mut self) {
        let mut look = self.at;
        while self.bytes.get(look).is_some_and(u8::is_ascii_whitespace) {
            look += 1;
        }
        match self.bytes.get(look) {
            Some(b';') => self.end_item(look + 1),
            // A braced list used as a value: the item continues.
            Some(b',' | b')' | b'.' | b'[' | b'=' | b'+' | b'-' | b'*') => {}
            _ => self.end_item(self.at),
        }
    }

    fn end_item(&mut self, end: usize) {
        self.at = end;
        let marks = std::mem::take(&mut self.marks);
        if let Some(start) = self.start.take() {
            if self.broken {
                self.unparsed.push(start..end);
            } else {
                self.items.push(ScannedItem {
                    range: start..end,
                    unclosed: self.open.len(),
                    marks: marks.into_iter().map(|at| at - start).collect(),
                });
            }
        }
        self.broken = false;
        self.open.clear();
        self.excess_depth = 0;
    }

    /// Reports a bracket that the current item does not close. Missing braces can be assumed at its end.
    fn report_open(&mut self) {
        let Some(&(at, bracket)) = self.open.last() else {
            return;
        };
        // A string or a comment without an end may contain the closing bracket.
        if !self.broken && self.marks.is_empty() {
            let bracket = bracket as char;
            self.errors.push((at..at + 1, SyntaxError::NotClosed(bracket)));
        }
        self.broken |= self.open.iter().any(|(_, bracket)| *bracket != b'{');
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') if self.bytes.get(self.at + 1).is_some_and(|&b| b != b'\n') => self.at += 2,
                Some(b'\n') | None => {
                    let range = start..self.at;
                    let mark = mark(&self.text[range.clone()]);
                    self.text.to_mut().replace_range(range.clone(), &mark);
                    self.marks.push(start);
                    self.errors.push((range, SyntaxError::StringNotClosed));
                    return;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn line_end(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&b| b != b'\n') {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(length) => self.at = start + length + 4,
            None => {
                self.errors.push((start..start + 2, SyntaxError::CommentNotClosed));
                self.broken = true;
                self.at = self.bytes.len();
            }
        }
    }

    /// Scans a preprocessor line, including continuation lines.
    fn directive(&mut self) {
        let start = self.at;
        loop {
            self.line_end();
            let before = self.text[start..self.at].trim_end_matches('\r');
            if !before.ends_with('\\') || self.at >= self.bytes.len() {
                break;
            }
            self.at += 1;
        }
        let end = self.at;
        let line = self.text[start..end].trim_end();
        let words = line[1..].trim_start();
        let word: String = words.chars().take_while(char::is_ascii_alphabetic).collect();
        self.errors.push((start..start + line.len(), SyntaxError::Directive(word)));
        let blank: String = self.text[start..end]
            .bytes()
            .map(|b| if b == b'\n' { '\n' } else { ' ' })
            .collect();
        self.text.to_mut().replace_range(start..end, &blank);
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at + 1) == Some(&byte)
    }

    /// Returns whether only white space (or nothing, unless `indented`) precedes on the line.
    fn at_line_start(&self, indented: bool) -> bool {
        self.bytes[..self.at]
            .iter()
            .rev()
            .take_while(|&&b| b != b'\n')
            .all(|b| indented && b.is_ascii_whitespace())
    }

    /// Returns whether an item begins here although brackets are open: `word name` at the very start of a line.
    fn begins_item(&self) -> bool {
        if !self.bytes[self.at].is_ascii_alphabetic() || !self.at_line_start(false) {
            return false;
        }
        let rest = &self.bytes[self.at..];
        ITEM_WORDS.iter().any(|word| {
            rest.strip_prefix(word.as_bytes())
                .and_then(|rest| rest.strip_prefix(b" "))
                .and_then(|rest| rest.iter().find(|b| **b != b' '))
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        })
    }
}
