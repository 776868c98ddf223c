//! The files that scenes name, found in one place: on the disk, or in the pack that the process works on.
//!
//! Whatever reads a scene asks here and not the file system: readers of texts, models and images, the preprocessor, and
//! textures that are named while shaders run. A [`Pack`] answers for a whole folder: a path that begins with the path of
//! the archive means an entry of it. The choice holds for the process, as its working directory does, since files are
//! asked for on many threads and from compiled code; [`enter`] makes it before a scene is read.
//!
//! - While a pack is entered, files outside it are not there, but those that the command line names: a picture does not
//!   depend on what else the machine has.
//! - While files are recorded ([`record`]), each file that is found is noted by the path that was asked for.

mod manifest;
mod pack;
mod path;
mod reader;
mod record;
mod view;

use std::io;
use std::path::{Path, PathBuf};

pub use manifest::{MANIFEST, Manifest};
pub use pack::{Pack, PackError, is_pack};
pub use path::FileKind;
pub(crate) use path::{is_inside, key_of, normal};
pub use reader::FileReader;
pub use record::{Asked, Recorded};
pub use view::{enter, leave, record};

use view::Location;

/// The bytes of a file.
///
/// # Errors
/// When it is not there, or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = match view::locate(path)? {
        Location::Disk(path) => std::fs::read(path)?,
        Location::Entry(pack, entry) => pack.read(&entry)?,
        Location::Folder => return Err(io::ErrorKind::IsADirectory.into()),
    };
    view::note(path, FileKind::File);
    Ok(bytes)
}

/// Opens a file to read parts of it.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> io::Result<FileReader> {
    let file = match view::locate(path)? {
        Location::Disk(path) => FileReader::disk(std::fs::File::open(path)?)?,
        Location::Entry(pack, entry) => Pack::open_entry(&pack, &entry)?,
        Location::Folder => return Err(io::ErrorKind::IsADirectory.into()),
    };
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
