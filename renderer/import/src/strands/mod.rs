//! Strands and points of files: Cem Yuksel's `.hair`, PLY with edges or radii, Mitsuba's text of curves.

mod hair;
mod ply;
mod text;

use std::path::Path;

use glam::Vec3;

use super::error::ImportError;
use super::{extension_of, file, unknown};
use renderer_base::files::{Files, FormatError};
use renderer_geometry::{AttributeDomain, MeshAttribute};

/// Extensions of files with strands or points, in lower case.
pub const STRANDS: [&str; 4] = ["hair", "ply", "txt", "curves"];

/// Strands or points as a file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrandFile {
    /// Number of points of each strand; empty if the file has points only.
    pub strands: Vec<u32>,
    /// Positions, strand by strand.
    pub positions: Vec<Vec3>,
    /// Radius of each point; empty if the file has none.
    pub radii: Vec<f32>,
    /// Normal at each point; empty if the file has none.
    pub normals: Vec<Vec3>,
    /// Values by name, for each point or strand.
    pub attributes: Vec<MeshAttribute>,
}

impl StrandFile {
    /// Reads a file; its extension determines the format.
    ///
    /// # Errors
    /// If the file cannot be read or is malformed.
    pub fn read(files: &dyn Files, path: &Path) -> Result<StrandFile, ImportError> {
        let parse = match extension_of(path).as_str() {
            "hair" => hair::parse,
            "ply" => ply::parse,
            "txt" | "curves" => text::parse,
            _ => return Err(unknown(path, "a .hair, .ply, .txt or .curves file")),
        };
        Ok(parse(&file::read(files, path)?, path)?)
    }

    /// Parses the content of a file; `path` is its name in errors.
    ///
    /// # Errors
    /// As [`StrandFile::read`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<StrandFile, FormatError> {
        match extension_of(path).as_str() {
            "hair" => hair::parse(bytes, path),
            "ply" => ply::parse(bytes, path),
            _ => text::parse(bytes, path),
        }
    }
}

/// Values of points by name.
fn of_points(name: &str, width: usize, values: Vec<f32>) -> MeshAttribute {
    MeshAttribute {
        name: name.to_owned(),
        domain: AttributeDomain::Vertex,
        width,
        values,
        properties: vec![],
    }
}
