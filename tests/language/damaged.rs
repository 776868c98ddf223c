//! Fuzzing of shader sources: damaged sources that compile give the same results in packets, point by point and
//! optimised, without panics. `KILN_FUZZ_SECONDS=1800` runs for half an hour, `KILN_FUZZ_SEED` sets the seed. (With the
//! renderer's host: `transport/damaged.rs`.)

use std::sync::Arc;

use language_support::generate::TestHost;
use language_support::{damage, shipped};

/// Number of texts without a time limit.
const TEXTS: u64 = 1000;

#[test]
fn damaged_shaders_are_refused_or_run() {
    damage::fuzz(TEXTS, || shipped::system(Arc::new(TestHost)));
}
