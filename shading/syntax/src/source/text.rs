//! Source texts with provenance: the file, `#include`s and macro that each part of a preprocessed text comes from.

use std::ops::Range;
use std::sync::Arc;

/// Maximum number of `#include`s shown for one location.
const MAX_CHAIN: usize = 8;

/// Index of a file of an [`Origin`]. A file that is included twice has two indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileIndex(u32);

/// Map from the bytes of a preprocessed text to the files in which they were written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    files: Vec<File>,
    expansions: Vec<Expansion>,
    /// Pieces by their starts; each ends where the next begins.
    pieces: Vec<Piece>,
    /// Byte ranges of the text in which warnings are suppressed.
    quiet: Vec<Range<u32>>,
}

#[derive(Debug, PartialEq, Eq)]
struct File {
    source: Arc<Source>,
    /// The `#include` that included it.
    included: Option<(FileIndex, Range<u32>)>,
}

/// A macro use in a file; uses within its expansion are part of it.
#[derive(Debug, PartialEq, Eq)]
struct Expansion {
    name: Arc<str>,
    file: FileIndex,
    range: Range<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// Offset of the first byte in the preprocessed text.
    start: u32,
    file: FileIndex,
    /// Offset of the first byte in the file.
    at: u32,
    /// For a token of a macro: index of the expansion, and length of the token as written.
    expansion: Option<(u32, u32)>,
}

/// Original location of a part of a preprocessed text.
#[derive(Debug)]
pub(crate) struct FileLocation<'a> {
    pub source: &'a Arc<Source>,
    pub range: Range<u32>,
    /// The macro whose use `range` is, with the relevant part of its definition.
    pub expansion: Option<(&'a str, &'a Arc<Source>, Range<u32>)>,
    /// The `#include`s that lead to the source, innermost first.
    pub included: Vec<(&'a Arc<Source>, Range<u32>)>,
}

impl Origin {
    /// Adds a file; `included` is the `#include` that includes it.
    pub(crate) fn add_file(
        &mut self,
        source: Arc<Source>,
        included: Option<(FileIndex, Range<u32>)>,
    ) -> FileIndex {
        self.files.push(File { source, included });
        FileIndex(self.files.len() as u32 - 1)
    }

    /// Continues a file under another name or with other line numbers (`#line`).
    pub(crate) fn continue_file(&mut self, file: FileIndex, source: Arc<Source>) -> FileIndex {
        let included = self.files[file.0 as usize].included.clone();
        self.add_file(source, included)
    }

    pub(crate) fn source(&self, file: FileIndex) -> &Arc<Source> {
        &self.files[file.0 as usize].source
    }

    /// Adds a macro use at the given bytes of a file.
    pub(crate) fn add_expansion(&mut self, name: &str, file: FileIndex, range: Range<u32>) -> u32 {
        self.expansions.push(Expansion { name: name.into(), file, range });
        self.expansions.len() as u32 - 1
    }

    /// Maps the text from byte `start` on to a file from byte `at` on.
    pub(crate) fn add_text(&mut self, start: u32, file: FileIndex, at: u32) {
        let continues = self.pieces.last().is_some_and(|last| {
            last.expansion.is_none() && last.file == file && last.at + (start - last.start) == at
        });
        if !continues {
            self.pieces.push(Piece { start, file, at, expansion: None });
        }
    }

    /// Maps the text from byte `start` on to a token of an expansion, written at the given bytes.
    pub(crate) fn add_token(&mut self, start: u32, file: FileIndex, range: Range<u32>, expansion: u32) {
        self.pieces.push(Piece {
            start,
            file,
            at: range.start,
            expansion: Some((expansion, range.end - range.start)),
        });
    }

    /// Discards the mapping of the text; the files stay.
    pub(crate) fn forget_text(&mut self) {
        self.pieces.clear();
        self.expansions.clear();
        self.quiet.clear();
    }

    /// Suppresses warnings in these bytes of the text.
    pub(crate) fn add_quiet(&mut self, range: Range<u32>) {
        self.quiet.push(range);
    }

    /// Returns whether warnings at that byte are suppressed.
    pub(super) fn is_quiet(&self, offset: u32) -> bool {
        self.quiet.iter().any(|range| range.contains(&offset))
    }

    /// Iterates over the included files.
    pub(super) fn included(&self) -> impl Iterator<Item = &Arc<Source>> {
        let files = self.files.iter().filter(|file| file.included.is_some());
        files.map(|file| &file.source)
    }

    /// Returns the original location of a range of the preprocessed text. A range that spans several files is cut to
    /// the part in the file where it begins.
    pub(crate) fn location(&self, range: Range<u32>) -> FileLocation<'_> {
        let Some(first) = self.piece(range.start) else {
            return self.file_location(FileIndex(0), 0..0);
        };
        let start = self.range(first, range.start..range.start);
        let end = match self.piece(range.end.saturating_sub(1).max(range.start)) {
            Some(last) => self.range(last, range.end..range.end),
            None => start.clone(),
        };
        let mut location = if end.0 == start.0 && end.1.end >= start.1.start {
            self.file_location(start.0, start.1.start..end.1.end)
        } else {
            self.file_location(start.0, start.1)
        };
        if let Some((expansion, length)) = first.expansion {
            let expansion = &self.expansions[expansion as usize];
            let spelled = first.at..first.at + length;
            let is_argument = expansion.file == first.file
                && expansion.range.start <= spelled.start
                && spelled.end <= expansion.range.end;
            if !is_argument {
                location.expansion = Some((&expansion.name, self.source(first.file), spelled));
            }
        }
        location
    }

    /// Returns a location of a file, with the `#include`s that lead to it.
    pub(crate) fn file_location(&self, file: FileIndex, range: Range<u32>) -> FileLocation<'_> {
        let mut included = vec![];
        let mut next = &self.files[file.0 as usize].included;
        while let Some((file, range)) = next
            && included.len() < MAX_CHAIN
        {
            included.push((self.source(*file), range.clone()));
            next = &self.files[file.0 as usize].included;
        }
        FileLocation { source: self.source(file), range, expansion: None, included }
    }

    /// Returns file name, line and column of the original location of the byte at `offset`.
    pub(super) fn locate(&self, offset: u32) -> (&str, u32, u32) {
        let (file, range) = match self.piece(offset) {
            Some(piece) => self.range(piece, offset..offset),
            None => (FileIndex(0), 0..0),
        };
        let source = self.source(file);
        let (line, column) = source.line_column(range.start);
        (&source.name, line, column)
    }

    fn piece(&self, offset: u32) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// Maps bytes of a piece to a file: to the text itself, to the argument of a macro, or to the whole macro use.
    fn range(&self, piece: &Piece, bytes: Range<u32>) -> (FileIndex, Range<u32>) {
        let Some((expansion, length)) = piece.expansion else {
            let at = |byte: u32| piece.at + (byte - piece.start);
            return (piece.file, at(bytes.start)..at(bytes.end));
        };
        let expansion = &self.expansions[expansion as usize];
        let spelled = piece.at..piece.at + length;
        let is_argument = expansion.file == piece.file
            && expansion.range.start <= spelled.start
            && spelled.end <= expansion.range.end;
        if is_argument {
            (piece.file, spelled)
        } else {
            (expansion.file, expansion.range.clone())
        }
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source text with the name that diagnostics show.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as the user wrote it, or a synthetic one such as `<expression>`.
    pub name: String,
    /// The text.
    pub text: String,
    /// Line number of the text's first line; other than 1 after `#line`.
    first_line: u32,
    /// Offset of the first byte of each line: code has a location for each of thousands of operations.
    line_starts: Vec<u32>,
    /// Origins of the parts of a preprocessed text; `None` for text that was not preprocessed.
    origin: Option<Origin>,
}

impl Source {
    /// Creates a source from its name and text. A leading byte-order mark is removed, and lone carriage returns become
    /// line feeds.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        let mut text: String = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        let ends_line = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
        if text.match_indices('\r').any(ends_line) {
            // Offsets stay the same: a carriage return before a line feed becomes a space.
            text = text.replace("\r\n", " \n").replace('\r', "\n");
        }
        Source::part(name.into(), text, 1)
    }

    /// Creates a source for a part of a text whose lines are numbered from `first_line`.
    pub fn part(name: String, text: String, first_line: u32) -> Arc<Source> {
        Source::with_origin(name, text, first_line, None)
    }

    /// Creates a source from the output of the preprocessor.
    pub(crate) fn preprocessed(name: String, text: String, origin: Origin) -> Arc<Source> {
        Source::with_origin(name, text, 1, Some(origin))
    }

    fn with_origin(name: String, text: String, first_line: u32, origin: Option<Origin>) -> Arc<Source> {
        let ends = text.match_indices('\n').map(|(end, _)| end as u32 + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Arc::new(Source { name, text, first_line, line_starts, origin })
    }

    /// Returns the line number of the text's first line.
    pub(crate) fn first_line(&self) -> u32 {
        self.first_line
    }

    /// Returns the origins of the parts of a preprocessed text.
    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Iterates over the files included by this text.
    pub fn included(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.origin.iter().flat_map(Origin::included)
    }

    /// Returns file name, line and column (both from 1; columns count characters) of the origin of the byte at
    /// `offset`.
    pub fn locate(&self, offset: u32) -> (&str, u32, u32) {
        match &self.origin {
            Some(origin) => origin.locate(offset),
            None => {
                let (line, column) = self.line_column(offset);
                (&self.name, line, column)
            }
        }
    }

    /// Returns whether warnings at the byte at `offset` are suppressed by `#pragma osl nowarn`.
    pub fn is_quiet(&self, offset: u32) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.is_quiet(offset))
    }

    /// Returns line and column (both from 1; columns count characters) of a byte offset of this text itself. Offsets
    /// past the end give the end.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let before = &self.text[self.line_starts[line] as usize..offset];
        (line as u32 + self.first_line, before.chars().count() as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn lines_and_columns_of_bytes() {
        let source = Source::part("part.ksl".to_owned(), "ab\n\né€x\n".to_owned(), 7);
        let found: Vec<_> = (0..12).map(|offset| source.line_column(offset)).collect();
        // An offset within a character is that of the character.
        let third = [(9, 1), (9, 1), (9, 2), (9, 2), (9, 2), (9, 3), (9, 4)];
        assert_eq!(found[..4], [(7, 1), (7, 2), (7, 3), (8, 1)]);
        assert_eq!(found[4..11], third);
        assert_eq!(found[11], (10, 1));
        assert_eq!(source.line_column(1000), (10, 1));
        assert_eq!(Source::new("empty.ksl", "").line_column(3), (1, 1));
    }
}
