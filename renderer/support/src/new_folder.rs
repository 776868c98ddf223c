//! Folders that commands make for their files.

use std::fs;
use std::path::Path;

use super::Failure;

/// Makes a folder, if it is not there, for the files that `write` puts there. Where that fails, no empty folder stays of
/// those that were made.
pub fn write_in(path: &Path, write: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let made: Vec<&Path> = path.ancestors().take_while(|path| !path.exists()).collect();
    let written = fs::create_dir_all(path)
        .map_err(Failure::from)
        .and_then(|()| write());
    if written.is_err() {
        for folder in made {
            // Folders that are not empty remain.
            let _ = fs::remove_dir(folder);
        }
    }
    written
}
