//! Access log: the paths of the files that were read.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{FileKind, FileReader, Files, SharedFiles};

/// Files with a list of the paths that were read, so that no output overwrites an input.
#[derive(Debug, Default)]
pub struct LoggedFiles {
    under: SharedFiles,
    read: Mutex<BTreeSet<PathBuf>>,
}

impl LoggedFiles {
    /// The files of `under`, with an empty list.
    pub fn new(under: SharedFiles) -> LoggedFiles {
        LoggedFiles { under, read: Mutex::default() }
    }

    fn note<T>(&self, path: &Path, found: io::Result<T>) -> io::Result<T> {
        if found.is_ok() {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.insert(path.to_owned());
        }
        found
    }
}

impl Files for LoggedFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.note(path, self.under.read(path))
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        self.note(path, self.under.open(path))
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        self.under.kind(path)
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        self.under.list(folder)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        self.under.identity(path)
    }

    fn log(&self) -> Vec<PathBuf> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().cloned().collect()
    }
}
