//! Output files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::ImageError;
use super::write::OutputFormat;

/// Checks that an image can be written to `path`, without touching what is there: its extension names a format that is
/// written, its directory exists and takes files, nothing but a plain writable file stands in the way. To be asked
/// before a long render, not after it.
///
/// # Errors
/// When the image could not be written; the error says why.
pub fn check_writable(path: &Path) -> Result<(), ImageError> {
    OutputFormat::of(path)?;
    check_place(path)
}

/// The same for a file that is no image.
///
/// # Errors
/// When the file could not be written; the error says why.
pub fn check_place(path: &Path) -> Result<(), ImageError> {
    let target = resolve(path)?;
    temporary(&target)
        .map(drop)
        .map_err(|e| ImageError::not_writable(path, e))
}

/// Writes `bytes` as the file `path`: to a temporary file beside it, which then takes its place. A file that was there
/// keeps its permissions; a new one gets the user's usual ones.
///
/// # Errors
/// When the directory is missing or does not take files, or `path` is no plain writable file. What was at `path` is
/// then as before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    let target = resolve(path)?;
    let write = || -> io::Result<()> {
        let mut file = temporary(&target)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        if let Ok(old) = fs::metadata(&target) {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.persist(&target)?;
        Ok(())
    };
    write().map_err(|e| ImageError::not_writable(path, e))
}

/// The file that `path` means, links followed, once it is clear that a plain file may be put there.
fn resolve(path: &Path) -> Result<PathBuf, ImageError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let reason = if directory.exists() {
            format!("'{}' is not a directory", directory.display())
        } else {
            format!("the directory '{}' does not exist", directory.display())
        };
        return Err(ImageError::not_writable(path, reason));
    }
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(ImageError::not_writable(path, "it is a directory")),
        Ok(old) if !old.is_file() => Err(ImageError::not_writable(path, "it is not a plain file")),
        Ok(old) if old.permissions().readonly() => Err(ImageError::not_writable(path, "it is read-only")),
        // A link stays a link: what it points at is replaced.
        Ok(_) => path.canonicalize().map_err(|e| ImageError::not_writable(path, e)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(e) => Err(ImageError::not_writable(path, e)),
    }
}

fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiln-").suffix(".tmp");
    // Temporary files are private by default; this one is to become the user's, as their umask has it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => builder.tempfile_in(parent),
        _ => builder.tempfile_in("."),
    }
}
