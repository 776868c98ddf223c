//! Fuzzing of shader sources: what still compiles gives the same results in packets, point by point and optimised,
//! without panics. `KILN_FUZZ_SECONDS=1800` runs for half an hour, `KILN_FUZZ_SEED` sets the seed. (With the renderer's
//! host: `transport/damaged.rs`.)

use std::sync::Arc;

use language_support::generate::TestHost;
use language_support::{damage, shipped};

/// Texts tried, where no time is given.
const TEXTS: u64 = 1000;

#[test]
fn damaged_shaders_are_refused_or_run() {
    damage::fuzz(TEXTS, || shipped::system(Arc::new(TestHost)));
}
