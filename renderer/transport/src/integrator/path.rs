//! Unidirectional path tracer: next event estimation at every vertex, combined with BSDF sampling by MIS; splits at the
//! first scattering vertex and optionally samples from guides.
//!
//! At the first scattering vertex a path may split into several branches and take several light samples. Branches pay
//! off where direct light converges within a few samples and indirect light dominates the variance; light samples pay
//! off where many lights contribute.

use super::context::Context;
use super::direct::{bsdf_response, lit_point};
use super::directions::Directions;
use super::path_state::{Limits, PathState};
use super::photon::GuideField;
use super::radiance_sink::RadianceSink;
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_scene::PathSettings;

/// Estimates the radiance along the first ray of a path; directions are guided if `field` is set.
pub(super) fn trace(
    settings: &PathSettings,
    field: Option<&GuideField>,
    scene: &Scene,
    mut walk: PathState,
    sampler: &mut Sampler,
    context: &mut Context,
    light: &mut impl RadianceSink,
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
    let mut split = settings.split.unwrap_or(1);
    let mut light_samples = settings.light_samples.unwrap_or(1);
    let Context {
        shading,
        surface,
        branches,
        stats,
        ..
    } = context;
    loop {
        let continues = 'vertex: {
            let ends = walk.depth >= limits.depth;
            let found = walk.advance(scene, ends, surface, shading, stats, light);
            let Some(it) = &found else { break 'vertex false };
            let bsdf = &surface.bsdf;
            let at = lit_point(scene, it, bsdf);
            let scatters = !ends && !bsdf.is_specular();
            if scatters {
                let response = |wi, light_pdf| bsdf_response(bsdf, it.wo, wi, light_pdf);
                let place = (it, &at, &*surface);
                walk.sample_lights(
                    scene,
                    place,
                    light_samples,
                    response,
                    sampler,
                    shading,
                    stats,
                    light,
                );
                light_samples = 1;
            }
            let directions = Directions::new(it, bsdf, field);
            if split > 1 && scatters {
                // Copied once and then modified in place: copying what has just been written stalls on store
                // forwarding.
                let branch = walk.branch(split);
                // Pushed in reverse order: the stack yields the first branch first.
                for number in (0..split).rev() {
                    branches.push((branch, sampler.branch(number, split)));
                    let (walk, sampler) = branches.last_mut().expect("it was just pushed");
                    let sample = directions.sample(walk, sampler);
                    let continues = sample.as_ref().is_some_and(|sample| {
                        walk.follow(scene, (it, &at, surface), sample, limits, sampler)
                    });
                    if !continues {
                        branches.pop();
                    }
                }
                stats.indirect_rays += branches.len() as u64;
                split = 1;
                break 'vertex false;
            }
            let sample = directions.sample(&mut walk, sampler);
            let Some(sample) = &sample else {
                break 'vertex false;
            };
            if !walk.follow(scene, (it, &at, surface), sample, limits, sampler) {
                break 'vertex false;
            }
            stats.indirect_rays += 1;
            true
        };
        if !continues {
            let Some(branch) = branches.pop() else { return };
            (walk, *sampler) = branch;
            light.next_branch();
        }
    }
}
