//! Record of the files that a conversion wrote, with hashes: a later conversion replaces them only while they are
//! unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher as _;
use std::io;
use std::path::Path;

use rustc_hash::FxHasher;
use serde_json::json;

use renderer_base::files::read_regular;
use renderer_image::{ImageError, write_whole};

/// Files of a folder with the hashes of their contents.
#[derive(Clone, Debug, Default)]
pub struct WrittenFiles {
    hashes: BTreeMap<String, Vec<String>>,
}

impl WrittenFiles {
    /// Name of the record in its folder.
    pub const NAME: &'static str = "convert.json";

    /// Reads a record; an empty one if there is no file, and `None` if the file is not a record.
    pub fn read(path: &Path) -> Option<WrittenFiles> {
        if is_missing(path) {
            return Some(WrittenFiles::default());
        }
        let hashes = serde_json::from_slice(&read_regular(path).ok()?).ok()?;
        Some(WrittenFiles { hashes })
    }

    /// Adds a hash of a file's content.
    pub fn add(&mut self, name: &str, hash: String) {
        self.hashes.entry(name.to_owned()).or_default().push(hash);
    }

    /// Adds all hashes of another record.
    pub fn extend(&mut self, other: &WrittenFiles) {
        for (name, hashes) in &other.hashes {
            hashes.iter().for_each(|hash| self.add(name, hash.clone()));
        }
    }

    /// Returns whether the file `path`, called `name` in the record, can be replaced: it is missing, or unchanged since it
    /// was written.
    pub fn is_replaceable(&self, name: &str, path: &Path) -> bool {
        let is_known = |bytes: Vec<u8>| {
            let known = self.hashes.get(name);
            known.is_some_and(|known| known.contains(&content_hash(&bytes)))
        };
        is_missing(path) || read_regular(path).is_ok_and(is_known)
    }

    /// Writes the record.
    pub fn write(&self, path: &Path) -> Result<(), ImageError> {
        let text = format!("{:#}\n", json!(self.hashes));
        write_whole(path, text.as_bytes())
    }
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Hash of a file's content, equal on all machines.
pub fn content_hash(bytes: &[u8]) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}
