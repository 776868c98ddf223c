//! Spans: byte ranges in source texts.

/// Index of a source in its [`SourceMap`](crate::source::SourceMap).
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
