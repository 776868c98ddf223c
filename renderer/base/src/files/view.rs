//! The process's view of files: the disk, an entered pack, or recording.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::pack::{Pack, PackNode};
use super::path::{FileKind, absolute};
use super::record::{Recorded, Recorder};

/// Where a path leads.
pub(super) enum Location {
    /// To the disk; nothing may be there.
    Disk(PathBuf),
    /// To an entry of a pack, by its name.
    Entry(Arc<Pack>, String),
    /// To a folder of a pack.
    Folder,
}

/// Where the names of a folder are.
pub(super) enum FolderLocation {
    Disk(PathBuf),
    Names(Vec<String>),
}

#[derive(Clone)]
struct View {
    pack: Option<Entered>,
    recorder: Option<Arc<Recorder>>,
}

#[derive(Clone)]
struct Entered {
    pack: Arc<Pack>,
    /// Absolute paths of files and folders that stay what they are on the disk.
    outside: Arc<[PathBuf]>,
}

static VIEW: RwLock<View> = RwLock::new(View {
    pack: None,
    recorder: None,
});

fn view() -> View {
    VIEW.read().unwrap_or_else(PoisonError::into_inner).clone()
}

fn change(f: impl FnOnce(&mut View)) {
    // A panic elsewhere leaves the view whole: each change is one assignment.
    f(&mut VIEW.write().unwrap_or_else(PoisonError::into_inner));
}

/// From now on files are those of a pack, and `outside`: files and folders of the disk.
pub fn enter(pack: Arc<Pack>, outside: &[PathBuf]) {
    let outside = outside.iter().map(|path| absolute(path)).collect();
    change(|view| view.pack = Some(Entered { pack, outside }));
}

/// From now on files are those of the disk.
pub fn leave() {
    change(|view| view.pack = None);
}

/// Does `work` while `folder` is also found at the path `as_if`, and returns what was asked for and is there.
pub fn record<T>(folder: &Path, as_if: &Path, work: impl FnOnce() -> T) -> (T, Recorded) {
    let recorder = Arc::new(Recorder::new(folder, as_if));
    change(|view| view.recorder = Some(recorder.clone()));
    let result = work();
    change(|view| view.recorder = None);
    (result, recorder.take())
}

/// Notes what was found at a path, while files are recorded.
pub(super) fn note(path: &Path, kind: FileKind) {
    if let Some(recorder) = view().recorder {
        recorder.note(&absolute(path), kind);
    }
}

/// Where a path leads.
///
/// # Errors
/// When it leads nowhere in the pack.
pub(super) fn locate(path: &Path) -> io::Result<Location> {
    let view = view();
    if view.pack.is_none() && view.recorder.is_none() {
        return Ok(Location::Disk(path.to_owned()));
    }
    let asked = absolute(path);
    let asked = match &view.recorder {
        Some(recorder) => recorder.actual(&asked),
        None => asked,
    };
    let Some(entered) = view.pack.filter(|entered| !entered.spares(&asked)) else {
        return Ok(Location::Disk(asked));
    };
    match entered.pack.find(&asked) {
        Some(PackNode::Entry(name)) => Ok(Location::Entry(entered.pack, name)),
        Some(PackNode::Folder) => Ok(Location::Folder),
        None => Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no such file in {}", entered.pack.path().display()),
        )),
    }
}

pub(super) fn locate_folder(path: &Path) -> FolderLocation {
    let view = view();
    // The folder of a file that is named without one is the working directory.
    let is_here = path.as_os_str().is_empty();
    let asked = absolute(if is_here { Path::new(".") } else { path });
    let asked = match &view.recorder {
        Some(recorder) => recorder.actual(&asked),
        None => asked,
    };
    match view.pack.filter(|entered| !entered.spares(&asked)) {
        Some(entered) => FolderLocation::Names(entered.pack.list(&asked)),
        None => FolderLocation::Disk(asked),
    }
}

impl Entered {
    fn spares(&self, asked: &Path) -> bool {
        self.outside.iter().any(|outside| asked.starts_with(outside))
    }
}
