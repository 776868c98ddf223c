//! PLY files, ASCII and binary: the header, and the elements one by one or as rows. What the elements mean is up to the
//! reader: meshes are read in [`renderer_import`], point clouds in [`crate::cloud`].

mod file;
mod names;
mod rows;

pub use file::{PlyFile, PlyReader};
pub use names::{COLOR_NAMES, attribute_in, is_whole};
pub use rows::{RowField, Rows};
