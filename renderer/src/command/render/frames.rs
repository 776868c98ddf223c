//! Frames of an animation: one picture after another, each in files of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use shading::Diagnostic;

use super::{picture, variations};
use crate::command::kept_scene::KeptScene;
use renderer_cli::RenderArgs;
use renderer_inputs::frame_time::{numbered, of_frame};
use renderer_scene::FrameTime;
use renderer_support::interrupt::Interrupt;
use renderer_support::watch::Read;
use renderer_support::{Failure, remark};

/// Renders the frames of `--frames`, or the single picture. `read` receives the files that were read.
pub(super) fn run(args: &RenderArgs, interrupt: &Arc<Interrupt>, read: Read<'_>) -> Result<(), Failure> {
    let mut kept = KeptScene::default();
    let Some(range) = args.frames else {
        if args.resume && args.checkpoint.is_none() {
            return Err(mistake("--resume needs --checkpoint or --frames"));
        }
        return variations::run(args, &mut kept, interrupt, read);
    };
    check(args)?;
    for frame in range.frames() {
        let one = args_of(args, frame);
        let files = picture::images(&one);
        if args.resume && files.iter().all(|file| file.is_file()) {
            continue;
        }
        if !args.report.quiet {
            remark(&format!("frame {frame}"));
        }
        let written: Vec<Option<SystemTime>> = files.iter().map(|file| time_of(file)).collect();
        let rendered = variations::run(&one, &mut kept, interrupt, read);
        if interrupt.is_set() {
            // A later run with --resume keeps existing files, so that an unfinished picture must not remain.
            for (file, before) in files.iter().zip(written) {
                if time_of(file) != before {
                    let _ = fs::remove_file(file);
                }
            }
        }
        rendered?;
    }
    Ok(())
}

/// Time at which a file was written; `None` if there is no file.
fn time_of(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// Arguments of one frame.
fn args_of(args: &RenderArgs, frame: i64) -> RenderArgs {
    let numbered = |path: &PathBuf| numbered(path, frame).unwrap_or_else(|| path.clone());
    let mut one = args.clone();
    one.frames = None;
    one.request.scene.at = Some(FrameTime::Frame(frame as f64));
    one.output = args.output.iter().map(numbered).collect();
    one.checkpoint = args.checkpoint.as_ref().map(numbered);
    one.report.stats = args.report.stats.as_ref().map(numbered);
    one.resume = args.resume && args.checkpoint.is_some();
    one
}

/// Checks that the files of frames have different names.
fn check(args: &RenderArgs) -> Result<(), Failure> {
    if args.output.is_empty() {
        return Err(mistake("--frames needs -o with a name such as frame.####.exr"));
    }
    let files = args.output.iter().chain(&args.checkpoint).chain(&args.report.stats);
    for file in files {
        of_frame(file, 0)?;
    }
    if args.request.photon_map.is_some() {
        return Err(mistake("--frames does not go with --photon-map"));
    }
    // --resume keeps existing files.
    match args.write_every.is_some() {
        true => Err(mistake(
            "--frames does not go with --write-every: an unfinished picture would count as a frame",
        )),
        false => Ok(()),
    }
}

fn mistake(message: &str) -> Failure {
    Failure::of(Diagnostic::error(message))
}
