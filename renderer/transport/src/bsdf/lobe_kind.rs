//! Classification of lobes: reflection or transmission; diffuse, glossy or specular; and the type of lobe samples.

use glam::Vec3;

use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Microfacet roughness from which on a lobe counts as diffuse; below it is glossy.
pub const GLOSSY_ALPHA: f32 = 0.2;

/// Kind of a lobe: side and angular spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LobeKind {
    /// Reflection or transmission.
    pub side: Side,
    /// Angular spread class.
    pub spread: Spread,
}

/// Side of the surface on which light leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The incident side.
    Reflection,
    /// The opposite side.
    Transmission,
}

/// Angular spread class of a lobe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Wide; photon maps are looked up for these lobes.
    Diffuse,
    /// Microfacets of α below [`GLOSSY_ALPHA`].
    Glossy,
    /// Delta lobe.
    Specular,
    /// Delta lobe straight through the surface, without scattering. Only [`Transparent`] has it; an interface between
    /// equal indices of refraction is `Specular`.
    Straight,
    /// Subsurface random walk; lights are sampled at its exit.
    Subsurface,
}

impl Side {
    /// Returns the side of `wi`, from the product of its cosine and that of `wo`.
    pub(super) fn of(product: f32) -> Side {
        if product > 0.0 { Side::Reflection } else { Side::Transmission }
    }
}

impl LobeKind {
    /// Lambertian and wide microfacet reflection.
    pub const DIFFUSE_REFLECTION: LobeKind = LobeKind { side: Side::Reflection, spread: Spread::Diffuse };
    /// Diffuse transmission.
    pub const DIFFUSE_TRANSMISSION: LobeKind = LobeKind { side: Side::Transmission, spread: Spread::Diffuse };
    /// Null interface: straight transmission.
    pub const NULL: LobeKind = LobeKind { side: Side::Transmission, spread: Spread::Straight };

    /// Subsurface random walk.
    pub const SUBSURFACE: LobeKind = LobeKind { side: Side::Transmission, spread: Spread::Subsurface };

    pub(super) fn reflection(microfacets: Microfacets) -> LobeKind {
        LobeKind { side: Side::Reflection, spread: Spread::of(microfacets) }
    }

    pub(super) fn transmission(microfacets: Microfacets) -> LobeKind {
        LobeKind { side: Side::Transmission, spread: Spread::of(microfacets) }
    }

    /// Returns whether light is transmitted.
    pub fn is_transmission(self) -> bool {
        self.side == Side::Transmission
    }

    /// Returns whether it is a delta lobe.
    pub fn is_specular(self) -> bool {
        self.spread.is_specular()
    }
}

impl Spread {
    pub(super) fn is_specular(self) -> bool {
        matches!(self, Spread::Specular | Spread::Straight | Spread::Subsurface)
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

/// Direction sampled from a lobe, in local coordinates.
#[derive(Clone, Copy, Debug)]
pub struct LobeSample {
    /// Sampled direction, unit length.
    pub wi: Vec3,
    /// f·|cos θi| / pdf.
    pub weight: Rgb,
    /// Density [1/sr], or the probability of the choice for delta lobes.
    pub pdf: f32,
    /// Kind of the lobe.
    pub kind: LobeKind,
    /// Index of refraction on the side of `wi` relative to the side of `wo`.
    pub eta: f32,
}

/// Lobe classes that photon mapping treats differently; they cover all lobes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LobePart {
    /// Lambertian and similar: reflected radiance depends on the irradiance only.
    Diffuse,
    /// Microfacets too rough to be glossy ([`GLOSSY_ALPHA`]).
    Rough,
    /// Glossy and specular: lobes that form caustics.
    Narrow,
}

impl LobePart {
    /// All classes.
    pub const ALL: [LobePart; 3] = [LobePart::Diffuse, LobePart::Rough, LobePart::Narrow];
}
