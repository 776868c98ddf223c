//! glTF buffers: binary chunk of a GLB, data URIs, external files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gltf::buffer::{Buffer, Source, View};
use gltf::{Accessor, Document, image};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::GltfError;
use renderer_base::files::{Budget, SharedFiles};
use renderer_image::texture::TextureSource;

/// Extensions for meshopt compression.
pub const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Buffers of a document, each at least as long as declared.
pub(super) struct Buffers {
    list: Vec<Arc<Vec<u8>>>,
    /// Bounds of the content's memory and decoding.
    pub(super) budget: Budget,
    /// Decompressed bytes of compressed buffer views, by view index.
    pub(super) views: FxHashMap<usize, Vec<u8>>,
    /// Decompressed elements of accessors of compressed primitives, by accessor index.
    pub(super) decoded: FxHashMap<usize, Vec<u8>>,
    /// Paths of the files that were read.
    pub(super) files: Vec<PathBuf>,
    source: SharedFiles,
    directory: PathBuf,
}

impl Buffers {
    pub(super) fn read(
        source: &SharedFiles,
        document: &Document,
        mut blob: Option<Vec<u8>>,
        path: &Path,
        budget: Budget,
    ) -> Result<Buffers, GltfError> {
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let (mut list, mut files) = (vec![], vec![]);
        let mut read: FxHashMap<PathBuf, Arc<Vec<u8>>> = FxHashMap::default();
        for buffer in document.buffers() {
            let index = buffer.index();
            let is_fallback = is_fallback(&buffer) || (blob.is_none() && uses_meshopt(document));
            if is_fallback && matches!(buffer.source(), Source::Bin) {
                list.push(Arc::default());
                continue;
            }
            let bytes = match buffer.source() {
                Source::Bin => blob
                    .take()
                    .map(Arc::new)
                    .ok_or_else(|| format!("buffer {index} is missing: the file has no binary part"))?,
                Source::Uri(uri) => {
                    match Uri::parse(uri).map_err(|reason| format!("buffer {index}: {reason}"))? {
                        Uri::Data(bytes) => Arc::new(bytes),
                        Uri::File(name) => {
                            let file = directory.join(name);
                            let same = source.identity(&file);
                            if let Some(bytes) = read.get(&same) {
                                bytes.clone()
                            } else {
                                let bytes = source.read(&file).map_err(|error| {
                                    format!("buffer {index}: cannot read {}: {error}", file.display())
                                })?;
                                budget.add_file(bytes.len());
                                let bytes = Arc::new(bytes);
                                read.insert(same, bytes.clone());
                                files.push(file);
                                bytes
                            }
                        }
                    }
                }
            };
            if bytes.len() < buffer.length() {
                return Err(format!(
                    "buffer {index} has {} bytes, but {} are promised",
                    bytes.len(),
                    buffer.length()
                ));
            }
            list.push(bytes);
        }
        Ok(Buffers {
            list,
            budget,
            views: FxHashMap::default(),
            decoded: FxHashMap::default(),
            files,
            source: source.clone(),
            directory,
        })
    }

    /// Packed elements of an accessor, if it belongs to a compressed primitive.
    pub(super) fn decoded(&self, accessor: &Accessor<'_>) -> Option<&[u8]> {
        self.decoded.get(&accessor.index()).map(Vec::as_slice)
    }

    /// Bytes of a buffer view.
    pub(super) fn view(&self, view: &View<'_>) -> Result<&[u8], GltfError> {
        if let Some(bytes) = self.views.get(&view.index()) {
            return Ok(bytes);
        }
        let (offset, length) = (view.offset(), view.length());
        self.range(view.buffer().index(), offset, length).ok_or_else(|| {
            format!(
                "buffer view {} ({length} bytes from {offset}) reaches beyond its buffer",
                view.index()
            )
        })
    }

    /// Range of bytes in a buffer; `None` if it is out of bounds.
    pub(super) fn range(&self, buffer: usize, offset: usize, length: usize) -> Option<&[u8]> {
        let end = offset.checked_add(length)?;
        self.list.get(buffer)?.get(offset..end)
    }

    /// Bytes of a URI, and its file if there is one.
    pub(super) fn resource(&self, uri: &str) -> Result<(Vec<u8>, Option<PathBuf>), GltfError> {
        match Uri::parse(uri)? {
            Uri::Data(bytes) => Ok((bytes, None)),
            Uri::File(name) => {
                let file = self.directory.join(name);
                let bytes = self.source.read(&file);
                let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
                Ok((bytes, Some(file)))
            }
        }
    }

    /// Source of an image's bytes; `name` is the name for an embedded image.
    pub(super) fn image(&self, image: &image::Image<'_>, name: &str) -> Result<TextureSource, GltfError> {
        let embedded =
            |bytes: Vec<u8>| TextureSource::Memory { name: PathBuf::from(name), bytes: Arc::from(bytes) };
        match image.source() {
            image::Source::View { view, .. } => {
                let bytes = self.view(&view)?;
                self.budget
                    .allocate("images", bytes.len(), 1)
                    .map_err(|excess| excess.to_string())?;
                Ok(embedded(bytes.to_vec()))
            }
            image::Source::Uri { uri, .. } => {
                let index = image.index();
                match Uri::parse(uri).map_err(|reason| format!("image {index}: {reason}"))? {
                    Uri::Data(bytes) => Ok(embedded(bytes)),
                    Uri::File(file) => {
                        let file = self.directory.join(file);
                        if !self.source.is_file(&file) {
                            return Err(format!("image {index}: there is no file {}", file.display()));
                        }
                        Ok(TextureSource::File(file))
                    }
                }
            }
        }
    }
}

/// Returns whether the document can have compressed views and fallback buffers.
fn uses_meshopt(document: &Document) -> bool {
    document.extensions_used().any(|name| MESHOPT.contains(&name))
}

/// Returns whether a buffer is a fallback: a placeholder for decompressed bytes.
fn is_fallback(buffer: &Buffer<'_>) -> bool {
    let extension = MESHOPT.iter().find_map(|name| buffer.extension_value(name));
    let fallback = extension.and_then(|extension| extension.get("fallback"));
    fallback.and_then(Value::as_bool) == Some(true)
}

/// Target of a URI.
enum Uri {
    Data(Vec<u8>),
    /// Path relative to the document.
    File(String),
}

impl Uri {
    fn parse(uri: &str) -> Result<Uri, GltfError> {
        if let Some(data) = uri.strip_prefix("data:") {
            let (kind, data) = data.split_once(',').ok_or("a data URI without data")?;
            return if kind.ends_with(";base64") {
                decode_base64(data).map(Uri::Data)
            } else {
                Ok(Uri::Data(decode_percent(data)))
            };
        }
        let file = uri.strip_prefix("file://").unwrap_or(uri);
        if file.contains("://") {
            return Err(format!("`{uri}` is not a file; nothing is loaded from the network"));
        }
        String::from_utf8(decode_percent(file))
            .map(Uri::File)
            .map_err(|_| format!("`{uri}` is not text in UTF-8"))
    }
}

/// Decodes percent-encoding (RFC 3986, section 2.1). A `%` without two hexadecimal digits is literal.
fn decode_percent(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) if byte == b'%' => {
                decoded.push(value);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Decodes base64 (RFC 4648, section 4). White space is skipped, and padding may be missing.
fn decode_base64(text: &str) -> Result<Vec<u8>, GltfError> {
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0u32;
    let mut count = 0u32;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => return Err("data that is not base64".to_owned()),
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_base64() {
        for (text, expected) in
            [("", ""), ("Zg==", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9v\nYmFy", "foobar")]
        {
            assert_eq!(decode_base64(text).expect("it is base64"), expected.as_bytes());
        }
        assert!(decode_base64("Z.9v").is_err());
    }

    #[test]
    fn decodes_percent() {
        assert_eq!(decode_percent("a%20b%2"), b"a b%2");
        assert_eq!(decode_percent("100%"), b"100%");
    }
}
