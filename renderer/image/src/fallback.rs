//! Fallback paths for finished work that cannot be written to its target: the same folder, then the folder of temporary
//! files.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::ImageError;
use super::output::{Staged, stage_with, write_whole_with};

/// Writes a file of finished work. If the target cannot be replaced, writes to an unused name in the same folder, else
/// to the folder of temporary files.
///
/// # Errors
/// If the file is not at its target; the error names its path.
pub fn write_finished(
    path: &Path,
    write: impl Fn(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), ImageError> {
    match stage_with(path, &write) {
        Ok(staged) => staged.commit_or_keep(),
        Err(error) => Err(write_elsewhere(error, write)),
    }
}

/// Writes a file of finished work to a fallback path after `error`, and returns the error with this path.
pub fn write_elsewhere(
    error: ImageError,
    write: impl Fn(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> ImageError {
    keep(error, |fallback| write_whole_with(fallback, &write).is_ok())
}

impl Staged {
    /// Renames the file to its target, else to a fallback path.
    ///
    /// # Errors
    /// If the file is not at its target; the error names its path.
    pub fn commit_or_keep(self) -> Result<(), ImageError> {
        self.try_commit().map_err(|error| self.keep(error))
    }

    /// Writes the file to a fallback path; returns the error with this path.
    pub(super) fn keep(&self, error: ImageError) -> ImageError {
        let staged = self.file();
        keep(error, |fallback| {
            fs::rename(staged, fallback)
                .or_else(|_| fs::copy(staged, fallback).map(drop))
                .is_ok()
        })
    }
}

/// Writes the file of an error to the first fallback path that works.
fn keep(error: ImageError, put: impl Fn(&Path) -> bool) -> ImageError {
    let path = error.path().to_owned();
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for folder in [folder, std::env::temp_dir()] {
        let Some(fallback) = reserve(&folder, &path) else {
            continue;
        };
        if put(&fallback) {
            return error.kept_at(&fallback);
        }
        let _ = fs::remove_file(&fallback);
    }
    error
}

/// Maximum number of names that are tried in a folder.
const MAX_NAMES: u32 = 1000;

/// Creates an empty file in a folder, with an unused name similar to that of `path`.
fn reserve(folder: &Path, path: &Path) -> Option<PathBuf> {
    for number in 1..MAX_NAMES {
        let fallback = folder.join(numbered(path, number)?);
        match File::create_new(&fallback) {
            Ok(_) => return Some(fallback),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

/// Name of a file with a number before its extension: `picture-1.exr`.
pub fn numbered(path: &Path, number: u32) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    Some(match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn write(file: &mut BufWriter<&mut File>) -> io::Result<()> {
        file.write_all(b"work")
    }

    #[test]
    fn finished_work_goes_beside_its_place_when_that_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let staged = stage_with(&at("o.png"), write).unwrap();
        // Obstacles that appear during the work.
        fs::create_dir(at("o.png")).unwrap();
        fs::write(at("o-1.png"), "another's").unwrap();
        let errors = [staged.commit_or_keep().unwrap_err(), write_finished(&at("o.png"), write).unwrap_err()];
        for (error, name) in errors.iter().zip(["o-2.png", "o-3.png"]) {
            assert!(error.to_string().contains(name), "{error}");
            assert_eq!(fs::read(at(name)).unwrap(), b"work");
        }
        assert_eq!(fs::read(at("o-1.png")).unwrap(), b"another's");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn finished_work_goes_to_the_temporary_folder_when_its_own_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("kiln-{}.png", std::process::id());
        let error = write_finished(&folder.path().join("gone").join(name), write).unwrap_err();
        let text = error.to_string();
        let kept = text.split('\'').nth_back(1).unwrap();
        assert_eq!(fs::read(kept).unwrap(), b"work", "{text}");
        fs::remove_file(kept).unwrap();
    }
}
