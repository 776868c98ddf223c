//! Light-sampling reference point: position, normal and an approximate glossy lobe of the BSDF.
// After Tokuyoshi et al. 2024, "Hierarchical Light Sampling with Accurate Spherical Gaussian Lighting": the importance
// of a light has a lobe besides the cosine, here of the GGX distribution's shape.

use glam::Vec3;

use super::link::ReceiverClass;
use crate::bsdf::GlossyLobe;
use renderer_base::math::sqr;

/// Reference point of light selection. Aligned, so that it is copied with whole vectors.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct LightSampleContext {
    /// Position [m].
    pub p: Vec3,
    /// Unit normal of the side on which incident light counts; zero if it counts from all directions.
    pub n: Vec3,
    /// Mirror direction of the glossy lobe, unit length.
    mirror: Vec3,
    /// Squared roughness of the lobe.
    alpha2: f32,
    /// Fraction of the scattered light in the lobe; the rest is diffuse.
    glossy: f32,
    /// Class of the shape that receives the light.
    pub receiver: ReceiverClass,
}

/// Minimum diffuse fraction: the tails of a lobe are brighter than the estimate, and lights may be occluded.
const MIN_DIFFUSE: f32 = 0.1;

impl LightSampleContext {
    /// Point without a surface: light from all directions counts equally.
    pub fn in_space(p: Vec3) -> LightSampleContext {
        LightSampleContext::on_surface(p, Vec3::ZERO)
    }

    /// Point of a diffuse surface with the unit normal `n`.
    pub fn on_surface(p: Vec3, n: Vec3) -> LightSampleContext {
        LightSampleContext {
            p,
            n,
            mirror: n,
            alpha2: 1.0,
            glossy: 0.0,
            receiver: ReceiverClass::default(),
        }
    }

    /// Sets the class of the receiving shape.
    #[inline]
    pub fn of_receiver(self, receiver: ReceiverClass) -> LightSampleContext {
        LightSampleContext { receiver, ..self }
    }

    /// Adds a glossy lobe.
    #[inline]
    pub fn with_gloss(self, lobe: &GlossyLobe) -> LightSampleContext {
        LightSampleContext {
            mirror: lobe.mirror,
            // Lower values would make the peak density infinite in `f32`.
            alpha2: sqr(lobe.alpha.max(1e-3)),
            glossy: lobe.share.min(1.0 - MIN_DIFFUSE),
            ..self
        }
    }

    /// Response to light from a cone of directions around the unit vector `wi`: the cosine for the diffuse part, and π
    /// times the density for the lobe. `size` is the cosine and sine of the cone's half-angle; the directions of the
    /// cone closest to the normal and to the lobe are used. There are no branches that depend on the light.
    #[inline(always)]
    pub(super) fn response(&self, wi: Vec3, size: (f32, f32)) -> f32 {
        let nearest = |axis: Vec3| {
            let cos = axis.dot(wi).clamp(-1.0, 1.0);
            angle_difference((cos, (1.0 - cos * cos).sqrt()), size).0
        };
        let has_side = self.n.dot(self.n) > 0.0;
        let cosine = if has_side { nearest(self.n).max(0.0) } else { 1.0 };
        // Independent of the light: the compiler moves the test out of the loop over a node's children.
        if self.glossy == 0.0 {
            return cosine;
        }
        // Squared cosine of the half vector's angle.
        let cos2_h = 0.5 + 0.5 * nearest(self.mirror);
        let density = 0.25 * self.alpha2 / sqr(1.0 + cos2_h * (self.alpha2 - 1.0));
        // A lobe inside the cone receives at most all of its light.
        let filled = 2.0 * (1.0 - size.0);
        let lobe = density / (1.0 + density * filled);
        let reaches = if cosine > 0.0 { 1.0 } else { 0.0 };
        (1.0 - self.glossy) * cosine + self.glossy * lobe * reaches
    }

    /// Response to an infinite light whose angular radius has this sine.
    pub(super) fn distant_response(&self, wi: Vec3, sine: f32) -> f32 {
        self.response(wi, ((1.0 - sqr(sine)).max(0.0).sqrt(), sine))
    }
}

/// Cosine and sine of the angle `a` − `b`, clamped to at least 0.
#[inline(always)]
pub(super) fn angle_difference((cos_a, sin_a): (f32, f32), (cos_b, sin_b): (f32, f32)) -> (f32, f32) {
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
            let lobe = GlossyLobe { mirror: Vec3::Z, alpha, share: 0.9 };
            let at = LightSampleContext::in_space(Vec3::ZERO).with_gloss(&lobe);
            // Integrated against the cosine to the lobe, it is π times a density.
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
        let lobe = GlossyLobe { mirror: Vec3::new(0.6, 0.0, 0.8), alpha: 0.1, share: 1.0 };
        let at = LightSampleContext::on_surface(Vec3::ZERO, Vec3::Z).with_gloss(&lobe);
        let mirrored = at.response(lobe.mirror, (1.0, 0.0));
        assert!(mirrored > 20.0 * at.response(Vec3::new(-0.6, 0.0, 0.8), (1.0, 0.0)));
        assert_eq!(at.response(Vec3::new(0.6, 0.0, -0.8), (1.0, 0.0)), 0.0);
        // A light that fills the lobe contributes no more than its radiance.
        let (cos, sin) = (0.5f32.cos(), 0.5f32.sin());
        let filled = at.response(lobe.mirror, (cos, sin)) * 2.0 * (1.0 - cos);
        assert!((0.7..1.1).contains(&filled), "{filled}");
    }
}
