//! Watched files: their status, and the paths by which the system reports their changes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};

/// Extensions of sources, which may mend a scene with errors.
const SOURCES: [&str; 6] = ["kiln", "ksl", "osl", "tsl", "h", "xml"];

/// Identity of a file or folder: device and inode, where the system has them.
pub(super) type FileIdentity = (u64, u64);

/// Returns the identity of a file or folder, links followed; `None` if there is none.
pub(super) fn identity(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().as_ref().map(identity_of)
}

#[cfg(unix)]
fn identity_of(metadata: &fs::Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity_of(_: &fs::Metadata) -> FileIdentity {
    (0, 0)
}

/// Status of a file, which changes with its content.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Status {
    identity: FileIdentity,
    length: u64,
    modified: Option<SystemTime>,
}

impl Status {
    fn of(path: &Path) -> Option<Status> {
        let metadata = fs::metadata(path).ok()?;
        Some(Status {
            identity: identity_of(&metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// The files that were read.
pub(super) struct WatchedFiles {
    /// Absolute path of the working folder, where relative paths begin.
    working_folder: PathBuf,
    /// Watched files by absolute path.
    files: FxHashMap<PathBuf, WatchedFile>,
    /// Folders of all places.
    folders: FxHashSet<PathBuf>,
    is_broken: bool,
}

struct WatchedFile {
    /// Paths of the file and of the file that it links to, folders resolved.
    places: [PathBuf; 2],
    status: Option<Status>,
}

impl WatchedFiles {
    pub(super) fn new() -> WatchedFiles {
        WatchedFiles {
            working_folder: env::current_dir().unwrap_or_default(),
            files: FxHashMap::default(),
            folders: FxHashSet::default(),
            is_broken: false,
        }
    }

    /// Adds files; those that are known keep the status of the last comparison.
    pub(super) fn add(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            let path = self.working_folder.join(file);
            if !self.files.contains_key(&path) {
                let places = places(&path);
                self.folders.extend(folders(&places));
                let status = Status::of(&path);
                self.files.insert(path, WatchedFile { places, status });
            }
        }
    }

    /// Sets whether the scene has errors: all sources count then, since a file that was not read may mend it.
    pub(super) fn set_broken(&mut self, is_broken: bool) {
        self.is_broken = is_broken;
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Folders whose changes the system reports.
    pub(super) fn folders(&self) -> FxHashSet<PathBuf> {
        self.folders.clone()
    }

    /// Notices a reported change; returns whether it counts.
    pub(super) fn notice(&mut self, changed: &Path) -> bool {
        let place = resolved(changed);
        let mut is_known = false;
        for (path, file) in &mut self.files {
            if file.places.contains(&place) {
                file.status = Status::of(path);
                is_known = true;
            }
        }
        let extension = changed.extension().and_then(|extension| extension.to_str());
        is_known || self.is_broken && extension.is_some_and(|extension| SOURCES.contains(&extension))
    }

    /// Compares the status of all files; returns whether one has changed.
    pub(super) fn compare(&mut self) -> bool {
        self.return_to_working_folder();
        let mut is_changed = false;
        for (path, file) in &mut self.files {
            let status = Status::of(path);
            if status != file.status {
                (file.status, file.places) = (status, places(path));
                self.folders.extend(folders(&file.places));
                is_changed = true;
            }
        }
        is_changed
    }

    /// Enters the working folder again if it was removed and recreated: relative paths refer to the new one.
    fn return_to_working_folder(&self) {
        let found = identity(&self.working_folder);
        if found.is_some() && found != identity(Path::new(".")) {
            // Without permission to enter it, the files are missing, which is reported.
            let _ = env::set_current_dir(&self.working_folder);
        }
    }
}

fn places(path: &Path) -> [PathBuf; 2] {
    let place = resolved(path);
    let target = path.canonicalize().unwrap_or_else(|_| place.clone());
    [place, target]
}

fn folders(places: &[PathBuf; 2]) -> impl Iterator<Item = PathBuf> {
    places.iter().filter_map(|place| place.parent().map(Path::to_owned))
}

/// A path with its folder resolved, also of a file that is missing.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn changes_show_in_links_and_new_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("real/sub")).unwrap();
        fs::write(at("real/sub/a"), "1").unwrap();
        symlink("real/sub", at("link")).unwrap();
        symlink("real/sub/a", at("a")).unwrap();
        let mut files = WatchedFiles::new();
        files.add([at("link/a"), at("a"), at("missing")]);
        assert!(!files.compare());
        // The system reports the target of both links.
        let target = at("real/sub/a").canonicalize().unwrap();
        assert!(files.notice(&target) && !files.notice(&at("real/sub/b.ksl")));
        assert!(files.folders().contains(target.parent().unwrap()));
        files.set_broken(true);
        assert!(files.notice(&at("real/sub/b.ksl")) && !files.notice(&at("real/sub/b.png")));

        fs::write(at("real/sub/a"), "12").unwrap();
        assert!(files.compare() && !files.compare());
        fs::remove_dir_all(at("real")).unwrap();
        assert!(files.compare() && !files.compare());
        fs::create_dir_all(at("real/sub")).unwrap();
        fs::write(at("real/sub/a"), "12").unwrap();
        assert!(files.compare() && !files.compare());
        // A link to another folder.
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/a"), "12").unwrap();
        fs::remove_file(at("link")).unwrap();
        symlink("other", at("link")).unwrap();
        assert!(files.compare() && !files.compare());
        assert!(files.notice(&at("other/a")));
        fs::write(at("missing"), "").unwrap();
        assert!(files.compare());
    }
}
