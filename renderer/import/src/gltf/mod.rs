//! glTF 2.0 importer, `.gltf` with its files or `.glb`.
//!
//! - The `gltf` crate parses and validates the document; buffers are decoded here, since the crate's readers do not
//!   check accessors.
//! - Geometry compressed by Draco or meshopt is decompressed first.
//! - Photometric units are divided by 683 lm/W. The emission of materials is taken as radiance as it stands, as other
//!   path tracers do.
//! - Surfaces are visible from both sides, single-sided ones too: a path tracer that drops back faces lets light leak.
//!   Single-sided materials emit from their front only.
//! - Meshes are bent by morph weights and skins as the nodes have them; animations are not played.
//! - A mesh that its place flattens is a flat copy in a place that does not.
//! - Tangents are read or generated where the material has a normal map or anisotropy.
//! - Occlusion maps are ignored, since the light that they guess is computed here.
//! - Of KHR_materials_volume the thickness only tells bodies, which refract, from sheets: how far light goes is traced.

mod accessor;
mod buffers;
mod check;
mod draco;
mod extension;
mod fault;
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
use self::fault::Fault;
use super::{ImportError, Model, read};
use renderer_base::files::SharedFiles;

/// Reads a glTF file with all that belongs to it.
///
/// # Errors
/// When a file is missing or damaged, or the document needs an extension that is not understood.
pub fn load_gltf(path: &Path) -> Result<Model, ImportError> {
    load_gltf_from(&SharedFiles::default(), path)
}

/// As [`load_gltf`], from other files than those of the disk.
pub(super) fn load_gltf_from(files: &SharedFiles, path: &Path) -> Result<Model, ImportError> {
    parse(files, path, &read(&**files, path)?)
}

/// Reads a glTF document. `path` names it in messages and tells where its other files are.
///
/// # Errors
/// As [`load_gltf`].
pub fn parse_gltf(path: &Path, bytes: &[u8]) -> Result<Model, ImportError> {
    parse(&SharedFiles::default(), path, bytes)
}

fn parse(files: &SharedFiles, path: &Path, bytes: &[u8]) -> Result<Model, ImportError> {
    let refused = |reason: Fault, hint: &'static str| ImportError::Document {
        path: path.to_owned(),
        reason,
        hint,
    };
    let fault = |reason: Fault| refused(reason, fault::VALIDATOR);
    // Text may begin with a byte-order mark, which JSON does not know.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    check_length(bytes).map_err(|reason| refused(reason, fault::WHOLE))?;
    // The document is only looked at once it has been validated.
    let not_gltf = |error: &dyn std::fmt::Display| refused(format!("not glTF: {error}"), fault::WHOLE);
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let glb = Glb::from_slice(bytes).map_err(|error| not_gltf(&error))?;
        (glb.json, glb.bin.map(Cow::into_owned))
    } else {
        (Cow::Borrowed(bytes), None)
    };
    let json = text::readable(&json).map_err(|reason| refused(reason, fault::WHOLE))?;
    let targets = morph::MorphTargets::read(&json);
    let root = Root::from_slice(&json).map_err(|error| not_gltf(&error))?;
    if let Some((reason, hint)) = check::unknown_extensions(&root.extensions_required) {
        return Err(refused(reason, hint));
    }
    let document = validate(root).map_err(fault)?;
    let mut buffers =
        Buffers::read(files, &document, blob, path).map_err(|reason| refused(reason, fault::BESIDE))?;
    buffers.views = meshopt::decode(&document, &buffers).map_err(fault)?;
    buffers.decoded = draco::decode(&document, &buffers).map_err(fault)?;
    scene::model(&document, &targets, &buffers, path)
}

/// A GLB says how long it is; one that ends before would otherwise be told by whatever happens to be missing.
fn check_length(bytes: &[u8]) -> Result<(), Fault> {
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

fn validate(mut json: Root) -> Result<Document, Fault> {
    // All are known, but the crate knows fewer.
    json.extensions_required.clear();
    check::prepare(&mut json)?;
    check::validate(&json)?;
    Ok(Document::from_json_without_validation(json))
}
