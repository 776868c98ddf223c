//! Source texts and places in them.

use std::ops::Range;
use std::sync::Arc;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source text with the name that diagnostics show.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as the user wrote it, or a made-up one such as `<expression>`.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where parts of a text that was made from another come from, in order; none overlap.
    origins: Vec<Origin>,
}

/// A part of a text that was translated, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The bytes of the translation.
    pub range: Range<usize>,
    /// The source that it was translated from.
    pub source: Arc<Source>,
    /// The bytes there.
    pub place: Range<usize>,
}

impl Source {
    /// A text that was translated: messages about parts that have an origin name that, since nobody has seen the
    /// translation.
    pub fn translated(name: impl Into<String>, text: impl Into<String>, origins: Vec<Origin>) -> Arc<Source> {
        Arc::new(Source {
            name: name.into(),
            text: text.into(),
            origins,
        })
    }

    /// Where the byte at `offset` comes from, if that is another source.
    pub fn origin(&self, offset: usize) -> Option<&Origin> {
        let after = self
            .origins
            .partition_point(|origin| origin.range.start <= offset);
        let origin = &self.origins[after.checked_sub(1)?];
        origin.range.contains(&offset).then_some(origin)
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
            origins: vec![],
        })
    }

    /// Line and column (both from 1; columns count characters) of a byte offset. Offsets past the end give the end.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
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
