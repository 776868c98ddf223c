//! One-sample multiple importance sampling of distances over the colour channels.
// Veach 1997, section 9.2.4.

use glam::Vec2;

use renderer_base::color::Rgb;
use renderer_base::math::ln;

/// Probabilities of the channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelMis {
    probability: Rgb,
}

impl ChannelMis {
    /// Probabilities in proportion to `weight`; uniform if all weights are zero.
    pub(crate) fn new(weight: Rgb) -> ChannelMis {
        let probability = match weight.average() {
            mean if mean > 0.0 => weight * (1.0 / (3.0 * mean)),
            _ => Rgb::splat(1.0 / 3.0),
        };
        ChannelMis { probability }
    }

    /// Mean of two distributions.
    pub(crate) fn average(self, other: ChannelMis) -> ChannelMis {
        ChannelMis { probability: (self.probability + other.probability) * 0.5 }
    }

    /// Samples a distance in proportion to the transmittance of the channel selected by `u.x` [m].
    pub(crate) fn sample_distance(&self, extinction: Rgb, u: Vec2) -> f32 {
        let [r, g, _] = self.probability.to_array();
        let index = usize::from(u.x >= r) + usize::from(u.x >= r + g);
        -ln((1.0 - u.y).max(f32::MIN_POSITIVE)) / extinction.to_array()[index]
    }

    /// Mean of a density over the channels, weighted by their probabilities.
    pub(crate) fn mean(&self, density: Rgb) -> f32 {
        (self.probability * density).average() * 3.0
    }
}
