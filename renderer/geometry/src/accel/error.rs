//! Errors of building acceleration structures: Embree missing, unsuitable or out of memory.

use thiserror::Error;

/// Errors of building an acceleration structure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccelError {
    /// The Embree library was not found.
    #[error(
        "cannot open Embree 4, which traces rays. Where it was looked for, in this order:\n{tried}\n\
         set EMBREE_DIR to the folder of an Embree 4 release (https://github.com/RenderKit/embree/releases)"
    )]
    Library {
        /// Searched paths with the error of each, one per line.
        tried: String,
    },
    /// The Embree library is unsuitable.
    #[error("Embree at {path} does not do: {reason}")]
    Unsuitable {
        /// The library.
        path: String,
        /// Reason why it is unsuitable.
        reason: String,
    },
    /// Embree failed at building.
    #[error("cannot build the ray tracing structure: {reason}")]
    Build {
        /// Embree's own message.
        reason: String,
    },
}
