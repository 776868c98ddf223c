//! Evaluation of a BSDF: f·|cos θi| and density, summed over the lobes.

use glam::Vec3;

use super::{Bsdf, Lobe, LobePart, Side, TransportMode, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI};

impl Bsdf {
    /// f·|cos θi|, without delta lobes.
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        self.eval_pdf(wo, wi).0
    }

    /// Density with which [`Bsdf::sample`] generates `wi` [1/sr], without delta lobes.
    pub fn pdf(&self, wo: Vec3, wi: Vec3) -> f32 {
        self.eval_pdf(wo, wi).1
    }

    /// [`Bsdf::eval`] and [`Bsdf::pdf`] in one pass.
    pub fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let sides = self.sides(wo, wi);
        match self.lobes() {
            [only] if !only.traits.specular => self.eval_lobe(only, wo, wi, sides),
            _ => self.sum_lobes(wo, wi, sides, |_, _| true),
        }
    }

    /// [`Bsdf::eval_pdf`] for one class; the density is that of sampling both the class and `wi`.
    pub fn eval_pdf_part(&self, part: LobePart, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.sum_lobes(wo, wi, self.sides(wo, wi), |_, l| l.traits.part == part)
    }

    /// f·|cos θi| and density, summed over the lobes that `counts` selects.
    #[inline(always)]
    pub(super) fn sum_lobes(
        &self,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> (Rgb, f32) {
        let mut sum = (Rgb::BLACK, 0.0);
        for (index, weighted) in self.lobes().iter().enumerate() {
            if !weighted.traits.specular && counts(index, weighted) {
                let (f, pdf) = self.eval_lobe(weighted, wo, wi, sides);
                sum.0 += f;
                sum.1 += pdf;
            }
        }
        sum
    }

    /// Contribution of one lobe to f·|cos θi| and to the density.
    #[inline(always)]
    pub(super) fn eval_lobe(
        &self,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        match self.mode {
            TransportMode::Radiance if weighted.is_bent_microfacet => self.eval_bent(weighted, wo, wi, sides),
            TransportMode::Radiance => self.eval_in(&weighted.frame, weighted, wo, wi, sides),
            TransportMode::Importance => self.eval_importance(weighted, wo, wi, sides),
        }
    }

    /// Contribution of one lobe in the given frame, without mirroring.
    #[inline(always)]
    pub(super) fn eval_in(
        &self,
        frame: &Frame,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        let (cos_o, cos_i) = (wo.dot(frame.n), wi.dot(frame.n));
        if Side::of(cos_o * cos_i) != sides.side && !weighted.lobe.is_fibre() {
            return (Rgb::BLACK, 0.0);
        }
        let share = weighted.terminator.share(self.light_direction(wo, wi));
        // Ideal diffuse lobes do not depend on the tangents; they scatter most of the light of a scene.
        if let Some(side) = weighted.lobe.ideal_diffuse_side() {
            let pdf = if side == sides.side { cos_i.abs() * INV_PI } else { 0.0 };
            let f = weighted.weight * (pdf * self.adjoint(&weighted.lobe, sides, cos_o, cos_i, 1.0) * share);
            return (f, pdf * weighted.probability);
        }
        let wo = frame.to_local(wo);
        let (f, pdf) = weighted.lobe.eval_pdf(wo, frame.to_local(wi));
        if pdf <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let eta = if sides.side == Side::Transmission {
            weighted.lobe.eta(cos_o)
        } else {
            1.0
        };
        (
            weighted.weight * f * (self.adjoint(&weighted.lobe, sides, cos_o, cos_i, eta) * share),
            pdf * weighted.probability,
        )
    }

    /// Direction of the pair that leads to the light.
    #[inline(always)]
    pub(super) fn light_direction(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        match self.mode {
            TransportMode::Radiance => wi,
            TransportMode::Importance => wo,
        }
    }

    /// Cosines of both directions to the geometric normal.
    pub(super) fn sides(&self, wo: Vec3, wi: Vec3) -> GeometricCosines {
        let (cos_o, cos_i) = (wo.dot(self.ng), wi.dot(self.ng));
        let side = if cos_o * cos_i > 0.0 {
            Side::Reflection
        } else {
            Side::Transmission
        };
        GeometricCosines { side, cos_o, cos_i }
    }

    /// Factor from f of a lobe to the quantity of the transport mode, for directions with these cosines to the lobe's
    /// normal.
    pub(super) fn adjoint(
        &self,
        lobe: &Lobe,
        sides: GeometricCosines,
        cos_o: f32,
        cos_i: f32,
        eta: f32,
    ) -> f32 {
        match self.mode {
            TransportMode::Radiance if eta == 1.0 => 1.0,
            TransportMode::Radiance => Lobe::radiance_scale(eta),
            // f of fibres contains no cosine.
            TransportMode::Importance if lobe.is_fibre() => 1.0,
            // Veach 1997, eq. 5.19: shading normals make scattering asymmetric.
            TransportMode::Importance => {
                let denominator = (sides.cos_o * cos_i).abs();
                if denominator > 0.0 {
                    (cos_o * sides.cos_i).abs() / denominator
                } else {
                    0.0
                }
            }
        }
    }
}

/// Cosines of two directions to the geometric normal.
#[derive(Clone, Copy)]
pub(super) struct GeometricCosines {
    pub(super) side: Side,
    pub(super) cos_o: f32,
    pub(super) cos_i: f32,
}
