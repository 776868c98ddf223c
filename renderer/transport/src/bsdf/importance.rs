//! Adjoint BSDF for photons at shading normals: evaluation and sampling in importance mode.
//!
//! A light path arrives along `wo`; the viewer is at `wi`. The frame of a lobe is bent for its viewer
//! ([`normal`](super::normal)), and microfacet lobes mix slope and ground by viewer
//! ([`bent_microfacets`](super::bent_microfacets)), so f depends on `wi` before `wi` is sampled. Directions are
//! therefore sampled from several [proposals](Proposal) and weighted by all of their densities (MIS).

use arrayvec::ArrayVec;
use glam::{Vec2, Vec3};

use super::evaluation::GeometricCosines;
use super::lobe_kind::{LobeKind, Side};
use super::{Bsdf, BsdfSample, MIN_ALBEDO, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI, ONE_MINUS_EPSILON};
use renderer_base::sampling::cosine_hemisphere;

/// Minimum weight of a proposal for slope or ground: rough lobes also scatter to viewers who see more of it.
const MIN_SHARE: f32 = 0.05;

/// Proposal distribution of viewers: the lobe in this frame, for light from this direction.
#[derive(Clone, Copy)]
struct Proposal {
    frame: Frame,
    light: Vec3,
    /// True for the ground, false for the slope.
    ground: bool,
    /// Estimated albedo.
    albedo: f32,
}

/// Proposals for a lobe and a photon's direction, selected by albedo, and the probability of cosine sampling about the
/// geometric normal, which covers viewers that no proposal finds.
struct Proposals {
    lobes: ArrayVec<Proposal, 3>,
    /// Sum of their albedos.
    albedo: f32,
    geometric: f32,
}

impl Bsdf {
    /// f·|cos θi| and density of one lobe in importance mode.
    pub(super) fn eval_importance(
        &self,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        if !self.is_tilted(weighted) {
            return self.eval_in(&weighted.frame, weighted, wo, wi, sides);
        }
        let (f, _) = match weighted.is_bent_microfacet {
            true => self.eval_bent(weighted, wo, wi, sides),
            false => {
                let bent = (weighted.terminator).frame(weighted.frame, self.ng, wi, &weighted.lobe);
                self.eval_in(&bent, weighted, wo, wi, sides)
            }
        };
        let pdf = self.proposals(weighted, wo).pdf(weighted, wi, sides);
        (f, weighted.probability * pdf)
    }

    /// Samples a direction of the lobe at `index` in importance mode; weight and density are those of all lobes that
    /// `counts` selects. For bent lobes; not for delta lobes.
    pub(super) fn sample_importance(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        let proposals = self.proposals(chosen, wo);
        let share = proposals.geometric;
        let (wi, side) = if u_lobe < share {
            (self.sample_geometric(chosen, wo, u_lobe / share, u), None)
        } else {
            let (proposal, u_lobe) = proposals.choose((u_lobe - share) / (1.0 - share))?;
            let frame = proposal.frame;
            let local = chosen.lobe.sample(frame.to_local(proposal.light), u_lobe, u)?;
            (frame.to_world(local.wi), Some(local.kind.side))
        };
        let sides = self.sides(wo, wi);
        if side.is_some_and(|side| side != sides.side) {
            return None;
        }
        let (f, pdf) = self.sum_lobes(wo, wi, sides, counts);
        let eta = match sides.side {
            Side::Reflection => 1.0,
            Side::Transmission => chosen.lobe.eta(wo.dot(self.ground(&chosen.frame).n)),
        };
        (pdf > 0.0).then(|| BsdfSample {
            wi,
            weight: f / pdf,
            pdf,
            lobe: LobeKind { side: sides.side, spread: chosen.lobe.spread() },
            eta,
            index: index as u8,
        })
    }

    /// Samples a direction of the delta lobe at `index` in importance mode: selects one of the viewers who see the
    /// light.
    pub(super) fn sample_delta_importance(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        let proposals = self.proposals(chosen, wo);
        let (proposal, u_lobe) = proposals.choose(u_lobe)?;
        let Proposal { frame, light, ground, albedo } = *proposal;
        let local_wo = frame.to_local(light);
        let sample = chosen.lobe.sample(local_wo, u_lobe, u)?;
        let wi = frame.to_world(sample.wi);
        let sides = self.sides(wo, wi);
        let share = self.seen_share(chosen, ground, wi);
        let scale = self.adjoint(&chosen.lobe, sides, local_wo.z, sample.wi.z, sample.eta)
            * (share * proposals.albedo / (albedo * chosen.probability));
        (sides.side == sample.kind.side && share > 0.0).then(|| BsdfSample {
            wi,
            weight: chosen.weight * sample.weight * scale,
            pdf: sample.pdf * chosen.probability,
            lobe: sample.kind,
            eta: sample.eta,
            index: index as u8,
        })
    }

    /// Fraction of a lobe's surface at which a viewer at `wi` sees the slope, or the ground.
    fn seen_share(&self, weighted: &WeightedLobe, ground: bool, wi: Vec3) -> f32 {
        let slope = if weighted.is_bent_microfacet {
            self.slope_share(weighted.frame.n, wi)
        } else {
            1.0
        };
        if ground { 1.0 - slope } else { slope }
    }

    /// Returns whether the lobe has a bent normal. Fibres, which have no sides, are excluded.
    #[inline]
    pub(super) fn is_tilted(&self, weighted: &WeightedLobe) -> bool {
        !weighted.lobe.is_fibre() && self.is_bent(&weighted.frame)
    }

    fn proposals(&self, weighted: &WeightedLobe, wo: Vec3) -> Proposals {
        let frame = weighted.frame;
        let mut lobes = ArrayVec::new();
        let mut propose = |frame: Frame, light: Vec3, ground: bool| {
            let mirror = frame.n * (2.0 * light.dot(frame.n)) - light;
            let share = self.seen_share(weighted, ground, mirror).max(MIN_SHARE);
            // `max` returns the bound if the estimate is NaN.
            let albedo = weighted.lobe.estimate(light.dot(frame.n)).average().abs();
            lobes.push(Proposal {
                frame,
                light,
                ground,
                albedo: (albedo * share).max(MIN_ALBEDO),
            });
        };
        let sees = |light: Vec3| light.dot(frame.n) * wo.dot(self.ng) * frame.n.dot(self.ng) > 0.0;
        if sees(wo) {
            propose(frame, wo, false);
        }
        if weighted.is_bent_microfacet {
            let below = self.mirrored(wo);
            if sees(below) {
                propose(frame, below, false);
            }
            propose(self.ground(&frame), wo, true);
        }
        let geometric = match lobes.is_empty() {
            true => 1.0,
            false => 0.5 * frame.n.cross(self.ng).length().min(1.0),
        };
        let albedo = lobes.iter().map(|proposal: &Proposal| proposal.albedo).sum();
        Proposals { lobes, albedo, geometric }
    }

    /// Estimated albedo of a bent microfacet lobe for a photon from `wo`, over all viewers who see the photon, without
    /// weight.
    pub(super) fn estimate_importance(&self, weighted: &WeightedLobe, wo: Vec3) -> Rgb {
        Rgb::splat(self.proposals(weighted, wo).albedo)
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

impl Proposals {
    /// Chooses a proposal by `u` in `[0,1)`; also returns the rescaled `u`.
    fn choose(&self, u: f32) -> Option<(&Proposal, f32)> {
        let (last, others) = self.lobes.split_last()?;
        let mut u = u * self.albedo;
        for proposal in others {
            if u < proposal.albedo {
                return Some((proposal, (u / proposal.albedo).min(ONE_MINUS_EPSILON)));
            }
            u -= proposal.albedo;
        }
        Some((last, (u / last.albedo).clamp(0.0, ONE_MINUS_EPSILON)))
    }

    /// Density of a viewer [1/sr], of this lobe alone.
    fn pdf(&self, weighted: &WeightedLobe, wi: Vec3, sides: GeometricCosines) -> f32 {
        let density = |proposal: &Proposal| {
            let [light, wi] = [proposal.light, wi].map(|v| proposal.frame.to_local(v));
            match Side::of(light.z * wi.z) == sides.side {
                true => weighted.lobe.eval_pdf(light, wi).1 * (proposal.albedo / self.albedo),
                false => 0.0,
            }
        };
        let lobes = self.lobes.iter().map(density).sum::<f32>();
        (1.0 - self.geometric) * lobes + self.geometric * geometric_pdf(weighted, sides)
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
