//! The file system of the machine as [`Files`].

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::path::or_here;
use super::{FileKind, FileReader, Files, checked_bytes, checked_reader};
use crate::memory;

/// The file system of the machine; relative paths begin in the working directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        checked_bytes(read_regular(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<FileReader> {
        checked_reader(FileReader::disk(open_regular(path)?)?)
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

/// Opens a regular file for reading. Reading from pipes would block, and devices may have no end.
///
/// # Errors
/// When it cannot be opened, or is a folder, a pipe or a device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let refuse = |kind: FileKind| match kind {
        FileKind::File => Ok(()),
        FileKind::Folder => Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Other => {
            let reason = "it is a pipe or a device, not a plain file";
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    };
    // Opening some devices has side effects.
    refuse(FileKind::of(&std::fs::metadata(path)?))?;
    let file = without_waiting(OpenOptions::new().read(true)).open(path)?;
    // Another file may have replaced it since.
    refuse(FileKind::of(&file.metadata()?))?;
    Ok(file)
}

/// Makes `open` return at once if the path is a pipe. Reads of regular files ignore the flag.
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options
}

/// File size above which the free memory is checked before reading [bytes].
const MIN_CHECKED_SIZE: u64 = 1 << 26;

/// Returns the bytes of a regular file.
///
/// # Errors
/// As [`open_regular`], or if the file does not fit into memory.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    if length > MIN_CHECKED_SIZE {
        memory::check("its bytes", length)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
    }
    let mut bytes = vec![];
    let room = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(room)?;
    // Some system files have no end, whatever length they report.
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_devices_are_refused_and_nobody_waits_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [&*pipe, Path::new("/dev/zero"), folder.path()] {
            assert!(DiskFiles.read(path).is_err(), "{}", path.display());
            assert!(DiskFiles.open(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_file_that_memory_does_not_hold_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 43).unwrap();
        let error = DiskFiles.read(file.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory, "{error}");
    }
}
