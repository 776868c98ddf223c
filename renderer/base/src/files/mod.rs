//! File access for scenes: from the disk, or from the pack that the process works on.
//!
//! All readers of scene files use this module instead of the file system: texts, models, images, the preprocessor, and
//! textures named by running shaders. A [`Pack`] acts as a folder: a path that begins with the path of the archive
//! names an entry of it. The choice applies to the whole process, like its working directory, since files are opened
//! from many threads and from compiled code; [`enter`] makes it before a scene is read.
//!
//! - While a pack is entered, files outside it do not exist, except those named on the command line: an image does not
//!   depend on other files of the machine.
//! - While files are recorded ([`record`]), each file found is noted by its requested path.

mod format;
mod manifest;
mod pack;
mod path;
mod reader;
mod record;
mod text;
mod view;

use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

pub use format::FormatError;
pub use manifest::{MANIFEST, Manifest};
pub use pack::{Pack, PackError, is_pack};
pub use path::FileKind;
pub use path::{is_inside, key_of, normal};
pub use reader::FileReader;
pub use record::{Asked, Recorded};
pub use text::{text_of, text_of_xml};
pub use view::{enter, leave, record};

use view::Location;

/// What pointers of Git LFS begin with.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The bytes of a file.
///
/// # Errors
/// When it is not there, cannot be read, or is a pointer of Git LFS.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = match view::locate(path)? {
        Location::Disk(path) => std::fs::read(path)?,
        Location::Entry(pack, entry) => pack.read(&entry)?,
        Location::Folder => return Err(io::ErrorKind::IsADirectory.into()),
    };
    refuse_pointer(&bytes)?;
    view::note(path, FileKind::File);
    Ok(bytes)
}

/// Refuses what Git LFS leaves in the place of a file until it is asked for it.
fn refuse_pointer(begin: &[u8]) -> io::Result<()> {
    if !begin.starts_with(LFS_POINTER) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "it is a pointer of Git LFS, not the file itself: `git lfs pull` brings that",
    ))
}

/// The text of a shader or scene, in UTF-8, with the byte-order mark of UTF-16, or in Latin-1; a file with zeros in it is
/// no text.
///
/// # Errors
/// When it cannot be read, or is no text.
pub fn source_text(path: &Path) -> io::Result<String> {
    let bytes = read(path)?;
    let text = text_of(&bytes);
    if text.contains('\0') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not text"));
    }
    Ok(text.into_owned())
}

/// Opens a file to read parts of it.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> io::Result<FileReader> {
    let mut file = match view::locate(path)? {
        Location::Disk(path) => FileReader::disk(std::fs::File::open(path)?)?,
        Location::Entry(pack, entry) => Pack::open_entry(&pack, &entry)?,
        Location::Folder => return Err(io::ErrorKind::IsADirectory.into()),
    };
    let mut begin = Vec::with_capacity(LFS_POINTER.len());
    file.by_ref()
        .take(LFS_POINTER.len() as u64)
        .read_to_end(&mut begin)?;
    file.rewind()?;
    refuse_pointer(&begin)?;
    view::note(path, FileKind::File);
    Ok(file)
}

/// What is at a path, links followed.
///
/// # Errors
/// When nothing is there, or it cannot be looked at.
pub fn kind(path: &Path) -> io::Result<FileKind> {
    let kind = match view::locate(path)? {
        Location::Disk(path) => FileKind::of(&std::fs::metadata(path)?),
        Location::Entry(..) => FileKind::File,
        Location::Folder => FileKind::Folder,
    };
    view::note(path, kind);
    Ok(kind)
}

/// Whether there is a file.
pub fn is_file(path: &Path) -> bool {
    kind(path).is_ok_and(|kind| kind == FileKind::File)
}

/// The names in a folder, sorted; none where it cannot be read.
pub fn list(folder: &Path) -> Vec<String> {
    let mut names = match view::locate_folder(folder) {
        view::FolderLocation::Disk(path) => std::fs::read_dir(path)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect(),
        view::FolderLocation::Names(names) => names,
    };
    names.sort();
    names
}

/// One path for one file, however it is reached; the path itself where there is no such file.
pub fn identity(path: &Path) -> PathBuf {
    match view::locate(path) {
        Ok(Location::Disk(found)) => found.canonicalize().unwrap_or(found),
        Ok(Location::Entry(pack, entry)) => pack.path().join(entry),
        Ok(Location::Folder) | Err(_) => path.to_owned(),
    }
}
