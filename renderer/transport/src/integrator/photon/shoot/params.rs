//! Parameters of photon shooting: number of photons, and filters of the stored ones.

/// Filter of the photons that a map stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhotonFilter {
    /// Photons of direct and indirect light; those of direct light only if `direct` is set.
    Global { direct: bool },
    /// Photons scattered by narrow lobes only, at least once.
    Caustic,
}

/// Filter of the photons that are stored in media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediumFilter {
    None,
    /// Caustic light.
    Caustic,
    /// Direct and indirect light without caustics.
    ExceptCaustic,
    /// Scattered light.
    Scattered,
}

impl MediumFilter {
    /// Returns whether a photon with this path length is stored; `only_narrow` is true if only narrow lobes have
    /// scattered it.
    pub(crate) fn stores(self, segments: u32, only_narrow: bool) -> bool {
        let is_scattered = segments > 1;
        match self {
            MediumFilter::None => false,
            MediumFilter::Caustic => is_scattered && only_narrow,
            MediumFilter::ExceptCaustic => !(is_scattered && only_narrow),
            MediumFilter::Scattered => is_scattered,
        }
    }
}

/// Shooting parameters: number of photons, and filters of the stored ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShootParams {
    pub(crate) filter: PhotonFilter,
    /// Number of photons to store, or to shoot if `exactly` is set.
    pub(crate) count: u64,
    /// True if exactly `count` photons are shot, regardless of the number stored.
    pub(crate) exactly: bool,
    /// Maximum number of segments of a photon's path.
    pub(crate) max_segments: u32,
    /// Filter of the photons stored in media.
    pub(crate) in_media: MediumFilter,
    /// Maximum number of pilot batches, which measure where photons are useful and store none.
    pub(crate) pilots: u64,
}
