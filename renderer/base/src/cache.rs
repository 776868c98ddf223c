//! Folders of the user's cache, and folders from which code is loaded: nobody but the user and root can change what is in
//! them.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder of this user for files that can be made again: `XDG_CACHE_HOME` or `~/.cache`, on macOS
/// `~/Library/Caches`, on Windows `LOCALAPPDATA`; `None` if the environment names none.
pub fn folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    }
}

/// Makes a folder, with those above it, and checks that others cannot replace what is in it.
///
/// # Errors
/// When it cannot be made, or [`check_private`] refuses it.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    builder.create(folder)?;
    check_private(folder)
}

/// Checks that others cannot replace what is in a folder.
///
/// # Errors
/// When it, or one above, belongs to another user or can be written by others. A sticky folder such as `/tmp` may be:
/// others cannot replace the user's files there. So may one of the user's own group.
#[cfg(unix)]
pub fn check_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    const WRITABLE_BY_GROUP: u32 = 0o020;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    for folder in folder.canonicalize()?.ancestors() {
        let metadata = fs::metadata(folder)?;
        let mode = metadata.mode();
        let is_of_others =
            mode & WRITABLE_BY_ALL != 0 || mode & WRITABLE_BY_GROUP != 0 && metadata.gid() != group.as_raw();
        let reason = if ![0, user.as_raw()].contains(&metadata.uid()) {
            "belongs to another user"
        } else if is_of_others && mode & STICKY == 0 {
            "can be written by other users"
        } else {
            continue;
        };
        let message = format!("{} {reason}", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

/// Checks that a folder is there. Other systems keep the folders of a user from others.
///
/// # Errors
/// When it is not there.
#[cfg(not(unix))]
pub fn check_private(folder: &Path) -> io::Result<()> {
    fs::metadata(folder).map(|_| ())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_that_others_can_write_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let cache = root.path().join("cache");
        let own = cache.join("kiln/embree");
        make_private(&own).unwrap();
        for (folder, mode, is_refused) in [
            (&own, 0o777, true),
            (&own, 0o700, false),
            (&cache, 0o777, true),
            (&cache, 0o1777, false),
            (&cache, 0o775, false),
        ] {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(make_private(&own).is_err(), is_refused, "{mode:o}");
        }
    }
}
