//! Next event estimation: selects a light, samples a direction towards it, tests visibility and applies the MIS weight.

use glam::Vec3;

use super::stats::Stats;
use crate::bsdf::Bsdf;
use crate::light::{LightId, LitPoint};
use crate::material::{Bodies, ShadingContext};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_geometry::Interaction;

/// A shading point for which lights are sampled.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a, F> {
    /// Position and normal, for light selection.
    pub at: &'a LitPoint,
    /// Origin of the shadow rays.
    pub end: RayEnd,
    /// The moment, in `[0,1]` of the shutter interval.
    pub time: f32,
    /// Tells the bodies that a shadow ray in a unit vector begins in; asked only where there are any.
    pub bodies: F,
}

/// Result of a light sample.
#[derive(Clone, Copy, Debug)]
pub struct DirectLight {
    /// The light.
    pub light: LightId,
    /// Unit vector towards it.
    pub wi: Vec3,
    /// Radiance times the response, divided by the density of the light sample.
    pub radiance: Rgb,
}

/// The point of a surface for light selection. Its normal is on the viewer's side; it is zero (both sides count) where
/// the BSDF transmits light.
#[inline(always)]
pub(super) fn lit_point(scene: &Scene, it: &Interaction, bsdf: &Bsdf) -> LitPoint {
    let n = if bsdf.scatters_through() {
        Vec3::ZERO
    } else if it.wo.dot(it.ng) < 0.0 {
        -it.ng
    } else {
        it.ng
    };
    let at = LitPoint::on_surface(it.p, n);
    if scene.has_light_choice() {
        with_gloss(at, bsdf)
    } else {
        at
    }
}

#[inline(never)]
fn with_gloss(at: LitPoint, bsdf: &Bsdf) -> LitPoint {
    match bsdf.glossy_lobe() {
        Some(lobe) => at.with_gloss(&lobe),
        None => at,
    }
}

/// Takes one light sample. `response` returns, for a direction and the density with which light samples choose it
/// (`None` for delta lights), f·|cos θi| times the MIS weight. Always takes three numbers from `sampler`.
// Veach 1997, "Robust Monte Carlo Methods for Light Transport Simulation", section 8.1.
#[inline]
pub fn sample_one_light(
    scene: &Scene,
    asking: Asking<'_, impl FnOnce(Vec3) -> Bodies>,
    response: impl FnOnce(Vec3, Option<f32>) -> Rgb,
    sampler: &mut Sampler,
    shading: &mut ShadingContext,
    stats: &mut Stats,
) -> Option<DirectLight> {
    let (u_light, u) = (sampler.next_choice(), sampler.next_2d());
    let chosen = scene.select_light(asking.at, u_light)?;
    let light = scene.light(chosen.light);
    // Looked at where it is written: a copy would wait for every part of it.
    let sample = light.sample_li(asking.at.p, chosen.part, chosen.u, u);
    let sample = sample.as_ref()?;
    let pdf = sample.pdf * chosen.probability;
    let f = response(sample.wi, (!sample.is_delta).then_some(pdf));
    if f.is_black() {
        return None;
    }
    let ray = Ray {
        time: asking.time,
        ..sample.shadow_ray(&asking.end)
    };
    stats.shadow_rays += 1;
    let visible = scene.transmittance(&ray, || (asking.bodies)(sample.wi), shading);
    if visible.is_black() {
        return None;
    }
    // What may take a shader's run comes last.
    let radiance = f * light.radiance(sample, asking.time, shading) * visible * (1.0 / pdf);
    Some(DirectLight {
        light: chosen.light,
        wi: sample.wi,
        radiance,
    })
}

/// What all lobes of `bsdf` make of a light sample, weighed against finding the light by sampling them.
#[inline]
pub(super) fn bsdf_response(bsdf: &Bsdf, wo: Vec3, wi: Vec3, light_pdf: Option<f32>) -> Rgb {
    let (f, bsdf_pdf) = bsdf.eval_pdf(wo, wi);
    f * light_pdf.map_or(1.0, |pdf| power_heuristic(pdf, bsdf_pdf))
}
