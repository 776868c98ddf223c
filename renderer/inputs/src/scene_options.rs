//! Options that change how a scene is read (`--set`, `--light`, `-D`, `-I` …), and those stored in packs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use shading::{Diagnostic, Diagnostics};

use super::stage::{self, NamedShader};
use crate::common_args::{ImportArgs, SourceArgs};
use crate::stage_args::StageArgs;
use renderer_base::files::{LoggedFiles, OverlayFiles, Pack, PackFiles, SharedFiles, is_pack};
use renderer_import::AnimationChoice;
use renderer_load::{Change, Lighting, LightingKind, LoadOptions, load};
use renderer_scene::{FrameTime, SceneDesc};
use renderer_transport::scene::build::shader_errors;

/// Options of the command line that change the description of a scene.
#[derive(Clone, Debug, Default)]
pub struct SceneOptions {
    /// Changes of values.
    pub set: Vec<String>,
    /// Changes by other options, applied after `set`.
    pub changes: Vec<Change>,
    /// Light in place of the scene's lights, or in addition.
    pub light: Option<Lighting>,
    /// Options of reading shader sources.
    pub source: SourceArgs,
    /// Options of reading Mitsuba scenes.
    pub import: ImportArgs,
    /// Display of a shader; `None` if only scenes are accepted.
    pub stage: Option<StageArgs>,
    /// Text of the scene, in place of its file.
    pub text: Option<Arc<str>>,
    /// Animation of imported models; `None` for their rest pose.
    pub animation: Option<AnimationChoice>,
    /// Level of the subdivision of a model.
    pub subdivide: Option<u32>,
    /// Frame of the scene; that of its film if `None`.
    pub at: Option<FrameTime>,
    /// Files, unless the scene is in a pack.
    pub files: SharedFiles,
}

impl SceneOptions {
    /// Options of a command that reads a scene without rendering it.
    pub fn of(source: &SourceArgs, import: &ImportArgs) -> SceneOptions {
        SceneOptions {
            source: source.clone(),
            import: import.clone(),
            ..SceneOptions::default()
        }
    }

    /// These options followed by `own`, which take precedence.
    fn then(mut self, own: SceneOptions) -> SceneOptions {
        let defines = |name: &String| own.import.define.iter().any(|(defined, _)| defined == name);
        self.source.undefine.retain(|name| !defines(name));
        self.set.extend(own.set);
        self.changes.extend(own.changes);
        self.light = own.light.or(self.light);
        self.animation = own.animation.or(self.animation);
        self.subdivide = own.subdivide.or(self.subdivide);
        self.at = own.at.or(self.at);
        // The first folder that has a file gives it.
        self.source.folders.splice(0..0, own.source.folders);
        self.source.undefine.extend(own.source.undefine);
        self.import.define.extend(own.import.define);
        self.import.strict |= own.import.strict;
        self
    }

    /// The files and folders that they name.
    pub fn paths(&self) -> Vec<PathBuf> {
        let folders = self.source.folders.iter().cloned();
        folders.chain(self.light_file().map(PathBuf::from)).collect()
    }

    fn light_file(&self) -> Option<&str> {
        match &self.light.as_ref()?.kind {
            LightingKind::Map(file) => Some(file),
            LightingKind::Neutral | LightingKind::Studio | LightingKind::Sky => None,
        }
    }

    /// Replaces each path by `place` of it; `None` if a path is not valid UTF-8.
    pub fn with_paths(mut self, place: impl Fn(&Path) -> PathBuf) -> Option<SceneOptions> {
        for folder in &mut self.source.folders {
            *folder = place(folder);
        }
        if let Some(light) = &mut self.light
            && let LightingKind::Map(file) = &mut light.kind
        {
            *file = place(Path::new(file)).to_str()?.to_owned();
        }
        Some(self)
    }

    /// Converts them to options of the scene loader.
    pub fn for_load(self, files: SharedFiles) -> LoadOptions {
        LoadOptions {
            import: self.import.options(),
            preprocessor: self.source.preprocessor(&self.import.macros(), files.clone()),
            files,
            set: self.set.into_iter().map(Change::from).chain(self.changes).collect(),
            light: self.light,
            animation: self.animation,
            subdivide: self.subdivide,
            at: self.at,
            shader_errors: Some(shader_errors),
        }
    }

    /// The options that are stored in a pack, as JSON. `path` converts a path to the manifest's form.
    pub fn json(&self, path: impl Fn(&Path) -> Option<String>) -> Option<Value> {
        let folders = self.source.folders.iter().map(|folder| path(folder));
        let light = match (&self.light, self.light_file()) {
            (None, _) => Value::Null,
            (Some(light), Some(file)) => json!({ "map": path(Path::new(file))?, "adds": light.adds }),
            (Some(light), None) => json!({ "kind": light.kind.name(), "adds": light.adds }),
        };
        Some(json!({
            "set": self.set,
            "light": light,
            "folders": folders.collect::<Option<Vec<String>>>()?,
            "undefine": self.source.undefine,
            "define": self.import.define,
            "strict": self.import.strict,
        }))
    }

    /// The options that are stored in a pack.
    pub fn of_pack(pack: &Pack) -> Result<SceneOptions, Diagnostic> {
        let inside = |path: &str| {
            let path = Path::new(path);
            if path.has_root() { path.to_owned() } else { pack.path().join(path) }
        };
        SceneOptions::from_json(&pack.manifest().options, inside).ok_or_else(|| {
            let message = format!("cannot open {}: its options make no sense", pack.path().display());
            Diagnostic::error(message)
        })
    }

    fn from_json(value: &Value, inside: impl Fn(&str) -> PathBuf) -> Option<SceneOptions> {
        let texts = |key: &str| -> Option<Vec<String>> {
            let list = match value.get(key) {
                None => return Some(vec![]),
                Some(list) => list.as_array()?,
            };
            list.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let defines = match value.get("define") {
            None => vec![],
            Some(list) => serde_json::from_value(list.clone()).ok()?,
        };
        let light = match value.get("light") {
            None | Some(Value::Null) => None,
            Some(light) => {
                let adds = light.get("adds")?.as_bool()?;
                let kind = match (light.get("map"), light.get("kind")) {
                    (Some(map), None) => LightingKind::Map(inside(map.as_str()?).to_str()?.to_owned()),
                    (None, Some(kind)) => LightingKind::named(kind.as_str()?)?,
                    _ => return None,
                };
                Some(Lighting { kind, adds })
            }
        };
        Some(SceneOptions {
            set: texts("set")?,
            changes: vec![],
            light,
            source: SourceArgs {
                folders: texts("folders")?.iter().map(|folder| inside(folder)).collect(),
                undefine: texts("undefine")?,
            },
            import: ImportArgs {
                define: defines,
                strict: value.get("strict").is_some_and(|strict| strict == true),
            },
            stage: None,
            text: None,
            animation: None,
            subdivide: None,
            at: None,
            files: SharedFiles::default(),
        })
    }
}

/// A scene on the command line: where its file is, and how it is read.
#[derive(Clone, Debug)]
pub struct NamedScene {
    /// The scene's file.
    pub path: PathBuf,
    /// Options of reading it.
    pub options: SceneOptions,
    /// File system of the scene: the disk or the pack, with a log of the files read.
    pub files: SharedFiles,
}

impl NamedScene {
    /// The scene that `path` names: a file, or the scene of a pack.
    pub fn find(path: &Path, options: SceneOptions) -> Result<NamedScene, Diagnostic> {
        if let Some(text) = &options.text {
            let bytes = text.as_bytes().to_vec();
            let files = OverlayFiles::new(options.files.clone()).with(path, bytes);
            return Ok(NamedScene {
                path: path.to_owned(),
                options,
                files: SharedFiles::new(LoggedFiles::new(SharedFiles::new(files))),
            });
        }
        if !is_pack(path) {
            let files = LoggedFiles::new(options.files.clone());
            return Ok(NamedScene {
                path: path.to_owned(),
                options,
                files: SharedFiles::new(files),
            });
        }
        let pack = Pack::open(path).map_err(|error| {
            Diagnostic::error(error.to_string()).hint("`kiln pack SCENE -o scene.zip` makes packs")
        })?;
        let outside = options.paths();
        let options = SceneOptions::of_pack(&pack)?.then(options);
        let path = pack.scene();
        let files = SharedFiles::new(PackFiles::new(pack, &outside));
        let files = SharedFiles::new(LoggedFiles::new(files));
        Ok(NamedScene { path, options, files })
    }

    /// Reads it.
    pub fn load(self) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
        load(&self.path, &self.options.for_load(self.files))
    }
}

/// Reads the scene that `path` names: a file, or the scene of a pack, which is then among its files.
pub fn load_scene(path: &Path, options: SceneOptions) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    if let Some(args) = options.stage.clone() {
        if stage::is_shader(path) {
            let macros = options.import.macros();
            let files = options.files.clone();
            let preprocessor = options.source.preprocessor(&macros, files.clone());
            let shader = NamedShader::Word(path.to_str().unwrap_or_default());
            return stage::load(shader, &args, preprocessor, &files, |files| options.for_load(files));
        }
        stage::check_name(path)?;
        stage::check_idle(&args, path)?;
    }
    let scene = NamedScene::find(path, options)?;
    let (mut desc, warnings) = scene.load()?;
    if is_pack(path) {
        desc.files.push(path.to_owned());
    }
    Ok((desc, warnings))
}
