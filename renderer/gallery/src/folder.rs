//! The folder of a gallery: its page, its pictures, and what these depend on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use renderer_base::files::read_regular;
use renderer_image::write_whole;
use renderer_support::Failure;

/// The page.
pub(super) const PAGE: &str = "index.html";
/// Manifest: the pictures with the hashes of their inputs. It marks a folder as a gallery.
const MANIFEST: &str = "gallery.json";
/// Folder of the pictures.
const PICTURES: &str = "pictures";

/// A folder with the pictures of earlier runs.
pub(super) struct Folder {
    path: PathBuf,
    /// Keys of the pictures by their files.
    known: BTreeMap<String, String>,
}

impl Folder {
    /// Opens a folder, or makes it.
    ///
    /// # Errors
    /// If the folder is not writable, or contains a page that is not a gallery.
    pub(super) fn open(path: &Path) -> Result<Folder, Failure> {
        let refuse = |reason: String| {
            Failure::User(format!(
                "error: cannot write to '{}': {reason}\n  hint: give another folder with -o",
                path.display()
            ))
        };
        if path.exists() && !path.is_dir() {
            return Err(refuse("it is not a folder".to_owned()));
        }
        let manifest = path.join(MANIFEST);
        let known = read_regular(&manifest).ok().and_then(|bytes| known(&bytes));
        let theirs = [PAGE, PICTURES].map(|name| path.join(name));
        if let (None, Some(theirs)) = (&known, theirs.iter().find(|path| path.exists())) {
            return Err(refuse(format!(
                "'{}' exists, and no earlier `kiln gallery` wrote it",
                theirs.display()
            )));
        }
        fs::create_dir_all(path.join(PICTURES)).map_err(|error| refuse(error.to_string()))?;
        let folder = Folder { path: path.to_owned(), known: known.unwrap_or_default() };
        folder.write_manifest()?;
        Ok(folder)
    }

    /// The file of a picture in the folder.
    pub(super) fn picture(id: &str) -> String {
        format!("{PICTURES}/{id}.jpg")
    }

    pub(super) fn place(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Returns whether the folder has a picture whose inputs have this hash.
    pub(super) fn has(&self, file: &str, key: &str) -> bool {
        self.known.get(file).is_some_and(|known| known == key)
            && fs::metadata(self.place(file)).is_ok_and(|file| file.is_file() && file.len() > 0)
    }

    /// Writes a picture.
    pub(super) fn put(&mut self, file: &str, key: Option<String>, bytes: &[u8]) -> Result<(), Failure> {
        write_whole(&self.place(file), bytes)?;
        self.known.insert(file.to_owned(), key.unwrap_or_default());
        // The manifest is written after each picture, so that an interrupted run keeps its pictures.
        self.write_manifest()
    }

    /// Writes the page, and removes the pictures of earlier ones that are not in `files`.
    pub(super) fn finish(&mut self, page: &str, files: &[String]) -> Result<(), Failure> {
        write_whole(&self.place(PAGE), page.as_bytes())?;
        let stale = self.known.keys().filter(|file| !files.contains(file));
        for file in stale {
            // One that is gone already is as good.
            let _ = fs::remove_file(self.place(file));
        }
        self.known.retain(|file, _| files.contains(file));
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), Failure> {
        let text = json!({ "kiln": env!("CARGO_PKG_VERSION"), "pictures": self.known });
        Ok(write_whole(&self.path.join(MANIFEST), format!("{text:#}\n").as_bytes())?)
    }

    /// Bytes of the page and all pictures.
    pub(super) fn size(&self) -> u64 {
        let files = self.known.keys().map(String::as_str).chain([PAGE]);
        let sizes = files.filter_map(|file| fs::metadata(self.place(file)).ok());
        sizes.map(|file| file.len()).sum()
    }
}

/// The pictures of a manifest; `None` if it is no gallery's.
fn known(bytes: &[u8]) -> Option<BTreeMap<String, String>> {
    let manifest: Value = serde_json::from_slice(bytes).ok()?;
    manifest["kiln"].as_str()?;
    let pictures = manifest["pictures"].as_object()?.iter();
    // Whatever it says, no other files are a gallery's.
    let is_picture = |file: &str| {
        let name = file.strip_prefix("pictures/").and_then(|name| name.strip_suffix(".jpg"));
        name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'))
    };
    let pictures = pictures.filter(|(file, _)| is_picture(file));
    Some(
        pictures
            .filter_map(|(file, key)| Some((file.clone(), key.as_str()?.to_owned())))
            .collect(),
    )
}
