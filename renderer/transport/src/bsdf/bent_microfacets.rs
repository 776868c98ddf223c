//! Microfacet lobes about bent normals (slopes). Light that a slope would scatter to the wrong side of the surface is
//! mirrored at the geometric plane, as if the slope met flat ground; a viewer who hardly sees the slope sees the ground
//! instead.
//!
//! Let `m` be the reflection at the geometric plane, f₀ the lobe about the bent normal, and f₁ the lobe about the
//! geometric normal. Then f(wo, wi) = s·(f₀(wo, wi) + f₀(wo, m(wi))) + (1 − s)·f₁(wo, wi), where each lobe contributes
//! on its own side only. `s` is the visible fraction of the slope: 0 if the slope faces away from the viewer, 1 if the
//! viewer's mirror direction is above the ground. In between, m(wi) approaches the mirror direction of the ground, so
//! pictures are continuous.
//!
//! Thus a lobe loses no light to its bent normal, mirrors have no black spots, and photons reach every viewer: a mirror
//! is inverted by reflection about one of two normals, before or after mirroring at the plane. Photons cannot invert
//! normals bent towards the viewer (Keller et al. 2017, "The Iray Light Transport Simulation and Rendering System",
//! appendix A.3). Slopes and ground are those of Schüssler et al. 2017, "Microfacet-based Normal Mapping for Robust
//! Monte Carlo Path Tracing", whose viewers see the ground far more often.

use glam::{Vec2, Vec3};

use super::evaluation::GeometricCosines;
use super::{Bsdf, BsdfSample, Lobe, TransportMode, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, ONE_MINUS_EPSILON};

/// Sine of the angle between two normals below which they count as equal.
const SAME_NORMAL: f32 = 1e-3;

impl Bsdf {
    /// Returns whether the normal of a frame differs from the geometric one.
    #[inline(always)]
    pub(super) fn is_bent(&self, frame: &Frame) -> bool {
        frame.n.cross(self.ng).length_squared() > SAME_NORMAL * SAME_NORMAL
    }

    /// Mirrors a direction at the geometric plane.
    #[inline(always)]
    pub(super) fn mirrored(&self, v: Vec3) -> Vec3 {
        v - self.ng * (2.0 * v.dot(self.ng))
    }

    /// Mirrors `v` at the geometric plane if it is not on the side of `wo`.
    pub(super) fn to_side_of(&self, wo: Vec3, v: Vec3) -> Vec3 {
        if v.dot(self.ng) * wo.dot(self.ng) < 0.0 {
            self.mirrored(v)
        } else {
            v
        }
    }

    /// Fraction of the surface at which a viewer in direction `w` sees the slope of normal `n`; the remainder is
    /// ground.
    #[inline(always)]
    pub(super) fn slope_share(&self, n: Vec3, w: Vec3) -> f32 {
        let share = 2.0 * (w.dot(n) * n.dot(self.ng).signum()) / w.dot(self.ng);
        // The quotient may be NaN at grazing angles.
        if share > 0.0 { share.min(1.0) } else { 0.0 }
    }

    /// Frame of the ground below a slope: about the geometric normal.
    #[inline]
    pub(super) fn ground(&self, slope: &Frame) -> Frame {
        let ng = if slope.n.dot(self.ng) < 0.0 { -self.ng } else { self.ng };
        Frame::from_normal_tangent(ng, slope.s)
    }

    /// Upper bound of the albedo for `wo` of a lobe pushed in `frame`, without weight.
    pub fn albedo_bound(&self, frame: &Frame, lobe: &Lobe) -> Rgb {
        let bound = |frame: &Frame| lobe.albedo_bound(frame.to_local(self.wo));
        if !lobe.traits().microfacets {
            return bound(&self.seen_frame(*frame, lobe));
        }
        match self.slope_share(frame.n, self.wo) {
            1.0 => bound(frame),
            0.0 => bound(&self.ground(frame)),
            share => bound(frame) * share + bound(&self.ground(frame)) * (1.0 - share),
        }
    }

    /// Estimated albedo of one lobe for `wo`, without weight.
    #[inline]
    pub(super) fn estimate(&self, weighted: &WeightedLobe, wo: Vec3) -> Rgb {
        let slope = weighted.lobe.estimate(weighted.frame.n.dot(wo));
        if !weighted.is_bent_microfacet {
            return slope;
        }
        if self.mode == TransportMode::Importance {
            return self.estimate_importance(weighted, wo);
        }
        let share = self.slope_share(weighted.frame.n, wo);
        slope * share + weighted.lobe.estimate(self.ng.dot(wo)) * (1.0 - share)
    }

    /// f·|cos θi| and density of a bent microfacet lobe; in importance mode the density has no meaning.
    #[inline(never)]
    pub(super) fn eval_bent(
        &self,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        let (viewer, mirrored) = match self.mode {
            TransportMode::Radiance => (wo, (wo, self.mirrored(wi))),
            TransportMode::Importance => (wi, (self.mirrored(wo), wi)),
        };
        let share = self.slope_share(weighted.frame.n, viewer);
        let mut sum = (Rgb::BLACK, 0.0);
        let mut add = |frame: &Frame, (wo, wi): (Vec3, Vec3), share: f32| {
            let (f, pdf) = self.eval_in(frame, weighted, wo, wi, sides);
            sum.0 += f * share;
            sum.1 += pdf * share;
        };
        if share > 0.0 {
            add(&weighted.frame, (wo, wi), share);
            add(&weighted.frame, mirrored, share);
        }
        if share < 1.0 {
            add(&self.ground(&weighted.frame), (wo, wi), 1.0 - share);
        }
        sum
    }

    /// Samples a bent microfacet lobe in radiance mode; weight and density are those of all lobes that `counts`
    /// selects.
    #[inline(never)]
    pub(super) fn sample_bent(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        let share = self.slope_share(chosen.frame.n, wo);
        let on_slope = u_lobe < share;
        let (frame, part, u_lobe) = match on_slope {
            true => (chosen.frame, share, u_lobe / share),
            false => (self.ground(&chosen.frame), 1.0 - share, (u_lobe - share) / (1.0 - share)),
        };
        let local_wo = frame.to_local(wo);
        let sample = chosen.lobe.sample(local_wo, u_lobe.min(ONE_MINUS_EPSILON), u)?;
        let mut wi = frame.to_world(sample.wi);
        if on_slope && self.sides(wo, wi).side != sample.kind.side {
            wi = self.mirrored(wi);
        }
        let sides = self.sides(wo, wi);
        if sides.side != sample.kind.side {
            return None;
        }
        let (weight, pdf) = if chosen.traits.specular {
            let scale = self.adjoint(&chosen.lobe, sides, local_wo.z, sample.wi.z, sample.eta);
            let weight = chosen.weight * sample.weight * (scale / chosen.probability);
            (weight, sample.pdf * part * chosen.probability)
        } else {
            let (f, pdf) = self.sum_lobes(wo, wi, sides, counts);
            (f / pdf, pdf)
        };
        (pdf > 0.0).then_some(BsdfSample {
            wi,
            weight,
            pdf,
            lobe: sample.kind,
            eta: sample.eta,
            index: index as u8,
        })
    }
}
