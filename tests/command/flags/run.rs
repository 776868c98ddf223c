//! A run of the program in a folder of its own, and its results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::program;
use tempfile::TempDir;

use super::files;

/// Results of a run.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Run {
    /// Runs command lines in order in a new folder; the last one is the result.
    pub(crate) fn of(lines: &[&str]) -> Run {
        let folder = TempDir::new().unwrap();
        let at = folder.path();
        files::write(at);
        let mut output = None;
        for line in lines {
            output = Some(program(at).args(words(line)).output().expect("the program starts"));
        }
        let output = output.expect("there is a line");
        let mut files = BTreeMap::new();
        collect(at, at, &mut files);
        Run {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            files,
        }
    }

    pub(crate) fn file(&self, name: &str) -> &[u8] {
        self.files
            .get(name)
            .unwrap_or_else(|| panic!("no {name}: {}\n{}", self.status, self.err))
    }

    /// A number of a JSON file.
    pub(crate) fn number(&self, file: &str, key: &str) -> f64 {
        let json: serde_json::Value = serde_json::from_slice(self.file(file)).unwrap();
        json[key].as_f64().unwrap_or_else(|| panic!("no {key} in {json}"))
    }

    /// A text of a JSON file.
    pub(crate) fn setting(&self, key: &str) -> String {
        let json: serde_json::Value = serde_json::from_slice(self.file("o/bake.json")).unwrap();
        json["settings"][key].to_string()
    }
}

/// Splits a line into words; `'` quotes blanks.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn collect(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, root, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// Flags for short bakes.
const SHORT: &str = "--resolution 32 --samples 2 --integrator path";

pub(crate) fn run(lines: &str) -> Run {
    let lines = lines.replace("BAKE", SHORT);
    Run::of(&lines.split("; ").collect::<Vec<_>>())
}
