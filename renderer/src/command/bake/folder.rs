//! The folder that a bake goes to: checked before the work, filled after it.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Failure, Outputs};
use crate::image::{Staged, stage};

/// A folder that can be written to, or made.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks a folder without leaving anything: it takes files, or it can be made where it is to be.
    pub(super) fn check(path: &Path) -> Result<Folder, Failure> {
        let refuse =
            |reason: &str| Failure::User(format!("error: cannot write to '{}': {reason}", path.display()));
        if path.exists() && !path.is_dir() {
            return Err(refuse("it is no folder"));
        }
        let mut nearest = path;
        while !nearest.exists() {
            nearest = match nearest.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
        }
        if !nearest.is_dir() {
            return Err(refuse(&format!("'{}' is no folder", nearest.display())));
        }
        tempfile::tempfile_in(nearest).map_err(|e| refuse(&e.to_string()))?;
        Ok(Folder {
            path: path.to_owned(),
        })
    }

    /// Adds one of its files to what a command writes.
    pub(super) fn add(&self, name: &str, outputs: &mut Outputs) -> Result<(), Failure> {
        let path = self.path.join(name);
        if self.path.is_dir() {
            outputs.file("-o", &path)
        } else {
            outputs.add("-o", &path)
        }
    }

    /// Writes all files, each whole or not at all.
    pub(super) fn write(&self, files: &[(String, Vec<u8>)]) -> Result<(), Failure> {
        fs::create_dir_all(&self.path)?;
        // All are on the disk before the first takes its place.
        let stage = |(name, bytes): &(String, Vec<u8>)| stage(&self.path.join(name), bytes);
        let staged: Vec<Staged> = files.iter().map(stage).collect::<Result<_, _>>()?;
        staged.into_iter().try_for_each(Staged::commit)?;
        Ok(())
    }
}
