//! Folders that commands make for their files.

use std::fs;
use std::path::Path;

use super::Failure;

/// Creates a folder, if it is missing, for the files of `write`. After an error, empty folders created by this call are
/// removed.
pub fn write_in(path: &Path, write: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let made: Vec<&Path> = path.ancestors().take_while(|path| !path.exists()).collect();
    let written = fs::create_dir_all(path).map_err(Failure::from).and_then(|()| write());
    if written.is_err() {
        for folder in made {
            // Folders that are not empty remain.
            let _ = fs::remove_dir(folder);
        }
    }
    written
}
