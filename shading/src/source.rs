//! Source texts and places in them.

mod map;
mod span;
mod text;

pub use map::{SourceMap, SourceUser};
pub use span::{SourceId, Span};
pub(crate) use text::{FileIndex, Origin, Written};
pub use text::{Provenance, Source};
