//! Limits of the length of paths.

/// Limits of the path length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Maximum number of segments.
    pub(super) depth: u32,
    /// Number of segments before Russian roulette begins.
    pub(super) rr_depth: u32,
    /// Survival probability of Russian roulette per unit of throughput, before clamping to 1.
    pub(super) rr_scale: f32,
}

impl Limits {
    /// Default survival probability per unit of throughput: most paths are kept until their contribution is small
    /// against that of the first vertices. Larger and smaller values both need more time for the same error.
    pub(super) const RR_SCALE: f32 = 3.0;

    /// Survival probability per unit of throughput for guided paths; each of their vertices contributes more.
    pub(super) const GUIDED_RR_SCALE: f32 = 4.5;
}

/// What a path does at its next vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horizon {
    /// Limits of the path length.
    pub(super) limits: Limits,
    /// True if only emission is asked for, of surfaces that it reaches straight.
    pub(super) emission_only: bool,
    /// True if only what photon maps hold is asked for, and no other light of media.
    pub(super) maps_only: bool,
}

impl Horizon {
    /// Returns whether a path of that many segments needs no further ones.
    pub(super) fn ends(&self, depth: u32) -> bool {
        self.emission_only || depth >= self.limits.depth
    }
}
