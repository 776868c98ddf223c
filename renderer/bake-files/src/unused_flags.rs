//! Warnings about flags of `kiln bake` without effect.

use shading::Diagnostic;

use renderer_bake::Include;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget};
use renderer_inputs::names::name_of;
use renderer_transport::integrator::Integrator;

/// An option of a bake.
struct Flag {
    name: &'static str,
    is_given: fn(&BakeRequest) -> bool,
    /// Targets that it affects.
    targets: &'static [BakeTarget],
    /// Feature that it affects, if only one.
    feature: Option<&'static str>,
    /// True if it affects baked light only.
    is_of_light: bool,
}

/// Targets of most options.
const TEXTURE: &[BakeTarget] = &[BakeTarget::Texture];
const SURFACES: &[BakeTarget] = &[BakeTarget::Texture, BakeTarget::Vertex];
const PROBES: &[BakeTarget] = &[BakeTarget::Probes];
const ALL: &[BakeTarget] = &[BakeTarget::Texture, BakeTarget::Vertex, BakeTarget::Probes];

type IsGiven = fn(&BakeRequest) -> bool;

/// An option that affects light and features of surfaces.
const fn flag(name: &'static str, is_given: IsGiven) -> Flag {
    Flag {
        name,
        is_given,
        targets: TEXTURE,
        feature: None,
        is_of_light: false,
    }
}

/// An option of a feature.
const fn feature(name: &'static str, feature: &'static str, is_given: IsGiven) -> Flag {
    Flag { feature: Some(feature), ..flag(name, is_given) }
}

/// An option that affects baked light only.
const fn light(name: &'static str, targets: &'static [BakeTarget], is_given: IsGiven) -> Flag {
    Flag { targets, is_of_light: true, ..flag(name, is_given) }
}

/// The options that do not affect all bakes.
const FLAGS: &[Flag] = &[
    light("target", ALL, |r| r.target.is_some()),
    light("lights", ALL, |r| !r.lights.is_empty()),
    light("order", ALL, |r| r.order.is_some()),
    light("samples", ALL, |r| r.samples.is_some()),
    light("for", ALL, |r| r.engine.is_some()),
    light("integrator", ALL, |r| r.scene.integrator.is_some()),
    light("depth", ALL, |r| r.scene.depth.is_some()),
    light("keep", ALL, |r| r.keep),
    flag("resolution", |r| r.resolution.is_some()),
    flag("texels-per-unit", |r| r.texels_per_unit.is_some()),
    flag("max-size", |r| r.max_size.is_some()),
    flag("pages", |r| r.pages.is_some()),
    flag("dilation", |r| r.dilation.is_some()),
    flag("no-unwrap", |r| r.no_unwrap),
    light("denoise", TEXTURE, |r| r.denoise.is_some()),
    light("layout", TEXTURE, |r| r.layout.is_some()),
    light("image-format", TEXTURE, |r| r.image_format.is_some()),
    flag("aov", |r| !r.aov.is_empty()),
    light("textures", TEXTURE, |r| r.textures.is_some()),
    light("unlit", TEXTURE, |r| r.unlit),
    feature("ao-samples", "ao", |r| r.ao_samples.is_some()),
    feature("ao-distance", "ao", |r| r.ao_distance.is_some()),
    feature("curvature-samples", "curvature", |r| r.curvature_samples.is_some()),
    feature("curvature-radius", "curvature", |r| r.curvature_radius.is_some()),
    light("viewer", TEXTURE, |r| r.viewer),
    light("sides", SURFACES, |r| r.sides.is_some()),
    light("probe-spacing", PROBES, |r| r.probe_spacing.is_some()),
    light("probe-points", PROBES, |r| r.probe_points.is_some()),
];

/// A warning for each flag that has no effect. `integrator` is the one that bakes.
pub(super) fn warnings(request: &BakeRequest, include: Include, integrator: &Integrator) -> Vec<Diagnostic> {
    let target = request.target();
    let mut list = without_feature(request);
    for flag in given(request).filter(|flag| !flag.targets.contains(&target)) {
        let names: Vec<String> = flag.targets.iter().map(name_of).collect();
        let message = format!("--{} has no effect on --target {}", flag.name, name_of(&target));
        let hint = format!("it is for --target {}", names.join(" or "));
        list.push(Diagnostic::warning(message).hint(hint));
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

/// The flags of a request.
fn given(request: &BakeRequest) -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().filter(|flag| (flag.is_given)(request))
}

/// A warning for each flag without effect on bakes of features only.
pub(super) fn surface_warnings(request: &BakeRequest) -> Vec<Diagnostic> {
    let warning =
        |flag: &Flag| Diagnostic::warning(format!("--{} has no effect: no light is baked", flag.name));
    let idle = given(request).filter(|flag| flag.is_of_light).map(warning);
    idle.chain(without_feature(request)).collect()
}

/// A warning for each flag of a feature that is not baked.
fn without_feature(request: &BakeRequest) -> Vec<Diagnostic> {
    // Shadows take the rays of occlusion.
    let is_of = |name: &str, feature: &str| name == feature || feature == "ao" && name.starts_with("shadow:");
    let names = || request.aov.iter().flat_map(|text| text.split(','));
    let of_features = given(request).filter_map(|flag| Some((flag.name, flag.feature?)));
    let idle = of_features.filter(|(_, feature)| {
        request.target() == BakeTarget::Texture && !names().any(|name| is_of(name.trim(), feature))
    });
    idle.map(|(name, feature)| Diagnostic::warning(format!("--{name} has no effect without --aov {feature}")))
        .collect()
}
