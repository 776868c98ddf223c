//! Warnings about flags of `kiln bake` without effect.

use shading::Diagnostic;

use renderer_bake::Include;
use renderer_cli::{BakeArgs, BakeTarget};
use renderer_transport::integrator::Integrator;

/// Arguments that apply to some targets only.
const TARGETS: &[(&str, &[BakeTarget])] = &[
    ("resolution", &[BakeTarget::Texture]),
    ("texels_per_unit", &[BakeTarget::Texture]),
    ("max_size", &[BakeTarget::Texture]),
    ("pages", &[BakeTarget::Texture]),
    ("dilation", &[BakeTarget::Texture]),
    ("no_unwrap", &[BakeTarget::Texture]),
    ("denoise", &[BakeTarget::Texture]),
    ("layout", &[BakeTarget::Texture]),
    ("image_format", &[BakeTarget::Texture]),
    ("aov", &[BakeTarget::Texture]),
    ("textures", &[BakeTarget::Texture]),
    ("unlit", &[BakeTarget::Texture]),
    ("ao_samples", &[BakeTarget::Texture]),
    ("ao_distance", &[BakeTarget::Texture]),
    ("curvature_samples", &[BakeTarget::Texture]),
    ("curvature_radius", &[BakeTarget::Texture]),
    ("viewer", &[BakeTarget::Texture]),
    ("sides", &[BakeTarget::Texture, BakeTarget::Vertex]),
    ("probe_spacing", &[BakeTarget::Probes]),
    ("probe_points", &[BakeTarget::Probes]),
];

/// A warning for each flag that has no effect. `integrator` is the one that bakes.
pub(super) fn warnings(args: &BakeArgs, include: Include, integrator: &Integrator) -> Vec<Diagnostic> {
    let mut list = without_feature(args);
    for &(id, targets) in TARGETS {
        if args.given.iter().any(|given| given == id) && !targets.contains(&args.target) {
            let flag = id.replace('_', "-");
            let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
            let message = format!("--{flag} has no effect on --target {}", args.target.name());
            let hint = format!("it is for --target {}", names.join(" or "));
            list.push(Diagnostic::warning(message).hint(hint));
        }
    }
    let least = match include {
        Include::Indirect => 3,
        Include::Direct | Include::Both => 2,
    };
    if let Some(depth) = integrator.depth().filter(|&depth| depth < least) {
        let name = include.name();
        let message =
            format!("paths of depth {depth} bring no light for --include {name}: all will be black");
        list.push(Diagnostic::warning(message).hint(format!("it needs at least --depth {least}")));
    }
    list
}

/// Arguments that apply to bakes of light only.
const OF_LIGHT: &[&str] = &[
    "target",
    "lights",
    "sides",
    "order",
    "samples",
    "denoise",
    "layout",
    "textures",
    "unlit",
    "image_format",
    "engine",
    "integrator",
    "depth",
    "probe_spacing",
    "probe_points",
    "viewer",
    "keep",
];

/// A warning for each flag without effect on bakes of features only.
pub(super) fn surface_warnings(args: &BakeArgs) -> Vec<Diagnostic> {
    let is_given = |id: &&str| args.given.iter().any(|given| given == id);
    let warning = |id: &str| {
        // `for` is no name of a field.
        let flag = if id == "engine" { "for".to_owned() } else { id.replace('_', "-") };
        Diagnostic::warning(format!("--{flag} has no effect: no light is baked"))
    };
    let idle = OF_LIGHT.iter().copied().filter(is_given).map(warning);
    idle.chain(without_feature(args)).collect()
}

/// A warning for each flag of a feature that is not baked.
fn without_feature(args: &BakeArgs) -> Vec<Diagnostic> {
    const FLAGS: [(&str, &str); 4] = [
        ("ao_samples", "ao"),
        ("ao_distance", "ao"),
        ("curvature_samples", "curvature"),
        ("curvature_radius", "curvature"),
    ];
    // Shadows take the rays of occlusion.
    let is_of = |name: &str, feature: &str| name == feature || feature == "ao" && name.starts_with("shadow:");
    let is_asked = |feature: &str| {
        args.aov
            .iter()
            .any(|text| text.split(',').any(|name| is_of(name.trim(), feature)))
    };
    let idle = FLAGS.into_iter().filter(|(id, feature)| {
        args.target == BakeTarget::Texture && args.given.iter().any(|given| given == id) && !is_asked(feature)
    });
    idle.map(|(id, feature)| {
        Diagnostic::warning(format!("--{} has no effect without --aov {feature}", id.replace('_', "-")))
    })
    .collect()
}
