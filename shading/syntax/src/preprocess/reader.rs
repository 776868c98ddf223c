//! State of an open file: its tokens and the open conditions.

use std::ops::Range;
use std::sync::Arc;

use crate::source::{FileIndex, Source};
use crate::token::{TokenKind, is_space, scan};

pub(super) struct FileReader {
    pub(super) index: FileIndex,
    pub(super) source: Arc<Source>,
    pub(super) at: usize,
    /// True if only white space precedes on the line.
    pub(super) at_line_start: bool,
    /// Open conditionals (without `#endif` so far).
    pub(super) conditions: Vec<Condition>,
    /// A byte offset and its line: cache of [`FileReader::line_of`].
    pub(super) line: (usize, u32),
}

/// An open conditional (without `#endif` so far).
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) range: Range<u32>,
    /// True if one of its branches was taken.
    pub(super) taken: bool,
    pub(super) has_else: bool,
}

impl FileReader {
    pub(super) fn new(index: FileIndex, source: Arc<Source>) -> FileReader {
        let line = (0, source.first_line());
        FileReader {
            index,
            source,
            at: 0,
            at_line_start: true,
            conditions: vec![],
            line,
        }
    }

    /// Reads the next token and returns its kind and range.
    pub(super) fn scan(&mut self) -> Option<(TokenKind, Range<u32>)> {
        if self.at >= self.source.text.len() {
            return None;
        }
        let (kind, end) = scan(&self.source.text, self.at);
        let range = self.at as u32..end as u32;
        self.at = end;
        self.at_line_start = kind == TokenKind::Newline || self.at_line_start && is_space(kind);
        Some((kind, range))
    }

    /// Returns whether only white space precedes on the line.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.at_line_start
    }

    pub(super) fn slice(&self, range: &Range<u32>) -> &str {
        &self.source.text[range.start as usize..range.end as usize]
    }

    /// Returns the line of a byte. Queries are expected in nearly ascending order.
    pub(super) fn line_of(&mut self, byte: usize) -> u32 {
        if byte < self.line.0 {
            self.line = (0, self.source.first_line());
        }
        let between = self.source.text.as_bytes().get(self.line.0..byte).unwrap_or_default();
        self.line = (byte, self.line.1 + between.iter().filter(|&&b| b == b'\n').count() as u32);
        self.line.1
    }
}
