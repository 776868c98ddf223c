//! Limits of the path length.

/// Limits of the path length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    /// Maximum number of segments.
    pub(crate) depth: u32,
    /// Number of segments before Russian roulette begins.
    pub(crate) rr_depth: u32,
    /// Survival probability of Russian roulette per unit of throughput, before clamping to 1.
    pub(crate) rr_scale: f32,
}

impl Limits {
    /// Default survival probability per unit of throughput. Most paths survive until their contribution is small
    /// compared with that of the first vertices. Larger and smaller values both need more time for the same error.
    pub(crate) const RR_SCALE: f32 = 3.0;

    /// Survival probability per unit of throughput for guided paths; each of their vertices contributes more.
    pub(crate) const GUIDED_RR_SCALE: f32 = 4.5;
}

/// Contributions requested at the next vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexRequest {
    pub(crate) limits: Limits,
    /// True if only the emission of directly visible surfaces is requested.
    pub(crate) emission_only: bool,
    /// True if only photon lookups are requested, no other light of media.
    pub(crate) maps_only: bool,
}

impl VertexRequest {
    /// Returns whether a path with this number of segments needs no further ones.
    pub(crate) fn ends(&self, depth: u32) -> bool {
        self.emission_only || depth >= self.limits.depth
    }
}
