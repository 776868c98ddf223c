//! Classification of lobes: reflection or transmission; diffuse, glossy or specular; and the type of lobe samples.

use glam::Vec3;

use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Roughness of microfacets below which a lobe is glossy; from here on it is diffuse.
pub const GLOSSY_ALPHA: f32 = 0.2;

/// Which way a lobe sends light, and how narrowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LobeKind {
    /// Back to its side, or through.
    pub side: Side,
    /// How narrowly.
    pub spread: Spread,
}

/// The side of the surface that light leaves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side it comes from.
    Reflection,
    /// The other one.
    Transmission,
}

/// How narrowly a lobe scatters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Wide: photons are looked up here.
    Diffuse,
    /// Microfacets of α below [`GLOSSY_ALPHA`].
    Glossy,
    /// A delta.
    Specular,
    /// A delta without scattering: light passes straight through. Only [`Transparent`] has it; an interface between
    /// equal indices of refraction is `Specular`.
    Straight,
}

impl Side {
    /// The side of `wi`, by the product of its cosine and that of `wo`.
    pub(super) fn of(product: f32) -> Side {
        if product > 0.0 {
            Side::Reflection
        } else {
            Side::Transmission
        }
    }
}

impl LobeKind {
    /// Lambert and wider microfacets.
    pub const DIFFUSE_REFLECTION: LobeKind = LobeKind {
        side: Side::Reflection,
        spread: Spread::Diffuse,
    };
    /// Diffuse transmission.
    pub const DIFFUSE_TRANSMISSION: LobeKind = LobeKind {
        side: Side::Transmission,
        spread: Spread::Diffuse,
    };
    /// No surface at all.
    pub const PASS: LobeKind = LobeKind {
        side: Side::Transmission,
        spread: Spread::Straight,
    };

    pub(super) fn reflection(microfacets: Microfacets) -> LobeKind {
        LobeKind {
            side: Side::Reflection,
            spread: Spread::of(microfacets),
        }
    }

    pub(super) fn transmission(microfacets: Microfacets) -> LobeKind {
        LobeKind {
            side: Side::Transmission,
            spread: Spread::of(microfacets),
        }
    }

    /// Whether light goes through.
    pub fn is_transmission(self) -> bool {
        self.side == Side::Transmission
    }

    /// Whether it is a delta.
    pub fn is_specular(self) -> bool {
        self.spread.is_specular()
    }
}

impl Spread {
    pub(super) fn is_specular(self) -> bool {
        matches!(self, Spread::Specular | Spread::Straight)
    }

    pub(super) fn of(microfacets: Microfacets) -> Spread {
        if microfacets.is_smooth() {
            Spread::Specular
        } else if microfacets.mean_alpha() < GLOSSY_ALPHA {
            Spread::Glossy
        } else {
            Spread::Diffuse
        }
    }
}

/// A direction drawn from a lobe, in local coordinates.
#[derive(Clone, Copy, Debug)]
pub struct LobeSample {
    /// Where light goes, unit length.
    pub wi: Vec3,
    /// f·|cos θi| / pdf.
    pub weight: Rgb,
    /// Density per solid angle [1/sr], or the probability of the choice when specular.
    pub pdf: f32,
    /// What scattered.
    pub kind: LobeKind,
    /// Index of refraction on the side of `wi` relative to the side of `wo`.
    pub eta: f32,
}

/// Classes of lobes that photon mapping treats differently; together they are all lobes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LobePart {
    /// Lambertian and similar: the reflected radiance depends on the irradiance only.
    Diffuse,
    /// Microfacets too rough to be glossy ([`GLOSSY_ALPHA`]).
    Rough,
    /// Glossy and specular: lobes that form caustics.
    Narrow,
}

impl LobePart {
    /// All of them.
    pub const ALL: [LobePart; 3] = [LobePart::Diffuse, LobePart::Rough, LobePart::Narrow];
}
