//! Importers of other formats: OBJ, PLY, STL, glTF, scenes of Mitsuba and Embree, IES files. Malformed files give errors, never
//! panics.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod call;
mod embree;
mod error;
pub mod export;
mod file;
mod gltf;
mod ies;
mod mitsuba;
mod model;
mod mtl;
mod obj;
mod obj_material;
mod obj_relief;
mod obj_smoothing;
mod obj_text;
mod ply;
mod ply_attributes;
mod ply_corners;
mod ply_images;
mod ply_model;
mod ply_strips;
mod scene_format;
mod scene_import;
mod scene_value;
mod serialized;
mod stl;
mod strands;
mod subject;
mod xml;
mod xml_attributes;

use std::path::Path;

use renderer_base::files::{DiskFiles, FormatError, SharedFiles};
use renderer_geometry::Mesh;

pub use error::ImportError;
use file::read;
pub use gltf::{AnimationChoice, GltfFile, MESHOPT, Playback, ViewBytes, load_gltf, parse_gltf};
pub use ies::{load_ies, parse_ies};
pub use model::{Model, ModelMaterial, ModelShape, ModelStrands, StrandKind, StrandSet};
pub use mtl::{ObjMap, ObjMaterial};
pub use obj::{Obj, ObjPart, load_obj};
pub use ply::{load_ply, parse_ply};
pub use scene_format::{SceneFormat, import_scene};
pub use scene_import::{SceneImport, SceneImportOptions};
pub use serialized::{load_serialized, parse_serialized};
pub use stl::{load_stl, parse_stl};
pub use strands::{StrandFile, read_strands};

pub use model::{Names, stem};
pub(crate) use ply_attributes::UV2;

/// File extensions that [`read_model`] supports, in lower case.
pub const MODELS: [&str; 6] = ["glb", "gltf", "obj", "ply", "serialized", "stl"];

/// Reads a file as one mesh, with its attributes: a PLY or STL file; an OBJ file with all of its groups merged,
/// whatever their materials, so that corners of equal indices share a vertex across groups; or the first mesh of a
/// `.serialized` file.
///
/// # Errors
/// If the file cannot be read or is malformed.
pub fn load_single(path: &Path) -> Result<Mesh, ImportError> {
    match extension_of(path).as_str() {
        "obj" => Ok(obj::load_obj_mesh(&DiskFiles, path)?.0),
        "ply" => load_ply(path),
        "stl" => load_stl(path),
        "serialized" => load_serialized(path, 0),
        _ => Err(unknown(path, "a PLY, OBJ, STL or .serialized file")),
    }
}

/// Error for a file of a format that is not `expected`.
fn unknown(path: &Path, expected: &'static str) -> ImportError {
    let path = path.to_owned();
    FormatError::Kind { path, expected }.into()
}

fn extension_of(path: &Path) -> String {
    path.extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Reads a model; the file extension determines the format.
///
/// # Errors
/// If the file cannot be read or is malformed.
pub fn read_model(path: &Path) -> Result<Model, ImportError> {
    read_model_from(&SharedFiles::default(), path, &ModelOptions::default())
}

/// Options of reading a model file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelOptions<'a> {
    /// Animation of the model, and its time.
    pub playback: Option<Playback<'a>>,
    /// True if meshes keep their polygons, for subdivision.
    pub keeps_faces: bool,
}

/// Like [`read_model`], but reads from the given file system.
///
/// # Errors
/// As [`read_model`].
pub fn read_model_from(
    shared: &SharedFiles,
    path: &Path,
    options: &ModelOptions<'_>,
) -> Result<Model, ImportError> {
    let files = &**shared;
    let mut model = match extension_of(path).as_str() {
        "glb" | "gltf" => gltf::load_gltf_from(shared, path, options.playback)?,
        "obj" => obj_material::model(files, path, obj::load_obj_from(files, path, options.keeps_faces)?),
        "ply" => ply_model::load_ply_model(files, path, options.keeps_faces)?,
        "serialized" => Model::of_parts(path, serialized::load_parts(files, path)?),
        "stl" => Model::of_mesh(path, parse_stl(&read(files, path)?, path)?),
        _ => return Err(unknown(path, "a PLY, OBJ, STL, .serialized, glTF or GLB file")),
    };
    model.show_colors();
    model.warn_of_rounding();
    Ok(model)
}
