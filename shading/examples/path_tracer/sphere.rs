//! Spheres: ray intersection and direction sampling.

use std::f32::consts::TAU;
use std::sync::Arc;

use shading::ShaderInstance;

use super::vector::{Random, V};

/// Distance between a surface and the origins of rays [m].
pub(super) const OFFSET: f32 = 1e-3;

/// A sphere with its material.
pub(super) struct Sphere {
    pub(super) center: V,
    pub(super) radius: f32,
    pub(super) shader: Arc<ShaderInstance>,
    pub(super) is_light: bool,
}

impl Sphere {
    pub(super) fn hit(&self, from: V, direction: V) -> Option<f32> {
        let to = self.center - from;
        let along = to.dot(direction);
        // The distance to the ray is computed from its nearest point, which is accurate for large spheres.
        let off = to - direction * along;
        let half = (self.radius * self.radius - off.dot(off)).max(0.0).sqrt();
        [along - half, along + half].into_iter().find(|t| half > 0.0 && *t > OFFSET)
    }

    /// Returns the cosine of the half angle of the cone that the sphere subtends.
    pub(super) fn cos_max(&self, from: V) -> f32 {
        let to = self.center - from;
        (1.0 - self.radius * self.radius / to.dot(to)).max(0.0).sqrt()
    }

    /// Returns the pdf of [`Sphere::sample`] per solid angle.
    pub(super) fn pdf(&self, from: V) -> f32 {
        1.0 / (TAU * (1.0 - self.cos_max(from)))
    }

    /// Samples a direction uniformly in the cone that the sphere subtends, and returns it with its pdf.
    pub(super) fn sample(&self, from: V, random: &mut Random) -> (V, f32) {
        let axis = (self.center - from).unit();
        let cos = 1.0 - random.next() * (1.0 - self.cos_max(from));
        let around = random.direction();
        let side = (around - axis * around.dot(axis)).unit();
        (axis * cos + side * (1.0 - cos * cos).max(0.0).sqrt(), self.pdf(from))
    }
}
