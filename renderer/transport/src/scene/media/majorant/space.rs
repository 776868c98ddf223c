//! Space of a medium's majorant grid: object space, which instances share, or world space.

use glam::{Affine3A, Vec3};

use crate::medium::Coefficients;
use renderer_base::math::{Bounds, Ray, cbrt, determinant, inverse};

/// Collisions along the diagonal of a medium that only emits light.
const EMISSION_STEPS: f32 = 16.0;

/// Optical depth along the diagonal of a medium that is as good as opaque everywhere: more would only cost time.
const OPAQUE: f32 = 1e5;

/// The space of a medium's grid: that of an object, whose instances share the grid, or the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediumSpace {
    /// Bounds of the medium.
    pub(super) bounds: Bounds,
    world_from_medium: Affine3A,
    medium_from_world: Option<Affine3A>,
    /// Length of a unit [m].
    scale: f32,
}

/// A probe of a medium at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Rate of collisions that suits the medium there [1/m].
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

    /// The space of an object with these bounds in it.
    pub(crate) fn object(bounds: Bounds, world_from_object: Affine3A) -> MediumSpace {
        MediumSpace {
            bounds: bounds.widened(),
            world_from_medium: world_from_object,
            medium_from_world: Some(inverse(&world_from_object)),
            scale: cbrt(determinant(&world_from_object.matrix3).abs()),
        }
    }

    /// A point of the medium in the world.
    pub(crate) fn to_world(self, p: Vec3) -> Vec3 {
        self.world_from_medium.transform_point3(p)
    }

    /// A point of the world in the space of the medium.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.medium_from_world
            .map_or(p, |matrix| matrix.transform_point3(p))
    }

    /// The line of a ray, whose distances are those of the ray.
    pub(super) fn line(&self, ray: &Ray) -> (Vec3, Vec3) {
        match self.medium_from_world {
            Some(matrix) => (
                matrix.transform_point3(ray.origin),
                matrix.transform_vector3(ray.direction),
            ),
            None => (ray.origin, ray.direction),
        }
    }

    /// Length of a unit [m].
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// Diagonal of the bounds [m].
    pub(super) fn diagonal(&self) -> f32 {
        2.0 * self.bounds.radius() * self.scale
    }

    /// Returns whether a grid of this space can be that of another one.
    pub(crate) fn is_congruent(&self, other: &MediumSpace) -> bool {
        let ratio = self.scale / other.scale;
        let is_of_object = self.medium_from_world.is_some() && other.medium_from_world.is_some();
        is_of_object && self.bounds == other.bounds && (0.7..1.4).contains(&ratio)
    }

    /// The probe with these coefficients.
    pub(crate) fn probe(&self, medium: &Coefficients) -> Probe {
        let extinction = medium.extinction().max_component().min(self.limit());
        Probe {
            rate: match medium.emission.is_black() {
                true => extinction,
                false => extinction.max(EMISSION_STEPS / self.diagonal()),
            },
            is_faulty: medium.is_faulty(),
        }
    }

    /// Extinction above which a medium is as good as opaque [1/m].
    pub(super) fn limit(&self) -> f32 {
        OPAQUE / self.diagonal()
    }
}
