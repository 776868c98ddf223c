//! Overlay of files in memory: unsaved buffers, and scenes of tests.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::path::{absolute, or_here};
use super::{FileKind, FileReader, Files, SharedFiles, checked_bytes, checked_reader};

/// Files in memory over another [`Files`].
#[derive(Clone, Debug)]
pub struct OverlayFiles {
    /// Contents by absolute path.
    contents: BTreeMap<PathBuf, Arc<[u8]>>,
    under: SharedFiles,
}

impl OverlayFiles {
    /// No files in memory yet over `under`.
    pub fn new(under: SharedFiles) -> OverlayFiles {
        OverlayFiles { contents: BTreeMap::new(), under }
    }

    /// Adds a file, or replaces it. A relative path begins in the working directory.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, bytes: impl Into<Arc<[u8]>>) -> OverlayFiles {
        self.contents.insert(absolute(path.as_ref()), bytes.into());
        self
    }

    fn find(&self, path: &Path) -> Option<&Arc<[u8]>> {
        self.contents.get(&absolute(path))
    }
}

impl Files for OverlayFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.find(path) {
            Some(bytes) => checked_bytes(bytes.to_vec()),
            None => self.under.read(path),
        }
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        match self.find(path) {
            Some(bytes) => checked_reader(FileReader::memory(bytes.to_vec())),
            None => self.under.open(path),
        }
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        if self.find(path).is_some() {
            return Ok(FileKind::File);
        }
        let folder = absolute(path);
        let is_folder = self.contents.keys().any(|file| file.starts_with(&folder));
        self.under
            .kind(path)
            .or_else(|error| if is_folder { Ok(FileKind::Folder) } else { Err(error) })
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        let mut names = self.under.list(folder);
        let folder = absolute(or_here(folder));
        let below = self.contents.keys().filter_map(|file| {
            let first = file.strip_prefix(&folder).ok()?.components().next()?;
            Some(first.as_os_str().to_str()?.to_owned())
        });
        names.extend(below);
        names.sort();
        names.dedup();
        names
    }

    fn identity(&self, path: &Path) -> PathBuf {
        match self.find(path) {
            Some(_) => absolute(path),
            None => self.under.identity(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_hides_files_and_adds_to_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            std::fs::write(path(name), "disk").unwrap();
        }
        let files = OverlayFiles::new(SharedFiles::default())
            .with(path("b"), *b"memory")
            .with(path("new/c"), *b"memory");
        assert_eq!(files.read(&path("a")).unwrap(), b"disk");
        assert_eq!(files.read(&path("b")).unwrap(), b"memory");
        assert_eq!(files.open(&path("new/c")).unwrap().len(), 6);
        assert_eq!(files.kind(&path("new")).unwrap(), FileKind::Folder);
        assert_eq!(files.list(folder.path()), ["a", "b", "new"]);
        assert!(!files.is_file(&path("d")));
    }
}
