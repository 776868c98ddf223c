//! Flags of `kiln bake` that do nothing beside the others.

use shading::Diagnostic;

use crate::bake::{Include, Sides};
use crate::cli::{BakeArgs, BakeTarget, DILATION, Layout};
use crate::integrator::Integrator;

/// A warning for each flag that has no effect. `integrator` is the one that bakes.
pub(super) fn warnings(args: &BakeArgs, integrator: &Integrator) -> Vec<Diagnostic> {
    let mut list = vec![];
    let textures = [
        ("--resolution", args.resolution.is_some()),
        ("--texels-per-unit", args.texels_per_unit.is_some()),
        ("--dilation", args.dilation != DILATION),
        ("--no-unwrap", args.no_unwrap),
        ("--denoise", args.denoise),
        ("--layout", args.layout != Layout::Channels),
    ];
    let probes = [
        ("--probe-spacing", args.probe_spacing.is_some()),
        ("--probe-points", args.probe_points.is_some()),
    ];
    let surfaces = [("--sides", args.sides != Sides::Auto)];
    let mut check = |flags: &[(&str, bool)], targets: &[BakeTarget], names: &str| {
        if targets.contains(&args.target) {
            return;
        }
        for (flag, _) in flags.iter().filter(|(_, given)| *given) {
            let message = format!("{flag} has no effect on --target {}", args.target.name());
            list.push(Diagnostic::warning(message).hint(format!("it is for --target {names}")));
        }
    };
    check(&textures, &[BakeTarget::Texture], "texture");
    check(&probes, &[BakeTarget::Probes], "probes");
    check(
        &surfaces,
        &[BakeTarget::Texture, BakeTarget::Vertex],
        "texture and vertex",
    );
    let least = match args.include {
        Include::Indirect => 3,
        Include::Direct | Include::Both => 2,
    };
    if let Some(depth) = integrator.depth().filter(|&depth| depth < least) {
        let name = args.include.name();
        let message = format!("paths of depth {depth} bring no light for --include {name}: all will be black");
        list.push(Diagnostic::warning(message).hint(format!("it takes --depth {least} at least")));
    }
    list
}
