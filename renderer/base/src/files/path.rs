//! Path forms: absolute paths, keys of manifests, names of entries; and file types.

use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

/// Kind of the file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file that can be read.
    File,
    /// A folder.
    Folder,
    /// A device, a pipe or the like.
    Other,
}

impl FileKind {
    pub(super) fn of(metadata: &Metadata) -> FileKind {
        if metadata.is_file() {
            FileKind::File
        } else if metadata.is_dir() {
            FileKind::Folder
        } else {
            FileKind::Other
        }
    }
}

/// The absolute path; parent folders (`..`) are not resolved.
pub(super) fn absolute(path: &Path) -> PathBuf {
    // This fails for an empty path, or without a working directory.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Replaces the empty path, the folder of a bare file name, by the working directory.
pub(super) fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns whether the name of an entry is a plain relative path that stays below the archive's root.
pub fn is_inside(name: &str) -> bool {
    let name = name.strip_suffix('/').unwrap_or(name);
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    name.split('/').all(is_plain) && !name.contains(['\\', '\0', ':'])
}

/// A path with `/` between its components; `None` if it is not valid UTF-8.
pub fn key_of(path: &Path) -> Option<String> {
    let mut parts = vec![];
    let mut start = String::new();
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => start = prefix.as_os_str().to_str()?.to_owned(),
            Component::RootDir => start.push('/'),
            Component::CurDir => {}
            Component::ParentDir => parts.push(".."),
            Component::Normal(part) => parts.push(part.to_str()?),
        }
    }
    Some(start + &parts.join("/"))
}

/// Resolves `..` in a path relative to the archive's root; `None` if the path leaves the archive.
pub fn normal(key: &str) -> Option<String> {
    let mut parts: Vec<&str> = vec![];
    for part in key.split('/').filter(|_| !key.is_empty()) {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
