//! Media that are the same everywhere: where on its way a path is scattered.

use std::borrow::Cow;

use glam::Vec2;

use super::passage::{Passage, Transport};
use crate::body::beer_lambert;
use crate::medium::{Coefficients, ColorChoice};
use renderer_base::color::Rgb;
use renderer_base::math::exp_m1;

/// How distances are sampled: from the transmittance of one colour.
#[derive(Clone, Copy, Debug)]
pub struct DistanceSampling {
    extinction: Rgb,
    choice: ColorChoice,
}

impl DistanceSampling {
    /// For a path of that throughput: half of the samples by what of a colour may be scattered, half by what there is of
    /// it, as colours that pass where others are scattered must be found, too.
    pub fn new(medium: &Coefficients, throughput: Rgb) -> DistanceSampling {
        let carried = throughput.map(f32::abs);
        DistanceSampling {
            extinction: medium.extinction(),
            choice: ColorChoice::by(carried * medium.scattering()).or(ColorChoice::by(carried)),
        }
    }

    /// Density of a distance at which the transmittance is `left` [1/m].
    pub fn density(&self, left: Rgb) -> f32 {
        self.choice.mean(self.extinction * left)
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
    let t = sampling.choice.sample_distance(extinction, u);
    if t < length {
        let left = beer_lambert(extinction, t);
        transport.throughput *= scattering * left * (1.0 / sampling.density(left));
        Passage::Scattered(t, medium.into_owned())
    } else {
        let left = beer_lambert(extinction, length);
        let all = sampling.choice.mean(left);
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
