//! Writer of point clouds: binary PLY files, and Houdini's ASCII `.geo` files, in the forms that the readers accept.
//!
//! In PLY files the position is `x y z`, "normal" `nx ny nz`, "color" `red green blue` as fractions; other triples are
//! `NAME_x NAME_y NAME_z`.

use std::io::{self, Read as _, Write};
use std::path::Path;
use std::sync::Arc;

use super::{CloudError, ColumnValues, PointCloud};
use renderer_base::files::open_regular;
use renderer_image::{ImageError, Staged, stage_with};

/// File format of a point cloud writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudFormat {
    /// Binary PLY.
    Ply,
    /// Houdini's ASCII format, version 5.
    Geo,
}

/// Type of a point attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Integer.
    Int,
    /// Floating-point number.
    Float,
    /// A point, vector, normal or colour.
    Triple,
    /// Sixteen numbers, row-major.
    Matrix,
    /// A string.
    Text,
}

/// Points to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudRows {
    /// Names and types of the attributes, without the position.
    pub columns: Vec<(String, ColumnType)>,
    /// Bits of the numbers, point by point: the position, then the attributes. Strings are indices into `texts`.
    pub words: Vec<u32>,
    /// Distinct strings.
    pub texts: Vec<Arc<str>>,
}

impl CloudFormat {
    /// Format for a file's extension; `None` if it is unknown.
    pub fn of(path: &Path) -> Option<CloudFormat> {
        let extension = path.extension()?.to_str()?;
        [(CloudFormat::Ply, "ply"), (CloudFormat::Geo, "geo")]
            .into_iter()
            .find_map(|(format, known)| known.eq_ignore_ascii_case(extension).then_some(format))
    }

    /// Returns whether the writer wrote a file, by its first bytes.
    pub fn wrote(path: &Path) -> bool {
        let mut bytes = vec![];
        let begin = open_regular(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        // Houdini's files hold primitives, too, and no comments.
        let is_geo = || {
            let mut lines = text.lines();
            lines.next() == Some(GEO_MAGIC)
                && lines.next().is_some_and(|line| line.ends_with(" NPrims 0"))
                && lines.next() == Some(GEO_GROUPS)
        };
        begin.is_ok() && (text.starts_with(PLY_HEAD) || is_geo())
    }
}

/// Number of bytes that identify files of the writer.
const HEAD_BYTES: u64 = 256;

/// First lines of PLY files.
const PLY_HEAD: &str = "ply\nformat binary_little_endian 1.0\ncomment written by Kiln\n";
/// First and third line of `.geo` files.
const GEO_MAGIC: &str = "PGEOMETRY V5";
const GEO_GROUPS: &str = "NPointGroups 0 NPrimGroups 0";

impl ColumnType {
    /// Number of components.
    pub fn width(self) -> usize {
        match self {
            ColumnType::Int | ColumnType::Float | ColumnType::Text => 1,
            ColumnType::Triple => 3,
            ColumnType::Matrix => 16,
        }
    }

    fn is_of(self, values: &ColumnValues) -> bool {
        matches!(
            (self, values),
            (ColumnType::Int, ColumnValues::Ints(_))
                | (ColumnType::Float, ColumnValues::Floats(_))
                | (ColumnType::Triple, ColumnValues::Triples(_))
                | (ColumnType::Matrix, ColumnValues::Arrays { width: 16, .. })
                | (ColumnType::Text, ColumnValues::Texts { .. })
        )
    }
}

impl CloudRows {
    /// Number of points.
    pub fn count(&self) -> usize {
        self.words.len() / self.width()
    }

    /// Number of words per point.
    fn width(&self) -> usize {
        3 + self.columns.iter().map(|(_, ty)| ty.width()).sum::<usize>()
    }

    /// Writes the points to a temporary file that is to become the file `path`.
    ///
    /// # Errors
    /// If an attribute cannot be represented under its name, or the file cannot be written.
    pub fn stage(&self, path: &Path, format: CloudFormat) -> Result<Staged, CloudError> {
        self.check(path, format)?;
        let staged: Result<Staged, ImageError> = stage_with(path, |file| match format {
            CloudFormat::Ply => self.write_ply(file),
            CloudFormat::Geo => self.write_geo(file),
        });
        Ok(staged?)
    }

    /// Checks that all attributes would be read back unchanged, which depends on their names.
    fn check(&self, path: &Path, format: CloudFormat) -> Result<(), CloudError> {
        let is_text = |(_, ty): &&(String, ColumnType)| *ty == ColumnType::Text;
        if let (CloudFormat::Ply, Some((name, _))) = (format, self.columns.iter().find(is_text)) {
            return Err(CloudError::Text { path: path.to_owned(), name: name.clone() });
        }
        // Each attribute is checked alone first, so that the error names the right one.
        let mut each = self.columns.iter().map(std::slice::from_ref);
        let changed = each.find_map(|column| first_changed(column, path, format));
        match changed.or_else(|| first_changed(&self.columns, path, format)) {
            Some(name) => Err(CloudError::Name { path: path.to_owned(), name: name.to_owned() }),
            None => Ok(()),
        }
    }

    fn write_ply(&self, file: &mut impl Write) -> io::Result<()> {
        let mut header = format!("{PLY_HEAD}element vertex {}\n", self.count());
        let mut property = |ty: &str, name: &str| header += &format!("property {ty} {name}\n");
        ["x", "y", "z"].iter().for_each(|name| property("float", name));
        for (name, ty) in &self.columns {
            match ty {
                ColumnType::Int => property("int", name),
                ColumnType::Float => property("float", name),
                ColumnType::Triple => triple_names(name).iter().for_each(|name| property("float", name)),
                ColumnType::Matrix => (0..16).for_each(|i| property("float", &format!("{name}_{i}"))),
                // Rejected above.
                ColumnType::Text => {}
            }
        }
        file.write_all(header.as_bytes())?;
        file.write_all(b"end_header\n")?;
        self.words.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))
    }

    fn write_geo(&self, file: &mut impl Write) -> io::Result<()> {
        let (points, attributes) = (self.count(), self.columns.len());
        writeln!(file, "{GEO_MAGIC}\nNPoints {points} NPrims 0\n{GEO_GROUPS}")?;
        writeln!(file, "NPointAttrib {attributes} NVertexAttrib 0 NPrimAttrib 0 NAttrib 0")?;
        if attributes > 0 {
            writeln!(file, "PointAttrib")?;
        }
        for (name, ty) in &self.columns {
            match ty {
                ColumnType::Int => writeln!(file, "{name} 1 int 0")?,
                ColumnType::Float => writeln!(file, "{name} 1 float 0")?,
                ColumnType::Triple => writeln!(file, "{name} 3 vector 0 0 0")?,
                ColumnType::Matrix => writeln!(file, "{name} 16 float{}", " 0".repeat(16))?,
                ColumnType::Text => {
                    write!(file, "{name} 1 index {}", self.texts.len())?;
                    self.texts.iter().try_for_each(|text| write_text(file, text))?;
                    writeln!(file)?;
                }
            }
        }
        for row in self.words.chunks_exact(self.width()) {
            let (position, mut rest) = row.split_at(3);
            write_floats(file, position)?;
            write!(file, " 1")?;
            for (i, (_, ty)) in self.columns.iter().enumerate() {
                let (value, after) = rest.split_at(ty.width());
                rest = after;
                write!(file, "{}", if i == 0 { " (" } else { " " })?;
                match (ty, value) {
                    (ColumnType::Int | ColumnType::Text, &[word]) => write!(file, "{}", word.cast_signed())?,
                    _ => write_floats(file, value)?,
                }
            }
            writeln!(file, "{}", if attributes > 0 { ")" } else { "" })?;
        }
        writeln!(file, "beginExtra\nendExtra")
    }
}

/// First column that is not read back unchanged.
fn first_changed<'a>(
    columns: &'a [(String, ColumnType)],
    path: &Path,
    format: CloudFormat,
) -> Option<&'a str> {
    let empty = CloudRows { columns: columns.to_vec(), words: vec![], texts: vec![] };
    let mut bytes = vec![];
    // Writing to memory cannot fail.
    let _ = match format {
        CloudFormat::Ply => empty.write_ply(&mut bytes),
        CloudFormat::Geo => empty.write_geo(&mut bytes),
    };
    let read = PointCloud::parse(&bytes, path);
    let found = read.as_ref().map_or(&[][..], PointCloud::columns);
    let is_kept = |(name, ty): &(String, ColumnType)| {
        !RESERVED.contains(&name.as_str())
            && columns.iter().filter(|(other, _)| other == name).count() == 1
            && found.iter().any(|column| column.name == *name && ty.is_of(&column.values))
    };
    let changed = columns.iter().find(|column| !is_kept(column))?;
    Some(&changed.0)
}

/// Names that searches use for the index and the position of a point.
const RESERVED: [&str; 2] = ["index", "position"];

/// Property names of a triple in a PLY file.
fn triple_names(name: &str) -> [String; 3] {
    match name {
        "normal" => ["nx", "ny", "nz"].map(str::to_owned),
        "color" => ["red", "green", "blue"].map(str::to_owned),
        _ => ["x", "y", "z"].map(|axis| format!("{name}_{axis}")),
    }
}

/// Writes a quoted string.
fn write_text(file: &mut impl Write, text: &str) -> io::Result<()> {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    write!(file, " \"{text}\"")
}

/// Writes numbers with the fewest digits that identify them.
fn write_floats(file: &mut impl Write, words: &[u32]) -> io::Result<()> {
    for (i, word) in words.iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        write!(file, "{space}{:?}", f32::from_bits(*word))?;
    }
    Ok(())
}
