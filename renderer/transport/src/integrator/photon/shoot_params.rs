//! Which photons are shot and stored.

/// Filter of the photons that a map stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhotonFilter {
    /// All photons; those of direct light only if `direct` is set.
    Global { direct: bool },
    /// Photons scattered by narrow lobes only, at least once.
    Caustic,
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
    /// True if light that narrow lobes have focused into media is stored.
    pub(super) in_media: bool,
    /// Maximum number of pilot batches; they only measure where photons are useful and store none.
    pub(super) pilots: u64,
}
