//! Light on its way through media: transmittance, and where it is scattered.
//!
//! In media that are the same everywhere, distances are sampled from the transmittance of one colour, and weighted by that
//! of all. In others, collisions are found at the rate of a bound on the extinction; each scatters, or does nothing and
//! lessens what goes on. A bound that is too low makes that negative, and so costs noise, not truth.
// Kutz et al. 2017, "Spectral and Decomposition Tracking for Rendering Heterogeneous Volumes", section 5.

use std::borrow::Cow;

use glam::{Vec2, Vec3};

use super::Scene;
use super::homogeneous::homogeneous_passage;
use super::majorant::Majorant;
use super::passage::{MediumWay, Noise, Passage, Transport};
use crate::body::{Body, BodyId, Fill, MediumStack, beer_lambert};
use crate::material::{HitRay, Medium, RayKind, ShadingContext};
use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::ln;
use renderer_geometry::{Interaction, ShapeId};

impl Scene {
    /// Transmittance of a way, or an unbiased estimate of it.
    #[inline]
    pub fn medium_transmittance(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Rgb {
        match media.fill() {
            Fill::Clear => Rgb::WHITE,
            Fill::Absorbing(absorption) => beer_lambert(absorption, way.length),
            Fill::Medium => match self.homogeneous(media) {
                Some(medium) => beer_lambert(medium.extinction(), way.length),
                None => self.tracked_transmittance(media, way, noise, context),
            },
        }
    }

    /// Takes a path along a way: samples whether and where it is scattered. `u` chooses a colour and a distance.
    pub fn traverse(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        transport: &mut Transport,
        u: Vec2,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Passage {
        match self.homogeneous(media) {
            Some(medium) => homogeneous_passage(medium, way.length, transport, u),
            None => self.tracked_passage(media, way, transport, noise, context),
        }
    }

    /// The sum of the media, if all are the same everywhere.
    pub(crate) fn homogeneous<'a>(&'a self, media: &'a MediumStack) -> Option<Cow<'a, Coefficients>> {
        let mut sum: Option<Cow<'a, Coefficients>> = None;
        for (id, _) in media.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(of) => match &mut sum {
                    None => sum = Some(Cow::Borrowed(of)),
                    Some(sum) => sum.to_mut().add(of),
                },
                Medium::Varying(_) => return None,
            }
        }
        Some(sum.unwrap_or_default())
    }

    /// The sum of the media at a distance along a way.
    pub(crate) fn coefficients(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        t: f32,
        context: &mut ShadingContext,
    ) -> Coefficients {
        let mut sum = Coefficients::default();
        for (id, _) in media.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(of) => sum.add(of),
                Medium::Varying(_) => sum.add(&self.varying(id, way, t, context)),
            }
        }
        sum
    }

    /// The medium of a body at a distance along a way.
    fn varying(&self, id: BodyId, way: &MediumWay<'_>, t: f32, context: &mut ShadingContext) -> Coefficients {
        let ray = HitRay {
            kind: RayKind::DIFFUSE,
            depth: way.depth,
            outside: 1.0,
        };
        self.medium_at(id, way.ray.at(t), way.ray.direction, way.ray.time, ray, context)
    }

    /// The medium of a body that is not the same everywhere, at a point.
    pub(super) fn medium_at(
        &self,
        id: BodyId,
        p: Vec3,
        direction: Vec3,
        time: f32,
        ray: HitRay,
        context: &mut ShadingContext,
    ) -> Coefficients {
        let Medium::Varying(shader) = self.bodies.medium(id) else {
            return Coefficients::default();
        };
        let majorant = self.majorants.get(id.0 as usize).and_then(Option::as_ref);
        if majorant.is_some_and(|of| !of.contains(p)) {
            return Coefficients::default();
        }
        let body = self.bodies.get(id);
        let it = Interaction {
            p,
            p_error: 0.0,
            wo: -direction,
            ng: -direction,
            n: -direction,
            uv: Vec2::ZERO,
            dpdu: Vec3::X,
            dpdv: Vec3::Y,
            t: 0.0,
            time,
            shape: body.shape.unwrap_or(ShapeId(0)),
            primitive: 0,
        };
        let medium = self.materials[body.material.0 as usize].medium_at(shader, &it, ray, context);
        match majorant {
            Some(majorant) => medium.limited(majorant.limit()),
            None => medium,
        }
    }

    /// Looks for the bounds of all media that are not the same everywhere.
    pub(super) fn majorants(&self) -> Vec<Option<Majorant>> {
        let ray = HitRay::from(RayKind::DIFFUSE);
        let of = |(id, body): (BodyId, &Body)| {
            let Medium::Varying(_) = self.bodies.medium(id) else {
                return None;
            };
            // What has no end is not there beyond what is seen.
            let bounds = match self.bodies.is_open(id) {
                true => self.bounds().union(body.bounds),
                false => body.bounds,
            };
            let context = || ShadingContext::new(self.host.clone());
            let at = |context: &mut ShadingContext, p| self.medium_at(id, p, Vec3::Z, 0.0, ray, context);
            Some(Majorant::new(id, bounds, context, at))
        };
        self.bodies.all().map(of).collect()
    }

    /// Ratio tracking.
    // Novák et al. 2014, "Residual Ratio Tracking for Estimating Attenuation in Participating Media".
    #[inline(never)]
    fn tracked_transmittance(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Rgb {
        /// Transmittance below which chance ends the way.
        const FAINT: f32 = 0.05;
        let mut left = Rgb::WHITE;
        let mut steps = self.steps(media, way);
        while let Some((t, bound)) = steps.next(noise) {
            let extinction = self.coefficients(media, way, t, context).extinction();
            left *= Rgb::WHITE - extinction * (1.0 / bound);
            let most = left.map(f32::abs).max_component();
            if most < FAINT {
                if noise.number() >= most / FAINT {
                    return Rgb::BLACK;
                }
                left *= FAINT / most;
            }
        }
        left
    }

    #[inline(never)]
    fn tracked_passage(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        transport: &mut Transport,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Passage {
        let mut steps = self.steps(media, way);
        while let Some((t, bound)) = steps.next(noise) {
            let medium = self.coefficients(media, way, t, context);
            transport.emitted += transport.throughput * medium.emission * (1.0 / bound);
            let scattered = transport.throughput * medium.scattering() * (1.0 / bound);
            let passed = transport.throughput * (Rgb::WHITE - medium.extinction() * (1.0 / bound));
            let weights = [scattered, passed].map(|of| of.map(f32::abs).average());
            let total = weights[0] + weights[1];
            if total <= 0.0 {
                transport.throughput = Rgb::BLACK;
                return Passage::Through;
            }
            if noise.number() * total < weights[0] {
                transport.throughput = scattered * (total / weights[0]);
                return Passage::Scattered(t, medium);
            }
            transport.throughput = passed * (total / weights[1]);
        }
        Passage::Through
    }

    fn steps<'a>(&'a self, media: &'a MediumStack, way: &'a MediumWay<'a>) -> Steps<'a> {
        Steps {
            scene: self,
            media,
            way,
            t: 0.0,
            end: 0.0,
            bound: 0.0,
        }
    }
}

/// Tentative collisions along a way.
struct Steps<'a> {
    scene: &'a Scene,
    media: &'a MediumStack,
    way: &'a MediumWay<'a>,
    t: f32,
    /// End of the part in which `bound` holds.
    end: f32,
    /// Bound on the extinction [1/m].
    bound: f32,
}

impl Steps<'_> {
    /// Distance of the next collision [m], and the bound there [1/m]; `None` at the end of the way.
    fn next(&mut self, noise: &mut Noise) -> Option<(f32, f32)> {
        let mut optical = -ln((1.0 - noise.number()).max(f32::MIN_POSITIVE));
        loop {
            let depth = (self.end - self.t) * self.bound;
            if optical < depth {
                self.t += optical / self.bound;
                return Some((self.t, self.bound));
            }
            optical -= depth.max(0.0);
            self.t = self.end;
            if self.t >= self.way.length {
                return None;
            }
            self.advance();
        }
    }

    /// Goes to the next part.
    fn advance(&mut self) {
        (self.end, self.bound) = (self.way.length, 0.0);
        for (id, _) in self.media.media(&self.scene.bodies) {
            let (end, bound) = match self.scene.bodies.medium(id) {
                Medium::Clear => continue,
                Medium::Homogeneous(of) => (f32::INFINITY, of.extinction().max_component()),
                Medium::Varying(_) => match &self.scene.majorants[id.0 as usize] {
                    Some(of) => of.bound_from(self.way.ray, self.t),
                    None => continue,
                },
            };
            self.end = self.end.min(end);
            self.bound += bound;
        }
        // Rounding must not stop the way.
        self.end = self.end.max(self.t.next_up());
    }
}
