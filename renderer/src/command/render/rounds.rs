//! The two pictures of `--watch`: a fast first one, and the requested one.

use std::sync::Arc;
use std::time::Duration;

use super::variations;
use crate::command::kept_scene::KeptScene;
use renderer_cli::RenderArgs;
use renderer_support::Failure;
use renderer_support::interrupt::Interrupt;
use renderer_support::watch::Read;

/// Samples of the first picture after a change.
const FIRST_SAMPLES: u32 = 2;

/// Interval at which the picture that follows is written.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// The first picture after a change.
fn first_round(args: &RenderArgs) -> RenderArgs {
    let mut first = args.clone();
    let request = &mut first.request;
    (request.noise, request.quality, request.time) = (None, None, None);
    request.min_spp = None;
    request.spp = Some(request.spp.map_or(FIRST_SAMPLES, |spp| spp.min(FIRST_SAMPLES)));
    first.report.stats = None;
    first.report.verbose = false;
    first
}

/// The requested picture. Messages are printed with the first one.
fn full_round(args: &RenderArgs) -> RenderArgs {
    let mut full = args.clone();
    if args.request.stage.variations.is_empty() {
        full.write_every = args.write_every.or(Some(WRITE_INTERVAL));
    }
    full
}

/// Renders the first picture and the full one, unless a change ends the work.
pub(super) fn run(args: &RenderArgs, interrupt: &Arc<Interrupt>, read: Read<'_>) -> Result<(), Failure> {
    let mut kept = KeptScene::default();
    for args in [first_round(args), full_round(args)] {
        variations::run(&args, &mut kept, interrupt, read)?;
        if interrupt.is_set() {
            return Err(interrupt.failure());
        }
    }
    Ok(())
}
