//! File watch: reports changes of the files that were read.
//!
//! The system reports changes in the folders of the files, and of the files that they link to: programs save by renaming a
//! new file over the old one. Some changes are never reported: those of folders that are removed and made again, of links
//! to folders, in folders that cannot be listed, and on other machines. So the status of all files is also compared every
//! half second.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashMap;

use super::lock;
use super::watched_files::{FileIdentity, WatchedFiles, identity};

/// Changes at shorter intervals are reported as one, because programs save in several steps.
const DEBOUNCE: Duration = Duration::from_millis(30);

/// Time between two comparisons, unless they are slow.
const INTERVAL: Duration = Duration::from_millis(500);

/// Least ratio of the time between two comparisons to the time of one.
const IDLE_RATIO: u32 = 50;

/// A watch over files.
pub struct FileWatch {
    watch: Arc<Watch>,
    changes: Receiver<()>,
}

/// The state of a watch, which the threads of the system's reports and of the comparisons share.
struct Watch {
    files: Arc<Mutex<WatchedFiles>>,
    folders: Mutex<WatchedFolders>,
    report: Arc<dyn Fn() + Send + Sync>,
}

impl FileWatch {
    /// Starts with the files that the command line names. `changed` is called at each change, from other threads.
    pub fn start(
        named: Vec<PathBuf>,
        changed: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<FileWatch> {
        let (sender, changes) = channel();
        let report: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            changed();
            let _ = sender.send(());
        });
        let files = Arc::new(Mutex::new(WatchedFiles::new()));
        let watch = Arc::new(Watch {
            folders: Mutex::new(WatchedFolders::new(&files, &report)),
            files,
            report,
        });
        let watched = Arc::downgrade(&watch);
        let watch = FileWatch { watch, changes };
        watch.add(named);
        watch.follow();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || keep_comparing(&watched))?;
        Ok(watch)
    }

    /// Adds files that were read; [`FileWatch::follow`] watches their folders.
    pub fn add(&self, files: Vec<PathBuf>) {
        self.watch.files().add(files);
    }

    /// Sets whether the scene has errors.
    pub fn set_broken(&self, is_broken: bool) {
        self.watch.files().set_broken(is_broken);
    }

    /// Watches the folders of all files that are known by now.
    pub fn follow(&self) {
        self.watch.follow();
    }

    /// Returns whether nothing is watched.
    pub fn is_idle(&self) -> bool {
        self.watch.files().is_empty()
    }

    /// Waits for a change since the last wait, and until changes cease for a moment.
    pub fn wait(&self) {
        if self.changes.recv().is_ok() {
            while self.changes.recv_timeout(DEBOUNCE).is_ok() {}
        }
    }
}

impl Watch {
    fn files(&self) -> MutexGuard<'_, WatchedFiles> {
        lock(&self.files)
    }

    /// Watches the folders of all files; returns whether there is a new folder.
    fn follow(&self) -> bool {
        // The system's thread may wait for the files, and watching a folder waits for that thread, so the files are
        // unlocked first.
        let folders = self.files().folders();
        let mut watched = lock(&self.folders);
        let is_new = folders.into_iter().map(|folder| watched.follow(folder));
        is_new.fold(false, |all, is_new| all | is_new)
    }

    /// Compares the status of the files, and reports a change.
    fn compare(&self) {
        let is_changed = self.files().compare();
        let is_new = self.follow();
        if is_changed || is_new && self.files().is_broken() {
            (self.report)();
        }
    }
}

/// Compares the files' status until the watch is dropped.
fn keep_comparing(watch: &Weak<Watch>) {
    let mut pause = INTERVAL;
    loop {
        thread::sleep(pause);
        let Some(watch) = watch.upgrade() else { return };
        let start = Instant::now();
        watch.compare();
        pause = INTERVAL.max(start.elapsed() * IDLE_RATIO);
    }
}

/// Folders in which the system reports changes.
struct WatchedFolders {
    /// `None` if the system has no watcher left.
    watcher: Option<RecommendedWatcher>,
    /// Folders with the identity that they had when they were last watched.
    known: FxHashMap<PathBuf, Option<FileIdentity>>,
}

impl WatchedFolders {
    fn new(files: &Arc<Mutex<WatchedFiles>>, report: &Arc<dyn Fn() + Send + Sync>) -> WatchedFolders {
        let (files, report) = (files.clone(), report.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let is_change = match event.kind {
                EventKind::Create(_) | EventKind::Remove(_) => true,
                EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
                EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
            };
            let notice = |path: &PathBuf| lock(&files).notice(path);
            if is_change && event.paths.iter().any(notice) {
                report();
            }
        });
        WatchedFolders { watcher: watcher.ok(), known: FxHashMap::default() }
    }

    /// Watches a folder, again if it is another one by now; returns whether it is. Folders that cannot be watched are left
    /// to the comparison of status.
    fn follow(&mut self, folder: PathBuf) -> bool {
        let found = identity(&folder);
        let known = self.known.insert(folder.clone(), found);
        let is_new = known != Some(found);
        if let Some(watcher) = self.watcher.as_mut().filter(|_| is_new) {
            if known.is_some() {
                let _ = watcher.unwatch(&folder);
            }
            if found.is_some() {
                let _ = watcher.watch(&folder, RecursiveMode::NonRecursive);
            }
        }
        is_new
    }
}
