//! Parser of `.hair` files (Cem Yuksel): a header of 128 bytes, then arrays of segment counts, points, thicknesses,
//! transparencies and colours, each of which the header may replace by a default. Little-endian.

use std::path::Path;

use glam::Vec3;

use super::strand_file::{StrandFile, of_points};
use renderer_base::files::FormatError;

const HEADER: usize = 128;

/// Arrays of the file, as bits of the header.
const SEGMENTS: u32 = 1;
const POINTS: u32 = 1 << 1;
const THICKNESS: u32 = 1 << 2;
const TRANSPARENCY: u32 = 1 << 3;
const COLORS: u32 = 1 << 4;

/// Rest of a file, for messages with its path.
struct Rest<'a> {
    bytes: &'a [u8],
    path: &'a Path,
}

impl<'a> Rest<'a> {
    /// The next `count` values of `size` bytes.
    fn take(&mut self, element: &str, count: usize, size: usize) -> Result<&'a [u8], FormatError> {
        let length = count.saturating_mul(size);
        let Some((taken, rest)) = self.bytes.split_at_checked(length) else {
            return Err(FormatError::Truncated {
                path: self.path.into(),
                element: element.to_owned(),
                expected: count,
                found: self.bytes.len() / size,
            });
        };
        self.bytes = rest;
        Ok(taken)
    }

    fn floats(&mut self, element: &str, count: usize, width: usize) -> Result<Vec<f32>, FormatError> {
        let bytes = self.take(element, count, 4 * width)?;
        Ok(bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
    }
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<StrandFile, FormatError> {
    let kind = |expected| FormatError::Kind { path: path.into(), expected };
    let syntax = |reason: String| FormatError::Syntax { path: path.into(), line: None, reason };
    if !bytes.starts_with(b"HAIR") {
        return Err(kind("a .hair file, which begins with HAIR"));
    }
    let (header, bytes) = bytes.split_at_checked(HEADER).ok_or(kind("a .hair file: it has no header"))?;
    let word = |at: usize| [header[at], header[at + 1], header[at + 2], header[at + 3]];
    let whole = |at: usize| u32::from_le_bytes(word(at));
    let number = |at: usize| f32::from_le_bytes(word(at));
    let (strands, points, arrays) = (whole(4) as usize, whole(8) as usize, whole(12));
    if arrays & POINTS == 0 {
        return Err(syntax("it has no points".to_owned()));
    }
    let mut rest = Rest { bytes, path };
    let counts: Vec<u32> = if arrays & SEGMENTS != 0 {
        let segments = rest.take("segment count", strands, 2)?;
        let count = |&bytes: &[u8; 2]| u32::from(u16::from_le_bytes(bytes)) + 1;
        segments.as_chunks().0.iter().map(count).collect()
    } else {
        // Without the array, the points bound the number of strands.
        let each = whole(16).saturating_add(1);
        if strands.saturating_mul(each as usize) != points {
            return Err(syntax(format!("it has {points} points for {strands} strands of {each}")));
        }
        vec![each; strands]
    };
    let sum: usize = counts.iter().map(|&count| count as usize).sum();
    if sum != points {
        return Err(syntax(format!("its strands have {sum} points, but its header says {points}")));
    }
    let positions = rest.floats("point", points, 3)?;
    let thickness = match arrays & THICKNESS {
        0 => vec![number(20)],
        _ => rest.floats("thickness", points, 1)?,
    };
    let mut file = StrandFile {
        strands: counts,
        positions: positions.as_chunks().0.iter().map(|&p| Vec3::from_array(p)).collect(),
        // The thickness is a diameter.
        radii: match thickness[..] {
            [same] if points != 1 => vec![0.5 * same; points],
            _ => thickness.iter().map(|diameter| 0.5 * diameter).collect(),
        },
        ..StrandFile::default()
    };
    if arrays & TRANSPARENCY != 0 {
        let values = rest.floats("transparency", points, 1)?;
        file.attributes.push(of_points("transparency", 1, values));
    }
    if arrays & COLORS != 0 {
        file.attributes.push(of_points("color", 3, rest.floats("color", points, 3)?));
    }
    // Writers without a thickness leave zero.
    if file.radii.iter().all(|&radius| radius == 0.0) {
        file.radii.clear();
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two strands of three and two points.
    fn file(arrays: u32) -> Vec<u8> {
        let mut bytes = b"HAIR".to_vec();
        for word in [2, 5, arrays, 2] {
            bytes.extend(u32::to_le_bytes(word));
        }
        for number in [0.5f32, 0.0, 1.0, 1.0, 1.0] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(HEADER, 0);
        for segments in [2u16, 1] {
            bytes.extend(segments.to_le_bytes());
        }
        for number in 0..15u8 {
            bytes.extend(f32::from(number).to_le_bytes());
        }
        for number in 0..20u8 {
            bytes.extend(f32::from(number).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn arrays_are_read_in_their_order() {
        let path = Path::new("a.hair");
        let found = parse(&file(SEGMENTS | POINTS | THICKNESS | COLORS), path).expect("the file is valid");
        assert_eq!(found.strands, [3, 2]);
        assert_eq!(found.positions[4], Vec3::new(12.0, 13.0, 14.0));
        assert_eq!(found.radii, [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(found.attributes[0].values[..3], [5.0, 6.0, 7.0]);
        let found = parse(&file(SEGMENTS | POINTS), path).expect("the file is valid");
        assert_eq!(found.radii, [0.25; 5]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let path = Path::new("a.hair");
        let whole = file(SEGMENTS | POINTS | THICKNESS | COLORS);
        for length in [0, 4, HEADER - 1, HEADER + 1, HEADER + 20, whole.len() - 1] {
            assert!(parse(&whole[..length], path).is_err(), "{length}");
        }
        let mut many = whole.clone();
        many[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse(&many, path).is_err());
    }
}
