//! Choice of a colour for which a distance is sampled.

use glam::Vec2;

use renderer_base::color::Rgb;
use renderer_base::math::ln;

/// How likely each colour is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorChoice {
    probability: Rgb,
}

impl ColorChoice {
    /// In proportion to a weight; evenly where there is none.
    pub(crate) fn by(weight: Rgb) -> ColorChoice {
        let probability = match weight.average() {
            mean if mean > 0.0 => weight * (1.0 / (3.0 * mean)),
            _ => Rgb::splat(1.0 / 3.0),
        };
        ColorChoice { probability }
    }

    /// Half of the choices by this, half by another one.
    pub(crate) fn or(self, other: ColorChoice) -> ColorChoice {
        ColorChoice {
            probability: (self.probability + other.probability) * 0.5,
        }
    }

    /// Samples a distance in proportion to the transmittance of the colour that `u.x` chooses [m].
    pub(crate) fn sample_distance(&self, extinction: Rgb, u: Vec2) -> f32 {
        let [r, g, _] = self.probability.to_array();
        let index = usize::from(u.x >= r) + usize::from(u.x >= r + g);
        -ln((1.0 - u.y).max(f32::MIN_POSITIVE)) / extinction.to_array()[index]
    }

    /// Mean over the colours.
    pub(crate) fn mean(&self, of: Rgb) -> f32 {
        (self.probability * of).average() * 3.0
    }
}
