//! Homogeneous media: sampling of scattering distances.

use std::borrow::Cow;

use glam::Vec2;

use super::segment::MediumSample;
use crate::interior::beer_lambert;
use crate::medium::{ChannelMis, Coefficients};
use renderer_base::color::Rgb;
use renderer_base::math::exp_m1;

/// Distribution of scattering distances: exponential, with the extinction of a channel chosen at random.
#[derive(Clone, Copy, Debug)]
pub struct DistanceSampling {
    extinction: Rgb,
    channels: ChannelMis,
}

impl DistanceSampling {
    /// Distribution for a path with this throughput. The density of channels is ½ throughput · σs + ½ throughput; the
    /// second half bounds the weights of channels with low σs.
    pub fn new(medium: &Coefficients, throughput: Rgb) -> DistanceSampling {
        let throughput = throughput.map(f32::abs);
        DistanceSampling {
            extinction: medium.extinction(),
            channels: ChannelMis::new(throughput * medium.scattering()).average(ChannelMis::new(throughput)),
        }
    }

    /// Samples a distance [m].
    pub fn sample(&self, u: Vec2) -> f32 {
        self.channels.sample_distance(self.extinction, u)
    }

    /// Density of a distance with this transmittance [1/m].
    pub fn pdf(&self, transmittance: Rgb) -> f32 {
        self.channels.mean(self.extinction * transmittance)
    }
}

/// Samples a scattering distance up to `length`; multiplies `throughput` by the weight and adds emission to `radiance`.
pub(crate) fn sample_homogeneous(
    medium: Cow<'_, Coefficients>,
    length: f32,
    throughput: &mut Rgb,
    radiance: &mut Rgb,
    u: Vec2,
) -> MediumSample {
    let extinction = medium.extinction();
    if !medium.emission.is_black() {
        *radiance += *throughput * medium.emission * integrated_transmittance(extinction, length);
    }
    let scattering = medium.scattering();
    if scattering.is_black() {
        *throughput *= beer_lambert(extinction, length);
        return MediumSample::Transmitted;
    }
    let sampling = DistanceSampling::new(&medium, *throughput);
    let t = sampling.sample(u);
    if t < length {
        let transmittance = beer_lambert(extinction, t);
        *throughput *= scattering * transmittance * (1.0 / sampling.pdf(transmittance));
        let medium = medium.into_owned();
        MediumSample::Scattered { t, medium }
    } else {
        let transmittance = beer_lambert(extinction, length);
        let probability = sampling.channels.mean(transmittance);
        *throughput = match probability > 0.0 {
            true => *throughput * transmittance * (1.0 / probability),
            false => Rgb::BLACK,
        };
        MediumSample::Transmitted
    }
}

/// ∫ exp(−σ t) dt over a segment; its length where σ is zero.
fn integrated_transmittance(extinction: Rgb, length: f32) -> Rgb {
    extinction.map(|sigma| match sigma {
        0.0 => length,
        _ => -exp_m1(-(sigma * length)) / sigma,
    })
}
