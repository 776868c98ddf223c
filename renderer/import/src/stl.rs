//! Parser of STL meshes, binary and ASCII.
//!
//! A binary file has 80 bytes of header, the number of triangles, and 50 bytes for each: a normal, three corners and
//! two bytes that programs use for colours. An ASCII file holds `solid`s of `facet`s. The file size distinguishes the
//! two, since headers of binary files can begin with `solid` too. Corners at the same position become one vertex; facet
//! normals are ignored, since they follow from the corners.

use std::path::Path;

use glam::Vec3;
use rustc_hash::FxHashMap;

use super::{ImportError, read};
use renderer_base::files::{Budget, DiskFiles, FormatError, text_of};
use renderer_geometry::Mesh;

/// Loads an STL file; positions have no unit and are unchanged.
///
/// # Errors
/// If the file cannot be read, has another format, is truncated, or does not describe a valid mesh.
pub fn load_stl(path: &Path) -> Result<Mesh, ImportError> {
    parse_stl(&read(&DiskFiles, path)?, path)
}

/// Parses the content of an STL file; `path` is its name in errors.
///
/// # Errors
/// As [`load_stl`].
pub fn parse_stl(bytes: &[u8], path: &Path) -> Result<Mesh, ImportError> {
    let begins_as_text = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start()
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let (corners, count) = match bytes.split_at_checked(HEADER) {
        Some((header, triangles)) => (triangles, count_of(header)),
        None => (&[][..], 0),
    };
    let fits = corners.len() == count.saturating_mul(TRIANGLE);
    let budget = Budget::new(bytes.len());
    let over = |excess| FormatError::OverBudget { path: path.into(), excess };
    let mut soup = Soup::default();
    if begins_as_text && !(fits && count > 0) {
        let text = text_of(bytes);
        // The shortest statement of a triangle repeats the corners of the one before.
        let count = text.len() / "endloop\n".len();
        budget.allocate("triangles", count, TRIANGLE_BYTES).map_err(over)?;
        soup.read_text(&text).map_err(|(line, reason)| FormatError::Syntax {
            path: path.into(),
            line: Some(line),
            reason,
        })?;
    } else if bytes.len() < HEADER {
        let (path, expected) = (path.into(), "an STL file: it has no header");
        return Err(FormatError::Kind { path, expected }.into());
    } else if corners.len() / TRIANGLE < count {
        return Err(FormatError::Truncated {
            path: path.into(),
            element: "triangle".to_owned(),
            expected: count,
            found: corners.len() / TRIANGLE,
        }
        .into());
    } else {
        budget.allocate("triangles", count, TRIANGLE_BYTES).map_err(over)?;
        soup.read_binary(corners, count);
    }
    Mesh::new(soup.positions, soup.triangles).map_err(|source| ImportError::Mesh {
        path: path.into(),
        part: None,
        source,
    })
}

/// Size of a binary file's header [bytes]; the last four bytes are the number of triangles.
const HEADER: usize = 84;

/// Size of a triangle [bytes]: twelve floats, and two bytes that are ignored.
const TRIANGLE: usize = 50;

/// Memory of a triangle and of its vertices, with their index [bytes].
const TRIANGLE_BYTES: usize = 12 + 3 * (12 + 32);

fn count_of(header: &[u8]) -> usize {
    let number = header.last_chunk().copied().unwrap_or_default();
    u32::from_le_bytes(number) as usize
}

/// Triangles whose corners at equal positions share a vertex.
#[derive(Default)]
struct Soup {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    vertices: FxHashMap<[u32; 3], u32>,
}

impl Soup {
    fn push(&mut self, corners: [Vec3; 3]) {
        let triangle = corners.map(|corner| {
            // Adding zero turns −0 into 0.
            let position = corner + Vec3::ZERO;
            *self.vertices.entry(position.to_array().map(f32::to_bits)).or_insert_with(|| {
                self.positions.push(position);
                // The index may overflow here: larger meshes are rejected below.
                (self.positions.len() - 1) as u32
            })
        });
        self.triangles.push(triangle);
    }

    fn read_binary(&mut self, triangles: &[u8], count: usize) {
        for triangle in triangles.as_chunks::<TRIANGLE>().0.iter().take(count) {
            let number = |i: usize| f32::from_le_bytes(std::array::from_fn(|byte| triangle[4 * i + byte]));
            // The first three floats are the normal.
            self.push([3, 6, 9].map(|i| Vec3::new(number(i), number(i + 1), number(i + 2))));
        }
    }

    /// Parses all `solid`s of a text; the error is a line number, from 1, and a message.
    fn read_text(&mut self, text: &str) -> Result<(), (usize, String)> {
        let mut corners = vec![];
        let mut is_whole = false;
        let mut last = 1;
        for (number, line) in (1..).zip(text.lines()) {
            let mut words = line.split_ascii_whitespace();
            let Some(word) = words.next() else { continue };
            let wrong = |reason: &str| (number, reason.to_owned());
            match word.to_ascii_lowercase().as_str() {
                "vertex" => {
                    let numbers: Option<Vec<f32>> = words.map(|word| word.parse().ok()).collect();
                    match numbers.as_deref() {
                        Some(&[x, y, z]) => corners.push(Vec3::new(x, y, z)),
                        _ => return Err(wrong("`vertex` takes three numbers")),
                    }
                }
                "outer" => corners.clear(),
                "endloop" => match corners[..] {
                    [a, b, c] => self.push([a, b, c]),
                    _ => return Err((number, format!("a facet has {} corners, not 3", corners.len()))),
                },
                "solid" => is_whole = false,
                "endsolid" => is_whole = true,
                "facet" | "endfacet" => {}
                _ => return Err((number, format!("`{}` is not a word of STL", word.escape_debug()))),
            }
            last = number;
        }
        if is_whole {
            Ok(())
        } else {
            Err((last, "the file ends without `endsolid`: it is cut short".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[[f32; 3]; 3]; 2] = [
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]],
        [[1.0, -0.0, 0.0], [1.0, 1.0, 0.25], [0.0, 1.5, 0.0]],
    ];

    fn binary(header: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(2u32.to_le_bytes());
        for corners in CORNERS {
            let numbers = [f32::NAN; 3].into_iter().chain(corners.into_iter().flatten());
            bytes.extend(numbers.flat_map(f32::to_le_bytes));
            bytes.extend([0xff, 0x7f]);
        }
        bytes
    }

    /// ASCII file of two solids.
    fn ascii() -> String {
        let facet = |corners: [[f32; 3]; 3]| {
            let lines = corners.map(|[x, y, z]| format!("  vertex {x:e} {y} {z}\n"));
            format!("facet normal nan nan nan\n outer loop\n{} endloop\nendfacet\n", lines.concat())
        };
        let solid = |corners| format!("solid of a vertex\n{}endsolid of a vertex\n", facet(corners));
        CORNERS.map(solid).concat()
    }

    fn parse(bytes: &[u8]) -> Result<Mesh, String> {
        parse_stl(bytes, Path::new("a.stl")).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_are_the_same_mesh() {
        let mesh = parse(&binary(b"")).unwrap();
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        assert!(mesh.normals.is_empty());
        let text = ascii();
        let upper = text.to_uppercase().replace('\n', "\r\n");
        let tail = [binary(b""), vec![0; 7]].concat();
        for bytes in [text.as_bytes(), upper.as_bytes(), &binary(b"solid exported"), &tail] {
            assert_eq!(parse(bytes).as_ref(), Ok(&mesh));
        }
    }

    #[test]
    fn damage_is_told() {
        let text = ascii();
        let cut = |part: &str| text[..text.rfind(part).unwrap()].to_owned().into_bytes();
        let cases = [
            (vec![], "is not an STL file"),
            (b"solid".to_vec(), "without `endsolid`"),
            (binary(b"")[..180].to_vec(), "at 1 of 2"),
            (cut("endsolid"), "a.stl:17: the file ends without `endsolid`"),
            (cut("endloop"), "without `endsolid`"),
            (
                text.replacen("1.5", "x", 1).into_bytes(),
                "a.stl:6: `vertex` takes three numbers",
            ),
            (text.replacen("  vertex 1e0 0 0\n", "", 1).into_bytes(), "2 corners, not 3"),
            (text.replacen("outer", "inner", 1).into_bytes(), "`inner` is not a word"),
            (text.replacen("1.5", "inf", 1).into_bytes(), "not finite"),
            (b"solid\nendsolid\n".to_vec(), "no triangles"),
        ];
        for (bytes, expected) in cases {
            let error = parse(&bytes).expect_err(expected);
            assert!(error.contains(expected), "expected `{expected}` in {error}");
        }
    }
}
