//! Strands and points of files: Cem Yuksel's `.hair`, PLY with edges or radii, Mitsuba's text of curves.

mod hair;
mod ply;
mod strand_file;
mod text;

use std::path::Path;

use super::error::ImportError;
use super::{extension_of, file, unknown};
use renderer_base::files::Files;
pub use strand_file::StrandFile;

/// Reads a file with strands or points; its extension determines the format.
///
/// # Errors
/// If the file cannot be read or is malformed.
pub fn read_strands(files: &dyn Files, path: &Path) -> Result<StrandFile, ImportError> {
    let parse = match extension_of(path).as_str() {
        "hair" => hair::parse,
        "ply" => ply::parse,
        "txt" | "curves" => text::parse,
        _ => return Err(unknown(path, "a .hair, .ply, .txt or .curves file")),
    };
    Ok(parse(&file::read(files, path)?, path)?)
}
