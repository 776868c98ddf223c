//! Spheres: where rays hit them, and directions towards them.

use std::f32::consts::TAU;
use std::sync::Arc;

use shading::ShaderInstance;

use super::vector::{Random, V};

/// Distance from a surface at which rays start [m].
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
        // From the nearest point of the ray: exact for large spheres, too.
        let off = to - direction * along;
        let half = (self.radius * self.radius - off.dot(off)).max(0.0).sqrt();
        [along - half, along + half]
            .into_iter()
            .find(|t| half > 0.0 && *t > OFFSET)
    }

    /// Cosine of the half angle under which the sphere is seen.
    pub(super) fn cos_max(&self, from: V) -> f32 {
        let to = self.center - from;
        (1.0 - self.radius * self.radius / to.dot(to)).max(0.0).sqrt()
    }

    /// Pdf of [`Sphere::sample`] per solid angle.
    pub(super) fn pdf(&self, from: V) -> f32 {
        1.0 / (TAU * (1.0 - self.cos_max(from)))
    }

    /// A direction towards the sphere, uniform in the cone under which it is seen, and its pdf.
    pub(super) fn sample(&self, from: V, random: &mut Random) -> (V, f32) {
        let axis = (self.center - from).unit();
        let cos = 1.0 - random.next() * (1.0 - self.cos_max(from));
        let around = random.direction();
        let side = (around - axis * around.dot(axis)).unit();
        (
            axis * cos + side * (1.0 - cos * cos).max(0.0).sqrt(),
            self.pdf(from),
        )
    }
}
