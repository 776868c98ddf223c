//! Shared by the tests: statistics, images, fixtures.

pub mod chi2;
pub mod closures;
pub mod pilot_result;
pub mod random;
pub mod random_scene;
pub mod reference;
pub mod scenes;
pub mod stats;

pub use language_support::compiled;
