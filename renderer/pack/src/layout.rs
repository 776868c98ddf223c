//! Layout of a pack: the archive entry of each file.
//!
//! The archive's root is the scene's folder, or the folder above it that contains the files that the scene names by
//! relative paths: these files keep their places. Other files are in the folder `external`, and the manifest maps their
//! paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use shading::Diagnostic;

use super::recording::{MAX_UP, SceneRecording};
use renderer_base::files::{
    FileKind, Files, MANIFEST, Manifest, Recorded, RecordedPath, is_inside, key_of, normal,
};

/// The folder of files that are nowhere near the scene.
const EXTERNAL: &str = "external";

/// The entries of an archive.
pub(super) struct Layout {
    pub(super) manifest: Manifest,
    /// The file of each entry.
    pub(super) sources: BTreeMap<String, PathBuf>,
}

impl Layout {
    pub(super) fn new(recording: &SceneRecording, recorded: &Recorded) -> Result<Layout, Diagnostic> {
        let root = Root::new(&recording.folder, recorded);
        let files = &**recording.files();
        let mut keys = vec![];
        let mut folders = BTreeSet::new();
        for (asked, kind) in recorded {
            let key = root.key(asked).ok_or_else(|| {
                let path = recording.actual(asked);
                Diagnostic::error(format!("cannot pack {}: its path is not text", path.display()))
            })?;
            match kind {
                FileKind::File => keys.push((key, recording.actual(asked))),
                FileKind::Folder => drop(folders.insert(key)),
                FileKind::Other => {
                    let path = recording.actual(asked);
                    let message = format!("cannot pack {}: it is not a plain file", path.display());
                    return Err(Diagnostic::error(message));
                }
            }
        }
        // A file that several paths lead to is packed once, at the place of the one that leads there by itself.
        keys.sort();
        let mut entries = Entries::default();
        for (key, path) in &keys {
            entries.add_in_place(files, key, path);
        }
        let mut paths = BTreeMap::new();
        for (key, path) in &keys {
            let entry = entries.of(files, path);
            if normal(key).as_ref() != Some(&entry) {
                paths.insert(key.clone(), entry);
            }
        }
        let inside = |path: &Path| match path.strip_prefix(&recording.as_if) {
            Ok(way) => root.key(&RecordedPath::Relative(way.to_owned())),
            Err(_) => key_of(path),
        };
        let of_scene = |what: Option<_>| {
            what.ok_or_else(|| Diagnostic::error("cannot pack a scene whose path is not text"))
        };
        let scene = of_scene(inside(&recording.packed.path))?;
        let options = recording.packed.options.json(inside);
        let options = options.ok_or_else(|| Diagnostic::error("a path of the command line is not text"))?;
        Ok(Layout {
            manifest: Manifest {
                scene: paths.get(&scene).cloned().unwrap_or(scene),
                entries: entries.sizes(files)?,
                paths,
                folders,
                options,
            },
            sources: entries.sources,
        })
    }
}

/// The folders from the archive's root to the scene's folder.
struct Root {
    way: Vec<String>,
}

impl Root {
    /// The lowest folder that contains each file with a relative path, if it is near the scene.
    fn new(folder: &Path, recorded: &Recorded) -> Root {
        let names: Vec<String> = folder
            .components()
            .filter_map(|component| match component {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect();
        let ups = recorded.keys().filter_map(|asked| match asked {
            RecordedPath::Relative(way) => Some(ups(way)),
            RecordedPath::Absolute(_) => None,
        });
        // A folder whose name is not valid in an archive ends the search.
        let fit = names.iter().rev().take_while(|name| is_inside(name)).count();
        let up = ups.filter(|&up| up <= MAX_UP.min(fit)).max().unwrap_or(0);
        Root { way: names[names.len() - up..].to_vec() }
    }

    /// The manifest's form of a path.
    fn key(&self, asked: &RecordedPath) -> Option<String> {
        match asked {
            RecordedPath::Relative(way) => {
                let rest = key_of(way)?;
                let parts = self.way.iter().map(String::as_str).chain([rest.as_str()]);
                Some(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"))
            }
            RecordedPath::Absolute(path) => key_of(path),
        }
    }
}

/// Maximum number of folders that a path leads up.
fn ups(way: &Path) -> usize {
    let (mut depth, mut least) = (0_isize, 0);
    for component in way.components() {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
        least = depth.min(least);
    }
    least.unsigned_abs()
}

#[derive(Default)]
struct Entries {
    sources: BTreeMap<String, PathBuf>,
    /// The entry of each file, by its identity.
    names: BTreeMap<PathBuf, String>,
}

impl Entries {
    /// The size of each entry [bytes].
    fn sizes(&self, files: &dyn Files) -> Result<BTreeMap<String, u64>, Diagnostic> {
        let size = |(name, path): (&String, &PathBuf)| {
            let file = files.open(path);
            let file =
                file.map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", path.display())))?;
            Ok((name.clone(), file.len()))
        };
        self.sources.iter().map(size).collect()
    }

    /// Assigns a file the entry of its own path, if that is valid, free and the file has none yet.
    fn add_in_place(&mut self, files: &dyn Files, key: &str, path: &Path) {
        let identity = files.identity(path);
        if let Some(name) = normal(key).filter(|name| is_inside(name) && name != MANIFEST)
            && !self.names.contains_key(&identity)
            && !self.sources.contains_key(&name)
        {
            self.add(name, identity, path);
        }
    }

    /// The entry of a file.
    fn of(&mut self, files: &dyn Files, path: &Path) -> String {
        let identity = files.identity(path);
        if let Some(name) = self.names.get(&identity) {
            return name.clone();
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let file = file.replace(['\\', ':', '\0'], "_");
        let numbered = (2..).map(|number| format!("{EXTERNAL}/{number}/{file}"));
        let name = std::iter::once(format!("{EXTERNAL}/{file}"))
            .chain(numbered)
            .find(|name| !self.sources.contains_key(name))
            .expect("there is a number for each file");
        self.add(name.clone(), identity, path);
        name
    }

    fn add(&mut self, name: String, identity: PathBuf, path: &Path) {
        self.names.insert(identity, name.clone());
        self.sources.insert(name, path.to_owned());
    }
}
