//! Importer of glTF 2.0: `.gltf` with its files, or `.glb`.
//!
//! - The `gltf` crate parses and validates the document; buffers are decoded here, since the crate's readers do not
//!   check accessors.
//! - Geometry compressed by Draco or meshopt is decompressed first.
//! - Photometric units are divided by 683 lm/W. Material emission is taken as radiance without conversion, as in other
//!   path tracers.
//! - Surfaces are visible from both sides, even single-sided ones: a path tracer that culls back faces leaks light.
//!   Single-sided materials emit from their front only.
//! - Meshes are deformed by the nodes' morph weights and skins, at rest or at a time of an animation.
//! - An animation of another property writes its value at the frame into the JSON document before that is interpreted.
//! - A mesh with a flattening transform becomes a flat copy with an invertible transform.
//! - Tangents are read or generated where the material has a normal map or anisotropy.
//! - Occlusion maps are ignored: the occlusion that they approximate is computed by the renderer.
//! - The thickness of KHR_materials_volume only distinguishes bodies, which refract, from thin sheets; distances inside
//!   bodies are traced.

mod accessor;
mod animation;
mod buffers;
mod camera;
mod check;
mod content;
mod deformation;
mod draco;
mod error;
mod extension;
mod file;
mod flat;
mod instancing;
mod light;
mod luminaire;
mod material;
mod meshopt;
mod meshopt_codec;
mod morph;
mod nodes;
mod pointer;
mod pose;
mod posed_primitive;
mod primitive;
mod scene;
mod selection;
mod slot;
mod strands;
mod tangents;
mod text;

use std::path::Path;

pub use self::animation::{AnimationChoice, Playback};
pub use self::buffers::MESHOPT;
use self::error::GltfError;
pub use self::file::{GltfFile, ViewBytes};
use super::{ImportError, Model};
use renderer_base::files::SharedFiles;

/// Loads a glTF file and all files that it refers to.
///
/// # Errors
/// If a file is missing or damaged, or the document requires an extension that is not supported.
pub fn load_gltf(path: &Path) -> Result<Model, ImportError> {
    load_gltf_from(&SharedFiles::default(), path, None)
}

/// Like [`load_gltf`], but reads from the given file system, with an animation.
pub(super) fn load_gltf_from(
    files: &SharedFiles,
    path: &Path,
    playback: Option<Playback<'_>>,
) -> Result<Model, ImportError> {
    GltfFile::open(files, path)?.model(path, playback)
}

/// Parses a glTF document. `path` is its name in messages, and its other files are relative to it.
///
/// # Errors
/// As [`load_gltf`].
pub fn parse_gltf(path: &Path, bytes: &[u8]) -> Result<Model, ImportError> {
    GltfFile::parse(&SharedFiles::default(), path, bytes)?.model(path, None)
}
