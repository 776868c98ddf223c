//! Atomic file output: temporary file and rename, with checks before the work.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::ImageError;
use super::output_format::OutputFormat;
use super::replace::try_replace;
use renderer_base::files::open_regular;

/// Checks before a long render that an image can be written to `path`, without changes there. The extension must be a
/// supported format, the directory writable, and an existing entry a regular file that can be replaced.
///
/// # Errors
/// When the image could not be written; the error says why.
pub fn check_writable(path: &Path) -> Result<(), ImageError> {
    OutputFormat::of(path)?;
    check_place(path)
}

/// Checks that a file of any kind can be written to `path`, as [`check_writable`] does for images.
///
/// # Errors
/// When the file could not be written; the error says why.
pub fn check_place(path: &Path) -> Result<(), ImageError> {
    let target = resolve(path)?;
    let tried = temporary(&target).map(drop).and_then(|()| match target.exists() {
        true => try_replace(&target, folder_of(&target)),
        false => Ok(()),
    });
    tried.map_err(|e| ImageError::not_writable(path, e))
}

/// The folder of a path; the working directory for a bare file name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Writes `bytes` to the file `path` atomically, by a temporary file in the same folder and a rename. An existing file
/// keeps its permissions and, if allowed, its owner; a new file has default permissions.
///
/// # Errors
/// If the directory is missing or not writable, or `path` is not a regular writable file. The entry at `path` is then
/// unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    stage(path, bytes)?.commit()
}

/// Like [`write_whole`], for a file whose contents `write` writes in pieces.
///
/// # Errors
/// As for [`write_whole`].
pub fn write_whole_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), ImageError> {
    stage_with(path, write)?.commit()
}

/// Temporary file that is complete but not yet renamed to its target. Dropping it without a commit deletes it.
pub struct Staged {
    temporary: Temporary,
    path: PathBuf,
    target: PathBuf,
}

/// Writes `bytes` to a temporary file for the target `path`: the first half of [`write_whole`], for groups of files.
///
/// # Errors
/// As for [`write_whole`].
pub fn stage(path: &Path, bytes: &[u8]) -> Result<Staged, ImageError> {
    stage_with(path, |file| file.write_all(bytes))
}

/// Like [`stage`], for a file whose contents `write` writes in pieces.
///
/// # Errors
/// As for [`write_whole`].
pub fn stage_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<Staged, ImageError> {
    let target = resolve(path)?;
    let write = || -> io::Result<Temporary> {
        let mut temporary = temporary(&target)?;
        let mut buffer = BufWriter::new(temporary.file.as_file_mut());
        write(&mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        let file = temporary.file.as_file();
        file.sync_all()?;
        if let Ok(old) = fs::metadata(&target) {
            // Only root can change the owner; errors are ignored.
            let _ = keep_owner(file, &old);
            file.set_permissions(old.permissions())?;
        }
        Ok(temporary)
    };
    let temporary = write().map_err(|e| ImageError::not_writable(path, e))?;
    Ok(Staged { temporary, path: path.to_owned(), target })
}

/// Gives a file the owner and group of another, or its group alone.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(file, None, Some(old.gid())))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

impl Staged {
    /// Renames the file to its target.
    ///
    /// # Errors
    /// If the system refuses; the target is then unchanged.
    pub fn commit(self) -> Result<(), ImageError> {
        self.try_commit()
    }

    /// Renames the file to its target, unless another file has appeared there.
    ///
    /// # Errors
    /// If there is a file, which is left unchanged, or the system does not allow it.
    pub fn commit_new(self) -> Result<(), ImageError> {
        match fs::hard_link(self.file(), &self.target) {
            Ok(()) => Ok(()),
            // Some file systems have no links.
            Err(_) if fs::symlink_metadata(&self.target).is_err() => self.try_commit(),
            Err(_) => {
                let reason = "another file has appeared there";
                Err(ImageError::not_writable(&self.path, reason))
            }
        }
    }

    pub(super) fn try_commit(&self) -> Result<(), ImageError> {
        fs::rename(self.file(), &self.target).map_err(|e| ImageError::not_writable(&self.path, e))
    }

    /// The temporary file.
    pub(super) fn file(&self) -> &Path {
        self.temporary.file.path()
    }

    /// The target.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// An error that names the target.
    pub(super) fn error(&self, reason: io::Error) -> ImageError {
        ImageError::not_writable(&self.path, reason)
    }
}

/// Resolves the links of `path`, and checks that a regular file may be written there.
fn resolve(path: &Path) -> Result<PathBuf, ImageError> {
    resolve_link(path, path)
}

/// As [`resolve`], for a path reached from `asked` by symbolic links; errors name `asked`.
fn resolve_link(path: &Path, asked: &Path) -> Result<PathBuf, ImageError> {
    let directory = folder_of(path);
    if !directory.is_dir() {
        let reason = if directory.exists() {
            format!("'{}' is not a directory", directory.display())
        } else {
            format!("the directory '{}' does not exist", directory.display())
        };
        return Err(ImageError::not_writable(asked, reason));
    }
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(ImageError::not_writable(asked, "it is a directory")),
        Ok(old) if !old.is_file() => Err(ImageError::not_writable(asked, "it is not a plain file")),
        Ok(old) if old.permissions().readonly() => Err(ImageError::not_writable(asked, "it is read-only")),
        // A link stays a link; its target is replaced.
        Ok(_) => path.canonicalize().map_err(|e| ImageError::not_writable(asked, e)),
        // A link to a missing file also stays. A cycle of links is another error.
        Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            Ok(target) => resolve_link(&directory.join(target), asked),
            Err(_) => Ok(path.to_owned()),
        },
        Err(e) => Err(ImageError::not_writable(asked, e)),
    }
}

/// Minimum age of temporary files that are considered abandoned by a killed process.
const ABANDONED: Duration = Duration::from_secs(10);

/// Temporary files of this process.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of this process and blocks new ones, so that the process can exit immediately. Threads
/// that write files block until the exit.
pub fn remove_temporaries() {
    let temporaries = temporaries();
    for path in temporaries.iter() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(temporaries);
}

/// A temporary file that is deleted on drop, unless it was renamed.
struct Temporary {
    file: NamedTempFile,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut temporaries = temporaries();
        temporaries.retain(|path| path != self.file.path());
        let _ = fs::remove_file(self.file.path());
    }
}

/// A temporary file in the folder of `target`, locked while it is written.
fn temporary(target: &Path) -> io::Result<Temporary> {
    let directory = folder_of(target);
    let prefix = prefix(target);
    sweep(directory, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    // Temporary files are private by default; this one gets permissions by the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporaries = temporaries();
    let mut file = builder.tempfile_in(directory).map_err(without_path)?;
    // The entry is removed under the lock of the list.
    file.disable_cleanup(true);
    temporaries.push(file.path().to_owned());
    // Without file locks, no files are swept.
    let _ = file.as_file().try_lock();
    Ok(Temporary { file })
}

/// Removes the name of the temporary file from an error.
fn without_path(error: io::Error) -> io::Error {
    use io::ErrorKind::{NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        kind @ (NotFound | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull) => {
            kind.into()
        }
        _ => error,
    }
}

const SUFFIX: &str = ".tmp";

/// Prefix of the names of temporary files for `target`.
fn prefix(target: &Path) -> String {
    // File names have a maximum length.
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".kiln-{}-", name.chars().take(40).collect::<String>())
}

/// Removes abandoned temporary files of these targets from a directory.
pub fn sweep_files<'a>(directory: &Path, names: impl IntoIterator<Item = &'a String>) {
    for name in names {
        sweep(directory, &prefix(Path::new(name)));
    }
}

/// Removes abandoned temporary files of the same target; errors are ignored.
fn sweep(directory: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(prefix) && name.ends_with(SUFFIX) && is_abandoned(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> bool {
    let is_old = |file: &File| file.metadata()?.modified()?.elapsed().map_err(io::Error::other);
    // A pipe of this name would block.
    open_regular(path)
        .is_ok_and(|file| is_old(&file).is_ok_and(|age| age > ABANDONED) && file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_the_killed_leave_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = [".kiln-a.exr-1.tmp", ".kiln-a.exr-2.tmp", ".kiln-a.exr-3.tmp", ".kiln-b.exr-4.tmp"];
        let files = names.map(|name| File::create(at(name)).unwrap());
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        for file in [&files[0], &files[1], &files[3]] {
            file.set_modified(hour_ago).unwrap();
        }
        files[1].lock().unwrap();
        write_whole(&at("a.exr"), b"whole").unwrap();
        // Remaining: the file, locked files, new files, and files of other targets.
        let left = names.map(|name| at(name).exists());
        assert_eq!(left, [false, true, true, true]);
        assert_eq!(fs::read(at("a.exr")).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
