//! Baking into a folder.

use std::path::Path;

use super::{Scene, Stop, options};
use renderer_bake::BakeProgress;
use renderer_support::Failure;

/// Bakes a scene into a folder, with the options of `kiln bake` and those of the scene. `--stats` writes the warnings.
///
/// # Errors
/// Mistakes in the options or in the scene; [`Failure::Interrupted`] when the work was stopped.
pub fn bake(
    scene: &Scene,
    folder: &Path,
    words: &[String],
    progress: &dyn BakeProgress,
    stop: &Stop,
) -> Result<(), Failure> {
    let folder = format!("--output={}", folder.display());
    let mut words = options::over(scene.options(), words);
    words.push(folder);
    let mut args = options::bake(scene.path(), &words)?;
    args.common.text = scene.text();
    args.common.quiet = true;
    renderer_bake_files::run_once(&args, stop.interrupt(), Some(progress), &|_| ())
}
