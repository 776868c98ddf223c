//! The manifest of a pack (`kiln-pack.json`): the scene, sizes of entries, and paths that lead to them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// The manifest's own entry.
pub const MANIFEST: &str = "kiln-pack.json";

/// Format version of packs.
const VERSION: u64 = 1;

/// Description of a pack, stored in the pack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The entry of the scene file.
    pub scene: String,
    /// Uncompressed sizes of the entries by name [bytes], without the manifest's own.
    pub entries: BTreeMap<String, u64>,
    /// Entries of absolute paths and of paths through links.
    pub paths: BTreeMap<String, String>,
    /// Requested folders without files that are read.
    pub folders: BTreeSet<String>,
    /// Options of the command line for reading the scene; see `command::scene_options`.
    pub options: Value,
}

impl Manifest {
    /// Serializes the manifest.
    pub fn text(&self) -> String {
        let value = json!({
            "kiln_pack": VERSION,
            "scene": self.scene,
            "options": self.options,
            "entries": self.entries,
            "paths": self.paths,
            "folders": self.folders,
        });
        format!("{value:#}\n")
    }

    /// Parses the manifest; the error describes the mistake.
    pub(super) fn parse(text: &[u8]) -> Result<Manifest, String> {
        let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        match value.get("kiln_pack").map(Value::as_u64) {
            Some(Some(VERSION)) => {}
            Some(Some(other)) => {
                return Err(format!(
                    "it is of version {other} of packs, and this kiln reads version {VERSION}"
                ));
            }
            _ => return Err("it has no version (`kiln_pack`)".to_owned()),
        }
        let scene = value.get("scene").and_then(Value::as_str);
        let entries = map_of(&value, "entries", Value::as_u64)?;
        let paths = map_of(&value, "paths", |entry| entry.as_str().map(str::to_owned))?;
        let folders = match value.get("folders") {
            Some(Value::Array(list)) => list.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
            None => Some(BTreeSet::new()),
        };
        Ok(Manifest {
            scene: scene.ok_or("it names no scene")?.to_owned(),
            entries,
            paths,
            folders: folders.ok_or("`folders` is not a list of names")?,
            options: value.get("options").cloned().unwrap_or(Value::Null),
        })
    }
}

/// A table of the manifest; an absent one is empty.
fn map_of<T>(
    value: &Value,
    key: &str,
    item: impl Fn(&Value) -> Option<T>,
) -> Result<BTreeMap<String, T>, String> {
    let none = Map::new();
    let map = match value.get(key) {
        None => &none,
        Some(Value::Object(map)) => map,
        Some(_) => return Err(format!("`{key}` is not a table")),
    };
    let pairs = map.iter().map(|(name, value)| {
        let value = item(value).ok_or_else(|| format!("`{key}` makes no sense at `{name}`"))?;
        Ok((name.clone(), value))
    });
    pairs.collect()
}
