//! The two bakes of `--watch`: a draft, and the requested one.

use renderer_cli::{BakeArgs, ReportArgs};
use renderer_inputs::bake_request::BakeRequest;
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
    if !args.request.keep && has_fewer_rays(&args.request) {
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
fn has_fewer_rays(request: &BakeRequest) -> bool {
    let asks = |feature: &str| request.aov.iter().any(|list| list.contains(feature));
    request.light().is_some() && request.samples() > DRAFT_RAYS
        || (asks("ao") || asks("shadow:")) && request.ao_samples() > DRAFT_RAYS
        || asks("curvature") && request.curvature_samples() > DRAFT_RAYS
}

fn draft(args: &BakeArgs) -> BakeArgs {
    let mut draft = args.clone();
    let request = &mut draft.request;
    let of_draft = |rays: u32| Some(rays.min(DRAFT_RAYS));
    request.samples = of_draft(request.samples());
    request.ao_samples = of_draft(request.ao_samples());
    request.curvature_samples = of_draft(request.curvature_samples());
    // Messages are printed with the final bake.
    draft.report = ReportArgs { quiet: true, ..ReportArgs::default() };
    draft
}
