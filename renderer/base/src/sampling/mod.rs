//! Sampling: warps from the unit square, alias tables, piecewise-constant distributions, MIS weights.
//!
//! Random numbers `u` are in `[0,1)`. Each function `x` that warps them has a counterpart `x_pdf`, whose documentation
//! names the measure.

mod alias;
mod blocks;
mod distribution;
mod mis;
mod spherical;
mod warp;

pub use alias::{AliasSample, AliasTable};
pub use blocks::BlockDistribution2d;
pub use distribution::{Distribution1d, Distribution2d, Sample1d, Sample2d};
pub use mis::{balance_heuristic, power_heuristic};
pub use spherical::{MIN_SOLID_ANGLE, SphericalRectangle, SphericalTriangle};
pub use warp::*;
