//! Scenes.

pub mod import;
