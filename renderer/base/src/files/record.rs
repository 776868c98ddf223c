//! Recording of the files that a scene reads, for packing.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::path::{FileKind, absolute, or_here};
use super::{FileReader, Files, SharedFiles};

/// Requested path of an existing file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordedPath {
    /// Relative to the scene's folder; may contain `..`.
    Relative(PathBuf),
    /// Absolute path.
    Absolute(PathBuf),
}

/// Kinds of all recorded files, by path.
pub type Recorded = BTreeMap<RecordedPath, FileKind>;

/// Files that record each requested path of an existing file. `folder` is also mapped to the path `as_if`, which
/// distinguishes absolute paths in a file from paths that were joined to the folder.
#[derive(Debug)]
pub struct RecordedFiles {
    under: SharedFiles,
    as_if: PathBuf,
    folder: PathBuf,
    found: Mutex<Recorded>,
}

impl RecordedFiles {
    /// The files of `under`, with its `folder` also at the path `as_if`.
    pub fn new(under: SharedFiles, folder: &Path, as_if: &Path) -> RecordedFiles {
        RecordedFiles {
            under,
            as_if: absolute(as_if),
            folder: absolute(&folder.join(".")),
            found: Mutex::default(),
        }
    }

    /// Returns the paths recorded since the last call.
    pub fn take(&self) -> Recorded {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the path in the files below.
    fn actual(&self, path: &Path) -> PathBuf {
        let path = absolute(path);
        match path.strip_prefix(&self.as_if) {
            Ok(rest) if rest.as_os_str().is_empty() => self.folder.clone(),
            Ok(rest) => self.folder.join(rest),
            Err(_) => path,
        }
    }

    fn note(&self, path: &Path, kind: FileKind) {
        let path = absolute(path);
        let asked = match path.strip_prefix(&self.as_if) {
            Ok(rest) => RecordedPath::Relative(rest.to_owned()),
            Err(_) => RecordedPath::Absolute(path),
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(asked, kind);
    }
}

impl Files for RecordedFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.under.read(&self.actual(path))?;
        self.note(path, FileKind::File);
        Ok(bytes)
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        let file = self.under.open(&self.actual(path))?;
        self.note(path, FileKind::File);
        Ok(file)
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        let kind = self.under.kind(&self.actual(path))?;
        self.note(path, kind);
        Ok(kind)
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        self.under.list(&self.actual(or_here(folder)))
    }

    fn identity(&self, path: &Path) -> PathBuf {
        self.under.identity(&self.actual(path))
    }
}
