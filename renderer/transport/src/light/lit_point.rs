//! Shading points for light selection: position, normal and an approximate glossy lobe of the BSDF.
// After Tokuyoshi et al. 2024, "Hierarchical Light Sampling with Accurate Spherical Gaussian Lighting": a lobe besides the
// cosine in the importance of a light, here of the GGX distribution's shape.

use glam::Vec3;

use crate::bsdf::GlossyLobe;
use renderer_base::math::sqr;

/// A shading point for light selection. Aligned, so that copies are made of whole vectors.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct LitPoint {
    /// Where it is [m].
    pub p: Vec3,
    /// Unit normal of the side on which incident light counts; zero if it counts from all directions.
    pub n: Vec3,
    /// Direction from which the glossy lobe mirrors light, unit length.
    mirror: Vec3,
    /// The square of the lobe's roughness.
    alpha2: f32,
    /// The lobe's share of the scattered light; the rest is diffuse.
    glossy: f32,
}

/// Least share of the diffuse part, since the tails of a lobe are brighter than the estimate, and lights may be
/// occluded.
const LEAST_DIFFUSE: f32 = 0.1;

impl LitPoint {
    /// A point without a surface: light from all directions counts alike.
    pub fn in_space(p: Vec3) -> LitPoint {
        LitPoint::on_surface(p, Vec3::ZERO)
    }

    /// A point of a diffuse surface with the unit normal `n`.
    pub fn on_surface(p: Vec3, n: Vec3) -> LitPoint {
        LitPoint {
            p,
            n,
            mirror: n,
            alpha2: 1.0,
            glossy: 0.0,
        }
    }

    /// The same point with a glossy lobe.
    #[inline]
    pub fn with_gloss(self, lobe: &GlossyLobe) -> LitPoint {
        LitPoint {
            mirror: lobe.mirror,
            // Below, the peak's density would be infinite in `f32`.
            alpha2: sqr(lobe.alpha.max(1e-3)),
            glossy: lobe.share.min(1.0 - LEAST_DIFFUSE),
            ..self
        }
    }

    /// Response to light from a cone of directions around the unit vector `wi`: the cosine for the diffuse part, and π
    /// times the density for the lobe. The cone is given by the cosine and the sine of its half-angle; the directions
    /// of the cone closest to the normal and to the lobe are used. Written without branches that depend on the light.
    #[inline(always)]
    pub(super) fn response(&self, wi: Vec3, size: (f32, f32)) -> f32 {
        let nearest = |axis: Vec3| {
            let cos = axis.dot(wi).clamp(-1.0, 1.0);
            less((cos, (1.0 - cos * cos).sqrt()), size).0
        };
        let has_side = self.n.dot(self.n) > 0.0;
        let cosine = if has_side { nearest(self.n).max(0.0) } else { 1.0 };
        // The same for all lights: the compiler takes the test out of the loop over a node's children.
        if self.glossy == 0.0 {
            return cosine;
        }
        // Squared cosine of the half vector's angle.
        let cos2_h = 0.5 + 0.5 * nearest(self.mirror);
        let density = 0.25 * self.alpha2 / sqr(1.0 + cos2_h * (self.alpha2 - 1.0));
        // A lobe that lies within the cone receives at most all of its light.
        let filled = 2.0 * (1.0 - size.0);
        let lobe = density / (1.0 + density * filled);
        let reaches = if cosine > 0.0 { 1.0 } else { 0.0 };
        (1.0 - self.glossy) * cosine + self.glossy * lobe * reaches
    }

    /// The same for a light at infinity of the angular radius with that sine.
    pub(super) fn distant_response(&self, wi: Vec3, sine: f32) -> f32 {
        self.response(wi, ((1.0 - sqr(sine)).max(0.0).sqrt(), sine))
    }
}

/// Cosine and sine of the angle `a` less `b`, but not less than 0.
#[inline(always)]
pub(super) fn less((cos_a, sin_a): (f32, f32), (cos_b, sin_b): (f32, f32)) -> (f32, f32) {
    let is_within = cos_a > cos_b;
    let cos = cos_a * cos_b + sin_a * sin_b;
    let sin = sin_a * cos_b - cos_a * sin_b;
    if is_within { (1.0, 0.0) } else { (cos, sin) }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;

    #[test]
    fn a_lobe_integrates_to_about_its_share() {
        for alpha in [0.05, 0.2, 0.5] {
            let lobe = GlossyLobe {
                mirror: Vec3::Z,
                alpha,
                share: 0.9,
            };
            let at = LitPoint::in_space(Vec3::ZERO).with_gloss(&lobe);
            // Over the cosine of the angle to the lobe, π times a density.
            let n = 200_000;
            let sum: f64 = (0..n)
                .map(|i| {
                    let cos = 1.0 - 2.0 * (i as f32 + 0.5) / n as f32;
                    let wi = Vec3::new((1.0 - cos * cos).max(0.0).sqrt(), 0.0, cos);
                    f64::from(at.response(wi, (1.0, 0.0)) - 0.1) * 2.0 * f64::from(PI) * 2.0 / f64::from(n)
                })
                .sum();
            let lobe_share = sum / f64::from(PI);
            assert!((0.8..1.1).contains(&(lobe_share / 0.9)), "{alpha}: {lobe_share}");
        }
    }

    #[test]
    fn a_mirrored_light_counts_more_than_another() {
        let lobe = GlossyLobe {
            mirror: Vec3::new(0.6, 0.0, 0.8),
            alpha: 0.1,
            share: 1.0,
        };
        let at = LitPoint::on_surface(Vec3::ZERO, Vec3::Z).with_gloss(&lobe);
        let mirrored = at.response(lobe.mirror, (1.0, 0.0));
        assert!(mirrored > 20.0 * at.response(Vec3::new(-0.6, 0.0, 0.8), (1.0, 0.0)));
        assert_eq!(at.response(Vec3::new(0.6, 0.0, -0.8), (1.0, 0.0)), 0.0);
        // A light that fills the lobe brings no more than its radiance.
        let (cos, sin) = (0.5f32.cos(), 0.5f32.sin());
        let filled = at.response(lobe.mirror, (cos, sin)) * 2.0 * (1.0 - cos);
        assert!((0.7..1.1).contains(&filled), "{filled}");
    }
}
