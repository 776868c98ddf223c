//! Parts: the exact sums of ranges of samples, in files.
//!
//! A file holds, one after the other: [`MAGIC`](header), the length of the header, the header as JSON, and the film in
//! bands of rows, each with its length and a checksum; with adaptive sampling, its statistics follow. Sums are integers ([`Fixed`](crate::film::Fixed)), so parts join
//! to the bytes that one render would have made, in any order. A checkpoint is a part that is written again and again.

mod band;
mod error;
mod header;
mod identity;
mod ranges;
mod read;
mod statistics;
mod write;

pub use error::PartError;
pub use header::Header;
pub use identity::Identity;
pub use ranges::Ranges;
pub use read::PartReader;
pub use write::write;

use crate::film::{Film, NoiseMap};

/// What a part file holds.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it belongs to and which samples it has.
    pub header: Header,
    /// Their sums.
    pub film: Film,
    /// The statistics of adaptive sampling.
    pub noise: Option<NoiseMap>,
}
