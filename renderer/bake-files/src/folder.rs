//! Output folder of a bake: checked before the work, and replaced as a whole after it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::{Failure, Outputs, compact, engine_files, features, images, pages, viewer};
use renderer_bake::ShOrder;
use renderer_base::files::read_regular;
use renderer_image::{FileId, ImageError, Staged, numbered, stage, sweep_files, write_whole};
use renderer_inputs::bake_request::Layout;
use renderer_support::new_folder::write_in;
use renderer_support::outputs::check_written;

/// A folder that can be written to, or made.
pub(super) struct Folder {
    path: PathBuf,
    /// The files that an earlier bake into this folder wrote, by its manifest, which is one of them.
    before: BTreeSet<String>,
}

impl Folder {
    /// Path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that a folder is writable or can be created, without changing anything.
    pub(super) fn check(path: &Path) -> Result<Folder, Failure> {
        let refuse =
            |reason: &str| Failure::User(format!("error: cannot write to '{}': {reason}", path.display()));
        if path.exists() && !path.is_dir() {
            return Err(refuse("it is not a folder"));
        }
        let mut nearest = path;
        while !nearest.exists() {
            nearest = match nearest.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
        }
        if !nearest.is_dir() {
            return Err(refuse(&format!("'{}' is not a folder", nearest.display())));
        }
        tempfile::tempfile_in(nearest).map_err(|e| refuse(&e.to_string()))?;
        Ok(Folder { path: path.to_owned(), before: written_before(path) })
    }

    /// Adds a file of the folder to the output files of the command. Files that no earlier bake wrote are not replaced.
    pub(super) fn add(&self, name: &str, outputs: &mut Outputs) -> Result<(), Failure> {
        let path = self.path.join(name);
        if path.is_file() && !self.before.contains(name) {
            return Err(Failure::User(format!(
                "error: '{}' exists, and no earlier `kiln bake` wrote it\n  \
                 hint: give another folder with -o, or delete it",
                path.display()
            )));
        }
        if self.path.is_dir() {
            outputs.file("-o", &path)
        } else {
            outputs.add("-o", &path)
        }
    }

    /// Writes all files, of which the last is the manifest, and removes the files of an earlier bake that this one does
    /// not have, except `inputs`.
    ///
    /// The files are staged before the first is replaced. If that fails, the earlier bake is kept and the new one is written
    /// to another folder. During the replacement the manifest is that of an incomplete folder with old and new files, so
    /// that the next bake can remove them if the program is killed.
    pub(super) fn write(&self, files: &[(String, Vec<u8>)], inputs: &[PathBuf]) -> Result<(), Failure> {
        write_in(&self.path, || {
            let stale = self.stale(files, inputs);
            match self.stage(files, &stale, inputs) {
                Ok(staged) => self.replace(staged, &stale),
                Err(error) => Err(self.write_elsewhere(files, &error)),
            }
        })
    }

    /// Names of files of an earlier bake that this one does not have.
    fn stale(&self, files: &[(String, Vec<u8>)], inputs: &[PathBuf]) -> Vec<&String> {
        let is_new = |name: &String| files.iter().any(|file| file.0 == *name);
        let stale = self.before.iter().filter(|name| !is_new(name));
        stale.filter(|name| is_removable(&self.path.join(name), inputs)).collect()
    }

    /// Writes all files under temporary names, in the order in which they are put in place: the manifest of an incomplete
    /// folder, the files, and the final manifest.
    fn stage(
        &self,
        files: &[(String, Vec<u8>)],
        stale: &[&String],
        inputs: &[PathBuf],
    ) -> Result<Vec<Staged>, ImageError> {
        let names = files.iter().map(|file| &file.0);
        let known = all_names();
        sweep_files(&self.path, known.iter().chain(names.clone()));
        let at = |name: &str| self.path.join(name);
        if let Some(name) = names.clone().find(|name| is_input(&at(name), inputs)) {
            return Err(ImageError::not_writable(&at(name), "this command reads it"));
        }
        let listed: Vec<&String> =
            (names.filter(|name| *name != MANIFEST)).chain(stale.iter().copied()).collect();
        let incomplete = json!({ "kiln": env!("CARGO_PKG_VERSION"), "complete": false, "files": listed });
        let first = stage(&at(MANIFEST), format!("{incomplete:#}\n").as_bytes());
        let others = files.iter().map(|(name, bytes)| stage(&at(name), bytes));
        std::iter::once(first).chain(others).collect()
    }

    /// Renames staged files into place and removes stale ones. After an error the manifest marks the folder as
    /// incomplete.
    fn replace(&self, staged: Vec<Staged>, stale: &[&String]) -> Result<(), Failure> {
        let mut staged = staged.into_iter();
        let (first, last) = (staged.next(), staged.next_back());
        first.map_or(Ok(()), Staged::commit)?;
        let errors = staged.filter_map(|file| file.commit_or_keep().err());
        check_written(&errors.collect::<Vec<_>>())?;
        for name in stale {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(|e| {
                let path = path.display();
                Failure::User(format!("error: cannot remove '{path}', which an earlier bake wrote: {e}"))
            })?;
        }
        Ok(last.map_or(Ok(()), Staged::commit)?)
    }

    /// Writes all files to a new folder next to this one or in the folder of temporary files. Returns the failure, which
    /// names the folder.
    fn write_elsewhere(&self, files: &[(String, Vec<u8>)], error: &ImageError) -> Failure {
        let parent = self.path.parent().unwrap_or(Path::new("")).to_owned();
        for parent in [parent, std::env::temp_dir()] {
            let Some(refuge) = new_folder(&parent, &self.path) else {
                continue;
            };
            let mut written = files.iter().map(|(name, bytes)| write_whole(&refuge.join(name), bytes));
            if written.all(|written| written.is_ok()) {
                return Failure::User(format!(
                    "error: {error}\n  the bake was written to '{}' instead; '{}' is unchanged",
                    refuge.display(),
                    self.path.display()
                ));
            }
            // The folder is new.
            let _ = fs::remove_dir_all(&refuge);
        }
        Failure::User(format!("error: {error}\n  '{}' is unchanged", self.path.display()))
    }
}

/// Creates a folder in `parent` with the first free name derived from `path`.
fn new_folder(parent: &Path, path: &Path) -> Option<PathBuf> {
    /// Bound of the names that are tried.
    const MAX_NAMES: u32 = 1000;
    for number in 1..MAX_NAMES {
        let folder = parent.join(numbered(path, number)?);
        match fs::create_dir(&folder) {
            Ok(()) => return Some(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

/// Returns whether a folder has all files of a bake.
pub(super) fn is_finished(folder: &Path) -> bool {
    manifest_of(folder).is_some_and(|manifest| manifest["complete"] != false)
}

/// The manifest that an earlier bake wrote.
fn manifest_of(folder: &Path) -> Option<Value> {
    let text = read_regular(&folder.join(MANIFEST)).ok()?;
    let manifest = serde_json::from_slice::<Value>(&text).ok()?;
    manifest["kiln"].is_string().then_some(manifest)
}

/// The files that an earlier bake into a folder wrote, by its manifest, which is one of them.
fn written_before(folder: &Path) -> BTreeSet<String> {
    let Some(value) = manifest_of(folder) else {
        return BTreeSet::new();
    };
    let known = all_names();
    let names = value["files"].as_array().into_iter().flatten();
    names
        .filter_map(Value::as_str)
        .filter(|name| {
            let name = pages::alone(name);
            known.contains(&name) || features::is_file(&name)
        })
        .chain([MANIFEST])
        .map(str::to_owned)
        .collect()
}

/// Names that files of a bake can have, except those of features and pages: other files are never removed, even if a
/// manifest lists them.
fn all_names() -> FxHashSet<String> {
    let orders = [ShOrder::One, ShOrder::Two];
    let layouts = Layout::value_variants().iter();
    let images = layouts.flat_map(|&layout| {
        orders.map(|order| [images::names(layout, order), compact::all_names(layout, order)].concat())
    });
    let others = ([SCENE, MODEL, UNLIT, KEPT, PROBES]
        .iter()
        .chain(&engine_files::godot::FILES)
        .chain(&engine_files::bevy::FILES))
    .map(|&name| name.to_owned());
    images.flatten().chain(others).chain(viewer::names()).collect()
}

/// Returns whether a path is a regular file that was not read as an input.
fn is_removable(path: &Path, inputs: &[PathBuf]) -> bool {
    let is_plain = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    is_plain && !is_input(path, inputs)
}

/// Returns whether a path leads to a file that was read.
fn is_input(path: &Path, inputs: &[PathBuf]) -> bool {
    let id = FileId::of(path);
    inputs.iter().any(|input| FileId::of(input) == id)
}

/// Names of files that are no images.
pub(super) const MANIFEST: &str = "bake.json";

pub(super) const SCENE: &str = "scene.glb";

pub(super) const MODEL: &str = "model.glb";

pub(super) const UNLIT: &str = "unlit.glb";

pub(super) const KEPT: &str = "kept.light";

pub(super) const PROBES: &str = "probes.json";
