//! Next event estimation: selects a light, samples a direction towards it, tests visibility, applies the MIS weight.

use glam::Vec3;

use super::state::{PathState, PathVertex};
use crate::bsdf::Bsdf;
use crate::integrator::stats::Stats;
use crate::integrator::stopwatch::Stage;
use crate::integrator::tracer::Tracer;
use crate::interior::InteriorList;
use crate::light::{LightId, LightSampleContext, LightViewer};
use crate::material::ShadingContext;
use crate::radiance::{BranchEvent, Contribution, LightSource, LobeShares, RadianceSink};
use crate::scene::{Scene, ShadowOrigin, ShadowRay};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_geometry::Interaction;
use renderer_scene::LightVisibility;

/// Inputs of a direct light sample at a shading point.
#[derive(Clone, Copy, Debug)]
pub struct DirectLightQuery<'a, F> {
    /// Reference point (position and normal) for light selection.
    pub at: &'a LightSampleContext,
    /// Origin of the shadow rays.
    pub end: RayEnd,
    /// Time as a fraction of the shutter interval, in `[0,1]`.
    pub time: f32,
    /// Number of scattering events of the path, the one at this point included.
    pub depth: u32,
    /// Computes the interior list at the start of a shadow ray with the given unit direction; called only in scenes
    /// with media.
    pub interior: F,
    /// The surface at the origin; `None` in a medium.
    pub surface: Option<ShadowOrigin<'a>>,
}

/// Shadow ray and unoccluded contribution of a light sample, for passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shadowed {
    /// The shadow ray; `None` if no light was sampled.
    pub ray: Option<Ray>,
    /// Contribution without MIS weight and occlusion, and the occluded part of it.
    pub unoccluded: [Rgb; 2],
}

/// Direction of a light sample at a shading point.
#[derive(Clone, Copy, Debug)]
pub struct LightDirection {
    /// Unit vector towards the light.
    pub wi: Vec3,
    /// Density of light sampling for the MIS weight [1/sr]; `None` if BSDF sampling does not find the light.
    pub pdf: Option<f32>,
    /// Lobes that receive the light.
    pub visible_to: LightVisibility,
}

/// Result of a light sample.
#[derive(Clone, Copy, Debug)]
pub struct DirectLight {
    /// Sampled light.
    pub light: LightId,
    /// Direction of the light.
    pub direction: LightDirection,
    /// Contribution: incident radiance times the response, divided by the density of the light sample.
    pub radiance: Rgb,
}

/// Returns the light-sampling reference point of a surface hit. Its normal is on the viewer's side; it is zero (both
/// sides count) where the BSDF transmits light.
#[inline(always)]
pub(crate) fn lit_point(scene: &Scene, it: &Interaction, bsdf: &Bsdf) -> LightSampleContext {
    let n = if bsdf.scatters_through() {
        Vec3::ZERO
    } else if it.wo.dot(it.ng) < 0.0 {
        -it.ng
    } else {
        it.ng
    };
    let at = LightSampleContext::on_surface(it.p, n).of_receiver(scene.receiver_class(it.shape));
    if scene.has_light_choice() { with_gloss(at, bsdf) } else { at }
}

#[inline(never)]
fn with_gloss(at: LightSampleContext, bsdf: &Bsdf) -> LightSampleContext {
    match bsdf.glossy_lobe() {
        Some(lobe) => at.with_gloss(&lobe),
        None => at,
    }
}

/// Takes one light sample. `response` returns f·|cos θi| of the lobes that receive the light, times the MIS weight.
/// `shadowed` receives values for passes, also if the light
/// is occluded. Always consumes three numbers of `sampler`.
// Veach 1997, "Robust Monte Carlo Methods for Light Transport Simulation", section 8.1.
#[inline]
pub fn sample_one_light(
    scene: &Scene,
    query: DirectLightQuery<'_, impl FnOnce(Vec3) -> InteriorList>,
    response: impl Fn(LightDirection) -> Rgb,
    sampler: &mut Sampler,
    shading: &mut ShadingContext,
    stats: &mut Stats,
    shadowed: Option<&mut Shadowed>,
) -> Option<DirectLight> {
    let (u_light, u) = (sampler.next_choice(), sampler.next_2d());
    let chosen = scene.select_light(query.at, u_light)?;
    let light = scene.light(chosen.light);
    // Borrowed in place: a copy would stall on store forwarding.
    let viewer = LightViewer { p: query.at.p, time: query.time, depth: query.depth };
    let sample = light.sample_li(&viewer, chosen.part, chosen.u, u);
    let sample = sample.as_ref()?;
    let pdf = sample.pdf * chosen.probability;
    let link = scene.link(chosen.light);
    let direction = LightDirection {
        wi: sample.wi,
        pdf: (!sample.is_delta && !link.is_sampled_only()).then_some(pdf),
        visible_to: link.visible_to,
    };
    let f = response(direction);
    if f.is_black() {
        return None;
    }
    let ray_from = |end: &RayEnd| Ray { time: query.time, ..sample.shadow_ray(end) };
    let has_bodies = !scene.bodies().is_empty();
    let shadow_ray = |ray: Ray, from: Vec3| {
        let target = sample.end().filter(|_| scene.has_contacts());
        ShadowRay {
            gaps: match has_bodies {
                true => [ray.gap_from(from), target.map_or(0.0, |end| ray.gap_to(end.p))],
                false => [0.0; 2],
            },
            target: target.zip(light.shape()),
            blockers: link.blockers,
            ..ShadowRay::new(ray, query.depth, sampler.rng_seed())
        }
    };
    stats.shadow_rays += 1;
    stats.watch.lap(Stage::Light);
    let (ray, visible) = match query.surface.filter(|from| from.may_touch(sample.wi)) {
        None => {
            let (ray, interior) = (ray_from(&query.end), || (query.interior)(sample.wi));
            let shadow = || shadow_ray(ray, query.end.p);
            (ray, scene.shadow_transmittance(&ray, link.blockers, shadow, interior, shading))
        }
        Some(from) => {
            let mut interior = match has_bodies {
                true => (query.interior)(sample.wi),
                false => InteriorList::NONE,
            };
            let vertex = (query.depth, link.blockers);
            let (end, passed) = scene.shadow_start(&from, sample.wi, vertex, &mut interior, shading);
            let ray = ray_from(&end);
            let shadow = || shadow_ray(ray, end.p);
            let visible = match passed.is_black() {
                true => passed,
                false => {
                    passed * scene.shadow_transmittance(&ray, link.blockers, shadow, || interior, shading)
                }
            };
            (ray, visible)
        }
    };
    stats.watch.lap(Stage::Shadow);
    stats.watch.query(|| scene.unoccluded(&ray));
    if visible.is_black() && shadowed.is_none() {
        return None;
    }
    // Emission is evaluated last, since it may run a shader.
    let emitted = light.radiance(sample, &viewer, shading);
    let radiance = f * emitted * visible * (1.0 / pdf);
    if let Some(shadowed) = shadowed {
        let all = response(LightDirection { pdf: None, ..direction }) * emitted * (1.0 / pdf);
        *shadowed = Shadowed {
            ray: Some(ray),
            unoccluded: [all, all * (Rgb::WHITE - visible)],
        };
    }
    Some(DirectLight { light: chosen.light, direction, radiance })
}

impl PathState {
    /// Takes `count` light samples at a vertex and reports them; `response` as for [`sample_one_light`]. `shares`
    /// computes the shares of the lobes.
    #[inline(always)]
    pub(crate) fn sample_lights<S: RadianceSink>(
        &self,
        vertex: PathVertex<'_>,
        count: u32,
        response: impl Fn(LightDirection) -> Rgb,
        shares: impl Fn(LightDirection, &mut LobeShares),
        tracer: &mut Tracer<'_, S>,
    ) {
        if count == 1 {
            return self.sample_light(vertex, response, shares, tracer);
        }
        let path = self.branch(count);
        let mut branch = *tracer.sampler;
        for number in 0..count {
            tracer.sink.branch(BranchEvent::NextLightSample);
            branch = tracer.sampler.branch(number, count);
            path.sample_light(vertex, &response, &shares, &mut tracer.with_sampler(&mut branch));
        }
        tracer.sampler.skip_those_of(&branch);
    }

    #[inline(always)]
    fn sample_light<S: RadianceSink>(
        &self,
        (it, at, _): PathVertex<'_>,
        response: impl Fn(LightDirection) -> Rgb,
        shares: impl Fn(LightDirection, &mut LobeShares),
        tracer: &mut Tracer<'_, S>,
    ) {
        let Tracer {
            scene,
            ref mut sampler,
            ref mut shading,
            ref mut stats,
            ref mut sink,
            ..
        } = *tracer;
        let query = DirectLightQuery {
            at,
            end: it.ray_end(),
            time: it.time,
            depth: self.scatterings + 1,
            interior: |wi: Vec3| {
                let mut interior = self.interior.clone();
                interior.cross(scene.bodies(), it, wi);
                interior
            },
            surface: Some(ShadowOrigin { it, interior: &self.interior, contact: self.contact.as_ref() }),
        };
        let (wants_unoccluded, wants_crossings) = (sink.wants_unoccluded(), sink.wants_crossings());
        let mut shadowed = Shadowed::default();
        let requested = (wants_unoccluded || wants_crossings).then_some(&mut shadowed);
        let Some(direct) = sample_one_light(scene, query, response, sampler, shading, stats, requested)
        else {
            return;
        };
        let label = Contribution {
            scattered: true,
            ..self.label(LightSource::Light(direct.light))
        };
        if let Some(ray) = shadowed.ray.filter(|_| wants_crossings) {
            sink.cross(scene.null_interfaces_along(&ray));
        }
        sink.add_scattered(label, self.throughput * direct.radiance, it, |lobes| {
            shares(direct.direction, lobes);
        });
        if wants_unoccluded {
            let unoccluded = shadowed.unoccluded.map(|radiance| self.throughput * radiance);
            let direction = LightDirection { pdf: None, ..direct.direction };
            sink.add_unoccluded(label, unoccluded, it, |lobes| shares(direction, lobes));
        }
    }
}

/// Adds f·|cos θi| of each lobe to `lobes`.
pub(crate) fn bsdf_shares(bsdf: &Bsdf, wo: Vec3, wi: Vec3, lobes: &mut LobeShares) {
    match bsdf.only_class(wo, wi) {
        Some(class) => lobes.add(class, Rgb::WHITE),
        None => bsdf.each_lobe(wo, wi, |_| true, |class, _, f| lobes.add(class, f)),
    }
}

/// Adds f·|cos θi| of each lobe that receives a light to `lobes`.
pub(crate) fn visible_shares(bsdf: &Bsdf, wo: Vec3, direction: LightDirection, lobes: &mut LobeShares) {
    let LightDirection { wi, visible_to, .. } = direction;
    if visible_to.has_all_scattering() {
        return bsdf_shares(bsdf, wo, wi, lobes);
    }
    bsdf.each_lobe(
        wo,
        wi,
        |_| true,
        |class, _, f| {
            if visible_to.contains(class.visibility()) {
                lobes.add(class, f);
            }
        },
    );
}

/// Returns f·|cos θi| of the lobes of `bsdf` that receive a light, times the MIS weight of light sampling against BSDF
/// sampling.
#[inline]
pub(crate) fn bsdf_response(bsdf: &Bsdf, wo: Vec3, direction: LightDirection) -> Rgb {
    let LightDirection { wi, pdf, visible_to } = direction;
    if !visible_to.has_all_scattering() {
        return bsdf.eval_visible(wo, wi, visible_to);
    }
    let (f, bsdf_pdf) = bsdf.eval_pdf(wo, wi);
    f * pdf.map_or(1.0, |pdf| power_heuristic(pdf, bsdf_pdf))
}
