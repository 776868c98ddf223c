//! Shared part of the fuzz targets: loads bytes as a file of a format, like `kiln render`.

use std::cell::RefCell;
use std::fs;

use renderer::scene::load::{LoadOptions, load};
use tempfile::TempDir;

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// Writes the bytes to a file called `name` in a new folder and loads it as a scene or model. Errors are accepted,
/// panics are not.
pub fn load_as(name: &str, bytes: &[u8]) {
    FOLDER.with_borrow_mut(|folder| {
        let folder =
            folder.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder can be made"));
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("the temporary folder can be written");
        let _ = load(&path, &LoadOptions::default());
    });
}
