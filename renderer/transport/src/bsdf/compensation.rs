//! Energy compensation of rough interfaces: light that facets reflect onto other facets, which single scattering loses.
//!
//! Single scattering loses the fraction 1 − E(θ) of the light. A wide lobe in proportion to (1 − E(θo))·(1 − E(θi))
//! returns it. The lobe is reciprocal, and a lossless interface then scatters everything that it receives. A dielectric
//! divides the lobe between reflection and refraction, such that refraction is reciprocal, too. Coloured metals absorb
//! a part at each scattering event.
//!
//! Isotropic facets with Fresnel's equations have tables by cosine ([`LostLight`]); others use [`GeneralCompensation`].
// Kulla & Conty 2017, "Revisiting Physically Based Shading at Imageworks".

use glam::{Vec3, Vec4};

use super::fresnel::multiple_reflectance;
use super::general_compensation::GeneralCompensation;
use super::lost_light::{DensitySide, LostLight};
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::INV_PI;

/// Multiple-scattering lobe, seen from one side of an interface.
#[expect(clippy::large_enum_variant, reason = "constructed in place, and rarely")]
pub(super) enum Compensation {
    Isotropic(IsotropicCompensation),
    General(GeneralCompensation),
}

impl Compensation {
    /// Lobe of a metal whose facets reflect `color` of diffuse light; `None` without compensation.
    #[inline(always)]
    pub(super) fn metal(microfacets: Microfacets, color: impl FnOnce() -> Rgb) -> Option<Compensation> {
        if !microfacets.is_compensated() {
            return None;
        }
        Some(match LostLight::of_metal(microfacets) {
            Some(lost) => Compensation::Isotropic(IsotropicCompensation::metal(lost, color())),
            None => Compensation::General(GeneralCompensation::metal(microfacets, color())),
        })
    }

    /// Lobe of a dielectric with the relative index `eta` on the other side; `None` without compensation.
    #[inline(always)]
    pub(super) fn dielectric(microfacets: Microfacets, eta: f32, tints: [Rgb; 2]) -> Option<Compensation> {
        if !microfacets.is_compensated() {
            return None;
        }
        let Some(lost) = LostLight::of_dielectric(microfacets, eta) else {
            return Compensation::transmitting(microfacets, eta, [Vec4::ONE; 3], tints);
        };
        let side = DensitySide::with_eta(eta);
        Some(Compensation::Isotropic(IsotropicCompensation {
            lost,
            side,
            through: lost.refracted_share(side, eta),
            tints,
        }))
    }

    /// Lobe of an interface that transmits light in proportion to Fresnel's equations by `factors`: see
    /// [`transmittance_factors`](super::facet_albedo::transmittance_factors).
    #[inline(never)]
    pub(super) fn transmitting(
        microfacets: Microfacets,
        eta: f32,
        factors: [Vec4; 3],
        tints: [Rgb; 2],
    ) -> Option<Compensation> {
        microfacets
            .is_compensated()
            .then(|| Compensation::General(GeneralCompensation::dielectric(microfacets, eta, factors, tints)))
    }

    /// Probability of sampling the lobe for a direction: its fraction of the light.
    #[inline]
    pub(super) fn probability(&self, wo: Vec3) -> f32 {
        match self {
            Compensation::Isotropic(lobe) => lobe.lost.at(lobe.side, wo.z),
            Compensation::General(lobe) => lobe.probability(wo),
        }
    }

    /// Probability of refraction, for an interface that refracts.
    #[inline]
    pub(super) fn through(&self) -> f32 {
        match self {
            Compensation::Isotropic(lobe) => lobe.through,
            Compensation::General(lobe) => lobe.through(),
        }
    }

    /// f·|cos θi| between two directions; `wi` is below on the other side.
    #[inline]
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        match self {
            Compensation::Isotropic(lobe) => lobe.eval(wo.z, wi.z),
            Compensation::General(lobe) => lobe.eval(wo, wi),
        }
    }

    /// Directional albedo of the lobe; of isotropic facets, for metals only.
    pub(super) fn albedo(&self, wo: Vec3) -> Rgb {
        match self {
            Compensation::Isotropic(lobe) => lobe.tints[0] * lobe.lost.at(lobe.side, wo.z.abs()),
            Compensation::General(lobe) => lobe.albedo(wo),
        }
    }
}

/// [`Compensation`] of isotropic facets with Fresnel's equations.
pub(super) struct IsotropicCompensation {
    lost: LostLight,
    side: DensitySide,
    /// Refracted fraction.
    through: f32,
    /// Factors of reflected and of refracted light.
    tints: [Rgb; 2],
}

impl IsotropicCompensation {
    #[inline(always)]
    fn metal(lost: LostLight, color: Rgb) -> IsotropicCompensation {
        let lost_again = lost.mean(DensitySide::Thin);
        IsotropicCompensation {
            lost,
            side: DensitySide::Thin,
            through: 0.0,
            tints: [color.map(|f| multiple_reflectance(f, lost_again)), Rgb::BLACK],
        }
    }

    /// f·|cos θi| between two directions with these cosines; `cos_i` is negative on the other side.
    #[inline]
    fn eval(&self, cos_o: f32, cos_i: f32) -> Rgb {
        let (side, share, tint) = match cos_i > 0.0 {
            true => (self.side, 1.0 - self.through, self.tints[0]),
            false => (self.side.other(), self.through, self.tints[1]),
        };
        let cos_i = cos_i.abs();
        let lost = self.lost.at(self.side, cos_o) * self.lost.at(side, cos_i) / self.lost.mean(side);
        tint * (share * lost * cos_i * INV_PI)
    }
}
