//! Frames of an animation: one bake after another, each in a folder of its own.

use std::path::Path;

use shading::Diagnostic;

use super::folder::is_finished;
use renderer_cli::BakeArgs;
use renderer_inputs::frame_time::of_frame;
use renderer_scene::FrameTime;
use renderer_support::{Failure, remark};

/// Calls `bake` for each frame of `--frames`, or once without it.
pub(super) fn run(args: &BakeArgs, bake: impl Fn(&BakeArgs) -> Result<(), Failure>) -> Result<(), Failure> {
    let Some(range) = args.frames else {
        return match args.resume && args.checkpoint.is_none() {
            true => Err(Failure::of(Diagnostic::error("--resume needs --checkpoint or --frames"))),
            false => bake(args),
        };
    };
    for frame in range.frames() {
        let one = args_of(args, frame)?;
        if args.resume && one.output.as_deref().is_some_and(is_finished) {
            continue;
        }
        if !args.report.quiet {
            remark(&format!("frame {frame}"));
        }
        bake(&one)?;
    }
    Ok(())
}

/// Arguments of one frame, whose folder and files have its number.
fn args_of(args: &BakeArgs, frame: i64) -> Result<BakeArgs, Failure> {
    let numbered = |path: Option<&Path>| path.map(|path| of_frame(path, frame)).transpose();
    let mut one = args.clone();
    one.frames = None;
    one.request.scene.at = Some(FrameTime::Frame(frame as f64));
    one.output = numbered(args.output.as_deref())?;
    one.checkpoint = numbered(args.checkpoint.as_deref())?;
    one.report.stats = numbered(args.report.stats.as_deref())?;
    one.resume = args.resume && args.checkpoint.is_some();
    Ok(one)
}
