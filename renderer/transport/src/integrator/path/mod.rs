//! Unidirectional path tracer: next event estimation at every vertex, combined with BSDF sampling by MIS; splits at the
//! first scattering vertex and optionally samples from guides.
//!
//! At the first scattering vertex a path may split into several branches and take several light samples. Branches pay
//! if direct light converges within a few samples and indirect light dominates the variance; light samples pay if many
//! lights contribute.

pub(crate) mod direct;
mod equiangular;
pub(crate) mod guided;
pub(crate) mod limits;
mod linked;
mod medium;
pub(crate) mod splitting;
pub(crate) mod state;
pub(crate) mod subsurface;
mod subsurface_volume;

use super::context::Context;
use super::photon::GuideField;
use super::stopwatch::Stage;
use super::tracer::Tracer;
use crate::radiance::{BranchEvent, LobeShares, RadianceSink};
use crate::scene::Scene;
use direct::{bsdf_response, bsdf_shares, lit_point, visible_shares};
use guided::DirectionSampling;
use limits::{Limits, VertexRequest};
use renderer_base::sampler::Sampler;
use renderer_scene::PathSettings;
use state::PathState;

/// Estimates the radiance along the first ray of a path; directions are guided if `field` is set.
pub(super) fn trace(
    settings: &PathSettings,
    field: Option<&GuideField>,
    scene: &Scene,
    mut path: PathState,
    sampler: &mut Sampler,
    context: &mut Context,
    sink: &mut impl RadianceSink,
) {
    let limits = Limits {
        depth: settings.depth.unwrap_or(u32::MAX),
        rr_depth: settings.rr_depth,
        rr_scale: match field {
            None => Limits::RR_SCALE,
            Some(_) => Limits::GUIDED_RR_SCALE,
        },
    };
    if limits.depth == 0 {
        return;
    }
    let request = VertexRequest { limits, emission_only: false, maps_only: false };
    let mut split = settings.split.unwrap_or(1);
    let mut light_samples = settings.light_samples.unwrap_or(1);
    let Context { shading, surface, branches, stats, nearest, .. } = context;
    let mut tracer = Tracer { scene, sampler, shading, stats, nearest, sink };
    loop {
        let continues = 'vertex: {
            // Intersection, shading and emission.
            let hit = path.advance(request, None, surface, &mut tracer);
            let Some(it) = &hit else { break 'vertex false };
            let bsdf = &surface.bsdf;
            let at = lit_point(scene, it, bsdf);
            let shares = |wi, lobes: &mut LobeShares| bsdf_shares(bsdf, it.wo, wi, lobes);

            // Direct light.
            let scatters = !request.ends(path.depth) && !bsdf.is_specular();
            if scatters {
                path.sample_lights(
                    (it, &at, &*surface),
                    light_samples,
                    |direction| bsdf_response(bsdf, it.wo, direction),
                    |direction, lobes| visible_shares(bsdf, it.wo, direction, lobes),
                    &mut tracer,
                );
                light_samples = 1;
                tracer.stats.watch.lap(Stage::Light);
            }

            // Splitting at the first scattering vertex.
            let directions = DirectionSampling::new(it, bsdf, field);
            let vertex = (it, &at, &*surface);
            if split > 1 && scatters {
                let sink = &mut *tracer.sink;
                tracer.stats.indirect_rays +=
                    branches.split(&path.branch(split), split, tracer.sampler, |path, sampler| {
                        let sample = directions.sample(path, sampler);
                        sink.branch(BranchEvent::Fork);
                        let continues = sample.as_ref().is_some_and(|sample| {
                            sink.scatter_by(it, bsdf, sample, |lobes| shares(sample.wi, lobes));
                            path.follow(scene, vertex, sample, limits, sampler)
                        });
                        sink.branch(BranchEvent::EndFork { continues });
                        continues
                    });
                split = 1;
                break 'vertex false;
            }

            // BSDF or guide sampling, Russian roulette.
            let sample = directions.sample(&mut path, tracer.sampler);
            let Some(sample) = &sample else {
                break 'vertex false;
            };
            tracer.sink.scatter_by(it, bsdf, sample, |lobes| shares(sample.wi, lobes));
            if !path.follow(scene, vertex, sample, limits, tracer.sampler) {
                break 'vertex false;
            }
            tracer.stats.indirect_rays += 1;
            true
        };
        if !continues && !branches.next(&mut path, tracer.sampler, tracer.sink) {
            return;
        }
    }
}
