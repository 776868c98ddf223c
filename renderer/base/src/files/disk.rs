//! The file system of the machine as [`Files`].

use std::io;
use std::path::{Path, PathBuf};

use super::path::or_here;
use super::{FileKind, FileReader, Files, checked_bytes, checked_reader};

/// The file system of the machine; relative paths begin in the working directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        checked_bytes(std::fs::read(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        checked_reader(FileReader::disk(std::fs::File::open(path)?)?)
    }

    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        Ok(FileKind::of(&std::fs::metadata(path)?))
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(or_here(folder))
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    }
}
