//! Recording of the files that a scene reads, for packing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::path::{FileKind, absolute};

/// A path that was asked for and is there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// By its way from the scene's folder, which may lead out of it.
    Near(PathBuf),
    /// By its absolute path.
    Far(PathBuf),
}

/// What was asked for and is there.
pub type Recorded = BTreeMap<Asked, FileKind>;

/// Notes what is found. The scene is read as if its folder were another one: then paths that a file names in full are
/// told from those that are joined to the folder.
#[derive(Debug)]
pub(super) struct Recorder {
    as_if: PathBuf,
    folder: PathBuf,
    found: Mutex<Recorded>,
}

impl Recorder {
    pub(super) fn new(folder: &Path, as_if: &Path) -> Recorder {
        Recorder {
            as_if: absolute(as_if),
            folder: absolute(&folder.join(".")),
            found: Mutex::default(),
        }
    }

    fn asked(&self, path: &Path) -> Asked {
        match path.strip_prefix(&self.as_if) {
            Ok(rest) => Asked::Near(rest.to_owned()),
            Err(_) => Asked::Far(path.to_owned()),
        }
    }

    /// Where an absolute path really leads.
    pub(super) fn actual(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.as_if) {
            Ok(rest) if rest.as_os_str().is_empty() => self.folder.clone(),
            Ok(rest) => self.folder.join(rest),
            Err(_) => path.to_owned(),
        }
    }

    /// What was noted so far.
    pub(super) fn take(&self) -> Recorded {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note(&self, path: &Path, kind: FileKind) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(self.asked(path), kind);
    }
}
