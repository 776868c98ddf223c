//! Reader of Houdini's ASCII `.geo` files, version 5, which OSL's tools write: points with attributes. Content after
//! the points is ignored.

use std::path::Path;
use std::sync::Arc;

use super::{CloudColumn, CloudError, ColumnValues};
use renderer_base::files::FormatError;

/// Magic at the start of such a file.
pub(super) const MAGIC: &[u8] = b"PGEOMETRY";

/// Attribute as declared by the file.
struct Declared {
    /// Column for its values; `None` for an attribute that is not read.
    column: Option<CloudColumn>,
    /// Numbers per point.
    width: usize,
}

/// Reads the attributes of a file, positions first.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Vec<CloudColumn>, CloudError> {
    let text = String::from_utf8_lossy(bytes);
    let columns =
        parse(&text).map_err(|reason| FormatError::Syntax { path: path.into(), line: None, reason })?;
    Ok(columns)
}

fn parse(text: &str) -> Result<Vec<CloudColumn>, String> {
    let mut lines = Lines { rest: text, next: 1 }.filter(|(_, line)| !line.trim().is_empty());
    let (_, first) = lines.next().ok_or("it is empty")?;
    if first.split_whitespace().nth(1) != Some("V5") {
        return Err("of Houdini's files, only ASCII files of version 5 (`PGEOMETRY V5`) are read".to_owned());
    }
    let mut counts = [None, None];
    for _ in 0..3 {
        let (_, line) = lines.next().ok_or("it ends in its header")?;
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.chunks_exact(2) {
            for (name, count) in ["NPoints", "NPointAttrib"].into_iter().zip(&mut counts) {
                if pair[0] == name {
                    *count = pair[1].parse::<usize>().ok();
                }
            }
        }
    }
    let [Some(points), Some(attributes)] = counts else {
        return Err("its header does not tell the numbers of points and attributes".to_owned());
    };
    let mut declared = vec![];
    if attributes > 0 {
        let (number, line) = lines.next().ok_or("it ends in its header")?;
        if line.trim() != "PointAttrib" {
            return Err(format!("line {number}: expected PointAttrib"));
        }
        for _ in 0..attributes {
            let (number, line) = lines.next().ok_or("it ends in its attributes")?;
            declared.push(attribute(line).ok_or_else(|| format!("line {number}: this is not an attribute"))?);
        }
    }
    let mut positions = vec![];
    for _ in 0..points {
        let cut = || format!("it is cut short: it ends at {} of {points} points", positions.len());
        let (number, line) = lines.next().ok_or_else(cut)?;
        let wrong = || format!("line {number}: this is not a point with {attributes} attributes");
        positions.push(point(line, &mut declared).ok_or_else(wrong)?);
    }
    let mut columns = vec![CloudColumn {
        name: "position".to_owned(),
        values: ColumnValues::Triples(positions),
    }];
    columns.extend(declared.into_iter().filter_map(|declared| declared.column));
    Ok(columns)
}

/// Line iterator with line numbers; quoted strings may contain line ends.
struct Lines<'a> {
    rest: &'a str,
    next: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut quoted, mut escaped) = (false, false);
        let end = self.rest.bytes().position(|byte| {
            let is_end = byte == b'\n' && !quoted;
            quoted ^= byte == b'"' && !escaped;
            escaped = byte == b'\\' && quoted && !escaped;
            is_end
        });
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, ""),
        };
        let number = self.next;
        self.next += 1 + line.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
        Some((number, line))
    }
}

/// Rest of a line after `count` words.
fn behind_words(line: &str, count: usize) -> &str {
    (0..count).fold(line, |rest, _| {
        let rest = rest.trim_start();
        &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..]
    })
}

/// Strings of `count "string"…`; quotes are optional for strings without spaces.
fn texts(line: &str) -> Option<Vec<Arc<str>>> {
    let line = line.trim_start();
    let (count, mut rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let count: usize = count.parse().ok()?;
    let mut list = vec![];
    for _ in 0..count {
        rest = rest.trim_start();
        let Some(quoted) = rest.strip_prefix('"') else {
            let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            (!word.is_empty()).then_some(())?;
            list.push(word.into());
            rest = after;
            continue;
        };
        let (mut text, mut chars) = (String::new(), quoted.chars());
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => text.push(chars.next()?),
                c => text.push(c),
            }
        }
        list.push(text.into());
        rest = chars.as_str();
    }
    Some(list)
}

/// Parses `name width type default…`, or `name 1 index count string…`.
fn attribute(line: &str) -> Option<Declared> {
    let mut words = line.split_whitespace();
    let (name, width, kind) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
    let values = match (kind, width) {
        ("int", 1) => Some(ColumnValues::Ints(vec![])),
        ("float", 1) => Some(ColumnValues::Floats(vec![])),
        ("float" | "vector", 3) => Some(ColumnValues::Triples(vec![])),
        ("float", 2..) => Some(ColumnValues::Arrays { width, list: vec![] }),
        ("index", 1) => Some(ColumnValues::Texts { list: texts(behind_words(line, 3))?, indices: vec![] }),
        _ => None,
    };
    let name = name.to_owned();
    Some(Declared {
        column: values.map(|values| CloudColumn { name, values }),
        width,
    })
}

/// Parses `x y z w (number…)`: returns the position and appends the numbers to the attributes.
fn point(line: &str, declared: &mut [Declared]) -> Option<[f32; 3]> {
    let mut words = line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    let mut next = || words.by_ref().find(|word| !word.is_empty());
    let float = |word: Option<&str>| word?.parse::<f32>().ok();
    // Not all integers are representable as floats.
    let int = |word: Option<&str>| word?.parse::<i32>().ok().or_else(|| Some(float(word)? as i32));
    let position = [float(next())?, float(next())?, float(next())?];
    float(next())?;
    for Declared { column, width } in declared {
        match column.as_mut().map(|column| &mut column.values) {
            Some(ColumnValues::Ints(list) | ColumnValues::Texts { indices: list, .. }) => {
                list.push(int(next())?);
            }
            Some(ColumnValues::Floats(list)) => list.push(float(next())?),
            Some(ColumnValues::Triples(list)) => {
                list.push([float(next())?, float(next())?, float(next())?]);
            }
            Some(ColumnValues::Arrays { list, .. }) => {
                for _ in 0..*width {
                    list.push(float(next())?);
                }
            }
            None => {
                for _ in 0..*width {
                    float(next())?;
                }
            }
        }
    }
    Some(position)
}
