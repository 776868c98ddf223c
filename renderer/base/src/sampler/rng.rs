//! Random number generator for loops of unknown length, seeded from a sampler.

use super::{GOLDEN, mix};

/// SplitMix64 generator.
// Steele et al. 2014, "Fast Splittable Pseudorandom Number Generators".
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Generator of the sequence of a seed.
    #[inline]
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// Next number in `[0,1)`.
    #[inline]
    pub fn next_1d(&mut self) -> f32 {
        self.state = self.state.wrapping_add(GOLDEN);
        (mix(self.state) >> 40) as f32 * (1.0 / (1 << 24) as f32)
    }
}
