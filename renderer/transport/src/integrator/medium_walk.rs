//! A path in a medium: it is scattered until it reaches a surface, takes a light sample wherever that happens, and ends
//! or leaves the scene.
//!
//! A scattering is a vertex of the path, and counts for its depth.

use super::along_medium::{AlongMedium, Found, Viewer};
use super::direct::{DirectLightQuery, sample_one_light};
use super::limits::{Horizon, Limits};
use super::path_state::{MisContext, PathState};
use super::stats::Stats;
use super::stopwatch::Stage;
use super::way_light::WayLight;
use crate::body::Fill;
use crate::light::LightSampleContext;
use crate::material::{RayKind, ShadingContext};
use crate::medium::Coefficients;
use crate::radiance::{Contribution, LightSource, RadianceSink};
use crate::scene::{MediumWay, Noise, Passage, Scene, Transport};
use glam::Vec3;
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_geometry::Interaction;

/// Smallest spread of a ray that a medium has scattered, for texture lookups.
const SPREAD: f32 = 0.2;

impl PathState {
    /// Takes the path through the medium that it is in to the surface `found`, which is another one if it is scattered
    /// on the way, and tells what it then asks for. Returns `None` if it ends.
    #[inline(never)]
    pub(super) fn pass_media(
        &mut self,
        scene: &Scene,
        found: &mut Option<Interaction>,
        mut horizon: Horizon,
        media_light: &impl AlongMedium,
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) -> Option<Horizon> {
        loop {
            let start = self.ray.t_min;
            // Of surfaces that coincide, the next may be nearer than the start by rounding.
            let length = found.as_ref().map_or(f32::INFINITY, |it| (it.t - start).max(0.0));
            let gap = self.gap();
            let ray = self.ray.begun().begun_before(gap);
            let way = MediumWay {
                ray: &ray,
                length: length + gap,
                depth: self.scatterings,
            };
            if !matches!(self.media.fill(), Fill::Medium) {
                self.throughput *= scene.medium_transmittance(&self.media, &way, &mut Noise::new(0), shading);
                return (!self.throughput.is_black()).then_some(horizon);
            }
            let mut found_there = Found::Nothing;
            if !horizon.emission_only {
                let viewer = Viewer {
                    media: &self.media,
                    throughput: self.throughput,
                    depth: self.depth,
                    noise: sampler.noise(),
                };
                found_there = media_light.add(scene, viewer, &way, light);
            }
            let mut transport = Transport {
                throughput: self.throughput,
                emitted: Rgb::BLACK,
            };
            let (u, mut noise) = (sampler.next_2d(), Noise::new(sampler.noise()));
            let samples_lights =
                !(horizon.ends(self.depth) || horizon.maps_only || found_there == Found::All);
            let lit = match samples_lights {
                true => self.light_way(scene, &way, sampler, &mut noise, shading, stats, light),
                false => None,
            };
            let passage = scene.traverse(&self.media, &way, &mut transport, u, &mut noise, shading);
            self.throughput = transport.throughput;
            if self.counts_emission && !transport.emitted.is_black() {
                light.add_in_medium(self.label(LightSource::Surface), transport.emitted);
            }
            if self.throughput.is_black() {
                return None;
            }
            let Passage::Scattered(t, medium) = passage else {
                return Some(horizon);
            };
            if !samples_lights {
                return None;
            }
            let weight = lit.map_or(1.0, |lit| lit.weight(t));
            let (t, lit) = (start + (t - gap).max(0.0), Rgb::splat(weight));
            self.sample_light_in_medium(scene, t, &medium, lit, sampler, shading, stats, light);
            self.scattered_by_medium = Some(found_there);
            let goes_on = self.scatter_in_medium(t, &medium, horizon.limits, sampler, light);
            if !goes_on {
                return None;
            }
            horizon.emission_only = found_there == Found::Indirect;
            stats.indirect_rays += 1;
            self.contact = None;
            *found = scene.next_surface(&self.ray, &self.media, &mut self.contact);
        }
    }

    /// Distance along the ray from the surface that it leaves to its origin [m].
    fn gap(&self) -> f32 {
        self.ray.gap_from(self.left)
    }

    /// Takes a light sample on the way, whether the medium scatters the path or not; returns how.
    fn light_way(
        &self,
        scene: &Scene,
        way: &MediumWay<'_>,
        sampler: &Sampler,
        noise: &mut Noise,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) -> Option<WayLight> {
        let is_first = self.depth == 1;
        let lit = WayLight::new(scene, &self.media, way, self.throughput, is_first, noise, shading)?;
        // Numbers of its own: those of what follows stay in order.
        let sampler = &mut sampler.branch(0, 1);
        if let Some((t, density)) = lit.sample(sampler.next_1d()) {
            let medium = scene.coefficients(&self.media, way, t, shading);
            let before = MediumWay { length: t, ..*way };
            if medium.scattering().is_black() {
                return Some(lit);
            }
            let left = scene.medium_transmittance(&self.media, &before, noise, shading);
            let weight = medium.scattering() * left * (1.0 / density);
            let t = self.ray.t_min + (t - self.gap()).max(0.0);
            self.sample_light_in_medium(scene, t, &medium, weight, sampler, shading, stats, light);
        }
        Some(lit)
    }

    /// Takes a light sample at a distance along the way; `weight` is a factor on it.
    fn sample_light_in_medium(
        &self,
        scene: &Scene,
        t: f32,
        medium: &Coefficients,
        weight: Rgb,
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) {
        let (along, p) = (self.ray.direction, self.ray.at(t));
        stats.watch.lap(Stage::Scatter);
        let query = DirectLightQuery {
            at: &LightSampleContext::in_space(p),
            end: RayEnd::in_space(p),
            time: self.ray.time,
            depth: self.scatterings + 1,
            media: |_: Vec3| self.media.clone(),
            surface: None,
        };
        let response = |wi: Vec3, light_pdf: Option<f32>| {
            let (f, pdf) = medium.phase(along, wi);
            f * light_pdf.map_or(1.0, |light_pdf| power_heuristic(light_pdf, pdf))
        };
        if let Some(direct) = sample_one_light(scene, query, response, sampler, shading, stats, None) {
            let label = Contribution {
                scattered: true,
                ..self.label(LightSource::Light(direct.light))
            };
            light.add_in_medium(label, self.throughput * weight * direct.radiance);
        }
        stats.watch.lap(Stage::Light);
    }

    /// Samples where the path goes on that the medium scatters. Returns `false` if it ends.
    fn scatter_in_medium(
        &mut self,
        t: f32,
        medium: &Coefficients,
        limits: Limits,
        sampler: &mut Sampler,
        light: &mut impl RadianceSink,
    ) -> bool {
        let (along, p) = (self.ray.direction, self.ray.at(t));
        let at = LightSampleContext::in_space(p);
        let (u_lobe, u) = (sampler.next_1d(), sampler.next_2d());
        let Some(wi) = medium.sample_phase(along, u_lobe, u) else {
            return false;
        };
        let (f, pdf) = medium.phase(along, wi);
        if pdf <= 0.0 {
            return false;
        }
        light.scatter_in_medium(self.throughput, along);
        self.throughput *= f * (1.0 / pdf);
        self.depth += 1;
        self.scatterings += 1;
        self.counts_emission = true;
        self.kind = RayKind::DIFFUSE;
        self.footprint.scatter(t, SPREAD);
        self.mis_context = MisContext { at, pdf: Some(pdf) };
        self.ray = Ray {
            time: self.ray.time,
            ..Ray::new(p, wi)
        };
        self.left = p;
        self.depth <= limits.rr_depth || self.survives(limits.rr_scale, sampler)
    }
}
