//! Content of a glTF file: parsed document, original text, and the bytes of its buffers.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gltf::json::Root;
use gltf::{Document, Glb};
use serde_json::Value;

use super::GltfError;
use super::accessor::packed;
use super::animation::{Animation, Playback};
use super::buffers::{Buffers, MESHOPT};
use super::content::GltfContent;
use super::morph::MorphTargets;
use super::{check, draco, error, meshopt, primitive, scene, text};
use crate::{ImportError, Model, read};
use renderer_base::files::{Budget, SharedFiles};
use renderer_image::texture::TextureSource;

/// glTF file with all referenced files, for the importer and the exporter.
pub struct GltfFile {
    /// The text of the document, unchanged.
    json: Vec<u8>,
    content: Arc<GltfContent>,
}

/// Bytes of a buffer view in the file.
pub enum ViewBytes<'a> {
    /// As they are.
    Plain(&'a [u8]),
    /// Compressed, as an extension of this name has them.
    Compressed(&'static str, &'a [u8]),
}

impl GltfFile {
    /// Reads a file, and all files that it refers to but images.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the document requires an extension that is not supported.
    pub fn open(files: &SharedFiles, path: &Path) -> Result<GltfFile, ImportError> {
        GltfFile::parse(files, path, &read(&**files, path)?)
    }

    /// Parses a document. `path` is its name in messages, and its other files are relative to it.
    ///
    /// # Errors
    /// As [`GltfFile::open`].
    pub fn parse(files: &SharedFiles, path: &Path, bytes: &[u8]) -> Result<GltfFile, ImportError> {
        let document_error =
            |(reason, hint): Fault| ImportError::Document { path: path.to_owned(), reason, hint };
        let invalid = |reason: GltfError| document_error((reason, error::VALIDATOR_HINT));
        // JSON text must not begin with a byte-order mark, but some files do.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        check_length(bytes).map_err(|reason| document_error((reason, error::EXPORT_HINT)))?;
        let (json, blob) = if bytes.starts_with(b"glTF") {
            let glb = Glb::from_slice(bytes).map_err(|error| document_error(not_gltf(&error)))?;
            (glb.json, glb.bin.map(Cow::into_owned))
        } else {
            (Cow::Borrowed(bytes), None)
        };
        let (document, targets) = document(&json).map_err(document_error)?;
        let mut buffers = Buffers::read(files, &document, blob, path, Budget::new(bytes.len()))
            .map_err(|reason| document_error((reason, error::BUFFER_HINT)))?;
        buffers.views = meshopt::decode(&document, &buffers).map_err(invalid)?;
        buffers.decoded = draco::decode(&document, &buffers).map_err(invalid)?;
        Ok(GltfFile {
            json: json.into_owned(),
            content: Arc::new(GltfContent { document, targets, buffers: Arc::new(buffers) }),
        })
    }

    pub(super) fn model(&self, path: &Path, playback: Option<Playback<'_>>) -> Result<Model, ImportError> {
        let document_error =
            |(reason, hint): Fault| ImportError::Document { path: path.to_owned(), reason, hint };
        let Some((playback, mut json)) = playback.zip(self.json()) else {
            return scene::model(&self.content, None, path);
        };
        let GltfContent { document, buffers, .. } = &*self.content;
        let animation = Animation::read(&mut json, document, buffers, playback)
            .map_err(|reason| document_error((reason, error::VALIDATOR_HINT)))?;
        let content = match animation.as_ref().is_some_and(|animation| animation.changes_values) {
            true => Arc::new(self.content_of(&json).map_err(document_error)?),
            false => self.content.clone(),
        };
        scene::model(&content, animation, path)
    }

    /// The content of another document with the same buffers.
    fn content_of(&self, json: &Value) -> Result<GltfContent, Fault> {
        let (document, targets) = document(json.to_string().as_bytes())?;
        Ok(GltfContent { document, targets, buffers: self.content.buffers.clone() })
    }

    /// Original document; `None` if other programs read it differently.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.json).ok()
    }

    /// Paths of the further input files.
    pub fn files(&self) -> &[PathBuf] {
        &self.content.buffers.files
    }

    /// The bytes of a buffer view as the file has them.
    ///
    /// # Errors
    /// If there is no such view, or it reaches beyond its buffer.
    pub fn view(&self, index: usize) -> Result<ViewBytes<'_>, GltfError> {
        let view = self.content.document.views().nth(index);
        let view = view.ok_or_else(|| format!("there is no buffer view {index}"))?;
        for name in MESHOPT {
            let Some(extension) = view.extension_value(name) else {
                continue;
            };
            let number = |key: &str| extension.get(key).and_then(Value::as_u64).unwrap_or(0) as usize;
            let bytes =
                (self.content.buffers).range(number("buffer"), number("byteOffset"), number("byteLength"));
            return bytes
                .map(|bytes| ViewBytes::Compressed(name, bytes))
                .ok_or_else(|| format!("compressed buffer view {index} reaches beyond its buffer"));
        }
        self.content.buffers.view(&view).map(ViewBytes::Plain)
    }

    /// The bytes of a buffer view, decompressed.
    ///
    /// # Errors
    /// As [`GltfFile::view`].
    pub fn decoded_view(&self, index: usize) -> Result<&[u8], GltfError> {
        let view = self.content.document.views().nth(index);
        self.content
            .buffers
            .view(&view.ok_or_else(|| format!("there is no buffer view {index}"))?)
    }

    /// The elements of an accessor, one after the other without gaps, decompressed, sparse ones in their places; and the
    /// bytes of one.
    ///
    /// # Errors
    /// If there is no such accessor, it is of matrices, or its bytes are not all there.
    pub fn elements(&self, accessor: usize) -> Result<(Vec<u8>, usize), GltfError> {
        let found = self.content.document.accessors().nth(accessor);
        let found = found.ok_or_else(|| format!("there is no accessor {accessor}"))?;
        packed(&found, &self.content.buffers)
    }

    /// The vertices of the triangles of a primitive, in the order of [`Model`]'s meshes; `None` if it has none.
    ///
    /// # Errors
    /// If there is no such primitive, or its indices are not all there.
    pub fn triangles(&self, mesh: usize, primitive: usize) -> Result<Option<Vec<[u32; 3]>>, GltfError> {
        let found = self.content.document.meshes().nth(mesh);
        let found = found.and_then(|mesh| mesh.primitives().nth(primitive));
        let found = found.ok_or_else(|| format!("mesh {mesh} has no primitive {primitive}"))?;
        Ok(primitive::triangles(&found, &self.content.buffers)?.ok())
    }

    /// The source of an image's bytes.
    ///
    /// # Errors
    /// If there is no such image, or no such file.
    pub fn image(&self, index: usize) -> Result<TextureSource, GltfError> {
        let image = self.content.document.images().nth(index);
        let image = image.ok_or_else(|| format!("there is no image {index}"))?;
        self.content.buffers.image(&image, "")
    }
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

/// Reason why a document cannot be read, and advice.
type Fault = (GltfError, &'static str);

/// Parses and validates the text of a document.
fn document(json: &[u8]) -> Result<(Document, MorphTargets), Fault> {
    let readable = text::readable(json).map_err(|reason| (reason, error::EXPORT_HINT))?;
    // The document is not accessed before it has been validated.
    let root = Root::from_slice(&readable).map_err(|error| not_gltf(&error))?;
    if let Some(fault) = check::unknown_extensions(&root.extensions_required) {
        return Err(fault);
    }
    let document = validate(root).map_err(|reason| (reason, error::VALIDATOR_HINT))?;
    Ok((document, MorphTargets::read(&readable)))
}

fn not_gltf(error: &dyn std::fmt::Display) -> Fault {
    (format!("not glTF: {error}"), error::EXPORT_HINT)
}

fn validate(mut json: Root) -> Result<Document, GltfError> {
    // `unknown_extensions` has checked these already; the crate supports fewer.
    json.extensions_required.clear();
    check::prepare(&mut json)?;
    check::validate(&json)?;
    Ok(Document::from_json_without_validation(json))
}
