//! Source excerpts of a diagnostic: the lines of its labels, with long lines shortened around them.

use std::ops::Range;
use std::sync::Arc;

use codespan_reporting::files::{Error, Files};

use crate::source::Source;

/// Maximum length in bytes of a line that is shown whole.
const MAX_LINE: usize = 240;

/// Number of bytes of a longer line that are shown before and after the start of a label.
const AROUND: Range<usize> = 80..120;

/// Maximum number of lines of a label that are shown; of a longer label, only the first line is.
const MAX_LINES: usize = 16;

/// Placeholder for the part of a line that is left out.
const ELLIPSIS: &str = "…";

/// The excerpts of all sources of one diagnostic.
#[derive(Debug, Default)]
pub(super) struct Excerpts {
    list: Vec<Excerpt>,
}

/// Pieces of a source, one per line.
#[derive(Debug)]
struct Excerpt {
    source: Arc<Source>,
    pieces: Vec<Piece>,
    /// Shown text: the pieces with ellipses.
    text: String,
}

/// A line of a source, or a part of it.
#[derive(Debug)]
struct Piece {
    /// Line number, from 1.
    number: usize,
    /// Number of characters of the line before the piece.
    skipped: usize,
    /// Byte range in the source, excluding the end of the line.
    bytes: Range<usize>,
    /// Byte range in the excerpt's text, including ellipses.
    shown: Range<usize>,
    /// True if parts of the line before, and after, the piece are left out.
    is_cut: [bool; 2],
}

impl Excerpts {
    /// Returns the excerpts that show the given byte ranges of sources.
    pub(super) fn of<'a>(labels: impl Iterator<Item = (&'a Arc<Source>, &'a Range<usize>)>) -> Excerpts {
        let mut excerpts = Excerpts::default();
        for (source, range) in labels {
            let id = excerpts.id(source);
            let excerpt = match id {
                Some(id) => &mut excerpts.list[id],
                None => {
                    excerpts.list.push(Excerpt {
                        source: source.clone(),
                        pieces: vec![],
                        text: String::new(),
                    });
                    excerpts.list.last_mut().expect("one was just added")
                }
            };
            excerpt.add(range);
        }
        excerpts.list.iter_mut().for_each(Excerpt::lay_out);
        excerpts
    }

    fn id(&self, source: &Arc<Source>) -> Option<usize> {
        self.list.iter().position(|excerpt| Arc::ptr_eq(&excerpt.source, source))
    }

    /// Maps a byte range of a source to the excerpt and the byte range in its text. Bytes that are not shown map to the
    /// end of the shown ones.
    pub(super) fn place(&self, source: &Arc<Source>, range: &Range<usize>) -> Option<(usize, Range<usize>)> {
        let id = self.id(source)?;
        let excerpt = &self.list[id];
        let range = clamped(&source.text, range);
        let first = excerpt.piece_at(range.start)?;
        let start = excerpt.pieces[first].shown_at(range.start);
        let last = excerpt.piece_at(range.end).unwrap_or(first);
        let end = excerpt.pieces[last].shown_at(range.end);
        Some((id, start..end.max(start)))
    }

    fn get(&self, id: usize) -> Result<&Excerpt, Error> {
        self.list.get(id).ok_or(Error::FileMissing)
    }
}

impl Excerpt {
    /// Adds the lines of a label.
    fn add(&mut self, range: &Range<usize>) {
        let source = self.source.clone();
        let text = &source.text;
        let range = clamped(text, range);
        if self.piece_at(range.start).is_some() && self.piece_at(range.end).is_some() {
            return;
        }
        let mut start = line_start(text, range.start);
        let mut number = source.first_line() as usize + text[..start].bytes().filter(|&b| b == b'\n').count();
        loop {
            let end = line_end(text, start);
            // A label that continues from an earlier line is shown from the start of this one.
            self.add_line(number, start..end, range.start.max(start));
            if end >= range.end {
                break;
            }
            (start, number) = (end + 1, number + 1);
        }
    }

    fn add_line(&mut self, number: usize, line: Range<usize>, label: usize) {
        let text = &self.source.text;
        let bytes = if line.len() <= MAX_LINE {
            line.clone()
        } else {
            let start = label.saturating_sub(AROUND.start).max(line.start);
            let end = (label + AROUND.end).min(line.end);
            floor(text, start)..floor(text, end)
        };
        if self.pieces.iter().any(|piece| piece.bytes == bytes) {
            return;
        }
        self.pieces.push(Piece {
            number,
            skipped: text[line.start..bytes.start].chars().count(),
            is_cut: [bytes.start > line.start, bytes.end < line.end],
            shown: 0..0,
            bytes,
        });
    }

    /// Sorts the pieces and builds the text.
    fn lay_out(&mut self) {
        self.pieces.sort_by_key(|piece| piece.bytes.start);
        for piece in &mut self.pieces {
            let start = self.text.len();
            let mark = |is_cut| if is_cut { ELLIPSIS } else { "" };
            self.text += mark(piece.is_cut[0]);
            self.text += &self.source.text[piece.bytes.clone()];
            self.text += mark(piece.is_cut[1]);
            piece.shown = start..self.text.len();
            self.text.push('\n');
        }
    }

    /// Returns the piece that shows a byte of the source, or the end of its line.
    fn piece_at(&self, byte: usize) -> Option<usize> {
        let holds = |piece: &Piece| {
            let end = piece.bytes.end + usize::from(!piece.is_cut[1]);
            (piece.bytes.start..end).contains(&byte)
        };
        self.pieces.iter().position(holds)
    }

    fn piece(&self, index: usize) -> Result<&Piece, Error> {
        let (given, max) = (index, self.pieces.len().saturating_sub(1));
        self.pieces.get(index).ok_or(Error::LineTooLarge { given, max })
    }
}

impl Piece {
    /// Maps a byte of the source to its position in the text, clamped to the end of the piece.
    fn shown_at(&self, byte: usize) -> usize {
        let inside = byte.clamp(self.bytes.start, self.bytes.end) - self.bytes.start;
        let mark = if self.is_cut[0] { ELLIPSIS.len() } else { 0 };
        self.shown.start + mark + inside
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.source.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        let pieces = &self.get(id)?.pieces;
        Ok(pieces.partition_point(|piece| piece.shown.start <= byte).max(1) - 1)
    }

    fn line_number(&'a self, id: usize, index: usize) -> Result<usize, Error> {
        Ok(self.get(id)?.piece(index)?.number)
    }

    fn column_number(&'a self, id: usize, index: usize, byte: usize) -> Result<usize, Error> {
        let excerpt = self.get(id)?;
        let piece = excerpt.piece(index)?;
        let shown = excerpt.text.get(piece.shown.start..byte).unwrap_or_default();
        let marks = usize::from(piece.is_cut[0] && !shown.is_empty());
        Ok(piece.skipped + shown.chars().count() - marks + 1)
    }

    fn line_range(&'a self, id: usize, index: usize) -> Result<Range<usize>, Error> {
        let piece = self.get(id)?.piece(index)?;
        Ok(piece.shown.start..piece.shown.end + 1)
    }
}

/// Clamps the byte range of a label to the shown part: within the text, at character boundaries, at most [`MAX_LINES`]
/// lines.
fn clamped(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = floor(text, range.start);
    let end = floor(text, range.end).max(start);
    let lines = text[start..end].bytes().filter(|&b| b == b'\n').count();
    if lines < MAX_LINES {
        start..end
    } else {
        start..line_end(text, start)
    }
}

/// Returns the start of the character that contains a byte, or the end of the text.
fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

fn line_start(text: &str, byte: usize) -> usize {
    text[..byte].rfind('\n').map_or(0, |at| at + 1)
}

fn line_end(text: &str, byte: usize) -> usize {
    text[byte..].find('\n').map_or(text.len(), |at| byte + at)
}
