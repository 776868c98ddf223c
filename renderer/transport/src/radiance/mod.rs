//! Radiance of paths as reported by integrators: each contribution with its source, the lobes that scattered it, and
//! the vertices of the path. A [`RadianceSink`] collects it.

mod contribution;
mod lobe_shares;
mod sink;

pub use contribution::{Contribution, LightSource};
pub use lobe_shares::LobeShares;
pub use sink::{BranchEvent, RadianceSink, Reached};

/// Maximum number of light tags of photons, 0 included.
pub const MAX_LIGHT_TAGS: usize = 32;
