//! Spans: byte ranges in source texts.

/// Index of a source in its [`SourceMap`](crate::source::SourceMap).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceId(pub u32);

/// A byte range `start..end` of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Source.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the smallest span that covers both; they must be in one source.
    pub fn to(self, end: Span) -> Span {
        Span {
            source: self.source,
            start: self.start.min(end.start),
            end: self.end.max(end.end),
        }
    }
}
