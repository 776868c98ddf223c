//! Sampling of a BSDF: selection of a lobe, a direction from it, and the density over all lobes.

use glam::{Vec2, Vec3};

use super::lobe_model::LobeModel;
use super::{Bsdf, Lambert, LobeKind, LobePart, Side, Spread, Translucent, TransportMode, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::ONE_MINUS_EPSILON;

/// Direction sampled from a [`Bsdf`].
#[derive(Clone, Copy, Debug)]
pub struct BsdfSample {
    /// Sampled direction; unit vector, world space.
    pub wi: Vec3,
    /// f·|cos θi| / pdf.
    pub weight: Rgb,
    /// Density of `wi` over all lobes [1/sr], or the probability of the choice for delta lobes.
    pub pdf: f32,
    /// Kind of the lobe that scattered.
    pub lobe: LobeKind,
    /// Index of refraction on the side of `wi` relative to the side of `wo`; 1 unless refracted.
    pub eta: f32,
    /// Index of the selected lobe.
    pub index: u8,
}

impl BsdfSample {
    /// Returns whether a delta lobe scattered, so that light sampling cannot generate `wi`.
    pub fn is_specular(&self) -> bool {
        self.lobe.is_specular()
    }

    /// Returns whether the path crosses a null interface, which shadow rays cross too.
    #[inline]
    pub fn is_null_interface(&self) -> bool {
        self.lobe == LobeKind::NULL
    }

    /// Returns whether a random walk below the surface follows.
    #[inline]
    pub fn is_subsurface(&self) -> bool {
        self.lobe == LobeKind::SUBSURFACE
    }
}

/// Lobe selected by [`Bsdf::choose`].
#[derive(Clone, Copy, Debug)]
pub struct ChosenLobe {
    /// Class of the lobe.
    pub part: LobePart,
    index: usize,
    /// Rescaled random number for reuse, in `[0,1)`.
    u: f32,
}

impl Bsdf {
    /// Selects a lobe by `u_lobe` in `[0,1)`; `None` without lobes.
    pub fn choose(&self, u_lobe: f32) -> Option<ChosenLobe> {
        let (index, u) = self.choose_index(u_lobe)?;
        let part = self.slots[index].traits.part;
        Some(ChosenLobe { index, u, part })
    }

    /// [`Bsdf::sample`] restricted to the class of the selected lobe: weight and density are those of the class.
    #[inline]
    pub fn sample_part(&self, wo: Vec3, chosen: ChosenLobe, u: Vec2) -> Option<BsdfSample> {
        match self.only_diffuse() {
            Some((only, side)) => self.sample_diffuse(only, side, wo, u),
            None => self.sample_any_of_part(wo, chosen, u),
        }
    }

    #[inline(never)]
    fn sample_any_of_part(&self, wo: Vec3, chosen: ChosenLobe, u: Vec2) -> Option<BsdfSample> {
        self.sample_lobe(wo, chosen.index, chosen.u, u, |_, l| l.traits.part == chosen.part)
    }

    /// Samples a direction for `wo`: `u_lobe` selects the lobe, `u` the direction, each in `[0,1)`.
    #[inline(always)]
    pub fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<BsdfSample> {
        match self.only_diffuse() {
            Some((only, side)) => self.sample_diffuse(only, side, wo, u),
            None => self.sample_any(wo, u_lobe, u),
        }
    }

    /// Fast path: the single lobe and its side if it is ideal diffuse, as for most surfaces of a scene.
    #[inline(always)]
    fn only_diffuse(&self) -> Option<(&WeightedLobe, Side)> {
        match (self.lobes(), self.mode) {
            ([only], TransportMode::Radiance) => Some((only, only.lobe.ideal_diffuse_side()?)),
            _ => None,
        }
    }

    /// [`Bsdf::sample`] for a single ideal diffuse lobe.
    #[inline(always)]
    fn sample_diffuse(&self, only: &WeightedLobe, side: Side, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let cos_o = wo.dot(only.frame.n);
        let sample = match side {
            Side::Reflection => Lambert.sample(Vec3::new(0.0, 0.0, cos_o), 0.0, u),
            Side::Transmission => Translucent.sample(Vec3::new(0.0, 0.0, cos_o), 0.0, u),
        }?;
        let wi = only.frame.to_world(sample.wi);
        if self.sides(wo, wi).side != side {
            return None;
        }
        Some(BsdfSample {
            wi,
            weight: only.weight * only.terminator.share(wi),
            pdf: sample.pdf,
            lobe: sample.kind,
            eta: 1.0,
            index: 0,
        })
    }

    #[inline(never)]
    fn sample_any(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<BsdfSample> {
        let (index, u_lobe) = self.choose_index(u_lobe)?;
        self.sample_lobe(wo, index, u_lobe, u, |_, _| true)
    }

    /// Samples the lobe at `index`; weight and density are those of all lobes that `counts` selects.
    #[inline(always)]
    fn sample_lobe(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        if chosen.lobe.spread() == Spread::Subsurface {
            return self.sample_subsurface(wo, index, u);
        }
        if chosen.is_bent_microfacet {
            return match (self.mode, chosen.traits.specular) {
                (TransportMode::Radiance, _) => self.sample_bent(wo, index, u_lobe, u, counts),
                (TransportMode::Importance, true) => self.sample_delta_importance(wo, index, u_lobe, u),
                (TransportMode::Importance, false) => self.sample_importance(wo, index, u_lobe, u, counts),
            };
        }
        if self.mode == TransportMode::Importance && !chosen.traits.specular && self.is_tilted(chosen) {
            return self.sample_importance(wo, index, u_lobe, u, counts);
        }
        let local_wo = match chosen.lobe.ideal_diffuse_side() {
            Some(_) => Vec3::new(0.0, 0.0, wo.dot(chosen.frame.n)),
            None => chosen.frame.to_local(wo),
        };
        let sample = chosen.lobe.sample(local_wo, u_lobe, u)?;
        let wi = chosen.frame.to_world(sample.wi);
        let sides = self.sides(wo, wi);
        if sides.side != sample.kind.side && !chosen.lobe.is_fibre() {
            return None;
        }
        let adjoint = self.adjoint(&chosen.lobe, sides, local_wo.z, sample.wi.z, sample.eta);
        let share = chosen.terminator.share(self.light_direction(wo, wi));
        let weight = chosen.weight * sample.weight * (adjoint * share);
        let pdf = sample.pdf * chosen.probability;
        let (lobe, eta) = (sample.kind, sample.eta);
        if lobe.is_specular() || self.count == 1 {
            return Some(BsdfSample {
                wi,
                weight: weight / chosen.probability,
                pdf,
                lobe,
                eta,
                index: index as u8,
            });
        }
        // One-sample MIS over the lobes: any of them could have generated `wi`. Veach 1997, section 9.2.4.
        let (others, others_pdf) =
            self.sum_lobes(wo, wi, sides, |other, l| other != index && counts(other, l));
        let pdf = pdf + others_pdf;
        Some(BsdfSample {
            wi,
            weight: (weight * sample.pdf + others) / pdf,
            pdf,
            lobe,
            eta,
            index: index as u8,
        })
    }

    /// Selects a lobe by `u`; also returns the rescaled `u`.
    fn choose_index(&self, mut u: f32) -> Option<(usize, f32)> {
        let last = self.count.checked_sub(1)?;
        for (index, weighted) in self.slots[..last].iter().enumerate() {
            if u < weighted.probability {
                return Some((index, (u / weighted.probability).min(ONE_MINUS_EPSILON)));
            }
            u -= weighted.probability;
        }
        Some((last, (u / self.slots[last].probability).min(ONE_MINUS_EPSILON)))
    }
}
