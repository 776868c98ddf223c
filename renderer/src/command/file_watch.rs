//! A watch over files that were read.
//!
//! Folders are watched, not files, since programs save by putting a new file in the place of the old one. While a scene
//! has errors, all of its sources are watched, too: the file that mends it may be another one than those read so far.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;

use super::{Failure, shader_file};

/// Changes that come so soon after one another are one: programs save in several steps.
const TOGETHER: Duration = Duration::from_millis(30);

/// The files that count.
#[derive(Default)]
struct Watched {
    files: FxHashSet<PathBuf>,
    /// True while the scene has errors.
    is_broken: bool,
}

impl Watched {
    fn add(&mut self, files: Vec<PathBuf>) {
        self.files.extend(files.iter().map(|file| identity(file)));
    }

    fn counts(&self, file: &Path) -> bool {
        const SOURCES: [&str; 6] = ["kiln", "ksl", "osl", "tsl", "h", "xml"];
        let extension = file.extension().and_then(|extension| extension.to_str());
        self.files.contains(&identity(file))
            || self.is_broken && extension.is_some_and(|extension| SOURCES.contains(&extension))
    }
}

/// One path for a file, also if it has gone for a moment.
fn identity(file: &Path) -> PathBuf {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = whole.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, whole.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => whole,
    }
}

/// A watch over the folders of files.
pub(super) struct FileWatch {
    watcher: RecommendedWatcher,
    folders: FxHashSet<PathBuf>,
    files: Arc<Mutex<Watched>>,
    changes: Receiver<()>,
}

impl FileWatch {
    /// Begins with the files that the command line names. `changed` is called at each change, from another thread.
    pub(super) fn start(
        named: &[impl AsRef<Path>],
        changed: impl Fn() + Send + 'static,
    ) -> Result<FileWatch, Failure> {
        let files = Arc::new(Mutex::new(Watched::default()));
        let (sender, changes) = channel();
        let known = files.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let is_change = match event.kind {
                EventKind::Create(_) | EventKind::Remove(_) => true,
                EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
                EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
            };
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if is_change && event.paths.iter().any(|path| known.counts(path)) {
                changed();
                let _ = sender.send(());
            }
        });
        let mut watch = FileWatch {
            watcher: watcher?,
            folders: FxHashSet::default(),
            files,
            changes,
        };
        let file = |named: &Path| {
            let file = named.to_str().and_then(shader_file::file_of);
            file.or_else(|| named.is_file().then(|| named.to_owned()))
        };
        watch.add(named.iter().filter_map(|named| file(named.as_ref())).collect());
        watch.follow()?;
        Ok(watch)
    }

    /// Adds files that were read; [`FileWatch::follow`] watches their folders.
    pub(super) fn add(&self, files: Vec<PathBuf>) {
        self.watched().add(files);
    }

    /// Says whether the scene has errors.
    pub(super) fn set_broken(&self, is_broken: bool) {
        self.watched().is_broken = is_broken;
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the folders of all files that are known by now.
    ///
    /// # Errors
    /// If the system cannot watch a folder.
    pub(super) fn follow(&mut self) -> Result<(), Failure> {
        let files = self.watched();
        let folders: Vec<PathBuf> = files
            .files
            .iter()
            .filter_map(|file| file.parent().map(Path::to_owned))
            .collect();
        drop(files);
        for folder in folders {
            if !self.folders.contains(&folder) && folder.is_dir() {
                self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
                self.folders.insert(folder);
            }
        }
        Ok(())
    }

    /// Returns whether nothing is watched.
    pub(super) fn is_idle(&self) -> bool {
        self.folders.is_empty()
    }

    /// Waits for a change since the last wait, and until there are no more for a moment.
    pub(super) fn wait(&self) {
        if self.changes.recv().is_ok() {
            while self.changes.recv_timeout(TOGETHER).is_ok() {}
        }
    }
}
