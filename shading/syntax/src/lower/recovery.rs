//! Error recovery: replaces what cannot be parsed by a mark, so that the rest of its item can be parsed.
//!
//! A syntax error is repaired by the smallest of these changes after which the parser continues: the missing `;` or `)` is
//! inserted; the argument, parameter or list entry that contains the error becomes a [`mark`]; the statement, or an
//! enclosing one, becomes a mark. Every change preserves the length of the text, so that offsets stay valid.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::scan::mark;
use super::lexeme::{skip_space, token};

/// Maximum number of bytes that are parsed again after errors, or four times the file if that is more (half a second).
/// Beyond it, the rest of an item with an error is skipped.
const MAX_PARSED: usize = 1 << 20;

/// Text of an item, in which the errors found so far are repaired.
pub(super) struct Recovery<'a> {
    text: Cow<'a, str>,
    /// Replaced and inserted parts, in the order of the errors.
    changed_parts: Vec<ChangedPart>,
    /// Bytes that may still be parsed.
    budget: usize,
    /// Names in the replaced parts.
    names: BTreeSet<String>,
}

/// A changed part of the text.
struct ChangedPart {
    range: Range<usize>,
    /// True if the end of the incorrect part is unknown. Further errors in the same statement are then consequences.
    is_open: bool,
}

/// Result of an attempt to repair an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repair {
    /// True if an earlier error caused the error.
    pub(super) is_consequence: bool,
    /// True if the rest of the item can be parsed.
    pub(super) can_continue: bool,
}

impl<'a> Recovery<'a> {
    /// Starts with the text of an item. `changed_parts` are the offsets of marks that are there already, each up to the end of
    /// its line. `budget` bytes may be parsed.
    pub(super) fn new(text: Cow<'a, str>, changed_parts: &[usize], budget: usize) -> Recovery<'a> {
        let of_mark = |&at: &usize| ChangedPart {
            range: at..at + text[at..].find('\n').unwrap_or(text.len() - at),
            is_open: true,
        };
        Recovery {
            changed_parts: changed_parts.iter().map(of_mark).collect(),
            text,
            budget,
            names: BTreeSet::new(),
        }
    }

    /// Returns the bytes that may be parsed to find all errors of a file.
    pub(super) fn budget_of(file: &str) -> usize {
        MAX_PARSED.max(4 * file.len())
    }

    /// Bytes that may still be parsed.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn marks(&self) -> Vec<usize> {
        self.changed_parts.iter().map(|part| part.range.start).collect()
    }

    /// Returns the names in the replaced parts, which may declare them.
    pub(super) fn into_names(self) -> BTreeSet<String> {
        self.names
    }

    /// Repairs the text after an error at an offset. `missing` is a token that may be missing, with its offset.
    pub(super) fn repair(&mut self, at: usize, missing: Option<(char, usize)>) -> Repair {
        let is_affordable = self.text.len() <= self.budget;
        self.budget = self.budget.saturating_sub(self.text.len());
        let is_consequence = self.is_consequence(at);
        let can_continue = is_affordable
            && if is_consequence && !self.is_else(at) {
                self.widen(at)
            } else {
                missing.is_some_and(|(token, at)| self.insert(token, at)) || self.replace(at, &(at..at))
            };
        if !can_continue {
            self.skip();
        }
        Repair { is_consequence, can_continue }
    }

    /// Skips the item after an error that cannot be repaired.
    pub(super) fn give_up(&mut self) -> Repair {
        self.budget = self.budget.saturating_sub(self.text.len());
        self.skip();
        Repair { is_consequence: false, can_continue: false }
    }

    /// Returns whether an earlier error caused an error: the error is in a changed part, at the token after it, or in the
    /// statement of a changed part whose end is unknown; or it is an `else` whose `if` has been replaced.
    fn is_consequence(&self, at: usize) -> bool {
        let Some(part) = self.last_changed_part(at).map(|index| &self.changed_parts[index]) else {
            return false;
        };
        let same_statement = || {
            let statement = regions(&self.text, at).into_iter().find(|region| region.is_statement);
            statement.is_none_or(|region| region.range.contains(&part.range.start))
        };
        let between = self.text.get(part.range.end..at).unwrap_or_default();
        skip_space(&self.text, part.range.end) >= at
            || self.is_else(at) && between.trim() == ";"
            || part.is_open && same_statement()
    }

    fn is_else(&self, at: usize) -> bool {
        &self.text[token(&self.text, at, self.text.len())] == "else"
    }

    /// Returns the last changed part that begins before an offset.
    fn last_changed_part(&self, at: usize) -> Option<usize> {
        let before =
            (0..self.changed_parts.len()).filter(|&index| self.changed_parts[index].range.start <= at);
        before.max_by_key(|&index| self.changed_parts[index].range.start)
    }

    /// Replaces the next larger part around the last changed part and an offset.
    fn widen(&mut self, at: usize) -> bool {
        let Some(last) = self.last_changed_part(at) else {
            return false;
        };
        let ChangedPart { range, is_open } = self.changed_parts.remove(last);
        if is_open {
            // The missing token is probably on the line of the changed part.
            let mut regions = regions(&self.text, range.start).into_iter();
            if let Some(statement) = regions.find(|region| region.is_statement) {
                self.put_mark(statement.range.start..range.end);
                return true;
            }
        }
        let end = if is_open { at } else { range.end };
        self.replace(range.start, &(range.start..end))
    }

    /// Inserts a token in the white space at an offset.
    fn insert(&mut self, token: char, at: usize) -> bool {
        let is_space = self.text.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace);
        if is_space {
            let end = at + 1;
            self.text.to_mut().replace_range(at..end, token.encode_utf8(&mut [0; 4]));
            self.changed_parts.push(ChangedPart { range: at..end, is_open: false });
        }
        is_space
    }

    /// Replaces the smallest part at an offset that is larger than `inside` by a mark.
    fn replace(&mut self, at: usize, inside: &Range<usize>) -> bool {
        let is_larger = |region: &Region| {
            let range = &region.range;
            range.start <= inside.start && inside.end <= range.end && range != inside
        };
        let Some(region) = regions(&self.text, at).into_iter().find(is_larger) else {
            return false;
        };
        if let Some(header) = region.header {
            self.names.extend(words(&self.text[..header]));
        }
        self.put_mark(region.range);
        true
    }

    /// Replaces a part of the text by a mark.
    fn put_mark(&mut self, range: Range<usize>) {
        self.names.extend(words(&self.text[range.clone()]));
        let mark = mark(&self.text[range.clone()]);
        self.text.to_mut().replace_range(range.clone(), &mark);
        self.changed_parts.retain(|part| !range.contains(&part.range.start));
        self.changed_parts.push(ChangedPart { range, is_open: false });
    }

    /// Stores the names in the header of an item that is skipped.
    fn skip(&mut self) {
        let header = self.text.find('{').unwrap_or(self.text.len());
        let names: Vec<String> = words(&self.text[..header]).collect();
        self.names.extend(names);
    }
}

/// Returns the names in a text, including words in strings.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .map(str::to_owned)
}

/// A part of a text that can be replaced by a mark: a statement, or an element between commas.
#[derive(Clone, Debug)]
struct Region {
    range: Range<usize>,
    is_statement: bool,
    /// End of the item's header, if the part is a parameter or a field.
    header: Option<usize>,
}

/// An open bracket during the walk over a text.
#[derive(Clone)]
struct OpenBracket {
    bracket: u8,
    /// Offset of the bracket.
    at: usize,
    /// Start of the current element or statement, and of the one before.
    start: usize,
    before: usize,
    /// True for the header of a `for`, which contains semicolons.
    is_for: bool,
    /// End of the element that contains the offset in question.
    end: Option<usize>,
    /// Offset of the closing bracket, once known.
    close: usize,
}

/// The parts of a text that contain an offset, the smallest first.
fn regions(text: &str, at: usize) -> Vec<Region> {
    let mut walk = Walk { at, open: vec![], closed: vec![] };
    let (mut next, mut previous) = (skip_space(text, 0), "");
    while next < text.len() {
        let range = token(text, next, text.len());
        let word = &text[range.clone()];
        next = skip_space(text, range.end);
        walk.token(word, range, previous, &text[token(text, next, text.len())]);
        previous = word;
    }
    while let Some(open) = walk.open.pop() {
        walk.close(open, text.len());
    }
    let is_struct = text[skip_space(text, 0)..].starts_with("struct");
    // The outermost bracket is the last that was closed.
    let outermost = walk.closed.last().map(|open| open.at);
    let part = |open: &OpenBracket, range: Range<usize>| {
        let declares = Some(open.at) == outermost && (open.bracket == b'(' || is_struct);
        let trimmed = skip_space(text, range.start).min(range.end);
        Region {
            range: if trimmed < range.end { trimmed..range.end } else { range },
            is_statement: open.bracket == b'{',
            header: declares.then_some(open.at),
        }
    };
    let mut regions = vec![];
    for open in &walk.closed {
        let Some(end) = open.end else { continue };
        // An empty element has no space for the mark: the one before is replaced, too.
        let start = if open.start == end { open.before } else { open.start };
        regions.push(part(open, start..end));
        if open.bracket != b'{' {
            regions.push(part(open, open.at + 1..open.close));
        }
    }
    regions
}

/// Walk over the brackets of a text.
struct Walk {
    at: usize,
    open: Vec<OpenBracket>,
    /// Brackets whose contents contain the offset, the innermost first.
    closed: Vec<OpenBracket>,
}

impl Walk {
    fn token(&mut self, word: &str, range: Range<usize>, previous: &str, next: &str) {
        match word {
            "(" | "[" | "{" => self.open.push(OpenBracket {
                bracket: word.as_bytes()[0],
                at: range.start,
                start: range.end,
                before: range.end,
                is_for: previous == "for",
                end: None,
                close: usize::MAX,
            }),
            "," => {
                if let Some(top) = self.open.last_mut().filter(|top| top.bracket != b'{') {
                    top.separate(self.at, range.start, range.end);
                }
            }
            ";" => {
                // A semicolon ends what is open of an expression, except in the header of a `for`, and in metadata.
                while let Some(top) = self.open.pop_if(|top| top.bracket == b'(' && !top.is_for) {
                    self.close(top, range.start);
                }
                if let Some(top) = self.open.last_mut() {
                    top.separate(self.at, range.start, range.end);
                }
            }
            ")" | "]" => {
                let opener = if word == ")" { b'(' } else { b'[' };
                if let Some(top) = self.open.pop_if(|top| top.bracket == opener) {
                    self.close(top, range.start);
                }
            }
            "}" => {
                while let Some(top) = self.open.pop() {
                    let is_block = top.bracket == b'{';
                    self.close(top, range.start);
                    if is_block {
                        break;
                    }
                }
                let goes_on = matches!(next, "else" | ";" | "," | ")" | "." | "[" | "=");
                if let Some(top) = self.open.last_mut()
                    && top.bracket == b'{'
                    && !goes_on
                {
                    top.separate(self.at, range.end, range.end);
                }
            }
            _ => {}
        }
    }

    /// Notes a bracket whose contents end at an offset.
    fn close(&mut self, mut open: OpenBracket, end: usize) {
        open.separate(self.at, end, end);
        open.close = end;
        if open.end.is_some() {
            self.closed.push(open);
        }
    }
}

impl OpenBracket {
    /// Ends the current element, and begins the next.
    fn separate(&mut self, at: usize, end: usize, next: usize) {
        if self.end.is_some() {
            return;
        }
        if (self.start..=end).contains(&at) {
            self.end = Some(end);
        } else {
            (self.before, self.start) = (self.start, next);
        }
    }
}
