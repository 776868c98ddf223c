//! Media that are the same everywhere: where on its way a path is scattered.

use std::borrow::Cow;

use glam::Vec2;

use super::passage::{Passage, Transport};
use crate::body::beer_lambert;
use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::{exp_m1, ln};

/// How distances are sampled: from the transmittance of one colour.
#[derive(Clone, Copy, Debug)]
pub struct DistanceSampling {
    extinction: Rgb,
    /// Probability of each colour.
    probability: Rgb,
}

impl DistanceSampling {
    /// For a path of that throughput: a colour in proportion to what of it may be scattered.
    pub fn new(medium: &Coefficients, throughput: Rgb) -> DistanceSampling {
        let weights = (throughput * medium.scattering()).map(f32::abs);
        let probability = match weights.average() {
            sum if sum > 0.0 => weights * (1.0 / (3.0 * sum)),
            _ => Rgb::splat(1.0 / 3.0),
        };
        DistanceSampling {
            extinction: medium.extinction(),
            probability,
        }
    }

    /// Density of a distance at which the transmittance is `left` [1/m].
    pub fn density(&self, left: Rgb) -> f32 {
        self.mean(self.extinction * left)
    }

    /// Samples a distance [m].
    fn sample(&self, u: Vec2) -> f32 {
        let [r, g, _] = self.probability.to_array();
        let sigma = match u.x {
            x if x < r => self.extinction.r,
            x if x < r + g => self.extinction.g,
            _ => self.extinction.b,
        };
        -ln((1.0 - u.y).max(f32::MIN_POSITIVE)) / sigma
    }

    /// Mean over the colours.
    fn mean(&self, of: Rgb) -> f32 {
        (self.probability * of).average() * 3.0
    }
}

/// Samples whether and where a path is scattered.
pub(super) fn homogeneous_passage(
    medium: Cow<'_, Coefficients>,
    length: f32,
    transport: &mut Transport,
    u: Vec2,
) -> Passage {
    let extinction = medium.extinction();
    if !medium.emission.is_black() {
        transport.emitted += transport.throughput * medium.emission * mean_way(extinction, length);
    }
    let scattering = medium.scattering();
    if scattering.is_black() {
        transport.throughput *= beer_lambert(extinction, length);
        return Passage::Through;
    }
    let sampling = DistanceSampling::new(&medium, transport.throughput);
    let t = sampling.sample(u);
    if t < length {
        let left = beer_lambert(extinction, t);
        transport.throughput *= scattering * left * (1.0 / sampling.density(left));
        Passage::Scattered(t, medium.into_owned())
    } else {
        let left = beer_lambert(extinction, length);
        let all = sampling.mean(left);
        transport.throughput = match all > 0.0 {
            true => transport.throughput * left * (1.0 / all),
            false => Rgb::BLACK,
        };
        Passage::Through
    }
}

/// ∫ exp(−σ t) dt over a way: its length where nothing is absorbed.
fn mean_way(extinction: Rgb, length: f32) -> Rgb {
    extinction.map(|sigma| match sigma {
        0.0 => length,
        _ => -exp_m1(-(sigma * length)) / sigma,
    })
}
