//! Importer of glTF 2.0: `.gltf` with its files, or `.glb`.
//!
//! - The `gltf` crate parses and validates the document; buffers are decoded here, since the crate's readers do not
//!   check accessors.
//! - Geometry compressed by Draco or meshopt is decompressed first.
//! - Photometric units are divided by 683 lm/W. Material emission is taken as radiance without conversion, as in other
//!   path tracers.
//! - Surfaces are visible from both sides, even single-sided ones: a path tracer that culls back faces leaks light.
//!   Single-sided materials emit from their front only.
//! - Meshes are deformed by the nodes' morph weights and skins; animations are not played.
//! - A mesh with a flattening transform becomes a flat copy with an invertible transform.
//! - Tangents are read or generated where the material has a normal map or anisotropy.
//! - Occlusion maps are ignored: the occlusion that they approximate is computed by the renderer.
//! - The thickness of KHR_materials_volume only distinguishes bodies, which refract, from thin sheets; distances inside
//!   bodies are traced.

mod accessor;
mod buffers;
mod check;
mod draco;
mod error;
mod extension;
mod flat;
mod instancing;
mod material;
mod meshopt;
mod meshopt_codec;
mod morph;
mod pose;
mod primitive;
mod scene;
mod slot;
mod tangents;
mod text;

use std::borrow::Cow;
use std::path::Path;

use gltf::json::Root;
use gltf::{Document, Glb};

use self::buffers::Buffers;
use self::error::GltfError;
use super::{ImportError, Model, read};
use renderer_base::files::SharedFiles;

/// Loads a glTF file and all files that it refers to.
///
/// # Errors
/// If a file is missing or damaged, or the document requires an extension that is not supported.
pub fn load_gltf(path: &Path) -> Result<Model, ImportError> {
    load_gltf_from(&SharedFiles::default(), path)
}

/// Like [`load_gltf`], but reads from the given file system.
pub(super) fn load_gltf_from(files: &SharedFiles, path: &Path) -> Result<Model, ImportError> {
    parse(files, path, &read(&**files, path)?)
}

/// Parses a glTF document. `path` is its name in messages, and its other files are relative to it.
///
/// # Errors
/// As [`load_gltf`].
pub fn parse_gltf(path: &Path, bytes: &[u8]) -> Result<Model, ImportError> {
    parse(&SharedFiles::default(), path, bytes)
}

fn parse(files: &SharedFiles, path: &Path, bytes: &[u8]) -> Result<Model, ImportError> {
    let document_error = |reason: GltfError, hint: &'static str| ImportError::Document {
        path: path.to_owned(),
        reason,
        hint,
    };
    let invalid = |reason: GltfError| document_error(reason, error::VALIDATOR_HINT);
    // JSON text must not begin with a byte-order mark, but some files do.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    check_length(bytes).map_err(|reason| document_error(reason, error::EXPORT_HINT))?;
    // The document is not accessed before it has been validated.
    let not_gltf =
        |error: &dyn std::fmt::Display| document_error(format!("not glTF: {error}"), error::EXPORT_HINT);
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let glb = Glb::from_slice(bytes).map_err(|error| not_gltf(&error))?;
        (glb.json, glb.bin.map(Cow::into_owned))
    } else {
        (Cow::Borrowed(bytes), None)
    };
    let json = text::readable(&json).map_err(|reason| document_error(reason, error::EXPORT_HINT))?;
    let targets = morph::MorphTargets::read(&json);
    let root = Root::from_slice(&json).map_err(|error| not_gltf(&error))?;
    if let Some((reason, hint)) = check::unknown_extensions(&root.extensions_required) {
        return Err(document_error(reason, hint));
    }
    let document = validate(root).map_err(invalid)?;
    let mut buffers = Buffers::read(files, &document, blob, path)
        .map_err(|reason| document_error(reason, error::BUFFER_HINT))?;
    buffers.views = meshopt::decode(&document, &buffers).map_err(invalid)?;
    buffers.decoded = draco::decode(&document, &buffers).map_err(invalid)?;
    scene::model(&document, &targets, &buffers, path)
}

/// Checks the length in a GLB's header, so that a truncated file is reported as such and not by a part that is missing.
fn check_length(bytes: &[u8]) -> Result<(), GltfError> {
    let Some(header) = bytes.strip_prefix(b"glTF") else {
        return Ok(());
    };
    let word = |at: usize| {
        header
            .get(at..at + 4)
            .and_then(|word| word.try_into().ok())
            .map(u32::from_le_bytes)
    };
    match (word(0), word(4)) {
        (Some(version), _) if version != 2 => Err(format!("glTF version {version}; version 2 is read")),
        (Some(_), Some(length)) if length as usize <= bytes.len() => Ok(()),
        (Some(_), Some(length)) => Err(format!(
            "cut short: it says that it has {length} bytes, but there are {}",
            bytes.len()
        )),
        _ => Err(format!("cut short: there are only {} bytes", bytes.len())),
    }
}

fn validate(mut json: Root) -> Result<Document, GltfError> {
    // `unknown_extensions` has checked these already; the crate supports fewer.
    json.extensions_required.clear();
    check::prepare(&mut json)?;
    check::validate(&json)?;
    Ok(Document::from_json_without_validation(json))
}
