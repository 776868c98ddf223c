//! Scenes.

pub mod desc;
pub mod import;
pub mod load;
mod text;
