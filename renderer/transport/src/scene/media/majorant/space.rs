//! Space of a medium's majorant grid: object space, which instances share, or world space.

use glam::{Affine3A, Vec3};

use crate::material::MediumRegion;
use crate::medium::Coefficients;
use renderer_base::math::{Bounds, Ray, cbrt, determinant, inverse};

/// Tentative collisions along the diagonal of a medium that only emits light.
const EMISSION_STEPS: f32 = 16.0;

/// Maximum optical depth along the diagonal: a denser medium is indistinguishable and would only take time.
const MAX_OPTICAL_DEPTH: f32 = 1e5;

/// Space of a majorant grid: object space, whose instances share the grid, or world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediumSpace {
    /// Bounds of the medium in this space.
    pub(super) bounds: Bounds,
    world_from_medium: Affine3A,
    medium_from_world: Option<Affine3A>,
    /// Length of a unit [m].
    pub(super) scale: f32,
}

/// A probe of a medium at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediumProbe {
    /// Suitable rate of tentative collisions [1/m].
    pub(crate) rate: f32,
    /// True if coefficients were below zero or not numbers.
    pub(crate) is_faulty: bool,
}

impl MediumSpace {
    /// World space.
    pub(crate) fn world(bounds: Bounds) -> MediumSpace {
        MediumSpace {
            bounds,
            world_from_medium: Affine3A::IDENTITY,
            medium_from_world: None,
            scale: 1.0,
        }
    }

    /// Object space of an object; `bounds` are in object space.
    pub(crate) fn object(bounds: Bounds, world_from_object: Affine3A) -> MediumSpace {
        MediumSpace {
            bounds: bounds.widened(),
            world_from_medium: world_from_object,
            medium_from_world: Some(inverse(&world_from_object)),
            scale: cbrt(determinant(&world_from_object.matrix3).abs()),
        }
    }

    /// World-space position of a point of this space.
    pub(crate) fn to_world(self, p: Vec3) -> Vec3 {
        self.world_from_medium.transform_point3(p)
    }

    /// Part of the medium in a box of this space.
    pub(crate) fn region(&self, part: Bounds) -> MediumRegion {
        match self.medium_from_world {
            None => MediumRegion { bounds: part, local: None },
            Some(_) => {
                let corner = |i: usize| {
                    let pick = |axis: usize| if i >> axis & 1 == 0 { part.min[axis] } else { part.max[axis] };
                    self.to_world(Vec3::new(pick(0), pick(1), pick(2)))
                };
                let bounds = Bounds::of_points((0..8).map(corner)).widened();
                MediumRegion { bounds, local: Some(part) }
            }
        }
    }

    /// Position in this space of a point in world space.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.medium_from_world.map_or(p, |matrix| matrix.transform_point3(p))
    }

    /// Origin and direction of a ray in this space; distances are those of the ray.
    pub(super) fn line(&self, ray: &Ray) -> (Vec3, Vec3) {
        match self.medium_from_world {
            Some(matrix) => (matrix.transform_point3(ray.origin), matrix.transform_vector3(ray.direction)),
            None => (ray.origin, ray.direction),
        }
    }

    /// Diagonal of the bounds [m].
    pub(super) fn diagonal(&self) -> f32 {
        2.0 * self.bounds.radius() * self.scale
    }

    /// Returns whether instances in both spaces can share a grid.
    pub(crate) fn is_congruent(&self, other: &MediumSpace) -> bool {
        let ratio = self.scale / other.scale;
        let is_of_object = self.medium_from_world.is_some() && other.medium_from_world.is_some();
        is_of_object && self.bounds == other.bounds && (0.7..1.4).contains(&ratio)
    }

    /// Probe of these coefficients.
    pub(crate) fn probe(&self, medium: &Coefficients) -> MediumProbe {
        MediumProbe {
            rate: self.rate(medium.extinction().max_component(), !medium.emission.is_black()),
            is_faulty: medium.is_faulty(),
        }
    }

    /// Suitable rate of tentative collisions [1/m].
    pub(crate) fn rate(&self, extinction: f32, emits: bool) -> f32 {
        let extinction = extinction.min(self.limit());
        match emits {
            true => extinction.max(EMISSION_STEPS / self.diagonal()),
            false => extinction,
        }
    }

    /// Extinction above which a medium counts as opaque [1/m].
    pub(super) fn limit(&self) -> f32 {
        MAX_OPTICAL_DEPTH / self.diagonal()
    }
}
