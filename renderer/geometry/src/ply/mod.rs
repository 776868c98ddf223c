//! PLY files, ASCII and binary: the header, and the elements one by one or as rows. The callers interpret the elements,
//! as meshes or point clouds.

mod file;
mod names;
mod rows;

pub use file::{PlyFile, PlyReader};
pub use names::{COLOR_NAMES, attribute_in, is_whole};
pub use rows::{RowField, Rows};
