//! Energy compensation of anisotropic facets, and of interfaces with other transmittances than Fresnel's: thin films
//! and Schlick's formula.
//!
//! The lobe is that of [`compensation`](super::compensation), with tables by direction instead of cosine, and by
//! channel.

use glam::{Vec3, Vec4};

use super::facet_albedo::{FacetAlbedo, TablePosition, TransmissionAlbedo, Transmitted};
use super::fresnel::multiple_reflectance;
use super::lost_light::DensitySide;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, sqr};

/// Multiple-scattering lobe, seen from one side of an interface.
#[derive(Clone, Copy)]
pub(super) struct GeneralCompensation {
    facets: FacetAlbedo,
    /// `None` if the interface only reflects.
    transmission: Option<Transmission>,
    side: DensitySide,
    /// Mean fractions of diffuse light that are lost, by side.
    mean: [Rgb; 2],
    /// Refracted fraction.
    through: Rgb,
    /// Factors of reflected and of refracted light.
    tints: [Rgb; 2],
}

/// Transmitted light of an interface.
#[derive(Clone, Copy)]
struct Transmission {
    albedo: TransmissionAlbedo,
    /// Factors on Fresnel's transmittance by channel and hat function.
    factors: [Vec4; 3],
}

impl GeneralCompensation {
    /// Lobe of a metal whose facets reflect `color` of diffuse light.
    pub(super) fn metal(microfacets: Microfacets, color: Rgb) -> GeneralCompensation {
        let facets = FacetAlbedo::new(microfacets);
        let lost = 1.0 - facets.mean();
        GeneralCompensation {
            facets,
            transmission: None,
            side: DensitySide::Thin,
            mean: [Rgb::splat(lost.max(MIN_LOST)); 2],
            through: Rgb::BLACK,
            tints: [color.map(|f| multiple_reflectance(f, lost)), Rgb::BLACK],
        }
    }

    /// Lobe of a dielectric with the relative index `eta` on the other side; `factors` are those of
    /// [`transmittance_factors`](super::facet_albedo::transmittance_factors).
    pub(super) fn dielectric(
        microfacets: Microfacets,
        eta: f32,
        factors: [Vec4; 3],
        tints: [Rgb; 2],
    ) -> GeneralCompensation {
        let facets = FacetAlbedo::new(microfacets);
        let transmission = Transmission { albedo: TransmissionAlbedo::new(&facets, eta), factors };
        let side = DensitySide::with_eta(eta);
        let single = facets.mean();
        let [near, far] = [side, side.other()].map(|side| {
            let transmitted = transmission.albedo.mean(side);
            let lost = transmission.lost(single, &transmitted).map(|v| v.max(MIN_LOST));
            let reflected = transmission.reflected(single, &transmitted);
            (lost, lost * refracted_share(reflected, lost))
        });
        // As for isotropic facets, exchanged light per étendue is equal in both directions.
        let (exchanged, returned) = (near.1.to_array(), (far.1 * sqr(eta)).to_array());
        let least = Rgb::from(std::array::from_fn(|channel| exchanged[channel].min(returned[channel])));
        let mean = match side {
            DensitySide::Thin => [near.0, far.0],
            DensitySide::Dense => [far.0, near.0],
        };
        GeneralCompensation {
            facets,
            transmission: Some(transmission),
            side,
            mean,
            through: quotient(least, near.0).clamp(0.0, 1.0),
            tints,
        }
    }

    /// Probability of sampling the lobe for a direction.
    pub(super) fn probability(&self, wo: Vec3) -> f32 {
        self.lost(self.side, &self.facets.position(wo)).average()
    }

    /// Probability of refraction, for an interface that refracts.
    pub(super) fn through(&self) -> f32 {
        self.through.average()
    }

    /// f·|cos θi| between two directions; `wi` is below on the other side.
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        let (side, share, tint) = match wi.z > 0.0 {
            true => (self.side, Rgb::WHITE - self.through, self.tints[0]),
            false => (self.side.other(), self.through, self.tints[1]),
        };
        let [lost_o, lost_i] =
            [(self.side, wo), (side, wi)].map(|(side, w)| self.lost(side, &self.facets.position(w)));
        quotient(lost_o * lost_i, self.mean[side as usize]) * share * tint * (wi.z.abs() * INV_PI)
    }

    /// Directional albedo of the lobe.
    pub(super) fn albedo(&self, wo: Vec3) -> Rgb {
        let tint = self.tints[0] * (Rgb::WHITE - self.through) + self.tints[1] * self.through;
        tint * self.lost(self.side, &self.facets.position(wo))
    }

    /// Directional albedo of a dielectric with compensation.
    pub(super) fn dielectric_albedo(&self, wo: Vec3) -> Rgb {
        let reflected = self.reflected(wo);
        self.tints[0] * reflected + self.tints[1] * (Rgb::WHITE - reflected)
    }

    /// Fraction of the light from a direction that a dielectric reflects with compensation, without tint.
    fn reflected(&self, wo: Vec3) -> Rgb {
        let position = self.facets.position(wo);
        let escaping = self.facets.at(&position);
        let Some(transmission) = &self.transmission else {
            return Rgb::WHITE;
        };
        let transmitted = transmission.albedo.at(self.side, &position);
        let lost = transmission.lost(escaping, &transmitted);
        transmission.reflected(escaping, &transmitted) + lost * (Rgb::WHITE - self.through)
    }

    /// Lost fraction of the light from a direction on `side`.
    fn lost(&self, side: DensitySide, position: &TablePosition) -> Rgb {
        let escaping = self.facets.at(position);
        match &self.transmission {
            Some(transmission) => transmission.lost(escaping, &transmission.albedo.at(side, position)),
            None => Rgb::splat((1.0 - escaping).clamp(0.0, 1.0)),
        }
    }
}

impl Transmission {
    /// Lost fraction of light; totally reflecting facets would let the fraction `escaping` leave.
    fn lost(&self, escaping: f32, transmitted: &Transmitted) -> Rgb {
        let kept = transmitted.refracted - transmitted.unreflected;
        self.by_channel(|factor| 1.0 - escaping - factor.dot(kept))
    }

    /// Reflected fraction, single scattering.
    fn reflected(&self, escaping: f32, transmitted: &Transmitted) -> Rgb {
        self.by_channel(|factor| escaping - factor.dot(transmitted.unreflected))
    }

    fn by_channel(&self, value: impl Fn(Vec4) -> f32) -> Rgb {
        Rgb::from(self.factors.map(|factor| value(factor).clamp(0.0, 1.0)))
    }
}

/// Refracted fraction of single scattering.
fn refracted_share(reflected: Rgb, lost: Rgb) -> Rgb {
    let scattered = (Rgb::WHITE - lost).map(|v| v.max(MIN_LOST));
    (Rgb::WHITE - quotient(reflected, scattered)).clamp(0.0, 1.0)
}

fn quotient(a: Rgb, b: Rgb) -> Rgb {
    Rgb::new(a.r / b.r, a.g / b.g, a.b / b.b)
}

/// Lower bound of means used as divisors.
const MIN_LOST: f32 = 1e-6;
