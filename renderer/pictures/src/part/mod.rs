//! Part files and checkpoints (`.part`): the exact film sums of a range of samples, with their identity.
//!
//! A file holds, in this order: [`MAGIC`](header), the length of the header, the header as JSON, and the film in bands
//! of rows, each with its length and a checksum; then the statistics of adaptive sampling, if any. Sums are integers
//! ([`Fixed`](renderer_image::film::Fixed)), so parts merged in any order give the bytes of one render. A checkpoint is a part
//! that is rewritten repeatedly.

mod band;
mod error;
mod header;
mod identity;
mod layers;
mod ranges;
mod read;
mod statistics;
mod write;

pub use error::PartError;
pub use header::Header;
pub use identity::Identity;
pub use layers::LayerNames;
pub use ranges::Ranges;
pub use read::PartReader;
pub use write::{write, write_to};

use renderer_image::film::{Film, NoiseMap};

/// Contents of a part file.
#[derive(Clone, Debug)]
pub struct Part {
    /// Identity and sample numbers.
    pub header: Header,
    /// The sums.
    pub film: Film,
    /// The statistics of adaptive sampling.
    pub noise: Option<NoiseMap>,
}
