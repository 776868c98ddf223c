//! Shared by the tests: statistics, images, fixtures.

pub mod generate;
