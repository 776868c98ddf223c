//! Baking into a folder.

use std::path::Path;

use super::{Scene, Stop};
use renderer_bake::BakeProgress;
use renderer_bake_files::{BakeStatistics, run_once};
use renderer_cli::{BakeArgs, ReportArgs};
use renderer_inputs::bake_request::BakeRequest;
use renderer_support::Failure;

/// Bakes a scene into a folder. Values of the request's scene replace those of `scene`; its file and sources are the
/// scene's.
///
/// # Errors
/// Mistakes in the request or in the scene; [`Failure::Interrupted`] if the work was stopped.
pub fn bake(
    scene: &Scene,
    folder: &Path,
    request: &BakeRequest,
    progress: &dyn BakeProgress,
    stop: &Stop,
) -> Result<BakeStatistics, Failure> {
    request.check()?;
    let args = BakeArgs {
        output: Some(folder.to_owned()),
        request: BakeRequest {
            scene: scene.request().changed_by(&request.scene),
            ..request.clone()
        },
        report: ReportArgs { quiet: true, ..ReportArgs::default() },
        ..BakeArgs::default()
    };
    let baked = run_once(&args, stop.interrupt(), Some(progress), &|_| ())?;
    baked.ok_or_else(|| stop.interrupt().failure())
}
