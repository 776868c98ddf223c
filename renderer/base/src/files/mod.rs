//! File access for scenes: the trait [`Files`], through which scenes read all files.
//!
//! Readers of scene files use a [`Files`] instead of the file system: texts, models, images, the preprocessor, and
//! textures named by running shaders. Each scene has its own, so that several of them can be open in one process.
//!
//! - [`DiskFiles`]: the file system.
//! - [`PackFiles`]: a [`Pack`] acts as a folder: a path that begins with the path of the archive names an entry of it.
//!   Files outside it do not exist, except those named on the command line: an image does not depend on other files of
//!   the machine.
//! - [`OverlayFiles`]: texts in memory over other files, for buffers that are not saved.
//! - [`LoggedFiles`]: lists the files that were read.
//! - [`RecordedFiles`]: notes each file found in other files by its requested path.
//! - [`Budget`]: bounds the memory and time that the content of a file can cost its reader.

mod budget;
mod disk;
mod format;
mod logged;
mod manifest;
mod overlay;
mod pack;
mod pack_files;
mod path;
mod reader;
mod record;
mod shared;
mod text;

use std::fmt::Debug;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

pub use budget::{Budget, BudgetKind, MAX_PICTURE_BYTES, OverBudget};
pub use disk::{DiskFiles, open_regular, read_regular};
pub use format::FormatError;
pub use logged::LoggedFiles;
pub use manifest::{MANIFEST, Manifest};
pub use overlay::OverlayFiles;
pub use pack::{Pack, PackError, is_pack};
pub use pack_files::PackFiles;
pub use path::FileKind;
pub use path::{is_inside, key_of, normal};
pub use reader::FileReader;
pub use record::{Recorded, RecordedFiles, RecordedPath};
pub use shared::SharedFiles;
pub use text::{text_of, text_of_xml};

/// The files that a scene can read. Methods are called from many threads, and from compiled shaders.
pub trait Files: Debug + Send + Sync {
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or is a pointer of Git LFS.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Opens a file to read parts of it.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn open(&self, path: &Path) -> io::Result<FileReader>;

    /// Returns the kind of the entry at a path, links followed.
    ///
    /// # Errors
    /// When nothing is there, or it cannot be looked at.
    fn kind(&self, path: &Path) -> io::Result<FileKind>;

    /// Returns the names in a folder, sorted; none if it cannot be read. An empty path is the working directory.
    fn list(&self, folder: &Path) -> Vec<String>;

    /// Returns one path for one file, however it is reached; the path itself where there is no such file.
    fn identity(&self, path: &Path) -> PathBuf;

    /// Returns the paths of all files that were read so far; none unless they are listed, as by [`LoggedFiles`].
    fn log(&self) -> Vec<PathBuf> {
        vec![]
    }

    /// Returns whether there is a file.
    fn is_file(&self, path: &Path) -> bool {
        self.kind(path).is_ok_and(|kind| kind == FileKind::File)
    }

    /// Returns the text of a shader or scene: in UTF-8, with the byte-order mark of UTF-16, or in Latin-1. A file that
    /// contains zeros is not text.
    ///
    /// # Errors
    /// When it cannot be read, or is not text.
    fn source_text(&self, path: &Path) -> io::Result<String> {
        let bytes = self.read(path)?;
        let text = text_of(&bytes);
        if text.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not text"));
        }
        Ok(text.into_owned())
    }
}

/// Prefix of Git LFS pointer files.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Refuses the pointer that Git LFS leaves in the place of a file until the file is fetched.
fn refuse_pointer(begin: &[u8]) -> io::Result<()> {
    if !begin.starts_with(LFS_POINTER) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "it is a pointer of Git LFS, not the file itself: `git lfs pull` brings that",
    ))
}

/// Returns the bytes of a file, unless they are a pointer of Git LFS.
fn checked_bytes(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    refuse_pointer(&bytes)?;
    Ok(bytes)
}

/// Returns a reader at the start of a file, unless the file is a pointer of Git LFS.
fn checked_reader(mut file: FileReader) -> io::Result<FileReader> {
    let mut begin = Vec::with_capacity(LFS_POINTER.len());
    file.by_ref().take(LFS_POINTER.len() as u64).read_to_end(&mut begin)?;
    file.rewind()?;
    refuse_pointer(&begin)?;
    Ok(file)
}
