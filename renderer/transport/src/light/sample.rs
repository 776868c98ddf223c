//! Results of light sampling: directions with densities, shadow rays, emitted photons.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use renderer_base::color::Rgb;
use renderer_base::math::{Frame, Ray, RayEnd};
use renderer_base::sampling::disk;
use renderer_geometry::ShapeId;

/// Sampled direction towards a light.
#[derive(Clone, Copy, Debug)]
pub struct LightSample {
    /// Unit vector towards the light, world space.
    pub wi: Vec3,
    /// Density per solid angle [1/sr]; 1 for delta lights.
    pub pdf: f32,
    /// True for delta lights, which no ray can hit.
    pub is_delta: bool,
    /// Sampled point of the light; `None` for infinite lights.
    pub(super) end: Option<RayEnd>,
    pub(super) shine: SampledEmission,
}

/// Data from which the radiance of a sample is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum SampledEmission {
    Known(Rgb),
    /// Emission of an area light at a point, by its shader.
    FromPoint {
        primitive: u32,
        barycentric: Vec2,
    },
    /// Position on an environment map.
    FromMap(Vec2),
}

impl LightSample {
    /// Sampled point of the light; `None` for infinite lights.
    #[inline]
    pub fn end(&self) -> Option<RayEnd> {
        self.end
    }

    /// Shadow ray from `from` to the light, shortened at both ends so that it hits neither surface. `from` is the
    /// reference point for which the direction was sampled.
    #[inline(always)]
    pub fn shadow_ray(&self, from: &RayEnd) -> Ray {
        match &self.end {
            Some(end) => from.ray_to(end),
            None => Ray::new(from.ray_origin(self.wi), self.wi),
        }
    }
}

/// Point from which a light is seen.
#[derive(Clone, Copy, Debug)]
pub struct LightViewer {
    /// Reference point for which the direction was sampled [m].
    pub p: Vec3,
    /// Time as a fraction of the shutter interval, in `[0,1]`.
    pub time: f32,
    /// Number of scattering events of the path, the one at this point included.
    pub depth: u32,
}

impl LightViewer {
    /// A point that a camera sees.
    pub fn at(p: Vec3) -> LightViewer {
        LightViewer { p, time: 0.0, depth: 1 }
    }
}

/// Random numbers of an emitted photon, each in `[0,1)`.
#[derive(Clone, Copy, Debug)]
pub struct PrimarySample {
    /// Selects the part of the light.
    pub primitive: f64,
    /// Selects the point.
    pub position: Vec2,
    /// Selects the direction.
    pub direction: Vec2,
    /// Time as a fraction of the shutter interval.
    pub time: f32,
}

/// Emitted photon.
#[derive(Clone, Copy, Debug)]
pub struct Emission {
    /// Ray of the photon.
    pub ray: Ray,
    /// Point of the emissive shape; `None` for lights that are not shapes.
    pub surface: Option<(RayEnd, ShapeId)>,
    /// Power divided by the sampling density [W].
    pub power: Rgb,
}

/// Bounding sphere of the scene, the target of photons from infinite lights.
#[derive(Clone, Copy, Debug)]
pub struct EmissionBounds {
    /// Centre [m].
    pub center: Vec3,
    /// Radius [m].
    pub radius: f32,
}

impl EmissionBounds {
    /// Photon ray along `direction` through the point `u` of the disk that covers the target, and the disk's area.
    // Pharr et al. 2016, "Physically Based Rendering", section 16.1.2.
    pub(super) fn emission(self, direction: Vec3, u: Vec2) -> (Ray, f32) {
        let p = disk(u) * self.radius;
        let offset = Frame::from_normal(direction).to_world(Vec3::new(p.x, p.y, -self.radius));
        (Ray::new(self.center + offset, direction), PI * self.radius * self.radius)
    }
}

/// Sampled point of a light as seen from a reference point.
pub(super) struct SeenPoint {
    pub(super) wi: Vec3,
    /// Cosine between the light's normal and the direction to the reference point.
    pub(super) cos: f32,
    /// Density [1/sr].
    pub(super) pdf: f32,
    pub(super) end: RayEnd,
    pub(super) primitive: u32,
    /// Barycentric coordinates; zero on analytic shapes.
    pub(super) barycentric: Vec2,
}

impl SeenPoint {
    /// Sample for the point `end` of a primitive, with its barycentric coordinates, as seen from `p`; `pdf` returns the
    /// density for the squared distance and the cosine at the light. Returns `None` if the point is `p` itself.
    #[inline(always)]
    pub(super) fn from(
        p: Vec3,
        end: RayEnd,
        (primitive, barycentric): (u32, Vec2),
        pdf: impl FnOnce(f32, f32) -> f32,
    ) -> Option<SeenPoint> {
        let to_light = end.p - p;
        let distance_squared = to_light.length_squared();
        let wi = to_light / distance_squared.sqrt();
        let cos = -wi.dot(end.ng);
        (distance_squared > 0.0).then(|| SeenPoint {
            wi,
            cos,
            pdf: pdf(distance_squared, cos),
            end,
            primitive,
            barycentric,
        })
    }
}
