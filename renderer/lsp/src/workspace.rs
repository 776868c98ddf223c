//! The texts in the folders that an editor has open, found by a thread of their own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::address::is_known;
use super::store::DiskTexts;
use renderer_support::lock;

/// Most texts of a workspace.
const MAX_TEXTS: usize = 2000;
/// Most entries of folders that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// Paths of the texts found so far.
#[derive(Clone, Default)]
pub(super) struct Workspace(Arc<Mutex<Vec<PathBuf>>>);

impl Workspace {
    /// Starts the search.
    pub(super) fn find(roots: Vec<PathBuf>, texts: Arc<DiskTexts>) -> Workspace {
        let workspace = Workspace::default();
        let found = workspace.clone();
        let thread = std::thread::Builder::new().name("workspace".to_owned()).stack_size(16 << 20);
        // Without the thread, only symbols of open texts are found.
        let _ = thread.spawn(move || found.search(roots, &texts));
        workspace
    }

    /// Adds files that have changed, if they are texts.
    pub(super) fn add(&self, files: &[PathBuf]) {
        let mut paths = lock(&self.0);
        for path in files.iter().filter(|path| is_known(path)) {
            if paths.len() < MAX_TEXTS && !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        lock(&self.0).clone()
    }

    fn search(&self, mut folders: Vec<PathBuf>, texts: &DiskTexts) {
        let (mut entries, mut count) = (0, 0);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                entries += 1;
                if entries > MAX_ENTRIES || count > MAX_TEXTS {
                    return;
                }
                let (path, kind) = (entry.path(), entry.file_type());
                match kind {
                    Ok(kind) if kind.is_dir() && !is_skipped(&path) => folders.push(path),
                    Ok(kind) if kind.is_file() && is_known(&path) => {
                        // Parsed in this thread, so that no answer waits for it.
                        texts.get(&path);
                        count += 1;
                        lock(&self.0).push(path);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns whether a folder contains generated files.
fn is_skipped(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with('.') || matches!(name, "target" | "node_modules")
}
