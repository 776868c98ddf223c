//! Results of light sampling: directions with densities, shadow rays, and emitted photons.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use renderer_base::color::Rgb;
use renderer_base::math::{Frame, Ray, RayEnd};
use renderer_base::sampling::disk;

/// A sampled direction towards a light.
#[derive(Clone, Copy, Debug)]
pub struct LightSample {
    /// Unit vector towards the light, world space.
    pub wi: Vec3,
    /// Density per solid angle [1/sr]; 1 for delta lights.
    pub pdf: f32,
    /// Whether no ray can hit the light (delta light).
    pub is_delta: bool,
    /// The point of the light; `None` at infinity.
    pub(super) end: Option<RayEnd>,
    pub(super) shine: Shine,
}

/// Data from which the radiance of a sample is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shine {
    Known(Rgb),
    /// Emission of an area light at a point, by its shader.
    FromPoint {
        primitive: u32,
        barycentric: Vec2,
    },
    /// A position on an environment map.
    FromMap(Vec2),
}

impl LightSample {
    /// The shadow ray from `from` to the light, shortened at both ends so that it hits neither surface. `from` is the
    /// point for which the direction was sampled.
    #[inline(always)]
    pub fn shadow_ray(&self, from: &RayEnd) -> Ray {
        match &self.end {
            Some(end) => from.ray_to(end),
            None => Ray::new(from.ray_origin(self.wi), self.wi),
        }
    }
}

/// An emitted photon.
#[derive(Clone, Copy, Debug)]
pub struct Emission {
    /// Its ray.
    pub ray: Ray,
    /// Power divided by the density of the choice [W].
    pub power: Rgb,
}

/// Bounding sphere of the scene, at which lights at infinity aim photons.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its centre [m].
    pub center: Vec3,
    /// Its radius [m].
    pub radius: f32,
}

impl Target {
    /// A photon ray along `direction` through the point `u` of the disk that covers the target, and the disk's area.
    // Pharr et al. 2016, "Physically Based Rendering", section 16.1.2.
    pub(super) fn emission(self, direction: Vec3, u: Vec2) -> (Ray, f32) {
        let p = disk(u) * self.radius;
        let offset = Frame::from_normal(direction).to_world(Vec3::new(p.x, p.y, -self.radius));
        (
            Ray::new(self.center + offset, direction),
            PI * self.radius * self.radius,
        )
    }
}

/// A point of the light as seen from somewhere.
pub(super) struct Seen {
    pub(super) wi: Vec3,
    /// Cosine between the light's normal and the direction back.
    pub(super) cos: f32,
    /// Per solid angle [1/sr].
    pub(super) pdf: f32,
    pub(super) end: RayEnd,
    pub(super) primitive: u32,
    /// Zero on analytic shapes.
    pub(super) barycentric: Vec2,
}

impl Seen {
    /// The point `end`, of a primitive and its weights, as seen from `p`, with the density that `pdf` gives for the square of
    /// the distance and the cosine at the light; `None` from the point itself.
    #[inline(always)]
    pub(super) fn from(
        p: Vec3,
        end: RayEnd,
        (primitive, barycentric): (u32, Vec2),
        pdf: impl FnOnce(f32, f32) -> f32,
    ) -> Option<Seen> {
        let to_light = end.p - p;
        let distance_squared = to_light.length_squared();
        let wi = to_light / distance_squared.sqrt();
        let cos = -wi.dot(end.ng);
        (distance_squared > 0.0).then(|| Seen {
            wi,
            cos,
            pdf: pdf(distance_squared, cos),
            end,
            primitive,
            barycentric,
        })
    }
}
