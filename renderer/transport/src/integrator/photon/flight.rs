//! One photon between two hits: storing, scattering, and the copies that keep the powers equal.

use super::particle::{PathKind, Photon};
use super::pilot::Density;
use super::scatter::Scatterer;
use super::shoot_params::{PhotonFilter, ShootParams};
use crate::bsdf::LobePart;
use crate::integrator::context::Context;
use crate::material::MediumStack;
use crate::scene::{MAX_NULL_INTERFACES, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_base::sampler::Sampler;
use renderer_geometry::Interaction;

/// Maximum number of segments of a photon's path.
const MAX_SEGMENTS: u32 = 250;

/// A photon in flight.
#[derive(Clone, Copy)]
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
}

impl Flight {
    /// Creates an emitted photon; `hidden` says that camera paths cannot find its light.
    pub(super) fn new(ray: Ray, power: Rgb, hidden: bool, media: MediumStack) -> Flight {
        Flight {
            ray,
            power,
            copies: 1,
            segments: 1,
            null_interfaces: 0,
            only_narrow: true,
            hidden,
            media,
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
        if scene.has_absorbing_media() {
            scatterer.update_media(scene, it, &sample, &mut self.media);
        }
        if sample.is_null_interface() {
            self.null_interfaces += 1;
            if self.null_interfaces > MAX_NULL_INTERFACES {
                return false;
            }
            self.ray = it.spawn_ray(self.ray.direction);
        } else {
            self.segments += 1;
            self.only_narrow &= part == LobePart::Narrow;
            self.hidden &= sample.is_specular();
            let longest = order.max_segments.min(MAX_SEGMENTS);
            if self.segments > longest || (order.filter == PhotonFilter::Caustic && !self.only_narrow) {
                return false;
            }
            self.ray = it.spawn_ray(sample.wi);
        }
        self.survive(sample.weight, u_rr, left, context)
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
        let power = self.power * scatterer.transmittance() * (self.copies as f32 / probability);
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
