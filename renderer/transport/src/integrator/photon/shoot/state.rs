//! State of a photon between two hits: storing, scattering, Russian roulette and splitting.

use glam::Vec3;

use super::density::Density;
use super::params::{PhotonFilter, ShootParams};
use super::scatter::Scatterer;
use crate::bsdf::{BsdfSample, LobePart};
use crate::integrator::context::Context;
use crate::integrator::path::subsurface::RandomWalk;
use crate::integrator::photon::map::photon::{MediumLight, PathKind, Photon};
use crate::integrator::photon::map::volume;
use crate::interior::{InteriorList, MediumClass, beer_lambert};
use crate::light::LightLink;
use crate::medium::Coefficients;
use crate::scene::{Contact, MAX_NULL_INTERFACES, MediumSample, PathStart, RaySegment, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, exp_m1, ln};
use renderer_base::sampler::{Rng, Sampler};
use renderer_geometry::Interaction;
use renderer_scene::LightVisibility;

/// Maximum number of segments of a photon's path.
const MAX_SEGMENTS: u32 = 250;

/// Number of photons stored on a segment in a medium.
pub(crate) const PHOTONS_PER_SEGMENT: u32 = 4;

/// Inputs and outputs of the tracing of photons.
pub(super) struct PhotonTracer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) params: &'a ShootParams,
    /// Density control of stored photons.
    pub(super) density: Option<&'a Density>,
    pub(super) sampler: &'a mut Sampler,
    pub(super) context: &'a mut Context,
    pub(super) scatterer: &'a mut Scatterer,
    /// Photons of splits that are not traced yet.
    pub(super) pending: &'a mut Vec<PhotonState>,
    /// Number of further photons that splits of the current photon may create.
    pub(super) split_budget: u32,
    /// Stored photons.
    pub(super) photons: &'a mut Vec<Photon>,
}

/// State of a photon.
#[derive(Clone)]
pub(super) struct PhotonState {
    ray: Ray,
    power: Rgb,
    /// Number of equal photons that this state represents up to the next hit.
    split_count: u32,
    segments: u32,
    null_interfaces: u32,
    /// True if only narrow lobes have scattered the photon.
    only_narrow: bool,
    /// True if no camera path can find this light.
    hidden: bool,
    interior: InteriorList,
    /// Position among coincident surfaces: at the last surface, or at the next one.
    contact: Option<Contact>,
    /// Distance from the last surface to the ray's origin [m].
    gap: f32,
    /// Link of the light until the photon is scattered; `None` in scenes without links.
    link: Option<LightLink>,
    /// True if the next medium neither attenuates nor scatters the photon.
    skips_medium: bool,
}

/// Effect of a shape on photons that a light has sent directly.
#[derive(Clone, Copy)]
struct Meeting {
    /// True if the shape scatters them.
    receives: bool,
    /// True if they do not pass the shape.
    blocks: bool,
}

impl Meeting {
    fn at(link: &LightLink, scene: &Scene, it: &Interaction) -> Meeting {
        Meeting {
            receives: link.illuminates(scene.receiver_class(it.shape)),
            blocks: scene.blocks(it.shape, link.blockers),
        }
    }
}

impl PhotonState {
    /// An emitted photon; `hidden` is true if camera paths cannot find its light.
    pub(super) fn new(start: PathStart, power: Rgb, hidden: bool) -> PhotonState {
        let PathStart { ray, interior, contact, gap } = start;
        PhotonState {
            ray,
            power,
            split_count: 1,
            segments: 1,
            null_interfaces: 0,
            only_narrow: true,
            hidden,
            interior,
            contact,
            gap,
            link: None,
            skips_medium: false,
        }
    }

    /// Sets the link of the photon's light.
    pub(super) fn linked(self, link: Option<LightLink>) -> PhotonState {
        PhotonState { link, ..self }
    }

    /// Traces the photon to its next hit, stores and scatters it there; returns `false` if it ends.
    #[inline(always)]
    pub(super) fn advance(&mut self, tracer: &mut PhotonTracer<'_>) -> bool {
        let scene = tracer.scene;
        tracer.context.stats.photon_rays += 1;

        // Intersection; scattering in media replaces the hit.
        let is_in_contact = self.contact.is_some();
        let skips_medium = std::mem::take(&mut self.skips_medium);
        let mut hit = scene.next_surface(&self.ray, &self.interior, &mut self.contact);
        let arrives = is_in_contact
            || skips_medium
            || matches!(self.interior.medium_class(), MediumClass::Vacuum)
            || match self.link {
                None => self.sample_media(&mut hit, tracer),
                Some(link) => self.sample_linked_medium(&link, &mut hit, tracer),
            };
        let Some(it) = hit.filter(|_| arrives) else {
            return false;
        };
        let Some(outside) = scene.exterior_ior(&self.interior, &it) else {
            return self.cross_null_interface(scene, &it);
        };

        if let Some(link) = self.link {
            match Meeting::at(&link, scene, &it) {
                Meeting { receives: false, blocks: false } => return self.cross_null_interface(scene, &it),
                Meeting { receives: true, blocks: false } => {
                    let mut passing = self.clone();
                    if passing.cross_null_interface(scene, &it) {
                        tracer.pending.push(passing);
                    }
                }
                Meeting { blocks: true, .. } => {}
            }
        }

        // Storage, splitting, scattering.
        tracer.scatterer.shade_hit(scene, &it, outside, tracer.context);
        self.store(&it, tracer);
        for _ in 1..self.split_count {
            let mut copy = self.clone();
            if copy.scatter(&it, tracer) {
                tracer.pending.push(copy);
            }
        }
        self.scatter(&it, tracer)
    }

    /// Scatters one of the split photons at their hit; returns `false` if it ends.
    #[inline(always)]
    fn scatter(&mut self, it: &Interaction, tracer: &mut PhotonTracer<'_>) -> bool {
        let sampler = &mut *tracer.sampler;
        let (u_lobe, u, u_rr) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
        let sample = tracer.scatterer.sample(tracer.scene, it, u_lobe, u, tracer.context);
        let Some((part, mut sample)) = sample else {
            return false;
        };
        if let Some(link) = self.link {
            let meeting = Meeting::at(&link, tracer.scene, it);
            if sample.is_null_interface() {
                // A copy has passed a surface that does not block the light.
                if !meeting.blocks {
                    return false;
                }
            } else {
                if !meeting.receives {
                    return false;
                }
                sample.weight *=
                    tracer
                        .scatterer
                        .visible_share(tracer.scene, it, (part, &sample), link.visible_to);
                if sample.weight.is_black() {
                    return false;
                }
                self.link = None;
            }
        }
        if sample.is_subsurface() {
            return self.walk_subsurface(it, &sample, u_rr, tracer);
        }
        if sample.is_null_interface() {
            if !self.cross_null_interface(tracer.scene, it) {
                return false;
            }
        } else {
            self.segments += 1;
            self.only_narrow &= part == LobePart::Narrow;
            self.hidden &= sample.is_specular();
            let is_unwanted = tracer.params.filter == PhotonFilter::Caustic && !self.only_narrow;
            if self.is_too_long(tracer.params) || is_unwanted {
                return false;
            }
            self.leave(tracer.scene, it, sample.wi);
        }
        self.roulette_or_split(sample.weight, u_rr, tracer)
    }

    fn is_too_long(&self, params: &ShootParams) -> bool {
        self.segments > params.max_segments.min(MAX_SEGMENTS)
    }

    /// Subsurface random walk from a hit to its exit; returns `false` if the photon ends.
    fn walk_subsurface(
        &mut self,
        it: &Interaction,
        sample: &BsdfSample,
        u_rr: f32,
        tracer: &mut PhotonTracer<'_>,
    ) -> bool {
        let scene = tracer.scene;
        self.segments += 1;
        (self.only_narrow, self.hidden) = (false, false);
        if self.is_too_long(tracer.params) || tracer.params.filter == PhotonFilter::Caustic {
            return false;
        }
        let Some((lobe, cosines)) = tracer.scatterer.subsurface(it, sample.index) else {
            return false;
        };
        let walk = RandomWalk::new(it, &lobe);
        let u = tracer.sampler.next_2d();
        let rng = &mut Rng::new(tracer.sampler.rng_seed());
        let Some(exit) = walk.run(scene, sample.wi, &mut self.interior, u, rng) else {
            return false;
        };
        let u = tracer.sampler.next_2d();
        let sampled = tracer.scatterer.leave(scene, &exit.it, lobe.number, u, tracer.context);
        let Some((wi, exit_weight)) = sampled else {
            return false;
        };
        self.contact = exit.contact;
        let end = scene.leave(&exit.it, wi, &self.interior, &mut self.contact);
        self.ray = Ray { time: exit.it.time, ..Ray::new(end.ray_origin(wi), wi) };
        self.gap = self.ray.gap_from(exit.it.p);
        // A camera path enters at the photon's exit, so it has the lobe's weight there.
        let weight = exit.weight * exit_weight * (cosines / sample.pdf);
        self.roulette_or_split(weight, u_rr, tracer)
    }

    /// Crosses a null interface; returns `false` if the photon ends.
    fn cross_null_interface(&mut self, scene: &Scene, it: &Interaction) -> bool {
        self.null_interfaces += 1;
        self.leave(scene, it, self.ray.direction);
        self.null_interfaces <= MAX_NULL_INTERFACES
    }

    /// Starts the ray that leaves a hit in the unit vector `direction`, and updates the interior list.
    fn leave(&mut self, scene: &Scene, it: &Interaction, direction: Vec3) {
        let end = scene.leave(it, direction, &self.interior, &mut self.contact);
        if !scene.bodies().is_empty() {
            self.interior.cross(scene.bodies(), it, direction);
        }
        self.ray = Ray {
            time: it.time,
            ..Ray::new(end.ray_origin(direction), direction)
        };
        self.gap = self.ray.gap_from(it.p);
    }

    /// Samples scattering in a medium of a photon that its light has sent directly. Returns `false` if the photon ends.
    #[inline(never)]
    fn sample_linked_medium(
        &mut self,
        link: &LightLink,
        hit: &mut Option<Interaction>,
        tracer: &mut PhotonTracer<'_>,
    ) -> bool {
        let scene = tracer.scene;
        let receives = link.illuminates(scene.receiver_class_in(&self.interior))
            && link.visible_to.contains(LightVisibility::VOLUME);
        let length = hit.as_ref().map_or(f32::INFINITY, |it| it.t.max(0.0));
        let ray = self.ray.extended_back(self.gap);
        let segment = RaySegment { ray: &ray, length: length + self.gap, depth: self.segments };
        let before = self.power.max_component();
        let shading = &mut tracer.context.shading;
        match (receives, scene.medium_blocks(&self.interior, link.blockers)) {
            // An endless segment has no uniform distribution of points.
            (true, false) if segment.length.is_finite() => {
                // A scattered photon, and a copy that the medium does not attenuate.
                tracer.pending.push(PhotonState { skips_medium: true, ..self.clone() });
                let t = tracer.sampler.next_1d() * segment.length;
                let medium = scene.coefficients(&self.interior, &segment, t, shading);
                self.power *= medium.scattering() * segment.length;
                if self.power.is_black()
                    || !self.scatter_in_medium((ray.direction, t), &medium, before, tracer)
                {
                    return false;
                }
                *hit = scene.next_surface(&self.ray, &self.interior, &mut self.contact);
                self.sample_media(hit, tracer)
            }
            (true, _) => self.sample_media(hit, tracer),
            (false, true) => {
                let rng = &mut Rng::new(tracer.sampler.rng_seed());
                self.power *= scene.medium_transmittance(&self.interior, &segment, rng, shading);
                self.russian_roulette(before, tracer.sampler.next_1d())
            }
            (false, false) => true,
        }
    }

    /// Samples medium scattering until the photon reaches a surface, which replaces `hit`. The photons of a split
    /// scatter together. Returns `false` if the photon ends.
    #[inline(never)]
    fn sample_media(&mut self, hit: &mut Option<Interaction>, tracer: &mut PhotonTracer<'_>) -> bool {
        let scene = tracer.scene;
        loop {
            let length = hit.as_ref().map_or(f32::INFINITY, |it| it.t.max(0.0));
            let ray = self.ray.extended_back(self.gap);
            let segment = RaySegment { ray: &ray, length: length + self.gap, depth: self.segments };
            let mut rng = Rng::new(tracer.sampler.rng_seed());
            let shading = &mut tracer.context.shading;
            let before = self.power.max_component();
            if !matches!(self.interior.medium_class(), MediumClass::Scattering) {
                self.power *= scene.medium_transmittance(&self.interior, &segment, &mut rng, shading);
                return self.russian_roulette(before, tracer.sampler.next_1d());
            }
            if tracer.params.in_media.stores(self.segments, self.only_narrow) {
                self.store_in_medium(scene, &segment, &mut rng, tracer.photons);
            }
            let u = tracer.sampler.next_2d();
            let mut emitted = Rgb::BLACK;
            let sample = scene.sample_medium(
                &self.interior,
                &segment,
                (&mut self.power, &mut emitted),
                (u, &mut rng),
                shading,
            );
            let MediumSample::Scattered { t, medium } = sample else {
                return self.russian_roulette(before, tracer.sampler.next_1d());
            };
            if !self.scatter_in_medium((ray.direction, t), &medium, before, tracer) {
                return false;
            }
            *hit = scene.next_surface(&self.ray, &self.interior, &mut self.contact);
        }
    }

    /// Scatters the photon in a medium at the distance `t` along its ray, in the unit vector `direction`; `before` is the power
    /// of the brightest channel for Russian roulette. Returns `false` if the photon ends.
    fn scatter_in_medium(
        &mut self,
        (direction, t): (Vec3, f32),
        medium: &Coefficients,
        before: f32,
        tracer: &mut PhotonTracer<'_>,
    ) -> bool {
        let sampler = &mut *tracer.sampler;
        let (u_lobe, u, u_rr) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
        let Some(wi) = medium.sample_phase(direction, u_lobe, u) else {
            return false;
        };
        let (f, pdf) = medium.phase(direction, wi);
        self.segments += 1;
        self.link = None;
        (self.only_narrow, self.hidden) = (false, false);
        let is_unwanted = tracer.params.filter == PhotonFilter::Caustic;
        if pdf <= 0.0 || self.is_too_long(tracer.params) || is_unwanted {
            return false;
        }
        self.power *= f * (1.0 / pdf);
        if !self.russian_roulette(before, u_rr) {
            return false;
        }
        self.ray = Ray {
            time: self.ray.time,
            ..Ray::new(self.ray.at((t - self.gap).max(0.0)), wi)
        };
        self.gap = 0.0;
        self.contact = None;
        true
    }

    /// Stores photons along a segment, whether or not the photon scatters there: in thin fog most photons cross without
    /// scattering.
    fn store_in_medium(
        &self,
        scene: &Scene,
        segment: &RaySegment<'_>,
        rng: &mut Rng,
        photons: &mut Vec<Photon>,
    ) {
        let is_caustic = self.only_narrow && self.segments > 1;
        let Some(medium) = volume::medium(scene, &self.interior, is_caustic) else {
            return;
        };
        let light = match (is_caustic, self.hidden) {
            (false, _) => MediumLight::Indirect,
            (true, false) => MediumLight::Caustic,
            (true, true) => MediumLight::Hidden,
        };
        let extinction = medium.extinction();
        let sigma = extinction.average();
        let absorbed = -exp_m1(-(sigma * segment.length));
        let power = self.power * medium.scattering() * (self.split_count as f32 / PHOTONS_PER_SEGMENT as f32);
        for number in 0..PHOTONS_PER_SEGMENT {
            let u = (number as f32 + rng.next_1d()) / PHOTONS_PER_SEGMENT as f32;
            let transmittance = (1.0 - u * absorbed).max(f32::MIN_POSITIVE);
            let t = (-ln(transmittance) / sigma).min(segment.length);
            let pdf = sigma * transmittance / absorbed;
            let power = power * beer_lambert(extinction, t) * (1.0 / pdf);
            let (p, wi) = (segment.ray.at(t), -segment.ray.direction);
            photons.push(Photon::in_medium(p, wi, power, self.segments, light));
        }
    }

    /// Russian roulette for a photon whose brightest channel had the power `before`: survivors keep that power.
    fn russian_roulette(&mut self, before: f32, u: f32) -> bool {
        let ratio = self.power.max_component() / before;
        if ratio >= 1.0 {
            return true;
        }
        self.power *= 1.0 / ratio;
        u < ratio
    }

    /// Stores the photon at its hit if it passes the filter, the surface has a wide lobe, and density control selects
    /// it.
    fn store(&self, it: &Interaction, tracer: &mut PhotonTracer<'_>) {
        let scene = tracer.scene;
        let caustic = self.only_narrow && self.segments > 1;
        let wanted = match tracer.params.filter {
            PhotonFilter::Global { direct } => direct || self.segments > 1,
            PhotonFilter::Caustic => caustic,
        };
        if !wanted || !tracer.scatterer.has_wide_lobe(scene, it, tracer.context) {
            return;
        }
        let probability = tracer.density.map_or(1.0, |density| density.keep_probability(it.p));
        if probability < 1.0 && tracer.sampler.next_1d() >= probability {
            return;
        }
        let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
        let power = self.power * (self.split_count as f32 / probability);
        let kind = match (caustic, self.hidden) {
            (false, _) => PathKind::Wide,
            (true, false) => PathKind::Caustic,
            (true, true) => PathKind::Hidden,
        };
        let layer = tracer.scatterer.layer(scene, it);
        let photon = Photon::new(it.p, it.wo, n, power, self.segments, kind, layer);
        tracer.photons.push(photon);
    }

    /// Multiplies the power by the weight of a sample. If the brightest channel decreases, Russian roulette follows; if
    /// it increases, the photon is split within the budget, so that all photons have about equal power in that channel.
    /// Luminance instead would lead to few photons and large kernels in blue caustics. Returns `false` if the photon
    /// ends.
    // Pharr & Humphreys 2010, "Physically Based Rendering", section 15.6. The power increases at bent normals (Veach
    // 1997, section 5.3); without splitting, such factors multiply along a path.
    #[inline(always)]
    fn roulette_or_split(&mut self, weight: Rgb, u: f32, tracer: &mut PhotonTracer<'_>) -> bool {
        let power = self.power * weight;
        if !power.is_finite() {
            tracer.context.stats.non_finite_photons += 1;
            return false;
        }
        let ratio = power.max_component() / self.power.max_component();
        (self.power, self.split_count) = (power * (1.0 / ratio), 1);
        // NaN if the incident power is zero.
        if ratio < 1.0 || ratio.is_nan() {
            return u < ratio;
        }
        if ratio <= tracer.split_budget as f32 {
            self.split_count = (ratio + 1.0 - u) as u32;
            tracer.split_budget -= self.split_count - 1;
        } else {
            self.power = power;
        }
        true
    }
}
