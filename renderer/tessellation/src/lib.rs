//! Subdivision surfaces, and surfaces diced into triangles.
//!
//! - [`Subdivision`]: how the polygons of a mesh define a surface.
//! - [`Surface`]: that surface, which can be evaluated: the limit surface of a cage, or the polygons themselves.
//! - [`Dicing`]: lengths of the edges of triangles; [`Surface::cells`] divides the surface by it, and
//!   [`Surface::dice`] makes triangles of it, without cracks.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod attributes;
mod borders;
mod cage;
mod cells;
mod dice;
mod diced;
mod error;
mod limit;
mod line;
mod numbering;
mod patch;
mod point;
mod points;
mod polygons;
mod regular;
mod strip;
mod subdivision;
mod surface;
#[cfg(test)]
mod tests;

pub use cells::{Cells, Dicing};
pub use diced::{Diced, Duplicate};
pub use error::TessellationError;
pub use subdivision::{Boundary, Crease, Scheme, Subdivision, UvInterpolation};
pub use surface::Surface;
