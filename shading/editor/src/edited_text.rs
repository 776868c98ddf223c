//! Gap buffer: a text under a sequence of edits.
//!
//! Positions refer to the text after the preceding edits. An edit costs its distance from the preceding one, so a sequence
//! of edits in either direction, such as "replace all", costs one pass over the text.

use std::ops::Range;

use crate::lines::Position;

/// A text that is split at the position of the last edit.
pub struct EditedText {
    before: Vec<u8>,
    /// Bytes after the split, in reverse order.
    after: Vec<u8>,
    /// Position of the split.
    at: Position,
}

impl EditedText {
    /// Starts with a text.
    pub fn new(text: &str) -> EditedText {
        EditedText {
            before: vec![],
            after: text.bytes().rev().collect(),
            at: Position::default(),
        }
    }

    /// Replaces a range; a range that ends before its start is empty. A position outside the text is the end of its line or
    /// of the text, as in [`Lines::offset`](crate::Lines::offset).
    pub fn replace(&mut self, range: Range<Position>, new: &str) {
        self.move_to(range.end);
        let end = self.after.len();
        self.move_to(range.start);
        let removed = self.after.len().saturating_sub(end);
        self.after.truncate(self.after.len() - removed);
        self.after.extend(new.bytes().rev());
        // The edit may join `\r` and `\n` to one line end.
        if self.before.last() == Some(&b'\r') && self.after.last() == Some(&b'\n') {
            self.move_back();
            let line = self.before.iter().rev().take_while(|byte| !is_line_end(**byte));
            self.at = Position {
                line: self.at.line.saturating_sub(1),
                column: line.map(|byte| utf16_units(*byte)).sum(),
            };
        }
    }

    /// The text after all edits.
    pub fn finish(mut self) -> String {
        self.before.extend(self.after.iter().rev());
        // Every replaced range consists of whole characters.
        String::from_utf8(self.before).unwrap_or_default()
    }

    /// Moves the split to a position.
    fn move_to(&mut self, target: Position) {
        if self.at.line > target.line {
            self.move_back_to_line(target.line);
        }
        while self.at.line < target.line {
            if self.after.is_empty() {
                return;
            }
            self.step();
        }
        while self.at.column > target.column {
            self.step_back();
        }
        // A position within a character is moved to the character's end.
        while self.at.column < target.column && self.after.last().is_some_and(|byte| !is_line_end(*byte)) {
            self.step();
        }
    }

    /// Moves over a character or line end.
    fn step(&mut self) {
        let Some(first) = self.move_forward() else { return };
        if !is_line_end(first) {
            self.at.column += utf16_units(first);
            while self.after.last().is_some_and(|byte| is_continuation(*byte)) {
                self.move_forward();
            }
            return;
        }
        if first == b'\r' && self.after.last() == Some(&b'\n') {
            self.move_forward();
        }
        self.at = Position { line: self.at.line + 1, column: 0 };
    }

    /// Moves back over a character of the line.
    fn step_back(&mut self) {
        while self.move_back().is_some_and(is_continuation) {}
        let first = self.after.last().map_or(0, |byte| utf16_units(*byte));
        self.at.column = self.at.column.saturating_sub(first);
    }

    fn move_back_to_line(&mut self, line: u32) {
        while self.at.line > line {
            match self.move_back() {
                Some(b'\n') if self.before.last() == Some(&b'\r') => {}
                Some(byte) if is_line_end(byte) => self.at.line -= 1,
                Some(_) => {}
                None => break,
            }
        }
        while self.before.last().is_some_and(|byte| !is_line_end(*byte)) {
            self.move_back();
        }
        self.at = Position { line, column: 0 };
    }

    fn move_forward(&mut self) -> Option<u8> {
        let byte = self.after.pop()?;
        self.before.push(byte);
        Some(byte)
    }

    fn move_back(&mut self) -> Option<u8> {
        let byte = self.before.pop()?;
        self.after.push(byte);
        Some(byte)
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Returns whether a byte continues a character of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Returns the UTF-16 code units of the character that begins with a byte of UTF-8; 0 for a continuation byte.
fn utf16_units(byte: u8) -> u32 {
    match byte {
        _ if is_continuation(byte) => 0,
        0xf0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Lines;

    /// Applies an edit to a string.
    fn replaced(text: &str, range: &Range<Position>, new: &str) -> String {
        let lines = Lines::new(text);
        let (start, end) = (lines.offset(text, range.start), lines.offset(text, range.end));
        let mut text = text.to_owned();
        text.replace_range(start..end.max(start), new);
        text
    }

    #[test]
    fn edits_follow_one_another() {
        const PARTS: [&str; 10] = ["a", "bc", "\n", "\r", "\r\n", "€", "😀", "", "x\ny", "\n\r"];
        let mut seed = 1_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for _ in 0..300 {
            let mut text: String = (0..20).map(|_| PARTS[random(10) as usize]).collect();
            let mut edited = EditedText::new(&text);
            for _ in 0..20 {
                let mut position = || Position { line: random(9), column: random(7) };
                let range = position()..position();
                let new = PARTS[random(10) as usize];
                text = replaced(&text, &range, new);
                edited.replace(range, new);
            }
            assert_eq!(edited.finish(), text);
        }
    }

    #[test]
    fn replacing_all_costs_a_pass_over_the_text() {
        const COUNT: u32 = 20_000;
        let text = "mat_one ".repeat(COUNT as usize);
        let mut edited = EditedText::new(&text);
        let mut replace = |index: u32, width: u32, new: &str| {
            let place = |column| Position { line: 0, column };
            edited.replace(place(index * width)..place((index + 1) * width - 1), new);
        };
        // In one line, from the end to the start, and back. Without a gap buffer, this would move 3 GB.
        (0..COUNT).rev().for_each(|index| replace(index, 8, "m"));
        (0..COUNT).for_each(|index| replace(index, 2, "n"));
        assert_eq!(edited.finish(), "n ".repeat(COUNT as usize));
    }
}
