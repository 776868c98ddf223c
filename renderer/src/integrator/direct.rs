//! Light that reaches a point straight from a light, by choosing points of lights.

use glam::Vec3;

use super::Stats;
use crate::bsdf::Bsdf;
use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::material::ShadingContext;
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::sampling::power_heuristic;
use crate::scene::Scene;

/// The radiance that one sample of one light makes a point send towards its viewer. `response` gives, for a direction
/// and the density with which light samples choose it (`None` when nothing else could), f·|cos θi| weighed against
/// finding the light in other ways. Takes three numbers of `sampler`, whatever comes out.
// Veach 1997, "Robust Monte Carlo Methods for Light Transport Simulation", section 8.1.
#[inline]
pub(super) fn sample_one_light(
    scene: &Scene,
    it: &Interaction,
    response: impl FnOnce(Vec3, Option<f32>) -> Rgb,
    sampler: &mut Sampler,
    shading: &mut ShadingContext,
    stats: &mut Stats,
) -> Rgb {
    let (u_light, u) = (sampler.next_choice(), sampler.next_2d());
    let Some((light, probability, u_primitive)) = scene.select_light(u_light) else {
        return Rgb::BLACK;
    };
    // Looked at where it is written: a copy would wait for every part of it.
    let sample = light.sample_li(it.p, u_primitive, u);
    let Some(sample) = &sample else {
        return Rgb::BLACK;
    };
    let pdf = sample.pdf * probability;
    let f = response(sample.wi, (!sample.is_delta).then_some(pdf));
    if f.is_black() {
        return Rgb::BLACK;
    }
    let ray = Ray {
        time: it.time,
        ..sample.shadow_ray(&it.ray_end())
    };
    stats.shadow_rays += 1;
    let visible = scene.transmittance(&ray, shading);
    if visible.is_black() {
        return Rgb::BLACK;
    }
    // What may take a shader's run comes last.
    f * light.radiance(sample, it.time, shading) * visible * (1.0 / pdf)
}

/// What all lobes of `bsdf` make of a light sample, weighed against finding the light by sampling them.
#[inline]
pub(super) fn bsdf_response(bsdf: &Bsdf, wo: Vec3, wi: Vec3, light_pdf: Option<f32>) -> Rgb {
    let (f, bsdf_pdf) = bsdf.eval_pdf(wo, wi);
    f * light_pdf.map_or(1.0, |pdf| power_heuristic(pdf, bsdf_pdf))
}
