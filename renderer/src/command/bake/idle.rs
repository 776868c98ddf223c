//! Warnings about flags of `kiln bake` without effect.

use shading::Diagnostic;

use crate::cli::{BakeArgs, BakeTarget};
use renderer_bake::Include;
use renderer_transport::integrator::Integrator;

/// Arguments that are for some targets alone.
const TARGETS: [(&str, &[BakeTarget]); 10] = [
    ("resolution", &[BakeTarget::Texture]),
    ("texels_per_unit", &[BakeTarget::Texture]),
    ("dilation", &[BakeTarget::Texture]),
    ("no_unwrap", &[BakeTarget::Texture]),
    ("denoise", &[BakeTarget::Texture]),
    ("layout", &[BakeTarget::Texture]),
    ("aov", &[BakeTarget::Texture]),
    ("sides", &[BakeTarget::Texture, BakeTarget::Vertex]),
    ("probe_spacing", &[BakeTarget::Probes]),
    ("probe_points", &[BakeTarget::Probes]),
];

/// A warning for each flag that has no effect. `integrator` is the one that bakes.
pub(super) fn warnings(args: &BakeArgs, integrator: &Integrator) -> Vec<Diagnostic> {
    let mut list = vec![];
    for (id, targets) in TARGETS {
        if args.given.iter().any(|given| given == id) && !targets.contains(&args.target) {
            let flag = id.replace('_', "-");
            let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
            let message = format!("--{flag} has no effect on --target {}", args.target.name());
            let hint = format!("it is for --target {}", names.join(" or "));
            list.push(Diagnostic::warning(message).hint(hint));
        }
    }
    let least = match args.include {
        Include::Indirect => 3,
        Include::Direct | Include::Both => 2,
    };
    if let Some(depth) = integrator.depth().filter(|&depth| depth < least) {
        let name = args.include.name();
        let message =
            format!("paths of depth {depth} bring no light for --include {name}: all will be black");
        list.push(Diagnostic::warning(message).hint(format!("it takes --depth {least} at least")));
    }
    list
}
