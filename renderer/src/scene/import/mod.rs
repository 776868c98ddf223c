//! Files of other programs, read into Kiln's own data. No file, however broken, does worse than an error.

mod call;
mod gltf;
mod mitsuba;
mod model;
mod mtl;
mod obj;
mod obj_material;
mod ply;
mod serialized;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::geometry::{Mesh, MeshError};

pub use gltf::{load_gltf, parse_gltf};
pub use mitsuba::{MitsubaOptions, Translation, translate};
pub use model::{Model, ModelMaterial, ModelShape};
pub use mtl::ObjMaterial;
pub use obj::{Obj, ObjPart, load_obj};
pub use ply::{load_ply, parse_ply};
pub use serialized::{load_serialized, parse_serialized};

pub(crate) use model::stem;
pub(in crate::scene) use ply::UV2;

/// Why a file was not imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{} is not {expected}", .path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        expected: &'static str,
    },
    /// The file ends too early.
    #[error("{} is cut short: it ends in the {element} elements, at {found} of {expected}", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What it ends among.
        element: String,
        /// How many the file promises.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// Something in the file makes no sense.
    #[error("{}: {reason}", place(path, *line))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1, in files that have lines.
        line: Option<usize>,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// What the file describes is no mesh.
    #[error("{}{}: {source}", .path.display(), part.as_ref().map(|part| format!(", {part}")).unwrap_or_default())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Which part of it, where it has parts.
        part: Option<String>,
        /// What is wrong.
        source: MeshError,
    },
}

/// The file, and the line where there is one.
fn place(path: &Path, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}

/// The bytes of a file.
fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    fs::read(path).map_err(|source| ImportError::Read {
        path: path.into(),
        source,
    })
}

/// The text of a file: without a byte-order mark, every line ended by a line feed, bytes that are no text replaced.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    // A carriage return by itself ends lines on old systems; one before a line feed is white space.
    let is_alone = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if text.match_indices('\r').any(is_alone) {
        return Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    text
}

/// Reads a file as one mesh, with the attributes that it has: a PLY file; an OBJ file with all of its groups together,
/// whatever their materials, so that corners of equal indices share a vertex across groups; or the first mesh of a
/// `.serialized` file.
///
/// # Errors
/// When the file cannot be read or makes no sense.
pub fn load_single(path: &Path) -> Result<Mesh, ImportError> {
    match extension_of(path).as_str() {
        "obj" => obj::load_obj_mesh(path),
        "ply" => load_ply(path),
        "serialized" => load_serialized(path, 0),
        _ => Err(ImportError::Kind {
            path: path.to_owned(),
            expected: "a PLY, OBJ or .serialized file",
        }),
    }
}

fn extension_of(path: &Path) -> String {
    path.extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Reads a model, of the format that its extension says.
///
/// # Errors
/// When the file cannot be read or makes no sense.
pub fn read_model(path: &Path) -> Result<Model, ImportError> {
    match extension_of(path).as_str() {
        "glb" | "gltf" => load_gltf(path),
        "obj" => Ok(obj_material::model(path, load_obj(path)?)),
        "ply" => Ok(Model::of_mesh(path, load_ply(path)?)),
        "serialized" => Ok(Model::of_parts(path, serialized::load_parts(path)?)),
        _ => Err(ImportError::Kind {
            path: path.to_owned(),
            expected: "a PLY, OBJ, .serialized, glTF or GLB file",
        }),
    }
}
