//! Cache folder of the user, and permission checks of folders from which code is loaded: only the user and root can
//! change them.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder of this user for files that can be made again: `XDG_CACHE_HOME` or `~/.cache`, on macOS
/// `~/Library/Caches`, on Windows `LOCALAPPDATA`; `None` if the environment names none.
pub fn folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    }
}

/// Creates a folder and its parents, and checks that other users cannot change its contents.
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

/// Checks that other users cannot change the contents of a folder.
///
/// # Errors
/// When it, or one above, belongs to another user or can be written by others. A sticky folder such as `/tmp` may be:
/// others cannot replace the user's files there. So may one of the user's own group.
#[cfg(unix)]
pub fn check_private(folder: &Path) -> io::Result<()> {
    let owners = [0, rustix::process::geteuid().as_raw()];
    folder
        .canonicalize()?
        .ancestors()
        .try_for_each(|folder| check(folder, &owners, true))
}

/// Checks that a library near a program is as safe as the program: only the user, root and the owner of the program can
/// change it, or add files to its folder.
///
/// # Errors
/// When others can.
#[cfg(unix)]
pub fn check_near(library: &Path, program: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let owners = [0, rustix::process::geteuid().as_raw(), fs::metadata(program)?.uid()];
    let target = library.canonicalize()?;
    check(&target, &owners, false)?;
    for file in [library, &target] {
        let folder = file.parent().unwrap_or(Path::new("/")).canonicalize()?;
        check(&folder, &owners, false)?;
        folder.ancestors().try_for_each(|folder| check(folder, &owners, true))?;
    }
    Ok(())
}

/// Checks that a file or folder belongs to one of `owners`, and that others cannot write it, or if `may_be_sticky` only
/// files of their own.
#[cfg(unix)]
fn check(path: &Path, owners: &[u32], may_be_sticky: bool) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    const WRITABLE_BY_GROUP: u32 = 0o020;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    let metadata = fs::metadata(path)?;
    let (mode, group) = (metadata.mode(), rustix::process::getegid().as_raw());
    let is_of_others =
        mode & WRITABLE_BY_ALL != 0 || mode & WRITABLE_BY_GROUP != 0 && metadata.gid() != group;
    let reason = if !owners.contains(&metadata.uid()) {
        "belongs to another user"
    } else if is_of_others && !(may_be_sticky && mode & STICKY != 0) {
        "can be written by other users"
    } else {
        return Ok(());
    };
    let message = format!("{} {reason}", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// Checks that a folder is there. Other systems keep the folders of a user from others.
///
/// # Errors
/// When it is not there.
#[cfg(not(unix))]
pub fn check_private(folder: &Path) -> io::Result<()> {
    fs::metadata(folder).map(|_| ())
}

/// Checks that a library is there, as [`check_private`] does for folders.
///
/// # Errors
/// When it is not there.
#[cfg(not(unix))]
pub fn check_near(library: &Path, _: &Path) -> io::Result<()> {
    fs::metadata(library).map(|_| ())
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

    #[test]
    fn libraries_that_others_can_add_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let (lib, program) = (root.path().join("lib"), root.path().join("program"));
        let library = lib.join("library");
        fs::create_dir(&lib).unwrap();
        fs::write(&program, "").unwrap();
        fs::write(&library, "").unwrap();
        for (path, mode, is_refused) in [
            (&lib, 0o755, false),
            // Other users could add a library that this one needs.
            (&lib, 0o1777, true),
            (&lib, 0o777, true),
            (&lib, 0o755, false),
            (&library, 0o666, true),
            (&library, 0o644, false),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(check_near(&library, &program).is_err(), is_refused, "{mode:o}");
        }
        let link = root.path().join("link");
        std::os::unix::fs::symlink(&library, &link).unwrap();
        assert!(check_near(&link, &program).is_ok());
        if std::os::unix::fs::chown(&library, Some(1234), None).is_ok() {
            assert!(check_near(&library, &program).is_err());
            assert!(check_near(&link, &program).is_err());
            std::os::unix::fs::chown(&program, Some(1234), None).unwrap();
            assert!(check_near(&library, &program).is_ok(), "the program is theirs, too");
        }
    }
}
