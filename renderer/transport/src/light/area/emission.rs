//! Emission of area lights: sampled points, photons, and probes of the emission shader.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::{AreaLight, EmitterShape, has_facing_discs};
use crate::light::emission_distribution::{EmissionProbe, ProbeResult};
use crate::light::sample::{Emission, PrimarySample};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, Ray, RayEnd};
use renderer_base::sampling::{cosine_hemisphere, triangle};
use renderer_geometry::{Hit, Interaction, SHUTTER_OPEN, SurfacePoint, Tangents};

/// Sampled point of an emitter.
enum EmittingPoint {
    /// On a face, whose emission is uniform.
    OfFace,
    Surface(SurfacePoint),
    /// Point of curves or points, with the parameter of the segment.
    OfStrand(Vec3, f32),
}

impl AreaLight {
    /// Emits a photon in a cosine-distributed direction.
    pub(in crate::light) fn emit(
        &self,
        sample: &PrimarySample,
        context: &mut ShadingContext,
    ) -> Option<Emission> {
        let mut place = self.pattern.sample(sample.primitive, sample.position);
        if let EmitterShape::Strands(strands) = &self.surface {
            let density = place.density;
            place = strands.select(place.primitive, place.rest, place.u);
            place.density *= density;
        }
        let (end, pdf, point) = self.emitting_point(place.primitive, place.u, sample.time)?;
        let direction = self.sample_exitant_direction(end.ng, place.rest < 0.5, sample.direction);
        let at = (place.primitive, sample.time);
        let radiance = self.radiance_from(&point, at, direction, context);
        // The cosine cancels against the density of the direction, cos θ / π.
        let power = radiance * (PI * self.sides() / (pdf * place.density));
        let origin = end.ray_origin(direction);
        (pdf > 0.0 && power.is_finite() && !power.is_black()).then_some(Emission {
            ray: Ray::new(origin, direction),
            surface: Some((end, self.id)),
            power,
        })
    }

    /// Number of emitting sides.
    pub(super) fn sides(&self) -> f32 {
        if self.emits_on_back() { 2.0 } else { 1.0 }
    }

    /// Returns whether photons start on both sides. Discs that face rays have one side.
    fn emits_on_back(&self) -> bool {
        self.material.two_sided_emission() && !has_facing_discs(&self.shape)
    }

    /// Point of a primitive (of a face, if they are the primitives of the distribution) for a point of its parameter square,
    /// and its density per area [1/m²] under uniform sampling of the square; `None` if there is no such point.
    fn emitting_point(&self, primitive: u32, place: Vec2, time: f32) -> Option<(RayEnd, f32, EmittingPoint)> {
        let (point, pdf) = match &self.surface {
            EmitterShape::Faces(faces) => {
                let (end, pdf) = faces.point(primitive, place);
                return Some((end, pdf, EmittingPoint::OfFace));
            }
            EmitterShape::Strands(_) => {
                let found = self.shape.sample_strand(primitive, place, time)?;
                return Some((found.end, found.pdf, EmittingPoint::OfStrand(found.end.p, found.s)));
            }
            EmitterShape::Moving => {
                let point = self.shape.surface_point_at(primitive, triangle(place), time);
                (point, self.shape.pdf_area_at(primitive, point.ng, time))
            }
            EmitterShape::Triangles(triangles) => {
                let point = self.shape.surface_point(primitive, triangle(place));
                (point, triangles[primitive as usize].inverse_area)
            }
            EmitterShape::Sphere(..) | EmitterShape::Analytic(_) => {
                let sample = self.shape.sample_area_at(primitive, place, time);
                (sample.point, sample.pdf)
            }
        };
        Some((point.ray_end(), pdf, EmittingPoint::Surface(point)))
    }

    /// Samples a cosine-distributed direction about a normal; on the back if `back` is set and both sides emit.
    fn sample_exitant_direction(&self, ng: Vec3, back: bool, u: Vec2) -> Vec3 {
        let normal = if back && self.emits_on_back() { -ng } else { ng };
        Frame::from_normal(normal).to_world(cosine_hemisphere(u))
    }

    /// Radiance of a point of a primitive in a direction at a time.
    fn radiance_from(
        &self,
        point: &EmittingPoint,
        (primitive, time): (u32, f32),
        direction: Vec3,
        context: &mut ShadingContext,
    ) -> Rgb {
        if let Some(radiance) = self.material.constant_emission() {
            return radiance;
        }
        let it = match *point {
            EmittingPoint::OfFace => unreachable!("faces emit alike all over"),
            EmittingPoint::Surface(point) => {
                Interaction { time, ..point.seen_from(direction, self.id, primitive) }
            }
            EmittingPoint::OfStrand(p, s) => {
                let ray = Ray { time, ..Ray::new(p, -direction) };
                self.strand_hit(primitive, (p, s), &ray)
            }
        };
        self.material.emission_at(&it, 0, context)
    }

    /// Point of curves or points as the hit of a ray; `s` is the parameter of the segment.
    pub(super) fn strand_hit(&self, primitive: u32, (p, s): (Vec3, f32), ray: &Ray) -> Interaction {
        let t = (p - ray.origin).dot(ray.direction);
        let hit = Hit { t, shape: self.id, primitive, barycentric: Vec2::new(s, 0.0) };
        self.shape.interaction(self.id, &hit, ray, Tangents::ByUv)
    }

    /// Power that a photon with these random numbers would have under a uniform distribution.
    pub(super) fn probe(&self, probe: &EmissionProbe, context: &mut ShadingContext) -> ProbeResult {
        let found = self.emitting_point(probe.primitive, probe.point, SHUTTER_OPEN);
        let Some((end, pdf, point)) = found else {
            return ProbeResult::default();
        };
        if pdf <= 0.0 {
            return ProbeResult::default();
        }
        let direction = self.sample_exitant_direction(end.ng, probe.side < 0.5, probe.direction);
        let at = (probe.primitive, SHUTTER_OPEN);
        let radiance = self.radiance_from(&point, at, direction, context);
        let exitance = PI * self.sides() * radiance.luminance();
        ProbeResult { power: exitance / pdf, area: 1.0 / pdf }
    }
}
