//! The unidirectional path tracer: next event estimation at every vertex, combined with BSDF sampling by MIS; splits at
//! the first surface that scatters, and is guided if asked for.
//!
//! A path may split into several branches at the first surface that scatters, and take several light samples there.
//! Where light straight from lights is known well after a few samples, time is better spent on the light that comes by
//! detours; where many lights shine, on them.

use super::collect::Collect;
use super::context::Context;
use super::direct::{bsdf_response, lit_point};
use super::directions::Directions;
use super::photon::GuideField;
use super::walk::{Limits, Walk};
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_scene::PathSettings;

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
        survival: match field {
            None => Limits::SURVIVAL,
            Some(_) => Limits::GUIDED_SURVIVAL,
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
        let goes_on = 'vertex: {
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
                // Made once, and changed in its places: copies of what has just been written stall on store forwarding.
                let branch = walk.branch(split);
                // The last is traced first.
                for number in (0..split).rev() {
                    branches.push((branch, sampler.branch(number, split)));
                    let (walk, sampler) = branches.last_mut().expect("it was just pushed");
                    let sample = directions.sample(walk, sampler);
                    let goes_on = sample.as_ref().is_some_and(|sample| {
                        walk.follow(scene, (it, &at, surface), sample, limits, sampler)
                    });
                    if !goes_on {
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
        if !goes_on {
            let Some(branch) = branches.pop() else { return };
            (walk, *sampler) = branch;
            light.next_branch();
        }
    }
}
