//! Adjoint BSDF for photons at shading normals: evaluation and sampling in importance mode.
//!
//! A light path arrives along `wo`; the viewer is at `wi`. The frame of a lobe is bent for its viewer
//! ([`normal`](super::normal)), so f depends on the frame bent for `wi`, which is unknown before `wi` is sampled.
//! Directions are therefore sampled from the lobe in its own frame, or by the cosine to the geometric normal, and
//! weighted by both densities (MIS): where `wo` is below the horizon of the shading normal, only the latter finds
//! viewers.

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeKind, Side};
use super::{Bsdf, BsdfSample, GeometricCosines, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI, ONE_MINUS_EPSILON};
use renderer_base::sampling::cosine_hemisphere;

/// Sine of the angle between two normals below which they count as equal.
const SAME_NORMAL: f32 = 1e-3;

impl Bsdf {
    /// f·|cos θi| and density of one lobe in importance mode.
    pub(super) fn eval_importance(
        &self,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        let share = self.geometric_share(weighted, wo);
        let (f, pdf) = self.eval_in(&weighted.frame, weighted, wo, wi, sides);
        if share == 0.0 {
            return (f, pdf);
        }
        let bent = (weighted.terminator).frame(weighted.frame, self.ng, wi, &weighted.lobe, weighted.traits);
        let (f, _) = self.eval_in(&bent, weighted, wo, wi, sides);
        let geometric = weighted.probability * geometric_pdf(weighted, sides);
        (f, (1.0 - share) * pdf + share * geometric)
    }

    /// Samples a direction of the lobe at `index` in importance mode; weight and density are those of all lobes that
    /// `counts` selects. Returns `None` also for delta lobes and unbent lobes, which need no special sampling.
    pub(super) fn sample_importance(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        let share = self.geometric_share(chosen, wo);
        let (wi, side) = if u_lobe < share {
            (self.sample_geometric(chosen, wo, u_lobe / share, u), None)
        } else {
            let u_lobe = ((u_lobe - share) / (1.0 - share)).min(ONE_MINUS_EPSILON);
            let local = chosen.lobe.sample(chosen.frame.to_local(wo), u_lobe, u)?;
            (chosen.frame.to_world(local.wi), Some(local.kind.side))
        };
        let sides = self.sides(wo, wi);
        if side.is_some_and(|side| side != sides.side) {
            return None;
        }
        let (f, pdf) = self.sum_lobes(wo, wi, sides, counts);
        let eta = match sides.side {
            Side::Reflection => 1.0,
            Side::Transmission => chosen.lobe.eta(wo.dot(chosen.frame.n)),
        };
        (pdf > 0.0).then(|| BsdfSample {
            wi,
            weight: f / pdf,
            pdf,
            lobe: LobeKind {
                side: sides.side,
                spread: chosen.lobe.spread(),
            },
            eta,
            index: index as u8,
        })
    }

    /// Returns whether [`Bsdf::sample_importance`] samples the lobe. Fibres, which have no sides, are excluded.
    #[inline]
    pub(super) fn is_tilted(&self, weighted: &WeightedLobe) -> bool {
        !weighted.traits.specular
            && !weighted.lobe.is_fibre()
            && weighted.frame.n.cross(self.ng).length_squared() > SAME_NORMAL * SAME_NORMAL
    }

    /// Probability of sampling by the cosine to the geometric normal: 1 if the lobe cannot sample a direction.
    fn geometric_share(&self, weighted: &WeightedLobe, wo: Vec3) -> f32 {
        if !self.is_tilted(weighted) {
            return 0.0;
        }
        let n = weighted.frame.n;
        let sees = wo.dot(n) * wo.dot(self.ng) * n.dot(self.ng) > 0.0;
        if sees {
            0.5 * n.cross(self.ng).length().min(1.0)
        } else {
            1.0
        }
    }

    /// Samples a direction by the cosine to the geometric normal, on a side to which the lobe scatters.
    fn sample_geometric(&self, weighted: &WeightedLobe, wo: Vec3, u_side: f32, u: Vec2) -> Vec3 {
        let through = match sides_of(weighted) {
            (true, true) => u_side < 0.5,
            (_, through) => through,
        };
        let near = if wo.dot(self.ng) < 0.0 { -self.ng } else { self.ng };
        Frame::from_normal(if through { -near } else { near }).to_world(cosine_hemisphere(u))
    }
}

/// Density of [`Bsdf::sample_geometric`] [1/sr].
fn geometric_pdf(weighted: &WeightedLobe, sides: GeometricCosines) -> f32 {
    let share = match (sides_of(weighted), sides.side) {
        ((true, true), _) => 0.5,
        ((true, false), Side::Reflection) | ((false, true), Side::Transmission) => 1.0,
        _ => 0.0,
    };
    share * sides.cos_i.abs() * INV_PI
}

/// Returns whether the lobe may reflect, and whether it may transmit.
fn sides_of(weighted: &WeightedLobe) -> (bool, bool) {
    (weighted.lobe.has_reflection(), weighted.lobe.has_transmission())
}
