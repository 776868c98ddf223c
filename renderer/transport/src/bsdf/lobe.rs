//! Enum of all lobes, with evaluation, sampling, albedo and classification; local coordinates, z is the normal.
//!
//! A lobe returns f for light from `wo` to `wi` (importance). For refraction, f for radiance in the opposite direction is
//! 1/eta² of that; only [`Bsdf`](super::Bsdf) applies the factor.
//!
//! A new lobe is a file that implements [`LobeModel`], and one line in the list below.

use glam::{Vec2, Vec3};

use super::burley::{Burley, Sheen};
use super::charlie::Charlie;
use super::clearcoat::Clearcoat;
use super::coated_diffuse::CoatedDiffuse;
use super::conductor::Conductor;
use super::dielectric::Dielectric;
use super::eon::Eon;
use super::f82::F82;
use super::hair::Hair;
use super::lambert::{Lambert, Translucent};
use super::lobe_kind::{LobePart, LobeSample, Side, Spread};
use super::lobe_model::LobeModel;
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

/// Declares [`Lobe`] and the methods that select a model.
macro_rules! lobes {
    ($($(#[$doc:meta])* $model:ident,)*) => {
        /// BSDF lobe of colour one; [`Bsdf`](super::Bsdf) adds weight and frame.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Lobe {
            $($(#[$doc])* $model($model),)*
        }

        $(impl From<$model> for Lobe {
            fn from(model: $model) -> Lobe {
                Lobe::$model(model)
            }
        })*

        impl Lobe {
            /// f·|cos θi| and the density of `wi` [1/sr] in one pass; zero for delta lobes.
            #[inline(always)]
            pub fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
                match self { $(Lobe::$model(model) => model.eval_pdf(wo, wi),)* }
            }

            /// Samples a direction for `wo`; `u_lobe` selects the side, `u` the direction, each in `[0,1)`. Returns `None` if
            /// light is lost.
            #[inline(always)]
            pub fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
                match self { $(Lobe::$model(model) => model.sample(wo, u_lobe, u),)* }
            }

            /// Directional albedo for `wo`. For rough interfaces its error is within 0.025, and it is at most 1.2 % too small.
            pub fn albedo(&self, wo: Vec3) -> Rgb {
                match self { $(Lobe::$model(model) => model.albedo(wo),)* }
            }

            fn has_exact_albedo(&self) -> bool {
                match self { $(Lobe::$model(model) => model.has_exact_albedo(),)* }
            }

            /// Fast approximation of [`Lobe::albedo`] for `wo` with cosine `cos_o`, for lobe selection.
            pub(super) fn estimate(&self, cos_o: f32) -> Rgb {
                match self { $(Lobe::$model(model) => model.estimate(cos_o),)* }
            }

            /// Returns whether [`Lobe::sample`] depends on `u_lobe`.
            pub(super) fn has_choice(&self) -> bool {
                match self { $(Lobe::$model(model) => model.has_choice(),)* }
            }

            /// Microfacet roughness; `None` for other lobes.
            pub(super) fn microfacets(&self) -> Option<Microfacets> {
                match self { $(Lobe::$model(model) => model.microfacets(),)* }
            }

            /// Returns whether the lobe reflects light.
            pub(super) fn has_reflection(&self) -> bool {
                match self { $(Lobe::$model(model) => model.reflects(),)* }
            }

            /// Returns whether the lobe transmits light.
            pub fn has_transmission(&self) -> bool {
                match self { $(Lobe::$model(model) => model.transmits(),)* }
            }

            /// Index of refraction on the far side of the surface relative to the side of a direction with cosine `cos_o`; 1
            /// without refraction.
            pub fn eta(&self, cos_o: f32) -> f32 {
                match self { $(Lobe::$model(model) => model.eta(cos_o),)* }
            }

            /// Returns whether transmitted light is refracted.
            pub(crate) fn refracts(&self) -> bool {
                match self { $(Lobe::$model(model) => model.refracts(),)* }
            }

            /// Returns whether the lobe is an interface that transmits light straight through.
            #[inline]
            pub(crate) fn is_straight(&self) -> bool {
                match self { $(Lobe::$model(model) => model.is_straight(),)* }
            }

            /// Transmittance of a straight interface for the cosine of the direction, and the rest of the lobe.
            pub(crate) fn straight(&self, cos: f32) -> (Rgb, Option<Lobe>) {
                match self {
                    $(Lobe::$model(model) => {
                        let (transmittance, rest) = model.straight(cos);
                        (transmittance, rest.map(Lobe::from))
                    })*
                }
            }

            /// Restricts the lobe to reflection and straight transmission; `None` if nothing remains. A fibre has no sides and
            /// is unchanged.
            pub(super) fn one_sided(self) -> Option<Lobe> {
                match self { $(Lobe::$model(model) => model.one_sided().map(Lobe::from),)* }
            }

            /// Returns an interface with the light that scatters several times between its facets; other lobes are unchanged.
            pub fn compensated(self) -> Lobe {
                match self { $(Lobe::$model(model) => model.compensated().into(),)* }
            }

            /// Side of a lobe that scatters in proportion to the cosine alone; `None` for other lobes.
            pub(super) fn ideal_diffuse_side(&self) -> Option<Side> {
                match self { $(Lobe::$model(model) => model.ideal_diffuse_side(),)* }
            }

            /// Returns whether the lobe scatters to the whole sphere about a fibre, without sides of the normal.
            #[inline]
            pub(super) fn is_fibre(&self) -> bool {
                match self { $(Lobe::$model(model) => model.is_fibre(),)* }
            }

            /// Angular spread class.
            pub fn spread(&self) -> Spread {
                match self { $(Lobe::$model(model) => model.spread(),)* }
            }
        }
    };
}

lobes! {
    /// Ideal diffuse reflection.
    Lambert,
    /// Ideal diffuse transmission.
    Translucent,
    /// Rough diffuse reflection.
    OrenNayar,
    /// Rough diffuse reflection that keeps all light.
    Eon,
    /// Diffuse component of the principled material.
    Burley,
    /// Sheen of the principled material.
    Sheen,
    /// Sheen of cloth.
    Charlie,
    /// Sheen of dust and short fibres.
    ZeltnerSheen,
    /// Diffuse component of plastics.
    CoatedDiffuse,
    /// Cosine power about the mirror direction.
    Phong,
    /// Gaussian slopes of the half vector.
    Ward,
    /// Metal.
    Conductor,
    /// Metal with an edge tint.
    F82,
    /// Glass, water and other dielectrics.
    Dielectric,
    /// Generalised Schlick interface.
    Schlick,
    /// Interface under a thin film.
    ThinFilm,
    /// Clear coat of the principled material.
    Clearcoat,
    /// Transmission through a thin rough sheet.
    ThinTransmission,
    /// Hair fibre; the tangent is the direction of the fibre.
    Hair,
    /// Straight transmission (opacity).
    Transparent,
    /// Subsurface scattering by a random walk.
    Subsurface,
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
            Lobe::Dielectric(base) => ThinFilm::on_dielectric(film, &base).into(),
            Lobe::Conductor(base) => ThinFilm::on_conductor(film, &base).into(),
            Lobe::Schlick(base) => ThinFilm::on_schlick(film, &base).into(),
            _ => self,
        }
    }

    /// Returns whether the lobe is invariant under rotation about its normal.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.microfacets().map_or(!self.is_fibre(), Microfacets::is_isotropic)
    }

    /// f·|cos θi|; zero for delta lobes.
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        self.eval_pdf(wo, wi).0
    }

    /// Density of `wi` [1/sr]; zero for delta lobes.
    pub fn pdf(&self, wo: Vec3, wi: Vec3) -> f32 {
        self.eval_pdf(wo, wi).1
    }

    /// Upper bound of the albedo of single scattering, so that a base layer does not receive light that this lobe
    /// reflects; the albedo of a lossless interface, so that no light is lost.
    pub fn albedo_bound(&self, wo: Vec3) -> Rgb {
        self.albedo(wo) * if self.has_exact_albedo() { 1.0 } else { 1.012 }
    }

    /// Factor from importance to radiance for light that is transmitted from `wi`.
    // Light that enters a denser medium is compressed into a smaller solid angle. Veach 1997, eq. 5.14.
    pub(super) fn radiance_scale(eta: f32) -> f32 {
        1.0 / sqr(eta)
    }

    /// Returns whether it is a delta lobe.
    pub fn is_specular(&self) -> bool {
        self.spread().is_specular()
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
}
