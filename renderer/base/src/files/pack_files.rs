//! A pack laid over the file system, as [`Files`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pack::{Pack, PackNode};
use super::path::{absolute, or_here};
use super::{DiskFiles, FileKind, FileReader, Files, checked_bytes, checked_reader};

/// The files of a pack. Other files do not exist, except some that are named.
#[derive(Clone, Debug)]
pub struct PackFiles {
    pack: Arc<Pack>,
    /// Absolute paths of files and folders of the disk that can be read.
    outside: Arc<[PathBuf]>,
}

/// Location of a file.
enum Location {
    /// On the disk; the file may be missing.
    Disk(PathBuf),
    /// An entry of the pack, by its name.
    Entry(String),
    /// A folder of the pack.
    Folder,
}

impl PackFiles {
    /// The files of a pack, and `outside`: files and folders of the disk.
    pub fn new(pack: Arc<Pack>, outside: &[PathBuf]) -> PackFiles {
        let outside = outside.iter().map(|path| absolute(path)).collect();
        PackFiles { pack, outside }
    }

    fn is_outside(&self, asked: &Path) -> bool {
        self.outside.iter().any(|outside| asked.starts_with(outside))
    }

    /// Returns the location of a file.
    ///
    /// # Errors
    /// If the path is not in the pack.
    fn locate(&self, path: &Path) -> io::Result<Location> {
        let asked = absolute(path);
        if self.is_outside(&asked) {
            return Ok(Location::Disk(asked));
        }
        match self.pack.find(&asked) {
            Some(PackNode::Entry(name)) => Ok(Location::Entry(name)),
            Some(PackNode::Folder) => Ok(Location::Folder),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no such file in {}", self.pack.path().display()),
            )),
        }
    }
}

impl Files for PackFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.locate(path)? {
            Location::Disk(path) => DiskFiles.read(&path),
            Location::Entry(entry) => checked_bytes(self.pack.read(&entry)?),
            Location::Folder => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        match self.locate(path)? {
            Location::Disk(path) => DiskFiles.open(&path),
            Location::Entry(entry) => checked_reader(Pack::open_entry(&self.pack, &entry)?),
            Location::Folder => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        match self.locate(path)? {
            Location::Disk(path) => DiskFiles.kind(&path),
            Location::Entry(_) => Ok(FileKind::File),
            Location::Folder => Ok(FileKind::Folder),
        }
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        let asked = absolute(or_here(folder));
        if self.is_outside(&asked) {
            return DiskFiles.list(&asked);
        }
        let mut names = self.pack.list(&asked);
        names.sort();
        names
    }

    fn identity(&self, path: &Path) -> PathBuf {
        match self.locate(path) {
            Ok(Location::Disk(found)) => DiskFiles.identity(&found),
            Ok(Location::Entry(entry)) => self.pack.path().join(entry),
            Ok(Location::Folder) | Err(_) => path.to_owned(),
        }
    }
}
