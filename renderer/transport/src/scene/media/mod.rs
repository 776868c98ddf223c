//! Participating media of a scene: transmittance of ray segments and sampling of scattering distances.
//!
//! Homogeneous media have analytic transmittance; heterogeneous ones use delta and ratio tracking ([`tracking`]) with
//! precomputed majorants ([`majorant`]).

mod build;
pub(crate) mod homogeneous;
pub(crate) mod majorant;
pub(crate) mod segment;
mod tracking;
pub(crate) mod validate;

use std::borrow::Cow;

use glam::{Vec2, Vec3};

use super::Scene;
use crate::interior::{Body, BodyId, InteriorList, MediumClass, beer_lambert};
use crate::material::{HitRay, Medium, RayKind, ShadingContext};
use crate::medium::Coefficients;
use homogeneous::sample_homogeneous;
use renderer_base::color::Rgb;
use renderer_base::sampler::Rng;
use renderer_geometry::{Interaction, ShapeId};
use segment::{MediumSample, RaySegment};

impl Scene {
    /// Transmittance of a segment, or an unbiased estimate of it.
    #[inline]
    pub fn medium_transmittance(
        &self,
        interior: &InteriorList,
        segment: &RaySegment<'_>,
        rng: &mut Rng,
        shading: &mut ShadingContext,
    ) -> Rgb {
        match interior.medium_class() {
            MediumClass::Vacuum => Rgb::WHITE,
            MediumClass::Absorbing(absorption) => beer_lambert(absorption, segment.length),
            MediumClass::Scattering => match self.homogeneous(interior) {
                Some(medium) => beer_lambert(medium.extinction(), segment.length),
                None => self.ratio_tracking(interior, segment, rng, shading),
            },
        }
    }

    /// Samples a scattering distance on a segment; multiplies `throughput` by the weight and adds emission times
    /// throughput to `radiance`. `u` selects a channel and a distance in homogeneous media.
    pub fn sample_medium(
        &self,
        interior: &InteriorList,
        segment: &RaySegment<'_>,
        (throughput, radiance): (&mut Rgb, &mut Rgb),
        (u, rng): (Vec2, &mut Rng),
        shading: &mut ShadingContext,
    ) -> MediumSample {
        match self.homogeneous(interior) {
            Some(medium) => sample_homogeneous(medium, segment.length, throughput, radiance, u),
            None => self.delta_tracking(interior, segment, (throughput, radiance), rng, shading),
        }
    }

    /// Sum of the media, if all are homogeneous.
    pub(crate) fn homogeneous<'a>(&'a self, interior: &'a InteriorList) -> Option<Cow<'a, Coefficients>> {
        let mut sum: Option<Cow<'a, Coefficients>> = None;
        for (id, _) in interior.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(medium) => match &mut sum {
                    None => sum = Some(Cow::Borrowed(medium)),
                    Some(sum) => sum.to_mut().add(medium),
                },
                Medium::Varying(_) => return None,
            }
        }
        Some(sum.unwrap_or_default())
    }

    /// Sum of the media at a distance on a segment.
    pub(crate) fn coefficients(
        &self,
        interior: &InteriorList,
        segment: &RaySegment<'_>,
        t: f32,
        shading: &mut ShadingContext,
    ) -> Coefficients {
        let mut sum = Coefficients::default();
        for (id, _) in interior.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(medium) => sum.add(medium),
                Medium::Varying(_) => {
                    let ray = HitRay { kind: RayKind::DIFFUSE, depth: segment.depth, outside: 1.0 };
                    let (p, along) = (segment.ray.at(t), segment.ray.direction);
                    sum.add(&self.medium_at(id, (p, along, segment.ray.time), ray, shading));
                }
            }
        }
        sum
    }

    /// Coefficients of a heterogeneous medium at a point, for a unit ray direction and a time.
    pub(crate) fn medium_at(
        &self,
        id: BodyId,
        (p, direction, time): (Vec3, Vec3, f32),
        ray: HitRay,
        shading: &mut ShadingContext,
    ) -> Coefficients {
        let Medium::Varying(shader) = self.bodies.medium(id) else {
            return Coefficients::default();
        };
        let majorant = self.majorants.get(id.0 as usize).and_then(Option::as_ref);
        if majorant.is_some_and(|majorant| !majorant.contains(p, time)) {
            return Coefficients::default();
        }
        let body = self.bodies.get(id);
        let it = medium_point(body, p, direction, time);
        let medium = self.materials[body.material.0 as usize].medium_at(shader, &it, ray, shading);
        match majorant {
            Some(majorant) => medium.limited(majorant.limit()),
            None => medium,
        }
    }
}

/// A point inside a body on a ray of unit direction, for its shader.
fn medium_point(body: &Body, p: Vec3, direction: Vec3, time: f32) -> Interaction {
    Interaction {
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
    }
}
