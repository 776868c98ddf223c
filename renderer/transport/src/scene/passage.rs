//! Ways through media, and how paths go on from them.

use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_base::sampler::mix;

/// Numbers for decisions whose count is not known before.
#[derive(Clone, Debug)]
pub struct Noise {
    state: u64,
}

impl Noise {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Noise {
        Noise { state: seed }
    }

    /// The next number in `[0,1)`.
    pub(crate) fn number(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.state) >> 40) as f32 * (1.0 / (1 << 24) as f32)
    }
}

/// A way through media.
#[derive(Clone, Copy, Debug)]
pub struct MediumWay<'a> {
    /// The ray along it; its direction is a unit vector.
    pub ray: &'a Ray,
    /// Its length [m].
    pub length: f32,
    /// Number of times that the path has scattered.
    pub depth: u32,
}

/// How a path goes on from a way through media.
#[derive(Debug)]
pub enum Passage {
    /// It reaches the end.
    Through,
    /// It is scattered at this distance [m].
    Scattered(f32, Coefficients),
}

/// Throughput of a path along a way, and the radiance that media emit towards its start.
#[derive(Clone, Copy, Debug)]
pub struct Transport {
    /// Throughput.
    pub throughput: Rgb,
    /// Emitted radiance times throughput.
    pub emitted: Rgb,
}
