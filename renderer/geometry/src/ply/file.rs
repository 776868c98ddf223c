//! A PLY file: its header, and a reader of its elements.

use std::borrow::Cow;
use std::io::{BufRead, ErrorKind};
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyAccess};
use rustc_hash::FxHashMap;

use super::Rows;
use renderer_base::files::FormatError;
use renderer_base::files::text_of;

/// A PLY file with a parsed header.
pub struct PlyFile<'a> {
    path: &'a Path,
    header: Header,
    remarks: Vec<String>,
    /// Number of lines of the header.
    lines: usize,
    payload: Cow<'a, [u8]>,
}

impl<'a> PlyFile<'a> {
    /// Reads the header of a file; `path` identifies the file in errors.
    ///
    /// # Errors
    /// If the file is not PLY, or its header is invalid.
    pub fn parse(bytes: &'a [u8], path: &'a Path) -> Result<PlyFile<'a>, FormatError> {
        // A byte-order mark may precede the header.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if !bytes.starts_with(b"ply") {
            return Err(FormatError::Kind {
                path: path.into(),
                expected: "a PLY file: it does not begin with `ply`",
            });
        }
        let (head, payload) = split_header(bytes);
        let head = text_of(head);
        let remark = |line: &str| line.trim().strip_prefix("comment ").map(|text| text.trim().to_owned());
        let remarks = head.lines().filter_map(remark).collect();
        let head = plain_header(&head);
        let header = Parser::<Skipped>::new()
            .read_header(&mut Reader::new(head.as_bytes()))
            .map_err(|error| header_error(path, &error))?;
        let payload = match header.encoding {
            Encoding::Ascii => match text_of(payload) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            },
            Encoding::BinaryBigEndian | Encoding::BinaryLittleEndian => Cow::Borrowed(payload),
        };
        Ok(PlyFile { path, lines: head.lines().count(), remarks, header, payload })
    }

    /// The elements with their names, in file order.
    pub fn elements(&self) -> impl Iterator<Item = (&String, &ElementDef)> {
        self.header.elements.iter()
    }

    /// Comments of the header.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// A reader at the first element.
    pub fn reader(&self) -> PlyReader<'_> {
        PlyReader {
            path: self.path,
            encoding: self.header.encoding,
            line: self.lines,
            text: String::new(),
            bytes: &self.payload,
        }
    }
}

/// Reads the elements of a file, one kind after the other.
#[derive(Debug)]
pub struct PlyReader<'a> {
    path: &'a Path,
    encoding: Encoding,
    /// The line that was read last, in ascii files.
    line: usize,
    text: String,
    bytes: &'a [u8],
}

impl<'a> PlyReader<'a> {
    /// Skips the elements of one kind.
    ///
    /// # Errors
    /// If elements are malformed or missing.
    pub fn skip(&mut self, element: &ElementDef) -> Result<(), FormatError> {
        self.elements(element, |_: Skipped| Ok(()))
    }

    /// Calls `take` with each element of one kind; an error of `take` is reported with the element.
    ///
    /// # Errors
    /// If elements are malformed, missing, or rejected by `take`.
    pub fn elements<E: PropertyAccess>(
        &mut self,
        element: &ElementDef,
        mut take: impl FnMut(E) -> Result<(), String>,
    ) -> Result<(), FormatError> {
        if element.properties.is_empty() {
            // Without properties, any count of elements would be valid.
            return Ok(());
        }
        let parser = Parser::<E>::new();
        for found in 0..element.count {
            let value = match self.encoding {
                Encoding::Ascii => {
                    self.next_line().and_then(|()| parser.read_ascii_element(&self.text, element))
                }
                Encoding::BinaryBigEndian => parser.read_big_endian_element(&mut self.bytes, element),
                Encoding::BinaryLittleEndian => parser.read_little_endian_element(&mut self.bytes, element),
            };
            let value = value.map_err(|error| self.error(element, found, &error))?;
            take(value).map_err(|reason| self.syntax(format!("{} {found}: {reason}", element.name)))?;
        }
        Ok(())
    }

    /// Reads the elements of one kind as fixed-size rows; `None`, without reading, if their sizes differ or `suits`
    /// rejects them.
    pub fn rows<'e>(&mut self, element: &'e ElementDef, suits: impl FnOnce(&Rows) -> bool) -> Option<Rows<'e>>
    where
        'a: 'e,
    {
        let rows = Rows::of(element, self.encoding, self.bytes)?;
        suits(&rows).then(|| {
            self.bytes = &self.bytes[rows.length()..];
            rows
        })
    }

    /// Reads the next line that is not blank.
    fn next_line(&mut self) -> Result<(), ParseError> {
        loop {
            self.text.clear();
            if self.bytes.read_line(&mut self.text)? == 0 {
                return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
            }
            self.line += 1;
            if !self.text.trim().is_empty() {
                return Ok(());
            }
        }
    }

    fn error(&self, element: &ElementDef, found: usize, error: &ParseError) -> FormatError {
        match (error.kind(), self.encoding) {
            (ErrorKind::UnexpectedEof, _) => FormatError::Truncated {
                path: self.path.into(),
                element: element.name.clone(),
                expected: element.count,
                found,
            },
            (_, Encoding::Ascii) => {
                let properties: Vec<&str> = element.properties.keys().map(String::as_str).collect();
                let text: String = self.text.trim().chars().take(60).collect();
                self.syntax(format!("`{text}` is not a {} ({})", element.name, properties.join(" ")))
            }
            _ => self.syntax(format!("{} {found}: {error}", element.name)),
        }
    }

    /// An error at the line that was read last.
    pub fn syntax(&self, reason: String) -> FormatError {
        let line = (self.encoding == Encoding::Ascii).then_some(self.line);
        FormatError::Syntax { path: self.path.into(), line, reason }
    }
}

/// Element whose properties are discarded.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Skipped {
        Skipped
    }
}

/// Splits a file into header, with the end of its last line, and payload.
fn split_header(bytes: &[u8]) -> (&[u8], &[u8]) {
    const END: &[u8] = b"end_header";
    let begins_line = |at: usize| {
        let before = bytes[..at].iter().rev().find(|b| !matches!(b, b' ' | b'\t'));
        matches!(before, Some(b'\n' | b'\r'))
    };
    let is_end = |at: &usize| bytes[*at..].starts_with(END) && begins_line(*at);
    let Some(at) = (1..bytes.len()).find(is_end) else {
        return (bytes, &[]);
    };
    let after = &bytes[at + END.len()..];
    let blanks = after.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let end = match &after[blanks..] {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    };
    bytes.split_at(at + END.len() + blanks + end)
}

/// Header for the parser, with the same number of lines: blank lines become comments, and property names unique, since
/// the parser merges properties of one name.
fn plain_header(head: &str) -> String {
    let mut text = String::new();
    let mut names = FxHashMap::default();
    for line in head.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match *words {
            [] | ["comment" | "obj_info", ..] => text.push_str("comment"),
            ["property", ref kind @ .., name] => {
                let plain = name.strip_prefix("diffuse_").filter(|rest| is_color(rest));
                let name = unique(plain.unwrap_or(name), &mut names);
                text.push_str(&format!("property {} {name}", kind.join(" ")));
            }
            ["element", ..] => {
                names.clear();
                text.push_str(&words.join(" "));
            }
            _ => text.push_str(&words.join(" ")),
        }
        text.push('\n');
    }
    text
}

/// Makes a name unique by a number; `names` counts the uses of each.
fn unique(name: &str, names: &mut FxHashMap<String, u32>) -> String {
    let mut name = name.to_owned();
    while let Some(times) = names.get_mut(&name) {
        *times += 1;
        name = format!("{name}_{times}");
    }
    names.insert(name.clone(), 1);
    name
}

fn is_color(name: &str) -> bool {
    matches!(name, "red" | "green" | "blue" | "alpha")
}

fn header_error(path: &Path, error: &ParseError) -> FormatError {
    let reason = match error.kind() {
        ErrorKind::UnexpectedEof => "the file ends in its header".into(),
        ErrorKind::InvalidData => "the header is not text".into(),
        _ => {
            let message = error.to_string();
            // The parser's message has several lines: the first names the mistake, the second shows the text.
            let mut lines = message.lines().map(str::trim);
            let first = lines.next().unwrap_or_default();
            let first = first
                .split_once(": ")
                .map_or(first, |(_, message)| message)
                .trim_end_matches('.');
            let text = lines
                .next()
                .unwrap_or_default()
                .trim_start_matches("String: ")
                .trim_matches('\'');
            format!("this is not a line of a PLY header: `{text}` ({first})")
        }
    };
    FormatError::Syntax { path: path.into(), line: error.line(), reason }
}
