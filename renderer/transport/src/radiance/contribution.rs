//! Contributions of a path: source of the light, and sampling of the path.

use crate::light::LightId;

/// Source of the light of a contribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightSource {
    /// A light or an emissive shape.
    Light(LightId),
    /// An emissive surface that is not a light.
    Surface,
    /// The photon maps: light that surfaces have scattered at least once.
    Map,
    /// The caustic map: light that only narrow lobes have scattered, at least once.
    CausticMap,
}

/// Source and kind of a contribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// Source of the light.
    pub source: LightSource,
    /// True for indirect light: scattered at least once. False for emission that arrives directly, or through
    /// transparent surfaces alone.
    pub scattered: bool,
    /// Ratio of the density with which the path's directions were sampled to the density of BSDF sampling; 1 without
    /// guiding.
    pub guide_pdf_ratio: f32,
}

impl Contribution {
    /// Light from the global photon map.
    pub const MAP: Contribution = Contribution {
        source: LightSource::Map,
        scattered: true,
        guide_pdf_ratio: 1.0,
    };

    /// Light from the caustic map.
    pub const CAUSTIC_MAP: Contribution =
        Contribution { source: LightSource::CausticMap, ..Contribution::MAP };
}
