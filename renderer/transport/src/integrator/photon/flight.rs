//! One photon between two hits: storing, scattering, and the copies that keep the powers equal.

use super::beams;
use super::particle::{MediumLight, PathKind, Photon};
use super::pilot::Density;
use super::scatter::Scatterer;
use super::shoot_params::{PhotonFilter, ShootParams};
use crate::body::{Fill, MediumStack, beer_lambert};
use crate::bsdf::{BsdfSample, LobePart};
use crate::integrator::context::Context;
use crate::integrator::random_walk::RandomWalk;
use crate::scene::{Contact, MAX_NULL_INTERFACES, MediumWay, Noise, Passage, PathStart, Scene, Transport};
use glam::Vec3;
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, exp_m1, ln};
use renderer_base::sampler::Sampler;
use renderer_geometry::Interaction;

/// Maximum number of segments of a photon's path.
const MAX_SEGMENTS: u32 = 250;

/// Number of photons stored on a way through a medium.
pub(super) const BEAM_PHOTONS: u32 = 4;

/// A photon in flight.
#[derive(Clone)]
pub(super) struct Flight {
    pub(super) ray: Ray,
    power: Rgb,
    /// Number of equal photons that fly together up to the next hit.
    copies: u32,
    segments: u32,
    null_interfaces: u32,
    /// True if only narrow lobes have scattered it.
    only_narrow: bool,
    /// True if no camera path can find its light.
    hidden: bool,
    pub(super) media: MediumStack,
    /// Place of the last surface, or of the next one, among surfaces that coincide with it.
    pub(super) contact: Option<Contact>,
    /// Distance along the ray from the surface that it leaves to its origin [m].
    gap: f32,
}

impl Flight {
    /// Creates an emitted photon; `hidden` says that camera paths cannot find its light.
    pub(super) fn new(start: PathStart, power: Rgb, hidden: bool) -> Flight {
        let PathStart {
            ray,
            media,
            contact,
            gap,
        } = start;
        Flight {
            ray,
            power,
            copies: 1,
            segments: 1,
            null_interfaces: 0,
            only_narrow: true,
            hidden,
            media,
            contact,
            gap,
        }
    }

    /// Number of equal photons that fly together.
    pub(super) fn copies(&self) -> u32 {
        self.copies
    }

    /// Scatters one of the photons at their hit into at most `left` more, which it takes from there; returns `false` if it
    /// ends.
    #[inline(always)]
    pub(super) fn scatter(
        &mut self,
        scene: &Scene,
        order: &ShootParams,
        it: &Interaction,
        left: &mut u32,
        sampler: &mut Sampler,
        context: &mut Context,
        scatterer: &mut Scatterer,
    ) -> bool {
        let (u_lobe, u, u_rr) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
        let Some((part, sample)) = scatterer.sample(scene, it, u_lobe, u, context) else {
            return false;
        };
        if sample.is_subsurface() {
            return self.walk_below(scene, order, it, &sample, u_rr, left, sampler, context, scatterer);
        }
        if sample.is_null_interface() {
            if !self.pass_straight(scene, it) {
                return false;
            }
        } else {
            self.segments += 1;
            self.only_narrow &= part == LobePart::Narrow;
            self.hidden &= sample.is_specular();
            let longest = order.max_segments.min(MAX_SEGMENTS);
            if self.segments > longest || (order.filter == PhotonFilter::Caustic && !self.only_narrow) {
                return false;
            }
            self.leave(scene, it, sample.wi);
        }
        self.survive(sample.weight, u_rr, left, context)
    }

    /// Takes the photon below the surface to where it leaves; returns `false` if it ends.
    fn walk_below(
        &mut self,
        scene: &Scene,
        order: &ShootParams,
        it: &Interaction,
        sample: &BsdfSample,
        u_rr: f32,
        left: &mut u32,
        sampler: &mut Sampler,
        context: &mut Context,
        scatterer: &mut Scatterer,
    ) -> bool {
        self.segments += 1;
        (self.only_narrow, self.hidden) = (false, false);
        let longest = order.max_segments.min(MAX_SEGMENTS);
        if self.segments > longest || order.filter == PhotonFilter::Caustic {
            return false;
        }
        let Some((below, cosines)) = scatterer.subsurface(it, sample.index) else {
            return false;
        };
        let walk = RandomWalk::new(it, &below);
        let (u, mut noise) = (sampler.next_2d(), Noise::new(sampler.noise()));
        let Some(exit) = walk.run(scene, sample.wi, &mut self.media, u, &mut noise) else {
            return false;
        };
        let u = sampler.next_2d();
        let Some((wi, seen)) = scatterer.leave(scene, &exit.it, below.number, u, context) else {
            return false;
        };
        self.contact = exit.contact;
        let end = scene.leave(&exit.it, wi, &self.media, &mut self.contact);
        self.ray = Ray {
            time: exit.it.time,
            ..Ray::new(end.ray_origin(wi), wi)
        };
        self.gap = self.ray.gap_from(exit.it.p);
        // The camera's path has the weight of the lobe where the photon leaves.
        let weight = exit.weight * seen * (cosines / sample.pdf);
        self.survive(weight, u_rr, left, context)
    }

    /// Goes straight on through a hit; returns `false` if the photon ends.
    pub(super) fn pass_straight(&mut self, scene: &Scene, it: &Interaction) -> bool {
        self.null_interfaces += 1;
        self.leave(scene, it, self.ray.direction);
        self.null_interfaces <= MAX_NULL_INTERFACES
    }

    /// Starts the ray that leaves a hit in the unit vector `direction`, and updates the bodies that contain the photon.
    fn leave(&mut self, scene: &Scene, it: &Interaction, direction: Vec3) {
        let end = scene.leave(it, direction, &self.media, &mut self.contact);
        if !scene.bodies().is_empty() {
            self.media.cross(scene.bodies(), it, direction);
        }
        self.ray = Ray {
            time: it.time,
            ..Ray::new(end.ray_origin(direction), direction)
        };
        self.gap = self.ray.gap_from(it.p);
    }

    /// Takes the photon through the medium that it is in to the surface `found`, which is another one if it is scattered
    /// on the way. Equal photons are scattered alike. Returns `false` if it ends.
    #[inline(never)]
    pub(super) fn pass_media(
        &mut self,
        scene: &Scene,
        order: &ShootParams,
        found: &mut Option<Interaction>,
        sampler: &mut Sampler,
        context: &mut Context,
        photons: &mut Vec<Photon>,
    ) -> bool {
        loop {
            let length = found.as_ref().map_or(f32::INFINITY, |it| it.t.max(0.0));
            let ray = self.ray.begun_before(self.gap);
            let way = MediumWay {
                ray: &ray,
                length: length + self.gap,
                depth: self.segments,
            };
            let mut noise = Noise::new(sampler.noise());
            let before = self.power.max_component();
            if !matches!(self.media.fill(), Fill::Medium) {
                self.power *= scene.medium_transmittance(&self.media, &way, &mut noise, &mut context.shading);
                return self.stays_bright(before, sampler.next_1d());
            }
            if order.in_media.stores(self.segments, self.only_narrow) {
                self.store_along(scene, &way, &mut noise, photons);
            }
            let mut transport = Transport {
                throughput: self.power,
                emitted: Rgb::BLACK,
            };
            let u = sampler.next_2d();
            let passage = scene.traverse(
                &self.media,
                &way,
                &mut transport,
                u,
                &mut noise,
                &mut context.shading,
            );
            self.power = transport.throughput;
            let Passage::Scattered(t, medium) = passage else {
                return self.stays_bright(before, sampler.next_1d());
            };
            let (u_lobe, u, u_rr) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
            let Some(wi) = medium.sample_phase(ray.direction, u_lobe, u) else {
                return false;
            };
            let (f, pdf) = medium.phase(ray.direction, wi);
            self.segments += 1;
            (self.only_narrow, self.hidden) = (false, false);
            let longest = order.max_segments.min(MAX_SEGMENTS);
            if pdf <= 0.0 || self.segments > longest || order.filter == PhotonFilter::Caustic {
                return false;
            }
            self.power *= f * (1.0 / pdf);
            if !self.stays_bright(before, u_rr) {
                return false;
            }
            self.ray = Ray {
                time: ray.time,
                ..Ray::new(self.ray.at((t - self.gap).max(0.0)), wi)
            };
            self.gap = 0.0;
            self.contact = None;
            *found = scene.next_surface(&self.ray, &self.media, &mut self.contact);
        }
    }

    /// Stores what the medium on a way may scatter of the photon, whether it does or not: most photons pass thin fog.
    fn store_along(&self, scene: &Scene, way: &MediumWay<'_>, noise: &mut Noise, photons: &mut Vec<Photon>) {
        let is_focused = self.only_narrow && self.segments > 1;
        let Some(medium) = beams::medium(scene, &self.media, is_focused) else {
            return;
        };
        let light = match (is_focused, self.hidden) {
            (false, _) => MediumLight::Other,
            (true, false) => MediumLight::Focused,
            (true, true) => MediumLight::Hidden,
        };
        let extinction = medium.extinction();
        let sigma = extinction.average();
        let lost = -exp_m1(-(sigma * way.length));
        let power = self.power * medium.scattering() * (self.copies as f32 / BEAM_PHOTONS as f32);
        for number in 0..BEAM_PHOTONS {
            let u = (number as f32 + noise.number()) / BEAM_PHOTONS as f32;
            let left = (1.0 - u * lost).max(f32::MIN_POSITIVE);
            let t = (-ln(left) / sigma).min(way.length);
            let density = sigma * left / lost;
            let power = power * beer_lambert(extinction, t) * (1.0 / density);
            photons.push(Photon::in_medium(
                way.ray.at(t),
                -way.ray.direction,
                power,
                self.segments,
                light,
            ));
        }
    }

    /// Plays Russian roulette for a photon that had the power `before` in its brightest channel: it keeps that.
    fn stays_bright(&mut self, before: f32, u: f32) -> bool {
        let ratio = self.power.max_component() / before;
        if ratio >= 1.0 {
            return true;
        }
        self.power *= 1.0 / ratio;
        u < ratio
    }

    /// Stores the photon at its hit if the map wants it.
    pub(super) fn store(
        &self,
        scene: &Scene,
        order: &ShootParams,
        keep: Option<&Density>,
        it: &Interaction,
        sampler: &mut Sampler,
        context: &mut Context,
        scatterer: &mut Scatterer,
        photons: &mut Vec<Photon>,
    ) {
        let caustic = self.only_narrow && self.segments > 1;
        let wanted = match order.filter {
            PhotonFilter::Global { direct } => direct || self.segments > 1,
            PhotonFilter::Caustic => caustic,
        };
        if !wanted || !scatterer.has_wide_lobe(scene, it, context) {
            return;
        }
        let probability = keep.map_or(1.0, |density| density.keep_probability(it.p));
        if probability < 1.0 && sampler.next_1d() >= probability {
            return;
        }
        let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
        let power = self.power * (self.copies as f32 / probability);
        let kind = match (caustic, self.hidden) {
            (false, _) => PathKind::Wide,
            (true, false) => PathKind::Caustic,
            (true, true) => PathKind::Hidden,
        };
        let layer = scatterer.layer(scene, it);
        photons.push(Photon::new(it.p, it.wo, n, power, self.segments, kind, layer));
    }

    /// Multiplies the power by the weight of a sample: Russian roulette, or at most `left` more photons where the power
    /// grows, by its ratio in the brightest channel, so that all photons carry about the same power there. With luminance
    /// instead, caustics of blue glass had few photons and wide lookups. Returns `false` if it ends.
    // Pharr & Humphreys 2010, "Physically Based Rendering", section 15.6. The power grows at bent normals (Veach 1997,
    // section 5.3); without copies, such factors multiply up along a path.
    #[inline(always)]
    fn survive(&mut self, weight: Rgb, u: f32, left: &mut u32, context: &mut Context) -> bool {
        let power = self.power * weight;
        if !power.is_finite() {
            context.stats.non_finite_photons += 1;
            return false;
        }
        let ratio = power.max_component() / self.power.max_component();
        (self.power, self.copies) = (power * (1.0 / ratio), 1);
        // Not a number where the incident power is zero.
        if ratio < 1.0 || ratio.is_nan() {
            return u < ratio;
        }
        if ratio <= *left as f32 {
            self.copies = (ratio + 1.0 - u) as u32;
            *left -= self.copies - 1;
        } else {
            self.power = power;
        }
        true
    }
}
