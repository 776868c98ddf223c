//! glTF document in memory: its JSON, and the bytes of its buffer views.

use serde_json::{Value, json};

use super::ExportError;
use super::text::{Renumbering, extras, forget_extension, list, push, remove_extension, renumber};
use super::uses::Uses;
use renderer_base::files::SharedFiles;
use renderer_image::texture::TextureSource;
use renderer_import::{GltfFile, ViewBytes};

/// Content of a buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// Vertex attributes, with the stride unless elements are contiguous.
    Vertices(Option<usize>),
    /// Vertex indices.
    Indices,
    /// Other content: images.
    Other,
}

/// glTF document under construction. Existing indices stay valid.
pub struct Document {
    /// JSON of the document, without buffers: all views share one.
    pub json: Value,
    /// Bytes of each buffer view, compressed if the view is compressed.
    views: Vec<Vec<u8>>,
    /// Reference counts.
    pub(super) uses: Uses,
    /// Unused views.
    free: Vec<usize>,
}

impl Document {
    /// An empty document.
    pub fn new() -> Document {
        Document {
            json: json!({
                "asset": { "version": "2.0", "generator": concat!("Kiln ", env!("CARGO_PKG_VERSION")) },
            }),
            views: vec![],
            uses: Uses::default(),
            free: vec![],
        }
    }

    /// Document of a file, with all referenced files.
    ///
    /// # Errors
    /// If parts of the file, or its images, are missing.
    pub fn of_file(file: &GltfFile, files: &SharedFiles) -> Result<Document, ExportError> {
        let mut json = file.json().ok_or(ExportError::Text)?;
        let count = list(&json, "bufferViews").len();
        let required = |name: &str| list(&json, "extensionsRequired").iter().any(|known| known == name);
        let mut views = vec![];
        let mut decompressed = vec![];
        for index in 0..count {
            views.push(match file.view(index).map_err(ExportError::Source)? {
                ViewBytes::Plain(bytes) => bytes.to_vec(),
                ViewBytes::Compressed(name, bytes) if required(name) => bytes.to_vec(),
                ViewBytes::Compressed(name, _) => {
                    decompressed.push((index, name));
                    file.decoded_view(index).map_err(ExportError::Source)?.to_vec()
                }
            });
        }
        for (index, name) in decompressed {
            remove_extension(&mut json["bufferViews"][index], name);
            forget_extension(&mut json, name);
        }
        let uses = Uses::of(&json);
        let mut document = Document { json, views, uses, free: vec![] };
        document.embed_images(file, files)?;
        Ok(document)
    }

    /// Embeds images of other files and data URIs in buffer views.
    fn embed_images(&mut self, file: &GltfFile, files: &SharedFiles) -> Result<(), ExportError> {
        for index in 0..list(&self.json, "images").len() {
            if self.json["images"][index].get("uri").is_none() {
                continue;
            }
            let (name, bytes) = match file.image(index).map_err(ExportError::Source)? {
                TextureSource::Memory { bytes, .. } => (None, bytes.to_vec()),
                TextureSource::File(path) => {
                    let bytes = files
                        .read(&path)
                        .map_err(|source| ExportError::Image { path: path.clone(), source })?;
                    (path.file_stem().map(|stem| stem.to_string_lossy().into_owned()), bytes)
                }
            };
            let view = self.add_view(bytes, ViewKind::Other);
            let kind = mime_type(&self.views[view]);
            let image = &mut self.json["images"][index];
            if let Value::Object(image) = image {
                image.remove("uri");
            }
            image["bufferView"] = json!(view);
            if let Some(kind) = kind {
                image["mimeType"] = json!(kind);
            }
            if let (Some(name), None) = (name, image.get("name")) {
                image["name"] = json!(name);
            }
        }
        Ok(())
    }

    /// Adds a buffer view; returns its index, which may be that of an unused view.
    pub fn add_view(&mut self, bytes: Vec<u8>, kind: ViewKind) -> usize {
        let mut view = json!({ "buffer": 0, "byteLength": bytes.len() });
        // 34962: for vertices; 34963: for indices.
        match kind {
            ViewKind::Vertices(stride) => {
                view["target"] = json!(34962);
                if let Some(stride) = stride {
                    view["byteStride"] = json!(stride);
                }
            }
            ViewKind::Indices => view["target"] = json!(34963),
            ViewKind::Other => {}
        }
        match self.free.pop() {
            Some(index) => {
                self.json["bufferViews"][index] = view;
                self.views[index] = bytes;
                index
            }
            None => {
                push(&mut self.json, "bufferViews", view);
                self.views.push(bytes);
                self.views.len() - 1
            }
        }
    }

    /// Releases one reference to a view.
    pub(super) fn release_view(&mut self, index: usize) {
        if self.uses.release_view(index) {
            self.free.push(index);
        }
    }

    /// Removes unused views.
    pub(super) fn remove_free_views(&mut self) {
        let mut free = std::mem::take(&mut self.free);
        free.sort_unstable();
        if free.is_empty() || has_other_references(&self.json) {
            self.free = free;
            return;
        }
        let mut renumbered = Renumbering::default();
        let is_kept = |index: &usize| free.binary_search(index).is_err();
        for (new, old) in (0..self.views.len()).filter(is_kept).enumerate() {
            renumbered.insert(old, new);
        }
        let mut index = 0;
        self.views.retain(|_| {
            index += 1;
            is_kept(&(index - 1))
        });
        if let Value::Array(views) = &mut self.json["bufferViews"] {
            let mut index = 0;
            views.retain(|_| {
                index += 1;
                is_kept(&(index - 1))
            });
        }
        renumber(&mut self.json, "bufferView", &renumbered);
        self.uses = Uses::of(&self.json);
    }

    /// Adds an element to one of the document's lists; returns its index.
    pub fn add(&mut self, name: &str, element: Value) -> usize {
        push(&mut self.json, name, element)
    }

    /// The extras of the document, as an object.
    pub fn extras(&mut self) -> &mut Value {
        extras(&mut self.json)
    }

    /// Adds an extension to the used ones.
    pub fn use_extension(&mut self, name: &str) {
        if !list(&self.json, "extensionsUsed").iter().any(|known| known == name) {
            push(&mut self.json, "extensionsUsed", json!(name));
        }
    }

    /// Adds an 8-bit image file; returns the index of its texture, with clamped wrapping.
    pub fn add_texture(&mut self, name: &str, bytes: Vec<u8>) -> usize {
        let kind = mime_type(&bytes).unwrap_or("image/png");
        let view = self.add_view(bytes, ViewKind::Other);
        let image = self.add("images", json!({ "bufferView": view, "mimeType": kind, "name": name }));
        // 9729: linear; 33071: clamp.
        let sampler = json!({ "magFilter": 9729, "minFilter": 9729, "wrapS": 33071, "wrapT": 33071 });
        let known = list(&self.json, "samplers").iter().position(|known| *known == sampler);
        let sampler = known.unwrap_or_else(|| self.add("samplers", sampler));
        self.add("textures", json!({ "source": image, "sampler": sampler, "name": name }))
    }

    /// The document as a GLB file.
    ///
    /// # Errors
    /// If the file exceeds the size limit of the format.
    pub fn glb(&self) -> Result<Vec<u8>, ExportError> {
        let mut json = self.json.clone();
        let mut bytes: Vec<u8> = vec![];
        let mut fallback = 0;
        for (index, content) in self.views.iter().enumerate() {
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let view = &mut json["bufferViews"][index];
            match compression(view) {
                Some(name) => {
                    let extension = &mut view["extensions"][name];
                    extension["buffer"] = json!(0);
                    extension["byteOffset"] = json!(bytes.len());
                    extension["byteLength"] = json!(content.len());
                    let length = view["byteLength"].as_u64().unwrap_or(0) as usize;
                    view["buffer"] = json!(1);
                    view["byteOffset"] = json!(fallback);
                    fallback += length.next_multiple_of(4);
                }
                None => {
                    view["buffer"] = json!(0);
                    view["byteOffset"] = json!(bytes.len());
                    view["byteLength"] = json!(content.len());
                }
            }
            bytes.extend(content);
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut buffers = vec![];
        if !bytes.is_empty() {
            buffers.push(json!({ "byteLength": bytes.len() }));
        }
        if fallback > 0 {
            let names = list(&json, "bufferViews").iter().find_map(compression);
            let name = names.unwrap_or(renderer_import::MESHOPT[0]);
            buffers.push(json!({ "byteLength": fallback, "extensions": { name: { "fallback": true } } }));
        }
        if let Value::Object(document) = &mut json {
            match buffers.is_empty() {
                true => document.remove("buffers"),
                false => document.insert("buffers".to_owned(), Value::Array(buffers)),
            };
        }
        container(&json.to_string(), &bytes)
    }
}

impl Default for Document {
    fn default() -> Document {
        Document::new()
    }
}

/// Returns whether an extension references buffer views by other names.
fn has_other_references(json: &Value) -> bool {
    list(json, "extensionsUsed")
        .iter()
        .any(|name| name == "EXT_structural_metadata")
}

/// The extension that compresses a view.
fn compression(view: &Value) -> Option<&'static str> {
    let extensions = view.get("extensions")?;
    (renderer_import::MESHOPT.into_iter()).find(|name| extensions.get(name).is_some())
}

/// A GLB: glTF 2.0, section 4.4: a header, then chunks of length, kind and content.
fn container(text: &str, bytes: &[u8]) -> Result<Vec<u8>, ExportError> {
    let mut text = text.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let binary = if bytes.is_empty() { 0 } else { 8 + bytes.len() };
    let total = 12 + 8 + text.len() + binary;
    let length = u32::try_from(total).map_err(|_| ExportError::TooLarge { bytes: total })?;
    let mut file = Vec::with_capacity(total);
    file.extend(b"glTF");
    file.extend(2u32.to_le_bytes());
    file.extend(length.to_le_bytes());
    for (kind, content) in [(b"JSON", text.as_slice()), (b"BIN\0", bytes)] {
        if !content.is_empty() {
            file.extend((content.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(content);
        }
    }
    Ok(file)
}

/// MIME type of an image, by its first bytes.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', ..] => Some("image/ktx2"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some("image/avif"),
        [b'D', b'D', b'S', b' ', ..] => Some("image/vnd-ms.dds"),
        _ => None,
    }
}
