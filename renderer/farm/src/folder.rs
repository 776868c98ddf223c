//! The folder of a cluster job: files are written atomically, and only files of earlier jobs are replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Failure;
use renderer_base::files::read_regular;
use renderer_image::{Staged, stage, write_whole};
use renderer_support::new_folder::write_in;
use renderer_support::written_files::content_hash;

/// Manifest of the job's files in the folder.
const MANIFEST: &str = "farm.json";

/// Names that files of jobs can have, except packs.
const NAMES: [&str; 6] = [
    "task.sh",
    "render.sbatch",
    "merge.sbatch",
    "submit.sh",
    "template.json",
    "parameters.json",
];

/// Returns whether a file with this name may belong to a job: one of [`NAMES`], or a pack of a scene.
fn is_known(name: &str) -> bool {
    let is_pack = name.starts_with("scene") && name.ends_with(".zip") && !name.contains(['/', '\\']);
    NAMES.contains(&name) || is_pack
}

/// A folder for a job.
pub(super) struct Folder<'a> {
    path: &'a Path,
    /// The files of an earlier job.
    before: Vec<String>,
}

impl<'a> Folder<'a> {
    /// Checks, without changing anything, that the folder is writable or can be created, and that no other file has one
    /// of `names`.
    pub(super) fn check<'n>(
        path: &'a Path,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Folder<'a>, Failure> {
        let refuse =
            |reason: &str| Failure::User(format!("error: cannot write to '{}': {reason}", path.display()));
        let nearest = path.ancestors().find(|path| path.exists());
        let nearest = nearest.ok_or_else(|| refuse("it does not exist"))?;
        if !nearest.is_dir() {
            return Err(refuse(&format!("'{}' is not a folder", nearest.display())));
        }
        tempfile::tempfile_in(nearest).map_err(|error| refuse(&error.to_string()))?;
        let manifest = path.join(MANIFEST);
        let before = written_before(&manifest);
        let is_ours = |name: &str| before.iter().any(|ours| ours == name);
        let in_the_way = (names.into_iter().filter(|name| !is_ours(name)))
            .map(|name| path.join(name))
            .chain(before.is_empty().then_some(manifest))
            .find(|path| fs::symlink_metadata(path).is_ok());
        let in_the_way = in_the_way.or_else(|| changed_since(&path.join(MANIFEST)));
        match in_the_way {
            None => Ok(Folder { path, before }),
            Some(path) => Err(Failure::User(format!(
                "error: '{}' exists, and no earlier `kiln farm` wrote it, or it was changed since\n  \
                 hint: give the job another folder, with --dir, or delete the file",
                path.display()
            ))),
        }
    }

    /// Writes the files of a job and removes those of an earlier one that it does not have. The files called `packs` are
    /// written by `pack`, before the others.
    pub(super) fn write(
        &self,
        files: &[(String, Vec<u8>)],
        packs: &[String],
        pack: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        write_in(self.path, || self.replace(files, packs, pack))
    }

    fn replace(
        &self,
        files: &[(String, Vec<u8>)],
        packs: &[String],
        pack: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let at = |name: &str| self.path.join(name);
        let stage = |(name, bytes): &(String, Vec<u8>)| stage(&at(name), bytes);
        let staged: Vec<Staged> = files.iter().map(stage).collect::<Result<_, _>>()?;
        let is_new = |name: &String| files.iter().any(|file| file.0 == *name) || packs.contains(name);
        let stale = || self.before.iter().filter(|name| !is_new(name));
        // Whenever the program is killed, the manifest names all files that may be there.
        let new = || files.iter().map(|file| &file.0).chain(packs);
        self.write_manifest(new().chain(stale()), &[])?;
        pack()?;
        staged.into_iter().try_for_each(Staged::commit)?;
        for name in stale() {
            let _ = fs::remove_file(at(name));
        }
        self.write_manifest(new(), files)
    }

    /// Writes the manifest of files called `names`, with the hashes of the contents of `files`.
    fn write_manifest<'n>(
        &self,
        names: impl Iterator<Item = &'n String>,
        files: &[(String, Vec<u8>)],
    ) -> Result<(), Failure> {
        let hashes: BTreeMap<&String, String> =
            (files.iter()).map(|(name, bytes)| (name, content_hash(bytes))).collect();
        let names: Vec<&String> = names.collect();
        let manifest = json!({ "kiln": env!("CARGO_PKG_VERSION"), "files": names, "hashes": hashes });
        Ok(write_whole(&self.path.join(MANIFEST), format!("{manifest:#}\n").as_bytes())?)
    }
}

/// A file of an earlier job that was changed since it was written.
fn changed_since(manifest: &Path) -> Option<PathBuf> {
    let value: Value = serde_json::from_slice(&read_regular(manifest).ok()?).ok()?;
    let hashes = value["hashes"].as_object()?;
    hashes.iter().filter(|(name, _)| is_known(name)).find_map(|(name, hash)| {
        let path = manifest.with_file_name(name);
        let bytes = read_regular(&path).ok()?;
        (Some(content_hash(&bytes).as_str()) != hash.as_str()).then_some(path)
    })
}

/// The files of an earlier job, by its manifest.
fn written_before(manifest: &Path) -> Vec<String> {
    let text = read_regular(manifest).unwrap_or_default();
    let Ok(value) = serde_json::from_slice::<Value>(&text) else {
        return vec![];
    };
    if !value["kiln"].is_string() {
        return vec![];
    }
    let names = value["files"].as_array().into_iter().flatten();
    names
        .filter_map(Value::as_str)
        .filter(|name| is_known(name))
        .map(str::to_owned)
        .collect()
}

/// Default folder of a job: in the folder of its first output, with the output's name without extension and frame
/// marks.
pub(super) fn default(output: &Path) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.trim_end_matches(['#', '.', '_', '-', ' ']);
    output.with_file_name(format!("{}.farm", if name.is_empty() { "kiln" } else { name }))
}
