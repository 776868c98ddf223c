//! Which photons are shot and stored.

/// Filter of the photons that a map stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhotonFilter {
    /// All photons; those of direct light only if `direct` is set.
    Global { direct: bool },
    /// Photons scattered by narrow lobes only, at least once.
    Caustic,
}

/// Filter of the photons that are stored in media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MediumFilter {
    /// None.
    Nothing,
    /// Light that narrow lobes have focused.
    Focused,
    /// All but that.
    Unfocused,
    /// All that was scattered.
    Scattered,
}

impl MediumFilter {
    /// Returns whether photons of so many segments are stored, which narrow lobes only have scattered, or others.
    pub(super) fn stores(self, segments: u32, only_narrow: bool) -> bool {
        let is_scattered = segments > 1;
        match self {
            MediumFilter::Nothing => false,
            MediumFilter::Focused => is_scattered && only_narrow,
            MediumFilter::Unfocused => !(is_scattered && only_narrow),
            MediumFilter::Scattered => is_scattered,
        }
    }
}

/// Shooting parameters: number of photons and which to store.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShootParams {
    pub(super) filter: PhotonFilter,
    /// Number of photons to store, or to shoot if `exactly` is set.
    pub(super) count: u64,
    /// True if exactly `count` photons are shot, regardless of the number stored.
    pub(super) exactly: bool,
    /// Maximum number of segments of a photon's path.
    pub(super) max_segments: u32,
    /// Which are stored in media.
    pub(super) in_media: MediumFilter,
    /// Maximum number of pilot batches; they only measure where photons are useful and store none.
    pub(super) pilots: u64,
}
