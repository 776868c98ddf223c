//! Replacement test: determines whether a file may be replaced, without replacing it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Tests whether the system allows a file of `directory` to replace the existing `target`.
///
/// - A folder cannot take the place of a file. The system says so only after it has checked the rights: in sticky
///   folders files of other users stay, and so do immutable ones.
/// - A file that is mounted cannot be replaced, and cannot be linked into its own folder.
pub(super) fn try_replace(target: &Path, directory: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = tempfile::Builder::new().prefix(".kiln-").tempdir_in(directory)?;
    if let Err(error) = fs::rename(folder.path(), target)
        && matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ResourceBusy)
    {
        return Err(error);
    }
    match fs::hard_link(target, folder.path().join("link")) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            Err(io::Error::new(error.kind(), "it is mounted there"))
        }
        // Some file systems have no links, and some files may not be linked.
        Ok(()) | Err(_) => Ok(()),
    }
}
