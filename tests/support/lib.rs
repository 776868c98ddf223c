//! Shared by the tests: statistics, images, fixtures.
