//! Unidirectional path tracer: next event estimation at every vertex, combined with BSDF sampling by MIS; splits at the
//! first scattering vertex and optionally samples from guides.
//!
//! At the first scattering vertex a path may split into several branches and take several light samples. Branches pay
//! off where direct light converges within a few samples and indirect light dominates the variance; light samples pay
//! off where many lights contribute.

use super::along_medium::Nothing;
use super::context::Context;
use super::direct::{bsdf_response, bsdf_shares, lit_point};
use super::directions::Directions;
use super::limits::{Horizon, Limits};
use super::path_state::PathState;
use super::photon::GuideField;
use super::stopwatch::Stage;
use crate::bsdf::{Bsdf, BsdfSample};
use crate::radiance::RadianceSink;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_geometry::Interaction;
use renderer_scene::PathSettings;

/// Tells a sink how the path goes on.
#[inline(always)]
fn tell_scattering(it: &Interaction, bsdf: &Bsdf, sample: &BsdfSample, light: &mut impl RadianceSink) {
    if sample.is_subsurface() {
        // The lobe where it leaves counts.
    } else if sample.is_null_interface() {
        light.pass_straight(it);
    } else if sample.is_specular() {
        let class = bsdf.class_of(sample.index, sample.lobe.side);
        light.scatter(it, true, |lobes| lobes.add(class, Rgb::WHITE));
    } else {
        light.scatter(it, false, |lobes| bsdf_shares(bsdf, it.wo, sample.wi, lobes));
    }
}

/// Estimates the radiance along the first ray of a path; directions are guided if `field` is set.
pub(super) fn trace(
    settings: &PathSettings,
    field: Option<&GuideField>,
    scene: &Scene,
    mut path: PathState,
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
            let horizon = Horizon {
                limits,
                emission_only: false,
                maps_only: false,
            };
            let found = path.advance(scene, horizon, &Nothing, sampler, surface, shading, stats, light);
            let Some(it) = &found else { break 'vertex false };
            let bsdf = &surface.bsdf;
            let at = lit_point(scene, it, bsdf);
            let scatters = !horizon.ends(path.depth) && !bsdf.is_specular();
            if scatters {
                let response = |wi, light_pdf| bsdf_response(bsdf, it.wo, wi, light_pdf);
                let vertex = (it, &at, &*surface);
                path.sample_lights(
                    scene,
                    vertex,
                    light_samples,
                    response,
                    |wi, _, lobes| bsdf_shares(bsdf, it.wo, wi, lobes),
                    sampler,
                    shading,
                    stats,
                    light,
                );
                light_samples = 1;
                stats.watch.lap(Stage::Light);
            }
            let directions = Directions::new(it, bsdf, field);
            if split > 1 && scatters {
                let vertex = (it, &at, &*surface);
                stats.indirect_rays +=
                    branches.split(&path.branch(split), split, sampler, |path, sampler| {
                        let sample = directions.sample(path, sampler);
                        light.fork();
                        let continues = sample.as_ref().is_some_and(|sample| {
                            tell_scattering(it, bsdf, sample, light);
                            path.follow(scene, vertex, sample, limits, sampler)
                        });
                        light.end_fork(continues);
                        continues
                    });
                split = 1;
                break 'vertex false;
            }
            let sample = directions.sample(&mut path, sampler);
            let Some(sample) = &sample else {
                break 'vertex false;
            };
            tell_scattering(it, bsdf, sample, light);
            if !path.follow(scene, (it, &at, surface), sample, limits, sampler) {
                break 'vertex false;
            }
            stats.indirect_rays += 1;
            true
        };
        if !continues && !branches.next(&mut path, sampler, light) {
            return;
        }
    }
}
