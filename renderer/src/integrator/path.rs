//! The unidirectional path tracer: next event estimation at every vertex, combined with BSDF sampling by MIS, and path guiding if asked for.

use super::collect::Collect;
use super::context::Context;
use super::direct::{bsdf_response, lit_point};
use super::directions::Directions;
use super::photon::GuideField;
use super::walk::{Limits, Walk};
use crate::sampler::Sampler;
use crate::scene::Scene;

use crate::scene::desc::PathSettings;

/// Estimates the radiance that arrives along the first ray of a path, with directions guided by `field` if there is one.
pub(super) fn trace(
    settings: &PathSettings,
    field: Option<&GuideField>,
    scene: &Scene,
    mut walk: Walk,
    sampler: &mut Sampler,
    context: &mut Context,
    light: &mut impl Collect,
) {
    let limits = Limits {
        depth: settings.depth.unwrap_or(u32::MAX),
        rr_depth: settings.rr_depth,
    };
    let Context {
        shading,
        surface,
        stats,
        ..
    } = context;
    if limits.depth == 0 {
        return;
    }
    loop {
        let ends = walk.depth >= limits.depth;
        let found = walk.advance(scene, ends, surface, shading, stats, light);
        let Some(it) = &found else { return };
        let bsdf = &surface.bsdf;
        let at = lit_point(scene, it, bsdf);
        if !ends && !bsdf.is_specular() {
            let response = |wi, light_pdf| bsdf_response(bsdf, it.wo, wi, light_pdf);
            walk.sample_lights(scene, (it, &at), response, sampler, shading, stats, light);
        }
        let sample = Directions::new(it, bsdf, field).sample(sampler);
        let Some(sample) = &sample else { return };
        if !walk.follow(scene, (it, &at), sample, limits, sampler) {
            return;
        }
        stats.indirect_rays += 1;
    }
}
