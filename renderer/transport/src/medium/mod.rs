//! Participating media: coefficients, phase functions, and distance sampling.
//!
//! Coefficients are per metre and colour channel; negative ones and NaN count as zero. The cosine of a phase function
//! is 1 for forward scattering, −1 for backward scattering.

mod channel_mis;
mod coefficients;
mod equiangular;
mod phase;

pub(crate) use channel_mis::ChannelMis;
pub use coefficients::Coefficients;
pub use equiangular::Equiangular;
pub use phase::Phase;
