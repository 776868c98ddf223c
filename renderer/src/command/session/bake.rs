//! Baking into a folder.

use std::path::Path;

use super::{Scene, Stop, options};
use renderer_bake::BakeProgress;
use renderer_support::Failure;

/// Bakes a scene into a folder, with options of `kiln bake`, which replace those of the scene. `--stats` writes the
/// warnings.
///
/// # Errors
/// Mistakes in the options or in the scene; [`Failure::Interrupted`] if the work was stopped.
pub fn bake(
    scene: &Scene,
    folder: &Path,
    words: &[String],
    progress: &dyn BakeProgress,
    stop: &Stop,
) -> Result<(), Failure> {
    let own = scene.request();
    let output = format!("--output={}", folder.display());
    let mut args = options::bake(&own.path, &[words, &[output]].concat())?;
    args.scene = own.changed_by(&args.scene);
    args.report.quiet = true;
    renderer_bake_files::run_once(&args, stop.interrupt(), Some(progress), &|_| ())
}
