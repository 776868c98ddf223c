//! Radiance of paths, as integrators report it: each contribution with its source, the lobes that scattered it, and the
//! vertices on the way. What collects it is a [`RadianceSink`].

mod contribution;
mod lobe_shares;
mod sink;

pub use contribution::{Contribution, LightSource};
pub use lobe_shares::LobeShares;
pub use sink::{BranchEvent, RadianceSink, Reached};

/// The most tags by which photons tell lights apart, 0 included.
pub const MAX_LIGHT_TAGS: usize = 32;
