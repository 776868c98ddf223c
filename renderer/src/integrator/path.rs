//! The path tracer: one path from the camera, with a light sample at every hit and both ways to find a light combined.
//!
//! Depth counts the segments of a path from the camera: one shows what emits, two add direct light. A surface that lets
//! the path straight through is no hit: it costs no depth, and light samples look through it as well.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use super::Context;
use super::direct::{bsdf_response, sample_one_light};
use super::walk::{Arrival, MAX_SURVIVAL, Start, kind_of, scattered};
use crate::color::Rgb;
use crate::material::RayKind;
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::scene::{MAX_PASSES, Scene};

use crate::scene::desc::PathSettings;

/// An estimate of the radiance that arrives along a ray.
pub(super) fn li(
    settings: &PathSettings,
    scene: &Scene,
    start: &Start,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Rgb {
    let max_depth = settings.depth.unwrap_or(u32::MAX);
    let mut radiance = Rgb::BLACK;
    let mut throughput = Rgb::WHITE;
    // The square of the index of refraction where the path is: throughput falls by it on entering glass and comes back.
    let mut eta2 = 1.0;
    let mut ray = start.ray;
    let mut ray_kind = start.kind;
    let mut footprint = start.footprint;
    let mut arrival = Arrival::first(&ray);
    let mut sees_lights = start.emission;
    let (mut depth, mut passes) = (1, 0);
    let Context {
        shading,
        surface,
        stats,
        ..
    } = context;
    if max_depth == 0 {
        return radiance;
    }
    loop {
        // Looked at where it is written, as other large results below: a copy would wait for every part of it.
        let found = scene.intersect(&ray);
        let Some(it) = &found else {
            if sees_lights && !(start.hides_sky && depth == 1) {
                for light in scene.escape(ray.direction) {
                    radiance += throughput * light.radiance * arrival.weight(|_| light.pdf);
                }
            }
            return radiance;
        };

        // What the surface is.
        let material = scene.material(it.shape);
        if depth >= max_depth && !material.may_emit() && !material.may_be_transparent() {
            return radiance;
        }
        stats.shading_runs += 1;
        material.shade(it, ray_kind, &footprint, shading, surface);
        stats.crowded_points += u64::from(surface.crowded);

        // Emission.
        if sees_lights && !surface.emission.is_black() {
            radiance += throughput * surface.emission * arrival.weight(|p| scene.light_pdf(p, it));
        }

        // Light samples.
        let bsdf = &surface.bsdf;
        if depth < max_depth && !bsdf.is_specular() {
            let response = |wi, light_pdf| bsdf_response(bsdf, it.wo, wi, light_pdf);
            radiance += throughput * sample_one_light(scene, it, response, sampler, shading, stats);
        }

        // The next direction.
        let (u_lobe, u) = (sampler.next_1d(), sampler.next_2d());
        let sample = bsdf.sample(it.wo, u_lobe, u);
        let Some(sample) = &sample else {
            return radiance;
        };
        throughput *= sample.weight;
        if throughput.is_black() {
            return radiance;
        }
        if sample.is_pass() {
            passes += 1;
            if passes > MAX_PASSES {
                return radiance;
            }
            ray_kind = RayKind(ray_kind.0 | RayKind::TRANSPARENT.0);
            footprint = footprint.passed(it.t);
            // The same line goes on: where it came from stays what it was.
            ray = Ray {
                t_max: ray.t_max - it.t,
                ..it.spawn_ray(ray.direction)
            };
        } else {
            if depth >= max_depth {
                return radiance;
            }
            depth += 1;
            sees_lights = true;
            eta2 *= sample.eta * sample.eta;
            ray_kind = kind_of(sample.lobe);
            footprint = scattered(&footprint, scene, it, sample);
            arrival = Arrival {
                p: it.p,
                pdf: (!sample.is_specular()).then_some(sample.pdf),
            };
            ray = it.spawn_ray(sample.wi);

            // Russian roulette.
            if depth > settings.rr_depth {
                let survival = (throughput.max_component() * eta2).min(MAX_SURVIVAL);
                if sampler.next_1d() >= survival {
                    return radiance;
                }
                throughput *= 1.0 / survival;
            }
        }
        stats.indirect_rays += 1;
    }
}
