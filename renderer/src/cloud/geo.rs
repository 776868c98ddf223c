//! Point clouds of Houdini's ASCII `.geo` files, version 5, which OSL's tools write: points with attributes. What comes
//! after the points is ignored.

use std::path::Path;

use super::{CloudColumn, CloudError, ColumnValues};
use crate::files::FormatError;

/// What such a file begins with.
pub(super) const MAGIC: &[u8] = b"PGEOMETRY";

/// An attribute as the file declares it.
struct Declared {
    /// Where its values are in the file's order of attributes; none of an attribute that is not read.
    column: Option<CloudColumn>,
    /// How many numbers it has.
    width: usize,
}

/// The attributes of a file, its positions first.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Vec<CloudColumn>, CloudError> {
    let text = String::from_utf8_lossy(bytes);
    let columns = parse(&text).map_err(|reason| FormatError::Syntax {
        path: path.into(),
        line: None,
        reason,
    })?;
    Ok(columns)
}

fn parse(text: &str) -> Result<Vec<CloudColumn>, String> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
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
            declared.push(attribute(line).ok_or_else(|| format!("line {number}: this is no attribute"))?);
        }
    }
    let mut positions = vec![];
    for _ in 0..points {
        let cut = || {
            format!(
                "it is cut short: it ends at {} of {points} points",
                positions.len()
            )
        };
        let (number, line) = lines.next().ok_or_else(cut)?;
        let wrong = || format!("line {number}: this is no point with {attributes} attributes");
        positions.push(point(line, &mut declared).ok_or_else(wrong)?);
    }
    let mut columns = vec![CloudColumn {
        name: "position".to_owned(),
        values: ColumnValues::Triples(positions),
    }];
    columns.extend(declared.into_iter().filter_map(|declared| declared.column));
    Ok(columns)
}

/// `name width type default…`
fn attribute(line: &str) -> Option<Declared> {
    let mut words = line.split_whitespace();
    let (name, width, kind) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
    let values = match (kind, width) {
        ("int", 1) => Some(ColumnValues::Ints(vec![])),
        ("float", 1) => Some(ColumnValues::Floats(vec![])),
        ("float" | "vector", 3) => Some(ColumnValues::Triples(vec![])),
        ("float", 2..) => Some(ColumnValues::Arrays { width, list: vec![] }),
        // An index of a text is a number, of which nothing is made.
        _ => None,
    };
    let name = name.to_owned();
    Some(Declared {
        column: values.map(|values| CloudColumn { name, values }),
        width,
    })
}

/// `x y z w (number…)`: the position; the numbers go to the attributes.
fn point(line: &str, declared: &mut [Declared]) -> Option<[f32; 3]> {
    let mut words = line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    let mut next = || words.by_ref().find(|word| !word.is_empty());
    let float = |word: Option<&str>| word?.parse::<f32>().ok();
    // Not all ints are floats.
    let int = |word: Option<&str>| word?.parse::<i32>().ok().or_else(|| Some(float(word)? as i32));
    let position = [float(next())?, float(next())?, float(next())?];
    float(next())?;
    for Declared { column, width } in declared {
        match column.as_mut().map(|column| &mut column.values) {
            Some(ColumnValues::Ints(list)) => list.push(int(next())?),
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
