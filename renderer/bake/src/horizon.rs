//! Sampling of incident directions at a baked point: hemisphere (cosine and uniform mixture) or full sphere.
//!
//! On a surface most directions have cosine density, the weight of irradiance, and some uniform density: with cosine density
//! only, the constant coefficient would have infinite variance. The height depends on one random number, which preserves
//! stratification.
//!
//! A direction above the horizon of the shading normal but below that of the geometric normal is mirrored to above it,
//! so that facets of a smooth surface do not shadow themselves.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::receiver::GatherPoint;
use renderer_base::math::{Frame, INV_PI, Ray, RayEnd, safe_sqrt, sin_cos};
use renderer_base::sampling::{uniform_sphere, uniform_sphere_pdf};
use renderer_transport::light::LightSampleContext;
use renderer_transport::scene::{Scene, Surroundings};

/// The set of incident directions at a point.
pub(super) enum Horizon {
    /// The hemisphere above a surface, with the frame of its shading normal.
    Hemisphere(GatherPoint, Frame),
    /// The full sphere.
    Sphere(Vec3),
}

/// Fraction of directions above a surface with uniform density.
const UNIFORM_FRACTION: f32 = 0.25;

/// A direction of the upper hemisphere with the density of [`above_pdf`].
fn above(u: Vec2) -> Vec3 {
    // The cumulative distribution of the height is UNIFORM_FRACTION z + (1 − UNIFORM_FRACTION) z².
    let z = ((UNIFORM_FRACTION * UNIFORM_FRACTION + 4.0 * (1.0 - UNIFORM_FRACTION) * u.y).sqrt()
        - UNIFORM_FRACTION)
        / (2.0 * (1.0 - UNIFORM_FRACTION));
    let (sin, cos) = sin_cos(TAU * u.x);
    let r = safe_sqrt(1.0 - z * z);
    Vec3::new(r * cos, r * sin, z)
}

/// Density of [`above`] per solid angle at a height [1/sr].
fn above_pdf(z: f32) -> f32 {
    (0.5 * UNIFORM_FRACTION + (1.0 - UNIFORM_FRACTION) * z) * INV_PI
}

impl Horizon {
    /// Samples a direction.
    pub(super) fn direction(&self, u: Vec2) -> Vec3 {
        match self {
            Horizon::Hemisphere(_, frame) => frame.to_world(above(u)),
            Horizon::Sphere(_) => uniform_sphere(u),
        }
    }

    /// Density of [`Horizon::direction`] [1/sr].
    pub(super) fn pdf(&self, w: Vec3) -> f32 {
        match self {
            Horizon::Hemisphere(site, _) => above_pdf(w.dot(site.n).max(0.0)),
            Horizon::Sphere(_) => uniform_sphere_pdf(),
        }
    }

    /// Weight of a direction in irradiance.
    pub(super) fn cosine(&self, w: Vec3) -> f32 {
        match self {
            Horizon::Hemisphere(site, _) => w.dot(site.n),
            Horizon::Sphere(_) => 0.25,
        }
    }

    /// The point, for light selection.
    pub(super) fn lit_point(&self, scene: &Scene) -> LightSampleContext {
        match self {
            Horizon::Hemisphere(site, _) => {
                LightSampleContext::on_surface(site.p, site.n).of_receiver(scene.receiver_class(site.shape))
            }
            Horizon::Sphere(p) => LightSampleContext::in_space(*p),
        }
    }

    /// The point as origin of shadow rays.
    pub(super) fn ray_end(&self) -> RayEnd {
        match self {
            Horizon::Hemisphere(site, _) => site.ray_end(),
            Horizon::Sphere(p) => RayEnd::in_space(*p),
        }
    }

    /// Surroundings of the point in the direction `w`.
    pub(super) fn surroundings(&self, scene: &Scene, w: Vec3) -> Surroundings {
        match self {
            Horizon::Hemisphere(site, _) => scene.surroundings(&site.ray_end(), site.shape, &self.ray(w)),
            Horizon::Sphere(_) => Surroundings { interior: scene.interior_at(&self.ray(w)), contact: None },
        }
    }

    /// The ray for the incident radiance from `w`.
    pub(super) fn ray(&self, w: Vec3) -> Ray {
        match self {
            Horizon::Hemisphere(site, _) => {
                let below = w.dot(site.ng).min(0.0);
                site.ray((w - site.ng * (2.0 * below)).normalize_or(site.ng))
            }
            Horizon::Sphere(p) => Ray::new(*p, w),
        }
    }

    /// Returns whether light from direction `w` reaches the point.
    pub(super) fn sees(&self, w: Vec3) -> bool {
        match self {
            Horizon::Hemisphere(site, _) => w.dot(site.n) > 0.0 && w.dot(site.ng) > 0.0,
            Horizon::Sphere(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_agree_with_directions() {
        // The means of f/pdf over directions are the integrals over the hemisphere.
        let (mut solid_angle, mut cosine, mut square) = (0.0, 0.0, 0.0);
        for i in 0..10_000 {
            let u = Vec2::new((i as f32 * 0.618_034).fract(), (i as f32 + 0.5) / 1e4);
            let w = above(u);
            assert!((w.length() - 1.0).abs() < 1e-5 && w.z > 0.0);
            let weight = 1e-4 / above_pdf(w.z);
            solid_angle += weight;
            cosine += w.z * weight;
            square += w.x * w.x * weight;
        }
        let near = |found: f32, expected: f32| (found / expected - 1.0).abs() < 1e-3;
        assert!(near(solid_angle, TAU), "{solid_angle}");
        assert!(near(cosine, 0.5 * TAU), "{cosine}");
        assert!(near(square, TAU / 3.0), "{square}");
    }
}
