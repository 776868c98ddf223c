//! Shared by the tests: statistics, images, fixtures.

pub mod chi2;
pub mod closures;
pub mod compiled;
pub mod generate;
pub mod random;
pub mod random_scene;
pub mod reference;
pub mod scenes;
pub mod stats;
