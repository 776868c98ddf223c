//! Lines of a text, and positions in the form that editors use: line and UTF-16 code unit.

use std::ops::Range;

/// Position in a text: line, and UTF-16 code unit in the line, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// UTF-16 code unit in the line.
    pub column: u32,
}

/// Offsets of the lines of a text. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        Lines {
            starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// Returns the bytes of a line without its end; empty after the last line.
    pub fn line(&self, text: &str, line: u32) -> Range<usize> {
        let Some(&start) = self.starts.get(line as usize) else {
            return text.len()..text.len();
        };
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(text.len());
        let whole = text.get(start..end).unwrap_or_default();
        start..start + whole.trim_end_matches(['\n', '\r']).len()
    }

    /// Returns the offset of a position. A position outside the text is the end of its line or of the text.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let range = self.line(text, position.line);
        let mut column = 0;
        for (at, c) in text[range.clone()].char_indices() {
            if column >= position.column {
                return range.start + at;
            }
            column += c.len_utf16() as u32;
        }
        range.end
    }

    /// Returns the position of an offset; within a character, the position of the character's start.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = &text[self.starts[line]..offset];
        Position {
            line: line as u32,
            column: before.chars().map(|c| c.len_utf16() as u32).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16() {
        let text = "a€😀b\r\nx\ry\n";
        let lines = Lines::new(text);
        let place = |line, column| Position { line, column };
        assert_eq!(lines.position(text, 4), place(0, 2));
        assert_eq!(lines.position(text, 8), place(0, 4));
        assert_eq!(lines.position(text, 5), place(0, 2));
        assert_eq!(lines.position(text, 11), place(1, 0));
        assert_eq!(lines.position(text, 100), place(3, 0));
        for offset in (0..=text.len()).filter(|&at| text.is_char_boundary(at) && at != 10) {
            assert_eq!(lines.offset(text, lines.position(text, offset)), offset);
        }
        assert_eq!(lines.offset(text, place(0, 99)), 9);
        assert_eq!(lines.offset(text, place(99, 0)), text.len());
        // Between the two code units of a surrogate pair.
        assert_eq!(lines.offset(text, place(0, 3)), 8);
    }
}
