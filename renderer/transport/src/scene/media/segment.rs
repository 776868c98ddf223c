//! Ray segments in media, and the result of sampling a scattering distance on them.

use crate::medium::Coefficients;
use renderer_base::math::Ray;

/// Segment of a ray between two surfaces.
#[derive(Clone, Copy, Debug)]
pub struct RaySegment<'a> {
    /// Ray from the start of the segment; its direction is a unit vector.
    pub ray: &'a Ray,
    /// Length [m].
    pub length: f32,
    /// Number of scattering events of the path so far.
    pub depth: u32,
}

/// Result of sampling a scattering distance on a segment.
#[derive(Debug)]
pub enum MediumSample {
    /// The path reaches the end of the segment.
    Transmitted,
    /// A medium scatters the path.
    Scattered {
        /// Distance from the start of the segment [m].
        t: f32,
        /// Coefficients at that distance.
        medium: Coefficients,
    },
}
