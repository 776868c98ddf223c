//! Source texts and places in them.

mod origin;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use origin::{FileIndex, Origin, Written};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source text with the name that diagnostics show.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as the user wrote it, or a made-up one such as `<expression>`.
    pub name: String,
    /// The text.
    pub text: String,
    /// Number of the text's first line; other than 1 after `#line`.
    first_line: u32,
    /// Where the parts of a preprocessed text were written; `None` for a text as it was written.
    origin: Option<Origin>,
    /// Which parts of a translated text were translated from what, in order; none overlap.
    passages: Vec<Passage>,
}

/// A part of a text that was translated, and what it was translated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The bytes of the translation.
    pub range: Range<u32>,
    /// The source that it was translated from.
    pub source: Arc<Source>,
    /// The bytes there.
    pub place: Range<u32>,
}

impl Source {
    /// A text that was translated from others: messages about its passages name those, since nobody has seen the
    /// translation.
    pub fn translated(
        name: impl Into<String>,
        text: impl Into<String>,
        passages: Vec<Passage>,
    ) -> Arc<Source> {
        Arc::new(Source {
            name: name.into(),
            text: text.into(),
            first_line: 1,
            origin: None,
            passages,
        })
    }

    /// The passage that the byte at `offset` of a translation is of.
    pub(crate) fn passage(&self, offset: u32) -> Option<&Passage> {
        let after = self
            .passages
            .partition_point(|passage| passage.range.start <= offset);
        let passage = &self.passages[after.checked_sub(1)?];
        passage.range.contains(&offset).then_some(passage)
    }

    /// A source from its name and text. A byte-order mark at the beginning is left out, and carriage returns that end
    /// lines by themselves become line feeds.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        let mut text: String = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        let ends_line = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
        if text.match_indices('\r').any(ends_line) {
            // Places stay where they are: a carriage return before a line feed is white space.
            text = text.replace("\r\n", " \n").replace('\r', "\n");
        }
        Arc::new(Source {
            name: name.into(),
            text,
            first_line: 1,
            origin: None,
            passages: vec![],
        })
    }

    /// A part of a text whose lines are numbered from `first_line`.
    pub(crate) fn part(name: String, text: String, first_line: u32) -> Arc<Source> {
        let origin = None;
        Arc::new(Source {
            name,
            text,
            first_line,
            origin,
            passages: vec![],
        })
    }

    /// A text that the preprocessor made.
    pub(crate) fn preprocessed(name: String, text: String, origin: Origin) -> Arc<Source> {
        Arc::new(Source {
            name,
            text,
            first_line: 1,
            origin: Some(origin),
            passages: vec![],
        })
    }

    /// Number of the text's first line.
    pub(crate) fn first_line(&self) -> u32 {
        self.first_line
    }

    /// Where the parts of a preprocessed text were written.
    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The files that were included to make this text.
    pub fn included(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.origin.iter().flat_map(Origin::included)
    }

    /// File name, line and column (both from 1; columns count characters) where the byte at `offset` was written.
    pub fn locate(&self, offset: u32) -> (&str, u32, u32) {
        match &self.origin {
            Some(origin) => origin.locate(offset),
            None => {
                let (line, column) = self.line_column(offset);
                (&self.name, line, column)
            }
        }
    }

    /// Whether warnings about the byte at `offset` are not wanted: `#pragma osl nowarn`.
    pub(crate) fn is_quiet(&self, offset: u32) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.is_quiet(offset))
    }

    /// Line and column (both from 1; columns count characters) of a byte offset of this very text. Offsets past the end
    /// give the end.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + self.first_line;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        (line, column)
    }
}

/// Index of a source in its [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceId(pub u32);

/// Bytes `start..end` of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which source.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both; they lie in one source.
    pub fn to(self, end: Span) -> Span {
        Span {
            source: self.source,
            start: self.start.min(end.start),
            end: self.end.max(end.end),
        }
    }
}

/// The sources of one compilation: the file itself and what it includes.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Arc<Source>>,
}

impl SourceMap {
    /// Adds a source.
    pub fn add(&mut self, source: Arc<Source>) -> SourceId {
        self.sources.push(source);
        SourceId(self.sources.len() as u32 - 1)
    }

    /// How many sources there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The sources in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.sources.iter()
    }

    /// The source with the given id.
    ///
    /// # Panics
    /// When the id is of another map.
    pub fn get(&self, id: SourceId) -> &Arc<Source> {
        &self.sources[id.0 as usize]
    }
}
