//! Source texts, spans and source maps.

mod map;
mod span;
mod text;

pub use map::{SourceMap, SourceUser};
pub use span::{SourceId, Span};
pub use text::Source;
pub(crate) use text::{FileIndex, FileLocation, Origin};
