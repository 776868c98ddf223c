//! Collects the files that a scene reads, by loading it with recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shading::{Diagnostic, Diagnostics};

use renderer_base::files::{Files, Recorded, RecordedFiles, RecordedPath, SharedFiles};
use renderer_inputs::scene_options::NamedScene;
use renderer_support::Failure;
use renderer_transport::scene::build::find_inputs;

/// A scene that is read as if it lay in the archive.
pub(super) struct SceneRecording {
    scene: NamedScene,
    /// The scene with its paths moved into the archive.
    pub(super) packed: NamedScene,
    /// The folder of the scene, from the root on.
    pub(super) folder: PathBuf,
    /// The archive's path, at which that folder also appears.
    pub(super) as_if: PathBuf,
    /// Files and folders that the command line names.
    pub(super) named: Vec<PathBuf>,
}

/// Number of levels above the scene's folder up to which files keep their relative paths in the archive.
pub(super) const MAX_UP: usize = 3;

impl SceneRecording {
    pub(super) fn new(scene: NamedScene, output: &Path) -> Result<SceneRecording, Failure> {
        let folder = std::path::absolute(scene.path.parent().unwrap_or(Path::new("")).join("."))?;
        let as_if = std::path::absolute(output)?;
        // Files near the scene are named relative to it.
        let place = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let above = folder.ancestors().take(MAX_UP + 1).enumerate();
            // The root of the file system is not a common folder.
            let near = above
                .filter(|(_, ancestor)| ancestor.parent().is_some())
                .find_map(|(up, ancestor)| Some((up, path.strip_prefix(ancestor).ok()?)));
            match near {
                Some((up, rest)) => as_if.join("../".repeat(up)).join(rest),
                None => path,
            }
        };
        let packed = NamedScene {
            path: as_if.join(scene.path.file_name().unwrap_or_default()),
            options: scene
                .options
                .clone()
                .with_paths(place)
                .ok_or_else(|| Failure::of(Diagnostic::error("the path of --light is not text")))?,
            files: scene.files.clone(),
        };
        Ok(SceneRecording { named: scene.options.paths(), scene, packed, folder, as_if })
    }

    /// Loads the scene with recording; returns the files that it reads, and the warnings.
    pub(super) fn run(&self) -> Result<(Recorded, Diagnostics), Diagnostics> {
        let files = RecordedFiles::new(self.scene.files.clone(), &self.folder, &self.as_if);
        let files = Arc::new(files);
        let result = look(&NamedScene {
            files: SharedFiles::from(files.clone() as Arc<dyn Files>),
            ..self.packed.clone()
        });
        let recorded = files.take();
        match result {
            Ok(warnings) if warnings.list.is_empty() => Ok((recorded, warnings)),
            result => {
                // Messages are to name the files as the user does.
                let warnings = look(&self.scene)?;
                result.map(|_| (recorded, warnings))
            }
        }
    }

    /// The files of the scene.
    pub(super) fn files(&self) -> &SharedFiles {
        &self.scene.files
    }

    /// The path of a recorded file.
    pub(super) fn actual(&self, asked: &RecordedPath) -> PathBuf {
        match asked {
            RecordedPath::Relative(way) => self.folder.join(way),
            RecordedPath::Absolute(path) => path.clone(),
        }
    }
}

/// Reads a scene and compiles its materials.
fn look(scene: &NamedScene) -> Result<Diagnostics, Diagnostics> {
    let (desc, mut warnings) = scene.clone().load()?;
    warnings.list.extend(find_inputs(&desc)?.list);
    Ok(warnings)
}
