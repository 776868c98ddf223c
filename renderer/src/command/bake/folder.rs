//! The output folder of a bake: checked before the work, replaced file by file after it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::{Failure, Outputs, bevy, compact, features, godot, images, pages, viewer};
use crate::cli::Layout;
use crate::command::new_folder::write_in;
use crate::command::outputs::{Finish, misplaced};
use renderer_bake::ShOrder;
use renderer_base::files::read_regular;
use renderer_image::{FileId, ImageError, Staged, stage, sweep_files, write_whole};

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

    /// Checks a folder without leaving anything: it takes files, or it can be made where it is to be.
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
        Ok(Folder {
            path: path.to_owned(),
            before: written_before(path),
        })
    }

    /// Adds one of its files to what a command writes. What no earlier bake has written is not replaced.
    pub(super) fn add(&self, name: &str, outputs: &mut Outputs) -> Result<(), Failure> {
        let path = self.path.join(name);
        if path.is_file() && !self.before.contains(name) {
            return Err(Failure::User(format!(
                "error: '{}' is there, and no earlier `kiln bake` has written it\n  \
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

    /// Writes all files, of which the last is the manifest, and removes what an earlier bake wrote and this one does not,
    /// but for `inputs`.
    ///
    /// All are on the disk before the first takes its place. While they do, the manifest says that the folder is not
    /// complete, and names old and new files: whenever the program is killed, the next bake knows what to remove.
    pub(super) fn write(&self, files: &[(String, Vec<u8>)], inputs: &[PathBuf]) -> Result<(), Failure> {
        write_in(&self.path, || self.replace(files, inputs))
    }

    fn replace(&self, files: &[(String, Vec<u8>)], inputs: &[PathBuf]) -> Result<(), Failure> {
        let Some((manifest, others)) = files.split_last() else {
            return Ok(());
        };
        let all: Vec<String> = all_names()
            .into_iter()
            .chain(files.iter().map(|file| file.0.clone()))
            .collect();
        sweep_files(&self.path, &all);
        let at = |name: &str| self.path.join(name);
        let stage = |(name, bytes): &(String, Vec<u8>)| stage(&at(name), bytes);
        let staged: Result<Vec<Staged>, ImageError> = others.iter().map(stage).collect();
        let hides_input = files.iter().any(|(name, _)| is_input(&at(name), inputs));
        let (false, Ok(staged), Ok(last)) = (hides_input, staged, stage(manifest)) else {
            // The disk is full, the folder has gone, or a running shader has read a file of it.
            let write =
                |(name, bytes): &(String, Vec<u8>)| Finish::Final(inputs).write_bytes(&at(name), bytes);
            let errors: Vec<ImageError> = files.iter().filter_map(|file| write(file).err()).collect();
            return misplaced(&errors);
        };
        let is_new = |name: &String| files.iter().any(|file| file.0 == *name);
        let stale = self.before.iter().filter(|name| !is_new(name));
        let stale: Vec<&String> = stale.filter(|name| is_removable(&at(name), inputs)).collect();

        let names: Vec<&String> = (others.iter().map(|file| &file.0))
            .chain(stale.iter().copied())
            .collect();
        let under_way = json!({ "kiln": env!("CARGO_PKG_VERSION"), "complete": false, "files": names });
        write_whole(&at(&manifest.0), format!("{under_way:#}\n").as_bytes())?;
        let errors = staged.into_iter().filter_map(|file| file.commit_or_keep().err());
        misplaced(&errors.collect::<Vec<_>>())?;
        for name in &stale {
            let path = at(name);
            fs::remove_file(&path).map_err(|e| {
                let path = path.display();
                Failure::User(format!(
                    "error: cannot remove '{path}', which an earlier bake wrote: {e}"
                ))
            })?;
        }
        Ok(last.commit()?)
    }
}

/// The files that an earlier bake into a folder wrote, by its manifest, which is one of them.
fn written_before(folder: &Path) -> BTreeSet<String> {
    let text = read_regular(&folder.join(MANIFEST)).unwrap_or_default();
    let Ok(value) = serde_json::from_slice::<Value>(&text) else {
        return BTreeSet::new();
    };
    if !value["kiln"].is_string() {
        return BTreeSet::new();
    }
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

/// All names that files of a bake can have, but for features and pages: whatever a manifest says, no other file is a bake's.
fn all_names() -> FxHashSet<String> {
    let orders = [ShOrder::One, ShOrder::Two];
    let layouts = Layout::value_variants().iter();
    let images = layouts.flat_map(|&layout| {
        orders.map(|order| [images::names(layout, order), compact::all_names(layout, order)].concat())
    });
    let others = ([SCENE, MODEL, UNLIT, KEPT, PROBES]
        .iter()
        .chain(&godot::file::FILES)
        .chain(&bevy::file::FILES))
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
