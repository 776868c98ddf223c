//! Sampler: Owen-scrambled Sobol' points, a function of (seed, pixel, sample index, dimension) only.
//!
//! Over the samples of a pixel, each of the first requests for one or two numbers gets a (0,2)-sequence of its own,
//! shuffled and scrambled by hashes. Requests are padded: each uses the first one or two Sobol' dimensions, and the
//! shuffle decorrelates them. Later requests, after several path vertices, get independent random numbers, since
//! stratification has no effect there.
// Burley 2020, "Practical Hash-based Owen Scrambling", sections 2 to 5.

mod rng;

use glam::{UVec2, Vec2};

pub use rng::Rng;

/// A stream of numbers in `[0,1)` for one sample of one pixel.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    seed: u64,
    /// Hash of the seed and the pixel.
    stream: u64,
    /// The sample index with its bits reversed.
    reversed_index: u32,
    /// Number of requests so far.
    dimension: u32,
}

impl Sampler {
    /// A sampler at the first sample of pixel (0,0).
    pub fn new(seed: u64) -> Sampler {
        let mut sampler = Sampler {
            seed: mix(seed ^ SEED_SALT),
            stream: 0,
            reversed_index: 0,
            dimension: 0,
        };
        sampler.start(UVec2::ZERO, 0);
        sampler
    }

    /// Starts the sample `sample_index` of `pixel` at its first dimension.
    pub fn start(&mut self, pixel: UVec2, sample_index: u64) {
        // A Sobol' sequence of 32-bit numbers has 2³² points; another sequence follows.
        let pixel = u64::from(pixel.x) | u64::from(pixel.y) << 32;
        self.stream = mix(mix(self.seed ^ pixel).wrapping_add(sample_index >> 32));
        self.reversed_index = (sample_index as u32).reverse_bits();
        self.dimension = 0;
    }

    /// Returns the sampler of branch `branch` of a path that splits into `branches` here: over the samples of a pixel, all
    /// branches together use one sequence that is `branches` times as long.
    #[must_use]
    pub fn branch(&self, branch: u32, branches: u32) -> Sampler {
        let index = u64::from(self.reversed_index.reverse_bits()) * u64::from(branches) + u64::from(branch);
        Sampler {
            stream: mix(self.stream.wrapping_add(index >> 32) ^ u64::from(branches)),
            reversed_index: (index as u32).reverse_bits(),
            ..*self
        }
    }

    /// Skips the dimensions that a branch has used.
    pub fn skip_those_of(&mut self, branch: &Sampler) {
        self.dimension = branch.dimension;
    }

    /// Seed of an [`Rng`] for decisions of unknown number; does not advance the sampler.
    pub fn rng_seed(&self) -> u64 {
        let at = self.stream.wrapping_add(u64::from(self.dimension).wrapping_mul(GOLDEN));
        mix(mix(at ^ RNG_SALT).wrapping_add(u64::from(self.reversed_index).wrapping_mul(GOLDEN)))
    }

    /// Skips the next number.
    #[inline]
    pub fn skip(&mut self) {
        self.dimension += 1;
    }

    /// The next number in `[0,1)`.
    #[inline]
    pub fn next_1d(&mut self) -> f32 {
        let hash = self.next_hash();
        if self.is_late() {
            return to_unit((self.late_bits(hash) >> 32) as u32);
        }
        to_unit(self.bits_1d(hash))
    }

    /// The next number in `[0,1)`, with 53 bits: for a choice among many entries, or several choices.
    pub fn next_choice(&mut self) -> f64 {
        let hash = self.next_hash();
        let bits = if self.is_late() {
            self.late_bits(hash) >> 11
        } else {
            let bits = self.bits_1d(hash);
            // Below the 32 stratified bits, any bits serve that differ from sample to sample.
            let below = mix_32(bits ^ hash as u32);
            u64::from(bits) << 21 | u64::from(below >> 11)
        };
        bits as f64 * (1.0 / (1u64 << 53) as f64)
    }

    fn bits_1d(&self, hash: u64) -> u32 {
        let index = owen_reversed(self.reversed_index, hash as u32).reverse_bits();
        owen_reversed(index, (hash >> 32) as u32).reverse_bits()
    }

    /// The next two numbers in `[0,1)`, stratified together.
    #[inline]
    pub fn next_2d(&mut self) -> Vec2 {
        let hash = self.next_hash();
        if self.is_late() {
            let bits = self.late_bits(hash);
            return Vec2::new(to_unit((bits >> 32) as u32), to_unit(bits as u32));
        }
        let index = owen_reversed(self.reversed_index, hash as u32).reverse_bits();
        let x = owen_reversed(index, (hash >> 32) as u32);
        let y = owen_reversed(sobol_1_reversed(index), mix_32(hash as u32 ^ (hash >> 32) as u32));
        // Reverses both at once: a reversal needs a dozen operations.
        let both = (u64::from(x) << 32 | u64::from(y)).reverse_bits();
        Vec2::new(to_unit(both as u32), to_unit((both >> 32) as u32))
    }

    /// Returns whether the current dimension is beyond the stratified ones ([`STRATIFIED_REQUESTS`]).
    #[inline(always)]
    fn is_late(&self) -> bool {
        self.dimension > STRATIFIED_REQUESTS
    }

    /// The bits of a request that is not stratified.
    #[inline(always)]
    fn late_bits(&self, hash: u64) -> u64 {
        mix(hash.wrapping_add(u64::from(self.reversed_index).wrapping_mul(GOLDEN)))
    }

    #[inline(always)]
    fn next_hash(&mut self) -> u64 {
        self.dimension += 1;
        mix(self.stream.wrapping_add(u64::from(self.dimension).wrapping_mul(GOLDEN)))
    }
}

/// Number of stratified requests of a sample: film, lens, and about three path vertices.
const STRATIFIED_REQUESTS: u32 = 16;

/// Keeps seed 0 away from the fixed point of [`mix`].
const SEED_SALT: u64 = 0x51_7c_c1_b7_27_22_0a_95;

/// Separates seeds of generators from the sampler's own numbers.
const RNG_SALT: u64 = 0x3c_79_ac_49_2b_a7_b6_53;

/// 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The upper 24 bits as a number in `[0,1)`.
fn to_unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// Owen's nested uniform scramble in base 2 of a number whose bits are reversed.
// Laine & Karras 2011, "Stratified Sampling for Stochastic Transparency", with the constants of Vegdahl 2021,
// "Building a Better LK Hash", which flips bits more evenly.
fn owen_reversed(mut x: u32, seed: u32) -> u32 {
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^ x.wrapping_mul(0x53a2_2864)
}

/// The second Sobol' dimension of `index`, with its bits reversed. (The first is `index` itself.)
// Its generator matrix is Pascal's triangle modulo 2. That is the Kronecker power of [1 1; 0 1], so the product is a
// butterfly of shifts, one a bit of the bit number.
fn sobol_1_reversed(index: u32) -> u32 {
    let mut x = index;
    x ^= (x & 0xffff_0000) >> 16;
    x ^= (x & 0xff00_ff00) >> 8;
    x ^= (x & 0xf0f0_f0f0) >> 4;
    x ^= (x & 0xcccc_cccc) >> 2;
    x ^ (x & 0xaaaa_aaaa) >> 1
}

/// A hash of 64 bits in which every bit depends on all.
// Stafford 2011, "Better Bit Mixing", variant 13.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A hash of 32 bits.
// Wellons 2018, "Prospecting for Hash Functions".
fn mix_32(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_dimension_is_that_of_sobol() {
        // Joe & Kuo's second dimension: direction numbers of the polynomial x + 1.
        for index in (0..4096).chain((0..32).map(|b| 1 << b)).chain([u32::MAX, 0x1234_5678]) {
            let mut v = 1u32 << 31;
            let mut x = 0;
            for bit in 0..32 {
                if index >> bit & 1 == 1 {
                    x ^= v;
                }
                v ^= v >> 1;
            }
            assert_eq!(sobol_1_reversed(index).reverse_bits(), x, "index {index}");
        }
    }
}
