//! Emission of lights with restricted blockers along rays that light sampling cannot generate: delta lobes show such a light
//! through the shapes that do not block it.

use super::state::{PathState, visibility_of};
use crate::integrator::tracer::Tracer;
use crate::light::LightId;
use crate::radiance::{LightSource, RadianceSink};
use crate::scene::{HitList, ShadowRay};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_geometry::{Hit, Interaction};

impl PathState {
    /// Reports the emission of the lights with restricted blockers along the ray.
    #[inline(never)]
    pub(super) fn find_linked_lights<S: RadianceSink>(&mut self, tracer: &mut Tracer<'_, S>) {
        self.seeks_linked = false;
        let scene = tracer.scene;
        if !self.counts_emission || !scene.has_linked_blockers() {
            return;
        }
        for hit in scene.escape(self.mis_context.at.p, &self.ray) {
            if self.finds(hit.light, tracer) && !hit.radiance.is_black() {
                self.report_linked(hit.light, (hit.radiance, self.ray, 0.0), tracer);
            }
        }
        let mut hits = HitList::default();
        scene.all_hits(&self.ray, &mut hits);
        let hits = hits.as_slice();
        for (index, hit) in hits.iter().enumerate() {
            // The structure may hold a triangle several times.
            if hits[..index].iter().any(|known| is_same(known, hit)) {
                continue;
            }
            let Some(light) = scene.light_of(hit.shape).filter(|&light| self.finds(light, tracer)) else {
                continue;
            };
            let it = scene.interaction_at(&self.ray, hit);
            let radiance = self.emission_at(&it, tracer);
            if !radiance.is_black() {
                let ray = RayEnd::in_space(self.ray.origin).ray_to(&it.ray_end());
                let gap = ray.gap_to(it.p);
                self.report_linked(light, (radiance, Ray { time: it.time, ..ray }, gap), tracer);
            }
        }
    }

    /// Returns whether a light has restricted blockers, and illuminates the last vertex by the lobe that was sampled.
    fn finds<S>(&self, light: LightId, tracer: &Tracer<'_, S>) -> bool {
        let link = tracer.scene.link(light);
        link.has_blockers()
            && link.illuminates(self.mis_context.at.receiver)
            && link.visible_to.contains(visibility_of(self.kind))
    }

    fn emission_at<S>(&self, it: &Interaction, tracer: &mut Tracer<'_, S>) -> Rgb {
        let material = tracer.scene.material(it.shape);
        material.emission_at(it, self.scatterings, tracer.shading)
    }

    /// Reports emission that arrives along a shadow ray with a gap at its end [m].
    fn report_linked<S: RadianceSink>(
        &self,
        light: LightId,
        (radiance, ray, gap): (Rgb, Ray, f32),
        tracer: &mut Tracer<'_, S>,
    ) {
        let scene = tracer.scene;
        let blockers = scene.link(light).blockers;
        let seed = tracer.sampler.rng_seed();
        let shadow = || ShadowRay {
            gaps: [ray.gap_from(self.vertex_p), gap],
            blockers,
            ..ShadowRay::new(ray, self.scatterings, seed)
        };
        tracer.stats.shadow_rays += 1;
        let interior = || self.interior.clone();
        let visible = scene.shadow_transmittance(&ray, blockers, shadow, interior, tracer.shading);
        let label = self.label(LightSource::Light(light));
        tracer.sink.add(label, self.throughput * radiance * visible);
    }
}

fn is_same(one: &Hit, other: &Hit) -> bool {
    (one.shape, one.primitive, one.t) == (other.shape, other.primitive, other.t)
}
