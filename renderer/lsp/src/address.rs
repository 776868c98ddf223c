//! Addresses of texts (`file:///home/a%20b.ksl`) and the paths that stand for them.

use std::path::{Component, Path, PathBuf};
use std::str::FromStr as _;

use lsp_types::Uri;
use shading_editor::{Language, language_of};

/// Path of a URI. An unsaved text gets a path that no file has, with the extension of `language`, the editor's
/// identifier of the language.
pub(super) fn path_of(uri: &Uri, language: Option<&str>) -> PathBuf {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else {
        let plain: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
            .collect();
        let extension = if language == Some("kiln") { "kiln" } else { "ksl" };
        return PathBuf::from(format!("/{plain}/untitled.{extension}"));
    };
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let decoded = decoded(path);
    // Windows: `/C:/folder`.
    let bytes = decoded.as_bytes();
    let is_drive = cfg!(windows) && bytes.len() > 2 && bytes[0] == b'/' && bytes[2] == b':';
    clean(Path::new(if is_drive { &decoded[1..] } else { &decoded }))
}

/// Address of a file; `None` where a path has none.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    let text = if cfg!(windows) {
        format!("/{}", text.replace('\\', "/"))
    } else {
        text.to_owned()
    };
    let mut encoded = String::from("file://");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    Uri::from_str(&encoded).ok()
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3);
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A path without `.` and `..`, so that a file has one path.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Returns whether a file is in a language of the server.
pub(super) fn is_known(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let is_shader = ["ksl", "osl", "tsl"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    is_shader || !extension.is_empty() && language_of(path) == Language::Scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_and_back() {
        let path = Path::new("/a b/ü#%.ksl");
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%BC%23%25.ksl");
        assert_eq!(path_of(&uri, None), path);
        let new = Uri::from_str("untitled:Untitled-1").unwrap();
        assert_eq!(path_of(&new, Some("kiln")), Path::new("/untitled_Untitled-1/untitled.kiln"));
        assert_eq!(clean(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
