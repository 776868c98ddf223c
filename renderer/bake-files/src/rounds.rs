//! The two bakes of `--watch`: a draft, and the requested one.

use renderer_cli::BakeArgs;
use renderer_support::interrupt::Interrupt;
use renderer_support::{Failure, remark};

/// Rays of each texel, vertex or probe of the first bake after a change.
const DRAFT_RAYS: u32 = 16;

/// Runs `bake` for a draft and for the requested settings, unless a change stops the work. A bake with `--keep` needs
/// no draft.
pub(super) fn run(
    args: &BakeArgs,
    interrupt: &Interrupt,
    bake: impl Fn(&BakeArgs) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !args.keep && has_fewer_rays(args) {
        bake(&draft(args))?;
        if interrupt.is_set() {
            return Err(interrupt.failure());
        }
        if !args.report.quiet {
            remark(&format!("a draft of {DRAFT_RAYS} rays is written"));
        }
    }
    bake(args)?;
    match interrupt.is_set() {
        true => Err(interrupt.failure()),
        false => Ok(()),
    }
}

/// Returns whether a draft traces fewer rays than the final bake.
fn has_fewer_rays(args: &BakeArgs) -> bool {
    let gathers = args.include.0.is_some() && args.from.is_empty();
    let asks = |feature: &str| args.aov.iter().any(|list| list.contains(feature));
    gathers && args.samples > DRAFT_RAYS
        || (asks("ao") || asks("shadow:")) && args.ao_samples > DRAFT_RAYS
        || asks("curvature") && args.curvature_samples > DRAFT_RAYS
}

fn draft(args: &BakeArgs) -> BakeArgs {
    let mut draft = args.clone();
    draft.samples = args.samples.min(DRAFT_RAYS);
    draft.ao_samples = args.ao_samples.min(DRAFT_RAYS);
    draft.curvature_samples = args.curvature_samples.min(DRAFT_RAYS);
    draft.report.stats = None;
    // Messages are printed with the final bake.
    (draft.report.quiet, draft.report.verbose) = (true, false);
    draft
}
