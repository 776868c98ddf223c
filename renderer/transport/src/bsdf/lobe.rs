//! Enum of all lobes, with evaluation, sampling, albedo and classification; local coordinates, z is the normal.
//!
//! A lobe returns f for light that goes from `wo` to `wi` (importance). For refraction, f for radiance in the opposite
//! direction is 1/eta² of that; only [`Bsdf`](super::Bsdf) applies the factor.

use glam::{Vec2, Vec3};

use super::burley::{Burley, Sheen};
use super::charlie::Charlie;
use super::clearcoat::Clearcoat;
use super::coated_diffuse::CoatedDiffuse;
use super::conductor::Conductor;
use super::dielectric::{Dielectric, is_index_matched};
use super::eon::Eon;
use super::f82::F82;
use super::hair::Hair;
use super::lambert::{Lambert, Translucent};
use super::lobe_kind::{LobePart, LobeSample, Side, Spread};
use super::microfacet::Microfacets;
use super::oren_nayar::OrenNayar;
use super::phong::Phong;
use super::schlick::Schlick;
use super::subsurface::Subsurface;
use super::thin_film::{Film, ThinFilm};
use super::thin_transmission::ThinTransmission;
use super::transparent::Transparent;
use super::ward::Ward;
use super::zeltner_sheen::ZeltnerSheen;
use renderer_base::color::Rgb;
use renderer_base::math::sqr;

/// BSDF lobe of colour one; [`Bsdf`](super::Bsdf) adds weight and frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lobe {
    /// Ideal diffuse reflection.
    Lambert(Lambert),
    /// Ideal diffuse transmission.
    Translucent(Translucent),
    /// Rough diffuse reflection.
    OrenNayar(OrenNayar),
    /// Rough diffuse reflection that keeps all light.
    Eon(Eon),
    /// Diffuse component of the principled material.
    Burley(Burley),
    /// Sheen of the principled material.
    Sheen(Sheen),
    /// Sheen of cloth.
    Charlie(Charlie),
    /// Sheen of dust and short fibres.
    ZeltnerSheen(ZeltnerSheen),
    /// Diffuse component of plastics.
    CoatedDiffuse(CoatedDiffuse),
    /// Cosine power about the mirror direction.
    Phong(Phong),
    /// Gaussian slopes of the half vector.
    Ward(Ward),
    /// Metal.
    Conductor(Conductor),
    /// Metal with an edge tint.
    F82(F82),
    /// Glass, water and other dielectrics.
    Dielectric(Dielectric),
    /// Generalised Schlick interface.
    Schlick(Schlick),
    /// Interface under a thin film.
    ThinFilm(ThinFilm),
    /// Clear coat of the principled material.
    Clearcoat(Clearcoat),
    /// Transmission through a thin rough sheet.
    ThinTransmission(ThinTransmission),
    /// Hair fibre; the tangent is the direction of the fibre.
    Hair(Hair),
    /// Straight transmission (opacity).
    Transparent(Transparent),
    /// Diffuse reflection by a random walk below the surface.
    Subsurface(Subsurface),
}

/// Properties of a lobe that no direction changes; computed once for all hits of a surface without textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LobeTraits {
    /// Lobe class for photon mapping.
    pub(super) part: LobePart,
    /// True for delta lobes.
    pub(super) specular: bool,
    /// True if a sample depends on the number that selects its side.
    pub(super) has_choice: bool,
    /// True if light is transmitted.
    pub(super) transmits: bool,
    /// True if the lobe is made of microfacets.
    pub(super) microfacets: bool,
    /// True if the lobe is invariant under rotation about its normal.
    pub isotropic: bool,
}

impl Lobe {
    /// Returns the lobe's properties that no direction changes.
    pub fn traits(&self) -> LobeTraits {
        LobeTraits {
            part: self.part(),
            specular: self.is_specular(),
            has_choice: self.has_choice(),
            transmits: self.has_transmission(),
            microfacets: self.microfacets().is_some(),
            isotropic: self.is_isotropic(),
        }
    }

    /// Returns the lobe under a thin film; unchanged if the film has no thickness or the lobe is not an interface.
    #[inline]
    pub fn under(self, film: Film) -> Lobe {
        let Some(film) = film.seen() else {
            return self;
        };
        match self {
            Lobe::Dielectric(body) => Lobe::ThinFilm(ThinFilm::on_dielectric(film, &body)),
            Lobe::Conductor(body) => Lobe::ThinFilm(ThinFilm::on_conductor(film, &body)),
            Lobe::Schlick(body) => Lobe::ThinFilm(ThinFilm::on_schlick(film, &body)),
            _ => self,
        }
    }

    /// Returns an interface with the light that scatters several times between its facets; other lobes are unchanged.
    pub fn compensated(self) -> Lobe {
        match self {
            Lobe::Dielectric(body) => Lobe::Dielectric(body.with_facets(body.microfacets().compensated())),
            Lobe::Conductor(body) => {
                let microfacets = body.microfacets.compensated();
                Lobe::Conductor(Conductor { microfacets, ..body })
            }
            Lobe::Schlick(body) => {
                let microfacets = body.microfacets.compensated();
                Lobe::Schlick(Schlick { microfacets, ..body })
            }
            Lobe::F82(body) => Lobe::F82(body.with_facets(body.microfacets().compensated())),
            Lobe::ThinTransmission(sheet) => Lobe::ThinTransmission(sheet.compensated()),
            _ => self,
        }
    }

    /// Returns whether the lobe is invariant under rotation about its normal.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.microfacets()
            .map_or(!self.is_fibre(), Microfacets::is_isotropic)
    }

    /// Returns whether the lobe scatters to the whole sphere about a fibre, without sides of the normal.
    #[inline]
    pub(super) fn is_fibre(&self) -> bool {
        matches!(self, Lobe::Hair(_))
    }

    /// f·|cos θi| and the density of `wi` [1/sr] in one pass; zero for delta lobes.
    #[inline(always)]
    pub fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        match self {
            Lobe::Lambert(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Translucent(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::OrenNayar(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Eon(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Burley(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Sheen(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Charlie(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::ZeltnerSheen(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::CoatedDiffuse(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Phong(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Ward(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Conductor(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::F82(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Dielectric(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Schlick(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::ThinFilm(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Clearcoat(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::ThinTransmission(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Hair(lobe) => lobe.eval_pdf(wo, wi),
            Lobe::Transparent(_) | Lobe::Subsurface(_) => (Rgb::BLACK, 0.0),
        }
    }

    /// f·|cos θi|; zero for delta lobes.
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        self.eval_pdf(wo, wi).0
    }

    /// Density of `wi` [1/sr]; zero for delta lobes.
    pub fn pdf(&self, wo: Vec3, wi: Vec3) -> f32 {
        self.eval_pdf(wo, wi).1
    }

    /// Samples a direction for `wo`; `u_lobe` selects the side, `u` the direction, each in `[0,1)`. Returns `None` if
    /// light is lost.
    #[inline(always)]
    pub fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        match self {
            Lobe::Lambert(lobe) => lobe.sample(wo, u),
            Lobe::Translucent(lobe) => lobe.sample(wo, u),
            Lobe::OrenNayar(lobe) => lobe.sample(wo, u),
            Lobe::Eon(lobe) => lobe.sample(wo, u),
            Lobe::Burley(lobe) => lobe.sample(wo, u),
            Lobe::Sheen(lobe) => lobe.sample(wo, u),
            Lobe::Charlie(lobe) => lobe.sample(wo, u),
            Lobe::ZeltnerSheen(lobe) => lobe.sample(wo, u),
            Lobe::CoatedDiffuse(lobe) => lobe.sample(wo, u),
            Lobe::Phong(lobe) => lobe.sample(wo, u),
            Lobe::Ward(lobe) => lobe.sample(wo, u),
            Lobe::Conductor(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::F82(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::Dielectric(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::Schlick(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::ThinFilm(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::Clearcoat(lobe) => lobe.sample(wo, u),
            Lobe::ThinTransmission(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::Hair(lobe) => lobe.sample(wo, u_lobe, u),
            Lobe::Transparent(lobe) => lobe.sample(wo),
            Lobe::Subsurface(lobe) => lobe.sample(wo, u),
        }
    }

    /// Returns whether [`Lobe::sample`] depends on `u_lobe`.
    pub(super) fn has_choice(&self) -> bool {
        match self {
            Lobe::Dielectric(_) | Lobe::Schlick(_) | Lobe::ThinFilm(_) | Lobe::Hair(_) => true,
            Lobe::Conductor(lobe) => lobe.microfacets.is_compensated(),
            Lobe::F82(lobe) => lobe.microfacets().is_compensated(),
            Lobe::ThinTransmission(lobe) => lobe.microfacets.is_compensated(),
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) => false,
            Lobe::Eon(_)
            | Lobe::Burley(_)
            | Lobe::Sheen(_)
            | Lobe::Charlie(_)
            | Lobe::CoatedDiffuse(_)
            | Lobe::Clearcoat(_) => false,
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) => false,
            Lobe::Transparent(_) | Lobe::Subsurface(_) => false,
        }
    }

    /// Fast approximation of [`Lobe::albedo`] for `wo` with cosine `cos_o`, for lobe selection.
    pub(super) fn estimate(&self, cos_o: f32) -> Rgb {
        match self {
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) | Lobe::Transparent(_) => Rgb::WHITE,
            Lobe::Burley(_) | Lobe::Eon(_) => Rgb::WHITE,
            Lobe::Subsurface(lobe) => lobe.albedo(),
            Lobe::Sheen(lobe) => Rgb::splat(lobe.estimate(cos_o)),
            Lobe::Charlie(lobe) => Rgb::splat(lobe.albedo(cos_o)),
            Lobe::ZeltnerSheen(lobe) => Rgb::splat(lobe.estimate(cos_o)),
            Lobe::Phong(lobe) => Rgb::splat(lobe.estimate(cos_o)),
            Lobe::Ward(lobe) => Rgb::splat(lobe.estimate(cos_o)),
            Lobe::CoatedDiffuse(lobe) => Rgb::splat(lobe.albedo(cos_o)),
            Lobe::Clearcoat(lobe) => Rgb::splat(lobe.estimate(cos_o)),
            Lobe::ThinTransmission(lobe) => Rgb::splat(lobe.passed(cos_o.abs())),
            Lobe::Hair(lobe) => lobe.estimate(cos_o),
            Lobe::Conductor(lobe) => lobe.fresnel(cos_o.abs()),
            Lobe::F82(lobe) => lobe.fresnel(cos_o.abs()),
            Lobe::Dielectric(lobe) => lobe.smooth_albedo(cos_o),
            Lobe::Schlick(lobe) => lobe.smooth_albedo(cos_o),
            Lobe::ThinFilm(lobe) => lobe.smooth_albedo(cos_o),
        }
    }

    /// Directional albedo for `wo`. For rough interfaces its error is within 0.025, and it is at most 1.2 % too small.
    pub fn albedo(&self, wo: Vec3) -> Rgb {
        match self {
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::Transparent(_) => Rgb::WHITE,
            Lobe::Subsurface(lobe) => lobe.albedo(),
            Lobe::OrenNayar(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::Eon(lobe) => lobe.albedo(wo.z),
            Lobe::Burley(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::Sheen(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::Charlie(lobe) => Rgb::splat(lobe.albedo(wo.z)),
            Lobe::ZeltnerSheen(lobe) => Rgb::splat(lobe.albedo(wo.z)),
            Lobe::Phong(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::Ward(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::CoatedDiffuse(lobe) => Rgb::splat(lobe.albedo(wo.z)),
            Lobe::Clearcoat(lobe) => Rgb::splat(lobe.albedo(wo.z)),
            Lobe::ThinTransmission(lobe) => Rgb::splat(lobe.albedo(wo)),
            Lobe::Hair(lobe) => lobe.albedo(wo),
            Lobe::Conductor(lobe) => lobe.albedo(wo),
            Lobe::F82(lobe) => lobe.albedo(wo),
            Lobe::Dielectric(lobe) => lobe.albedo(wo),
            Lobe::Schlick(lobe) => lobe.albedo(wo),
            Lobe::ThinFilm(lobe) => lobe.albedo(wo),
        }
    }

    /// Upper bound of the albedo of single scattering, so that a base layer does not receive light that this lobe
    /// reflects; the albedo of a lossless interface, so that no light is lost.
    pub fn albedo_bound(&self, wo: Vec3) -> Rgb {
        let is_estimated = match self {
            // From tables.
            Lobe::Clearcoat(_) => false,
            _ => self
                .microfacets()
                .is_some_and(|microfacets| !microfacets.is_smooth() && !microfacets.is_compensated()),
        };
        self.albedo(wo) * if is_estimated { 1.012 } else { 1.0 }
    }

    /// Index of refraction on the far side of the surface relative to the side of a direction with cosine `cos_o`; 1
    /// without refraction.
    pub fn eta(&self, cos_o: f32) -> f32 {
        match self {
            Lobe::Dielectric(lobe) => lobe.eta(cos_o),
            Lobe::Schlick(lobe) if lobe.transmits() => lobe.eta(cos_o),
            Lobe::ThinFilm(lobe) => lobe.eta(cos_o),
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) | Lobe::Conductor(_) => 1.0,
            Lobe::Eon(_)
            | Lobe::Burley(_)
            | Lobe::Sheen(_)
            | Lobe::Charlie(_)
            | Lobe::CoatedDiffuse(_)
            | Lobe::Clearcoat(_) => 1.0,
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) | Lobe::F82(_) => 1.0,
            Lobe::Schlick(_) | Lobe::ThinTransmission(_) | Lobe::Hair(_) | Lobe::Transparent(_) => 1.0,
            Lobe::Subsurface(_) => 1.0,
        }
    }

    /// Returns whether transmitted light is refracted.
    pub(crate) fn bends(&self) -> bool {
        match self {
            Lobe::Dielectric(lobe) => lobe.transmits() && lobe.eta(1.0) != 1.0,
            Lobe::Schlick(lobe) => lobe.transmits(),
            Lobe::ThinFilm(lobe) => lobe.transmits(),
            _ => false,
        }
    }

    /// Returns whether it is an interface that light passes straight on.
    #[inline]
    pub(crate) fn is_straight(&self) -> bool {
        match self {
            Lobe::Dielectric(lobe) => lobe.transmits() && is_index_matched(lobe.eta(1.0)),
            Lobe::ThinFilm(lobe) => lobe.is_straight(),
            _ => false,
        }
    }

    /// Share of the light that passes an interface straight on, for the cosine of its direction, and what else it does.
    pub(crate) fn straight(&self, cos: f32) -> (Rgb, Option<Lobe>) {
        match self {
            Lobe::Dielectric(lobe) => (lobe.transmission, None),
            Lobe::ThinFilm(lobe) => {
                let reflects = lobe.reflects().then(|| Lobe::ThinFilm(lobe.opaque()));
                (lobe.transmittance(cos), reflects)
            }
            _ => (Rgb::BLACK, Some(*self)),
        }
    }

    /// Factor from importance to radiance for light that is transmitted from `wi`.
    // Light that enters a denser medium is compressed into a smaller solid angle. Veach 1997, eq. 5.14.
    pub(super) fn radiance_scale(eta: f32) -> f32 {
        1.0 / sqr(eta)
    }

    /// Side of a lobe that scatters in proportion to the cosine alone; `None` for other lobes.
    pub(super) fn ideal_diffuse_side(&self) -> Option<Side> {
        match self {
            Lobe::Lambert(_) => Some(Side::Reflection),
            Lobe::Translucent(_) => Some(Side::Transmission),
            Lobe::OrenNayar(_)
            | Lobe::Eon(_)
            | Lobe::Burley(_)
            | Lobe::Sheen(_)
            | Lobe::Charlie(_)
            | Lobe::CoatedDiffuse(_) => None,
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) | Lobe::F82(_) => None,
            Lobe::Conductor(_) | Lobe::Dielectric(_) | Lobe::Schlick(_) | Lobe::Clearcoat(_) => None,
            Lobe::ThinFilm(_) | Lobe::ThinTransmission(_) | Lobe::Hair(_) | Lobe::Transparent(_) => None,
            Lobe::Subsurface(_) => None,
        }
    }

    /// Microfacet roughness; `None` for other lobes.
    pub(super) fn microfacets(&self) -> Option<Microfacets> {
        match self {
            Lobe::Phong(lobe) => Some(lobe.microfacets()),
            Lobe::Ward(lobe) => Some(lobe.microfacets()),
            Lobe::Conductor(lobe) => Some(lobe.microfacets),
            Lobe::F82(lobe) => Some(lobe.microfacets()),
            Lobe::Dielectric(lobe) => Some(lobe.microfacets()),
            Lobe::Schlick(lobe) => Some(lobe.microfacets),
            Lobe::ThinFilm(lobe) => Some(lobe.microfacets()),
            Lobe::Clearcoat(lobe) => Some(lobe.microfacets()),
            Lobe::ThinTransmission(lobe) => Some(lobe.microfacets),
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) | Lobe::Transparent(_) => None,
            Lobe::Eon(_) | Lobe::Burley(_) | Lobe::Sheen(_) | Lobe::Charlie(_) => None,
            Lobe::CoatedDiffuse(_) | Lobe::Subsurface(_) => None,
            Lobe::ZeltnerSheen(_) | Lobe::Hair(_) => None,
        }
    }

    /// Returns whether it is a delta lobe.
    pub fn is_specular(&self) -> bool {
        self.spread().is_specular()
    }

    /// Returns whether it reflects light.
    pub(super) fn has_reflection(&self) -> bool {
        match self {
            Lobe::Translucent(_) | Lobe::ThinTransmission(_) | Lobe::Transparent(_) => false,
            Lobe::Subsurface(_) => true,
            Lobe::Dielectric(lobe) => lobe.reflects(),
            Lobe::ThinFilm(lobe) => lobe.reflects(),
            Lobe::Lambert(_) | Lobe::OrenNayar(_) | Lobe::Conductor(_) | Lobe::Schlick(_) => true,
            Lobe::Hair(_) => true,
            Lobe::Eon(_)
            | Lobe::Burley(_)
            | Lobe::Sheen(_)
            | Lobe::Charlie(_)
            | Lobe::CoatedDiffuse(_)
            | Lobe::Clearcoat(_) => true,
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) | Lobe::F82(_) => true,
        }
    }

    /// Returns whether it transmits light.
    pub fn has_transmission(&self) -> bool {
        match self {
            Lobe::Translucent(_) | Lobe::ThinTransmission(_) | Lobe::Hair(_) | Lobe::Transparent(_) => true,
            Lobe::Dielectric(lobe) => lobe.transmits(),
            Lobe::Schlick(lobe) => lobe.transmits(),
            Lobe::ThinFilm(lobe) => lobe.transmits(),
            Lobe::Lambert(_) | Lobe::OrenNayar(_) | Lobe::Conductor(_) | Lobe::Subsurface(_) => false,
            Lobe::Eon(_)
            | Lobe::Burley(_)
            | Lobe::Sheen(_)
            | Lobe::Charlie(_)
            | Lobe::CoatedDiffuse(_)
            | Lobe::Clearcoat(_) => false,
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) | Lobe::F82(_) => false,
        }
    }

    /// Restricts the lobe to reflection and straight transmission; `None` if nothing remains. A fibre has no sides and
    /// is unchanged.
    pub(super) fn one_sided(self) -> Option<Lobe> {
        match self {
            Lobe::Translucent(_) | Lobe::ThinTransmission(_) => None,
            Lobe::Dielectric(lobe) => lobe.reflects().then(|| Lobe::Dielectric(lobe.opaque())),
            Lobe::ThinFilm(lobe) => lobe.reflects().then(|| Lobe::ThinFilm(lobe.opaque())),
            Lobe::Schlick(lobe) => Some(Lobe::Schlick(Schlick {
                transmission: Rgb::BLACK,
                ..lobe
            })),
            Lobe::Lambert(_) | Lobe::OrenNayar(_) | Lobe::Conductor(_) | Lobe::Transparent(_) => Some(self),
            Lobe::Eon(_) | Lobe::Burley(_) | Lobe::Sheen(_) | Lobe::Charlie(_) => Some(self),
            Lobe::ZeltnerSheen(_) | Lobe::Phong(_) | Lobe::Ward(_) | Lobe::F82(_) => Some(self),
            Lobe::CoatedDiffuse(_) | Lobe::Clearcoat(_) | Lobe::Hair(_) => Some(self),
            Lobe::Subsurface(_) => Some(self),
        }
    }

    /// Lobe class for photon mapping.
    pub(super) fn part(&self) -> LobePart {
        match (self.microfacets(), self.spread()) {
            (None, Spread::Diffuse) => LobePart::Diffuse,
            (Some(_), Spread::Diffuse) => LobePart::Rough,
            (_, Spread::Glossy | Spread::Specular | Spread::Straight | Spread::Subsurface) => {
                LobePart::Narrow
            }
        }
    }

    /// Angular spread class.
    pub fn spread(&self) -> Spread {
        match (self, self.microfacets()) {
            (Lobe::Transparent(_), _) => Spread::Straight,
            (Lobe::Subsurface(_), _) => Spread::Subsurface,
            (Lobe::Hair(_), _) => Spread::Glossy,
            (_, Some(microfacets)) => Spread::of(microfacets),
            (_, None) => Spread::Diffuse,
        }
    }
}
