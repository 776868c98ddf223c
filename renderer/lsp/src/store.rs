//! The texts that an editor has open, and those around them on the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use rustc_hash::FxHashMap;
use shading_editor::{Document, EditedText, FileLookup, Position};

use super::address::clean;
use renderer_base::files::{DiskFiles, Files as _};
use renderer_support::lock;

/// Longest text that is read from the disk for an answer [bytes].
const MAX_BYTES: u64 = 1 << 22;

/// A text that is open.
#[derive(Clone)]
pub(super) struct OpenText {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) document: Arc<Document>,
}

/// Texts of the disk, parsed.
#[derive(Default)]
pub(super) struct DiskTexts(Mutex<FxHashMap<PathBuf, DiskText>>);

struct DiskText {
    modified: Option<SystemTime>,
    document: Option<Arc<Document>>,
}

impl DiskTexts {
    /// The text of a file, parsed again if the file has changed.
    pub(super) fn get(&self, path: &Path) -> Option<Arc<Document>> {
        let metadata = std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= MAX_BYTES)?;
        let modified = metadata.modified().ok();
        let known = || lock(&self.0);
        if let Some(text) = known().get(path).filter(|text| text.modified == modified) {
            return text.document.clone();
        }
        let text = DiskFiles.source_text(path).ok();
        let document = text.map(|text| Document::new(path, text));
        let text = DiskText { modified, document: document.clone() };
        known().insert(path.to_owned(), text);
        document
    }
}

/// The texts of the workspace.
#[derive(Default)]
pub(super) struct Store {
    pub(super) open: BTreeMap<PathBuf, OpenText>,
    pub(super) disk: Arc<DiskTexts>,
    /// Folders that are searched for included files (`-I`).
    pub(super) folders: Vec<PathBuf>,
}

impl Store {
    /// Changes a text that is open.
    pub(super) fn change(&mut self, path: &Path, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(open) = self.open.get_mut(path) else {
            return;
        };
        let mut text = EditedText::new(&open.document.text);
        for change in changes {
            match change.range {
                None => text = EditedText::new(&change.text),
                Some(range) => text.replace(position(range.start)..position(range.end), &change.text),
            }
        }
        open.version = version;
        open.document = open.document.changed(text.finish());
    }

    /// A text: of the editor if it is open there, else of the disk.
    pub(super) fn get(&self, path: &Path) -> Option<Arc<Document>> {
        match self.open.get(path) {
            Some(open) => Some(open.document.clone()),
            None => self.disk.get(path),
        }
    }

    fn candidates<'a>(&'a self, name: &'a str, from: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
        let own = from.parent().unwrap_or(Path::new(""));
        let folders = std::iter::once(own).chain(self.folders.iter().map(PathBuf::as_path));
        folders.map(move |folder| clean(&folder.join(name)))
    }
}

fn position(at: lsp_types::Position) -> Position {
    Position { line: at.line, column: at.character }
}

impl FileLookup for Store {
    fn find(&self, name: &str, from: &Path) -> Option<Arc<Document>> {
        let is_text = |path: &PathBuf| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            ["ksl", "osl", "tsl", "kiln", "h"]
                .iter()
                .any(|known| extension.eq_ignore_ascii_case(known))
        };
        let mut candidates = self.candidates(name, from).filter(is_text);
        candidates.find_map(|path| self.get(&path))
    }

    fn path(&self, name: &str, from: &Path) -> Option<PathBuf> {
        self.candidates(name, from)
            .find(|path| self.open.contains_key(path) || path.is_file())
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().take(2000);
        let names = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.path().is_dir();
            (!name.starts_with('.')).then(|| if is_folder { name + "/" } else { name })
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}
