//! Identity of files: whether two paths name the same file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Identity of an existing or missing file. Paths to one file have equal ids, through dots, symbolic links, hard links
/// (on Unix) and, if the file system ignores it, the case of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileId(FileIdentity);

#[derive(Clone, Debug, PartialEq, Eq)]
enum FileIdentity {
    /// Identity of an existing file: device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Absolute path with links followed: of a missing file, or of any file on other systems.
    Path(PathBuf),
}

/// True if names that differ in case alone are usually the same file.
const IGNORES_CASE: bool = cfg!(any(windows, target_vendor = "apple"));

impl FileId {
    /// The current file at `path`.
    pub fn of(path: &Path) -> FileId {
        #[cfg(unix)]
        if let Ok(metadata) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt as _;
            return FileId(FileIdentity::Inode(metadata.dev(), metadata.ino()));
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // A link to a file that does not exist yet; in a circle of links, metadata fails with another error.
        if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            && let Ok(target) = fs::read_link(path)
        {
            return FileId::of(&directory.join(target));
        }
        let absolute = fs::canonicalize(path).unwrap_or_else(|_| {
            let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
            directory.join(path.file_name().unwrap_or_default())
        });
        FileId(FileIdentity::Path(if IGNORES_CASE {
            absolute.to_string_lossy().to_lowercase().into()
        } else {
            absolute
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_id() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), "a").unwrap();
        fs::write(at("b"), "a").unwrap();
        let id = FileId::of(&at("a"));
        let mut same = vec![at("./a"), at("sub/../a")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
            fs::hard_link(at("a"), at("sub/hard")).unwrap();
            same.extend([at("link"), at("sub/hard")]);
        }
        for path in same {
            assert_eq!(FileId::of(&path), id, "{}", path.display());
        }
        assert_ne!(FileId::of(&at("b")), id);
        assert_eq!(FileId::of(&at("none")), FileId::of(&at("sub/../none")));
        assert_ne!(FileId::of(&at("none")), FileId::of(&at("sub/none")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../none", at("sub/to_none")).unwrap();
            assert_eq!(FileId::of(&at("sub/to_none")), FileId::of(&at("none")));
            std::os::unix::fs::symlink("circle", at("circle")).unwrap();
            assert_ne!(FileId::of(&at("circle")), FileId::of(&at("none")));
        }
    }
}
