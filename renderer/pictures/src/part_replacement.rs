//! Replacement of part files: a part replaces only an earlier state of its render.

use std::fs;
use std::io;
use std::path::Path;

use crate::part::{Header, PartError, PartReader, Ranges};

/// Reason why a part cannot replace the file at its path.
#[derive(Debug)]
pub enum Obstacle {
    /// A part of this render has samples that the new part lacks.
    Samples(Ranges),
    /// The file is not a part of this render, for this reason.
    Foreign(String),
}

/// Returns why a part with a header cannot replace the file at `path`; `None` if it can, or there is no file.
pub fn obstacle(path: &Path, header: &Header) -> Option<Obstacle> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        _ => {}
    }
    let old = match PartReader::open(path) {
        Ok(old) => old,
        Err(PartError::Other { .. }) => {
            let reason = "a file that is not a part of a picture has appeared there";
            return Some(Obstacle::Foreign(reason.to_owned()));
        }
        Err(PartError::Damaged { reason, .. } | PartError::Unreadable { reason, .. }) => {
            return Some(Obstacle::Foreign(format!("the existing part cannot be read: {reason}")));
        }
    };
    let old = old.header();
    if let Some(difference) = header.identity.difference(&old.identity) {
        return Some(Obstacle::Foreign(format!(
            "another render keeps the samples {} there: {difference}",
            old.samples
        )));
    }
    let is_kept = header.samples.include(&old.samples);
    (!is_kept).then(|| Obstacle::Samples(old.samples.clone()))
}
