//! `--watch`: the picture is rendered again when a file changes that was read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::picture::images;
use super::variations;
use crate::cli::RenderArgs;
use crate::command::file_watch::FileWatch;
use crate::command::interrupt::Interrupt;
use crate::command::{Failure, remark};

/// Samples of the first picture after a change.
const FIRST: u32 = 2;

/// Interval at which the picture that follows is written.
const WRITE: Duration = Duration::from_secs(1);

/// Renders the picture, and again after each change, until a signal comes.
pub(super) fn run(args: &RenderArgs, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let old_work = interrupt.clone();
    // A change ends the work in flight.
    let mut watch = FileWatch::start(&args.common.scene, move || old_work.stop_old_work())?;
    if watch.is_idle() {
        return Err(Failure::User(
            "error: --watch: there is no file that could change".to_owned(),
        ));
    }
    loop {
        let start = Instant::now();
        let rendered = rounds(&watch, args, interrupt);
        watch.set_broken(matches!(rendered, Err(Failure::User(_) | Failure::Mistakes(_))));
        match rendered {
            Ok(()) if !args.common.quiet => {
                let names: Vec<String> = images(args)
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect();
                let seconds = start.elapsed().as_secs_f64();
                remark(&format!(
                    "{} after {seconds:.1} s; waiting for a change",
                    names.join(", ")
                ));
            }
            Err(failure @ (Failure::User(_) | Failure::Mistakes(_))) => remark(&failure),
            Ok(()) | Err(Failure::Interrupted(_)) => {}
        }
        watch.follow()?;
        interrupt.renew(true)?;
        watch.wait();
        interrupt.renew(false)?;
    }
}

/// The picture that is there at once.
fn first_round(args: &RenderArgs) -> RenderArgs {
    let mut first = args.clone();
    (first.noise, first.quality, first.time) = (None, None, None);
    first.min_spp = None;
    first.spp = Some(args.spp.map_or(FIRST, |spp| spp.min(FIRST)));
    first.common.stats = None;
    first.common.verbose = false;
    first
}

/// The picture that is asked for. What is to be said was said with the first.
fn full_round(args: &RenderArgs) -> RenderArgs {
    let mut full = args.clone();
    if args.stage.variations.is_empty() {
        full.write_every = args.write_every.or(Some(WRITE));
    }
    full
}

/// Renders the first picture and the full one, unless a change ends the work.
fn rounds(watch: &FileWatch, args: &RenderArgs, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let read = |files: Vec<PathBuf>| watch.add(files);
    for args in [first_round(args), full_round(args)] {
        variations::run(&args, interrupt, &read)?;
        if interrupt.is_set() {
            return Err(interrupt.failure());
        }
    }
    Ok(())
}
